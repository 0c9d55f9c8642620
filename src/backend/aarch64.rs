//! The kernels of `asm/aarch64`.
//!
//! No hardware was at hand: where one kernel takes over from another is estimated by `ci/mca.sh`.

use super::{
    Batch, BlocksKernels, ChainKernels, Kernels, LanesKernels, UpTo, lanes::Lanes, portable,
};
use crate::{
    qq::State,
    schedule::{MAX_CYCLES, TeaSchedule, XteaSchedule},
};

cpufeatures::new!(sha3, "sha3");

/// The slowest first.
pub(super) static BACKENDS: [&Kernels; 3] = [&SCALAR, &NEON, &SHA3];

/// The last of `BACKENDS` that this processor can run.
#[inline]
pub(super) fn fastest() -> &'static Kernels {
    if sha3::get() { &SHA3 } else { &NEON }
}

/// Many blocks go through the portable code, which the compiler makes vectors of.
static SCALAR: Kernels = Kernels {
    name: "scalar",
    detect: || true,
    few: &[UpTo {
        tea: 4,
        xtea: 4,
        kernels: SCALAR_BLOCKS,
    }],
    many: portable::BLOCKS,
    chain: SCALAR_CHAIN,
    batch: Batch::ONE_BY_ONE,
};

/// build.rs assembles nothing for a target without NEON.
static NEON: Kernels = Kernels {
    name: "neon",
    detect: || true,
    few: &[TWO_BLOCKS],
    many: NEON_BLOCKS,
    chain: SCALAR_CHAIN,
    batch: Batch {
        wide: Some(lanes_kernels!("neon", "neon", 32 by 4, GROUPS, few up to 2)),
        narrow: None,
    },
};

static SHA3: Kernels = Kernels {
    name: "sha3",
    detect: sha3::get,
    few: &[TWO_BLOCKS],
    many: BlocksKernels {
        tea_encrypt: tea_blocks!("tea_encrypt_blocks", "sha3"),
        tea_decrypt: tea_blocks!("tea_decrypt_blocks", "sha3"),
        ..NEON_BLOCKS
    },
    chain: SCALAR_CHAIN,
    batch: Batch {
        wide: Some(lanes_kernels!("sha3", "neon", 32 by 4, GROUPS, few up to 2)),
        narrow: None,
    },
};

/// A pass of vectors takes the time of two to three blocks one after the other, however few it carries.
const TWO_BLOCKS: UpTo = UpTo {
    tea: 2,
    xtea: 2,
    kernels: SCALAR_BLOCKS,
};

const GROUPS: [usize; 4] = [1, 2, 4, 8];

const NEON_BLOCKS: BlocksKernels = blocks_kernels!("neon");

const SCALAR_BLOCKS: BlocksKernels = blocks_kernels!("scalar");
const SCALAR_CHAIN: ChainKernels = chain_kernels!();
