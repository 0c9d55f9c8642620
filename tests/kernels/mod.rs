//! What the tests of bare kernels share: arguments from a seed, in memory that each test lays out, and
//! what the portable kernels make of them.

// Each test binary uses its own part of this.
#![allow(dead_code, missing_docs, unreachable_pub, unsafe_code)]
#![allow(clippy::cast_possible_truncation, clippy::unwrap_used)]

use core::{alloc::Layout, cell::Cell, ops::Range, ptr, slice};
use std::alloc::{alloc, dealloc};

use fasttea::backend::kernels::{Chaining, Cipher, Kernel, Shape};

#[cfg(unix)]
pub mod fault;

pub type Arguments = [usize; 6];

/// Any kernel: arguments are pointers and `usize` alone, and more of them than it has are harmless.
#[cfg(target_arch = "x86_64")]
type Function = unsafe extern "sysv64" fn(usize, usize, usize, usize, usize, usize);
#[cfg(not(target_arch = "x86_64"))]
type Function = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize);

/// The plain way to call one.
pub fn call(function: *const (), [a, b, c, d, e, f]: Arguments) {
    // SAFETY: the function is a kernel and these are its arguments.
    unsafe { core::mem::transmute::<*const (), Function>(function)(a, b, c, d, e, f) }
}

/// A part of the memory that a kernel is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The schedule, or the lanes.
    Schedule,
    Sums,
    State,
    /// Of the message in a lane; the only message is in lane 0.
    Source(usize),
    Target(usize),
}

/// Where the parts of a call lie.
pub trait Memory {
    /// Copies bytes to the place of a role.
    fn place(&mut self, role: Role, align: usize, bytes: &[u8]) -> *mut u8;

    /// The roles around which something was written.
    fn spoiled(&self) -> Vec<Role> {
        Vec::new()
    }
}

/// Allocations of the exact size.
#[derive(Default)]
pub struct Heap {
    pub roles: Vec<Role>,
    memory: Vec<(*mut u8, Layout)>,
}

impl Memory for Heap {
    fn place(&mut self, role: Role, align: usize, bytes: &[u8]) -> *mut u8 {
        self.roles.push(role);
        if bytes.is_empty() {
            return ptr::without_provenance_mut(align);
        }
        let layout = Layout::from_size_align(bytes.len(), align).unwrap();
        // SAFETY: the layout is not empty, and so many bytes are written as it has.
        let begin = unsafe {
            let begin = alloc(layout);
            assert!(!begin.is_null());
            begin.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            begin
        };
        self.memory.push((begin, layout));
        begin
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        for &(begin, layout) in &self.memory {
            // SAFETY: allocated above by that layout.
            unsafe { dealloc(begin, layout) };
        }
    }
}

/// One call.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    pub kernel: &'a Kernel,
    /// Of blocks, or of steps.
    pub count: usize,
    /// Of lanes, which run.
    pub groups: usize,
    pub in_place: bool,
    pub cycles: usize,
    /// What words, texts and the byte order come from.
    pub seed: u64,
}

/// Calls the kernel through `call` and tells in which parts its results are not the portable kernel's,
/// and around which it wrote.
pub fn check(
    case: &Case<'_>,
    memory: &mut impl Memory,
    call: impl FnOnce(*const (), Arguments),
) -> Vec<String> {
    let (parts, arguments) = case.lay_out(memory);
    case.note();
    call(case.kernel.function, arguments);
    parts.faults()
}

/// Calls the kernel and looks at nothing.
pub fn run(case: &Case<'_>, memory: &mut impl Memory) {
    let (_, arguments) = case.lay_out(memory);
    case.note();
    call(case.kernel.function, arguments);
}

/// Does something, and tells the case of a fault on the way.
pub fn telling(run: impl FnOnce()) {
    #[cfg(unix)]
    fault::handling(&fault::handlers(fault::tell), run);
    #[cfg(not(unix))]
    run();
}

thread_local! {
    /// The last case of this thread.
    static RUNNING: Cell<*const Case<'static>> = const { Cell::new(ptr::null()) };
}

/// The case that this thread runs, if it runs any.
fn running() -> String {
    // SAFETY: set by `note`, and asked for during its call.
    match unsafe { RUNNING.get().as_ref() } {
        Some(case) => format!("{case:?}"),
        None => "no kernel".to_owned(),
    }
}

