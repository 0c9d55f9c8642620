//! Key schedules, in the form that the kernels read.

use crate::{
    Error,
    backend::{Blocks, wipe},
};

/// The most cycles that a cipher can have.
pub(crate) const MAX_CYCLES: usize = 64;

/// The golden ratio's 2^32 / φ, by which the sum grows each cycle.
pub(crate) const DELTA: u32 = 0x9e37_79b9;

/// The sum of each cycle with the standard delta.
static STANDARD_SUMS: [u32; MAX_CYCLES] = sums(DELTA);

const fn sums(delta: u32) -> [u32; MAX_CYCLES] {
    let mut sums = [0; MAX_CYCLES];
    let mut sum = 0u32;
    let mut i = 0;
    while i < MAX_CYCLES {
        sum = sum.wrapping_add(delta);
        sums[i] = sum;
        i += 1;
    }
    sums
}

/// A number of cycles, 1 to 64.
#[derive(Clone, Copy)]
pub(crate) struct Cycles(u32);

impl Cycles {
    pub(crate) const QQ: Self = Self(16);
    pub(crate) const STANDARD: Self = Self(32);

    pub(crate) fn new(cycles: u32) -> Result<Self, Error> {
        match cycles {
            1..=64 => Ok(Self(cycles)),
            _ => Err(Error::Cycles { cycles }),
        }
    }

    pub(crate) fn from_rounds(rounds: u32) -> Result<Self, Error> {
        if rounds % 2 == 1 {
            return Err(Error::OddRounds { rounds });
        }
        Self::new(rounds / 2)
    }

    pub(crate) fn get(self) -> u32 {
        self.0
    }

    pub(crate) fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// The place in memory of each byte of two blocks, counted from the first word's lowest byte: what
/// the wide kernels shuffle by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct ByteOrder([u8; 16]);

impl ByteOrder {
    pub(crate) const BE: Self = Self::of_two([3, 2, 1, 0, 7, 6, 5, 4]);
    pub(crate) const LE: Self = Self::of_two([0, 1, 2, 3, 4, 5, 6, 7]);
    pub(crate) const LE64: Self = Self::of_two([4, 5, 6, 7, 0, 1, 2, 3]);

    const fn of_two(one: [u8; 8]) -> Self {
        let mut two = [0; 16];
        let mut i = 0;
        while i < 8 {
            two[i] = one[i];
            two[i + 8] = one[i] + 8;
            i += 1;
        }
        Self(two)
    }

    /// The words of blocks, all first ones and all second ones, from little-endian words as they
    /// stand in memory, or back: the way there is the way back.
    #[inline(always)]
    pub(crate) fn convert(self, x: &mut [u32], y: &mut [u32]) {
        // One byte tells, which is quicker to compare than all.
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
        let [a, b, c, d, e, f, g, h] = block;
        let mut x = [u32::from_le_bytes([a, b, c, d])];
        let mut y = [u32::from_le_bytes([e, f, g, h])];
        self.convert(&mut x, &mut y);
        [x[0], y[0]]
    }

    /// The block of two words.
    #[inline(always)]
    pub(crate) fn store(self, [x, y]: [u32; 2]) -> [u8; 8] {
        let (mut x, mut y) = ([x], [y]);
        self.convert(&mut x, &mut y);
        let ([a, b, c, d], [e, f, g, h]) = (x[0].to_le_bytes(), y[0].to_le_bytes());
        [a, b, c, d, e, f, g, h]
    }
}

/// What a kernel reads of a key. Wiped on drop.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Schedule<const WORDS: usize> {
    cycles: usize,
    pub(crate) order: ByteOrder,
    pub(crate) words: [u32; WORDS],
}

/// TEA: the four key words. The sums stand apart, since all keys share them.
pub(crate) type TeaSchedule = Schedule<4>;

/// XTEA: sum plus key word for each half-round, two a cycle.
pub(crate) type XteaSchedule = Schedule<{ 2 * MAX_CYCLES }>;

// asm/common.h has these numbers. Targets with kernels have 64-bit pointers.
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(core::mem::offset_of!(TeaSchedule, cycles) == 0);
    assert!(core::mem::offset_of!(TeaSchedule, order) == 8);
    assert!(core::mem::offset_of!(TeaSchedule, words) == 24);
    assert!(core::mem::offset_of!(XteaSchedule, cycles) == 0);
    assert!(core::mem::offset_of!(XteaSchedule, order) == 8);
    assert!(core::mem::offset_of!(XteaSchedule, words) == 24);
};

impl<const WORDS: usize> Schedule<WORDS> {
    #[inline]
    pub(crate) fn new(cycles: Cycles, order: ByteOrder, words: [u32; WORDS]) -> Self {
        Self {
            cycles: cycles.as_usize(),
            order,
            words,
        }
    }

    /// The number of cycles.
    #[inline]
    pub(crate) fn cycles(&self) -> usize {
        self.cycles
    }

