//! Kernels keep the rules of calls: each one is called by a shim that puts known values into what a
//! function has to keep and junk into all else, and looks at what is left. The idea is that of dav1d's
//! checkasm.

#![cfg(not(any(miri, target_vendor = "apple")))]
#![cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_os = "linux")
))]
#![allow(missing_docs, unreachable_pub, unsafe_code)]
#![allow(clippy::cast_possible_truncation, clippy::unwrap_used)]

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

#[path = "../common/mod.rs"]
mod common;
#[path = "../kernels/mod.rs"]
mod kernels;

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
// Unwinding wants more of it than the rest.
#[cfg_attr(not(all(target_os = "linux", target_env = "gnu")), allow(dead_code))]
mod arch;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod unwind;

use fasttea::backend::kernels::{Cipher, Kernel, Shape, all};
use kernels::{Case, Heap, Memory, check, telling};

/// How a kernel is called.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// Of the junk.
    pub seed: u64,
    /// With vector registers of which nothing but the lowest 16 bytes is in use.
    pub is_clean: bool,
    /// With a trap after each instruction.
    pub step: bool,
}

/// The words above the return address that are watched.
const CANARY: usize = 64;

/// One call at a time goes through the statics below.
static LOCK: Mutex<()> = Mutex::new(());
/// The shim's `Frame`.
static CURRENT: AtomicUsize = AtomicUsize::new(0);
/// What the shim calls.
static FUNCTION: AtomicUsize = AtomicUsize::new(0);
/// What wrong functions call.
static GOOD: AtomicUsize = AtomicUsize::new(0);

fn cases(kernel: &Kernel) -> Vec<Case<'_>> {
    let counts: &[usize] = match kernel.shape {
        Shape::Blocks => &[0, 1, 2, 3, 5, 8, 17, 33, 64, 100, 129, 300],
        Shape::Chain => &[0, 1, 2, 9],
        Shape::Lanes { .. } => &[0, 1, 3],
    };
    let mut cases = Vec::new();
    for &count in counts {
        for &groups in kernel.groups() {
            for in_place in [false, true] {
                for cycles in [1, 2, 64] {
                    let seed = cases.len() as u64;
                    cases.push(Case {
                        kernel,
                        count,
                        groups,
                        in_place,
                        cycles,
                        seed,
                    });
                }
            }
        }
    }
    cases
}

/// What a kernel, or `function` instead of it, does wrong in a call.
fn faults(case: &Case<'_>, memory: &mut impl Memory, function: *const (), how: How) -> Vec<String> {
    let mut faults = Vec::new();
    let results = check(case, memory, |_, arguments| {
        faults = arch::call(function, arguments, how);
    });
    if is_portable(case.kernel) {
        // Which the compiler uses where the platform does not.
        faults.retain(|fault| fault != "x18");
    }
    faults.extend(results);
    faults
}

fn is_portable(kernel: &Kernel) -> bool {
    kernel.function == kernel.portable
}

fn ways() -> impl Iterator<Item = How> {
    (0..4).map(|seed| How {
        seed,
        is_clean: seed / 2 == 1,
        step: false,
    })
}

#[test]
fn every_kernel_keeps_the_rules() {
    common::backends::backends();
    let (kernels, mut calls, mut wrong) = (all(), 0, Vec::new());
    telling(|| {
        for case in kernels.iter().flat_map(cases) {
            for how in ways() {
                let faults = faults(&case, &mut Heap::default(), case.kernel.function, how);
                let name = &case.kernel.name;
                wrong.extend(
                    faults
                        .iter()
                        .map(|fault| format!("{name}: {fault}, {how:?}")),
                );
                calls += 1;
            }
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} kernels, {calls} calls", kernels.len());
}

/// A blocks kernel of TEA, which the wrong functions call: an assembled one, if there is any.
fn some_kernel() -> Kernel {
    let fits = |kernel: &Kernel| kernel.shape == Shape::Blocks && kernel.cipher == Cipher::Tea;
    all().into_iter().rfind(fits).unwrap()
}

fn some_case(kernel: &Kernel) -> Case<'_> {
    Case {
        kernel,
        count: 3,
        groups: 1,
        in_place: false,
        cycles: 4,
        seed: 5,
    }
}

#[test]
fn every_broken_rule_is_named_and_nothing_else() {
    let kernel = some_kernel();
    GOOD.store(kernel.function as usize, Ordering::Relaxed);
    let mut seen = Vec::new();
    for how in ways() {
        for (name, fault, function) in arch::wrong() {
            if arch::is_seen(name, how) && !(name == "x18" && is_portable(&kernel)) {
                let found = faults(&some_case(&kernel), &mut Heap::default(), function, how);
                assert_eq!(found, [fault], "{name} {how:?}");
                seen.push(name);
            }
        }
    }
    for (name, ..) in arch::wrong() {
        if !seen.contains(&name) {
            println!("not seen here: {name}");
        }
    }
    let how = How {
        seed: 0,
        is_clean: false,
        step: false,
    };
    let found = faults(
        &some_case(&kernel),
        &mut Heap::default(),
        arch::reading_junk(),
        how,
    );
    assert_eq!(found, ["Target(0) from byte 16 on"]);
}
