//! The table of functions that a backend is, and the kinds of functions in it.

use super::{
    abi::convention,
    description::{Description, LaneGroups},
    lanes::{LanesKernel, NARROW, WIDE},
};
use crate::{
    chaining::State,
    parameters::Table,
    schedule::{Schedule, TEA_WORDS, TeaSchedule, XTEA_WORDS, XteaSchedule},
};

/// `(schedule, source, destination, blocks)`: independent blocks.
///
/// Every kernel needs a valid schedule of 1 to 64 cycles; `blocks` readable blocks at the source and
/// as many writable ones at the destination, which are the same memory or share none. It touches
/// nothing else. There is no alignment, and 0 blocks are harmless.
pub(super) type BlocksKernel<S> = convention!(unsafe fn(*const S, *const u8, *mut u8, usize));

/// `(schedule, chaining state, source, destination, blocks)`: blocks that are chained. CBC touches the
/// ciphertext alone of the state.
pub(super) type ChainKernel<S> =
    convention!(unsafe fn(*const S, *mut State, *const u8, *mut u8, usize));

pub(super) struct BlocksKernels {
    pub(super) tea_encrypt: BlocksKernel<TeaSchedule>,
    pub(super) tea_decrypt: BlocksKernel<TeaSchedule>,
    pub(super) xtea_encrypt: BlocksKernel<XteaSchedule>,
    pub(super) xtea_decrypt: BlocksKernel<XteaSchedule>,
}

pub(super) struct ChainKernels {
    pub(super) qq_encrypt: ChainKernel<TeaSchedule>,
    pub(super) qq_decrypt: ChainKernel<TeaSchedule>,
    pub(super) tea_cbc_encrypt: ChainKernel<TeaSchedule>,
    pub(super) xtea_cbc_encrypt: ChainKernel<XteaSchedule>,
}

/// Many messages, one in each of `W` lanes.
pub(super) struct LanesKernels<const W: usize> {
    pub(super) groups: LaneGroups,
    pub(super) qq_encrypt: LanesKernel<W, TEA_WORDS>,
    pub(super) qq_decrypt: LanesKernel<W, TEA_WORDS>,
    pub(super) tea_cbc_encrypt: LanesKernel<W, TEA_WORDS>,
    pub(super) xtea_cbc_encrypt: LanesKernel<W, XTEA_WORDS>,
}

/// Kernels for up to so many blocks. Vectors have to be filled and emptied, and the widest ones are
/// slower to pass through, which few blocks do not repay. The numbers are measured on x86_64 and
/// estimated on aarch64.
pub(super) struct UpTo {
    pub(super) tea: usize,
    pub(super) xtea: usize,
    pub(super) kernels: BlocksKernels,
}

/// The functions of one backend.
pub(super) struct Kernels {
    pub(super) description: Description,
    /// Whether this processor and system can run the functions.
    pub(super) detect: fn() -> bool,
    /// The narrowest first.
    pub(super) few: &'static [UpTo],
    pub(super) many: BlocksKernels,
    pub(super) chain: ChainKernels,
    /// What the wide lanes leave goes to the narrow ones, and what those leave one by one.
    pub(super) wide: Option<LanesKernels<WIDE>>,
    pub(super) narrow: Option<LanesKernels<NARROW>>,
}

/// Independent blocks in one direction, by their place in a table.
pub(crate) struct Independent<S> {
    pub(super) few: fn(&UpTo) -> usize,
    pub(super) kernel: fn(&BlocksKernels) -> BlocksKernel<S>,
}

pub(crate) const TEA_ENCRYPT: Independent<TeaSchedule> = Independent {
    few: |few| few.tea,
    kernel: |kernels| kernels.tea_encrypt,
};
pub(crate) const TEA_DECRYPT: Independent<TeaSchedule> = Independent {
    few: |few| few.tea,
    kernel: |kernels| kernels.tea_decrypt,
};
pub(crate) const XTEA_ENCRYPT: Independent<XteaSchedule> = Independent {
    few: |few| few.xtea,
    kernel: |kernels| kernels.xtea_encrypt,
};
pub(crate) const XTEA_DECRYPT: Independent<XteaSchedule> = Independent {
    few: |few| few.xtea,
    kernel: |kernels| kernels.xtea_decrypt,
};

/// A chain of blocks in one direction, by its place in a table: one message, and many.
pub(crate) struct Chained<const K: usize, S> {
    pub(super) one: fn(&ChainKernels) -> ChainKernel<Schedule<K, S>>,
    pub(super) wide: fn(&LanesKernels<WIDE>) -> LanesKernel<WIDE, K>,
    pub(super) narrow: fn(&LanesKernels<NARROW>) -> LanesKernel<NARROW, K>,
}

/// A chain under TEA.
pub(crate) type TeaChained = Chained<TEA_WORDS, Table>;

pub(crate) const QQ_ENCRYPT: TeaChained = Chained {
    one: |kernels| kernels.qq_encrypt,
    wide: |kernels| kernels.qq_encrypt,
    narrow: |kernels| kernels.qq_encrypt,
};
pub(crate) const QQ_DECRYPT: TeaChained = Chained {
    one: |kernels| kernels.qq_decrypt,
    wide: |kernels| kernels.qq_decrypt,
    narrow: |kernels| kernels.qq_decrypt,
};
pub(crate) const TEA_CBC_ENCRYPT: TeaChained = Chained {
    one: |kernels| kernels.tea_cbc_encrypt,
    wide: |kernels| kernels.tea_cbc_encrypt,
    narrow: |kernels| kernels.tea_cbc_encrypt,
};
pub(crate) const XTEA_CBC_ENCRYPT: Chained<XTEA_WORDS, ()> = Chained {
    one: |kernels| kernels.xtea_cbc_encrypt,
    wide: |kernels| kernels.xtea_cbc_encrypt,
    narrow: |kernels| kernels.xtea_cbc_encrypt,
};
