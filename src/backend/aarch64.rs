//! The kernels of `asm/aarch64`.
//!
//! No hardware was at hand: where one kernel takes over from another is estimated by
//! `report/mca.sh`.

use super::{
    abi::convention,
    description,
    lanes::{Lanes, WIDE},
    link::{kernel, kernels},
    portable,
    table::{BlocksKernels, ChainKernels, Kernels, LanesKernels, UpTo},
};
use crate::{
    chaining::State,
    schedule::{TEA_WORDS, TeaSchedule, XTEA_WORDS, XteaSchedule},
};

cpufeatures::new!(sha3, "sha3");

/// The slowest first.
pub(super) static BACKENDS: [&Kernels; 3] = [&SCALAR, &NEON, &SHA3];

/// Many blocks go through the portable code, which the compiler makes vectors of.
static SCALAR: Kernels = Kernels {
    description: description::SCALAR_AARCH64,
    detect: || true,
    few: &[UpTo {
        tea: 4,
        xtea: 4,
        kernels: SCALAR_BLOCKS,
    }],
    many: portable::BLOCKS,
    chain: SCALAR_CHAIN,
    wide: None,
    narrow: None,
};

static NEON: Kernels = Kernels {
    description: description::NEON,
    detect: || true,
    few: &[TWO_BLOCKS],
    many: NEON_BLOCKS,
    chain: SCALAR_CHAIN,
    wide: Some(NEON_LANES),
    narrow: None,
};

static SHA3: Kernels = Kernels {
    description: description::SHA3,
    detect: sha3::get,
    few: &[TWO_BLOCKS],
    many: BlocksKernels {
        tea_encrypt: kernel!(blocks TeaSchedule, "tea_encrypt_blocks", "sha3"),
        tea_decrypt: kernel!(blocks TeaSchedule, "tea_decrypt_blocks", "sha3"),
        ..NEON_BLOCKS
    },
    chain: SCALAR_CHAIN,
    wide: Some(LanesKernels {
        qq_encrypt: kernel!(lanes Lanes<WIDE, TEA_WORDS>, "qq_encrypt_lanes", "sha3"),
        qq_decrypt: kernel!(lanes Lanes<WIDE, TEA_WORDS>, "qq_decrypt_lanes", "sha3"),
        tea_cbc_encrypt: kernel!(lanes Lanes<WIDE, TEA_WORDS>, "tea_cbc_encrypt_lanes", "sha3"),
        ..NEON_LANES
    }),
    narrow: None,
};

/// A pass of vectors takes the time of two to three blocks one after the other, however few it
/// carries.
const TWO_BLOCKS: UpTo = UpTo {
    tea: 2,
    xtea: 2,
    kernels: SCALAR_BLOCKS,
};

const NEON_BLOCKS: BlocksKernels = kernels!(blocks "neon");
const NEON_LANES: LanesKernels<WIDE> = kernels!(lanes "neon", WIDE, description::NEON);

const SCALAR_BLOCKS: BlocksKernels = kernels!(blocks "scalar");
const SCALAR_CHAIN: ChainKernels = kernels!(chain "scalar");
