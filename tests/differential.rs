//! Every backend against the portable one.

#![allow(clippy::unwrap_used)]

mod common;

use common::{backends::backends, ecb, painted};
use fasttea::{Be, ByteOrder, Key, Order, Parameters, Sums, Tea, backend, qq};
use proptest::{collection::vec, prelude::*};

const CYCLES: [u32; 8] = [1, 2, 7, 16, 31, 32, 33, 64];
const KEY: [u32; 4] = [0x0123_4567, 0x89ab_cdef, 0xfedc_ba98, 0x7654_3210];

/// The most blocks in a vector, of any backend.
const WIDTH: usize = 16;

/// The most vectors that a kernel takes at a time.
const GROUPS: usize = 8;

/// Counts that end in every way, and a large one.
fn counts() -> impl Iterator<Item = usize> {
    (0..=3 * WIDTH + 1)
        .chain((3 * WIDTH + 2..=(GROUPS + 1) * WIDTH + 1).step_by(7))
        .chain([GROUPS * WIDTH - 1, GROUPS * WIDTH, GROUPS * WIDTH + 1, 1000])
}

/// All offsets in a cache line, or with `FASTTEA_QUICK` set, as under a slow emulator, four of them.
fn offsets() -> impl Iterator<Item = usize> {
    let quick = std::env::var_os("FASTTEA_QUICK").is_some();
    (0..=63).step_by(if quick { 21 } else { 1 })
}

