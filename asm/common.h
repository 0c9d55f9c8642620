// What every assembly file includes first, and the only place with platform conditionals.
//
// Object formats: ELF, Mach-O and COFF; assemblers: GNU as and clang. Only `.macro` is used for
// code of more than one line, since `;` starts a comment on arm64 Mach-O.

#ifndef FASTTEA_COMMON_H
#define FASTTEA_COMMON_H

#ifndef FASTTEA_PREFIX
#error "build.rs passes FASTTEA_PREFIX, which holds the crate's version"
#endif

// ---------------------------------------------------------------------------------------------
// Rust's #[repr(C)] types. src/schedule.rs and src/chaining.rs assert the same numbers; those of
// the lanes, which begin as a schedule does, are in lanes.h.

#define SCHEDULE_CYCLES  0
#define SCHEDULE_ORDER   8              // the byte order
#define SCHEDULE_KEY    24              // TEA's key, XTEA's round keys
#define SCHEDULE_OWN    40              // whether TEA's sums follow,
#define SCHEDULE_SUMS   48              // or else the pointer to them

#define STATE_CIPHERTEXT 0              // CBC's chaining value
#define STATE_MIXED      8              // what entered the cipher: QQ alone has it

// ---------------------------------------------------------------------------------------------
// Symbols: SYMBOL(x) is this version's name of the kernel x.

#define FASTTEA_JOIN_(a, b, c) a##b##_##c
#define FASTTEA_JOIN(a, b, c) FASTTEA_JOIN_(a, b, c)
#ifdef __APPLE__
#define SYMBOL(name) FASTTEA_JOIN(_, FASTTEA_PREFIX, name)
#else
#define SYMBOL(name) FASTTEA_JOIN(, FASTTEA_PREFIX, name)
#endif

// ---------------------------------------------------------------------------------------------
// Instruction set: the landing pad of an indirect call, spelled so that every assembler takes it
// at any architecture level, and the function's alignment.

#if defined(__x86_64__)
.intel_syntax noprefix
#define LANDING_PAD .byte 0xf3, 0x0f, 0x1e, 0xfa // endbr64
#elif defined(__aarch64__)
#define LANDING_PAD hint #34                     // bti c
#define x18 do_not_use_x18
#else
#error "no kernels for this architecture"
#endif

// FUNCTION SYMBOL(name) … END_FUNCTION, which is defined anew for each function and so knows its name.
.macro FUNCTION symbol
    .text
    .p2align 5
    .globl \symbol
#if defined(__APPLE__)
    .private_extern \symbol
#elif defined(__ELF__)
    .hidden \symbol
    .type \symbol, %function
#else
    .def \symbol
    .scl 2
    .type 32
    .endef
    .seh_proc \symbol
#endif
\symbol:
#if defined(__APPLE__) || defined(__ELF__)
    .cfi_startproc
#endif
    LANDING_PAD
#if defined(__aarch64__) && !defined(__APPLE__) && !defined(__ELF__)
    .seh_nop
#endif
.macro END_FUNCTION
#if defined(__APPLE__)
    .cfi_endproc
#elif defined(__ELF__)
    .cfi_endproc
    .size \symbol, . - \symbol
#else
    .seh_endproc
#endif
    .purgem END_FUNCTION
.endm
.endm

// ---------------------------------------------------------------------------------------------
// Where TEA's sums begin, by the schedule in rdi or x0.

#if defined(__x86_64__)
.macro SUMS out
    lea \out, [rdi + SCHEDULE_SUMS]
    cmp qword ptr [rdi + SCHEDULE_OWN], 0
    cmove \out, [rdi + SCHEDULE_SUMS]
.endm
#else
.macro SUMS out, scratch
    ldp \scratch, \out, [x0, #SCHEDULE_OWN]
    cmp \scratch, #0
    add \scratch, x0, #SCHEDULE_SUMS
    csel \out, \out, \scratch, eq
.endm
#endif

// ---------------------------------------------------------------------------------------------
// The stack. A prologue is PUSH_REGISTER*, at most one ALLOCATE, and END_PROLOGUE, which stands in
// every function; an epilogue is RELEASE, POP_REGISTER* in the opposite order, ret, and nothing in
// between, or Windows does not know it for one. Nothing is kept below the stack pointer. (GNU as folds
// the case of macro names: PUSH would call itself.)

.macro END_PROLOGUE
#if !defined(__APPLE__) && !defined(__ELF__)
    .seh_endprologue
#endif
.endm

#if defined(__x86_64__)
.macro PUSH_REGISTER register
    push \register
#if defined(__APPLE__) || defined(__ELF__)
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset \register, 0
#else
    .seh_pushreg \register
#endif
.endm

.macro POP_REGISTER register
    pop \register
#if defined(__APPLE__) || defined(__ELF__)
    .cfi_adjust_cfa_offset -8
    .cfi_restore \register
#endif
.endm

.macro ALLOCATE bytes
    sub rsp, \bytes
#if defined(__APPLE__) || defined(__ELF__)
    .cfi_adjust_cfa_offset \bytes
#else
    .seh_stackalloc \bytes
#endif
.endm

.macro RELEASE bytes
    add rsp, \bytes
#if defined(__APPLE__) || defined(__ELF__)
    .cfi_adjust_cfa_offset -\bytes
#endif
.endm
#else
// No register has to be saved here.
.macro ALLOCATE bytes
    sub sp, sp, #\bytes
#if defined(__APPLE__) || defined(__ELF__)
    .cfi_adjust_cfa_offset \bytes
#else
    .seh_stackalloc \bytes
#endif
.endm

.macro RELEASE bytes
#if defined(__APPLE__) || defined(__ELF__)
    add sp, sp, #\bytes
    .cfi_adjust_cfa_offset -\bytes
#else
    .seh_startepilogue
    add sp, sp, #\bytes
    .seh_stackalloc \bytes
    .seh_endepilogue
#endif
.endm
#endif

// ---------------------------------------------------------------------------------------------
// Notes. One object without them costs the whole program its non-executable stack (GNU-stack) or
// its control-flow protection (property note: IBT and shadow stack, BTI).

#if defined(__ELF__)
.section .note.GNU-stack, "", %progbits

.section .note.gnu.property, "a", %note
    .p2align 3
    .long 4
    .long 16
    .long 5
    .asciz "GNU"
#if defined(__x86_64__)
    .long 0xc0000002
    .long 4
    .long 3
#else
    .long 0xc0000000
    .long 4
    .long 1
#endif
    .long 0
#elif defined(__APPLE__)
.subsections_via_symbols
#endif
.text

#endif
