//! Backends: who runs the rounds, the portable Rust code or a set of hand-written kernels.
//!
//! A backend is one table of functions. The best one that the processor can run is picked when a
//! key is set up, and the key carries it; [`active`] tells which. All give the same bytes.
//!
//! `--cfg fasttea_backend="portable"` in `RUSTFLAGS` (or another name of [`NAMES`]) makes one of
//! them the choice of a whole program, wherever the processor can run it.
//!
//! # Examples
//!
//! ```
//! use fasttea::{Be, Tea, backend};
//!
//! println!("running {}", backend::active());
//!
//! let portable = backend::by_name("portable").expect("there is always the portable one");
//! let cipher = Tea::<Be>::with_cycles(b"0123456789ABCDEF", 16)?.with_backend(portable);
//! # Ok::<(), fasttea::Error>(())
//! ```
// This folder is the only place with unsafe code.
#![allow(unsafe_code)]

use core::{
    fmt, ptr,
    sync::atomic::{Ordering, compiler_fence},
};

pub(crate) use lanes::Job;

use cipher::{Array, InOut, InOutBuf, consts::U8};

use crate::{
    qq::State,
    schedule::{ByteOrder, MAX_CYCLES, Sums, TeaSchedule, XteaSchedule},
};

// Kernels keep one calling convention on every x86_64 system: rustc saves what Windows wants.
// The tables hold portable functions too, hence the macro for definitions beside that for types.
// `kernels!` declares those of the assembly.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    (type ($($parameter:ty),*)) => { unsafe extern "sysv64" fn($($parameter),*) };
    (fn $name:ident($($parameter:ident: $type:ty),*) $body:block) => {
        unsafe extern "sysv64" fn $name($($parameter: $type),*) $body
    };
}
#[cfg(not(target_arch = "x86_64"))]
macro_rules! kernel {
    (type ($($parameter:ty),*)) => { unsafe extern "C" fn($($parameter),*) };
    (fn $name:ident($($parameter:ident: $type:ty),*) $body:block) => {
        unsafe extern "C" fn $name($($parameter: $type),*) $body
    };
}

#[cfg(all(fasttea_asm, not(miri)))]
#[macro_use]
mod link;
mod lanes;
mod portable;
#[doc(hidden)]
#[cfg(feature = "_kernels")]
pub mod raw;
// build.rs sets `fasttea_asm` where there are kernels for the target.
#[cfg(all(fasttea_asm, not(miri)))]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
mod arch;
/// Without assembly.
#[cfg(not(all(fasttea_asm, not(miri))))]
mod arch {
    use super::{Kernels, portable};

    pub(super) static BACKENDS: [&Kernels; 0] = [];

    pub(super) fn fastest() -> &'static Kernels {
        &portable::KERNELS
    }
}

/// The backend that the build wants, or "": build.rs takes it from `--cfg fasttea_backend`.
const FORCED: &str = env!("FASTTEA_FORCED_BACKEND");

/// The names of all backends, on whatever processor and system.
pub const NAMES: &[&str] = &[
    "portable", "scalar", "ssse3", "avx2", "avx512", "neon", "sha3",
];

/// A block of eight bytes.
pub(crate) type Block = Array<u8, U8>;

/// `(schedule, sums, source, destination, blocks)`
type TeaBlocks = kernel!(type (*const TeaSchedule, *const u32, *const u8, *mut u8, usize));
/// `(schedule, source, destination, blocks)`
type XteaBlocks = kernel!(type (*const XteaSchedule, *const u8, *mut u8, usize));
/// `(schedule, sums, chaining state, source, destination, blocks)`
type QqChain =
    kernel!(type (*const TeaSchedule, *const u32, *mut State, *const u8, *mut u8, usize));

/// `(schedule, sums, chaining value, source, destination, blocks)`
type TeaCbcChain = kernel!(type (
    *const TeaSchedule, *const u32, *mut [u32; 2], *const u8, *mut u8, usize
));
/// `(schedule, chaining value, source, destination, blocks)`
type XteaCbcChain = kernel!(type (*const XteaSchedule, *mut [u32; 2], *const u8, *mut u8, usize));

/// What a kernel needs, and so what a safe caller has to bring: a valid schedule of 1 to 64 cycles
/// and 64 sums; `blocks` readable blocks at the source and as many writable ones at the destination,
/// which are the same memory or share none. Nothing else is read or written. There is no alignment,
/// and 0 blocks are harmless.
///
/// These are independent blocks.
struct BlocksKernels {
    tea_encrypt: TeaBlocks,
    tea_decrypt: TeaBlocks,
    xtea_encrypt: XteaBlocks,
    xtea_decrypt: XteaBlocks,
}

