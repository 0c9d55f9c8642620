//! Everything that a key or a text goes through, called through the public interface: every backend,
//! word order, cipher and shape. No results are compared here, since that would branch on them.

use std::{
    convert::Infallible,
    sync::atomic::{AtomicU64, Ordering},
};

use fasttea::{
    Be, Error, Key, Le, Le64, Order, Tea, Xeta, Xtea,
    aes::Aes256,
    backend::{self, Backend},
    cbc::{self, CbcCipher},
    cipher::{Array, BlockCipherEncrypt, BlockSizeUser, InnerIvInit, IvState, KeyInit, consts::U8},
    qq,
    rand_core::{TryCryptoRng, TryRng},
};

/// Who watches the secrets.
pub trait Watch {
    /// Makes bytes a secret.
    fn secret(&self, bytes: &mut [u8]);
    /// Looks at bytes that were made of secrets.
    fn look_at(&self, bytes: &[u8]);
}

/// Runs everything, and returns the names of the backends that ran.
pub fn run(watch: &impl Watch) -> Vec<&'static str> {
    // The cipher is RustCrypto's, the chaining is not.
    chained(watch, || {
        let mut key = Array::default();
        watch.secret(&mut key);
        Aes256::new(&key)
    });
    backend::available()
        .map(|backend| {
            order::<Be>(watch, backend);
            order::<Le>(watch, backend);
            order::<Le64>(watch, backend);
            backend.name()
        })
        .collect()
}

fn order<O: Order>(watch: &impl Watch, backend: Backend) {
    let sums = [0x1122_3344, 0x5566_7788, 0x99aa_bbcc];
    let tea = |result: Result<Tea<O>, Error>| result.unwrap().with_backend(backend);
    let xtea = |result: Result<Xtea<O>, Error>| result.unwrap().with_backend(backend);
    blocks(watch, |key| tea(Tea::with_cycles(key, 16)));
    blocks(watch, |key| tea(Tea::with_delta(key, 7, 0x2468_ace0)));
    blocks(watch, |key| tea(Tea::with_sums(key, &sums)));
    blocks(watch, |key| xtea(Xtea::with_cycles(key, 32)));
    blocks(watch, |key| xtea(Xtea::with_delta(key, 5, 0x2468_ace0)));
    // It has but one backend.
    blocks(watch, |key| Xeta::<O>::with_cycles(key, 32).unwrap());
    messages(watch, |key: Key<O>| {
        qq::Cipher::with_order(key).with_backend(backend)
    });
    messages(watch, |key: Key<O>| {
        qq::Cipher::with_sums(key, &sums)
            .unwrap()
            .with_backend(backend)
    });
}

/// Blocks, then CBC, with ciphers made by `make`.
fn blocks<O, C>(watch: &impl Watch, make: impl Fn(Key<O>) -> C)
where
    O: Order,
    C: CbcCipher + BlockCipherEncrypt + BlockSizeUser<BlockSize = U8> + Clone,
{
    let cipher = make(secret_key(watch));
    for count in COUNTS {
        let mut text = vec![Array([0; 8]); count];
        watch.secret(Array::slice_as_flattened_mut(&mut text));
        let mut out = vec![Array([0; 8]); count];
        cipher.encrypt_blocks_b2b(&text, &mut out).unwrap();
        watch.look_at(Array::slice_as_flattened(&out));
        cipher.decrypt_blocks_b2b(&text, &mut out).unwrap();
        watch.look_at(Array::slice_as_flattened(&out));
        cipher.encrypt_blocks(&mut out);
        cipher.decrypt_blocks(&mut out);
        out.iter_mut().for_each(|block| cipher.encrypt_block(block));
        watch.look_at(Array::slice_as_flattened(&out));
    }
    chained(watch, || make(secret_key(watch)));
}

