//! The kernels of `asm/x86_64`.

use super::{
    Batch, BlocksKernels, ChainKernels, Kernels, LanesKernels, UpTo, lanes::Lanes, portable,
};
use crate::{
    qq::State,
    schedule::{MAX_CYCLES, TeaSchedule, XteaSchedule},
};

// Kernels are named in these constants alone, never in generic or inline functions: their symbols
// are hidden, and what names them must not be compiled into another library.

/// The symbol of a kernel.
macro_rules! symbol {
    ($name:literal, $isa:literal) => {
        concat!(env!("FASTTEA_PREFIX"), "_", $name, "_", $isa)
    };
}

macro_rules! blocks_kernels {
    ($isa:literal) => {{
        unsafe extern "sysv64" {
            #[link_name = symbol!("tea_encrypt_blocks", $isa)]
            fn tea_encrypt(
                k: *const TeaSchedule,
                sums: *const u32,
                src: *const u8,
                dst: *mut u8,
                n: usize,
            );
            #[link_name = symbol!("tea_decrypt_blocks", $isa)]
            fn tea_decrypt(
                k: *const TeaSchedule,
                sums: *const u32,
                src: *const u8,
                dst: *mut u8,
                n: usize,
            );
            #[link_name = symbol!("xtea_encrypt_blocks", $isa)]
            fn xtea_encrypt(k: *const XteaSchedule, src: *const u8, dst: *mut u8, n: usize);
            #[link_name = symbol!("xtea_decrypt_blocks", $isa)]
            fn xtea_decrypt(k: *const XteaSchedule, src: *const u8, dst: *mut u8, n: usize);
        }
        BlocksKernels {
            tea_encrypt,
            tea_decrypt,
            xtea_encrypt,
            xtea_decrypt,
        }
    }};
}

macro_rules! chain_kernels {
    ($isa:literal) => {{
        unsafe extern "sysv64" {
            #[link_name = symbol!("qq_encrypt", $isa)]
            fn qq_encrypt(
                k: *const TeaSchedule,
                sums: *const u32,
                state: *mut State,
                src: *const u8,
                dst: *mut u8,
                n: usize,
            );
            #[link_name = symbol!("qq_decrypt", $isa)]
            fn qq_decrypt(
                k: *const TeaSchedule,
                sums: *const u32,
                state: *mut State,
                src: *const u8,
                dst: *mut u8,
                n: usize,
            );
            #[link_name = symbol!("tea_cbc_encrypt", $isa)]
            fn tea_cbc_encrypt(
                k: *const TeaSchedule,
                sums: *const u32,
                value: *mut [u32; 2],
                src: *const u8,
                dst: *mut u8,
                n: usize,
            );
            #[link_name = symbol!("xtea_cbc_encrypt", $isa)]
            fn xtea_cbc_encrypt(
                k: *const XteaSchedule,
                value: *mut [u32; 2],
                src: *const u8,
                dst: *mut u8,
                n: usize,
            );
        }
        ChainKernels {
            qq_encrypt,
            qq_decrypt,
            tea_cbc_encrypt,
            xtea_cbc_encrypt,
        }
    }};
}

macro_rules! lanes_kernels {
    ($isa:literal, $lanes:literal by $group:literal, few up to $few:literal) => {{
        unsafe extern "sysv64" {
            #[link_name = symbol!("qq_encrypt_lanes", $isa)]
            fn qq_encrypt(l: *mut Lanes<$lanes, 4>, sums: *const u32, steps: usize, groups: usize);
            #[link_name = symbol!("qq_decrypt_lanes", $isa)]
            fn qq_decrypt(l: *mut Lanes<$lanes, 4>, sums: *const u32, steps: usize, groups: usize);
            #[link_name = symbol!("tea_cbc_encrypt_lanes", $isa)]
            fn tea_cbc_encrypt(
                l: *mut Lanes<$lanes, 4>,
                sums: *const u32,
                steps: usize,
                groups: usize,
            );
            #[link_name = symbol!("xtea_cbc_encrypt_lanes", $isa)]
            fn xtea_cbc_encrypt(
                l: *mut Lanes<$lanes, { 2 * MAX_CYCLES }>,
                steps: usize,
                groups: usize,
            );
        }
        LanesKernels {
            group: $group,
            few: $few,
            qq_encrypt,
            qq_decrypt,
            tea_cbc_encrypt,
            xtea_cbc_encrypt,
        }
    }};
}

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
        wide: Some(lanes_kernels!("avx512", 64 by 16, few up to 8)),
        narrow: Some(AVX2_LANES),
    },
};

const ONE_BLOCK: UpTo = UpTo {
    tea: 1,
    xtea: 1,
    kernels: SCALAR_BLOCKS,
};

const AVX2_BLOCKS: BlocksKernels = blocks_kernels!("avx2");
const AVX2_LANES: LanesKernels<16> = lanes_kernels!("avx2", 16 by 8, few up to 1);

/// General-purpose registers alone, which every x86_64 processor has.
const SCALAR_BLOCKS: BlocksKernels = blocks_kernels!("scalar");
const SCALAR_CHAIN: ChainKernels = chain_kernels!("scalar");
