//! The definition gives the published answers: terms of known numbers are numbers.

use proof::{
    spec::{ByteOrder, Cipher, Mode, State},
    term::{Byte, Term},
    terms::Terms,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vector {
    id: String,
    cipher: String,
    cycles: usize,
    endian: String,
    mode: String,
    #[serde(with = "hex")]
    key: Vec<u8>,
    #[serde(with = "hex")]
    iv: Vec<u8>,
    #[serde(with = "hex")]
    plaintext: Vec<u8>,
    #[serde(with = "hex")]
    ciphertext: Vec<u8>,
    #[serde(default)]
    tail: String,
}

#[derive(Deserialize)]
struct File {
    vectors: Vec<Vector>,
}

const DELTA: u32 = 0x9e37_79b9;

fn known(bytes: &[u8]) -> Vec<Byte> {
    bytes.iter().copied().map(Byte::known).collect()
}

/// Two blocks of words.
fn words(terms: &mut Terms, byte_order: ByteOrder, bytes: &[u8]) -> Vec<Term> {
    let bytes = known(bytes);
    bytes
        .chunks_exact(8)
        .flat_map(|block| byte_order.split(terms, block))
        .collect()
}

fn cipher(terms: &mut Terms, vector: &Vector, byte_order: ByteOrder) -> Cipher {
    let key = words(terms, byte_order, &vector.key);
    let sums: Vec<u32> = (0..=64u32).map(|n| n.wrapping_mul(DELTA)).collect();
    if vector.cipher == "xtea" {
        let mut keys = Vec::new();
        for cycle in 0..vector.cycles {
            for (sum, shift) in [(sums[cycle], 0), (sums[cycle + 1], 11)] {
                let number = terms.number(sum);
                keys.push(terms.add(number, key[(sum >> shift & 3) as usize]));
            }
        }
        return Cipher::Xtea(keys);
    }
    let sums = sums[1..=vector.cycles].iter().map(|&sum| terms.number(sum));
    Cipher::Tea([key[0], key[1], key[2], key[3]], sums.collect())
}

fn run(
    terms: &mut Terms,
    mode: Mode,
    cipher: &Cipher,
    byte_order: ByteOrder,
    iv: &[u8],
    text: &[u8],
) -> Vec<u8> {
    let zero = terms.number(0);
    let mut state = State {
        ciphertext: [zero; 2],
        mixed: [zero; 2],
    };
    if mode == Mode::CbcEncrypt {
        state.ciphertext = byte_order.split(terms, &known(iv));
    }
    let mut out = Vec::new();
    for block in known(text).chunks_exact(8) {
        let block = byte_order.split(terms, block);
        let words = mode.block(terms, cipher, &mut state, block);
        let bytes = byte_order.join(terms, words);
        out.extend(bytes.map(|byte| byte.value().expect("a known byte")));
    }
    out
}

#[test]
fn published_and_generated() {
    let mut checked = [0; 3];
    for text in [
        include_str!("../../tests/data/public.json"),
        include_str!("../../tests/data/generated.json"),
    ] {
        let file: File = serde_json::from_str(text).expect("vectors");
        for vector in file.vectors {
            let byte_order = if vector.endian == "be" {
                ByteOrder::Be
            } else {
                ByteOrder::Le
            };
            let mut terms = Terms::default();
            let (number, encrypt, decrypt) = match (&*vector.cipher, &*vector.mode) {
                ("tea" | "xtea", "block" | "ecb") => (0, Mode::EcbEncrypt, Some(Mode::EcbDecrypt)),
                ("tea" | "xtea", "cbc") => (1, Mode::CbcEncrypt, None),
                ("qq", "qq") => (2, Mode::QqEncrypt, Some(Mode::QqDecrypt)),
                _ => continue,
            };
            let cipher = cipher(&mut terms, &vector, byte_order);
            // A QQ message ends in seven zeros.
            let text = match number {
                2 => [&*vector.iv, &*vector.plaintext, &[0; 7]].concat(),
                _ => vector.plaintext.clone(),
            };
            // Bytes that fill no block stay as they are.
            let whole = text.len() / 8 * 8;
            assert!(
                whole == text.len() || vector.tail == "keep",
                "{}",
                vector.id
            );
            let found = run(&mut terms, encrypt, &cipher, byte_order, &vector.iv, &text);
            assert_eq!(found, vector.ciphertext[..whole], "{}", vector.id);
            if let Some(decrypt) = decrypt {
                let back = run(&mut terms, decrypt, &cipher, byte_order, &[], &found);
                assert_eq!(back, text[..whole], "{}", vector.id);
            }
            checked[number] += 1;
        }
    }
    assert!(checked.iter().all(|&count| count >= 15), "{checked:?}");
}

/// No published vector has it.
#[test]
fn le64_is_one_number_with_the_first_word_in_its_high_half() {
    let mut terms = Terms::default();
    let number = 0x0102_0304_0506_0708u64;
    let block = known(&number.to_le_bytes());
    let words = ByteOrder::Le64.split(&mut terms, &block);
    assert_eq!(
        words.map(|word| terms.value(word)),
        [Some(0x0102_0304), Some(0x0506_0708)]
    );
    assert_eq!(ByteOrder::Le64.join(&terms, words)[..], block[..]);
}