/// CBC with ciphers made by `make`.
fn chained<C: CbcCipher + Clone>(watch: &impl Watch, make: impl Fn() -> C) {
    let cipher = make();
    let size = C::block_size();
    let mut iv = Array::default();
    watch.secret(&mut iv);
    let mut encryptor = cbc::Encryptor::inner_iv_init(cipher.clone(), &iv);
    let mut decryptor = cbc::Decryptor::inner_iv_init(cipher, &iv);
    for count in COUNTS {
        let mut text = secret_bytes(watch, count * size);
        encryptor.encrypt_slice(&mut text).unwrap();
        watch.look_at(&text);
        decryptor.decrypt_slice(&mut text).unwrap();
        watch.look_at(&text);
    }
    watch.look_at(&encryptor.iv_state());
    watch.look_at(&decryptor.iv_state());

    for count in BATCHES {
        let session = |_| cbc::Encryptor::inner_iv_init(make(), &iv);
        let mut sessions: Vec<_> = (0..count).map(session).collect();
        let text = |i| secret_bytes(watch, size * (i % 7));
        let mut texts: Vec<_> = (0..count).map(text).collect();
        let mut jobs: Vec<_> = sessions
            .iter_mut()
            .zip(&mut texts)
            .map(|(session, text)| cbc::Job::new(session, text))
            .collect();
        cbc::encrypt_batch(&mut jobs);
        assert!(jobs.iter().all(|job| job.result.is_ok()));
        texts.iter().for_each(|text| watch.look_at(text));
        for session in &sessions {
            watch.look_at(&session.iv_state());
        }
    }
}

/// How many blocks: few ones have kernels of their own; then there are full vectors and odd rests.
const COUNTS: [usize; 22] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 21, 32, 35, 40, 47, 64, 83, 129,
];

/// How many messages a batch has: below, at and above what the lanes hold.
const BATCHES: [usize; 8] = [1, 2, 3, 5, 9, 16, 33, 70];

/// QQ messages with ciphers made by `make`.
pub fn messages<O: Order>(watch: &impl Watch, make: impl Fn(Key<O>) -> qq::Cipher<O>) {
    let cipher = make(secret_key(watch));
    // The last ones are longer than what is decrypted at a time.
    for len in (0..=16).chain([100, 505, 600, 1100]) {
        let text = secret_bytes(watch, len);
        let mut message = vec![0; qq::encrypted_len(len).unwrap()];
        cipher
            .encrypt_into(&mut Random(watch), &text, &mut message)
            .unwrap();
        watch.look_at(&message);
        watch.look_at(&cipher.encrypt(&text).unwrap());
        let head = secret_bytes(watch, qq::fill_len(len));
        cipher
            .encrypt_with_fill(&head, &text, &mut message)
            .unwrap();
        watch.look_at(&message);
        read(watch, &cipher, &message, Ok(len));

        let wrong = wrong_tail(watch, &cipher, len);
        read(
            watch,
            &cipher,
            &wrong,
            Err(Error::ZeroCheck { len: wrong.len() }),
        );
        assert_eq!(
            cipher.decrypt_unchecked_tail(&wrong).map(|text| text.len()),
            Ok(len)
        );
    }
    let wrong = impossible_fill(watch, &cipher);
    read(
        watch,
        &cipher,
        &wrong,
        Err(Error::ImpossibleFill { len: wrong.len() }),
    );

    for count in BATCHES {
        let ciphers: Vec<_> = (0..count).map(|_| make(secret_key(watch))).collect();
        let texts: Vec<_> = (0..count)
            .map(|i| secret_bytes(watch, 9 * (i % 7)))
            .collect();
        let pairs = || {
            ciphers
                .iter()
                .zip(&texts)
                .map(|(cipher, text)| (cipher, &text[..]))
        };
        let mut messages: Vec<_> = qq::encrypt_batch(pairs()).into_iter().flatten().collect();
        assert_eq!(messages.len(), count);
        messages.iter().for_each(|message| watch.look_at(message));
        if let [_, second, .., last] = &mut messages[..] {
            *second = wrong_tail(watch, &ciphers[1], 9);
            *last = impossible_fill(watch, &ciphers[count - 1]);
        }
        let pairs = || {
            ciphers
                .iter()
                .zip(&messages)
                .map(|(cipher, message)| (cipher, &message[..]))
        };
        let results = qq::decrypt_batch(pairs());
        results
            .iter()
            .flatten()
            .for_each(|text| watch.look_at(text));
        let mut outputs = vec![[0; 80]; count];
        let mut jobs: Vec<_> = pairs()
            .zip(&mut outputs)
            .map(|((cipher, message), output)| qq::Job::new(cipher, message, output))
            .collect();
        qq::decrypt_batch_into(&mut jobs);
        for (job, result) in jobs.iter().zip(&results) {
            assert_eq!(
                job.result,
                result.as_ref().map(Vec::len).map_err(|&error| error)
            );
        }
        for (job, text) in jobs.iter_mut().zip(&texts) {
            job.input = text;
        }
        qq::encrypt_batch_into(&mut Random(watch), &mut jobs);
        for job in &jobs {
            watch.look_at(&job.output[..job.result.unwrap()]);
        }
    }
}