/// Blocks that are chained.
struct ChainKernels {
    qq_encrypt: QqChain,
    qq_decrypt: QqChain,
    tea_cbc_encrypt: TeaCbcChain,
    xtea_cbc_encrypt: XteaCbcChain,
}

/// `(lanes, sums, steps, groups)`
type TeaLanes<const W: usize> = kernel!(type (*mut lanes::Lanes<W, 4>, *const u32, usize, usize));
/// `(lanes, steps, groups)`
type XteaLanes<const W: usize> =
    kernel!(type (*mut lanes::Lanes<W, { 2 * MAX_CYCLES }>, usize, usize));

/// Messages side by side, one in each of `W` lanes: see [`lanes`] for what they need.
struct LanesKernels<const W: usize> {
    /// Lanes in a group, which run or rest together.
    group: usize,
    /// How many groups can run, the smallest number first.
    groups: &'static [usize],
    /// The most messages that are quicker without it.
    few: usize,
    qq_encrypt: TeaLanes<W>,
    qq_decrypt: TeaLanes<W>,
    tea_cbc_encrypt: TeaLanes<W>,
    xtea_cbc_encrypt: XteaLanes<W>,
}

/// The lanes kernels of a backend, as far as it has any. What the wide one leaves goes to the narrow
/// one, and what that leaves one by one.
struct Batch {
    wide: Option<LanesKernels<{ lanes::WIDE }>>,
    narrow: Option<LanesKernels<16>>,
}

impl Batch {
    const ONE_BY_ONE: Self = Self {
        wide: None,
        narrow: None,
    };
}

/// Kernels for up to so many blocks: vectors have to be filled and emptied, and the widest ones are
/// slower to pass through, which few blocks do not repay. The numbers are measured on x86_64 and estimated
/// on aarch64.
struct UpTo {
    tea: usize,
    xtea: usize,
    kernels: BlocksKernels,
}

/// The functions of one backend.
struct Kernels {
    name: &'static str,
    /// Whether this processor and system can run the functions.
    detect: fn() -> bool,
    /// The narrowest first.
    few: &'static [UpTo],
    many: BlocksKernels,
    chain: ChainKernels,
    batch: Batch,
}

impl Kernels {
    #[inline]
    fn tea(&self, blocks: usize) -> &BlocksKernels {
        self.pick(|few| blocks <= few.tea)
    }

    #[inline]
    fn xtea(&self, blocks: usize) -> &BlocksKernels {
        self.pick(|few| blocks <= few.xtea)
    }

    #[inline]
    fn pick(&self, fits: impl Fn(&UpTo) -> bool) -> &BlocksKernels {
        match self.few.iter().find(|few| fits(few)) {
            Some(few) => &few.kernels,
            None => &self.many,
        }
    }
}

