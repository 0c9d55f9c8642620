//! Everything about a cipher but its key: the cycles, and what the sum is in each of them.

use core::{
    fmt,
    hash::{Hash, Hasher},
};

use crate::error::Error;

/// The most cycles that a cipher can have.
pub(crate) const MAX_CYCLES: usize = 64;

/// 2³² / φ, with φ the golden ratio: the constant of the ciphers' authors.
const DELTA: u32 = 0x9e37_79b9;

/// How many cycles a cipher has, and the delta by which its sum grows in each of them.
///
/// A cycle is two rounds. There are 1 to 64 cycles, and the delta is not 0. Everything is checked
/// here, so that the constructors of the ciphers cannot fail.
///
/// # Examples
///
/// ```
/// use fasttea::{Be, Error, Parameters, Xtea};
///
/// let cipher = Xtea::<Be>::from_parts([1, 2, 3, 4], Parameters::from_cycles(8)?);
///
/// // Modified ciphers of firmware and games have another delta.
/// let modified = Parameters::new(32, 0x61c8_8647)?;
///
/// assert_eq!(Parameters::from_rounds(64)?, Parameters::STANDARD);
/// assert_eq!(Parameters::from_rounds(7), Err(Error::OddRounds { rounds: 7 }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    cycles: u32,
    delta: u32,
}

impl Parameters {
    /// 32 cycles, as the authors of the ciphers advise.
    pub const STANDARD: Self = Self {
        cycles: 32,
        delta: DELTA,
    };

    /// 16 cycles, as QQ has them.
    pub const QQ: Self = Self {
        cycles: 16,
        delta: DELTA,
    };

    /// Any number of cycles and any delta.
    ///
    /// # Errors
    /// [`Error::Cycles`] unless `cycles` is 1 to 64, [`Error::ZeroDelta`] for a delta of 0.
    #[inline]
    pub const fn new(cycles: u32, delta: u32) -> Result<Self, Error> {
        if cycles == 0 || cycles as usize > MAX_CYCLES {
            return Err(Error::Cycles { cycles });
        }
        if delta == 0 {
            return Err(Error::ZeroDelta);
        }
        Ok(Self { cycles, delta })
    }

    /// Any number of cycles, with the standard delta.
    ///
    /// # Errors
    /// [`Error::Cycles`] unless `cycles` is 1 to 64.
    #[inline]
    pub const fn from_cycles(cycles: u32) -> Result<Self, Error> {
        Self::new(cycles, DELTA)
    }

    /// Half as many cycles as the given number of rounds, for code that counts as Go's `x/crypto`
    /// does.
    ///
    /// # Errors
    /// [`Error::OddRounds`] for an odd number, [`Error::Cycles`] unless it is 2 to 128.
    #[inline]
    pub const fn from_rounds(rounds: u32) -> Result<Self, Error> {
        if rounds % 2 == 1 {
            return Err(Error::OddRounds { rounds });
        }
        Self::from_cycles(rounds / 2)
    }

    /// The number of cycles.
    #[must_use]
    #[inline]
    pub const fn cycles(&self) -> u32 {
        self.cycles
    }

    /// The number of rounds, two for each cycle.
    #[must_use]
    #[inline]
    pub const fn rounds(&self) -> u32 {
        2 * self.cycles
    }

    /// The number by which the sum grows in each cycle.
    #[must_use]
    #[inline]
    pub const fn delta(&self) -> u32 {
        self.delta
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self::STANDARD
    }
}

/// TEA's sums, one for each cycle: those of [`Parameters`], or any others.
///
/// # Examples
///
/// ```
/// use fasttea::{Be, Sums, Tea};
///
/// let sums = Sums::new(&[0x11223344, 0x55667788, 0x99aabbcc])?;
/// let three_cycles = Tea::<Be>::from_parts(&[7; 16], sums);
/// # Ok::<(), fasttea::Error>(())
/// ```
#[derive(Clone)]
pub struct Sums {
    cycles: u32,
    table: Table,
}

/// A sum for each cycle; kernels use no more of them than there are cycles. Most ciphers share one
/// table, which makes setting up a key as quick as it is.
// Boxed, the own one would want an allocator.
#[allow(clippy::large_enum_variant)]
#[derive(Clone)]
#[repr(C, usize)]
pub(crate) enum Table {
    Shared(&'static [u32; MAX_CYCLES]),
    Own([u32; MAX_CYCLES]),
}

/// The sums of the standard delta.
static STANDARD_TABLE: [u32; MAX_CYCLES] = multiples(DELTA);

const fn multiples(delta: u32) -> [u32; MAX_CYCLES] {
    let mut table = [0; MAX_CYCLES];
    let mut sum = 0u32;
    let mut i = 0;
    while i < MAX_CYCLES {
        sum = sum.wrapping_add(delta);
        table[i] = sum;
        i += 1;
    }
    table
}

impl Sums {
    /// A table of sums, one for each cycle.
    ///
    /// # Errors
    /// [`Error::SumsLength`] unless there are 1 to 64.
    pub const fn new(table: &[u32]) -> Result<Self, Error> {
        let len = table.len();
        if len == 0 || len > MAX_CYCLES {
            return Err(Error::SumsLength { len });
        }
        let mut own = [0; MAX_CYCLES];
        let mut cycles = 0;
        let mut i = 0;
        while i < len {
            own[i] = table[i];
            cycles += 1;
            i += 1;
        }
        Ok(Self {
            cycles,
            table: Table::Own(own),
        })
    }

    /// The number of cycles.
    #[must_use]
    #[inline]
    pub const fn cycles(&self) -> u32 {
        self.cycles
    }

    #[inline]
    pub(crate) fn into_table(self) -> Table {
        self.table
    }
}

impl From<Parameters> for Sums {
    #[inline]
    fn from(Parameters { cycles, delta }: Parameters) -> Self {
        let table = match delta {
            DELTA => Table::Shared(&STANDARD_TABLE),
            _ => Table::Own(multiples(delta)),
        };
        Self { cycles, table }
    }
}

impl Table {
    #[inline]
    pub(crate) fn words(&self) -> &[u32; MAX_CYCLES] {
        match self {
            Self::Shared(words) => words,
            Self::Own(words) => words,
        }
    }
}

/// Those of the cycles, one after the other.
impl AsRef<[u32]> for Sums {
    #[inline]
    fn as_ref(&self) -> &[u32] {
        &self.table.words()[..self.cycles as usize]
    }
}

impl fmt::Debug for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sums").field(&self.as_ref()).finish()
    }
}

impl PartialEq for Sums {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Eq for Sums {}

impl Hash for Sums {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_ref().hash(state);
    }
}
