//! Everything that a key or a text goes through, called through the public interface: every backend,
//! byte order, cipher and shape. No results are compared here, since that would branch on them.

use fasttea::{
    Be, Error, Key, Le, Le64, Order, Parameters, Sums, Tea, Xeta, Xtea,
    aes::Aes256,
    backend::{self, Backend},
    cbc::{self, CbcCipher},
    cipher::{Array, BlockCipherEncrypt, BlockSizeUser, InnerIvInit, IvState, KeyInit, consts::U8},
    qq,
};

use crate::secrets::{self, Random, look_at};

/// Runs everything, and returns the names of the backends that ran.
pub fn everything() -> Vec<&'static str> {
    // The cipher is RustCrypto's, the chaining is not.
    chained(|| Aes256::new(&Array(secrets::array())));
    backend::available()
        .map(|backend| {
            order::<Be>(backend);
            order::<Le>(backend);
            order::<Le64>(backend);
            backend.name()
        })
        .collect()
}

fn order<O: Order>(backend: Backend) {
    let sums = Sums::new(&[0x1122_3344, 0x5566_7788, 0x99aa_bbcc]).unwrap();
    let other_delta = Parameters::new(7, 0x2468_ace0).unwrap();
    let tea = |key, sums| Tea::<O>::from_parts(key, sums).with_backend(backend);
    let xtea = |key, parameters| Xtea::<O>::from_parts(key, parameters).with_backend(backend);
    for sums in [
        Parameters::QQ.into(),
        Parameters::STANDARD.into(),
        other_delta.into(),
        sums,
    ] {
        blocks(|key: Key<O>| tea(key, sums.clone()));
        messages(|key: Key<O>| qq::Cipher::from(tea(key, sums.clone())));
    }
    blocks(|key: Key<O>| xtea(key, Parameters::STANDARD));
    blocks(|key: Key<O>| xtea(key, other_delta));
    // It has but one backend.
    blocks(|key: Key<O>| Xeta::from_key(key));
}

fn secret_key<O: Order>() -> Key<O> {
    Key::from(secrets::array())
}

/// How many blocks: few ones have kernels of their own; then there are full vectors and odd rests.
const COUNTS: [usize; 22] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 21, 32, 35, 40, 47, 64, 83, 129,
];

/// How many messages a batch has: below, at and above what the lanes hold.
const BATCHES: [usize; 8] = [1, 2, 3, 5, 9, 16, 33, 70];

/// Blocks, then CBC, with ciphers made by `make`.
fn blocks<O, C>(make: impl Fn(Key<O>) -> C)
where
    O: Order,
    C: CbcCipher + BlockCipherEncrypt + BlockSizeUser<BlockSize = U8> + Clone,
{
    let cipher = make(secret_key());
    for count in COUNTS {
        let text: Vec<_> = (0..count).map(|_| Array(secrets::array())).collect();
        let mut out = vec![Array([0; 8]); count];
        cipher.encrypt_blocks_b2b(&text, &mut out).unwrap();
        look_at(Array::slice_as_flattened(&out));
        cipher.decrypt_blocks_b2b(&text, &mut out).unwrap();
        look_at(Array::slice_as_flattened(&out));
        cipher.encrypt_blocks(&mut out);
        cipher.decrypt_blocks(&mut out);
        out.iter_mut().for_each(|block| cipher.encrypt_block(block));
        look_at(Array::slice_as_flattened(&out));
    }
    chained(|| make(secret_key()));
}

/// CBC with ciphers made by `make`.
fn chained<C: CbcCipher + Clone>(make: impl Fn() -> C) {
    let cipher = make();
    let size = C::block_size();
    let mut iv = Array::default();
    secrets::fill(&mut iv);
    let mut encryptor = cbc::Encryptor::inner_iv_init(cipher.clone(), &iv);
    let mut decryptor = cbc::Decryptor::inner_iv_init(cipher, &iv);
    for count in COUNTS {
        let mut text = secrets::bytes(count * size);
        encryptor.encrypt_slice(&mut text).unwrap();
        look_at(&text);
        decryptor.decrypt_slice(&mut text).unwrap();
        look_at(&text);
    }
    look_at(&encryptor.iv_state());
    look_at(&decryptor.iv_state());

    for count in BATCHES {
        let session = |_| cbc::Encryptor::inner_iv_init(make(), &iv);
        let mut sessions: Vec<_> = (0..count).map(session).collect();
        let text = |i| secrets::bytes(size * (i % 7));
        let mut texts: Vec<_> = (0..count).map(text).collect();
        let pairs = sessions.iter_mut().zip(&mut texts);
        let mut jobs: Vec<_> = pairs
            .map(|(session, text)| cbc::Job::new(session, text))
            .collect();
        cbc::encrypt_batch(&mut jobs);
        assert!(jobs.iter().all(|job| job.result() == Some(Ok(()))));
        texts.iter().for_each(|text| look_at(text));
        for session in &sessions {
            look_at(&session.iv_state());
        }
    }
}

