//! Our CBC, against the crate `cbc` over the same block ciphers.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Block, backends::backends, blocks, blocks_mut, painted};
use fasttea::{
    Be, ByteOrder, Error, Le, Parameters, Tea, Xeta, Xtea,
    backend::Backend,
    cbc::{CbcCipher, Decryptor, Encryptor},
    cipher::{
        AlgorithmName, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit,
        IvState, KeyInit, KeyIvInit, SetIvState, consts::U8,
    },
};
use proptest::{collection::vec, prelude::*};

const KEY: &[u8; 16] = b"0123456789ABCDEF";
const IV: &[u8; 8] = b"\x01\x23\x45\x67\x89\xab\xcd\xef";

/// Code as users of the crate `cbc` write it, compiled twice: only the first line differs.
macro_rules! users_code {
    ($cbc:path) => {
        use cbc::cipher::{block_padding::Pkcs7, *};
        use $cbc as cbc;

        type Xtea = fasttea::Xtea<fasttea::Le>;
        type XteaCbcEnc = cbc::Encryptor<Xtea>;
        type XteaCbcDec = cbc::Decryptor<Xtea>;

        pub(super) fn run(text: &[u8]) -> Vec<u8> {
            let key = [0x42; 16];
            let iv = [0x24; 8];

            // Into a vector.
            let message =
                XteaCbcEnc::new(&key.into(), &iv.into()).encrypt_padded_vec::<Pkcs7>(text);
            let again = XteaCbcDec::new(&key.into(), &iv.into())
                .decrypt_padded_vec::<Pkcs7>(&message)
                .unwrap();
            assert_eq!(again, text);

            // In place.
            let mut buf = vec![0; text.len() + 8];
            buf[..text.len()].copy_from_slice(text);
            let in_place = XteaCbcEnc::new(&key.into(), &iv.into())
                .encrypt_padded::<Pkcs7>(&mut buf, text.len())
                .unwrap();
            assert_eq!(in_place, message);
            let len = message.len();
            let again = XteaCbcDec::new(&key.into(), &iv.into())
                .decrypt_padded::<Pkcs7>(&mut buf[..len])
                .unwrap();
            assert_eq!(again, text);

            // From one buffer to another.
            let mut dst = vec![0; text.len() + 8];
            let from = XteaCbcEnc::new_from_slices(&key, &iv)
                .unwrap()
                .encrypt_padded_b2b::<Pkcs7>(text, &mut dst)
                .unwrap();
            assert_eq!(from, message);
            let again = XteaCbcDec::new_from_slices(&key, &iv)
                .unwrap()
                .decrypt_padded_b2b::<Pkcs7>(&message, &mut dst)
                .unwrap();
            assert_eq!(again, text);

            // Block by block.
            let mut encryptor = XteaCbcEnc::new(&key.into(), &iv.into());
            let mut decryptor = XteaCbcDec::new(&key.into(), &iv.into());
            for block in text.chunks_exact(8) {
                let block: [u8; 8] = block.try_into().unwrap();
                let mut changed = block.into();
                encryptor.encrypt_block(&mut changed);
                decryptor.decrypt_block(&mut changed);
                assert_eq!(changed, block);
            }

            // Sessions that share a cipher.
            let cipher = Xtea::new(&key.into());
            let shared = cbc::Encryptor::<&Xtea>::inner_iv_init(&cipher, &iv.into())
                .encrypt_padded_vec::<Pkcs7>(text);
            assert_eq!(shared, message);
            let again = cbc::Decryptor::<&Xtea>::inner_iv_init(&cipher, &iv.into())
                .decrypt_padded_vec::<Pkcs7>(&message)
                .unwrap();
            assert_eq!(again, text);
            message
        }
    };
}

mod with_ours {
    users_code!(fasttea::cbc);
}

mod with_theirs {
    users_code!(::cbc);
}

#[test]
fn code_for_the_crate_cbc_gives_the_same_bytes() {
    for len in (0..40).chain([1000, 5003]) {
        let text = painted(len);
        assert_eq!(with_ours::run(&text), with_theirs::run(&text), "{len}");
    }
}

fn oracle<C: BlockCipherEncrypt<BlockSize = U8>>(cipher: C, text: &[u8]) -> Vec<u8> {
    let mut message = text.to_vec();
    cbc::Encryptor::inner_iv_init(cipher, IV.into()).encrypt_blocks(blocks_mut(&mut message));
    message
}

