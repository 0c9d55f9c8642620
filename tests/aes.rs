//! AES in CBC mode: NIST's vectors, sessions, and what is refused.

#![allow(clippy::unwrap_used)]

mod common;

use common::{
    data::{Vector, aes_vectors},
    painted,
};
use fasttea::{
    Error,
    aes::{Aes128, Aes192, Aes256},
    cbc::{self, CbcCipher, Decryptor, Encryptor},
    cipher::{
        AlgorithmName, Array, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, IvState,
        KeyInit, consts::U16,
    },
};
use hex_literal::hex;

const IV: [u8; 16] = hex!("000102030405060708090a0b0c0d0e0f");
const KEY: [u8; 32] = hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");

#[test]
fn cbc_gives_nists_known_answers() {
    fn run<C: KeyInit + CbcCipher>(vector: &Vector) {
        let cipher = || C::new_from_slice(&vector.key).unwrap();
        let mut bytes = vector.plaintext.clone();
        let mut session = Encryptor::start(cipher(), &vector.iv).unwrap();
        session.encrypt_slice(&mut bytes).unwrap();
        assert_eq!(bytes, vector.ciphertext, "{}", vector.cipher);
        let mut session = Decryptor::start(cipher(), &vector.iv).unwrap();
        session.decrypt_slice(&mut bytes).unwrap();
        assert_eq!(bytes, vector.plaintext, "{}", vector.cipher);
    }

    let mut count = 0;
    // The other modes are tested through the command line.
    for vector in aes_vectors().iter().filter(|vector| vector.mode == "cbc") {
        match &*vector.cipher {
            "aes-128" => run::<Aes128>(vector),
            "aes-192" => run::<Aes192>(vector),
            "aes-256" => run::<Aes256>(vector),
            other => panic!("{other}"),
        }
        count += 1;
    }
    assert_eq!(count, 3);
}

/// CBC by its definition, block by block.
fn oracle(cipher: &impl BlockCipherEncrypt<BlockSize = U16>, text: &[u8]) -> Vec<u8> {
    let mut value = IV;
    text.chunks_exact(16)
        .flat_map(|block| {
            let mut next = Array(core::array::from_fn(|i| value[i] ^ block[i]));
            cipher.encrypt_block(&mut next);
            value = next.0;
            value
        })
        .collect()
}

/// Every number of blocks up to some groups of the widest backend, in place and from one buffer to
/// another, and every split into two calls.
fn lengths_and_splits<C>()
where
    C: KeyInit + CbcCipher + BlockCipherEncrypt<BlockSize = U16> + Clone,
{
    let cipher = C::new_from_slice(&KEY[..C::key_size()]).unwrap();
    for count in 0..=150 {
        let text = painted(16 * count);
        let message = oracle(&cipher, &text);
        let encryptor = || Encryptor::start(cipher.clone(), &IV).unwrap();
        let decryptor = || Decryptor::start(cipher.clone(), &IV).unwrap();

        let (from, _) = Array::slice_as_chunks(&text);
        let mut to = vec![Array([0; 16]); count];
        encryptor().encrypt_blocks_b2b(from, &mut to).unwrap();
        assert_eq!(Array::slice_as_flattened(&to), message);
        let (from, _) = Array::slice_as_chunks(&message);
        decryptor().decrypt_blocks_b2b(from, &mut to).unwrap();
        assert_eq!(Array::slice_as_flattened(&to), text);

        for split in (0..=count).step_by(if count < 20 { 1 } else { 23 }) {
            let mut bytes = text.clone();
            let mut session = encryptor();
            let (head, tail) = bytes.split_at_mut(16 * split);
            session.encrypt_slice(head).unwrap();
            // Nothing changes nothing.
            session.encrypt_slice(&mut []).unwrap();
            session.encrypt_slice(tail).unwrap();
            assert_eq!(bytes, message, "{count} {split}");
            let last = message.last_chunk().unwrap_or(&IV);
            assert_eq!(session.iv_state().0, *last);

            let mut session = decryptor();
            let (head, tail) = bytes.split_at_mut(16 * split);
            session.decrypt_slice(head).unwrap();
            session.decrypt_slice(&mut []).unwrap();
            session.decrypt_slice(tail).unwrap();
            assert_eq!(bytes, text, "{count} {split}");
            assert_eq!(session.iv_state().0, *last);
        }
    }
}

