//! Files of any length under block ciphers.

use fasttea::{Be, Le, Le64, Order, Parameters, Sums, Tea, Xeta, Xtea, qq};

use crate::program::*;

fn key() -> [u8; 16] {
    unhex(KEY).try_into().unwrap()
}

#[test]
fn padding() {
    for mode in ["ecb", "cbc --iv 0011223344556677"] {
        for cipher in ["tea", "xtea", "xeta"] {
            let key = format!("--cipher {cipher} --mode {mode} --key {KEY}");
            for len in (0..=17).chain([262_143, 262_144, 262_145]) {
                let text = painted(len);
                let padded = ok(&format!("encrypt {key}"), &text);
                assert_eq!(padded.len(), len / 8 * 8 + 8, "{key} {len}");
                assert_eq!(ok(&format!("decrypt {key}"), &padded), text, "{key} {len}");

                let kept = ok(&format!("encrypt {key} --padding keep-tail"), &text);
                assert_eq!(kept.len(), len);
                assert_eq!(kept[len / 8 * 8..], text[len / 8 * 8..]);
                assert_eq!(
                    ok(&format!("decrypt {key} --padding keep-tail"), &kept),
                    text
                );

                let none = format!("encrypt {key} --padding none");
                if len % 8 == 0 {
                    assert_eq!(ok(&none, &text), kept);
                } else {
                    let line = fails(1, &none, &text);
                    let words = format!("{len} bytes are not a multiple of the block size");
                    assert!(line.starts_with(&words), "{line}");
                    assert_eq!(
                        line.contains("bytes were written to standard output"),
                        len > 8
                    );
                }
            }
        }
    }
    let key = format!("--cipher xtea --mode cbc --iv 0011223344556677 --key {KEY}");
    for last in [[0; 8], [9; 8], [255; 8], [1, 2, 3, 4, 5, 6, 4, 3]] {
        let bad = ok(&format!("encrypt {key} --padding none"), last);
        let line = fails(1, &format!("decrypt {key}"), bad);
        assert_eq!(
            line,
            "wrong key or damaged input: the 8 bytes do not end in PKCS #7 padding"
        );
    }
    assert!(fails(1, &format!("decrypt {key}"), "").contains("0 bytes are too short"));
    let line = fails(1, &format!("decrypt {key}"), [0; 20]);
    assert_eq!(
        line,
        "20 bytes are not a multiple of the block size, 8; 16 bytes were written to standard \
         output before"
    );
}

/// The counter is one number of 64 bits in the words' byte order, with its carry.
#[test]
fn counters() {
    fn key_stream<O: Order>(counters: [[u8; 8]; 3]) -> Vec<u8> {
        let mut stream = counters.concat();
        Tea::<O>::from_key(key())
            .encrypt_slice(&mut stream)
            .unwrap();
        stream
    }
    let start = 0x0000_0000_ffff_ffffu64;
    let be = [start, start + 1, start + 2].map(u64::to_be_bytes);
    let le = [start, start + 1, start + 2].map(u64::to_le_bytes);
    for (order, iv, stream) in [
        ("be", be[0], key_stream::<Be>(be)),
        ("le", le[0], key_stream::<Le>(le)),
        ("le64", le[0], key_stream::<Le64>(le)),
    ] {
        let iv = hex(iv);
        let arguments =
            format!("encrypt --cipher tea --mode ctr --order {order} --iv {iv} --key {KEY}");
        assert_eq!(ok(&arguments, [0; 24]), stream, "{order}");
    }
}

/// The delta that the command line is given is the one that the library uses.
#[test]
fn deltas() {
    for delta in [0x9e37_79b9, 0x1234_5678, 1u32] {
        let parameters = Parameters::new(32, delta).unwrap();
        let options = format!("--key {KEY} --delta {delta:x}");
        let text = *b"16 bytes of text";
        let block = |cipher: &str| {
            ok(
                &format!("encrypt {options} --cipher {cipher} --mode ecb --padding none"),
                text,
            )
        };
        let mut wanted = text;
        Tea::<Be>::from_parts(key(), parameters)
            .encrypt_slice(&mut wanted)
            .unwrap();
        assert_eq!(block("tea"), wanted);
        let mut wanted = text;
        Xtea::<Be>::from_parts(key(), parameters)
            .encrypt_slice(&mut wanted)
            .unwrap();
        assert_eq!(block("xtea"), wanted);
        let mut wanted = text;
        Xeta::<Le>::from_parts(key(), parameters)
            .encrypt_slice(&mut wanted)
            .unwrap();
        assert_eq!(block("xeta"), wanted);

        let sums: Vec<_> = (1..=9).map(|cycle| delta.wrapping_mul(cycle)).collect();
        let mut wanted = [0; 16];
        qq::Cipher::from(Tea::<Be>::from_parts(key(), Sums::new(&sums).unwrap()))
            .encrypt_with_fill(&[0; 9], b"", &mut wanted)
            .unwrap();
        let arguments = format!("encrypt {options} --cycles 9 --fill 000000000000000000");
        assert_eq!(ok(&arguments, ""), wanted);
    }
}
