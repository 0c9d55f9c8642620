//! A term by its index, and the bytes that are known or parts of terms. What terms are is in `terms`.

/// A number modulo 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(crate) u32);

/// A byte of a term, or a known byte: `term << 2 | place`. The first 256 terms are the numbers 0 to 255, and a
/// known byte is the lowest one of its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Byte(pub(crate) u32);

impl Byte {
    /// The known byte 0.
    pub const ZERO: Self = Self(0);

    /// A known byte.
    #[must_use]
    pub const fn known(value: u8) -> Self {
        Self((value as u32) << 2)
    }

    /// Its value, if it is known.
    #[must_use]
    pub fn value(self) -> Option<u8> {
        u8::try_from(self.0 >> 2).ok()
    }

    pub(crate) fn term(self) -> Term {
        Term(self.0 >> 2)
    }

    pub(crate) fn place(self) -> u32 {
        self.0 & 3
    }
}

/// The number that known bytes are, the lowest byte first.
#[must_use]
pub fn known(bytes: &[Byte]) -> Option<u64> {
    bytes.iter().rev().try_fold(0, |number, byte| {
        Some(number << 8 | u64::from(byte.value()?))
    })
}

/// The bytes of a number, the lowest byte first.
#[must_use]
pub fn spell(number: u64) -> [Byte; 8] {
    number.to_le_bytes().map(Byte::known)
}

/// Some four bytes that follow each other, by their number.
#[must_use]
pub fn four(bytes: &[Byte], number: usize) -> [Byte; 4] {
    core::array::from_fn(|n| bytes[4 * number + n])
}

/// `a | b`, where of each byte one is 0 or both are known.
#[must_use]
pub fn or<const N: usize>(a: &[Byte; N], b: &[Byte; N]) -> Option<[Byte; N]> {
    let mut out = *a;
    for (a, &b) in out.iter_mut().zip(b) {
        *a = match (a.value(), b.value()) {
            (Some(x), Some(y)) => Byte::known(x | y),
            (Some(0), _) => b,
            (_, Some(0)) => *a,
            _ => return None,
        };
    }
    Some(out)
}
