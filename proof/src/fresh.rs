//! New symbols.

use std::collections::BTreeSet;

use crate::{
    term::{Byte, Term},
    terms::Terms,
};

/// Symbols from here on are what was in registers and on the stack before the call.
const ENTRY: u32 = 1 << 31;
/// Whether a symbol is of what was in registers and on the stack before the call.
pub(crate) fn is_of_entry(symbol: u32) -> bool {
    symbol >= ENTRY
}

/// Addresses of words, and numbers for those of registers.
pub type Forgotten = BTreeSet<u64>;

/// The number of the latest symbol.
#[derive(Debug, Default)]
pub struct Fresh(u32);

impl Fresh {
    /// For symbols of what was in registers and on the stack before the call.
    pub(crate) fn of_entry() -> Self {
        Self(ENTRY)
    }

    /// A new symbol.
    pub fn word(&mut self, terms: &mut Terms) -> Term {
        self.0 += 1;
        terms.symbol(self.0)
    }

    /// New symbols.
    pub fn words(&mut self, count: usize, terms: &mut Terms) -> Vec<Term> {
        (0..count).map(|_| self.word(terms)).collect()
    }

    /// Puts new symbols where words, from the place `at` on, differ from others or are forgotten already, and adds
    /// their places to those.
    pub fn forget(
        &mut self,
        here: &mut [Byte],
        there: &[Byte],
        at: u64,
        forgotten: &mut Forgotten,
        terms: &mut Terms,
    ) {
        for (n, (here, there)) in (0..).zip(here.chunks_exact_mut(4).zip(there.chunks_exact(4))) {
            if *here != *there || forgotten.contains(&(at + 4 * n)) {
                here.copy_from_slice(&self.bytes::<4>(terms));
                forgotten.insert(at + 4 * n);
            }
        }
    }

    /// A register of new symbols.
    pub fn bytes<const N: usize>(&mut self, terms: &mut Terms) -> [Byte; N] {
        let mut bytes = [Byte::ZERO; N];
        for word in bytes.chunks_exact_mut(4) {
            let symbol = self.word(terms);
            word.copy_from_slice(&terms.bytes(symbol));
        }
        bytes
    }
}
