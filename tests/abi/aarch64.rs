//! The shim for aarch64 Linux, and functions that break one rule each.

use core::{arch::global_asm, mem::offset_of, sync::atomic::Ordering};

use super::{CANARY, CURRENT, FUNCTION, GOOD, How, LOCK};
use crate::kernels::{Arguments, Random};

/// What a function is called with, and what it leaves. `kept` are the registers of `KEPT`.
#[repr(C, align(64))]
pub struct Frame {
    vectors: [[u8; 16]; 32],
    canary: [u64; CANARY],
    arguments: Arguments,
    junk: u64,
    flags: u64,
    fpcr: u64,
    pub kept: [usize; KEPT.len()],

    pub stack: usize,

    canary_after: [u64; CANARY],
    kept_after: [usize; KEPT.len()],
    stack_after: usize,
    fpcr_after: u64,
}

/// The registers that a function keeps, and their numbers in unwind information. The first one belongs
/// to other platforms, and Linux leaves it free; of the vectors it is the lower half.
pub const KEPT: [(&str, i32); 20] = [
    ("x18", 18),
    ("x19", 19),
    ("x20", 20),
    ("x21", 21),
    ("x22", 22),
    ("x23", 23),
    ("x24", 24),
    ("x25", 25),
    ("x26", 26),
    ("x27", 27),
    ("x28", 28),
    ("x29", 29),
    ("d8", 72),
    ("d9", 73),
    ("d10", 74),
    ("d11", 75),
    ("d12", 76),
    ("d13", 77),
    ("d14", 78),
    ("d15", 79),
];
const FIRST_VECTOR: usize = 12;

const STATUS: u64 = 0xf000_0000;
/// Rounding towards zero, and numbers near zero flushed to it.
const FPCR: u64 = 3 << 22 | 1 << 24;

/// Calls a kernel with junk wherever a caller may leave it, and tells what it spoiled.
pub fn call(function: *const (), arguments: Arguments, how: How) -> Vec<String> {
    let mut random = Random(how.seed);
    let junk = if how.seed % 2 == 0 {
        u64::MAX
    } else {
        random.word()
    };
    let vectors: [[u8; 16]; 32] =
        core::array::from_fn(|_| core::array::from_fn(|_| random.word() as u8));
    let mut kept = core::array::from_fn(|_| random.word() as usize);
    for (kept, vector) in kept[FIRST_VECTOR..].iter_mut().zip(&vectors[8..]) {
        *kept = u128::from_ne_bytes(*vector) as usize;
    }
    let mut frame = Frame {
        vectors,
        canary: core::array::from_fn(|_| random.word()),
        arguments,
        junk,
        flags: junk & STATUS,
        fpcr: FPCR,
        kept,
        stack: 0,
        canary_after: [0; CANARY],
        kept_after: [0; KEPT.len()],
        stack_after: 0,
        fpcr_after: 0,
    };
    let lock = LOCK.lock();
    FUNCTION.store(function as usize, Ordering::Relaxed);
    // SAFETY: the shim keeps the rules of calls whatever the function does, as long as it returns.
    unsafe { fasttea_test_call(&mut frame) };
    drop(lock);

    let mut faults = Vec::new();
    for (i, (name, _)) in KEPT.iter().enumerate() {
        if frame.kept[i] != frame.kept_after[i] {
            faults.push((*name).to_owned());
        }
    }
    for i in 0..CANARY {
        if frame.canary[i] != frame.canary_after[i] {
            faults.push(format!("canary {i}"));
        }
    }
    let mut fault = |is_there: bool, what: &str| {
        if is_there {
            faults.push(what.to_owned());
        }
    };
    fault(frame.stack != frame.stack_after, "sp");
    fault(frame.fpcr_after != FPCR, "fpcr");
    faults
}

unsafe extern "C" {
    fn fasttea_test_call(frame: *mut Frame);
}

/// Where the shim begins.
pub fn shim() -> usize {
    fasttea_test_call as *const () as usize
}

