//! Every case of `tests/data/bad_inputs.json`: bad and edge inputs with the right outcome.

#![allow(clippy::unwrap_used)]

mod common;

use cipher::{
    Array, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, KeyInit, KeyIvInit,
    StreamCipher, StreamCipherSeek, block_padding::Pkcs7, consts::U16, inout::block_padding,
};
use common::{backends, ecb, painted, vectors};
use fasttea::{Be, Error, Key, Le, Tea, Xeta, Xtea, cipher, qq};
use hex_literal::hex;
use rand_core::{TryCryptoRng, TryRng};
use serde::Deserialize;

/// Cases that do not apply or are tested elsewhere, and why or where.
const NOT_HERE: [(&str, &str); 19] = [
    (
        "B36",
        "the calls take slices, so no length from the network reaches them",
    ),
    (
        "B41",
        "XXTEA's key helper waits; the plain constructors are tested as B38",
    ),
    (
        "B43",
        "XXTEA's key helper waits; the plain constructors are tested as B39",
    ),
    (
        "B56",
        "keeping the tail is the command line's: cli/tests/cli.rs",
    ),
    ("B61", "does not compile: no constructor goes without an IV"),
    ("B62", "tests/cbc.rs: refused"),
    ("B64", "tests/cbc.rs: every_backend"),
    ("B68", "tests/cbc.rs: threads"),
    (
        "B77",
        "a type alias that anybody can write: ctr::Ctr64BE<Xtea<Le>>",
    ),
    (
        "B78",
        "the crate ctr's documentation; its sessions go on where they were (B74 seeks back)",
    ),
    ("B79", "XXTEA waits"),
    ("B80", "XXTEA waits"),
    ("B81", "XXTEA waits"),
    ("B83", "XXTEA waits"),
    ("B84", "XXTEA waits"),
    ("B86", "XXTEA waits"),
    ("B87", "there is no Tibia packet layer, only blocks"),
    (
        "B92",
        "tests/differential.rs compares the backends, portable among them",
    ),
    ("B93", "ci/test-targets.sh: all tests on s390x"),
];

#[derive(Deserialize)]
struct Case {
    id: String,
    area: String,
    outcome: String,
    #[serde(default)]
    hex: Option<String>,
    #[serde(default)]
    key: String,
    plaintext: Option<String>,
}

fn cases() -> Vec<Case> {
    #[derive(Deserialize)]
    struct File {
        cases: Vec<Case>,
    }
    serde_json::from_str::<File>(include_str!("data/bad_inputs.json"))
        .unwrap()
        .cases
}

#[test]
fn every_case() {
    let cases = cases();
    let mut not_here = 0;
    for case in &cases {
        let id = &*case.id;
        if let Some((_, why)) = NOT_HERE.iter().find(|(not_here, _)| *not_here == id) {
            println!("{id} is not here: {why}");
            not_here += 1;
        } else if let Some(ciphertext) = &case.hex {
            assert_eq!(case.area, "qq-dec", "{id}");
            qq_decrypt(case, &hex::decode(ciphertext).unwrap());
        } else {
            match id {
                "B23" => qq_top_bits(),
                "B24" => qq_small_output(),
                "B26" => qq_in_place(),
                "B27" | "B28" => qq_lengths(),
                "B31" => qq_dirty_output(),
                "B32" => qq_random(),
                "B33" => qq_random_failure(),
                "B34" => qq_fill_length(),
                "B37" => long_text(),
                "B38" | "B39" | "B40" => key_lengths(),
                "B45" => key_words(),
                "B47" => zero_key(),
                "B48" => twin_keys(),
                "B49" => cycles(),
                "B50" => rounds(),
                "B53" => delta(),
                "B54" => empty(),
                "B55" | "B89" => ecb_lengths(),
                "B58" | "B59" => every_count_and_offset(),
                "B60" | "B71" => iv_lengths(),
                "B66" | "B67" => padding(),
                "B69" | "B72" | "B74" | "B75" => counter(),
                "B90" => look_alikes(),
                "B91" => debug(),
                _ => panic!("{id} is neither tested nor in the list of those that are not"),
            }
        }
    }
    assert_eq!(not_here, NOT_HERE.len());
    assert!(cases.len() >= 69);
}

