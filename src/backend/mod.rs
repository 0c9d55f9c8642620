//! Backends: who runs the rounds, the portable Rust code or a set of hand-written kernels.
//!
//! A backend is one table of functions. The best one that the processor can run is picked when a
//! key is set up, and the key carries it; [`active`] tells which. All give the same bytes.
//!
//! `--cfg fasttea_backend="portable"` in `RUSTFLAGS`, or another name of [`ALL`], makes one of them
//! the choice of a whole program, wherever the processor can run it.
//!
//! # Examples
//!
//! ```
//! use fasttea::{Be, Tea, backend};
//!
//! println!("running {}", backend::active());
//!
//! let portable = backend::by_name("portable").expect("there is always the portable one");
//! let cipher = Tea::<Be>::from_key(b"0123456789ABCDEF").with_backend(portable);
//! ```
// This folder is the only place with unsafe code.
#![allow(unsafe_code)]

use core::{
    fmt,
    hash::{Hash, Hasher},
    ptr,
    str::FromStr,
};

use crate::{
    blocks::Blocks,
    chaining::State,
    error::Error,
    schedule::{Schedule, SumTable},
};

mod abi;
mod declassified;
mod description;
mod lanes;
mod portable;
#[cfg(feature = "_kernels")]
mod raw;
mod table;

// build.rs sets `fasttea_asm` where there are kernels for the target.
#[cfg(all(fasttea_asm, not(miri)))]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
mod arch;
#[cfg(all(fasttea_asm, not(miri)))]
mod link;
/// Without assembly.
#[cfg(not(all(fasttea_asm, not(miri))))]
mod arch {
    pub(super) static BACKENDS: [&super::table::Kernels; 0] = [];
}

pub(crate) use declassified::declassified;
pub use description::{ALL, BlockGroups, Description, LaneGroups, Work};
pub(crate) use lanes::Job;
pub(crate) use table::{
    Chained, Independent, QQ_DECRYPT, QQ_ENCRYPT, TEA_CBC_ENCRYPT, TEA_DECRYPT, TEA_ENCRYPT,
    TeaChained, XTEA_CBC_ENCRYPT, XTEA_DECRYPT, XTEA_ENCRYPT,
};

/// The backend that the build wants, by `--cfg fasttea_backend`, or "".
const FORCED: &str = env!("FASTTEA_FORCED_BACKEND");

// A name that this build does not know would be passed over in silence.
const _: () = assert!(
    FORCED.is_empty() || description::is_built(FORCED, cfg!(fasttea_asm)),
    "--cfg fasttea_backend names none of this build's backends"
);

/// A backend that this processor can run.
#[derive(Clone, Copy)]
pub struct Backend(&'static table::Kernels);

/// The backend that new keys use: the one that the build forces, else the fastest.
#[must_use]
#[inline]
pub fn active() -> Backend {
    if !FORCED.is_empty() {
        if let Some(forced) = by_name(FORCED) {
            return forced;
        }
    }
    let fastest = arch::BACKENDS.iter().rev().find(|table| (table.detect)());
    Backend(fastest.copied().unwrap_or(&portable::KERNELS))
}

/// The backends that this build has and this processor can run, the slowest first.
#[inline]
pub fn available() -> impl Iterator<Item = Backend> {
    core::iter::once(&portable::KERNELS)
        .chain(arch::BACKENDS.iter().copied())
        .filter(|table| (table.detect)())
        .map(Backend)
}

/// The backend of that name, if this build has it and this processor can run it.
#[must_use]
pub fn by_name(name: &str) -> Option<Backend> {
    available().find(|backend| backend.name() == name)
}

/// All kernels of the available backends, for the tests of what they touch.
#[doc(hidden)]
#[cfg(feature = "_kernels")]
pub mod kernels {
    pub use super::raw::{Chaining, Cipher, Kernel, Shape};

    /// One that several backends have is named after the slowest of them.
    #[must_use]
    pub fn all() -> alloc::vec::Vec<Kernel> {
        super::raw::kernels(super::available().map(|backend| backend.0))
    }
}

impl Backend {
    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.description.name
    }

    /// What it is and needs.
    #[must_use]
    pub fn description(self) -> &'static Description {
        &self.0.description
    }

    /// Runs independent blocks.
    #[inline]
    pub(crate) fn blocks<S>(self, kind: &Independent<S>, schedule: &S, blocks: Blocks<'_, '_>) {
        let n = blocks.len();
        let few = self.0.few.iter().find(|few| n <= (kind.few)(few));
        let kernels = few.map_or(&self.0.many, |few| &few.kernels);
        let kernel = (kind.kernel)(kernels);
        let (src, dst) = blocks.into_raw();
        // SAFETY: a `Backend` holds only kernels that the processor can run. A schedule is valid
        // when it is made. An `InOutBuf` is `n` blocks to read and to write, which are the same or
        // disjoint.
        unsafe { kernel(schedule, src.cast(), dst.cast(), n) }
    }

    /// Runs blocks that are chained.
    #[inline]
    pub(crate) fn chain<const K: usize, S: SumTable>(
        self,
        kind: &Chained<K, S>,
        schedule: &Schedule<K, S>,
        state: &mut State,
        blocks: Blocks<'_, '_>,
    ) {
        let kernel = (kind.one)(&self.0.chain);
        let n = blocks.len();
        let (src, dst) = blocks.into_raw();
        // SAFETY: as for `blocks`; the state is borrowed for this call alone.
        unsafe { kernel(schedule, state, src.cast(), dst.cast(), n) }
    }

    /// Runs many messages, which share all but their keys: in lanes as far as this backend has them
    /// and they pay, and what is left one by one.
    pub(crate) fn lanes<const K: usize, S: SumTable>(
        self,
        kind: &Chained<K, S>,
        jobs: &mut [Option<Job<'_, K, S>>],
    ) {
        if let Some(kernels) = &self.0.wide {
            run_lanes((kind.wide)(kernels), &kernels.groups, jobs);
        }
        if let Some(kernels) = &self.0.narrow {
            run_lanes((kind.narrow)(kernels), &kernels.groups, jobs);
        }
        for job in jobs.iter_mut().flatten().filter(|job| job.is_left()) {
            self.chain(kind, job.schedule, &mut job.state, job.blocks.reborrow());
            job.end();
        }
    }
}

fn run_lanes<const W: usize, const K: usize, S: SumTable>(
    kernel: lanes::LanesKernel<W, K>,
    groups: &LaneGroups,
    jobs: &mut [Option<Job<'_, K, S>>],
) {
    let left = jobs.iter().flatten().filter(|job| job.is_left());
    if left.count() > groups.few {
        // SAFETY: a `Backend` holds only kernels that the processor can run, and the table's type
        // says what they do.
        unsafe { lanes::run(kernel, groups, jobs) };
    }
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

impl FromStr for Backend {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        by_name(name).ok_or(Error::UnknownBackend)
    }
}

impl PartialEq for Backend {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.0, other.0)
    }
}

impl Eq for Backend {}

impl Hash for Backend {
    fn hash<H: Hasher>(&self, state: &mut H) {
        ptr::hash(self.0, state);
    }
}
