//! Key schedules, in the form that the kernels read.

use zeroize::Zeroize;

use crate::{
    byte_order::{ByteOrder, Shuffle},
    parameters::{MAX_CYCLES, Parameters, Sums, Table},
};

/// What a kernel reads of a key: `K` words that are the key's own, and are wiped on drop, and sums that
/// keys may share.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Schedule<const K: usize, S> {
    cycles: usize,
    shuffle: Shuffle,
    key: [u32; K],
    sums: S,
}

/// The words of TEA's key.
pub(crate) const TEA_WORDS: usize = 4;

/// The words of XTEA's key: a round key for each half-round.
pub(crate) const XTEA_WORDS: usize = 2 * MAX_CYCLES;

/// TEA: the key, and a sum for each cycle.
pub(crate) type TeaSchedule = Schedule<TEA_WORDS, Table>;

/// XTEA: sum plus key word for each half-round, two a cycle.
pub(crate) type XteaSchedule = Schedule<XTEA_WORDS, ()>;

/// The sums in a schedule.
pub(crate) trait SumTable: 'static {
    /// A sum for each cycle, or none.
    fn words(&self) -> &[u32];

    /// Whether so many cycles have the same sums.
    fn fits(&self, other: &Self, cycles: usize) -> bool;
}

impl SumTable for Table {
    #[inline]
    fn words(&self) -> &[u32] {
        Table::words(self)
    }

    #[inline]
    fn fits(&self, other: &Self, cycles: usize) -> bool {
        match (self, other) {
            (Table::Shared(a), Table::Shared(b)) if core::ptr::eq(*a, *b) => true,
            _ => Table::words(self)[..cycles] == Table::words(other)[..cycles],
        }
    }
}

impl SumTable for () {
    #[inline]
    fn words(&self) -> &[u32] {
        &[]
    }

    #[inline]
    fn fits(&self, (): &Self, _cycles: usize) -> bool {
        true
    }
}

// asm/common.h has these numbers. Where pointers are shorter there are no kernels.
#[cfg(target_pointer_width = "64")]
const _: () = {
    use core::mem::{offset_of, size_of};
    assert!(offset_of!(TeaSchedule, cycles) == 0);
    assert!(offset_of!(TeaSchedule, shuffle) == 8);
    assert!(offset_of!(TeaSchedule, key) == 24);
    // A tag, 0 for shared sums, and then the pointer to them or the own ones, as `repr(C, usize)` has it.
    assert!(offset_of!(TeaSchedule, sums) == 40);
    assert!(size_of::<Table>() == 8 + 4 * MAX_CYCLES);
    assert!(offset_of!(XteaSchedule, cycles) == 0);
    assert!(offset_of!(XteaSchedule, shuffle) == 8);
    assert!(offset_of!(XteaSchedule, key) == 24);
};

impl TeaSchedule {
    #[inline]
    pub(crate) fn tea(order: ByteOrder, key: &[u32; 4], sums: Sums) -> Self {
        Self {
            cycles: sums.cycles() as usize,
            shuffle: order.shuffle(),
            key: *key,
            sums: sums.into_table(),
        }
    }
}

impl XteaSchedule {
    pub(crate) fn xtea(order: ByteOrder, key: &[u32; 4], parameters: Parameters) -> Self {
        let cycles = parameters.cycles() as usize;
        let mut round_keys = [0; XTEA_WORDS];
        let mut sum = 0u32;
        for pair in round_keys.chunks_exact_mut(2).take(cycles) {
            pair[0] = sum.wrapping_add(key[(sum & 3) as usize]);
            sum = sum.wrapping_add(parameters.delta());
            pair[1] = sum.wrapping_add(key[(sum >> 11 & 3) as usize]);
        }
        Self {
            cycles,
            shuffle: order.shuffle(),
            key: round_keys,
            sums: (),
        }
    }
}

impl<const K: usize, S> Schedule<K, S> {
    #[inline]
    pub(crate) fn cycles(&self) -> usize {
        self.cycles
    }

    #[inline]
    pub(crate) fn shuffle(&self) -> Shuffle {
        self.shuffle
    }
}

impl<const K: usize, S: SumTable> Schedule<K, S> {
    /// The key words in use: XTEA has two a cycle.
    #[inline]
    pub(crate) fn key(&self) -> &[u32] {
        match K {
            TEA_WORDS => &self.key,
            _ => &self.key[..2 * self.cycles],
        }
    }

    #[inline]
    pub(crate) fn sums(&self) -> &[u32] {
        self.sums.words()
    }

    /// Whether all but the key is the same.
    #[inline]
    pub(crate) fn fits(&self, other: &Self) -> bool {
        self.cycles == other.cycles
            && self.shuffle == other.shuffle
            && self.sums.fits(&other.sums, self.cycles)
    }
}

impl<const K: usize, S> Drop for Schedule<K, S> {
    #[inline]
    fn drop(&mut self) {
        self.key.as_mut_slice().zeroize();
    }
}

#[cfg(test)]
mod tests {
    use std::{format, string::String, vec::Vec};

    use super::*;
    use crate::{byte_order::Order, key::Key};

    /// The key schedules of Go's x/crypto (big-endian) and forgottenserver (little-endian).
    #[test]
    fn xtea_has_the_published_round_keys() {
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
        fn words<O: Order>(key: [u8; 16]) -> [u32; 4] {
            *Key::<O>::from(key).words()
        }

        let text = include_str!("../tests/data/public.json");
        let schedules = serde_json::from_str::<File>(text).unwrap().schedules;
        assert!(!schedules.is_empty());
        for published in schedules {
            let key = published.key.as_slice().try_into().unwrap();
            let order = published.endian.parse().unwrap();
            let words = match order {
                ByteOrder::Be => words::<crate::byte_order::Be>(key),
                ByteOrder::Le => words::<crate::byte_order::Le>(key),
                ByteOrder::Le64 => words::<crate::byte_order::Le64>(key),
            };
            let parameters = Parameters::from_cycles(published.cycles).unwrap();
            let schedule = XteaSchedule::xtea(order, &words, parameters);
            let round_keys: Vec<_> = schedule
                .key()
                .iter()
                .map(|word| format!("{word:08x}"))
                .collect();
            assert_eq!(round_keys, published.schedule, "{}", published.id);
        }
    }
}
