//! Keys.

use core::{fmt, marker::PhantomData};

use cipher::{Array, consts::U16};
use zeroize::Zeroize;

use crate::{byte_order::Order, error::Error};

/// A key: four words, or the 16 bytes that hold them in byte order `O`. Wiped on drop.
///
/// Constructors take `impl Into<Key<O>>`: a `Key`, words (`[u32; 4]`, or `[i32; 4]` as RuneScape's
/// lists print them), bytes (`[u8; 16]`), a reference to one of these, or a reference to the
/// `cipher` crate's array of 16 bytes. A slice may have the wrong length, so it goes through
/// `TryFrom`.
///
/// # Examples
///
/// ```
/// use fasttea::{Be, Error, Key, Tea};
///
/// let by_words = Tea::<Be>::from_key([0x30313233, 0x34353637, 0x38394142, 0x43444546]);
/// let by_bytes = Tea::<Be>::from_key(b"0123456789ABCDEF");
///
/// let from_a_file: &[u8] = b"0123456789ABCDE";
/// assert_eq!(Key::<Be>::try_from(from_a_file).unwrap_err(), Error::KeyLength { len: 15 });
/// ```
#[derive(Clone)]
pub struct Key<O> {
    words: [u32; 4],
    order: PhantomData<O>,
}

impl<O> Key<O> {
    #[inline]
    pub(crate) fn words(&self) -> &[u32; 4] {
        &self.words
    }
}

impl<O> Drop for Key<O> {
    #[inline]
    fn drop(&mut self) {
        self.words.as_mut_slice().zeroize();
    }
}

impl<O> zeroize::ZeroizeOnDrop for Key<O> {}

/// The byte order, and not the key.
impl<O: Order> fmt::Debug for Key<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key<{}> {{ .. }}", O::BYTE_ORDER)
    }
}

impl<O> From<[u32; 4]> for Key<O> {
    #[inline]
    fn from(words: [u32; 4]) -> Self {
        Self {
            words,
            order: PhantomData,
        }
    }
}

impl<O> From<&[u32; 4]> for Key<O> {
    #[inline]
    fn from(words: &[u32; 4]) -> Self {
        Self::from(*words)
    }
}

impl<O> From<[i32; 4]> for Key<O> {
    #[inline]
    fn from(words: [i32; 4]) -> Self {
        Self::from(words.map(|word| word as u32))
    }
}

impl<O> From<&[i32; 4]> for Key<O> {
    #[inline]
    fn from(words: &[i32; 4]) -> Self {
        Self::from(*words)
    }
}

impl<O: Order> From<&[u8; 16]> for Key<O> {
    #[inline]
    fn from(bytes: &[u8; 16]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *bytes;
        let words = [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]];
        Self::from(words.map(|word| O::BYTE_ORDER.key_word(word)))
    }
}

impl<O: Order> From<[u8; 16]> for Key<O> {
    #[inline]
    fn from(bytes: [u8; 16]) -> Self {
        Self::from(&bytes)
    }
}

impl<O: Order> From<&Array<u8, U16>> for Key<O> {
    #[inline]
    fn from(bytes: &Array<u8, U16>) -> Self {
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
