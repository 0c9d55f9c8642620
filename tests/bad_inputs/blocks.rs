//! Independent blocks.

use fasttea::{Be, Error, Le, Tea, Xtea, backend};

use crate::{
    KEY,
    common::{backends::backends, ecb, painted},
};

#[test]
pub(crate) fn nothing_changes_nothing() {
    assert_eq!(Tea::<Be>::from_key(KEY).encrypt_slice(&mut []), Ok(()));
    assert_eq!(Xtea::<Be>::from_key(KEY).decrypt_slice(&mut []), Ok(()));
}

#[test]
pub(crate) fn part_of_a_block_is_refused() {
    for len in [7, 9, 13, 15, 4095] {
        let text = painted(len);
        let mut bytes = text.clone();
        for backend in backends() {
            for name in ["tea", "xtea", "xeta"] {
                let cipher = ecb::<Be>(name, KEY, 32, backend);
                let refused = Err(Error::NotBlockMultiple { block: 8, len });
                assert_eq!(cipher.encrypt_slice(&mut bytes), refused);
                assert_eq!(cipher.decrypt_slice(&mut bytes), refused);
                assert_eq!(bytes, text);
            }
        }
    }
}

#[test]
pub(crate) fn any_number_at_any_address_is_as_one_by_one() {
    let text = painted(8 * 67);
    for backend in backends() {
        for name in ["tea", "xtea"] {
            let cipher = ecb::<Be>(name, KEY, 32, backend);
            let mut one_by_one = text.clone();
            for block in one_by_one.chunks_mut(8) {
                cipher.encrypt_slice(block).unwrap();
            }
            for count in 0..=67 {
                for offset in 0..8 {
                    let mut bytes = vec![0xee; offset];
                    bytes.extend_from_slice(&text[..8 * count]);
                    cipher.encrypt_slice(&mut bytes[offset..]).unwrap();
                    let what = format!("{backend} {name} {count}");
                    assert_eq!(bytes[offset..], one_by_one[..8 * count], "{what}");
                    assert_eq!(bytes[..offset], vec![0xee; offset], "{what}");
                }
            }
        }
    }
}

#[test]
pub(crate) fn look_alikes_are_other_ciphers() {
    let encrypt = |cipher| {
        let mut block = [1; 8];
        ecb::<Le>(cipher, KEY, 32, backend::active())
            .encrypt_slice(&mut block)
            .unwrap();
        block
    };
    assert_ne!(encrypt("xtea"), encrypt("xeta"));
    assert_ne!(encrypt("xtea"), encrypt("tea"));
}
