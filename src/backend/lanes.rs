//! Many messages at once: the scheduler that keeps the lanes of a kernel filled.
//!
//! A lane carries one message. The kernel runs as many steps as the shortest message left in a lane
//! has blocks; then that lane gets the next message and the others go on. The multi-buffer idea of
//! Intel's ipsec-mb and of BLAKE3's `hash_many`.

use core::{array, mem};

use zeroize::Zeroize;

use super::{abi::convention, description::LaneGroups};
use crate::{
    blocks::Blocks,
    byte_order::Shuffle,
    chaining::State,
    schedule::{Schedule, SumTable},
};

/// The lanes of the narrow kernels.
pub(super) const NARROW: usize = 16;

/// The lanes of the wide kernels.
pub(super) const WIDE: usize = if cfg!(target_arch = "aarch64") {
    32
} else {
    64
};

/// `(lanes, steps, groups)`: runs so many steps, of a block each, in the first groups of lanes.
pub(super) type LanesKernel<const W: usize, const K: usize> =
    convention!(unsafe fn(*mut Lanes<W, K>, usize, usize));

/// What a kernel works on, `W` lanes with a key of `K` words each. It begins as a schedule does.
#[repr(C, align(64))]
pub(super) struct Lanes<const W: usize, const K: usize> {
    cycles: usize,
    shuffle: Shuffle,
    /// TEA's sums, which all lanes share.
    sums: *const u32,
    ciphertext: Aligned<W>,
    mixed: [[u32; W]; 2],
    /// The kernel's scratch.
    next: [[u32; W]; 2],
    source: [*const u8; W],
    target: [*mut u8; W],
    advance: [usize; W],
    key: [[u32; W]; K],
}

/// At a multiple of 64 bytes, so that no vector behind it crosses a cache line.
#[repr(C, align(64))]
struct Aligned<const W: usize>([[u32; W]; 2]);

// asm/lanes.h has these numbers. Where pointers are shorter there are no kernels.
#[cfg(target_pointer_width = "64")]
const _: () = {
    const fn check<const W: usize, const K: usize>() {
        use core::mem::offset_of;
        assert!(offset_of!(Lanes<W, K>, cycles) == 0);
        assert!(offset_of!(Lanes<W, K>, shuffle) == 8);
        assert!(offset_of!(Lanes<W, K>, sums) == 24);
        assert!(offset_of!(Lanes<W, K>, ciphertext) == 64);
        assert!(offset_of!(Lanes<W, K>, mixed) == 64 + 8 * W);
        assert!(offset_of!(Lanes<W, K>, next) == 64 + 16 * W);
        assert!(offset_of!(Lanes<W, K>, source) == 64 + 24 * W);
        assert!(offset_of!(Lanes<W, K>, target) == 64 + 32 * W);
        assert!(offset_of!(Lanes<W, K>, advance) == 64 + 40 * W);
        assert!(offset_of!(Lanes<W, K>, key) == 64 + 48 * W);
    }
    check::<NARROW, 4>();
    check::<NARROW, 128>();
    check::<WIDE, 4>();
    check::<WIDE, 128>();
};

/// One message.
pub(crate) struct Job<'a, const K: usize, S> {
    pub(crate) schedule: &'a Schedule<K, S>,
    pub(crate) state: State,
    /// Who wants to know the chaining state behind the message.
    pub(crate) session: Option<&'a mut State>,
    pub(crate) blocks: Blocks<'a, 'a>,
}

impl<'a, const K: usize, S: SumTable> Job<'a, K, S> {
    /// A message that begins with its session's state, or else with zeros.
    #[inline]
    pub(crate) fn new(
        schedule: &'a Schedule<K, S>,
        session: Option<&'a mut State>,
        blocks: Blocks<'a, 'a>,
    ) -> Self {
        Self {
            schedule,
            state: session.as_deref().cloned().unwrap_or_default(),
            session,
            blocks,
        }
    }

