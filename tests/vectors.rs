//! Every published and generated vector for the ciphers and modes that exist, by every backend.

#![allow(clippy::unwrap_used)]

mod common;

use cipher::{
    BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, StreamCipher,
    StreamCipherCoreWrapper, StreamCipherSeek, consts::U8,
};
use common::{
    backends::backends,
    blocks_mut,
    data::{Vector, vectors},
    ecb,
};
use fasttea::{Be, ByteOrder, Parameters, Tea, Xtea, backend::Backend, cbc::CbcCipher, cipher};

/// XXTEA waits; its two modes are `block` and `xxtea_len`.
fn waits(vector: &Vector) -> bool {
    vector.cipher == "xxtea"
}

#[test]
fn every_backend_gives_the_known_answers() {
    let vectors = vectors();
    let mut waiting = 0;
    for backend in backends() {
        waiting = 0;
        for vector in &vectors {
            match (&*vector.cipher, &*vector.mode) {
                _ if waits(vector) => waiting += 1,
                ("qq", "qq") => qq(vector, backend),
                (_, "block" | "ecb") => ecb_mode(vector, backend),
                (_, "cbc") => each_cipher(vector, backend, Mode::Cbc),
                (_, "ctr") => each_cipher(vector, backend, Mode::Ctr),
                _ => panic!("{}: no such mode", vector.id),
            }
        }
    }
    println!("{} vectors, of which {waiting} XXTEA's wait", vectors.len());
    // Of public.json and generated.json: 32 and 21 are XXTEA's.
    assert!(vectors.len() - waiting >= (186 - 32) + (83 - 21));
}

fn qq(vector: &Vector, backend: Backend) {
    let id = &vector.id;
    let cipher = common::qq::<Be>(vector.key(), backend);
    assert_eq!(
        cipher.decrypt(&vector.ciphertext).unwrap(),
        vector.plaintext,
        "{id}"
    );

    let mut message = vec![0xee; vector.ciphertext.len()];
    let len = cipher
        .encrypt_with_fill(&vector.iv, &vector.plaintext, &mut message)
        .unwrap();
    assert_eq!(len, message.len(), "{id}");
    assert_eq!(message, vector.ciphertext, "{id}");
}

fn ecb_mode(vector: &Vector, backend: Backend) {
    let id = &vector.id;
    let cipher = with_order!(vector.byte_order(), O =>
        ecb::<O>(&vector.cipher, vector.key(), vector.cycles, backend));
    let mut bytes = vector.plaintext.clone();
    cipher.encrypt_slice(&mut bytes).unwrap();
    assert_eq!(bytes, vector.ciphertext, "{id} {backend}");
    cipher.decrypt_slice(&mut bytes).unwrap();
    assert_eq!(bytes, vector.plaintext, "{id} {backend}");
}

#[derive(Clone, Copy)]
enum Mode {
    Cbc,
    Ctr,
}

fn each_cipher(vector: &Vector, backend: Backend, mode: Mode) {
    let parameters = Parameters::from_cycles(vector.cycles).unwrap();
    with_order!(vector.byte_order(), O => match &*vector.cipher {
        "tea" => through_traits(
            vector,
            Tea::<O>::from_parts(vector.key(), parameters).with_backend(backend),
            mode,
        ),
        "xtea" => through_traits(
            vector,
            Xtea::<O>::from_parts(vector.key(), parameters).with_backend(backend),
            mode,
        ),
        other => panic!("no such cipher: {other}"),
    });
}

fn through_traits<C>(vector: &Vector, cipher: C, mode: Mode)
where
    C: BlockCipherEncrypt<BlockSize = U8> + CbcCipher + Clone,
{
    let id = &vector.id;
    let iv: [u8; 8] = vector.iv.as_slice().try_into().unwrap();
    let mut bytes = vector.plaintext.clone();
    match mode {
        Mode::Cbc => {
            let mut encryptor = cbc::Encryptor::inner_iv_init(cipher.clone(), &iv.into());
            encryptor.encrypt_blocks(blocks_mut(&mut bytes));
            assert_eq!(bytes, vector.ciphertext, "{id}");
            cbc::Decryptor::inner_iv_init(cipher.clone(), &iv.into())
                .decrypt_blocks(blocks_mut(&mut bytes));
            assert_eq!(bytes, vector.plaintext, "{id}");

            let mut encryptor = fasttea::cbc::Encryptor::start(cipher.clone(), &iv).unwrap();
            encryptor.encrypt_slice(&mut bytes).unwrap();
            assert_eq!(bytes, vector.ciphertext, "{id}");
            let mut decryptor = fasttea::cbc::Decryptor::start(cipher, &iv).unwrap();
            decryptor.decrypt_slice(&mut bytes).unwrap();
            assert_eq!(bytes, vector.plaintext, "{id}");
        }
        Mode::Ctr => {
            assert_eq!(vector.byte_order(), ByteOrder::Be, "{id}");
            let core = ctr::CtrCore::inner_iv_init(cipher, &iv.into());
            let mut ctr: ctr::Ctr64BE<C> = StreamCipherCoreWrapper::from_core(core);
            ctr.seek(vector.seek);
            ctr.apply_keystream(&mut bytes);
            assert_eq!(bytes, vector.ciphertext, "{id}");
            // Byte by byte, and from the start again.
            ctr.seek(vector.seek);
            for byte in bytes.chunks_mut(1) {
                ctr.apply_keystream(byte);
            }
            assert_eq!(bytes, vector.plaintext, "{id}");
        }
    }
}
