//! The memory of a run: regions at known addresses, of bytes that are known or parts of terms. What is in no
//! region, or may not be read or written, stops the run.

use core::fmt;
use std::collections::HashSet;

use crate::{
    fresh::{Forgotten, Fresh},
    term::Byte,
    terms::Terms,
};

/// Why a run is no proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A jump, an address, a mask or a selection depends on a symbol.
    Secret(String),
    /// Memory outside of what the kernel may touch.
    Access(String),
    /// An instruction, or operands of it, that the proof has no rule for.
    Unknown(String),
    /// A jump out of the function, or no end.
    Flow(String),
    /// The calling convention.
    Convention(String),
    /// A result that an address, or a large number of blocks, may not have: see `origin`.
    Origin(String),
    /// The result differs from the definition's.
    Result(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret(what) => write!(f, "depends on a symbol: {what}"),
            Self::Access(what) => write!(f, "memory: {what}"),
            Self::Unknown(what) => write!(f, "no rule: {what}"),
            Self::Flow(what) => write!(f, "flow: {what}"),
            Self::Convention(what) => write!(f, "calling convention: {what}"),
            Self::Origin(what) => write!(f, "depends on an address or on how many blocks: {what}"),
            Self::Result(what) => write!(f, "result: {what}"),
        }
    }
}

/// What a kernel may do with a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read it.
    Read,
    /// Write it.
    Write,
    /// Both.
    Both,
    /// Both, but for what lies below the stack pointer.
    Stack,
}

/// Bytes that lie together.
#[derive(Clone, Debug)]
pub struct Region {
    /// What messages call it.
    pub name: &'static str,
    /// Its first address.
    pub base: u64,
    /// What it holds.
    pub bytes: Vec<Byte>,
    /// What may be done with it.
    pub access: Access,
}

/// All that a kernel can reach.
#[derive(Debug, Default)]
pub struct Memory {
    regions: Vec<Region>,
    /// The stack pointer.
    pub floor: u64,
    /// What the stack has held that is not known, and at which of its bytes.
    pub held: Vec<(usize, Byte)>,
    /// Bytes of ciphertext, which the stack may keep.
    pub public: HashSet<Byte>,
    /// The number of blocks that the kernel is called for.
    pub blocks: u64,
    /// Up to this number of blocks, all are tried.
    pub tried: u64,
}

impl Region {
    /// Whether it is as long as there are blocks.
    pub(crate) fn is_text(&self) -> bool {
        [SOURCE, TARGET, TEXT].contains(&self.name)
    }
}

/// What texts are called.
pub const SOURCE: &str = "the source";
/// See `SOURCE`.
pub const TARGET: &str = "the destination";
/// Source and destination in one.
pub const TEXT: &str = "the text";

impl Memory {
    /// Adds a region. It may touch no other one.
    ///
    /// # Panics
    /// If it does.
    pub fn add(&mut self, name: &'static str, base: u64, access: Access, bytes: Vec<Byte>) {
        let place = self.regions.partition_point(|region| region.base < base);
        let end = base + bytes.len() as u64;
        let free_below = place == 0 || {
            let before = &self.regions[place - 1];
            before.base + before.bytes.len() as u64 <= base
        };
        assert!(
            free_below && self.regions.get(place).is_none_or(|next| end <= next.base),
            "{name}"
        );
        self.regions.insert(
            place,
            Region {
                name,
                base,
                bytes,
                access,
            },
        );
    }

    /// The region that begins at an address.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn region(&self, base: u64) -> &Region {
        let found = self
            .regions
            .iter()
            .find(|region| region.base == base && !region.bytes.is_empty());
        found.expect("it was added")
    }

    /// A region that is nearer to an address than `by`.
    pub(crate) fn near(&self, at: u64, by: u64) -> Option<&Region> {
        let next = self.regions.partition_point(|region| region.base <= at);
        let before = self.regions[..next].last();
        let within = |region: &&Region| at - region.base < region.bytes.len() as u64 + by;
        before
            .filter(within)
            .or_else(|| self.regions.get(next).filter(|next| next.base - at < by))
    }

    fn find(&self, at: u64, len: usize, write: bool) -> Result<(usize, usize), Refusal> {
        let refuse = |what: &str| {
            let verb = if write { "written" } else { "read" };
            Err(Refusal::Access(format!(
                "{len} bytes at {at:#x} are {verb}, {what}"
            )))
        };
        let Some(number) = self
            .regions
            .partition_point(|region| region.base <= at)
            .checked_sub(1)
        else {
            return refuse("which is nowhere");
        };
        let region = &self.regions[number];
        let offset = usize::try_from(at - region.base).unwrap_or(usize::MAX);
        if offset.saturating_add(len) > region.bytes.len() {
            return refuse(&format!("beyond {}", region.name));
        }
        let allowed = match region.access {
            Access::Read => !write,
            Access::Write => write,
            Access::Both => true,
            Access::Stack => at >= self.floor,
        };
        if !allowed {
            return refuse(&format!("in {}", region.name));
        }
        Ok((number, offset))
    }

    /// Reads.
    ///
    /// # Errors
    /// If that is not allowed.
    pub fn load(&self, at: u64, len: usize) -> Result<&[Byte], Refusal> {
        let (number, offset) = self.find(at, len, false)?;
        Ok(&self.regions[number].bytes[offset..offset + len])
    }

    /// Writes.
    ///
    /// # Errors
    /// If that is not allowed.
    pub fn store(&mut self, at: u64, bytes: &[Byte]) -> Result<(), Refusal> {
        let (number, offset) = self.find(at, bytes.len(), true)?;
        if self.regions[number].access == Access::Stack {
            let unknown = (offset..).zip(bytes.iter().copied());
            self.held.extend(
                unknown.filter(|(_, byte)| byte.value().is_none() && !self.public.contains(byte)),
            );
        }
        self.regions[number].bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// Puts new symbols into regions that are at the same place in another memory, see `Fresh::forget`.
    pub(crate) fn forget(
        &mut self,
        other: &Self,
        fresh: &mut Fresh,
        forgotten: &mut Forgotten,
        terms: &mut Terms,
    ) {
        for region in &mut self.regions {
            let len = region.bytes.len();
            let same = |there: &&Region| there.base == region.base && there.bytes.len() == len;
            if let Some(there) = other.regions.iter().find(same) {
                fresh.forget(
                    &mut region.bytes,
                    &there.bytes,
                    region.base,
                    forgotten,
                    terms,
                );
            }
        }
    }
}