    pub(super) fn is_left(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Tells the session what the message left in the job's state.
    pub(super) fn end(&mut self) {
        if let Some(session) = &mut self.session {
            session.clone_from(&self.state);
        }
    }
}

/// In the place of the step after which a message ends, for a lane without one.
const IDLE: usize = usize::MAX;

/// Runs jobs until few are left, and puts back into each of those its chaining state and the blocks
/// that are left. The jobs share all but their keys.
///
/// # Safety
/// For as many steps as it is told, `kernel` reads 8 bytes at each lane's source, writes 8 at its
/// target, and adds its `advance` to both, in so many groups as it is told. It touches nothing else
/// but the lanes, and reads the sums. The processor can run it.
pub(super) unsafe fn run<const W: usize, const K: usize, S: SumTable>(
    kernel: LanesKernel<W, K>,
    plan: &LaneGroups,
    jobs: &mut [Option<Job<'_, K, S>>],
) {
    let Some(first) = jobs.iter().flatten().next() else {
        return;
    };
    // An idle lane reads and writes here.
    let mut idle = [[0u8; 8]; W];
    let begin = idle.as_mut_ptr();
    let cells: [*mut u8; W] = array::from_fn(|lane| begin.wrapping_add(lane).cast());
    let mut lanes = Lanes::<W, K>::new(first.schedule, cells);
    // The message in each lane, and the step after which it ends.
    let mut job_in = [0; W];
    let mut end = [IDLE; W];
    let mut now = 0;
    let mut busy = 0;

    let mut waiting = 0;
    // Gives a lane the next message that has blocks, if there is one, and tells how many.
    let mut fill = |lanes: &mut Lanes<W, K>, jobs: &mut [Option<Job<'_, K, S>>], lane| {
        while let Some(slot) = jobs.get_mut(waiting) {
            waiting += 1;
            if let Some(job) = slot.as_mut().filter(|job| job.is_left()) {
                let blocks = mem::replace(&mut job.blocks, Blocks::from(&mut [][..]));
                let n = blocks.len();
                let (source, target) = blocks.into_raw();
                lanes.put(lane, job, source.cast(), target.cast());
                return Some((waiting - 1, n));
            }
        }
        None
    };
    for lane in 0..W {
        let Some((job, n)) = fill(&mut lanes, jobs, lane) else {
            break;
        };
        (job_in[lane], end[lane]) = (job, n);
        busy += 1;
    }

    // While a message waits, no lane is idle.
    while busy > plan.few {
        let needed = busy.div_ceil(plan.group);
        let fitting = plan.groups.iter().copied().find(|&groups| groups >= needed);
        let groups = fitting.unwrap_or(W / plan.group);
        if busy < W {
            lanes.move_below(groups * plan.group, &mut end, &mut job_in, &cells);
        }
        let next = end.iter().copied().min().unwrap_or(now);
        // SAFETY: the lanes with a message point to its blocks, of which `next - now` are left at
        // least, and the others to their own cells. The caller vouches for the rest.
        unsafe { kernel(&mut lanes, next - now, groups) };
        now = next;
        for lane in 0..W {
            if end[lane] != now {
                continue;
            }
            if let Some(Job {
                session: Some(session),
                ..
            }) = &mut jobs[job_in[lane]]
            {
                **session = lanes.state(lane);
            }
            match fill(&mut lanes, jobs, lane) {
                Some((job, n)) => (job_in[lane], end[lane]) = (job, now + n),
                None => {
                    lanes.rest(lane, cells[lane]);
                    end[lane] = IDLE;
                    busy -= 1;
                }
            }
        }
    }

    for lane in (0..W).filter(|&lane| end[lane] != IDLE) {
        if let Some(job) = &mut jobs[job_in[lane]] {
            job.state = lanes.state(lane);
            let (source, target, left) = (lanes.source[lane], lanes.target[lane], end[lane] - now);
            // SAFETY: the job's blocks were taken out of it above. The lane has gone over all of them
            // but `left`, which begin at its pointers.
            job.blocks = unsafe { Blocks::from_raw(source.cast(), target.cast(), left) };
        }
    }
    lanes.wipe();
}

impl<const W: usize, const K: usize> Lanes<W, K> {
    fn new<S: SumTable>(shared: &Schedule<K, S>, cells: [*mut u8; W]) -> Self {
        Self {
            cycles: shared.cycles(),
            shuffle: shared.shuffle(),
            sums: shared.sums().as_ptr(),
            ciphertext: Aligned([[0; W]; 2]),
            mixed: [[0; W]; 2],
            next: [[0; W]; 2],
            source: cells.map(<*mut u8>::cast_const),
            target: cells,
            advance: [0; W],
            key: [[0; W]; K],
        }
    }

    fn put<S: SumTable>(
        &mut self,
        lane: usize,
        job: &Job<'_, K, S>,
        source: *const u8,
        target: *mut u8,
    ) {
        for (lanes, word) in self.key.iter_mut().zip(job.schedule.key()) {
            lanes[lane] = *word;
        }
        self.set_state(lane, &job.state);
        self.source[lane] = source;
        self.target[lane] = target;
        self.advance[lane] = 8;
    }

    fn state(&self, lane: usize) -> State {
        State {
            ciphertext: self.ciphertext.0.map(|words| words[lane]),
            mixed: self.mixed.map(|words| words[lane]),
        }
    }

    fn set_state(&mut self, lane: usize, state: &State) {
        for i in 0..2 {
            self.ciphertext.0[i][lane] = state.ciphertext[i];
            self.mixed[i][lane] = state.mixed[i];
        }
    }

    fn rest(&mut self, lane: usize, cell: *mut u8) {
        self.source[lane] = cell;
        self.target[lane] = cell;
        self.advance[lane] = 0;
    }

    /// Moves messages down to idle lanes until none is at `limit` or beyond.
    fn move_below(
        &mut self,
        limit: usize,
        end: &mut [usize; W],
        job_in: &mut [usize; W],
        cells: &[*mut u8; W],
    ) {
        let mut to = 0;
        for from in limit..W {
            if end[from] == IDLE {
                continue;
            }
            while end[to] != IDLE {
                to += 1;
            }
            for lanes in &mut self.key {
                lanes[to] = lanes[from];
            }
            let state = self.state(from);
            self.set_state(to, &state);
            self.source[to] = self.source[from];
            self.target[to] = self.target[from];
            self.advance[to] = self.advance[from];
            self.rest(from, cells[from]);
            (end[to], job_in[to]) = (end[from], job_in[from]);
            end[from] = IDLE;
        }
    }

    fn wipe(&mut self) {
        let (key, mixed, next) = (&mut self.key, &mut self.mixed, &mut self.next);
        for words in key.iter_mut().chain(mixed).chain(next) {
            words.as_mut_slice().zeroize();
        }
    }
}