// `CURRENT` is the only place that can be trusted after the call.
global_asm!(
    ".globl fasttea_test_call",
    "fasttea_test_call:",
    ".cfi_startproc",
    "stp x29, x30, [sp, #-176]!",
    ".cfi_adjust_cfa_offset 176",
    ".cfi_rel_offset x29, 0",
    ".cfi_rel_offset x30, 8",
    "stp x19, x20, [sp, #16]",
    "stp x21, x22, [sp, #32]",
    "stp x23, x24, [sp, #48]",
    "stp x25, x26, [sp, #64]",
    "stp x27, x28, [sp, #80]",
    "stp d8, d9, [sp, #96]",
    "stp d10, d11, [sp, #112]",
    "stp d12, d13, [sp, #128]",
    "stp d14, d15, [sp, #144]",
    "mrs x1, fpcr",
    "str x1, [sp, #160]",
    "sub sp, sp, #8*{CANARY}",
    ".cfi_adjust_cfa_offset 8*{CANARY}",
    "mov x16, x0",
    "adrp x17, {current}",
    "str x16, [x17, #:lo12:{current}]",
    "mov x1, sp",
    "str x1, [x16, #{stack}]",
    "ldr x2, [x16, #{fpcr}]",
    "msr fpcr, x2",
    // The canary, above the stack pointer, and junk below.
    "add x2, x16, #{canary}",
    "mov x3, #{CANARY}",
    "2:",
    "ldr x4, [x2], #8",
    "str x4, [x1], #8",
    "subs x3, x3, #1",
    "b.ne 2b",
    "ldr x4, [x16, #{junk}]",
    "mov x1, sp",
    "mov x3, #512",
    "2:",
    "str x4, [x1, #-8]!",
    "subs x3, x3, #1",
    "b.ne 2b",
    // All registers.
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
    "ldr q\\n, [x16, #{vectors} + 16*\\n]",
    ".endr",
    ".irp n, 18,19,20,21,22,23,24,25,26,27,28,29",
    "ldr x\\n, [x16, #{kept} + 8*(\\n - 18)]",
    ".endr",
    ".irp n, 0,1,2,3,4,5",
    "ldr x\\n, [x16, #{arguments} + 8*\\n]",
    ".endr",
    ".irp n, 6,7,8,9,10,11,12,13,14,15,30",
    "ldr x\\n, [x16, #{junk}]",
    ".endr",
    "ldr x17, [x16, #{flags}]",
    "msr nzcv, x17",
    "ldr x16, [x16, #{junk}]",
    "adrp x17, {function}",
    "ldr x17, [x17, #:lo12:{function}]",
    "blr x17",
    "adrp x16, {current}",
    "ldr x16, [x16, #:lo12:{current}]",
    ".irp n, 18,19,20,21,22,23,24,25,26,27,28,29",
    "str x\\n, [x16, #{kept_after} + 8*(\\n - 18)]",
    ".endr",
    ".irp n, 8,9,10,11,12,13,14,15",
    "str d\\n, [x16, #{kept_after} + 8*(\\n - 8 + {FIRST_VECTOR})]",
    ".endr",
    "mov x1, sp",
    "str x1, [x16, #{stack_after}]",
    "ldr x1, [x16, #{stack}]",
    "mov sp, x1",
    "mrs x2, fpcr",
    "str x2, [x16, #{fpcr_after}]",
    "add x2, x16, #{canary_after}",
    "mov x3, #{CANARY}",
    "2:",
    "ldr x4, [x1], #8",
    "str x4, [x2], #8",
    "subs x3, x3, #1",
    "b.ne 2b",
    "add sp, sp, #8*{CANARY}",
    ".cfi_adjust_cfa_offset -8*{CANARY}",
    "ldr x1, [sp, #160]",
    "msr fpcr, x1",
    "ldp d14, d15, [sp, #144]",
    "ldp d12, d13, [sp, #128]",
    "ldp d10, d11, [sp, #112]",
    "ldp d8, d9, [sp, #96]",
    "ldp x27, x28, [sp, #80]",
    "ldp x25, x26, [sp, #64]",
    "ldp x23, x24, [sp, #48]",
    "ldp x21, x22, [sp, #32]",
    "ldp x19, x20, [sp, #16]",
    "ldp x29, x30, [sp], #176",
    ".cfi_adjust_cfa_offset -176",
    ".cfi_restore x29",
    ".cfi_restore x30",
    "ret",
    ".cfi_endproc",
    CANARY = const CANARY,
    FIRST_VECTOR = const FIRST_VECTOR,
    current = sym CURRENT,
    function = sym FUNCTION,
    vectors = const offset_of!(Frame, vectors),
    canary = const offset_of!(Frame, canary),
    arguments = const offset_of!(Frame, arguments),
    junk = const offset_of!(Frame, junk),
    flags = const offset_of!(Frame, flags),
    fpcr = const offset_of!(Frame, fpcr),
    kept = const offset_of!(Frame, kept),
    stack = const offset_of!(Frame, stack),
    canary_after = const offset_of!(Frame, canary_after),
    kept_after = const offset_of!(Frame, kept_after),
    stack_after = const offset_of!(Frame, stack_after),
    fpcr_after = const offset_of!(Frame, fpcr_after),
);

