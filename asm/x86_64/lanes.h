// Lanes kernels with 8 or 16 words in a vector: what the two have in common. See ../lanes.h.
//
// TEA's key word k of a group g is in register KEY_gk. The including file defines LANES, ALL_GROUPS (how
// many there are, 2 or 4) and the KEY_gk.

#include "rounds.h"
#include "../lanes.h"

// rdi = lanes.
#define STEPS  rsi     // left
#define GROUPS rdx     // that run
#define LANE_1 rax     // pointers of two lanes
#define LANE_2 r11

.macro V_ADD_KEY d, k, register
    V_ADD \d, \d, \register
.endm
.macro V_XOR_KEY d, address
    V_XOR_BITS V\d, V\d, V_MEMORY [\address]
.endm
.macro V_GET d, place
    V_READ \d, rdi+\place
.endm
.macro V_PUT d, place
    V_WRITE \d, rdi+\place
.endm
.macro V_WITH d, place
    V_XOR_KEY \d, rdi+\place
.endm
.macro V_ADVANCE by, from, to
    .irp pointers, \from, \to
    V_GET T1, \pointers
    V_GET T2, \pointers+VECTOR
    V_ADD_POINTERS T1, \by
    V_ADD_POINTERS T2, \by+VECTOR
    V_PUT T1, \pointers
    V_PUT T2, \pointers+VECTOR
    .endr
.endm
.macro V_ADD_POINTERS d, place
    vpaddq V\d, V\d, V_MEMORY [rdi + \place]
.endm

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
    XTEA_HALF_ROUND V_ADD, \g, SECOND\g, TABLE+I+\g*VECTOR
    .endr
    .irp g, \groups
    XTEA_HALF_ROUND V_ADD, SECOND\g, \g, TABLE+I+WORDS+\g*VECTOR
    .endr
    add I, 2*WORDS
    jnz 2b
.endm

// The blocks of two lanes from \lane on, in the low half of d.
.macro PAIR_FROM d, lane
    mov LANE_1, [rdi + SOURCE + 8*(\lane)]
    mov LANE_2, [rdi + SOURCE + 8*(\lane) + 8]
    vmovq xmm\d, qword ptr [LANE_1]
    vmovhps xmm\d, xmm\d, qword ptr [LANE_2]
.endm
.macro PAIR_TO d, lane
    mov LANE_1, [rdi + TARGET + 8*(\lane)]
    mov LANE_2, [rdi + TARGET + 8*(\lane) + 8]
    vmovq qword ptr [LANE_1], xmm\d
    vmovhps qword ptr [LANE_2], xmm\d
.endm

// A group's blocks, in the order that V_SPLIT leaves as lane 0, 1, 2, …
#define WIDTH (VECTOR/4)

.macro V_GATHER g
    HALF_FROM \g, WIDTH*\g
    HALF_FROM SECOND\g, WIDTH*\g+2
.endm
.macro HALF_FROM d, lane
    PAIR_FROM \d, \lane
    .irp part, 1, 2, 3
    .if 16*\part < VECTOR
    PAIR_FROM T1, \lane+4*\part
    V_INSERT \d, T1, \part
    .endif
    .endr
.endm

.macro V_SCATTER g
    HALF_TO \g, WIDTH*\g
    HALF_TO SECOND\g, WIDTH*\g+2
.endm
.macro HALF_TO d, lane
    PAIR_TO \d, \lane
    .irp part, 1, 2, 3
    .if 16*\part < VECTOR
    V_EXTRACT T1, \d, \part
    PAIR_TO T1, \lane+4*\part
    .endif
    .endr
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
    mov TABLE, [rdi + LANES_SUMS]
    lea TABLE, [TABLE + 4*START]
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
    mov START, [rdi + SCHEDULE_CYCLES]
    imul START, START, 2*WORDS
    lea TABLE, [rdi + START + KEY]
    neg START
    ALL_STEPS \step
    vzeroupper
    ret
.endm

