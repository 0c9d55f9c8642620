// Lanes kernels with 8 or 16 words in a vector: what the two have in common. See ../lanes.h.
//
// TEA's key word k of a group g is in register KEY_gk. The including file defines LANES, VECTOR, ALL_GROUPS
// (how many there are, 2 or 4), the KEY_gk, what rounds.h needs, and V_GET, V_PUT, V_WITH, V_GATHER,
// V_SCATTER and V_ADVANCE.

#define SECOND 1       // 10 + g

#include "rounds.h"
#include "../lanes.h"

#define STEPS  rdx
#define GROUPS rcx

.macro TEA_FIRST_HALF op, groups
    .irp g, \groups
    .if \g == 0
    TEA_HALF_ROUND \op, 0, 10, 0, KEY_00, 1, KEY_01
    .elseif \g == 1
    TEA_HALF_ROUND \op, 1, 11, 0, KEY_10, 1, KEY_11
    .elseif \g == 2
    TEA_HALF_ROUND \op, 2, 12, 0, KEY_20, 1, KEY_21
    .else
    TEA_HALF_ROUND \op, 3, 13, 0, KEY_30, 1, KEY_31
    .endif
    .endr
.endm

.macro TEA_SECOND_HALF op, groups
    .irp g, \groups
    .if \g == 0
    TEA_HALF_ROUND \op, 10, 0, 2, KEY_02, 3, KEY_03
    .elseif \g == 1
    TEA_HALF_ROUND \op, 11, 1, 2, KEY_12, 3, KEY_13
    .elseif \g == 2
    TEA_HALF_ROUND \op, 12, 2, 2, KEY_22, 3, KEY_23
    .else
    TEA_HALF_ROUND \op, 13, 3, 2, KEY_32, 3, KEY_33
    .endif
    .endr
.endm

.macro XTEA_ENCRYPT groups
    mov I, START
    .p2align 4
2:
    .irp g, \groups
    XTEA_HALF_ROUND V_ADD, \g, 1\g, TABLE+I+\g*VECTOR
    .endr
    .irp g, \groups
    XTEA_HALF_ROUND V_ADD, 1\g, \g, TABLE+I+WORDS+\g*VECTOR
    .endr
    add I, 2*WORDS
    jnz 2b
.endm

// The blocks of two lanes from \lane on, in the low half of d.
.macro PAIR_FROM d, lane
    mov rax, [rdi + SOURCE + 8*(\lane)]
    mov r11, [rdi + SOURCE + 8*(\lane) + 8]
    vmovq xmm\d, qword ptr [rax]
    vmovhps xmm\d, xmm\d, qword ptr [r11]
.endm
.macro PAIR_TO d, lane
    mov rax, [rdi + TARGET + 8*(\lane)]
    mov r11, [rdi + TARGET + 8*(\lane) + 8]
    vmovq qword ptr [rax], xmm\d
    vmovhps qword ptr [r11], xmm\d
.endm

// All steps, if it is for these groups.
.macro STEPS_OF step, count, groups
    cmp GROUPS, \count
    jne 5f
    .p2align 4
4:
    \step "\groups"
    dec STEPS
    jnz 4b
    jmp 9f
5:
.endm

.macro ALL_STEPS step
    test STEPS, STEPS
    jz 9f
    STEPS_OF \step, 1, "0"
    STEPS_OF \step, 2, "0,1"
    .if ALL_GROUPS == 4
    STEPS_OF \step, 3, "0,1,2"
    STEPS_OF \step, 4, "0,1,2,3"
    .endif
9:
.endm

.macro TEA_LANES step
    END_PROLOGUE
    mov START, [rdi + SCHEDULE_CYCLES]
    lea TABLE, [rsi + 4*START]
    shl START, 2
    neg START
    GET_KEY 0, KEY_00, KEY_01, KEY_02, KEY_03
    GET_KEY 1, KEY_10, KEY_11, KEY_12, KEY_13
    .if ALL_GROUPS == 4
    GET_KEY 2, KEY_20, KEY_21, KEY_22, KEY_23
    GET_KEY 3, KEY_30, KEY_31, KEY_32, KEY_33
    .endif
    ALL_STEPS \step
    vzeroupper
    ret
.endm

.macro GET_KEY g, a, b, c, d
    V_GET \a, KEY+\g*VECTOR
    V_GET \b, KEY+WORDS+\g*VECTOR
    V_GET \c, KEY+2*WORDS+\g*VECTOR
    V_GET \d, KEY+3*WORDS+\g*VECTOR
.endm

.macro XTEA_LANES step
    END_PROLOGUE
    mov GROUPS, rdx
    mov STEPS, rsi
    mov START, [rdi + SCHEDULE_CYCLES]
    imul START, START, 2*WORDS
    lea TABLE, [rdi + START + KEY]
    neg START
    ALL_STEPS \step
    vzeroupper
    ret
.endm

