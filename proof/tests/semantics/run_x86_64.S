// Loads all registers, executes what is at `slot`, which the linker is told of, and stores them again. With AVX512
// all 32 vectors in full, else 16 of 32 bytes.

#include "layout.h"
.intel_syntax noprefix


.macro MOVE_GENERAL store
    .set AT, BASE + GENERAL
    .irp r, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
    .if \store
    mov qword ptr [AT], \r
    .else
    .ifnc \r, rsp
    mov \r, qword ptr [AT]
    .endif
    .endif
    .set AT, AT + 8
    .endr
.endm

.macro MOVE_VECTORS store
    .set AT, BASE + VECTORS
#ifdef AVX512
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    .if \store
    vmovdqu64 [AT], zmm\n
    .else
    vmovdqu64 zmm\n, [AT]
    .endif
    .set AT, AT + 64
    .endr
    .set AT, BASE + MASKS
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    .if \store
    kmovq [AT], k\n
    .else
    kmovq k\n, [AT]
    .endif
    .set AT, AT + 8
    .endr
#else
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    .if \store
    vmovdqu [AT], ymm\n
    .else
    vmovdqu ymm\n, [AT]
    .endif
    .set AT, AT + 64
    .endr
#endif
.endm

    .text
    .globl run, back, back_taken, _start
_start:
    and rsp, -16
    call begin
run:
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    mov [HOST], rsp
    MOVE_VECTORS 0
    push qword ptr [BASE + FLAGS]
    popfq
    MOVE_GENERAL 0
    mov rsp, [BASE + GENERAL + 32]
    jmp slot
back_taken:
    mov qword ptr [BASE + TAKEN], 0
back:
    MOVE_GENERAL 1
    mov rsp, [HOST]
    pushfq
    pop qword ptr [BASE + FLAGS]
    MOVE_VECTORS 1
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    ret

.section .note.GNU-stack, "", %progbits
