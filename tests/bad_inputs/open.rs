//! QQ messages that are damaged, cut, or made up.

use fasttea::{Be, Error, Key, qq};

use crate::{
    Failing, KEY, cipher,
    common::{self, backends::backends, data, painted},
    seal,
};

const TOO_SHORT: &str = "error: ciphertext too short";
const NO_MULTIPLE: &str = "error: not a multiple of 8";
const IMPOSSIBLE_FILL: &str = "error: impossible fill";
const ZERO_CHECK: &str = "error: zero check";
const EMPTY: &str = "ok: empty";

/// What can come of a listed message, by how it is written there. Each has a test.
pub(crate) const OUTCOMES: [&str; 5] = [TOO_SHORT, NO_MULTIPLE, IMPOSSIBLE_FILL, ZERO_CHECK, EMPTY];

#[test]
fn decrypt_rejects_a_message_of_less_than_two_blocks() {
    listed(TOO_SHORT, |len| Err(Error::TooShort { len }));
}

#[test]
fn decrypt_rejects_part_of_a_block() {
    listed(NO_MULTIPLE, |len| {
        Err(Error::NotBlockMultiple { block: 8, len })
    });
}

#[test]
fn decrypt_rejects_an_impossible_fill() {
    listed(IMPOSSIBLE_FILL, |len| Err(Error::ImpossibleFill { len }));
}

#[test]
fn decrypt_rejects_a_nonzero_tail() {
    listed(ZERO_CHECK, |len| Err(Error::ZeroCheck { len }));
}

#[test]
fn decrypt_takes_an_empty_text() {
    listed(EMPTY, |_| Ok(Vec::new()));
}

/// Decrypts the listed messages with an outcome, in every way and by every backend.
fn listed(outcome: &str, wanted: impl Fn(usize) -> Result<Vec<u8>, Error>) {
    let mut count = 0;
    for case in data::bad_inputs() {
        let Some(message) = &case.hex else { continue };
        if !case.outcome.starts_with(outcome) {
            continue;
        }
        let message = hex::decode(message).unwrap();
        let key = hex::decode(&case.key).unwrap();
        let wanted = wanted(message.len());
        if let Some(text) = &case.plaintext {
            assert_eq!(wanted.as_ref(), Ok(&hex::decode(text).unwrap()));
        }
        for backend in backends() {
            let cipher = common::qq(Key::<Be>::try_from(&*key).unwrap(), backend);
            every_way(&cipher, &message, &wanted, &case.id);
        }
        count += 1;
    }
    assert!(count > 0, "there is no message with the outcome {outcome}");
}

fn every_way(cipher: &qq::Cipher, message: &[u8], wanted: &Result<Vec<u8>, Error>, id: &str) {
    let len = message.len();
    assert_eq!(&cipher.decrypt(message), wanted, "{id}");

    // The other two ways agree, and hand out no text.
    let mut dst = vec![0; len];
    let into = cipher.decrypt_into(message, &mut dst);
    assert_eq!(&into.map(|len| dst[..len].to_vec()), wanted, "{id}");
    let mut buffer = message.to_vec();
    let in_place = cipher
        .decrypt_in_place(&mut buffer)
        .map(|text| text.to_vec());
    assert_eq!(&in_place, wanted, "{id}");
    match wanted {
        Err(Error::ImpossibleFill { .. } | Error::ZeroCheck { .. }) => {
            assert_eq!(dst, vec![0; len], "{id}");
            assert_eq!(buffer, vec![0; len], "{id}");
        }
        Err(_) => assert_eq!(buffer, message, "{id}"),
        Ok(_) => {}
    }
    // The tail is all that the unchecked call leaves out.
    let unchecked = cipher.decrypt_unchecked_tail(message);
    match wanted {
        Err(Error::ZeroCheck { .. }) => assert!(unchecked.is_ok(), "{id}"),
        _ => assert_eq!(&unchecked, wanted, "{id}"),
    }
}

