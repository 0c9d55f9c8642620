//! Kernels touch what they are given and nothing else: every part of a call, from the schedule to
//! the target, begins or ends at a protected page; and for tools that know of allocations, each is one of the
//! exact size. `ci/valgrind.sh` runs the latter.

#![cfg(not(any(miri, target_family = "wasm")))]
#![allow(missing_docs, unsafe_code, clippy::unwrap_used)]

mod common;
mod kernels;

use fasttea::backend::kernels::{Kernel, Shape, all};
use kernels::{Case, Heap, Memory, Role, call, check, run, telling};

/// The most blocks that a kernel takes at a time.
const WIDEST: usize = 128;

/// All counts from 0 to three rounds of the widest kernel and one; each number of groups; in place and
/// not. With 64 cycles a schedule and the sums are used to their ends.
fn cases(kernel: &Kernel) -> Vec<Case<'_>> {
    let counts = match kernel.shape {
        Shape::Blocks => 3 * WIDEST + 1,
        Shape::Chain => 16,
        Shape::Lanes { .. } => 4,
    };
    let mut cases = Vec::new();
    for count in 0..=counts {
        for &groups in kernel.groups() {
            for in_place in [false, true] {
                for cycles in [1, 6, 64] {
                    cases.push(Case {
                        kernel,
                        count,
                        groups,
                        in_place,
                        cycles,
                        // This makes every combination with a byte order.
                        seed: cases.len() as u64 + count as u64,
                    });
                }
            }
        }
    }
    cases
}

fn check_all(mut check: impl FnMut(&Case<'_>) -> Vec<String>) {
    common::backends::backends();
    let (kernels, mut calls) = (all(), 0);
    telling(|| {
        for case in kernels.iter().flat_map(cases) {
            let faults = check(&case);
            assert!(faults.is_empty(), "{case:?}: {faults:?}");
            calls += 1;
        }
    });
    println!("{} kernels, {calls} calls", kernels.len());
}

/// A seed with which TEA's sums are in the schedule.
const OWN_SUMS: u64 = 1;

/// A call whose parts are used from their first to their last bytes, but for the end of a schedule with
/// shared sums, where there is room for others.
fn one_case(kernel: &Kernel, seed: u64) -> Case<'_> {
    Case {
        kernel,
        count: 8,
        groups: *kernel.groups().last().unwrap(),
        in_place: false,
        cycles: 64,
        seed,
    }
}

#[test]
fn allocations() {
    check_all(|case| check(case, &mut Heap::default(), call));
}

/// Sources that are a byte short, which valgrind has to see in every kernel.
#[test]
#[ignore = "reads a byte that is not there"]
fn short_allocations() {
    struct Short(Heap);
    impl Memory for Short {
        fn place(&mut self, role: Role, align: usize, bytes: &[u8]) -> *mut u8 {
            let is_source = matches!(role, Role::Source(_));
            self.0
                .place(role, align, &bytes[..bytes.len() - usize::from(is_source)])
        }
    }
    for kernel in all() {
        println!("kernel {}", kernel.name);
        run(&one_case(&kernel, OWN_SUMS), &mut Short(Heap::default()));
    }
}

#[cfg(unix)]
mod pages {
    use core::{slice, sync::atomic::Ordering::Relaxed};

    use super::*;
    use kernels::{
        Arguments,
        fault::{CLOSED, GUARD, OPEN, PAGE, map, protect, touches},
    };

    /// A seed with which TEA's schedule points to its sums.
    const SHARED_SUMS: u64 = 2;

    /// The bytes that are watched on the open side of a part.
    const WATCHED: usize = 512;
    const CANARY: u8 = 0xee;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Edge {
        Begin,
        End,
    }

    /// A page for each part, between two protected ones, of which the part is flush against one.
    struct Pages {
        edge: Edge,
        /// The part that reaches into the protected page by as little as its type allows.
        beyond: Option<Role>,
        pages: Vec<(Role, *mut u8)>,
        watched: Vec<(Role, *mut u8)>,
    }

    impl Pages {
        fn new(edge: Edge, beyond: Option<Role>) -> Self {
            Self {
                edge,
                beyond,
                pages: Vec::new(),
                watched: Vec::new(),
            }
        }

        /// The page of a role, of which both neighbours are protected.
        fn of(&mut self, role: Role) -> *mut u8 {
            if let Some((_, page)) = self.pages.iter().find(|page| page.0 == role) {
                return *page;
            }
            let page = map(3).wrapping_add(PAGE);
            // SAFETY: nothing is in it.
            unsafe { protect(page, OPEN) };
            self.pages.push((role, page));
            page
        }

        /// The protected page that the parts touch.
        fn neighbour(&self, page: *mut u8) -> *mut u8 {
            match self.edge {
                Edge::Begin => page.wrapping_sub(PAGE),
                Edge::End => page.wrapping_add(PAGE),
            }
        }
    }