/// Every way through the types, at every length.
fn both_directions<C>(cipher: &C, what: &str)
where
    C: CbcCipher<BlockSize = U8> + BlockCipherEncrypt + Clone,
{
    let text = painted(8 * 300);
    let message = oracle(cipher.clone(), &text);
    for count in (0..=70).chain([127, 128, 129, 255, 256, 257, 300]) {
        let (text, message) = (&text[..8 * count], &message[..8 * count]);
        let what = format!("{what} {count}");
        let encryptor = Encryptor::start(cipher.clone(), IV).unwrap();
        let decryptor = Decryptor::start(cipher.clone(), IV).unwrap();
        let last = if count == 0 {
            Block::from(*IV)
        } else {
            blocks(message)[count - 1]
        };

        // In place, at an odd address.
        let mut bytes = [&[0xee], text].concat();
        let mut session = encryptor.clone();
        session.encrypt_slice(&mut bytes[1..]).unwrap();
        assert_eq!(&bytes[1..], message, "{what}");
        assert_eq!(session.iv_state(), last, "{what}");
        let mut session = decryptor.clone();
        session.decrypt_slice(&mut bytes[1..]).unwrap();
        assert_eq!(&bytes[1..], text, "{what}");
        assert_eq!(session.iv_state(), last, "{what}");

        // From one buffer to another.
        let mut dst = vec![Block::default(); count];
        encryptor
            .clone()
            .encrypt_blocks_b2b(blocks(text), &mut dst)
            .unwrap();
        assert_eq!(dst, blocks(message), "{what}");
        decryptor
            .clone()
            .decrypt_blocks_b2b(blocks(message), &mut dst)
            .unwrap();
        assert_eq!(dst, blocks(text), "{what}");

        // As many blocks as a closure of the `cipher` crate hands over.
        let mut session = encryptor.clone();
        for block in &mut dst {
            session.encrypt_block(block);
        }
        assert_eq!(dst, blocks(message), "{what}");
        let mut session = decryptor.clone();
        for block in &mut dst {
            session.decrypt_block(block);
        }
        assert_eq!(dst, blocks(text), "{what}");
    }
}

#[test]
fn every_backend_agrees_with_the_crate_cbc() {
    for backend in backends() {
        for order in ByteOrder::ALL {
            with_order!(order, O => for cycles in [1, 2, 7, 16, 31, 32, 33, 64] {
                let what = format!("{backend} {order} {cycles}");
                let tea = Tea::<O>::from_parts(KEY, Parameters::from_cycles(cycles).unwrap()).with_backend(backend);
                both_directions(&tea, &format!("tea {what}"));
                let xtea = Xtea::<O>::from_parts(KEY, Parameters::from_cycles(cycles).unwrap()).with_backend(backend);
                both_directions(&xtea, &format!("xtea {what}"));
            });
        }
    }
    both_directions(&Xeta::<Le>::new(KEY.into()), "xeta");
    both_directions(&&Tea::<Le>::new(KEY.into()), "a cipher that is shared");
}

/// Which the whole-buffer calls go past.
#[test]
fn closures_of_the_crate_cipher_give_the_same_bytes() {
    use fasttea::cipher::{
        BlockModeDecBackend, BlockModeDecClosure, BlockModeEncBackend, BlockModeEncClosure,
        BlockSizeUser, ParBlocks, typenum::Unsigned,
    };

    struct Run<'a>(&'a mut [Block]);
    impl BlockSizeUser for Run<'_> {
        type BlockSize = U8;
    }
    impl BlockModeEncClosure for Run<'_> {
        fn call<B: BlockModeEncBackend<BlockSize = U8>>(self, backend: &mut B) {
            for block in self.0 {
                backend.encrypt_block_inplace(block);
            }
        }
    }
    impl BlockModeDecClosure for Run<'_> {
        fn call<B: BlockModeDecBackend<BlockSize = U8>>(self, backend: &mut B) {
            let mut chunks = self.0.chunks_exact_mut(B::ParBlocksSize::USIZE);
            for chunk in &mut chunks {
                let chunk: &mut ParBlocks<B> = chunk.try_into().unwrap();
                backend.decrypt_par_blocks_inplace(chunk);
            }
            backend.decrypt_tail_blocks_inplace(chunks.into_remainder());
        }
    }

    let cipher = Xtea::<Be>::new(KEY.into());
    let text = painted(8 * 150);
    let mut bytes = text.clone();
    let mut encryptor = Encryptor::start(cipher.clone(), IV).unwrap();
    encryptor.encrypt_with_backend(Run(blocks_mut(&mut bytes)));
    assert_eq!(bytes, oracle(cipher.clone(), &text));
    let mut decryptor = Decryptor::start(cipher, IV).unwrap();
    decryptor.decrypt_with_backend(Run(blocks_mut(&mut bytes)));
    assert_eq!(bytes, text);
}