/// Every count at every offset, in place and from one buffer to another, both directions.
fn blocks(cipher: &str, order: ByteOrder) {
    let portable = backend::by_name("portable").unwrap();
    let text = painted(8 * 1000);
    let backends = backends();
    for cycles in CYCLES {
        let new = |backend| with_order!(order, O => ecb::<O>(cipher, KEY, cycles, backend));
        // One block at a time.
        let mut message = text.clone();
        let oracle = new(portable);
        for block in message.chunks_mut(8) {
            oracle.encrypt_slice(block).unwrap();
        }
        for &backend in &backends {
            let tested = new(backend);
            for count in counts() {
                let len = 8 * count;
                for offset in offsets() {
                    let what = || format!("{backend} {cipher} {order} {cycles} {count} {offset}");
                    // Another offset for the source, and canaries on both sides.
                    let mut src = vec![0; 64];
                    let mut dst = vec![0xee; offset + len + 64];
                    let from = (5 * offset + 3) % 64;
                    let range = offset..offset + len;

                    for (direction, input, output) in
                        [("encrypt", &text, &message), ("decrypt", &message, &text)]
                    {
                        src.truncate(from);
                        src.resize(from, 0);
                        src.extend_from_slice(&input[..len]);
                        dst[range.clone()].copy_from_slice(&input[..len]);
                        if direction == "encrypt" {
                            tested.encrypt_slice(&mut dst[range.clone()]).unwrap();
                        } else {
                            tested.decrypt_slice(&mut dst[range.clone()]).unwrap();
                        }
                        assert_eq!(dst[range.clone()], output[..len], "{direction} {}", what());

                        dst[range.clone()].fill(0xee);
                        if direction == "encrypt" {
                            tested.encrypt_from(&src[from..], &mut dst[range.clone()]);
                        } else {
                            tested.decrypt_from(&src[from..], &mut dst[range.clone()]);
                        }
                        assert_eq!(
                            dst[range.clone()],
                            output[..len],
                            "{direction} from {}",
                            what()
                        );
                        assert_eq!(src[from..], input[..len], "{direction} from {}", what());
                        assert!(dst[..offset].iter().all(|&byte| byte == 0xee), "{}", what());
                        assert!(
                            dst[offset + len..].iter().all(|&byte| byte == 0xee),
                            "{}",
                            what()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn tea_blocks_be() {
    blocks("tea", ByteOrder::Be);
}

#[test]
fn tea_blocks_le() {
    blocks("tea", ByteOrder::Le);
}

#[test]
fn tea_blocks_le64() {
    blocks("tea", ByteOrder::Le64);
}

#[test]
fn xtea_blocks_be() {
    blocks("xtea", ByteOrder::Be);
}

#[test]
fn xtea_blocks_le() {
    blocks("xtea", ByteOrder::Le);
}

#[test]
fn xtea_blocks_le64() {
    blocks("xtea", ByteOrder::Le64);
}

#[test]
fn agrees_with_the_crate_xtea() {
    use xtea::cipher::{BlockCipherEncrypt, KeyInit};

    let key: [u8; 16] = painted(16).try_into().unwrap();
    let text = painted(8 * 300);
    let mut message = text.clone();
    xtea::Xtea::new(&key.into()).encrypt_blocks(common::blocks_mut(&mut message));
    for backend in backends() {
        let cipher = ecb::<fasttea::Le>("xtea", key, 32, backend);
        let mut bytes = text.clone();
        cipher.encrypt_slice(&mut bytes).unwrap();
        assert_eq!(bytes, message, "{backend}");
        cipher.decrypt_slice(&mut bytes).unwrap();
        assert_eq!(bytes, text, "{backend}");
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
fn qq_messages_of_any_length_are_the_same() {
    let portable = backend::by_name("portable").unwrap();
    let text = painted(1200);
    for backend in backends() {
        for order in ByteOrder::ALL {
            with_order!(order, O => {
                let tested = common::qq::<O>(KEY, backend);
                let oracle = common::qq::<O>(KEY, portable);
                for len in (0..=64).chain(480..=560).chain(1000..=1050) {
                    qq_messages(&tested, &oracle, &text[..len], &format!("{backend} {order} {len}"));
                }
            });
        }
    }
}

/// In any number of cycles, though they are no multiples of anything.
#[test]
fn any_sums_give_the_same_bytes() {
    let portable = backend::by_name("portable").unwrap();
    let sums: Vec<u32> = (0..64u32)
        .map(|i| i.wrapping_mul(0x85eb_ca6b) ^ 0x1234_5678)
        .collect();
    let text = painted(100);
    for backend in backends() {
        for cycles in 1..=64 {
            let what = format!("{backend} {cycles}");
            let new = |backend| {
                qq::Cipher::from(
                    Tea::<Be>::from_parts(KEY, Sums::new(&sums[..cycles]).unwrap())
                        .with_backend(backend),
                )
            };
            qq_messages(&new(backend), &new(portable), &text, &what);

            let new = |backend| {
                Tea::<Be>::from_parts(KEY, Sums::new(&sums[..cycles]).unwrap())
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

/// And another delta is another cipher.
#[test]
fn a_delta_is_short_for_the_table_of_its_multiples() {
    for backend in backends() {
        let mut seen = Vec::new();
        for delta in [0x9e37_79b9u32, 0x61c8_8647, 0x1234_5678, 1] {
            let sums: Vec<_> = (1..=32).map(|cycle| delta.wrapping_mul(cycle)).collect();
            let (mut by_delta, mut by_sums) = (*b"16 bytes of text", *b"16 bytes of text");
            let tea = Tea::<Be>::from_parts(KEY, Parameters::new(32, delta).unwrap())
                .with_backend(backend);
            tea.encrypt_slice(&mut by_delta).unwrap();
            let tea = Tea::<Be>::from_parts(KEY, Sums::new(&sums).unwrap()).with_backend(backend);
            tea.encrypt_slice(&mut by_sums).unwrap();
            assert_eq!(by_delta, by_sums, "{backend} {delta:x}");
            assert!(!seen.contains(&by_delta));
            seen.push(by_delta);
        }
    }
}

/// One cycle, in both directions.
#[test]
fn xtea_and_xeta_take_the_delta_as_they_are_defined() {
    for delta in [0x9e37_79b9u32, 0x1234_5678] {
        let [x, y] = [0x0102_0304u32, 0x0506_0708];
        let shifted = |v: u32| (v << 4) ^ (v >> 5);
        let key = |sum: u32| KEY[(sum & 3) as usize];
        let x1 = x.wrapping_add(shifted(y).wrapping_add(y) ^ key(0));
        let y1 =
            y.wrapping_add(shifted(x1).wrapping_add(x1) ^ delta.wrapping_add(key(delta >> 11)));
        let mut block = *b"\x01\x02\x03\x04\x05\x06\x07\x08";
        let xtea = fasttea::Xtea::<Be>::from_parts(KEY, Parameters::new(1, delta).unwrap());
        xtea.encrypt_slice(&mut block).unwrap();
        assert_eq!(block, *[x1.to_be_bytes(), y1.to_be_bytes()].concat());
        xtea.decrypt_slice(&mut block).unwrap();
        assert_eq!(block, [1, 2, 3, 4, 5, 6, 7, 8]);

        let x1 = x.wrapping_add(shifted(y).wrapping_add(y).wrapping_add(key(0)));
        let y1 = y.wrapping_add(
            shifted(x1)
                .wrapping_add(x1 ^ delta)
                .wrapping_add(key(delta >> 11)),
        );
        let xeta = fasttea::Xeta::<Be>::from_parts(KEY, Parameters::new(1, delta).unwrap());
        xeta.encrypt_slice(&mut block).unwrap();
        assert_eq!(block, *[x1.to_be_bytes(), y1.to_be_bytes()].concat());
        xeta.decrypt_slice(&mut block).unwrap();
        assert_eq!(block, [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}

proptest! {
    #[test]
    fn random_messages_are_the_same(key: [u8; 16], text in vec(any::<u8>(), 0..2000)) {
        let portable = backend::by_name("portable").unwrap();
        let oracle = common::qq::<Be>(key, portable);
        for backend in backend::available() {
            let tested = common::qq::<Be>(key, backend);
            qq_messages(&tested, &oracle, &text, backend.name());
            let message = tested.encrypt(&text).unwrap();
            prop_assert_eq!(oracle.decrypt(&message).unwrap(), &*text);
        }
    }

    #[test]
    fn random_blocks_are_the_same(
        key: [u8; 16],
        blocks in vec(any::<[u8; 8]>(), 0..300),
        cycles in 1u32..=64,
        cipher in prop::sample::select(vec!["tea", "xtea"]),
        order in prop::sample::select(ByteOrder::ALL.to_vec()),
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