/// Decrypts a message in all ways, of which each has to give a text of this length, or this error.
fn read<O: Order>(
    watch: &impl Watch,
    cipher: &qq::Cipher<O>,
    message: &[u8],
    expected: Result<usize, Error>,
) {
    let check = |result: Result<&[u8], Error>| {
        assert_eq!(result.map(<[u8]>::len), expected);
        watch.look_at(result.unwrap_or_default());
    };
    check(cipher.decrypt(message).as_deref().map_err(|&error| error));
    let mut output = vec![0; message.len()];
    check(
        cipher
            .decrypt_into(message, &mut output)
            .map(|len| &output[..len]),
    );
    output.copy_from_slice(message);
    check(cipher.decrypt_in_place(&mut output).map(|text| &*text));
}

/// A message for a text of this length in whose tail one bit is wrong, at a secret place.
fn wrong_tail<O: Order>(watch: &impl Watch, cipher: &qq::Cipher<O>, len: usize) -> Vec<u8> {
    let mut place = [0; 8];
    watch.secret(&mut place);
    let tail = 1u64 << (u64::from_le_bytes(place) % 56);
    let text = [secret_bytes(watch, len), tail.to_le_bytes().to_vec()].concat();
    begin_of_message(watch, cipher, &text)
}

/// A message that says that it has more fill than there is room for.
fn impossible_fill<O: Order>(watch: &impl Watch, cipher: &qq::Cipher<O>) -> Vec<u8> {
    begin_of_message(watch, cipher, &secret_bytes(watch, 7))
}

/// The message of a text without its last block. Blocks do not depend on those behind them: this is
/// what a message of any content would be.
fn begin_of_message<O: Order>(watch: &impl Watch, cipher: &qq::Cipher<O>, text: &[u8]) -> Vec<u8> {
    let mut message = cipher.encrypt_with_rng(&mut Random(watch), text).unwrap();
    message.truncate(message.len() - 8);
    message
}

fn secret_key<O: Order>(watch: &impl Watch) -> Key<O> {
    let mut key = [0; 16];
    watch.secret(&mut key);
    key.into()
}

fn secret_bytes(watch: &impl Watch, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    watch.secret(&mut bytes);
    bytes
}

/// Random numbers that are secrets.
struct Random<'a, W>(&'a W);

impl<W: Watch> TryRng for Random<'_, W> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.secret(bytes);
        Ok(())
    }
}

impl<W: Watch> TryCryptoRng for Random<'_, W> {}

/// The next bytes that a seed gives, by splitmix64: no branch in it depends on the seed.
pub fn scramble(seed: &AtomicU64, bytes: &mut [u8]) {
    for byte in bytes {
        let x = seed.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        *byte = (x >> 56) as u8;
    }
}

/// Controls, which must be caught: what no code of this project may do.
pub mod leaks {
    use std::hint::black_box;

    #[unsafe(export_name = "fasttea_control_branch")]
    #[inline(never)]
    pub extern "C" fn branch(key: &[u8; 16]) {
        if key[0] & 1 == 1 {
            other();
        }
    }

    #[inline(never)]
    fn other() {
        black_box(());
    }

    #[unsafe(export_name = "fasttea_control_address")]
    #[inline(never)]
    pub extern "C" fn address(key: &[u8; 16]) {
        static TABLE: [u8; 256] = [7; 256];
        black_box(black_box(&TABLE)[usize::from(key[0])]);
    }
}