impl Case<'_> {
    fn note(&self) {
        RUNNING.set(ptr::from_ref(self).cast());
    }

    fn lay_out<'m, M: Memory>(&self, memory: &'m mut M) -> (Parts<'m, M>, Arguments) {
        let mut random = Random(self.seed);
        let parts = Vec::new();
        let mut parts = Parts { memory, parts };
        let arguments = match self.kernel.shape {
            Shape::Lanes { lanes, group, .. } => self.lanes(lanes, group, &mut random, &mut parts),
            Shape::Blocks | Shape::Chain => self.message(&mut random, &mut parts),
        };
        // Arguments that a kernel has not are anything.
        let arguments = core::array::from_fn(|i| match arguments.get(i) {
            Some(&argument) => argument,
            None => random.word() as usize,
        });
        (parts, arguments)
    }

    fn key_len(&self) -> usize {
        match self.kernel.cipher {
            Cipher::Tea => 4 * 4,
            Cipher::Xtea => 4 * 128,
        }
    }

    fn state_len(&self) -> usize {
        match self.kernel.chaining {
            Chaining::Ecb => 0,
            Chaining::Cbc => 8,
            Chaining::Qq => 16,
        }
    }

    /// What schedules and lanes begin with: the cycles and the places of the bytes of two blocks.
    fn head(&self) -> Vec<u8> {
        let order: [u8; 8] = match self.seed % 3 {
            0 => [3, 2, 1, 0, 7, 6, 5, 4],
            1 => [0, 1, 2, 3, 4, 5, 6, 7],
            _ => [4, 5, 6, 7, 0, 1, 2, 3],
        };
        let mut head = self.cycles.to_ne_bytes().to_vec();
        head.extend(order);
        head.extend(order.map(|place| place + 8));
        head
    }

    /// The order of arguments is that of the types in `src/backend/table.rs`. Every other schedule has sums
    /// of its own.
    fn message(&self, random: &mut Random, parts: &mut Parts<'_, impl Memory>) -> Vec<usize> {
        let mut schedule = self.head();
        schedule.extend(random.bytes(self.key_len()));
        if self.kernel.cipher == Cipher::Tea {
            let sums = random.bytes(SUMS_LEN);
            if self.seed % 2 == 0 {
                let shared = parts.place(Role::Sums, 4, &sums);
                push_shared(&mut schedule, shared);
            } else {
                schedule.extend(1usize.to_ne_bytes());
                schedule.extend(sums);
            }
        }
        let mut state = random.bytes(self.state_len());
        let mut text = random.bytes(8 * self.count);

        let mut arguments = vec![parts.place(Role::Schedule, align_of::<usize>(), &schedule)];
        if self.kernel.chaining != Chaining::Ecb {
            arguments.push(parts.place(Role::State, 4, &state));
        }
        let (source, target) = parts.place_texts(0, &text, self.in_place, random);
        arguments.extend([source, target, self.count]);

        portable(self.kernel, &schedule, &mut state, &mut text);
        parts.want(Role::State, state);
        parts.want_text(0, text);
        arguments
    }

    /// `src/backend/lanes.rs` and the assembly have the same layout. Every fifth lane has no message, and
    /// works on a block of its own; lanes that do not run point to nothing.
    fn lanes(
        &self,
        lanes: usize,
        group: usize,
        random: &mut Random,
        parts: &mut Parts<'_, impl Memory>,
    ) -> Vec<usize> {
        let words = 4 * lanes;
        let (scratch, pointers, key) = (64 + 4 * words, 64 + 6 * words, 64 + 12 * words);
        let mut before = self.head();
        let mut shared = 0;
        if self.kernel.cipher == Cipher::Tea {
            shared = parts.place(Role::Sums, 4, &random.bytes(SUMS_LEN));
            before.extend(shared.to_ne_bytes());
        }
        before.extend(random.bytes(key + words * self.key_len() / 4 - before.len()));
        let mut after = before.clone();
        let mut texts = Vec::new();

        for lane in 0..lanes {
            let is_idle = (lane + self.count) % 5 == 0;
            let (advance, len) = if is_idle { (0, 8) } else { (8, 8 * self.count) };
            let (mut source, mut target, mut moved) = (8, 8, 0);
            if lane < self.groups * group {
                let mut text = random.bytes(len);
                let in_place = self.in_place || is_idle;
                (source, target) = parts.place_texts(lane, &text, in_place, random);
                moved = advance * self.count;

                let column = |from: usize, len: usize| -> Vec<usize> {
                    (0..len / 4).map(|i| from + i * words + 4 * lane).collect()
                };
                let gather = |places: &[usize]| -> Vec<u8> {
                    let words = places.iter().flat_map(|&at| &before[at..at + 4]);
                    words.copied().collect()
                };
                let places = column(64, self.state_len());
                let mut state = gather(&places);
                let mut schedule = self.head();
                schedule.extend(gather(&column(key, self.key_len())));
                if self.kernel.cipher == Cipher::Tea {
                    push_shared(&mut schedule, shared);
                }
                for _ in 0..if is_idle { self.count } else { 1 } {
                    portable(self.kernel, &schedule, &mut state, &mut text);
                }
                for (word, at) in state.chunks_exact(4).zip(places) {
                    after[at..at + 4].copy_from_slice(word);
                }
                texts.push((lane, text));
            }
            for (i, pointer, moved) in [(0, source, moved), (1, target, moved), (2, advance, 0)] {
                let at = pointers + 8 * (i * lanes + lane);
                before[at..at + 8].copy_from_slice(&pointer.to_ne_bytes());
                after[at..at + 8].copy_from_slice(&(pointer + moved).to_ne_bytes());
            }
        }

        let mut arguments = vec![parts.place(Role::Schedule, 64, &before)];
        arguments.extend([self.count, self.groups]);
        parts.want(Role::Schedule, after);
        parts.ignore(Role::Schedule, scratch..pointers);
        for (lane, text) in texts {
            parts.want_text(lane, text);
        }
        arguments
    }
}