/// `wrong!` makes `$name`, which does what `GOOD` does and then something that it may not.
macro_rules! wrong {
    ($($name:ident: $fault:expr, $($line:literal),+;)*) => {
        $(global_asm!(
            concat!(".globl fasttea_test_", stringify!($name)),
            concat!("fasttea_test_", stringify!($name), ":"),
            "stp x29, x30, [sp, #-16]!",
            "adrp x16, {good}",
            "ldr x16, [x16, #:lo12:{good}]",
            "blr x16",
            "ldp x29, x30, [sp], #16",
            $($line,)+
            "ret",
            good = sym GOOD,
        );)*

        /// Functions that break one rule each: their names, what is told of them, and they.
        pub fn wrong() -> Vec<(&'static str, &'static str, *const ())> {
            unsafe extern "C" {
                $(#[link_name = concat!("fasttea_test_", stringify!($name))] fn $name();)*
            }
            vec![$((stringify!($name), $fault, $name as *const ())),*]
        }
    };
}

wrong! {
    x18: "x18", "mvn x18, x18";
    x19: "x19", "mvn x19, x19";
    x20: "x20", "mov w20, w20";
    x21: "x21", "mov x21, xzr";
    x22: "x22", "mvn x22, x22";
    x23: "x23", "mvn x23, x23";
    x24: "x24", "mvn x24, x24";
    x25: "x25", "mvn x25, x25";
    x26: "x26", "mvn x26, x26";
    x27: "x27", "mvn x27, x27";
    x28: "x28", "mvn x28, x28";
    x29: "x29", "mov x29, sp";
    d8: "d8", "mvn v8.16b, v8.16b";
    d9: "d9", "mov v9.s[1], wzr";
    d10: "d10", "mvn v10.16b, v10.16b";
    d11: "d11", "mvn v11.16b, v11.16b";
    d12: "d12", "mvn v12.16b, v12.16b";
    d13: "d13", "mvn v13.16b, v13.16b";
    d14: "d14", "mvn v14.16b, v14.16b";
    d15: "d15", "movi v15.2d, #0";
    sp: "sp", "sub sp, sp, #16";
    fpcr: "fpcr", "msr fpcr, xzr";
    canary_begin: "canary 0", "mov x9, sp", "ldrb w10, [x9]", "mvn w10, w10", "strb w10, [x9]";
    canary_end: "canary 63", "ldr x9, [sp, #504]", "mvn x9, x9", "str x9, [sp, #504]";
}

/// Whether a wrong function of that name is seen, on this processor and in such a call.
pub fn is_seen(_name: &str, _how: How) -> bool {
    true
}

// Takes a block less when there is an odd number in a register where anything may be.
global_asm!(
    ".globl fasttea_test_reads_junk",
    "fasttea_test_reads_junk:",
    "and x9, x9, #1",
    "sub x3, x3, x9",
    "adrp x16, {good}",
    "ldr x16, [x16, #:lo12:{good}]",
    "br x16",
    good = sym GOOD,
);

// Functions with wrong unwind information: one does not tell that it pushed, one not what.
global_asm!(
    ".globl fasttea_test_hidden_push",
    "fasttea_test_hidden_push:",
    ".cfi_startproc",
    "str xzr, [sp, #-16]!",
    "ldrb w9, [x1]",
    "add sp, sp, #16",
    "adrp x16, {good}",
    "ldr x16, [x16, #:lo12:{good}]",
    "br x16",
    ".cfi_endproc",
    ".globl fasttea_test_lost_register",
    "fasttea_test_lost_register:",
    ".cfi_startproc",
    "str d9, [sp, #-16]!",
    ".cfi_adjust_cfa_offset 16",
    "movi v9.2d, #0",
    "ldrb w9, [x1]",
    "ldr d9, [sp], #16",
    ".cfi_adjust_cfa_offset -16",
    "adrp x16, {good}",
    "ldr x16, [x16, #:lo12:{good}]",
    "br x16",
    ".cfi_endproc",
    good = sym GOOD,
);

unsafe extern "C" {
    #[link_name = "fasttea_test_reads_junk"]
    fn reads_junk();
    #[link_name = "fasttea_test_hidden_push"]
    fn hidden_push();
    #[link_name = "fasttea_test_lost_register"]
    fn lost_register();
}

/// To be called as a blocks kernel of TEA.
pub fn reading_junk() -> *const () {
    reads_junk as *const ()
}

/// The same, and what they read first is the source.
pub fn wrongly_unwound() -> [*const (); 2] {
    [hidden_push as *const (), lost_register as *const ()]
}
