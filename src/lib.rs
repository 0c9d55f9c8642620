//! TEA, XTEA and the QQ/Tencent message format, with hand-written assembly for the rounds.
//!
//! | | |
//! |---|---|
//! | [`qq`] | QQ messages: `qq::Cipher::new(key).decrypt(message)` |
//! | [`cbc`] | CBC, instead of RustCrypto's crate `cbc` |
//! | [`qq::Job`], [`cbc::Job`] | batches: many messages at once, each with its own key |
//! | [`Tea`], [`Xtea`] | the block ciphers, for RustCrypto's `cipher` traits or by byte slices |
//! | [`Xeta`] | the cipher that some programs have in the place of XTEA |
//! | [`Be`], [`Le`], [`Le64`] | the byte orders: `Xtea::<Le>` |
//! | [`Key`], [`Parameters`], [`Sums`] | what a cipher is made of |
//! | [`backend`] | who runs the rounds on this processor |
//!
//! A **cycle** is two rounds; all numbers here are of cycles, 1 to 64.
//!
//! # Examples
//!
//! ```
//! use fasttea::{Le, Xtea, qq};
//!
//! # #[cfg(feature = "alloc")] {
//! let text = qq::Cipher::new(b"0123456789ABCDEF").decrypt(&hex_literal::hex!(
//!     "b7b2e52af7f5b1fbf37fc3d5546ac7569aecd01bbacf09bf"
//! ))?;
//! assert_eq!(text, b"MiraiGO Here");
//! # }
//!
//! let mut packet = *b"two whole blocks";
//! Xtea::<Le>::from_key([1, 2, 3, 4]).encrypt_slice(&mut packet)?;
//! # Ok::<(), fasttea::Error>(())
//! ```
//!
//! # Modes
//!
//! CTR, CFB and OFB come from RustCrypto's crates over the block types here, as
//! `ctr::Ctr64BE<Tea<Be>>`. A cipher with other than 32 cycles enters them through
//! `inner_iv_init`:
//!
//! ```
//! use fasttea::{Be, Parameters, Tea, cipher::{InnerIvInit, StreamCipher}};
//!
//! let tea = Tea::<Be>::from_parts(&[7; 16], Parameters::from_cycles(8)?);
//! let core = ctr::CtrCore::inner_iv_init(tea, &[9; 8].into());
//! let mut ctr: ctr::Ctr64BE<_> = fasttea::cipher::StreamCipherCoreWrapper::from_core(core);
//! ctr.apply_keystream(&mut [0; 100]);
//! # Ok::<(), fasttea::Error>(())
//! ```
//!
//! # Security
//!
//! These are ciphers of the 1990s with blocks of 64 bits, and nothing here authenticates. Use them
//! to talk to what already speaks them, and for nothing new. No branch and no address depends on key or
//! text, except that reading a QQ message shows its length and whether it was right.
//!
//! Keys are wiped when they are dropped, and a QQ call that fails leaves no text behind.
//!
//! # Features
//!
//! | feature | | default |
//! |---|---|---|
//! | `asm` | the assembly; soft: without a C compiler the crate is built without it | yes |
//! | `std` | implies `alloc` | yes |
//! | `alloc` | calls that return a `Vec` | yes |
//! | `rand` | [`qq::Cipher::encrypt`], with its own random source | yes |
//! | `block-padding` | the padding calls of the `cipher` traits | yes |
//! | `aes` | [`cbc`] takes RustCrypto's AES, which is `fasttea::aes` | no |
//! | `zeroize` | the crates below wipe their copies too | no |

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "rand"))]
extern crate std;

#[cfg(feature = "aes")]
pub use aes;
pub use cipher;
pub use rand_core;

mod batch;
mod block;
mod blocks;
mod byte_order;
mod chaining;
mod error;
mod key;
mod parameters;
#[cfg(feature = "rand")]
mod random;
mod schedule;
mod tea;
mod xeta;
mod xtea;

pub mod backend;
pub mod cbc;
pub mod qq;

pub use byte_order::{Be, ByteOrder, Le, Le64, Order};
pub use error::Error;
pub use key::Key;
pub use parameters::{Parameters, Sums};
pub use tea::Tea;
pub use xeta::Xeta;
pub use xtea::Xtea;

/// README.md's examples are tests too.
#[cfg(all(doctest, feature = "rand"))]
#[doc = include_str!("../README.md")]
struct Readme;
