//! Word orders: how bytes in memory become the two words of a block and the four of a key.

use core::fmt;

use crate::{Error, backend::wipe, schedule::ByteOrder};

/// How a cipher reads words: [`Be`], [`Le`] or [`Le64`].
///
/// There is no default for the block ciphers: both orders are in wide use, and a mix-up shows as
/// garbage at best. The README lists who uses which.
pub trait Order: sealed::Sealed + Copy + fmt::Debug + Send + Sync + Unpin + 'static {
    /// The name in lower case: `be`, `le` or `le64`.
    const NAME: &'static str;
}

/// Big-endian words: Go, BouncyCastle, Crypto++, Botan, QQ, RuneScape.
#[derive(Clone, Copy, Debug)]
pub struct Be;

/// Little-endian words: Linux, the crate `xtea`, Open Tibia.
#[derive(Clone, Copy, Debug)]
pub struct Le;

/// Little-endian key words, and a block that is one little-endian 64-bit number whose high half is
/// the first word: gofastTEA's little-endian calls.
#[derive(Clone, Copy, Debug)]
pub struct Le64;

impl Order for Be {
    const NAME: &'static str = "be";
}
impl Order for Le {
    const NAME: &'static str = "le";
}
impl Order for Le64 {
    const NAME: &'static str = "le64";
}

pub(crate) mod sealed {
    use super::ByteOrder;

    pub trait Sealed {
        const BLOCK: ByteOrder;
        fn key_word(bytes: [u8; 4]) -> u32;
    }
    impl Sealed for super::Be {
        const BLOCK: ByteOrder = ByteOrder::BE;
        fn key_word(bytes: [u8; 4]) -> u32 {
            u32::from_be_bytes(bytes)
        }
    }
    impl Sealed for super::Le {
        const BLOCK: ByteOrder = ByteOrder::LE;
        fn key_word(bytes: [u8; 4]) -> u32 {
            u32::from_le_bytes(bytes)
        }
    }
    impl Sealed for super::Le64 {
        const BLOCK: ByteOrder = ByteOrder::LE64;
        fn key_word(bytes: [u8; 4]) -> u32 {
            u32::from_le_bytes(bytes)
        }
    }
}

/// A key: four words, or the 16 bytes that hold them in order `O`. Wiped on drop.
///
/// Every constructor takes `impl Into<Key<O>>`, that is a `Key`, `[u32; 4]`, `[u8; 16]`,
/// `&[u8; 16]` or a reference to the `cipher` crate's array of 16 bytes. Bytes of unsure length go
/// through `TryFrom`.
///
/// # Examples
///
/// ```
/// use fasttea::{Be, Error, Key, Tea};
///
/// let by_words = Tea::<Be>::with_cycles([0x30313233, 0x34353637, 0x38394142, 0x43444546], 16)?;
/// let by_bytes = Tea::<Be>::with_cycles(b"0123456789ABCDEF", 16)?;
///
/// let from_a_file: &[u8] = b"0123456789ABCDE";
/// assert_eq!(Key::<Be>::try_from(from_a_file).unwrap_err(), Error::KeyLength { len: 15 });
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Key<O> {
    words: [u32; 4],
    order: core::marker::PhantomData<O>,
}

impl<O> Key<O> {
    pub(crate) fn words(&self) -> &[u32; 4] {
        &self.words
    }
}

impl<O> Drop for Key<O> {
    #[inline]
    fn drop(&mut self) {
        wipe(&mut self.words);
    }
}

impl<O> fmt::Debug for Key<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key { .. }")
    }
}

impl<O> From<[u32; 4]> for Key<O> {
    #[inline]
    fn from(words: [u32; 4]) -> Self {
        Self {
            words,
            order: core::marker::PhantomData,
        }
    }
}

impl<O: Order> From<&[u8; 16]> for Key<O> {
    #[inline]
    fn from(bytes: &[u8; 16]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *bytes;
        Self::from([
            O::key_word([a, b, c, d]),
            O::key_word([e, f, g, h]),
            O::key_word([i, j, k, l]),
            O::key_word([m, n, o, p]),
        ])
    }
}

impl<O: Order> From<[u8; 16]> for Key<O> {
    #[inline]
    fn from(bytes: [u8; 16]) -> Self {
        Self::from(&bytes)
    }
}

impl<O: Order> From<&cipher::Array<u8, cipher::consts::U16>> for Key<O> {
    #[inline]
    fn from(bytes: &cipher::Array<u8, cipher::consts::U16>) -> Self {
        Self::from(&bytes.0)
    }
}

impl<O: Order> TryFrom<&[u8]> for Key<O> {
    type Error = Error;

    #[inline]
    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        let bytes: &[u8; 16] = bytes
            .try_into()
            .map_err(|_| Error::KeyLength { len: bytes.len() })?;
        Ok(Self::from(bytes))
    }
}