#[test]
fn any_length_in_any_pieces_gives_the_same_bytes() {
    lengths_and_splits::<Aes128>();
    lengths_and_splits::<Aes192>();
    lengths_and_splits::<Aes256>();
}

fn resets_and_refusals<C>(name: &str)
where
    C: KeyInit + CbcCipher + BlockCipherEncrypt<BlockSize = U16> + AlgorithmName + Clone,
{
    let text = painted(64);
    let cipher = C::new_from_slice(&KEY[..C::key_size()]).unwrap();
    let message = oracle(&cipher, &text);
    let mut encryptor = Encryptor::start(cipher.clone(), &IV).unwrap();
    let mut decryptor = Decryptor::start(cipher.clone(), &IV).unwrap();
    for round in 0..3 {
        let (mut encrypted, mut decrypted) = (text.clone(), message.clone());
        encryptor.encrypt_slice(&mut encrypted[..32]).unwrap();
        decryptor.decrypt_slice(&mut decrypted[..32]).unwrap();
        for len in [1, 15, 17, 31] {
            let mut wrong = painted(len);
            let error = Error::NotBlockMultiple { block: 16, len };
            assert_eq!(encryptor.encrypt_slice(&mut wrong), Err(error));
            assert_eq!(decryptor.decrypt_slice(&mut wrong), Err(error));
            assert_eq!(wrong, painted(len));
        }
        for len in [0, 8, 15, 17] {
            let error = Error::IvLength { needed: 16, len };
            let iv = painted(len);
            assert_eq!(encryptor.reset(&iv), Err(error));
            assert_eq!(decryptor.reset(&iv), Err(error));
            assert_eq!(Encryptor::start(cipher.clone(), &iv).err(), Some(error));
        }
        // All of that changed nothing.
        encryptor.encrypt_slice(&mut encrypted[32..]).unwrap();
        assert_eq!(encrypted, message, "{name} {round}");
        decryptor.decrypt_slice(&mut decrypted[32..]).unwrap();
        assert_eq!(decrypted, text, "{name} {round}");
        encryptor.reset(&IV).unwrap();
        decryptor.reset(&IV).unwrap();
    }
    assert_eq!(
        format!("{encryptor:?}"),
        format!("cbc::Encryptor<{name}> {{ .. }}")
    );
}

#[test]
fn refused_calls_change_nothing_and_reset_starts_anew() {
    resets_and_refusals::<Aes128>("Aes128");
    resets_and_refusals::<Aes192>("Aes192");
    resets_and_refusals::<Aes256>("Aes256");
}

#[test]
fn a_batch_gives_the_same_as_one_by_one() {
    let cipher = Aes128::new(&hex!("2b7e151628aed2a6abf7158809cf4f3c").into());
    let mut sessions = [(); 5].map(|()| Encryptor::start(cipher.clone(), &IV).unwrap());
    let texts: Vec<_> = (0..5).map(|i| painted(16 * i)).collect();
    let mut messages = texts.clone();
    let mut jobs: Vec<_> = sessions
        .iter_mut()
        .zip(&mut messages)
        .map(|(session, text)| cbc::Job::new(session, text))
        .collect();
    cbc::encrypt_batch(&mut jobs);
    assert!(jobs.iter().all(|job| job.result() == Some(Ok(()))));
    for (message, text) in messages.iter().zip(&texts) {
        assert_eq!(message, &oracle(&cipher, text));
    }
}

#[test]
fn agrees_with_the_crate_cbc() {
    let text = painted(16 * 100);
    let mut ours = text.clone();
    let cipher = Aes192::new_from_slice(&KEY[..24]).unwrap();
    let mut session = Encryptor::start(cipher, &IV).unwrap();
    session.encrypt_slice(&mut ours).unwrap();

    let mut theirs = text.clone();
    use ::cbc::cipher::{BlockModeEncrypt as _, KeyIvInit as _};
    let mut session = ::cbc::Encryptor::<Aes192>::new_from_slices(&KEY[..24], &IV).unwrap();
    session.encrypt_blocks(Array::slice_as_chunks_mut(&mut theirs).0);
    assert_eq!(ours, theirs);
}