fn qq_decrypt(case: &Case, ciphertext: &[u8]) {
    let id = &case.id;
    let key = hex::decode(&case.key).unwrap();
    let len = ciphertext.len();
    for backend in backends() {
        let cipher = qq::Cipher::try_from_key(&key)
            .unwrap()
            .with_backend(backend);
        let wanted = match &*case.outcome {
            "error: ciphertext too short" => Err(Error::TooShort { len }),
            "error: not a multiple of 8" => Err(Error::NotBlockMultiple { block: 8, len }),
            outcome if outcome.starts_with("error: impossible fill") => {
                Err(Error::ImpossibleFill { len })
            }
            outcome if outcome.starts_with("error: zero check") => Err(Error::ZeroCheck { len }),
            outcome if outcome.starts_with("ok") => {
                Ok(hex::decode(case.plaintext.as_ref().unwrap()).unwrap())
            }
            outcome => panic!("{id}: no such outcome: {outcome}"),
        };
        assert_eq!(cipher.decrypt(ciphertext), wanted, "{id}");

        // The other two ways agree, and hand out no text.
        let mut dst = vec![0; len];
        let into = cipher.decrypt_into(ciphertext, &mut dst);
        assert_eq!(into.map(|len| dst[..len].to_vec()), wanted, "{id}");
        let mut buffer = ciphertext.to_vec();
        let in_place = cipher
            .decrypt_in_place(&mut buffer)
            .map(|text| text.to_vec());
        assert_eq!(in_place, wanted, "{id}");
        match wanted {
            Err(Error::ImpossibleFill { .. } | Error::ZeroCheck { .. }) => {
                assert_eq!(dst, vec![0; len], "{id}");
                assert_eq!(buffer, vec![0; len], "{id}");
            }
            Err(_) => assert_eq!(buffer, ciphertext, "{id}"),
            Ok(_) => {}
        }
        // The tail is all that the unchecked call leaves out.
        let unchecked = cipher.decrypt_unchecked_tail(ciphertext);
        match wanted {
            Err(Error::ZeroCheck { .. }) => assert!(unchecked.is_ok(), "{id}"),
            _ => assert_eq!(unchecked, wanted, "{id}"),
        }
    }
}

const KEY: &[u8; 16] = b"12345678ABCDEFGH";

fn cipher() -> qq::Cipher {
    qq::Cipher::new(KEY)
}

fn seal(head: &[u8], text: &[u8]) -> Vec<u8> {
    let mut message = vec![0; qq::encrypted_len(text.len()).unwrap()];
    cipher()
        .encrypt_with_fill(head, text, &mut message)
        .unwrap();
    message
}

/// Only the low three bits of the first byte count.
fn qq_top_bits() {
    let mut messages = Vec::new();
    for first in [0x03, 0x38 | 3, 0xf8 | 3] {
        let message = seal(&[first, 1, 2, 3, 4, 5], b"hello world");
        assert_eq!(cipher().decrypt(&message).unwrap(), b"hello world");
        messages.push(message);
    }
    messages.dedup();
    assert_eq!(messages.len(), 3);
}

