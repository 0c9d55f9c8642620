//! Every backend against the portable one.

#![allow(clippy::unwrap_used)]

mod common;

use common::{ORDERS, backends, ecb, painted};
use fasttea::{Be, Key, Order, Tea, backend, qq};
use proptest::{collection::vec, prelude::*};

const CYCLES: [u32; 8] = [1, 2, 7, 16, 31, 32, 33, 64];
const KEY: [u32; 4] = [0x0123_4567, 0x89ab_cdef, 0xfedc_ba98, 0x7654_3210];

/// Every length, alignment and number of cycles, in place.
#[test]
fn blocks() {
    let portable = backend::by_name("portable").unwrap();
    let bytes = painted(8 * 64 + 64);
    for backend in backends() {
        for cipher in ["tea", "xtea"] {
            for order in ORDERS {
                for cycles in CYCLES {
                    let (tested, oracle) = with_order!(order, O => (
                        ecb::<O>(cipher, KEY, cycles, backend),
                        ecb::<O>(cipher, KEY, cycles, portable),
                    ));
                    for count in 0..=64 {
                        let offset = (count * 7) % 64;
                        let range = offset..offset + 8 * count;
                        let what = format!("{backend} {cipher} {order} {cycles} {count} {offset}");

                        let mut got = bytes.clone();
                        tested.encrypt_slice(&mut got[range.clone()]).unwrap();
                        let mut wanted = bytes.clone();
                        oracle.encrypt_slice(&mut wanted[range.clone()]).unwrap();
                        assert_eq!(got, wanted, "encrypt {what}");

                        tested.decrypt_slice(&mut got[range]).unwrap();
                        assert_eq!(got, bytes, "decrypt {what}");
                    }
                }
            }
        }
    }
}

/// From one buffer to another, through the traits.
#[test]
fn blocks_out_of_place() {
    use fasttea::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, consts::U8};

    let portable = backend::by_name("portable").unwrap();
    let source = painted(8 * 65);
    for backend in backends() {
        let new = |backend| {
            Tea::<Be>::with_cycles(KEY, 16)
                .unwrap()
                .with_backend(backend)
        };
        let (tested, oracle) = (new(backend), new(portable));
        for count in 0..=64 {
            // Odd addresses for both.
            let src = Array::<u8, U8>::slice_as_chunks(&source[1..][..8 * count]).0;
            let mut got = vec![0xee; 8 * count + 9];
            let mut wanted = got.clone();
            let blocks = |bytes: &mut [u8], tested: &Tea<Be>| {
                let dst = Array::slice_as_chunks_mut(&mut bytes[3..][..8 * count]).0;
                tested.encrypt_blocks_b2b(src, dst).unwrap();
            };
            blocks(&mut got, &tested);
            blocks(&mut wanted, &oracle);
            assert_eq!(got, wanted, "{backend} {count}");

            let mut back = vec![Array::default(); count];
            let middle = Array::slice_as_chunks(&got[3..][..8 * count]).0;
            tested.decrypt_blocks_b2b(middle, &mut back).unwrap();
            assert_eq!(back, src, "{backend} {count}");
        }
    }
}

/// What the fill of a text of `len` bytes is in these tests.
fn head(len: usize) -> Vec<u8> {
    painted(qq::fill_len(len) + 3)[3..].to_vec()
}

fn seal<O: Order>(cipher: &qq::Cipher<O>, text: &[u8]) -> Vec<u8> {
    let mut message = vec![0xee; qq::encrypted_len(text.len()).unwrap()];
    cipher
        .encrypt_with_fill(&head(text.len()), text, &mut message)
        .unwrap();
    message
}

/// Checks all ways to write and read one message.
fn qq_messages<O: Order>(tested: &qq::Cipher<O>, oracle: &qq::Cipher<O>, text: &[u8], what: &str) {
    let message = seal(tested, text);
    assert_eq!(message, seal(oracle, text), "{what}");

    assert_eq!(tested.decrypt(&message).unwrap(), text, "{what}");
    assert_eq!(
        tested.decrypt_unchecked_tail(&message).unwrap(),
        text,
        "{what}"
    );

    // At an odd address, into a buffer that holds just the text, with canaries around.
    let mut dst = vec![0xee; text.len() + 2];
    let len = tested
        .decrypt_into(&message, &mut dst[1..=text.len()])
        .unwrap();
    assert_eq!(len, text.len(), "{what}");
    assert_eq!(&dst[1..=text.len()], text, "{what}");
    assert_eq!((dst[0], dst[len + 1]), (0xee, 0xee), "{what}");

    let mut in_place = vec![0xee; 1];
    in_place.extend_from_slice(&message);
    assert_eq!(
        tested.decrypt_in_place(&mut in_place[1..]).unwrap(),
        text,
        "{what}"
    );
}

