//! Unwinding out of kernels, by libgcc's own unwinder: called from a handler of signals, it has to come
//! past the kernel to the shim, with the stack and the registers as they were at the call.

use core::{
    ffi::{c_int, c_void},
    ptr,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use super::*;
use crate::kernels::{
    Role,
    fault::{self, CLOSED, GUARD, Handler, OPEN, handling, protect},
};

type Context = c_void;

unsafe extern "C" {
    fn _Unwind_Backtrace(
        each: extern "C" fn(*mut Context, *mut Walk) -> c_int,
        walk: *mut Walk,
    ) -> c_int;
    fn _Unwind_GetCFA(context: *mut Context) -> usize;
    fn _Unwind_GetGR(context: *mut Context, register: c_int) -> usize;
    fn _Unwind_GetRegionStart(context: *mut Context) -> usize;
}

/// What a walk over the stack has seen.
#[derive(Default)]
#[repr(C)]
struct Walk {
    saw_kernel: bool,
    saw_shim: bool,
    /// The stack and the registers are those that the shim had.
    is_right: bool,
}

extern "C" fn each(context: *mut Context, walk: *mut Walk) -> c_int {
    // SAFETY: called by `walk` below, within a call by the shim.
    unsafe {
        let walk = &mut *walk;
        let function = _Unwind_GetRegionStart(context);
        walk.saw_kernel |= function == FUNCTION.load(Relaxed);
        if function != arch::shim() {
            return 0;
        }
        let frame = ptr::with_exposed_provenance::<arch::Frame>(CURRENT.load(Relaxed));
        walk.saw_shim = true;
        walk.is_right = _Unwind_GetCFA(context) == (*frame).stack;
        for ((_, register), kept) in arch::KEPT.iter().zip((*frame).kept) {
            walk.is_right &= _Unwind_GetGR(context, *register) == kept;
        }
        // Which ends the walk.
        1
    }
}

fn walk() -> Walk {
    let mut walk = Walk::default();
    // SAFETY: as declared in unwind.h.
    unsafe { _Unwind_Backtrace(each, &raw mut walk) };
    walk
}

/// What the handlers saw.
static STOPS: AtomicUsize = AtomicUsize::new(0);
static WRONG: AtomicUsize = AtomicUsize::new(0);

/// Whether the walk was right.
fn note(walk: &Walk) -> bool {
    STOPS.fetch_add(1, Relaxed);
    let is_right = walk.saw_kernel && walk.saw_shim && walk.is_right;
    WRONG.fetch_add(usize::from(!is_right), Relaxed);
    is_right
}

/// Does something with handlers, and tells the stops and how many of them were wrong.
fn stops(handlers: &[(c_int, Handler)], run: impl FnOnce()) -> (usize, usize) {
    handling(handlers, || {
        let before = (STOPS.load(Relaxed), WRONG.load(Relaxed));
        run();
        (
            STOPS.load(Relaxed) - before.0,
            WRONG.load(Relaxed) - before.1,
        )
    })
}

extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    note(&walk());
    fault::open(signal, info, context);
}

/// One part on the protected page, the others anywhere.
struct Protected {
    role: Role,
    others: Heap,
}

impl Memory for Protected {
    fn place(&mut self, role: Role, align: usize, bytes: &[u8]) -> *mut u8 {
        if role != self.role {
            return self.others.place(role, align, bytes);
        }
        let page = ptr::with_exposed_provenance_mut::<u8>(GUARD.load(Relaxed));
        // SAFETY: the guard is a page, and parts are shorter.
        unsafe {
            protect(page, OPEN);
            page.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            protect(page, CLOSED);
        }
        page
    }
}

fn assembly() -> impl Iterator<Item = Kernel> {
    // The compiler knows how to unwind its own.
    all().into_iter().filter(|kernel| !is_portable(kernel))
}

const HOW: How = How {
    seed: 1,
    is_clean: true,
    step: false,
};

/// Each kernel stops at the first byte of its source and its target.
#[test]
fn is_right_at_a_fault() {
    GUARD.store(fault::map(1) as usize, Relaxed);
    let stop = |kernel: &Kernel, function, role| {
        let case = Case {
            count: 3,
            ..some_case(kernel)
        };
        let others = Heap::default();
        let mut memory = Protected { role, others };
        stops(&[(libc::SIGSEGV, on_fault)], || {
            let found = faults(&case, &mut memory, function, HOW);
            assert!(found.is_empty(), "{found:?}");
        })
    };
    let mut kernels = 0;
    for kernel in assembly() {
        for role in [Role::Source(0), Role::Target(0)] {
            assert_eq!(
                stop(&kernel, kernel.function, role),
                (1, 0),
                "{} {role:?}",
                kernel.name
            );
        }
        kernels += 1;
    }
    println!("{kernels} kernels");

    let kernel = some_kernel();
    GOOD.store(kernel.function as usize, Relaxed);
    for function in arch::wrongly_unwound() {
        assert_eq!(stop(&kernel, function, Role::Source(0)), (1, 1));
    }
}

/// Each kernel stops after each instruction.
#[cfg(target_arch = "x86_64")]
#[test]
fn is_right_at_every_instruction() {
    use core::sync::atomic::AtomicBool;

    static ENTERED: AtomicBool = AtomicBool::new(false);
    /// How far in the kernel it was wrong at last.
    static WRONG_AT: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn on_step(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
        const TRAP: libc::greg_t = 0x100;
        let walk = walk();
        // SAFETY: a handler is given it, and may change the flags.
        let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        if walk.saw_kernel {
            ENTERED.store(true, Relaxed);
            if !note(&walk) {
                let at = registers[libc::REG_RIP as usize] as usize;
                WRONG_AT.store(at - FUNCTION.load(Relaxed), Relaxed);
            }
        } else if ENTERED.swap(false, Relaxed) {
            registers[libc::REG_EFL as usize] &= !TRAP;
        }
    }

    let step = |case: &Case<'_>, function| {
        stops(
            &[(libc::SIGTRAP, on_step), (libc::SIGSEGV, fault::tell)],
            || {
                let found = faults(
                    case,
                    &mut Heap::default(),
                    function,
                    How { step: true, ..HOW },
                );
                assert!(found.is_empty(), "{found:?}");
            },
        )
    };
    let (mut kernels, mut all_stops) = (0, 0);
    for kernel in assembly() {
        let counts: &[usize] = match kernel.shape {
            Shape::Blocks => &[0, 1, 3, 18, 140],
            Shape::Chain => &[0, 1, 2],
            Shape::Lanes { .. } => &[0, 1, 2],
        };
        for &count in counts {
            for &groups in kernel.groups() {
                let case = Case {
                    count,
                    groups,
                    cycles: 2,
                    ..some_case(&kernel)
                };
                let (stops, wrong) = step(&case, kernel.function);
                let at = WRONG_AT.load(Relaxed);
                assert_eq!(wrong, 0, "{}: {count} blocks, at {at:#x}", kernel.name);
                assert!(stops > 5);
                all_stops += stops;
            }
        }
        kernels += 1;
    }
    println!("{kernels} kernels, {all_stops} stops");

    let kernel = some_kernel();
    GOOD.store(kernel.function as usize, Relaxed);
    for function in arch::wrongly_unwound() {
        // Between the push and the pop.
        let (_, wrong) = step(&some_case(&kernel), function);
        assert_eq!(wrong, 2);
    }
}
