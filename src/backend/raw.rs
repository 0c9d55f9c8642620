//! The kernels as bare functions, for the tests of what they touch beside their results. Feature
//! `_kernels`, which is no part of the interface.

use alloc::{format, string::String, vec::Vec};

use super::{
    portable,
    table::{BlocksKernels, ChainKernels, Kernels, LanesKernels},
};

/// A kernel that this processor can run.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name in `asm/`; the portable ones are named alike.
    pub name: String,
    /// To be called by the convention of the kernels with the arguments that the types in
    /// `src/backend/table.rs` name.
    pub function: *const (),
    /// The portable kernel that does the same; to a lanes kernel, in each lane.
    pub portable: *const (),
    /// What it works on.
    pub shape: Shape,
    /// The cipher.
    pub cipher: Cipher,
    /// How blocks are chained.
    pub chaining: Chaining,
}

impl Kernel {
    /// How many groups of lanes can run, all of them last; 1 if it has no lanes.
    #[must_use]
    pub fn groups(&self) -> &'static [usize] {
        match self.shape {
            Shape::Lanes { groups, .. } => groups,
            Shape::Blocks | Shape::Chain => &[1],
        }
    }
}

/// What a kernel works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Independent blocks.
    Blocks,
    /// One message.
    Chain,
    /// Many messages.
    Lanes {
        /// How many.
        lanes: usize,
        /// So many run or rest together.
        group: usize,
        /// How many groups can run.
        groups: &'static [usize],
    },
}

/// The cipher of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cipher {
    /// Whose schedule has 4 words and 64 sums.
    Tea,
    /// Whose schedule has 128 words.
    Xtea,
}

/// How a kernel chains its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chaining {
    /// Not at all.
    Ecb,
    /// By the ciphertext.
    Cbc,
    /// By the ciphertext and what entered the cipher.
    Qq,
}

/// A function, the portable one that does the same, and what they are called.
type Row = (&'static str, *const (), *const (), Cipher, Chaining);

fn add(all: &mut Vec<Kernel>, shape: Shape, suffix: &str, rows: [Row; 4]) {
    for (name, function, portable, cipher, chaining) in rows {
        all.push(Kernel {
            name: format!("{name}_{suffix}"),
            function,
            portable,
            shape,
            cipher,
            chaining,
        });
    }
}

fn add_blocks(all: &mut Vec<Kernel>, from: &BlocksKernels, backend: &str) {
    use {Chaining::Ecb, Cipher::*};
    let portable = &portable::BLOCKS;
    #[rustfmt::skip]
    let rows = [
        ("tea_encrypt", from.tea_encrypt as _, portable.tea_encrypt as _, Tea, Ecb),
        ("tea_decrypt", from.tea_decrypt as _, portable.tea_decrypt as _, Tea, Ecb),
        ("xtea_encrypt", from.xtea_encrypt as _, portable.xtea_encrypt as _, Xtea, Ecb),
        ("xtea_decrypt", from.xtea_decrypt as _, portable.xtea_decrypt as _, Xtea, Ecb),
    ];
    add(all, Shape::Blocks, &format!("blocks_{backend}"), rows);
}

fn add_chain(all: &mut Vec<Kernel>, from: &ChainKernels, backend: &str) {
    use {Chaining::*, Cipher::*};
    let portable = &portable::KERNELS.chain;
    #[rustfmt::skip]
    let rows = [
        ("qq_encrypt", from.qq_encrypt as _, portable.qq_encrypt as _, Tea, Qq),
        ("qq_decrypt", from.qq_decrypt as _, portable.qq_decrypt as _, Tea, Qq),
        ("tea_cbc_encrypt", from.tea_cbc_encrypt as _, portable.tea_cbc_encrypt as _, Tea, Cbc),
        ("xtea_cbc_encrypt", from.xtea_cbc_encrypt as _, portable.xtea_cbc_encrypt as _, Xtea, Cbc),
    ];
    add(all, Shape::Chain, backend, rows);
}

fn add_lanes<const W: usize>(all: &mut Vec<Kernel>, from: &LanesKernels<W>, backend: &str) {
    use {Chaining::*, Cipher::*};
    let shape = Shape::Lanes {
        lanes: W,
        group: from.groups.group,
        groups: from.groups.groups,
    };
    let portable = &portable::KERNELS.chain;
    #[rustfmt::skip]
    let rows = [
        ("qq_encrypt", from.qq_encrypt as _, portable.qq_encrypt as _, Tea, Qq),
        ("qq_decrypt", from.qq_decrypt as _, portable.qq_decrypt as _, Tea, Qq),
        ("tea_cbc_encrypt", from.tea_cbc_encrypt as _, portable.tea_cbc_encrypt as _, Tea, Cbc),
        ("xtea_cbc_encrypt", from.xtea_cbc_encrypt as _, portable.xtea_cbc_encrypt as _, Xtea, Cbc),
    ];
    add(all, shape, &format!("lanes_{backend}"), rows);
}

/// All kernels of the available backends. One that several backends have is named after the slowest of
/// them, which is the one that it was written for.
pub(super) fn kernels<'a>(available: impl Iterator<Item = &'a Kernels>) -> Vec<Kernel> {
    let mut all = Vec::new();
    for kernels in available {
        let name = kernels.description.name;
        for few in kernels.few {
            add_blocks(&mut all, &few.kernels, name);
        }
        add_blocks(&mut all, &kernels.many, name);
        add_chain(&mut all, &kernels.chain, name);
        if let Some(narrow) = &kernels.narrow {
            add_lanes(&mut all, narrow, name);
        }
        if let Some(wide) = &kernels.wide {
            add_lanes(&mut all, wide, name);
        }
    }
    let mut seen = Vec::new();
    all.retain(|kernel| {
        let first = !seen.contains(&kernel.function);
        seen.push(kernel.function);
        first
    });
    all
}
