//! QQ messages: Tencent's format on top of TEA, also called oicq TEA or TC-TEA.
//!
//! A message is encrypted under 16-cycle TEA with big-endian words. Before encryption it is
//!
//! | bytes | |
//! |---|---|
//! | 1 | `pad` in the low three bits, random bits above, which reading ignores |
//! | `pad` + 2 | random |
//! | n | the text |
//! | 7 | zeros |
//!
//! where `pad` = (8 − (n + 10) mod 8) mod 8 makes the whole a multiple of 8. Texts of 0 to 6 bytes
//! take 16 bytes, of 7 to 14 bytes 24, and so on: see [`encrypted_len`].
//!
//! Each block is chained to the one before twice: with m the block that enters the cipher,
//! m = p ⊕ c′ and c = E(m) ⊕ m′, where c′ and m′ are of the block before and start as 0. Neither
//! direction can work on two blocks of a message at once, only on several messages: [`encrypt_batch`],
//! [`decrypt_batch`].
//!
//! # What it does not do
//!
//! The seven zeros tell a wrong key or a damaged message with a chance of error of 2⁻⁵⁶. They do
//! not authenticate: whoever can change messages may find changes that pass. Answer all messages
//! that fail alike, whatever [`Error`](crate::Error) says.
//!
//! # Examples
//!
//! ```
//! use fasttea::qq;
//!
//! let cipher = qq::Cipher::new(b"0123456789ABCDEF");
//! # #[cfg(feature = "rand")] {
//! let message = cipher.encrypt(b"MiraiGO Here")?;
//! assert_eq!(message.len(), 24);
//! assert_eq!(cipher.decrypt(&message)?, b"MiraiGO Here");
//! # }
//! # Ok::<(), fasttea::Error>(())
//! ```

mod batch;
mod cipher;
mod message;

#[cfg(feature = "rand")]
pub use batch::encrypt_batch;
pub use batch::{Job, decrypt_batch_into, encrypt_batch_into};
#[cfg(feature = "alloc")]
pub use batch::{decrypt_batch, encrypt_batch_with_rng};
pub use cipher::Cipher;
pub use message::{encrypted_len, fill_len};
