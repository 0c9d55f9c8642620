//! What is measured.

use core::fmt;

use fasttea::{backend::Backend, qq};
use serde::Serialize;

use crate::limit::{Limit, Processor};

/// Messages in the mixed batch, of 16 bytes to 4 KiB.
const MIXED: usize = 256;

/// Shorter messages show what a call costs, and not how far the kernel is from its limit.
const LIMIT_FROM: usize = 1024;

/// A measurement, for any backend.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Case {
    pub(super) op: Op,
    pub(super) cipher: &'static str,
    pub(super) cycles: u32,
    pub(super) direction: Direction,
    /// Of each message; of a batch of mixed lengths, on average.
    pub(super) bytes: usize,
    pub(super) messages: usize,
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Op {
    Blocks,
    Cbc,
    Qq,
    Batch,
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Direction {
    Encrypt,
    Decrypt,
}

/// Each of them, in the table's order.
pub(super) fn all() -> Vec<Case> {
    let sizes: [(_, _, _, _, &[usize]); 7] = [
        (Op::Blocks, "tea", 16, 1, &[8, 64, 1024, 16384]),
        (Op::Blocks, "xtea", 32, 1, &[8, 64, 1024, 16384]),
        (Op::Cbc, "tea", 32, 1, &[16384]),
        (Op::Cbc, "xtea", 32, 1, &[16384]),
        (Op::Qq, "qq", 16, 1, &[16, 256, 4096, 32768]),
        (Op::Batch, "qq", 16, 64, &[32, 256, 4096]),
        (Op::Batch, "qq", 16, MIXED, &[mixed_len()]),
    ];
    let mut cases = Vec::new();
    for (op, cipher, cycles, messages, sizes) in sizes {
        for &bytes in sizes {
            cases.extend(
                [Direction::Encrypt, Direction::Decrypt].map(|direction| Case {
                    op,
                    cipher,
                    cycles,
                    direction,
                    bytes,
                    messages,
                }),
            );
        }
    }
    cases
}

fn mixed_lens() -> impl Iterator<Item = usize> {
    (0..MIXED).map(|i| 16 + i * 2011 % 4081)
}

fn mixed_len() -> usize {
    mixed_lens().sum::<usize>() / MIXED
}

impl Case {
    /// Whether the messages have different lengths.
    pub(super) fn is_mixed(self) -> bool {
        self.messages == MIXED
    }

    /// The lengths of the messages.
    pub(super) fn lens(self) -> Vec<usize> {
        if self.is_mixed() {
            mixed_lens().collect()
        } else {
            vec![self.bytes; self.messages]
        }
    }

    /// The blocks that are encrypted or decrypted.
    pub(super) fn blocks(self) -> usize {
        let lens = self.lens().into_iter();
        let bytes: usize = match self.cipher {
            "qq" => lens.filter_map(qq::encrypted_len).sum(),
            _ => lens.sum(),
        };
        bytes / 8
    }

    /// The bytes of a message, or of a batch's messages.
    pub(super) fn size(self) -> String {
        let Self {
            bytes, messages, ..
        } = self;
        match self.op {
            Op::Batch if self.is_mixed() => format!("{messages} × mixed"),
            Op::Batch => format!("{messages} × {bytes}"),
            _ => bytes.to_string(),
        }
    }

    /// The fewest clocks a block that the kernel behind it can take.
    pub(super) fn limit(self, processor: &Processor, backend: Backend) -> Limit {
        let backend = backend.description();
        let chain = match self.op {
            _ if self.bytes < LIMIT_FROM => return Limit::None,
            Op::Blocks => false,
            Op::Cbc => self.direction == Direction::Encrypt,
            Op::Qq => true,
            Op::Batch => backend.lanes.is_none(),
        };
        if chain {
            processor.chain(backend, self.cipher, self.cycles)
        } else {
            processor.blocks(backend, self.cipher, self.cycles)
        }
    }
}

/// What `--filter` looks at, with the backend's name behind it.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            op,
            cipher,
            cycles,
            direction,
            ..
        } = self;
        write!(f, "{op} {cipher}-{cycles} {direction} {}", self.size())
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Blocks => "blocks",
            Self::Cbc => "cbc",
            Self::Qq => "qq",
            Self::Batch => "batch",
        })
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Encrypt => "encrypt",
            Self::Decrypt => "decrypt",
        })
    }
}
