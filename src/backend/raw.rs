//! The kernels as bare functions, for the tests of what they touch beside their results. Feature
//! `_kernels`, which is no part of the interface.

use alloc::{format, string::String, vec::Vec};

use super::{BlocksKernels, ChainKernels, LanesKernels, available, portable};

/// A kernel that this processor can run.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name in `asm/`; the portable ones are named alike.
    pub name: String,
    /// To be called by the convention of the kernels with the arguments that the types in
    /// `src/backend/mod.rs` name.
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
    /// Which takes sums beside its schedule of 4 words.
    Tea,
    /// Which takes a schedule of 128 words alone.
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

/// Adds the functions of a table, by the names of their fields.
macro_rules! add {
    ($all:ident, $from:expr, $shape:expr, $portable:expr, $suffix:expr,
     $($field:ident: $cipher:ident $chaining:ident),*) => {$(
        $all.push(Kernel {
            name: format!("{}_{}", stringify!($field), $suffix),
            function: $from.$field as *const (),
            portable: $portable.$field as *const (),
            shape: $shape,
            cipher: Cipher::$cipher,
            chaining: Chaining::$chaining,
        });
    )*};
}

fn blocks(all: &mut Vec<Kernel>, from: &BlocksKernels, backend: &str) {
    add!(all, from, Shape::Blocks, portable::BLOCKS, format!("blocks_{backend}"),
        tea_encrypt: Tea Ecb, tea_decrypt: Tea Ecb, xtea_encrypt: Xtea Ecb, xtea_decrypt: Xtea Ecb);
}

fn chain(all: &mut Vec<Kernel>, from: &ChainKernels, backend: &str) {
    add!(all, from, Shape::Chain, portable::KERNELS.chain, backend,
        qq_encrypt: Tea Qq, qq_decrypt: Tea Qq,
        tea_cbc_encrypt: Tea Cbc, xtea_cbc_encrypt: Xtea Cbc);
}

fn lanes<const W: usize>(all: &mut Vec<Kernel>, from: &LanesKernels<W>, backend: &str) {
    let shape = Shape::Lanes {
        lanes: W,
        group: from.group,
        groups: from.groups,
    };
    add!(all, from, shape, portable::KERNELS.chain, format!("lanes_{backend}"),
        qq_encrypt: Tea Qq, qq_decrypt: Tea Qq,
        tea_cbc_encrypt: Tea Cbc, xtea_cbc_encrypt: Xtea Cbc);
}

/// All kernels of the available backends. One that several backends have is named after the slowest of
/// them, which is the one that it was written for.
#[must_use]
pub fn kernels() -> Vec<Kernel> {
    let mut all = Vec::new();
    for backend in available() {
        let (kernels, name) = (backend.0, backend.name());
        for few in kernels.few {
            blocks(&mut all, &few.kernels, name);
        }
        blocks(&mut all, &kernels.many, name);
        chain(&mut all, &kernels.chain, name);
        if let Some(narrow) = &kernels.batch.narrow {
            lanes(&mut all, narrow, name);
        }
        if let Some(wide) = &kernels.batch.wide {
            lanes(&mut all, wide, name);
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
