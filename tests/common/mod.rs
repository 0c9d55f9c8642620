//! What the tests share: the files of test data, the backends, and a cipher chosen at run time.

// Each test binary uses its own part of this.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use fasttea::{
    Error, Key, Order, Parameters, Tea, Xeta, Xtea,
    backend::Backend,
    cipher::{self, BlockCipherDecrypt, BlockCipherEncrypt},
    qq,
};

pub mod backends;
pub mod data;

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

/// Runs `$body` with `$O` as the type of that byte order.
#[macro_export]
macro_rules! with_order {
    ($order:expr, $O:ident => $body:expr) => {
        match $order {
            fasttea::ByteOrder::Be => {
                type $O = fasttea::Be;
                $body
            }
            fasttea::ByteOrder::Le => {
                type $O = fasttea::Le;
                $body
            }
            fasttea::ByteOrder::Le64 => {
                type $O = fasttea::Le64;
                $body
            }
        }
    };
}

pub fn ecb<O: Order>(
    cipher: &str,
    key: impl Into<Key<O>>,
    cycles: u32,
    backend: Backend,
) -> Box<dyn Ecb> {
    let parameters = Parameters::from_cycles(cycles).unwrap();
    match cipher {
        "tea" => Box::new(Tea::<O>::from_parts(key, parameters).with_backend(backend)),
        "xtea" => Box::new(Xtea::<O>::from_parts(key, parameters).with_backend(backend)),
        "xeta" => Box::new(Xeta::<O>::from_parts(key, parameters)),
        other => panic!("no such cipher: {other}"),
    }
}

/// QQ messages under QQ's parameters, in any byte order and by any backend.
pub fn qq<O: Order>(key: impl Into<Key<O>>, backend: Backend) -> qq::Cipher<O> {
    qq::Cipher::from(Tea::from_parts(key, Parameters::QQ).with_backend(backend))
}

/// Bytes that differ from block to block and from lane to lane: a period of 251, a prime.
pub fn painted(len: usize) -> Vec<u8> {
    (0..251).cycle().take(len).collect()
}
