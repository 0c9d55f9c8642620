// Independent blocks, one in each 32-bit lane of a vector: the macros of the blocks kernels.
//
// A group is two vectors, of the first and of the second words of four blocks. The blocks of a call are
// taken eight groups at a time, which is what it takes to keep four vector pipes busy, and the last
// ones in as many groups as they need, of which the last may be partly filled.

#include "neon.h"

#define GROUP 32       // bytes

#define SCHEDULE x0
#define SRC      x1
#define DST      x2
#define N        x3    // blocks left
#define COUNT    x8    // blocks of the last group
#define GROUP_AT x9    // where it is

.macro V_TEA_KEY d, k, g
    ldr q\d, [sp, #16*(\k)]
.endm
.macro V_ROUND_KEY d, half, g
.endm
.macro V_XOR_KEY d, register
    V_XOR \d, SUM
.endm

.macro XTEA_ENCRYPT groups
    mov PLACE, FIRST
2:
    V_SPREAD SUM, [PLACE], #4
    HALF_ROUNDS XTEA_OPERATION, V_ADD, , SECOND, 0, \groups
    V_SPREAD SUM, [PLACE], #4
    HALF_ROUNDS XTEA_OPERATION, V_ADD, SECOND, , 1, \groups
    cmp PLACE, LAST
    b.ne 2b
.endm

.macro XTEA_DECRYPT groups
    mov PLACE, LAST
2:
    sub PLACE, PLACE, #4
    V_SPREAD SUM, [PLACE]
    HALF_ROUNDS XTEA_OPERATION, V_SUB, SECOND, , 1, \groups
    sub PLACE, PLACE, #4
    V_SPREAD SUM, [PLACE]
    HALF_ROUNDS XTEA_OPERATION, V_SUB, , SECOND, 0, \groups
    cmp PLACE, FIRST
    b.ne 2b
.endm

// The last group, of which N - 4g blocks are there. Lanes without a block hold anything.
.macro LAST_GROUP load, g, buffer
    add GROUP_AT, \buffer, #\g*GROUP
    sub COUNT, N, #4*\g
    cmp COUNT, #4
    b.hs 4f
    tbnz COUNT, #1, 3f
    \load\()r d\g, [GROUP_AT]
    b 5f
3:
    \load\()r q\g, [GROUP_AT]
    tbz COUNT, #0, 5f
    \load\()r d2\g, [GROUP_AT, #16]
    b 5f
4:
    \load\()p q\g, q2\g, [GROUP_AT]
5:
.endm

// Blocks from SRC to DST by the macro `cipher`, in the groups `all`, which are `before` and `last`.
// `last` is also how many groups are whole.
.macro BLOCKS cipher, all, before, last
    V_ORDER
    .ifnb \before
    .irp g, \before
    ldp q\g, q2\g, [SRC, #\g*GROUP]
    V_SPLIT \g
    .endr
    .endif
    LAST_GROUP ld, \last, SRC
    V_SPLIT \last
    \cipher "\all"
    V_ORDER
    .ifnb \before
    .irp g, \before
    V_JOIN \g
    stp q\g, q2\g, [DST, #\g*GROUP]
    .endr
    .endif
    V_JOIN \last
    LAST_GROUP st, \last, DST
.endm

// The same with as few groups as hold the blocks that are left, else with all eight.
.macro FIT_BLOCKS cipher, all, before, last, next, more:vararg
    .if \last == 7
    BLOCKS \cipher, "\all", "\before", \last
    .else
    cmp N, #4*(\last+1)
    b.hi 8f
    BLOCKS \cipher, "\all", "\before", \last
    b 9f
8:
    FIT_BLOCKS \cipher, "\all,\next", "\all", \next, \more
    .endif
.endm

.macro ALL_BLOCKS cipher
    cbz N, 9f
6:
    FIT_BLOCKS \cipher, "0", , 0, 1, 2, 3, 4, 5, 6, 7, 8
    add SRC, SRC, #8*GROUP
    add DST, DST, #8*GROUP
    subs N, N, #32
    b.hi 6b
9:
.endm

// The stack holds the key words, each in all lanes of a vector.
.macro TEA_BLOCKS cipher
    ALLOCATE 64
    END_PROLOGUE
    add FIRST, SCHEDULE, #SCHEDULE_KEY
    ld4r {v28.4s, v29.4s, v30.4s, v31.4s}, [FIRST]
    stp q28, q29, [sp]
    stp q30, q31, [sp, #32]
    SUMS FIRST, PLACE
    ldr LAST, [SCHEDULE, #SCHEDULE_CYCLES]
    add LAST, FIRST, LAST, lsl #2
#ifdef FASTTEA_SHA3
    movi SIXTEEN.4s, #16
#endif
    ALL_BLOCKS \cipher
    movi v0.4s, #0
    stp q0, q0, [sp]
    stp q0, q0, [sp, #32]
    RELEASE 64
    ret
.endm

.macro XTEA_BLOCKS cipher
    END_PROLOGUE
    ldr LAST, [SCHEDULE, #SCHEDULE_CYCLES]
    add FIRST, SCHEDULE, #SCHEDULE_KEY
    add LAST, FIRST, LAST, lsl #3
    ALL_BLOCKS \cipher
    ret
.endm