fn qq_small_output() {
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

/// Every way to damage a long message: the text is gone from the caller's buffers.
fn qq_in_place() {
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

fn qq_lengths() {
    for (texts, len) in [(0..=6, 16), (7..=14, 24), (15..=22, 32)] {
        for text_len in texts {
            let text = painted(text_len);
            let message = cipher().encrypt(&text).unwrap();
            assert_eq!(message.len(), len);
            assert_eq!(cipher().decrypt(&message).unwrap(), text);
        }
    }
}

/// Random bytes that are always the same.
struct Fixed(u8);

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

/// All three ways to encrypt make the same message of the same fill, whose every bit is in it.
fn qq_dirty_output() {
    for text_len in 0..40 {
        let text = painted(text_len);
        for byte in [0x00, 0x5a, 0xff] {
            let message = seal(&vec![byte; qq::fill_len(text_len)], &text);
            let mut dst = vec![0xee; message.len() + 9];
            let len = cipher()
                .encrypt_into(&mut Fixed(byte), &text, &mut dst)
                .unwrap();
            assert_eq!(len, message.len());
            assert_eq!(dst[..len], message);
            assert_eq!(dst[len..], [0xee; 9]);
            let owned = cipher().encrypt_with_rng(&mut Fixed(byte), &text).unwrap();
            assert_eq!(owned, message);
        }
    }
    for text_len in 0..40 {
        let text = painted(text_len);
        let head = painted(qq::fill_len(text_len));
        let message = seal(&head, &text);
        let mut dst = vec![0xee; message.len() + 9];
        let len = cipher().encrypt_with_fill(&head, &text, &mut dst).unwrap();
        assert_eq!(dst[..len], message);
        assert_eq!(dst[len..], [0xee; 9]);
    }
}

fn qq_random() {
    let messages: Vec<_> = (0..2).map(|_| cipher().encrypt(b"same").unwrap()).collect();
    assert_ne!(messages[0], messages[1]);
    // From another thread.
    let other = std::thread::spawn(|| cipher().encrypt(b"same").unwrap())
        .join()
        .unwrap();
    assert!(!messages.contains(&other));
    // Across the generator's reseeding, with as much fill as there is: 69 bits do not repeat.
    let mut heads: Vec<_> = (0..20_000)
        .map(|_| cipher().encrypt(b"").unwrap())
        .collect();
    heads.sort_unstable();
    heads.dedup();
    assert_eq!(heads.len(), 20_000);
}

/// A source of random bytes that has none.
struct Failing;

impl TryRng for Failing {
    type Error = std::io::Error;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Err(std::io::ErrorKind::Other.into())
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Err(std::io::ErrorKind::Other.into())
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        Err(std::io::ErrorKind::Other.into())
    }
}
impl TryCryptoRng for Failing {}

fn qq_random_failure() {
    let mut dst = [0xee; 32];
    assert_eq!(
        cipher().encrypt_into(&mut Failing, b"text", &mut dst),
        Err(Error::Random)
    );
    assert_eq!(dst, [0xee; 32]);
    assert_eq!(
        cipher().encrypt_with_rng(&mut Failing, b"text"),
        Err(Error::Random)
    );
}

fn qq_fill_length() {
    for len in [0, 5, 7, 16] {
        let mut dst = [0xee; 24];
        assert_eq!(
            cipher().encrypt_with_fill(&painted(len), b"hello world", &mut dst),
            Err(Error::FillLength { needed: 6, len })
        );
        assert_eq!(dst, [0xee; 24]);
    }
}

fn long_text() {
    if let Ok(len) = usize::try_from((1u64 << 32) + 5) {
        assert_eq!(qq::encrypted_len(len), Some(len + 11));
    }
}

fn key_lengths() {
    for len in [0, 10, 15, 17, 20, 32] {
        let key = vec![0; len];
        let refused = Error::KeyLength { len };
        assert_eq!(Key::<Be>::try_from(&*key).unwrap_err(), refused);
        assert_eq!(Tea::<Be>::try_from_key(&key).unwrap_err(), refused);
        assert_eq!(Xtea::<Le>::try_from_key(&key).unwrap_err(), refused);
        assert_eq!(Xeta::<Le>::try_from_key(&key).unwrap_err(), refused);
        assert_eq!(qq::Cipher::try_from_key(&key).unwrap_err(), refused);
        assert!(Tea::<Be>::new_from_slice(&key).is_err());
    }
    // A part of a larger buffer, at an odd offset.
    let buffer = painted(40);
    let mut bytes = [0; 8];
    Tea::<Be>::try_from_key(&buffer[3..19])
        .unwrap()
        .encrypt_slice(&mut bytes)
        .unwrap();
    let mut same = Array::default();
    let key = Array::<u8, U16>::try_from(&buffer[3..19]).unwrap();
    Tea::<Be>::new(&key).encrypt_block(&mut same);
    assert_eq!(same, bytes);
}

fn key_words() {
    let bytes = hex!("00112233445566778899aabbccddeeff");
    let be = [0x0011_2233, 0x4455_6677, 0x8899_aabb, 0xccdd_eeff];
    let le = be.map(u32::swap_bytes);
    for backend in backends() {
        for cipher in ["tea", "xtea", "xeta"] {
            let encrypt = |cipher: Box<dyn common::Ecb>| {
                let mut block = [1; 8];
                cipher.encrypt_slice(&mut block).unwrap();
                block
            };
            assert_eq!(
                encrypt(ecb::<Be>(cipher, bytes, 32, backend)),
                encrypt(ecb::<Be>(cipher, be, 32, backend))
            );
            assert_eq!(
                encrypt(ecb::<Le>(cipher, bytes, 32, backend)),
                encrypt(ecb::<Le>(cipher, le, 32, backend))
            );
        }
    }
}

/// The known answer that many libraries have.
fn zero_key() {
    let mut block = [0; 8];
    Xtea::<Be>::with_cycles([0; 4], 32)
        .unwrap()
        .encrypt_slice(&mut block)
        .unwrap();
    assert_eq!(block, hex!("dee9d4d8f7131ed9"));
}

fn twin_keys() {
    let encrypt = |key: [u32; 4]| {
        let mut block = [9; 8];
        Tea::<Be>::with_cycles(key, 32)
            .unwrap()
            .encrypt_slice(&mut block)
            .unwrap();
        block
    };
    assert_eq!(
        encrypt([1, 2, 3, 4]),
        encrypt([0x8000_0001, 0x8000_0002, 3, 4])
    );
    assert_eq!(
        encrypt([1, 2, 3, 4]),
        encrypt([1, 2, 0x8000_0003, 0x8000_0004])
    );
}

fn cycles() {
    for cycles in [0, 65, u32::MAX] {
        let refused = Error::Cycles { cycles };
        assert_eq!(Tea::<Be>::with_cycles(KEY, cycles).unwrap_err(), refused);
        assert_eq!(Xtea::<Be>::with_cycles(KEY, cycles).unwrap_err(), refused);
        assert_eq!(Xeta::<Be>::with_delta(KEY, cycles, 1).unwrap_err(), refused);
    }
    for len in [0, 65] {
        let refused = Error::SumsLength { len };
        assert_eq!(
            Tea::<Be>::with_sums(KEY, &vec![1; len]).unwrap_err(),
            refused
        );
        assert_eq!(
            qq::Cipher::<Be>::with_sums(KEY, &vec![1; len]).unwrap_err(),
            refused
        );
    }
    for cycles in 1..=64 {
        assert!(Tea::<Be>::with_cycles(KEY, cycles).is_ok());
    }
}

fn rounds() {
    for rounds in [1, 63, 129, u32::MAX] {
        let refused = Error::OddRounds { rounds };
        assert_eq!(Tea::<Be>::from_rounds(KEY, rounds).unwrap_err(), refused);
        assert_eq!(Xtea::<Be>::from_rounds(KEY, rounds).unwrap_err(), refused);
    }
    for (rounds, cycles) in [(0, 0), (130, 65)] {
        let refused = Error::Cycles { cycles };
        assert_eq!(Tea::<Be>::from_rounds(KEY, rounds).unwrap_err(), refused);
    }
    let (mut by_rounds, mut by_cycles) = ([0; 8], [0; 8]);
    Xtea::<Be>::from_rounds(KEY, 64)
        .unwrap()
        .encrypt_slice(&mut by_rounds)
        .unwrap();
    Xtea::<Be>::with_cycles(KEY, 32)
        .unwrap()
        .encrypt_slice(&mut by_cycles)
        .unwrap();
    assert_eq!(by_rounds, by_cycles);
}

fn delta() {
    assert_eq!(
        Tea::<Be>::with_delta(KEY, 32, 0).unwrap_err(),
        Error::ZeroDelta
    );
    assert_eq!(
        Xtea::<Be>::with_delta(KEY, 32, 0).unwrap_err(),
        Error::ZeroDelta
    );
    assert_eq!(
        Xeta::<Be>::with_delta(KEY, 32, 0).unwrap_err(),
        Error::ZeroDelta
    );
    for backend in backends() {
        let mut seen = Vec::new();
        for delta in [0x9e37_79b9, 0x61c8_8647, 0x1234_5678] {
            let mut block = [0; 8];
            let cipher = Xtea::<Be>::with_delta(KEY, 32, delta)
                .unwrap()
                .with_backend(backend);
            cipher.encrypt_slice(&mut block).unwrap();
            assert!(!seen.contains(&block));
            seen.push(block);
            cipher.decrypt_slice(&mut block).unwrap();
            assert_eq!(block, [0; 8]);
        }
    }
}

fn empty() {
    assert_eq!(
        Tea::<Be>::with_cycles(KEY, 32)
            .unwrap()
            .encrypt_slice(&mut []),
        Ok(())
    );
    assert_eq!(
        Xtea::<Be>::with_cycles(KEY, 32)
            .unwrap()
            .decrypt_slice(&mut []),
        Ok(())
    );
}

fn ecb_lengths() {
    for len in [7, 9, 13, 15, 4095] {
        let text = painted(len);
        let mut bytes = text.clone();
        for backend in backends() {
            let cipher = ecb::<Be>("tea", KEY, 32, backend);
            let refused = Err(Error::NotBlockMultiple { block: 8, len });
            assert_eq!(cipher.encrypt_slice(&mut bytes), refused);
            assert_eq!(cipher.decrypt_slice(&mut bytes), refused);
            assert_eq!(bytes, text);
        }
    }
}

fn every_count_and_offset() {
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
                    assert_eq!(
                        bytes[offset..],
                        one_by_one[..8 * count],
                        "{backend} {name} {count}"
                    );
                    assert_eq!(bytes[..offset], vec![0xee; offset]);
                }
            }
        }
    }
}