/// Neither bytes nor session.
#[test]
fn refused_calls_change_nothing() {
    let cipher = Tea::<Be>::new(KEY.into());
    for len in [0, 1, 7, 9, 15, 16, 17] {
        let refused = Error::IvLength { needed: 8, len };
        let iv = vec![0; len];
        assert_eq!(Encryptor::start(cipher.clone(), &iv).unwrap_err(), refused);
        assert_eq!(Decryptor::start(cipher.clone(), &iv).unwrap_err(), refused);
        assert!(Encryptor::<Tea<Be>>::new_from_slices(KEY, &iv).is_err());
    }

    let text = painted(48);
    let mut encryptor = Encryptor::start(cipher.clone(), IV).unwrap();
    let mut decryptor = Decryptor::start(cipher.clone(), IV).unwrap();
    let mut message = text.clone();
    for piece in message.chunks_mut(16) {
        for len in [1, 7, 12, 15] {
            let mut bytes = painted(len);
            let refused = Err(Error::NotBlockMultiple { block: 8, len });
            assert_eq!(encryptor.encrypt_slice(&mut bytes), refused);
            assert_eq!(decryptor.decrypt_slice(&mut bytes), refused);
            assert_eq!(bytes, painted(len));
        }
        let wrong_iv = [0; 9];
        let refused = Err(Error::IvLength { needed: 8, len: 9 });
        assert_eq!(encryptor.reset(&wrong_iv), refused);
        assert_eq!(decryptor.reset(&wrong_iv), refused);
        encryptor.encrypt_slice(piece).unwrap();
    }
    assert_eq!(message, oracle(cipher.clone(), &text));
    decryptor.decrypt_slice(&mut message).unwrap();
    assert_eq!(message, text);

    // And anew.
    encryptor.reset(IV).unwrap();
    encryptor.encrypt_slice(&mut message).unwrap();
    assert_eq!(message, oracle(cipher, &text));
    decryptor.set_iv(IV.into());
    decryptor.decrypt_slice(&mut message).unwrap();
    assert_eq!(message, text);
}

#[test]
fn sessions_of_one_key_are_independent() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Encryptor<Tea<Be>>>();
    is_send_and_sync::<Decryptor<Xtea<Le>>>();

    let cipher = Xtea::<Le>::new(KEY.into());
    let texts = [painted(800), painted(1600).split_off(800)];
    std::thread::scope(|scope| {
        for text in &texts {
            let cipher = &cipher;
            scope.spawn(move || {
                let mut bytes = text.clone();
                let mut session = Encryptor::start(cipher.clone(), IV).unwrap();
                for piece in bytes.chunks_mut(8) {
                    session.encrypt_slice(piece).unwrap();
                    std::thread::yield_now();
                }
                assert_eq!(bytes, oracle(cipher.clone(), text));
            });
        }
    });
}

#[test]
fn sessions_show_the_cipher_and_no_key() {
    let session = Encryptor::start(Tea::<Be>::new(KEY.into()), IV).unwrap();
    assert_eq!(format!("{session:?}"), "cbc::Encryptor<TEA> { .. }");
    struct Name;
    impl core::fmt::Display for Name {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            Decryptor::<Xtea<Le>>::write_alg_name(f)
        }
    }
    assert_eq!(Name.to_string(), "cbc::Decryptor<XTEA>");
}

fn any_split<C>(cipher: C, text: &[u8], splits: &[usize])
where
    C: CbcCipher<BlockSize = U8> + BlockCipherEncrypt + Clone,
{
    let message = oracle(cipher.clone(), text);
    let mut bytes = text.to_vec();
    let mut encryptor = Encryptor::start(cipher.clone(), IV).unwrap();
    let mut decryptor = Decryptor::start(cipher, IV).unwrap();
    for encrypt in [true, false] {
        let mut rest = &mut *bytes;
        for &split in splits.iter().chain([&usize::MAX]) {
            let (piece, others) = rest.split_at_mut((8 * split.min(1000)).min(rest.len()));
            if encrypt {
                encryptor.encrypt_slice(piece).unwrap();
            } else {
                decryptor.decrypt_slice(piece).unwrap();
            }
            rest = others;
        }
        assert!(rest.is_empty());
        if encrypt {
            assert_eq!(bytes, message);
        }
    }
    assert_eq!(bytes, text);
}

proptest! {
    #[test]
    fn any_pieces_give_the_same_bytes(
        key: [u8; 16],
        text in vec(any::<[u8; 8]>(), 0..600),
        splits in vec(0usize..200, 0..10),
        backend in 0usize..16,
    ) {
        let text = text.concat();
        let backends: Vec<Backend> = fasttea::backend::available().collect();
        let backend = backends[backend % backends.len()];
        any_split(Tea::<Be>::new(&key.into()).with_backend(backend), &text, &splits);
        any_split(Xtea::<Le>::new(&key.into()).with_backend(backend), &text, &splits);
    }
}