/// The bytes of TEA's sums.
const SUMS_LEN: usize = 256;

/// Shared sums in a schedule: a tag of 0, a pointer, and room for sums of its own.
fn push_shared(schedule: &mut Vec<u8>, sums: usize) {
    schedule.extend(0usize.to_ne_bytes());
    schedule.extend(sums.to_ne_bytes());
    schedule.extend([0xa5; SUMS_LEN - size_of::<usize>()]);
}

/// What a kernel makes of a message in place.
fn portable(kernel: &Kernel, schedule: &[u8], state: &mut [u8], text: &mut [u8]) {
    let mut heap = Heap::default();
    let mut arguments = vec![heap.place(Role::Schedule, align_of::<usize>(), schedule) as usize];
    let state_at = heap.place(Role::State, 4, state);
    if kernel.chaining != Chaining::Ecb {
        arguments.push(state_at as usize);
    }
    let text_at = text.as_mut_ptr() as usize;
    arguments.extend([text_at, text_at, text.len() / 8]);
    arguments.resize(6, 0);
    call(kernel.portable, arguments.try_into().unwrap());
    // SAFETY: placed above.
    state.copy_from_slice(unsafe { slice::from_raw_parts(state_at, state.len()) });
}

/// The parts of a call, and what has to be in them afterwards: what was there, if nothing else is said.
struct Parts<'m, M> {
    memory: &'m mut M,
    parts: Vec<Part>,
}

struct Part {
    role: Role,
    begin: *mut u8,
    wanted: Vec<u8>,
    ignored: Range<usize>,
}

impl<M: Memory> Parts<'_, M> {
    fn place(&mut self, role: Role, align: usize, bytes: &[u8]) -> usize {
        let begin = self.memory.place(role, align, bytes);
        self.parts.push(Part {
            role,
            begin,
            wanted: bytes.to_vec(),
            ignored: 0..0,
        });
        begin as usize
    }

    /// A source and a target, which are one if it is to be in place.
    fn place_texts(
        &mut self,
        lane: usize,
        text: &[u8],
        in_place: bool,
        random: &mut Random,
    ) -> (usize, usize) {
        let source = self.place(Role::Source(lane), 1, text);
        if in_place {
            return (source, source);
        }
        let target = self.place(Role::Target(lane), 1, &random.bytes(text.len()));
        (source, target)
    }

    fn want(&mut self, role: Role, bytes: Vec<u8>) {
        if let Some(part) = self.parts.iter_mut().find(|part| part.role == role) {
            part.wanted = bytes;
        }
    }

    fn want_text(&mut self, lane: usize, bytes: Vec<u8>) {
        let is_target = |part: &Part| part.role == Role::Target(lane);
        if self.parts.iter().any(is_target) {
            self.want(Role::Target(lane), bytes);
        } else {
            self.want(Role::Source(lane), bytes);
        }
    }

    fn ignore(&mut self, role: Role, range: Range<usize>) {
        if let Some(part) = self.parts.iter_mut().find(|part| part.role == role) {
            part.ignored = range;
        }
    }

    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for part in &self.parts {
            // SAFETY: so many bytes were placed there.
            let found = unsafe { slice::from_raw_parts(part.begin, part.wanted.len()) };
            let differs = |&i: &usize| found[i] != part.wanted[i] && !part.ignored.contains(&i);
            if let Some(i) = (0..found.len()).find(differs) {
                faults.push(format!("{:?} from byte {i} on", part.role));
            }
        }
        let spoiled = self.memory.spoiled();
        faults.extend(spoiled.iter().map(|role| format!("beside {role:?}")));
        faults
    }
}

/// Steele, Lea and Flood's SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..len.div_ceil(8))
            .flat_map(|_| self.word().to_ne_bytes())
            .collect();
        bytes.truncate(len);
        bytes
    }
}
