//! The shim for x86_64, and functions that break one rule each.

use core::{
    arch::{global_asm, x86_64::__cpuid_count},
    mem::offset_of,
    sync::atomic::Ordering,
};

use super::{CANARY, CURRENT, FUNCTION, GOOD, How, LOCK};
use crate::kernels::{Arguments, Random};

/// What a function is called with, and what it leaves. `kept` are the registers of `KEPT`.
#[repr(C, align(64))]
pub struct Frame {
    vectors: [[u8; 64]; 32],
    canary: [u64; CANARY],
    arguments: Arguments,
    junk: u64,
    flags: u64,
    mxcsr: u32,
    x87_control: u32,
    level: u32,
    is_clean: u32,
    has_in_use: u32,
    pub kept: [usize; KEPT.len()],

    pub stack: usize,
    own_mxcsr: u32,
    own_x87_control: u32,

    canary_after: [u64; CANARY],
    kept_after: [usize; KEPT.len()],
    stack_after: usize,
    flags_after: u64,
    mxcsr_after: u32,
    in_use_after: u32,
    x87_after: [u32; 7],
}

/// The registers that a function keeps, and their numbers in unwind information.
pub const KEPT: [(&str, i32); 6] = [
    ("rbx", 3),
    ("rbp", 6),
    ("r12", 12),
    ("r13", 13),
    ("r14", 14),
    ("r15", 15),
];

const STATUS: u64 = 0x8d5;
const TRAP: u64 = 0x100;
const DIRECTION: u64 = 0x400;

/// Rounding towards zero, all exceptions masked and already there.
const MXCSR: u32 = 0x7fbf;
const MXCSR_STATUS: u32 = 0x3f;
/// Rounding towards zero, 53 bits.
const X87_CONTROL: u32 = 0x0e7f;

/// In use, that is not all zero: the upper halves of the lower 16 ymm or zmm. Those above slow nothing
/// down.
const UPPER_IN_USE: u32 = 1 << 2 | 1 << 6;

fn level() -> u32 {
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
        2
    } else {
        u32::from(is_x86_feature_detected!("avx"))
    }
}

/// Whether the processor tells which vector registers are in use.
fn has_in_use() -> bool {
    // Newer versions of Rust have it safe.
    #[allow(unused_unsafe)]
    // SAFETY: every x86_64 processor has the instruction.
    let features = unsafe { __cpuid_count(0xd, 1) };
    level() > 0 && features.eax & 4 != 0
}

