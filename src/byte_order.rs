//! Byte orders: how the bytes in memory become the two words of a block and the four of a key.

use core::{fmt, str::FromStr};

use crate::{blocks::Blocks, error::Error};

/// A byte order that is known at compile time: [`Be`], [`Le`] or [`Le64`].
///
/// The block ciphers have no default: each order is in wide use, and a mix-up shows as garbage at
/// best. README lists who uses which.
///
/// # Examples
///
/// ```
/// use fasttea::{ByteOrder, Le, Order};
///
/// assert_eq!(Le::BYTE_ORDER, ByteOrder::Le);
/// ```
pub trait Order: sealed::Sealed + Copy + fmt::Debug + Send + Sync + Unpin + 'static {
    /// The same as a value.
    const BYTE_ORDER: ByteOrder;
}

/// Big-endian words: Go, BouncyCastle, Crypto++, Botan, QQ, RuneScape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Be;

/// Little-endian words: Linux, the crate `xtea`, Open Tibia.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Le;

/// Little-endian key words, and a block that is one little-endian 64-bit number whose high half is
/// the first word: gofastTEA's little-endian calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Le64;

impl Order for Be {
    const BYTE_ORDER: ByteOrder = ByteOrder::Be;
}
impl Order for Le {
    const BYTE_ORDER: ByteOrder = ByteOrder::Le;
}
impl Order for Le64 {
    const BYTE_ORDER: ByteOrder = ByteOrder::Le64;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Be {}
    impl Sealed for super::Le {}
    impl Sealed for super::Le64 {}
}

/// A byte order that is known at run time.
///
/// # Examples
///
/// ```
/// use fasttea::{ByteOrder, Error};
///
/// assert_eq!("le64".parse(), Ok(ByteOrder::Le64));
/// assert_eq!("LE".parse::<ByteOrder>(), Err(Error::UnknownByteOrder));
/// assert_eq!(ByteOrder::Be.to_string(), "be");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// That of [`Be`].
    Be,
    /// That of [`Le`].
    Le,
    /// That of [`Le64`].
    Le64,
}

impl ByteOrder {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Be, Self::Le, Self::Le64];

    /// The name in lower case: `be`, `le` or `le64`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Be => "be",
            Self::Le => "le",
            Self::Le64 => "le64",
        }
    }

    /// A word of a key.
    #[inline]
    pub(crate) const fn key_word(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Be => u32::from_be_bytes(bytes),
            Self::Le | Self::Le64 => u32::from_le_bytes(bytes),
        }
    }

    /// The form that kernels read.
    #[inline]
    pub(crate) const fn shuffle(self) -> Shuffle {
        match self {
            Self::Be => Shuffle::of_one([3, 2, 1, 0, 7, 6, 5, 4]),
            Self::Le => Shuffle::of_one([0, 1, 2, 3, 4, 5, 6, 7]),
            Self::Le64 => Shuffle::of_one([4, 5, 6, 7, 0, 1, 2, 3]),
        }
    }
}

impl fmt::Display for ByteOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ByteOrder {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|order| order.name() == name)
            .ok_or(Error::UnknownByteOrder)
    }
}

/// The place in memory of each byte of two blocks, counted from the first word's lowest byte. The
/// wide kernels shuffle by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Shuffle([u8; 16]);

impl Shuffle {
    const fn of_one(block: [u8; 8]) -> Self {
        let mut two = [0; 16];
        let mut i = 0;
        while i < 8 {
            two[i] = block[i];
            two[i + 8] = block[i] + 8;
            i += 1;
        }
        Self(two)
    }

    /// Turns the little-endian words of blocks, all first ones and all second ones, into words of
    /// this order. The same call turns them back.
    #[inline(always)]
    pub(crate) fn convert(self, x: &mut [u32], y: &mut [u32]) {
        // The first byte tells, and is quicker to compare than all.
        match self.0[0] {
            3 => x
                .iter_mut()
                .chain(y)
                .for_each(|word| *word = word.swap_bytes()),
            0 => {}
            _ => x.swap_with_slice(y),
        }
    }

    /// The two words of a block.
    #[inline(always)]
    pub(crate) fn load(self, block: [u8; 8]) -> [u32; 2] {
        let [mut x, mut y] = little_endian_words(block).map(|word| [word]);
        self.convert(&mut x, &mut y);
        [x[0], y[0]]
    }

    /// The block of two words.
    #[inline(always)]
    pub(crate) fn store(self, [x, y]: [u32; 2]) -> [u8; 8] {
        let (mut x, mut y) = ([x], [y]);
        self.convert(&mut x, &mut y);
        little_endian_block([x[0], y[0]])
    }

    /// Applies `f` to the words of every block, one after the other.
    #[inline]
    pub(crate) fn for_each(self, blocks: Blocks<'_, '_>, mut f: impl FnMut([u32; 2]) -> [u32; 2]) {
        for mut block in blocks {
            let words = f(self.load(block.get_in().0));
            block.get_out().0 = self.store(words);
        }
    }
}

#[inline(always)]
pub(crate) fn little_endian_words([a, b, c, d, e, f, g, h]: [u8; 8]) -> [u32; 2] {
    [
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
    ]
}

#[inline(always)]
pub(crate) fn little_endian_block(words: [u32; 2]) -> [u8; 8] {
    let [[a, b, c, d], [e, f, g, h]] = words.map(u32::to_le_bytes);
    [a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use hex_literal::hex;

    use super::*;

    #[test]
    fn words_and_shuffle_agree_in_every_order() {
        let block = hex!("01020304 05060708");
        for (order, words) in [
            (ByteOrder::Be, [0x0102_0304, 0x0506_0708]),
            (ByteOrder::Le, [0x0403_0201, 0x0807_0605]),
            (ByteOrder::Le64, [0x0807_0605, 0x0403_0201]),
        ] {
            let shuffle = order.shuffle();
            assert_eq!(shuffle.load(block), words);
            assert_eq!(shuffle.store(words), block);
            let two = [block, block].concat();
            let bytes = shuffle.0.map(|place| two[usize::from(place)]);
            let again: Vec<_> = bytes
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
                .collect();
            assert_eq!(again, [words, words].concat());
        }
    }
}
