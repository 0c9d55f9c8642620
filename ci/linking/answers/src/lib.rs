//! Known answers by every shape of kernel, in generic code: its machine code stands in the crate that
//! calls it. And two functions for C.

use fasttea::{
    Be, Tea, Xtea, backend,
    cbc::{self, CbcCipher},
    cipher::{
        Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockSizeUser, KeyInit,
        KeyIvInit,
        consts::{U8, U16},
    },
    qq,
    rand_core::{TryCryptoRng, TryRng},
};

const TEA_KEY: u128 = 0x00112233445566778899aabbccddeeff;
const XTEA_KEY: u128 = 0x000102030405060708090a0b0c0d0e0f;

/// More than any vector has lanes, and no multiple of them.
const MANY: usize = 67;

/// Panics unless assembly runs and every answer is right.
pub fn all<R: TryCryptoRng>(rng: R) {
    assert_ne!(backend::active().name(), "portable", "no assembly");
    blocks::<Tea<Be>>(TEA_KEY, 0x0123456789abcdef, 0x126c6b92c0653a3e);
    blocks::<Xtea<Be>>(XTEA_KEY, 0x4142434445464748, 0x497df3d072612cb5);
    chain::<Tea<Be>>(
        TEA_KEY,
        0x0123456789abcdef,
        0x2bc259f0871eb54ce37a11a83fd66d04,
        0xda329d82e9825ba0736d48f97005c243,
    );
    chain::<Xtea<Be>>(
        XTEA_KEY,
        0x4142434445464748,
        0x41414141414141414141414141414141,
        0x2c6aeb799561c8e973b0927f072e3801,
    );
    messages(rng);
}

fn blocks<C>(key: u128, text: u64, answer: u64)
where
    C: KeyInit<KeySize = U16> + BlockSizeUser<BlockSize = U8>,
    C: BlockCipherEncrypt + BlockCipherDecrypt,
{
    let cipher = C::new(&key.to_be_bytes().into());
    for count in [1, 2, 5, 12, MANY] {
        let mut bytes = vec![Block::<C>::from(text.to_be_bytes()); count];
        cipher.encrypt_blocks(&mut bytes);
        assert_eq!(bytes, vec![Block::<C>::from(answer.to_be_bytes()); count]);
        cipher.decrypt_blocks(&mut bytes);
        assert_eq!(bytes, vec![Block::<C>::from(text.to_be_bytes()); count]);
    }
}

fn chain<C>(key: u128, iv: u64, text: u128, answer: u128)
where
    C: CbcCipher + KeyInit<KeySize = U16> + BlockSizeUser<BlockSize = U8> + BlockCipherEncrypt,
{
    let (key, iv) = (key.to_be_bytes().into(), iv.to_be_bytes().into());
    let (text, answer) = (text.to_be_bytes(), answer.to_be_bytes());

    let mut bytes = text;
    let new = || cbc::Encryptor::<C>::new(&key, &iv);
    new().encrypt_slice(&mut bytes).unwrap();
    assert_eq!(bytes, answer);
    let (blocks, _) = Block::<C>::slice_as_chunks_mut(&mut bytes);
    cbc::Decryptor::<C>::new(&key, &iv).decrypt_blocks(blocks);
    assert_eq!(bytes, text);

    let mut sessions: Vec<_> = (0..MANY).map(|_| new()).collect();
    let mut packets = [text; MANY];
    let jobs = sessions.iter_mut().zip(&mut packets);
    let mut jobs: Vec<_> = jobs
        .map(|(session, packet)| cbc::Job::new(session, packet))
        .collect();
    cbc::encrypt_batch(&mut jobs);
    assert_eq!(packets, [answer; MANY]);
}

fn messages<R: TryCryptoRng>(mut rng: R) {
    let cipher = qq::Cipher::new(b"12345678ABCDEFGH");
    let text = b"hello world";
    let mut message = [0; 24];
    cipher
        .encrypt_with_fill(&[3, 1, 2, 3, 4, 5], text, &mut message)
        .unwrap();
    let [start, .., end] =
        [0, 8, 16].map(|at| u64::from_be_bytes(message[at..at + 8].try_into().unwrap()));
    assert_eq!((start, end), (0x1db84d454191c81f, 0x3ec0fd94975850df));
    assert_eq!(cipher.decrypt(&message).unwrap(), text);

    for message in qq::encrypt_batch_with_rng(&mut rng, [(&cipher, &text[..]); MANY]) {
        assert_eq!(cipher.decrypt(&message.unwrap()).unwrap(), text);
    }
    for decrypted in cipher.decrypt_batch(&[message; MANY]) {
        assert_eq!(decrypted.unwrap(), text);
    }
}

/// A random source of the user's own.
pub struct Fixed(pub u8);

impl TryRng for Fixed {
    type Error = core::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(u32::from_le_bytes([self.0; 4]))
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(u64::from_le_bytes([self.0; 8]))
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(self.0);
        Ok(())
    }
}
impl TryCryptoRng for Fixed {}

/// For C: encrypts one block under TEA, big-endian.
#[unsafe(no_mangle)]
pub extern "C" fn answers_tea_encrypt(key: &[u8; 16], block: &mut [u8; 8]) {
    let cipher = Tea::<Be>::new(key.into());
    cipher.encrypt_block(block.into());
}

/// For C: aborts unless every answer is right.
#[unsafe(no_mangle)]
pub extern "C" fn answers_all() {
    all(Fixed(1));
}
