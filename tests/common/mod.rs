//! What the tests share: the vector files and a cipher chosen at run time.

// Each test binary uses its own part of this.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use std::{io::Write, sync::Once};

use fasttea::{
    Be, Error, Key, Le, Le64, Order, Tea, Xeta, Xtea,
    backend::{self, Backend},
    cipher::{self, BlockCipherDecrypt, BlockCipherEncrypt},
};
use serde::Deserialize;

/// An entry of `tests/data/{public,generated}.json`.
#[derive(Deserialize)]
pub struct Vector {
    pub id: String,
    pub cipher: String,
    pub cycles: u32,
    pub endian: String,
    pub mode: String,
    #[serde(with = "hex")]
    pub key: Vec<u8>,
    #[serde(with = "hex")]
    pub iv: Vec<u8>,
    #[serde(with = "hex")]
    pub plaintext: Vec<u8>,
    #[serde(with = "hex")]
    pub ciphertext: Vec<u8>,
    /// Where in the key stream a counter-mode vector begins.
    #[serde(default)]
    pub seek: u64,
    /// `keep`: the last incomplete block stays as it is.
    #[serde(default)]
    pub tail: String,
}

impl Vector {
    pub fn key(&self) -> [u8; 16] {
        self.key.as_slice().try_into().unwrap()
    }
}

/// All vectors of both files.
pub fn vectors() -> Vec<Vector> {
    #[derive(Deserialize)]
    struct File {
        vectors: Vec<Vector>,
    }
    let mut all = Vec::new();
    for text in [
        include_str!("../data/public.json"),
        include_str!("../data/generated.json"),
    ] {
        all.extend(serde_json::from_str::<File>(text).unwrap().vectors);
    }
    all
}

pub type Block = cipher::Array<u8, cipher::consts::U8>;

pub fn blocks(bytes: &[u8]) -> &[Block] {
    let (blocks, rest) = Block::slice_as_chunks(bytes);
    assert!(rest.is_empty());
    blocks
}

pub fn blocks_mut(bytes: &mut [u8]) -> &mut [Block] {
    let (blocks, rest) = Block::slice_as_chunks_mut(bytes);
    assert!(rest.is_empty());
    blocks
}

/// Byte slices in, byte slices out, whatever the cipher.
pub trait Ecb {
    fn encrypt_slice(&self, bytes: &mut [u8]) -> Result<(), Error>;
    fn decrypt_slice(&self, bytes: &mut [u8]) -> Result<(), Error>;
    /// Whole blocks from one buffer to another.
    fn encrypt_from(&self, src: &[u8], dst: &mut [u8]);
    fn decrypt_from(&self, src: &[u8], dst: &mut [u8]);
}

macro_rules! ecb {
    ($($Cipher:ident)*) => {$(
        impl<O: Order> Ecb for $Cipher<O> {
            fn encrypt_slice(&self, bytes: &mut [u8]) -> Result<(), Error> {
                self.encrypt_slice(bytes)
            }
            fn decrypt_slice(&self, bytes: &mut [u8]) -> Result<(), Error> {
                self.decrypt_slice(bytes)
            }
            fn encrypt_from(&self, src: &[u8], dst: &mut [u8]) {
                self.encrypt_blocks_b2b(blocks(src), blocks_mut(dst)).unwrap();
            }
            fn decrypt_from(&self, src: &[u8], dst: &mut [u8]) {
                self.decrypt_blocks_b2b(blocks(src), blocks_mut(dst)).unwrap();
            }
        }
    )*};
}
ecb! { Tea Xtea Xeta }

/// Runs `$body` with the type `$O` as the word order of that name.
#[macro_export]
macro_rules! with_order {
    ($name:expr, $O:ident => $body:expr) => {
        match $name {
            "be" => {
                type $O = fasttea::Be;
                $body
            }
            "le" => {
                type $O = fasttea::Le;
                $body
            }
            "le64" => {
                type $O = fasttea::Le64;
                $body
            }
            other => panic!("no such order: {other}"),
        }
    };
}

pub const ORDERS: [&str; 3] = [Be::NAME, Le::NAME, Le64::NAME];

pub fn ecb<O: Order>(
    cipher: &str,
    key: impl Into<Key<O>>,
    cycles: u32,
    backend: Backend,
) -> Box<dyn Ecb> {
    match cipher {
        "tea" => Box::new(
            Tea::<O>::with_cycles(key, cycles)
                .unwrap()
                .with_backend(backend),
        ),
        "xtea" => Box::new(
            Xtea::<O>::with_cycles(key, cycles)
                .unwrap()
                .with_backend(backend),
        ),
        "xeta" => Box::new(Xeta::<O>::with_cycles(key, cycles).unwrap()),
        other => panic!("no such cipher: {other}"),
    }
}

/// The backends to test. Fails if this machine has to have more, so that a build without assembly
/// cannot pass for one with it.
pub fn backends() -> Vec<Backend> {
    let backends: Vec<_> = backend::available().collect();
    let names: Vec<_> = backends.iter().map(|backend| backend.name()).collect();
    // Once, and past the capturing of output: a run has to show what it covered.
    static SHOWN: Once = Once::new();
    SHOWN.call_once(|| {
        let _ = writeln!(std::io::stderr(), "backends covered: {}", names.join(", "));
    });
    if std::env::var("FASTTEA_REQUIRE_ASM").is_ok_and(|value| !matches!(&*value, "" | "0")) {
        for name in expected() {
            assert!(names.contains(&name), "the backend {name} is missing");
        }
    }
    backends
}

/// What a build with assembly has on this processor, by the standard library's detection.
fn expected() -> Vec<&'static str> {
    #[allow(unused_mut)]
    let mut names = vec!["portable"];
    #[cfg(target_arch = "x86_64")]
    {
        names.push("scalar");
        for (name, is_there) in [
            ("ssse3", is_x86_feature_detected!("ssse3")),
            ("avx2", is_x86_feature_detected!("avx2")),
            (
                "avx512",
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl"),
            ),
        ] {
            if is_there {
                names.push(name);
            }
        }
    }
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    {
        names.extend(["scalar", "neon"]);
        if std::arch::is_aarch64_feature_detected!("sha3") {
            names.push("sha3");
        }
    }
    names
}

/// Bytes that differ from block to block and from lane to lane: a period of 251, a prime.
pub fn painted(len: usize) -> Vec<u8> {
    (0..251).cycle().take(len).collect()
}
