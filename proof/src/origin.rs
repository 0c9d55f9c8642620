//! What a run may learn from addresses and from the number of blocks.
//!
//! A theorem is of calls with few blocks, or `MANY`, and with everything at some address. That it holds wherever
//! things lie, and for any number of blocks that is larger, is since kernels do no more with these numbers in
//! general-purpose registers than to move, keep and use them as addresses, and compare the number of blocks with
//! numbers for which all calls are tried. So anything else stops the run.

use crate::memory::Memory;

/// Numbers that are nearer than this to an address, or to a large number of blocks, come from it.
const NEAR: u64 = 1 << 24;

/// Where a number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The number of blocks, which is large.
    Blocks,
    /// An address of a text, which the number of blocks moves.
    Text,
    /// Another address.
    Table,
    /// Nothing of these.
    Number,
}

impl Memory {
    /// Where a number comes from.
    #[must_use]
    pub fn origin(&self, value: u64) -> Origin {
        if self.blocks > NEAR && value.abs_diff(self.blocks) < NEAR {
            return Origin::Blocks;
        }
        match self.near(value, NEAR) {
            None => Origin::Number,
            Some(region) if region.is_text() => Origin::Text,
            Some(_) => Origin::Table,
        }
    }

    /// Whether a number comes from an address or the number of blocks.
    #[must_use]
    pub fn is_moved(&self, value: u64) -> bool {
        self.origin(value) != Origin::Number
    }

    /// Whether a kernel may form `a + b` or `a - b`, and then, whether it may learn from the flags: those say the same
    /// for any larger number of blocks, wherever things lie.
    #[must_use]
    pub fn sum(&self, a: u64, b: u64, subtract: bool) -> Option<bool> {
        use Origin as O;

        let is_small = |n: u64| n.min(n.wrapping_neg()) < NEAR;
        match (self.origin(a), self.origin(b)) {
            (O::Number, O::Number) => Some(true),
            (O::Blocks, O::Number) if is_small(b) => {
                // The number of blocks is compared with this one.
                let limit = self.blocks.wrapping_sub(a).wrapping_add(b);
                Some(subtract && limit <= self.tried)
            }
            (O::Text | O::Table, O::Number) if is_small(b) => Some(false),
            (O::Number, _) if !subtract && is_small(a) => Some(false),
            (O::Table, O::Table) if subtract && a.abs_diff(b) < NEAR => Some(true),
            _ => None,
        }
    }
}
