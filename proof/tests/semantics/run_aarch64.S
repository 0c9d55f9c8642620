// Loads all registers, executes what is at `slot`, which the linker is told of, and stores them again.

#include "layout.h"
.arch armv8-a

.macro PAIRS_OF_VECTORS operation
    add x1, x0, #VECTORS
    .irp n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
    PAIR \operation, \n, %(\n + 1)
    .endr
.endm

.altmacro
.macro PAIR operation, a, b
    \operation q\a, q\b, [x1], #32
.endm

.macro GENERAL_PAIR operation, a, b
    \operation x\a, x\b, [x0, #GENERAL + 8 * \a]
.endm

    .text
    .globl run, back, back_taken, _start
_start:
    bl begin
run:
    stp x29, x30, [sp, #-96]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    ldr x0, =BASE
    mov x1, sp
    str x1, [x0, #HOST - BASE]
    PAIRS_OF_VECTORS ldp
    ldr x1, [x0, #FLAGS]
    msr nzcv, x1
    ldr x1, [x0, #GENERAL + 248]
    mov sp, x1
    .irp n, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28
    GENERAL_PAIR ldp, \n, %(\n + 1)
    .endr
    ldr x30, [x0, #GENERAL + 240]
    ldp x0, x1, [x0, #GENERAL]
    b slot
// The thread pointer, which nothing here uses, keeps x0.
back_taken:
    msr tpidr_el0, x0
    ldr x0, =BASE
    str xzr, [x0, #TAKEN]
    b 2f
back:
    msr tpidr_el0, x0
    ldr x0, =BASE
2:
    .irp n, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28
    GENERAL_PAIR stp, \n, %(\n + 1)
    .endr
    str x30, [x0, #GENERAL + 240]
    mrs x2, tpidr_el0
    stp x2, x1, [x0, #GENERAL]
    mov x1, sp
    str x1, [x0, #GENERAL + 248]
    mrs x1, nzcv
    str x1, [x0, #FLAGS]
    PAIRS_OF_VECTORS stp
    ldr x1, [x0, #HOST - BASE]
    mov sp, x1
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp x29, x30, [sp], #96
    ret
    .ltorg

.section .note.GNU-stack, "", %progbits
