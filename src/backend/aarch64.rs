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
        wide: Some(NEON_LANES),
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
        wide: Some(LanesKernels {
            qq_encrypt: tea_lanes!("qq_encrypt_lanes", "sha3", 32),
            qq_decrypt: tea_lanes!("qq_decrypt_lanes", "sha3", 32),
            tea_cbc_encrypt: tea_lanes!("tea_cbc_encrypt_lanes", "sha3", 32),
            ..NEON_LANES
        }),
        narrow: None,
    },
};

/// A pass of vectors takes the time of two to three blocks one after the other, however few it carries.
const TWO_BLOCKS: UpTo = UpTo {
    tea: 2,
    xtea: 2,
    kernels: SCALAR_BLOCKS,
};

const NEON_BLOCKS: BlocksKernels = blocks_kernels!("neon");
const NEON_LANES: LanesKernels<32> = lanes_kernels!("neon", 32 by 4, [1, 2, 4, 8], few up to 2);

const SCALAR_BLOCKS: BlocksKernels = blocks_kernels!("scalar");
const SCALAR_CHAIN: ChainKernels = chain_kernels!();