fn iv_lengths() {
    for len in [0, 4, 7, 9, 16] {
        let iv = vec![0; len];
        assert!(cbc::Encryptor::<Tea<Be>>::new_from_slices(KEY, &iv).is_err());
        assert!(ctr::Ctr64BE::<Tea<Be>>::new_from_slices(KEY, &iv).is_err());
    }
}

/// RustCrypto's padding, over our blocks.
fn padding() {
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

fn counter() {
    let wraps = vectors()
        .into_iter()
        .filter(|vector| vector.mode == "ctr" && vector.iv == [0xff; 8])
        .count();
    assert!(
        wraps > 0,
        "tests/vectors.rs has to run a counter that wraps"
    );

    let mut ctr = ctr::Ctr64BE::<Tea<Be>>::new(KEY.into(), &[0xff; 8].into());
    let mut stream = vec![0; 533];
    ctr.apply_keystream(&mut stream);
    assert_ne!(stream[..8], stream[8..16]);
    // The second counter is 0.
    let mut zero = [0; 8];
    Tea::<Be>::with_cycles(KEY, 32)
        .unwrap()
        .encrypt_slice(&mut zero)
        .unwrap();
    assert_eq!(stream[8..16], zero);

    ctr.seek(0u32);
    let mut again = vec![0; 533];
    for byte in again.chunks_mut(1) {
        ctr.apply_keystream(byte);
    }
    assert_eq!(again, stream);
}

fn look_alikes() {
    let encrypt = |cipher| {
        let mut block = [1; 8];
        ecb::<Le>(cipher, KEY, 32, fasttea::backend::active())
            .encrypt_slice(&mut block)
            .unwrap();
        block
    };
    assert_ne!(encrypt("xtea"), encrypt("xeta"));
    assert_ne!(encrypt("xtea"), encrypt("tea"));
}

fn debug() {
    let key = [0x4b4b_4b4b; 4];
    for shown in [
        format!("{:?}", Key::<Be>::from(key)),
        format!("{:?}", Tea::<Be>::with_cycles(key, 32).unwrap()),
        format!("{:?}", Xtea::<Le>::with_cycles(key, 32).unwrap()),
        format!("{:?}", Xeta::<Le>::with_cycles(key, 32).unwrap()),
        format!("{:?}", qq::Cipher::new(key)),
    ] {
        assert!(shown.ends_with("{ .. }"), "{shown}");
        assert!(!shown.contains("4b") && !shown.contains("75"), "{shown}");
    }
}

#[test]
fn threads() {
    let cipher = cipher();
    let message = cipher.encrypt(b"shared").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(cipher.decrypt(&message).unwrap(), b"shared"));
        }
    });
}

/// No ciphertext panics, whatever its length and bytes, and gives an error that names its length.
#[test]
fn hostile_packets() {
    for backend in backends() {
        let cipher = cipher().with_backend(backend);
        let message = cipher.encrypt(&painted(38)).unwrap();
        assert_eq!(message.len(), 48);
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
        for flipped in 0..8 * message.len() {
            let mut damaged = message.clone();
            damaged[flipped / 8] ^= 1 << (flipped % 8);
            assert!(cipher.decrypt(&damaged).is_err(), "bit {flipped}");
        }
    }
}