/// A backend that this processor can run.
#[derive(Clone, Copy)]
pub struct Backend(&'static Kernels);

/// The backend that new keys use: the one that the build forces, else the fastest.
#[must_use]
#[inline]
pub fn active() -> Backend {
    if !FORCED.is_empty() {
        if let Some(forced) = by_name(FORCED) {
            return forced;
        }
    }
    Backend(arch::fastest())
}

/// The backends that this build has and this processor can run, the slowest first.
#[inline]
pub fn available() -> impl Iterator<Item = Backend> {
    core::iter::once(&portable::KERNELS)
        .chain(arch::BACKENDS.iter().copied())
        .filter(|kernels| (kernels.detect)())
        .map(Backend)
}

/// The backend of that name, if this build has it and this processor can run it.
#[must_use]
pub fn by_name(name: &str) -> Option<Backend> {
    available().find(|backend| backend.name() == name)
}

impl Backend {
    /// The name, one of [`NAMES`].
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    #[inline]
    pub(crate) fn tea_encrypt(self, key: &TeaSchedule, sums: &Sums, blocks: Blocks<'_, '_>) {
        tea(self.0.tea(blocks.len()).tea_encrypt, key, sums, blocks);
    }

    #[inline]
    pub(crate) fn tea_decrypt(self, key: &TeaSchedule, sums: &Sums, blocks: Blocks<'_, '_>) {
        tea(self.0.tea(blocks.len()).tea_decrypt, key, sums, blocks);
    }

    #[inline]
    pub(crate) fn xtea_encrypt(self, key: &XteaSchedule, blocks: Blocks<'_, '_>) {
        xtea(self.0.xtea(blocks.len()).xtea_encrypt, key, blocks);
    }

    #[inline]
    pub(crate) fn xtea_decrypt(self, key: &XteaSchedule, blocks: Blocks<'_, '_>) {
        xtea(self.0.xtea(blocks.len()).xtea_decrypt, key, blocks);
    }

    #[inline]
    pub(crate) fn qq_encrypt(
        self,
        key: &TeaSchedule,
        sums: &Sums,
        state: &mut State,
        blocks: Blocks<'_, '_>,
    ) {
        qq(self.0.chain.qq_encrypt, key, sums, state, blocks);
    }

    #[inline]
    pub(crate) fn qq_decrypt(
        self,
        key: &TeaSchedule,
        sums: &Sums,
        state: &mut State,
        blocks: Blocks<'_, '_>,
    ) {
        qq(self.0.chain.qq_decrypt, key, sums, state, blocks);
    }

    #[inline]
    pub(crate) fn tea_cbc_encrypt(
        self,
        key: &TeaSchedule,
        sums: &Sums,
        chaining_value: &mut [u32; 2],
        blocks: Blocks<'_, '_>,
    ) {
        let n = blocks.len();
        let (src, dst) = blocks.into_raw();
        let kernel = self.0.chain.tea_cbc_encrypt;
        // SAFETY: as for `tea`; the chaining value is borrowed for this call alone.
        unsafe {
            kernel(
                key,
                sums.table().as_ptr(),
                chaining_value,
                src.cast(),
                dst.cast(),
                n,
            );
        }
    }

    #[inline]
    pub(crate) fn xtea_cbc_encrypt(
        self,
        key: &XteaSchedule,
        chaining_value: &mut [u32; 2],
        blocks: Blocks<'_, '_>,
    ) {
        let n = blocks.len();
        let (src, dst) = blocks.into_raw();
        let kernel = self.0.chain.xtea_cbc_encrypt;
        // SAFETY: as for `xtea`; the chaining value is borrowed for this call alone.
        unsafe { kernel(key, chaining_value, src.cast(), dst.cast(), n) }
    }
}

/// Runs jobs in the lanes of a backend's kernels, and what they leave one by one.
macro_rules! batch {
    ($backend:expr, $cycles:expr, $order:expr, $jobs:expr, $alone:expr, $keep_state:expr, $kernel:ident $(, $sums:expr)?) => {{
        let jobs = $jobs;
        let Batch { wide, narrow } = &$backend.0.batch;
        run_lanes!(wide, $cycles, $order, jobs, $keep_state, $kernel $(, $sums)?);
        run_lanes!(narrow, $cycles, $order, jobs, $keep_state, $kernel $(, $sums)?);
        for job in jobs.iter_mut().flatten().filter(|job| !job.blocks.is_empty()) {
            $alone(job.key, &mut job.state, job.blocks.reborrow());
        }
    }};
}

macro_rules! run_lanes {
    ($kernels:expr, $cycles:expr, $order:expr, $jobs:expr, $keep_state:expr, $kernel:ident $(, $sums:expr)?) => {
        if let Some(kernels) = $kernels {
            let left = $jobs.iter().flatten().filter(|job| !job.blocks.is_empty());
            if left.count() > kernels.few {
                // SAFETY: a `Backend` holds only kernels that the processor can run, and the table
                // says what they do. There is a sum for each cycle.
                unsafe {
                    let kernel = |lanes: &mut _, steps, groups| {
                        (kernels.$kernel)(lanes, $($sums,)? steps, groups);
                    };
                    let plan = lanes::Plan {
                        group: kernels.group,
                        groups: kernels.groups,
                        few: kernels.few,
                        keep_state: $keep_state,
                    };
                    lanes::run($cycles, $order, kernel, &plan, $jobs);
                }
            }
        }
    };
}

/// A batch of one of TEA's chains, whose call for one message takes `$chaining` of a job's state.
macro_rules! tea_batch {
    ($name:ident, $kernel:ident, $state:ident => $chaining:expr, $keep_state:literal) => {
        pub(crate) fn $name(
            self,
            cycles: usize,
            order: ByteOrder,
            sums: &Sums,
            jobs: &mut [Option<Job<'_, 4>>],
        ) {
            let alone = |key: &TeaSchedule, $state: &mut State, blocks: Blocks<'_, '_>| {
                self.$kernel(key, sums, $chaining, blocks);
            };
            let table = sums.table().as_ptr();
            batch!(
                self,
                cycles,
                order,
                jobs,
                alone,
                $keep_state,
                $kernel,
                table
            );
        }
    };
}

/// Batches. The jobs share cycles, word order and sums; each has its own key.
impl Backend {
    tea_batch!(qq_encrypt_batch, qq_encrypt, state => state, false);
    tea_batch!(qq_decrypt_batch, qq_decrypt, state => state, false);
    tea_batch!(tea_cbc_encrypt_batch, tea_cbc_encrypt, state => &mut state.ciphertext, true);

    pub(crate) fn xtea_cbc_encrypt_batch(
        self,
        cycles: usize,
        order: ByteOrder,
        jobs: &mut [Option<Job<'_, { 2 * MAX_CYCLES }>>],
    ) {
        let alone = |key: &XteaSchedule, state: &mut State, blocks: Blocks<'_, '_>| {
            self.xtea_cbc_encrypt(key, &mut state.ciphertext, blocks);
        };
        batch!(self, cycles, order, jobs, alone, true, xtea_cbc_encrypt);
    }
}

/// Blocks to be read at one place and written at the same or another.
pub(crate) type Blocks<'inp, 'out> = InOutBuf<'inp, 'out, Block>;

/// One block as a buffer of blocks.
#[inline]
pub(crate) fn single<'inp, 'out, T>(block: InOut<'inp, 'out, T>) -> InOutBuf<'inp, 'out, T> {
    let (src, dst) = block.into_raw();
    // SAFETY: an `InOut` is one block to read and to write, the same or disjoint, for its lifetimes.
    unsafe { InOutBuf::from_raw(src, dst, 1) }
}

#[inline]
fn tea(kernel: TeaBlocks, key: &TeaSchedule, sums: &Sums, blocks: Blocks<'_, '_>) {
    let n = blocks.len();
    let (src, dst) = blocks.into_raw();
    // SAFETY: a `Backend` holds only kernels that the processor can run. The references are valid,
    // there is a sum for each of the schedule's cycles, which are at most 64, and an `InOutBuf` is
    // `n` blocks to read and to write, which are the same or disjoint.
    unsafe { kernel(key, sums.table().as_ptr(), src.cast(), dst.cast(), n) }
}

#[inline]
fn xtea(kernel: XteaBlocks, key: &XteaSchedule, blocks: Blocks<'_, '_>) {
    let n = blocks.len();
    let (src, dst) = blocks.into_raw();
    // SAFETY: as for `tea`; an XTEA schedule has round keys for 64 cycles.
    unsafe { kernel(key, src.cast(), dst.cast(), n) }
}

#[inline]
fn qq(kernel: QqChain, key: &TeaSchedule, sums: &Sums, state: &mut State, blocks: Blocks<'_, '_>) {
    let n = blocks.len();
    let (src, dst) = blocks.into_raw();
    // SAFETY: as for `tea`; the state is borrowed for this call alone.
    unsafe { kernel(key, sums.table().as_ptr(), state, src.cast(), dst.cast(), n) }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backend({})", self.name())
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl PartialEq for Backend {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.0, other.0)
    }
}

impl Eq for Backend {}

/// A value that is no secret although it was made of secrets. The constant-time check, `ci/ctgrind.sh`,
/// is told so; in every other build this is nothing.
#[inline(always)]
pub(crate) fn declassified(value: u8) -> u8 {
    #[cfg(fasttea_ctgrind)]
    let value = {
        unsafe extern "C" {
            // SAFETY: the check defines it in safe code.
            safe fn fasttea_declassified(value: u8) -> u8;
        }
        fasttea_declassified(value)
    };
    value
}

/// Numbers, any bit pattern of which is one.
pub(crate) trait Plain: Copy + Default {}
impl Plain for u8 {}
impl Plain for u32 {}

/// Zeroes memory whose content nothing reads any more, which the compiler may not leave out.
#[inline]
pub(crate) fn wipe<T: Plain>(slice: &mut [T]) {
    fn zero<T: Default>(items: &mut [T]) {
        for item in items {
            // SAFETY: a mutable reference is valid for writing.
            unsafe { ptr::write_volatile(item, T::default()) }
        }
    }
    // SAFETY: any bytes are a `u64`, and any are what is `Plain`.
    let (head, body, tail) = unsafe { slice.align_to_mut::<u64>() };
    zero(head);
    zero(body);
    zero(tail);
    compiler_fence(Ordering::SeqCst);
}