#[test]
fn qq_every_length() {
    let portable = backend::by_name("portable").unwrap();
    let text = painted(1200);
    for backend in backends() {
        for order in ORDERS {
            with_order!(order, O => {
                let tested = qq::Cipher::<O>::with_order(KEY).with_backend(backend);
                let oracle = qq::Cipher::<O>::with_order(KEY).with_backend(portable);
                for len in (0..=64).chain(480..=560).chain(1000..=1050) {
                    qq_messages(&tested, &oracle, &text[..len], &format!("{backend} {order} {len}"));
                }
            });
        }
    }
}

/// Any number of cycles, and sums that are no multiples of anything.
#[test]
fn sums() {
    let portable = backend::by_name("portable").unwrap();
    let sums: Vec<u32> = (0..64u32)
        .map(|i| i.wrapping_mul(0x85eb_ca6b) ^ 0x1234_5678)
        .collect();
    let text = painted(100);
    for backend in backends() {
        for cycles in 1..=64 {
            let what = format!("{backend} {cycles}");
            let new = |backend| {
                qq::Cipher::<Be>::with_sums(KEY, &sums[..cycles])
                    .unwrap()
                    .with_backend(backend)
            };
            qq_messages(&new(backend), &new(portable), &text, &what);

            let new = |backend| {
                Tea::<Be>::with_sums(KEY, &sums[..cycles])
                    .unwrap()
                    .with_backend(backend)
            };
            let (mut got, mut wanted) = (text.clone(), text.clone());
            new(backend).encrypt_slice(&mut got[..96]).unwrap();
            new(portable).encrypt_slice(&mut wanted[..96]).unwrap();
            assert_eq!(got, wanted, "{what}");
            new(backend).decrypt_slice(&mut got[..96]).unwrap();
            assert_eq!(got, text, "{what}");
        }
    }
}

/// The standard sums are those of the standard delta, and another delta is another cipher.
#[test]
fn delta() {
    for backend in backends() {
        let with_delta = |delta| {
            let mut bytes = *b"16 bytes of text";
            Tea::<Be>::with_delta(KEY, 32, delta)
                .unwrap()
                .with_backend(backend)
                .encrypt_slice(&mut bytes)
                .unwrap();
            bytes
        };
        let mut standard = *b"16 bytes of text";
        Tea::<Be>::with_cycles(KEY, 32)
            .unwrap()
            .encrypt_slice(&mut standard)
            .unwrap();
        assert_eq!(with_delta(0x9e37_79b9), standard);
        assert_ne!(with_delta(0x61c8_8647), standard);
    }
}

proptest! {
    #[test]
    fn random_messages(key: [u8; 16], text in vec(any::<u8>(), 0..2000)) {
        let portable = backend::by_name("portable").unwrap();
        let oracle = qq::Cipher::new(key).with_backend(portable);
        for backend in backend::available() {
            let tested = qq::Cipher::new(key).with_backend(backend);
            qq_messages(&tested, &oracle, &text, backend.name());
            let message = tested.encrypt(&text).unwrap();
            prop_assert_eq!(oracle.decrypt(&message).unwrap(), &*text);
        }
    }

    #[test]
    fn random_blocks(
        key: [u8; 16],
        blocks in vec(any::<[u8; 8]>(), 0..300),
        cycles in 1u32..=64,
        cipher in prop::sample::select(vec!["tea", "xtea"]),
        order in prop::sample::select(ORDERS.to_vec()),
    ) {
        let text = blocks.concat();
        with_order!(order, O => {
            let key = Key::<O>::from(key);
            let portable = backend::by_name("portable").unwrap();
            let oracle = ecb(cipher, key.clone(), cycles, portable);
            for backend in backend::available() {
                let tested = ecb(cipher, key.clone(), cycles, backend);
                let (mut got, mut wanted) = (text.clone(), text.clone());
                tested.encrypt_slice(&mut got).unwrap();
                oracle.encrypt_slice(&mut wanted).unwrap();
                prop_assert_eq!(&got, &wanted);
                tested.decrypt_slice(&mut got).unwrap();
                prop_assert_eq!(&got, &text);
            }
        });
    }
}
