//! Published vectors, and those that other programs made.

use serde::Deserialize;

use crate::program::*;

#[derive(Deserialize)]
struct Vector {
    id: String,
    cipher: String,
    cycles: u32,
    endian: String,
    mode: String,
    key: String,
    iv: String,
    plaintext: String,
    ciphertext: String,
    #[serde(default)]
    seek: u64,
    #[serde(default)]
    tail: String,
}

/// Every vector of the library's tests that the command line can say.
#[test]
fn vectors() {
    #[derive(Deserialize)]
    struct File {
        vectors: Vec<Vector>,
    }
    let mut run = 0;
    for text in [
        include_str!("../../../tests/data/public.json"),
        include_str!("../../../tests/data/generated.json"),
    ] {
        for vector in serde_json::from_str::<File>(text).unwrap().vectors {
            // There is no XXTEA yet, and no seeking.
            if vector.cipher == "xxtea" || vector.seek != 0 {
                continue;
            }
            let (id, key) = (&vector.id, &vector.key);
            let mut options = format!("--key {key} --input-format hex --output-format hex");
            let mut encrypt = String::new();
            if vector.cipher == "qq" {
                encrypt = format!(" --fill {}", vector.iv);
            } else {
                let mode = if vector.mode == "block" {
                    "ecb"
                } else {
                    &vector.mode
                };
                options += &format!(
                    " --cipher {} --mode {mode} --cycles {} --order {}",
                    vector.cipher, vector.cycles, vector.endian
                );
                if !vector.iv.is_empty() {
                    options += &format!(" --iv {}", vector.iv);
                }
                match &*vector.tail {
                    "keep" => options += " --padding keep-tail",
                    _ if mode != "ctr" => options += " --padding none",
                    _ => {}
                }
            }
            let line = |hex: &str| format!("{hex}\n").into_bytes();
            let plaintext = ok(&format!("decrypt {options}"), &vector.ciphertext);
            assert_eq!(plaintext, line(&vector.plaintext), "{id}");
            let ciphertext = ok(&format!("encrypt {options}{encrypt}"), &vector.plaintext);
            assert_eq!(ciphertext, line(&vector.ciphertext), "{id}");
            run += 1;
        }
    }
    assert!(run > 150, "only {run} vectors");
}

/// NIST's vectors, whole and in pieces too large for one read.
#[test]
fn aes_vectors() {
    #[derive(Deserialize)]
    struct Vector {
        id: String,
        cipher: String,
        mode: String,
        key: String,
        iv: String,
        plaintext: String,
        ciphertext: String,
    }
    #[derive(Deserialize)]
    struct File {
        vectors: Vec<Vector>,
    }
    let file: File = serde_json::from_str(include_str!("../../../tests/data/aes.json")).unwrap();
    assert_eq!(file.vectors.len(), 9);
    let line = |hex: &str| format!("{hex}\n").into_bytes();
    for vector in &file.vectors {
        let (id, mode) = (&vector.id, &vector.mode);
        let mut options = format!(
            "--cipher {} --mode {mode} --key {}",
            vector.cipher, vector.key
        );
        if mode != "ecb" {
            options += &format!(" --iv {}", vector.iv);
        }
        for len in [0, 1, 15, 16, 17, 500_000] {
            let text = painted(len);
            let message = ok(&format!("encrypt {options}"), &text);
            let padded = if mode == "ctr" {
                len
            } else {
                len / 16 * 16 + 16
            };
            assert_eq!(message.len(), padded, "{id}");
            assert_eq!(ok(&format!("decrypt {options}"), &message), text, "{id}");
        }
        options += " --input-format hex --output-format hex";
        if mode != "ctr" {
            options += " --padding none";
        }
        let message = ok(&format!("encrypt {options}"), &vector.plaintext);
        assert_eq!(message, line(&vector.ciphertext), "{id}");
        let text = ok(&format!("decrypt {options}"), &vector.ciphertext);
        assert_eq!(text, line(&vector.plaintext), "{id}");
    }
}
