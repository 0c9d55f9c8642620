//! What can go wrong, with the lengths involved.

use core::fmt;

/// Why a call was refused.
///
/// The kinds that [`qq::Cipher::decrypt`](crate::qq::Cipher::decrypt) tells apart are for the
/// caller's own log: answer every message that fails alike, or the difference helps whoever sent it.
///
/// # Examples
///
/// ```
/// use fasttea::{Error, qq};
///
/// let cipher = qq::Cipher::new(b"0123456789ABCDEF");
/// let mut text = [0; 16];
/// let error = cipher.decrypt_into(&[0; 23], &mut text).unwrap_err();
/// assert_eq!(error, Error::NotBlockMultiple { block: 8, len: 23 });
/// assert_eq!(error.to_string(), "23 bytes are not a multiple of the block size, 8");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// A key is 16 bytes.
    KeyLength {
        /// The length that was given, in bytes.
        len: usize,
    },
    /// An initialisation vector is one block.
    IvLength {
        /// The length that is needed, in bytes.
        needed: usize,
        /// The length that was given, in bytes.
        len: usize,
    },
    /// A cipher has 1 to 64 cycles.
    Cycles {
        /// The number of cycles that was given, or half the number of rounds.
        cycles: u32,
    },
    /// A cycle is two rounds, so there is no half of one.
    OddRounds {
        /// The number of rounds that was given.
        rounds: u32,
    },
    /// With a delta of 0 every cycle would be the same.
    ZeroDelta,
    /// A table of sums has 1 to 64 entries, one for each cycle.
    SumsLength {
        /// The length that was given, in sums.
        len: usize,
    },
    /// Whole blocks are needed.
    NotBlockMultiple {
        /// The block size, in bytes.
        block: usize,
        /// The length that was given, in bytes.
        len: usize,
    },
    /// A QQ message has at least 16 bytes.
    TooShort {
        /// The length that was given, in bytes.
        len: usize,
    },
    /// The encrypted message would be longer than `isize::MAX` bytes, which nothing in memory can be.
    TooLong {
        /// The length of the text, in bytes.
        len: usize,
    },
    /// The decrypted message claims more fill than it has room for: a wrong key, or damage.
    ImpossibleFill {
        /// The length of the message, in bytes.
        len: usize,
    },
    /// The seven bytes at the decrypted message's end are not zero: a wrong key, or damage.
    ZeroCheck {
        /// The length of the message, in bytes.
        len: usize,
    },
    /// The output does not fit. Nothing was written.
    OutputTooSmall {
        /// The length that is needed, in bytes.
        needed: usize,
        /// The length that was given, in bytes.
        len: usize,
    },
    /// The head that fills up a QQ message has another length for this text.
    FillLength {
        /// The length that is needed, in bytes.
        needed: usize,
        /// The length that was given, in bytes.
        len: usize,
    },
    /// The source of random bytes failed. Nothing was encrypted.
    Random,
    /// There is no backend of that name in this build, or this processor cannot run it.
    UnknownBackend,
    /// A byte order is `be`, `le` or `le64`.
    UnknownByteOrder,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::KeyLength { len } => write!(f, "the key has {len} bytes instead of 16"),
            Self::IvLength { needed, len } => {
                write!(f, "the IV has {len} bytes instead of {needed}")
            }
            Self::Cycles { cycles } => write!(f, "{cycles} cycles are not between 1 and 64"),
            Self::OddRounds { rounds } => {
                write!(f, "{rounds} rounds are not an even number: a cycle is two")
            }
            Self::ZeroDelta => f.write_str("the delta is 0"),
            Self::SumsLength { len } => {
                write!(f, "the table has {len} sums, not between 1 and 64")
            }
            Self::NotBlockMultiple { block, len } => {
                write!(
                    f,
                    "{len} bytes are not a multiple of the block size, {block}"
                )
            }
            Self::TooShort { len } => {
                write!(
                    f,
                    "{len} bytes are too short for a message, which has at least 16"
                )
            }
            Self::TooLong { len } => write!(f, "a text of {len} bytes is too long"),
            Self::ImpossibleFill { len } => write!(
                f,
                "wrong key or damaged message: its fill does not fit into {len} bytes"
            ),
            Self::ZeroCheck { len } => write!(
                f,
                "wrong key or damaged message: the {len} bytes do not end in seven zeros"
            ),
            Self::OutputTooSmall { needed, len } => {
                write!(f, "the output has {len} bytes, but {needed} are needed")
            }
            Self::FillLength { needed, len } => {
                write!(f, "the fill has {len} bytes, but {needed} are needed")
            }
            Self::Random => f.write_str("the source of random bytes failed"),
            Self::UnknownBackend => f.write_str("this machine has no backend of that name"),
            Self::UnknownByteOrder => f.write_str("a byte order is be, le or le64"),
        }
    }
}

impl core::error::Error for Error {}