/// Calls a kernel with junk wherever a caller may leave it, and tells what it spoiled.
pub fn call(function: *const (), arguments: Arguments, how: How) -> Vec<String> {
    let mut random = Random(how.seed);
    let junk = if how.seed % 2 == 0 {
        u64::MAX
    } else {
        random.word()
    };
    let mut flags = junk & STATUS;
    if how.step {
        flags |= TRAP;
    }
    let mut frame = Frame {
        vectors: core::array::from_fn(|_| core::array::from_fn(|_| random.word() as u8)),
        canary: core::array::from_fn(|_| random.word()),
        arguments,
        junk,
        flags,
        mxcsr: MXCSR,
        x87_control: X87_CONTROL,
        level: level(),
        is_clean: u32::from(how.is_clean && level() > 0),
        has_in_use: u32::from(has_in_use()),
        kept: core::array::from_fn(|_| random.word() as usize),
        stack: 0,
        own_mxcsr: 0,
        own_x87_control: 0,
        canary_after: [0; CANARY],
        kept_after: [0; KEPT.len()],
        stack_after: 0,
        flags_after: 0,
        mxcsr_after: 0,
        in_use_after: 0,
        x87_after: [0; 7],
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
    fault(frame.stack != frame.stack_after, "rsp");
    fault(frame.flags_after & DIRECTION != 0, "direction flag");
    fault(
        frame.mxcsr_after & !MXCSR_STATUS != MXCSR & !MXCSR_STATUS,
        "mxcsr",
    );
    fault(
        frame.x87_after[0] & 0xffff != X87_CONTROL,
        "x87 control word",
    );
    fault(frame.x87_after[2] & 0xffff != 0xffff, "x87 registers");
    if how.is_clean {
        fault(frame.in_use_after & UPPER_IN_USE != 0, "upper halves");
    }
    faults
}

unsafe extern "sysv64" {
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
    ".irp register, rbx, rbp, r12, r13, r14, r15",
    "push \\register",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset \\register, 0",
    ".endr",
    "sub rsp, 8*{CANARY} + 8",
    ".cfi_adjust_cfa_offset 8*{CANARY} + 8",
    "mov [rip + {current}], rdi",
    "mov [rdi + {stack}], rsp",
    "stmxcsr [rdi + {own_mxcsr}]",
    "fnstcw [rdi + {own_x87_control}]",
    "ldmxcsr [rdi + {mxcsr}]",
    "fldcw [rdi + {x87_control}]",
    "mov r11, rdi",
    // The canary, above the return address, and junk below.
    "lea rsi, [r11 + {canary}]",
    "mov rdi, rsp",
    "mov ecx, {CANARY}",
    "rep movsq",
    "lea rdi, [rsp - 4096]",
    "mov rax, [r11 + {junk}]",
    "mov ecx, 512",
    "rep stosq",
    // The vectors, as wide as there are.
    ".altmacro",
    ".macro fasttea_test_load instruction, register, number",
    "\\instruction \\register\\number, [r11 + {vectors} + 64*\\number]",
    ".endm",
    "cmp dword ptr [r11 + {level}], 1",
    "jb 2f",
    "je 3f",
    ".set i, 0",
    ".rept 32",
    "fasttea_test_load vmovdqu64, zmm, %i",
    ".set i, i + 1",
    ".endr",
    ".set i, 0",
    ".rept 8",
    "fasttea_test_load kmovq, k, %i",
    ".set i, i + 1",
    ".endr",
    "jmp 4f",
    "3:",
    ".set i, 0",
    ".rept 16",
    "fasttea_test_load vmovdqu, ymm, %i",
    ".set i, i + 1",
    ".endr",
    "jmp 4f",
    "2:",
    ".set i, 0",
    ".rept 16",
    "fasttea_test_load movdqu, xmm, %i",
    ".set i, i + 1",
    ".endr",
    ".noaltmacro",
    "4:",
    "cmp dword ptr [r11 + {is_clean}], 0",
    "je 5f",
    "vzeroupper",
    "5:",
    // All other registers.
    "mov rbx, [r11 + {kept}]",
    "mov rbp, [r11 + {kept} + 8]",
    "mov r12, [r11 + {kept} + 16]",
    "mov r13, [r11 + {kept} + 24]",
    "mov r14, [r11 + {kept} + 32]",
    "mov r15, [r11 + {kept} + 40]",
    "mov rdi, [r11 + {arguments}]",
    "mov rsi, [r11 + {arguments} + 8]",
    "mov rdx, [r11 + {arguments} + 16]",
    "mov rcx, [r11 + {arguments} + 24]",
    "mov r8, [r11 + {arguments} + 32]",
    "mov r9, [r11 + {arguments} + 40]",
    "mov rax, [r11 + {junk}]",
    "mov r10, rax",
    "push qword ptr [r11 + {flags}]",
    "mov r11, rax",
    "popfq",
    "call [rip + {function}]",
    "mov r11, [rip + {current}]",
    "mov [r11 + {kept_after}], rbx",
    "mov [r11 + {kept_after} + 8], rbp",
    "mov [r11 + {kept_after} + 16], r12",
    "mov [r11 + {kept_after} + 24], r13",
    "mov [r11 + {kept_after} + 32], r14",
    "mov [r11 + {kept_after} + 40], r15",
    "mov [r11 + {stack_after}], rsp",
    "mov rsp, [r11 + {stack}]",
    "pushfq",
    "pop qword ptr [r11 + {flags_after}]",
    "cld",
    "stmxcsr [r11 + {mxcsr_after}]",
    "ldmxcsr [r11 + {own_mxcsr}]",
    "fnstenv [r11 + {x87_after}]",
    "fninit",
    "fldcw [r11 + {own_x87_control}]",
    "cmp dword ptr [r11 + {has_in_use}], 0",
    "je 2f",
    "mov ecx, 1",
    "xgetbv",
    "mov [r11 + {in_use_after}], eax",
    "2:",
    "cmp dword ptr [r11 + {level}], 0",
    "je 2f",
    "vzeroupper",
    "2:",
    "mov rsi, rsp",
    "lea rdi, [r11 + {canary_after}]",
    "mov ecx, {CANARY}",
    "rep movsq",
    "add rsp, 8*{CANARY} + 8",
    ".cfi_adjust_cfa_offset -8*{CANARY} - 8",
    ".irp register, r15, r14, r13, r12, rbp, rbx",
    "pop \\register",
    ".cfi_adjust_cfa_offset -8",
    ".cfi_restore \\register",
    ".endr",
    "ret",
    ".cfi_endproc",
    CANARY = const CANARY,
    current = sym CURRENT,
    function = sym FUNCTION,
    vectors = const offset_of!(Frame, vectors),
    canary = const offset_of!(Frame, canary),
    arguments = const offset_of!(Frame, arguments),
    junk = const offset_of!(Frame, junk),
    flags = const offset_of!(Frame, flags),
    mxcsr = const offset_of!(Frame, mxcsr),
    x87_control = const offset_of!(Frame, x87_control),
    level = const offset_of!(Frame, level),
    is_clean = const offset_of!(Frame, is_clean),
    has_in_use = const offset_of!(Frame, has_in_use),
    kept = const offset_of!(Frame, kept),
    stack = const offset_of!(Frame, stack),
    own_mxcsr = const offset_of!(Frame, own_mxcsr),
    own_x87_control = const offset_of!(Frame, own_x87_control),
    canary_after = const offset_of!(Frame, canary_after),
    kept_after = const offset_of!(Frame, kept_after),
    stack_after = const offset_of!(Frame, stack_after),
    flags_after = const offset_of!(Frame, flags_after),
    mxcsr_after = const offset_of!(Frame, mxcsr_after),
    in_use_after = const offset_of!(Frame, in_use_after),
    x87_after = const offset_of!(Frame, x87_after),
);

/// `wrong!` makes `$name`, which does what `GOOD` does and then something that it may not.
macro_rules! wrong {
    ($($name:ident: $fault:expr, $($line:literal),+;)*) => {
        $(global_asm!(
            concat!(".globl fasttea_test_", stringify!($name)),
            concat!("fasttea_test_", stringify!($name), ":"),
            "push rax",
            "call [rip + {good}]",
            "pop rax",
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
    rbx: "rbx", "not rbx";
    rbp: "rbp", "add rbp, 1";
    r12: "r12", "xor r12d, r12d";
    r13: "r13", "bswap r13";
    r14: "r14", "xor r14, 0x100";
    r15: "r15", "neg r15";
    // The return address stays on the stack.
    rsp: "rsp", "push [rsp]";
    direction: "direction flag", "std";
    mxcsr: "mxcsr", "push 0x1f80", "ldmxcsr [rsp]", "pop rax";
    x87_control: "x87 control word", "push 0x037f", "fldcw [rsp]", "pop rax";
    x87_registers: "x87 registers", "fldz";
    mmx: "x87 registers", "pxor mm0, mm0";
    canary_begin: "canary 0", "not byte ptr [rsp + 8]";
    canary_end: "canary 63", "not byte ptr [rsp + 8 + 8*63]";
    ymm: "upper halves", "vpcmpeqd xmm0, xmm0, xmm0", "vinsertf128 ymm0, ymm0, xmm0, 1";
    zmm: "upper halves", "vpternlogd zmm5, zmm5, zmm5, 0xff";
}

/// Whether a wrong function of that name is seen, on this processor and in such a call.
pub fn is_seen(name: &str, how: How) -> bool {
    match name {
        "ymm" => has_in_use() && how.is_clean,
        "zmm" => has_in_use() && how.is_clean && level() == 2,
        _ => true,
    }
}

// Takes a block less when there is an odd number in a register where anything may be.
global_asm!(
    ".globl fasttea_test_reads_junk",
    "fasttea_test_reads_junk:",
    "and r10d, 1",
    "sub rcx, r10",
    "jmp [rip + {good}]",
    good = sym GOOD,
);

// Functions with wrong unwind information: one does not tell that it pushed, one not what.
global_asm!(
    ".globl fasttea_test_hidden_push",
    "fasttea_test_hidden_push:",
    ".cfi_startproc",
    "push 0",
    "mov al, [rsi]",
    "pop rax",
    "jmp [rip + {good}]",
    ".cfi_endproc",
    ".globl fasttea_test_lost_register",
    "fasttea_test_lost_register:",
    ".cfi_startproc",
    "push rbx",
    ".cfi_adjust_cfa_offset 8",
    "xor ebx, ebx",
    "mov al, [rsi]",
    "pop rbx",
    ".cfi_adjust_cfa_offset -8",
    "jmp [rip + {good}]",
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
