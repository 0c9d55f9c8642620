//! The kernels of `asm/x86_64`.

use super::{
    Batch, BlocksKernels, ChainKernels, Kernels, LanesKernels, UpTo, lanes::Lanes, portable,
};
use crate::{
    qq::State,
    schedule::{MAX_CYCLES, TeaSchedule, XteaSchedule},
};

cpufeatures::new!(ssse3, "ssse3");
cpufeatures::new!(avx2, "avx2");
cpufeatures::new!(avx512, "avx512f", "avx512bw", "avx512vl", "avx2");

/// The slowest first.
pub(super) static BACKENDS: [&Kernels; 4] = [&SCALAR, &SSSE3, &AVX2, &AVX512];

/// The last of `BACKENDS` that this processor can run.
#[inline]
pub(super) fn fastest() -> &'static Kernels {
    if avx512::get() {
        &AVX512
    } else if avx2::get() {
        &AVX2
    } else if ssse3::get() {
        &SSSE3
    } else {
        &SCALAR
    }
}

/// Many blocks go through the portable code, which the compiler makes vectors of.
static SCALAR: Kernels = Kernels {
    name: "scalar",
    detect: || true,
    few: &[UpTo {
        tea: 6,
        xtea: 3,
        kernels: SCALAR_BLOCKS,
    }],
    many: portable::BLOCKS,
    chain: SCALAR_CHAIN,
    batch: Batch::ONE_BY_ONE,
};

static SSSE3: Kernels = Kernels {
    name: "ssse3",
    detect: ssse3::get,
    few: &[ONE_BLOCK],
    many: blocks_kernels!("ssse3"),
    chain: SCALAR_CHAIN,
    batch: Batch::ONE_BY_ONE,
};

static AVX2: Kernels = Kernels {
    name: "avx2",
    detect: avx2::get,
    few: &[ONE_BLOCK],
    many: AVX2_BLOCKS,
    chain: SCALAR_CHAIN,
    batch: Batch {
        wide: None,
        narrow: Some(AVX2_LANES),
    },
};

static AVX512: Kernels = Kernels {
    name: "avx512",
    detect: avx512::get,
    few: &[
        ONE_BLOCK,
        UpTo {
            tea: 16,
            xtea: 16,
            kernels: AVX2_BLOCKS,
        },
    ],
    many: blocks_kernels!("avx512"),
    chain: SCALAR_CHAIN,
    batch: Batch {
        wide: Some(lanes_kernels!("avx512", 64 by 16, [1, 2, 3, 4], few up to 8)),
        narrow: Some(AVX2_LANES),
    },
};

const ONE_BLOCK: UpTo = UpTo {
    tea: 1,
    xtea: 1,
    kernels: SCALAR_BLOCKS,
};

const AVX2_BLOCKS: BlocksKernels = blocks_kernels!("avx2");
const AVX2_LANES: LanesKernels<16> = lanes_kernels!("avx2", 16 by 8, [1, 2], few up to 1);

/// General-purpose registers alone, which every x86_64 processor has.
const SCALAR_BLOCKS: BlocksKernels = blocks_kernels!("scalar");
const SCALAR_CHAIN: ChainKernels = chain_kernels!();
