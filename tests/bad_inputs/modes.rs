//! RustCrypto's modes and padding over the ciphers here.

use fasttea::{
    Be, Tea, Xtea,
    cipher::{
        BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, StreamCipher, StreamCipherSeek,
        block_padding::{self, Pkcs7},
    },
};

use crate::{KEY, common::data::vectors};

#[test]
pub(crate) fn an_iv_of_another_length_is_refused() {
    for len in [0, 4, 7, 9, 16] {
        let iv = vec![0; len];
        assert!(cbc::Encryptor::<Tea<Be>>::new_from_slices(KEY, &iv).is_err());
        assert!(ctr::Ctr64BE::<Tea<Be>>::new_from_slices(KEY, &iv).is_err());
    }
}

#[test]
pub(crate) fn wrong_padding_is_refused() {
    let encrypt = |last: [u8; 8]| {
        let mut block = last.into();
        cbc::Encryptor::<Xtea<Be>>::new(KEY.into(), &[0; 8].into()).encrypt_block(&mut block);
        block.to_vec()
    };
    let decrypt = |message: &[u8]| {
        cbc::Decryptor::<Xtea<Be>>::new(KEY.into(), &[0; 8].into())
            .decrypt_padded_vec::<Pkcs7>(message)
    };
    assert_eq!(
        decrypt(&encrypt([65, 66, 67, 5, 5, 5, 5, 5])).unwrap(),
        b"ABC"
    );
    for bad in [[0; 8], [9; 8], [255; 8], [65, 66, 67, 68, 69, 70, 4, 3]] {
        assert!(matches!(decrypt(&encrypt(bad)), Err(block_padding::Error)));
    }
    assert!(decrypt(&[]).is_err());
}

/// The key stream that begins with the last counter there is.
fn last_counter() -> ctr::Ctr64BE<Tea<Be>> {
    ctr::Ctr64BE::new(KEY.into(), &[0xff; 8].into())
}

#[test]
pub(crate) fn a_counter_wraps_to_zero() {
    assert!(
        vectors()
            .iter()
            .any(|vector| vector.mode == "ctr" && vector.iv == [0xff; 8]),
        "tests/vectors.rs has to run a counter that wraps"
    );
    let mut stream = [0; 16];
    last_counter().apply_keystream(&mut stream);
    assert_ne!(stream[..8], stream[8..]);
    let mut zero = [0; 8];
    Tea::<Be>::from_key(KEY).encrypt_slice(&mut zero).unwrap();
    assert_eq!(stream[8..], zero);
}

#[test]
pub(crate) fn a_key_stream_is_the_same_byte_by_byte() {
    let mut ctr = last_counter();
    let mut stream = vec![0; 533];
    ctr.apply_keystream(&mut stream);
    ctr.seek(0u32);
    let mut again = vec![0; 533];
    for byte in again.chunks_mut(1) {
        ctr.apply_keystream(byte);
    }
    assert_eq!(again, stream);
}