    impl Memory for Pages {
        fn place(&mut self, role: Role, align: usize, bytes: &[u8]) -> *mut u8 {
            assert!(bytes.len() + align + WATCHED <= PAGE);
            let page = self.of(role);
            let beyond = if self.beyond == Some(role) { align } else { 0 };
            let (part, open) = match self.edge {
                Edge::Begin => {
                    let part = page.wrapping_sub(beyond);
                    (part, part.wrapping_add(bytes.len()))
                }
                Edge::End => {
                    let part = page.wrapping_add(PAGE + beyond - bytes.len());
                    (part, part.wrapping_sub(WATCHED))
                }
            };
            let neighbour = self.neighbour(page);
            // SAFETY: all is in the page or, when this is open, in its neighbour.
            unsafe {
                if beyond > 0 {
                    protect(neighbour, OPEN);
                }
                open.write_bytes(CANARY, WATCHED);
                part.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                if beyond > 0 {
                    protect(neighbour, CLOSED);
                    GUARD.store(neighbour as usize, Relaxed);
                }
            }
            self.watched.retain(|watched| watched.0 != role);
            self.watched.push((role, open));
            part
        }

        fn spoiled(&self) -> Vec<Role> {
            let is_spoiled = |open: *const u8| {
                // SAFETY: written above.
                let bytes = unsafe { slice::from_raw_parts(open, WATCHED) };
                bytes.iter().any(|&byte| byte != CANARY)
            };
            let spoiled = self.watched.iter().filter(|watched| is_spoiled(watched.1));
            spoiled.map(|watched| watched.0).collect()
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            for (_, page) in &self.pages {
                // SAFETY: mapped above; nothing refers to it any more.
                unsafe { rustix::mm::munmap(page.sub(PAGE).cast(), 3 * PAGE).unwrap() };
            }
        }
    }

    #[test]
    fn begin_at_a_protected_page() {
        let mut pages = Pages::new(Edge::Begin, None);
        check_all(|case| check(case, &mut pages, call));
    }

    #[test]
    fn end_at_a_protected_page() {
        let mut pages = Pages::new(Edge::End, None);
        check_all(|case| check(case, &mut pages, call));
    }

    /// In a part, or behind it.
    #[test]
    fn every_changed_byte_is_told() {
        let kernels = all();
        let kernel = kernels
            .iter()
            .find(|kernel| kernel.shape == Shape::Chain)
            .unwrap();
        // The cycles, the byte order, the key, and a tag; then sums or a pointer to them.
        const SUMS: usize = size_of::<usize>() + 16 + 16 + size_of::<usize>();
        let shared_sums = |arguments: Arguments| {
            let pointer = (arguments[0] + SUMS) as *const usize;
            // SAFETY: in a schedule that was laid out with shared sums.
            unsafe { pointer.read() }
        };
        type Find<'a> = &'a dyn Fn(Arguments) -> usize;
        let parts: [(Role, usize, u64, Find<'_>); 5] = [
            (Role::Schedule, SUMS + 256, OWN_SUMS, &|all| all[0]),
            (Role::Sums, 256, SHARED_SUMS, &shared_sums),
            (Role::State, 16, OWN_SUMS, &|all| all[1]),
            (Role::Source(0), 64, OWN_SUMS, &|all| all[2]),
            (Role::Target(0), 64, OWN_SUMS, &|all| all[3]),
        ];
        for (role, len, seed, find) in parts {
            let mut pages = Pages::new(Edge::Begin, None);
            for (at, wanted) in [
                (0, format!("{role:?} from byte 0 on")),
                (len - 1, format!("{role:?} from byte {} on", len - 1)),
                (len, format!("beside {role:?}")),
                (len + WATCHED - 1, format!("beside {role:?}")),
            ] {
                let case = one_case(kernel, seed);
                let faults = check(&case, &mut pages, |function, arguments| {
                    call(function, arguments);
                    let byte = (find(arguments) + at) as *mut u8;
                    // SAFETY: in the part's page, where nothing else refers to.
                    unsafe { *byte ^= 1 };
                });
                assert_eq!(faults, [wanted]);
            }
        }
    }

    /// Each part of each kernel's call reaches into the protected page: if nothing were seen there, the
    /// tests above could not fail.
    #[test]
    fn every_touch_beyond_the_edge_is_seen() {
        let mut count = 0;
        for edge in [Edge::Begin, Edge::End] {
            let kernels = all();
            let cases = kernels
                .iter()
                .flat_map(|kernel| [OWN_SUMS, SHARED_SUMS].map(|seed| one_case(kernel, seed)));
            for case in cases {
                let mut roles = Heap::default();
                run(&case, &mut roles);
                let mut pages = Pages::new(edge, None);
                assert_eq!(touches(|| run(&case, &mut pages)), 0);
                for &role in &roles.roles {
                    if role == Role::Schedule && case.seed == SHARED_SUMS {
                        continue;
                    }
                    pages.beyond = Some(role);
                    let touched = touches(|| run(&case, &mut pages));
                    let name = &case.kernel.name;
                    assert_eq!(touched, 1, "{name}: {edge:?} of {role:?}");
                    count += 1;
                }
            }
        }
        println!("{count} parts");
    }
}