    /// Applies `f` to the words of every block, one after the other.
    #[inline]
    pub(crate) fn for_each(&self, blocks: Blocks<'_, '_>, mut f: impl FnMut([u32; 2]) -> [u32; 2]) {
        for mut block in blocks {
            let words = f(self.order.load(block.get_in().0));
            block.get_out().0 = self.order.store(words);
        }
    }
}

impl XteaSchedule {
    /// The round keys, in the order of encryption: (even, odd) for each cycle.
    pub(crate) fn xtea(cycles: Cycles, order: ByteOrder, key: &[u32; 4], delta: u32) -> Self {
        let mut words = [0; 2 * MAX_CYCLES];
        let mut sum = 0u32;
        for pair in words.chunks_exact_mut(2).take(cycles.as_usize()) {
            pair[0] = sum.wrapping_add(key[(sum & 3) as usize]);
            sum = sum.wrapping_add(delta);
            pair[1] = sum.wrapping_add(key[(sum >> 11 & 3) as usize]);
        }
        Self::new(cycles, order, words)
    }
}

impl<const WORDS: usize> Drop for Schedule<WORDS> {
    #[inline]
    fn drop(&mut self) {
        wipe(&mut self.words);
    }
}

/// TEA's sums, one for each cycle. Custom ones stand here rather than in a box, since there may be
/// no allocator.
#[derive(Clone, PartialEq)]
#[allow(clippy::large_enum_variant)]
pub(crate) enum Sums {
    Standard,
    Custom([u32; MAX_CYCLES]),
}

impl Sums {
    #[inline]
    pub(crate) fn from_delta(delta: u32) -> Self {
        match delta {
            DELTA => Self::Standard,
            _ => Self::Custom(sums(delta)),
        }
    }

    /// The table, and the number of cycles that it has sums for.
    pub(crate) fn from_table(table: &[u32]) -> Result<(Self, Cycles), Error> {
        let len = table.len();
        let cycles = u32::try_from(len)
            .ok()
            .and_then(|cycles| Cycles::new(cycles).ok())
            .ok_or(Error::SumsLength { len })?;
        let mut sums = [0; MAX_CYCLES];
        sums[..len].copy_from_slice(table);
        Ok((Self::Custom(sums), cycles))
    }

    #[inline]
    pub(crate) fn table(&self) -> &[u32; MAX_CYCLES] {
        match self {
            Self::Standard => &STANDARD_SUMS,
            Self::Custom(table) => table,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{format, string::String, vec::Vec};

    use hex_literal::hex;

    use super::*;
    use crate::{Be, Key, Le};

    /// The key schedules of Go's x/crypto (big-endian) and forgottenserver (little-endian).
    #[test]
    fn published_round_keys() {
        #[derive(serde::Deserialize)]
        struct File {
            schedules: Vec<Published>,
        }
        #[derive(serde::Deserialize)]
        struct Published {
            id: String,
            cycles: u32,
            endian: String,
            #[serde(with = "hex")]
            key: Vec<u8>,
            schedule: Vec<String>,
        }

        let text = include_str!("../tests/data/public.json");
        let schedules = serde_json::from_str::<File>(text).unwrap().schedules;
        assert!(!schedules.is_empty());
        for published in schedules {
            let key: [u8; 16] = published.key.as_slice().try_into().unwrap();
            let words = match &*published.endian {
                "be" => *Key::<Be>::from(key).words(),
                "le" => *Key::<Le>::from(key).words(),
                other => panic!("no such order: {other}"),
            };
            let cycles = Cycles::new(published.cycles).unwrap();
            let schedule = XteaSchedule::xtea(cycles, ByteOrder::BE, &words, DELTA);
            let round_keys: Vec<_> = schedule.words[..2 * cycles.as_usize()]
                .iter()
                .map(|word| format!("{word:08x}"))
                .collect();
            assert_eq!(round_keys, published.schedule, "{}", published.id);
        }
    }

    #[test]
    fn byte_orders() {
        let block = hex!("01020304 05060708");
        for (order, words) in [
            (ByteOrder::BE, [0x0102_0304, 0x0506_0708]),
            (ByteOrder::LE, [0x0403_0201, 0x0807_0605]),
            (ByteOrder::LE64, [0x0807_0605, 0x0403_0201]),
        ] {
            assert_eq!(order.load(block), words);
            assert_eq!(order.store(words), block);
            // The same by the table of places, which the wide kernels shuffle by.
            let two = [block, block].concat();
            let bytes = order.0.map(|place| two[usize::from(place)]);
            let again: Vec<_> = bytes
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
                .collect();
            assert_eq!(again, [words, words].concat());
        }
    }

    #[test]
    fn wiped() {
        let mut bytes = [7u8; 19];
        wipe(&mut bytes[1..18]);
        assert_eq!((bytes[0], bytes[18]), (7, 7));
        assert_eq!(bytes[1..18], [0; 17]);
    }
}
