//! CBC, cipher block chaining: NIST SP 800-38A.
//!
//! [`Encryptor`] and [`Decryptor`] have the names, the traits and the bytes of RustCrypto's crate
//! `cbc`: where code names one of the ciphers here, `use fasttea::cbc` can take the place of
//! `use cbc`. Code that is generic over any block cipher keeps that crate; it works with the ciphers
//! here, too, block by block.
//!
//! What is different is the speed. The chaining value stays in machine words, in the object from call
//! to call and in registers from block to block, and a buffer is one call of a kernel. Encryption is
//! serial: a block cannot begin before the one before it is done. Decryption is not, and runs at
//! nearly the speed of independent blocks; for many messages there is [`encrypt_batch`].
//!
//! An object is a session: it goes on where the last call ended, so that any split of a text into
//! whole blocks gives the same bytes, and starts anew with `reset`.
//!
//! # Examples
//!
//! ```
//! use fasttea::{Be, Xtea, cbc, cipher::KeyIvInit};
//! # #[cfg(all(feature = "alloc", feature = "block-padding"))] {
//! use fasttea::cipher::{BlockModeDecrypt, BlockModeEncrypt, block_padding::Pkcs7};
//!
//! let (key, iv) = ([0x42; 16], [0x24; 8]);
//! let message = cbc::Encryptor::<Xtea<Be>>::new(&key.into(), &iv.into())
//!     .encrypt_padded_vec::<Pkcs7>(b"a text of any length");
//! let text = cbc::Decryptor::<Xtea<Be>>::new(&key.into(), &iv.into())
//!     .decrypt_padded_vec::<Pkcs7>(&message)?;
//! assert_eq!(text, b"a text of any length");
//! # }
//! # Ok::<(), fasttea::cipher::block_padding::Error>(())
//! ```
//!
//! With another number of cycles, and piece by piece:
//!
//! ```
//! use fasttea::{Be, Parameters, Tea, cbc};
//!
//! let tea = Tea::<Be>::from_parts(&[0x42; 16], Parameters::from_cycles(16)?);
//! let mut encryptor = cbc::Encryptor::start(tea, &[0x24; 8])?;
//! let mut text = *b"three blocks are made in pieces.";
//! for piece in text.chunks_mut(16) {
//!     encryptor.encrypt_slice(piece)?;
//! }
//! # Ok::<(), fasttea::Error>(())
//! ```

mod batch;
mod chain;
mod decrypt;
mod encrypt;
mod session;

#[cfg(feature = "aes")]
mod aes;

// As the crate `cbc` has it.
pub use batch::{Job, encrypt_batch};
pub use chain::CbcCipher;
pub use cipher;
pub use decrypt::Decryptor;
pub use encrypt::Encryptor;
