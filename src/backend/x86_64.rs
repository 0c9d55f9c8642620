//! The kernels of `asm/x86_64`.

use super::{
    abi::convention,
    description,
    lanes::{Lanes, NARROW, WIDE},
    link::{kernel, kernels},
    portable,
    table::{BlocksKernels, ChainKernels, Kernels, LanesKernels, UpTo},
};
use crate::{
    chaining::State,
    schedule::{TEA_WORDS, TeaSchedule, XTEA_WORDS, XteaSchedule},
};

cpufeatures::new!(ssse3, "ssse3");
cpufeatures::new!(avx2, "avx2");
cpufeatures::new!(avx512, "avx512f", "avx512bw", "avx512vl", "avx2");

/// The slowest first.
pub(super) static BACKENDS: [&Kernels; 4] = [&SCALAR, &SSSE3, &AVX2, &AVX512];

/// Many blocks go through the portable code, which the compiler makes vectors of.
static SCALAR: Kernels = Kernels {
    description: description::SCALAR_X86_64,
    detect: || true,
    few: &[UpTo {
        tea: 6,
        xtea: 3,
        kernels: SCALAR_BLOCKS,
    }],
    many: portable::BLOCKS,
    chain: SCALAR_CHAIN,
    wide: None,
    narrow: None,
};

static SSSE3: Kernels = Kernels {
    description: description::SSSE3,
    detect: ssse3::get,
    few: &[ONE_BLOCK],
    many: kernels!(blocks "ssse3"),
    chain: SCALAR_CHAIN,
    wide: None,
    narrow: None,
};

static AVX2: Kernels = Kernels {
    description: description::AVX2,
    detect: avx2::get,
    few: &[ONE_BLOCK],
    many: AVX2_BLOCKS,
    chain: SCALAR_CHAIN,
    wide: None,
    narrow: Some(AVX2_LANES),
};

static AVX512: Kernels = Kernels {
    description: description::AVX512,
    detect: avx512::get,
    few: &[
        ONE_BLOCK,
        UpTo {
            tea: 16,
            xtea: 16,
            kernels: AVX2_BLOCKS,
        },
    ],
    many: kernels!(blocks "avx512"),
    chain: SCALAR_CHAIN,
    wide: Some(kernels!(lanes "avx512", WIDE, description::AVX512)),
    narrow: Some(AVX2_LANES),
};

const ONE_BLOCK: UpTo = UpTo {
    tea: 1,
    xtea: 1,
    kernels: SCALAR_BLOCKS,
};

const AVX2_BLOCKS: BlocksKernels = kernels!(blocks "avx2");
const AVX2_LANES: LanesKernels<NARROW> = kernels!(lanes "avx2", NARROW, description::AVX2);

/// General-purpose registers alone, which every x86_64 processor has.
const SCALAR_BLOCKS: BlocksKernels = kernels!(blocks "scalar");
const SCALAR_CHAIN: ChainKernels = kernels!(chain "scalar");