/// QQ messages with ciphers made by `make`.
pub fn messages<O: Order>(make: impl Fn(Key<O>) -> qq::Cipher<O>) {
    let cipher = make(secret_key());
    // The last ones are longer than what is decrypted at a time.
    for len in (0..=16).chain([100, 505, 600, 1100]) {
        let text = secrets::bytes(len);
        let mut message = vec![0; qq::encrypted_len(len).unwrap()];
        cipher
            .encrypt_into(&mut Random, &text, &mut message)
            .unwrap();
        look_at(&message);
        look_at(&cipher.encrypt(&text).unwrap());
        let head = secrets::bytes(qq::fill_len(len));
        cipher
            .encrypt_with_fill(&head, &text, &mut message)
            .unwrap();
        look_at(&message);
        read(&cipher, &message, Ok(len));

        let wrong = wrong_tail(&cipher, len);
        read(&cipher, &wrong, Err(Error::ZeroCheck { len: wrong.len() }));
        let text = cipher.decrypt_unchecked_tail(&wrong).unwrap();
        assert_eq!(text.len(), len);
    }
    let wrong = impossible_fill(&cipher);
    let error = Error::ImpossibleFill { len: wrong.len() };
    read(&cipher, &wrong, Err(error));
    for count in BATCHES {
        batch(count, &make);
    }
}

/// A batch of so many messages, of which some are wrong.
fn batch<O: Order>(count: usize, make: impl Fn(Key<O>) -> qq::Cipher<O>) {
    let ciphers: Vec<_> = (0..count).map(|_| make(secret_key())).collect();
    let texts: Vec<_> = (0..count).map(|i| secrets::bytes(9 * (i % 7))).collect();
    let pairs = ciphers.iter().zip(texts.iter().map(Vec::as_slice));
    let mut messages: Vec<_> = qq::encrypt_batch(pairs.clone())
        .into_iter()
        .flatten()
        .collect();
    assert_eq!(messages.len(), count);
    messages.iter().for_each(|message| look_at(message));

    let mut outputs = vec![[0; 80]; count];
    let jobs = pairs.zip(&mut outputs);
    let mut jobs: Vec<_> = jobs
        .map(|((cipher, text), output)| qq::Job::new(cipher, text, output))
        .collect();
    qq::encrypt_batch_into(&mut Random, &mut jobs);
    for (job, message) in jobs.iter().zip(&messages) {
        assert_eq!(job.result(), Some(Ok(message.len())));
        look_at(job.output());
    }

    if let [_, second, .., last] = &mut messages[..] {
        *second = wrong_tail(&ciphers[1], 9);
        *last = impossible_fill(&ciphers[count - 1]);
    }
    let pairs = ciphers.iter().zip(messages.iter().map(Vec::as_slice));
    let results = qq::decrypt_batch(pairs.clone());
    let jobs = pairs.zip(&mut outputs);
    let mut jobs: Vec<_> = jobs
        .map(|((cipher, message), output)| qq::Job::new(cipher, message, output))
        .collect();
    qq::decrypt_batch_into(&mut jobs);
    for (job, result) in jobs.iter().zip(&results) {
        let len = result.as_ref().map(Vec::len).map_err(|&error| error);
        assert_eq!(job.result(), Some(len));
        look_at(job.output());
        look_at(result.as_deref().unwrap_or_default());
    }
}

/// Decrypts a message in all ways, of which each has to give a text of this length, or this error.
fn read<O: Order>(cipher: &qq::Cipher<O>, message: &[u8], expected: Result<usize, Error>) {
    let check = |result: Result<&[u8], Error>| {
        assert_eq!(result.map(<[u8]>::len), expected);
        look_at(result.unwrap_or_default());
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
fn wrong_tail<O: Order>(cipher: &qq::Cipher<O>, len: usize) -> Vec<u8> {
    let tail = 1u64 << (u64::from_le_bytes(secrets::array()) % 56);
    let text = [secrets::bytes(len), tail.to_le_bytes().to_vec()].concat();
    begin_of_message(cipher, &text)
}

/// A message that says that it has more fill than there is room for.
fn impossible_fill<O: Order>(cipher: &qq::Cipher<O>) -> Vec<u8> {
    begin_of_message(cipher, &secrets::bytes(7))
}

/// The message of a text without its last block. Blocks do not depend on those behind them: this is
/// what a message of any content would be.
fn begin_of_message<O: Order>(cipher: &qq::Cipher<O>, text: &[u8]) -> Vec<u8> {
    let mut message = cipher.encrypt_with_rng(&mut Random, text).unwrap();
    message.truncate(message.len() - 8);
    message
}