#[test]
pub(crate) fn only_the_low_three_bits_of_the_first_byte_count() {
    let mut messages = Vec::new();
    for first in [0x03, 0x38 | 3, 0xf8 | 3] {
        let message = seal(&[first, 1, 2, 3, 4, 5], b"hello world");
        assert_eq!(cipher().decrypt(&message).unwrap(), b"hello world");
        messages.push(message);
    }
    messages.dedup();
    assert_eq!(messages.len(), 3);
}

#[test]
pub(crate) fn a_small_output_stays_as_it_was() {
    for text_len in [1, 11, 600] {
        let text = painted(text_len);
        let message = seal(&painted(qq::fill_len(text_len)), &text);
        let mut dst = vec![0xee; text_len - 1];
        assert_eq!(
            cipher().decrypt_into(&message, &mut dst),
            Err(Error::OutputTooSmall {
                needed: text_len,
                len: text_len - 1
            })
        );
        assert_eq!(dst, vec![0xee; text_len - 1]);

        let mut dst = vec![0xee; message.len() - 1];
        let too_small = Err(Error::OutputTooSmall {
            needed: message.len(),
            len: message.len() - 1,
        });
        assert_eq!(
            cipher().encrypt_with_fill(&painted(qq::fill_len(text_len)), &text, &mut dst),
            too_small
        );
        assert_eq!(
            cipher().encrypt_into(&mut Failing, &text, &mut dst),
            too_small
        );
        assert_eq!(dst, vec![0xee; message.len() - 1]);
    }
}

/// The text is gone from the caller's buffers, wherever a long message is damaged.
#[test]
pub(crate) fn damaged_messages_leave_no_text() {
    for text_len in [0, 9, 505, 2000] {
        let text = painted(text_len);
        let message = seal(&painted(qq::fill_len(text_len)), &text);
        let mut buffer = message.clone();
        assert_eq!(cipher().decrypt_in_place(&mut buffer).unwrap(), text);

        for flipped in [0, message.len() / 2, message.len() - 1] {
            let mut damaged = message.clone();
            damaged[flipped] ^= 0x10;
            let mut dst = vec![0xee; message.len()];
            let error = cipher().decrypt(&damaged).unwrap_err();
            assert!(matches!(
                error,
                Error::ZeroCheck { .. } | Error::ImpossibleFill { .. }
            ));
            assert_eq!(cipher().decrypt_into(&damaged, &mut dst), Err(error));
            // Written and zeroed, or never written.
            assert!(dst.iter().all(|&byte| byte == 0 || byte == 0xee));
            assert_eq!(cipher().decrypt_in_place(&mut damaged), Err(error));
            assert_eq!(damaged, vec![0; message.len()]);
        }
    }
}

#[test]
fn no_bytes_of_any_length_panic() {
    for backend in backends() {
        let cipher = common::qq::<Be>(*KEY, backend);
        for len in 0..=64usize {
            for fill in [0x00, 0x5a, 0xff] {
                let mut bytes = vec![fill; len];
                let checked = cipher.decrypt(&bytes);
                let wanted = match len {
                    _ if len % 8 != 0 => Some(Error::NotBlockMultiple { block: 8, len }),
                    0 | 8 => Some(Error::TooShort { len }),
                    _ => None,
                };
                match wanted {
                    Some(error) => assert_eq!(checked, Err(error)),
                    None => assert!(matches!(
                        checked,
                        Err(Error::ZeroCheck { .. } | Error::ImpossibleFill { .. })
                    )),
                }
                let _ = cipher.decrypt_unchecked_tail(&bytes);
                let _ = cipher.decrypt_into(&bytes, &mut [0; 64]);
                let _ = cipher.decrypt_in_place(&mut bytes);
            }
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    for backend in backends() {
        let cipher = common::qq::<Be>(*KEY, backend);
        let message = seal(&painted(qq::fill_len(38)), &painted(38));
        assert_eq!(message.len(), 48);
        for flipped in 0..8 * message.len() {
            let mut damaged = message.clone();
            damaged[flipped / 8] ^= 1 << (flipped % 8);
            assert!(cipher.decrypt(&damaged).is_err(), "bit {flipped}");
        }
    }
}

#[test]
fn threads_share_a_cipher() {
    let cipher = cipher();
    let message = cipher.encrypt(b"shared").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(cipher.decrypt(&message).unwrap(), b"shared"));
        }
    });
}
