// Lanes kernels for NEON: 32 messages, four in a group, of which 1, 2, 4 or 8 run. See ../lanes.h.
//
// Four groups keep two vector pipes busy, and eight keep four.

#define LANES  32
#define VECTOR 16

#include "neon.h"
#include "../lanes.h"

// x0 = lanes.
#define STEPS    x1    // left
#define GROUPS   x2    // that run
#define POINTERS x4    // at SOURCE
// x8 to x11: pointers of four lanes.

.macro V_GET d, place
    ldr q\d, [x0, #\place]
.endm
.macro V_PUT d, place
    str q\d, [x0, #\place]
.endm
.macro V_WITH d, place
    V_GET T1, \place
    V_XOR \d, T1
.endm
.macro V_TEA_KEY d, k, g
    V_GET \d, KEY+(\k)*WORDS+\g*VECTOR
.endm
.macro V_ROUND_KEY d, half, g
    ldr q\d, [PLACE, #\half*WORDS+\g*VECTOR]
.endm
.macro V_XOR_KEY d, register
    V_XOR \d, \register
.endm

.macro XTEA_ENCRYPT groups
    mov PLACE, FIRST
2:
    HALF_ROUNDS XTEA_OPERATION, V_ADD, , SECOND, 0, \groups
    HALF_ROUNDS XTEA_OPERATION, V_ADD, SECOND, , 1, \groups
    add PLACE, PLACE, #2*WORDS
    cmp PLACE, LAST
    b.ne 2b
.endm

// The pointers of a group's lanes, from an offset after POINTERS on.
.macro GROUP_POINTERS g, place
    ldp x8, x9, [POINTERS, #\place+2*\g*VECTOR]
    ldp x10, x11, [POINTERS, #\place+2*\g*VECTOR+16]
.endm
.macro V_GATHER g
    GROUP_POINTERS \g, 0
    ldr d\g, [x8]
    ld1 {v\g\().d}[1], [x9]
    ldr d2\g, [x10]
    ld1 {v2\g\().d}[1], [x11]
.endm
.macro V_SCATTER g
    GROUP_POINTERS \g, TARGET-SOURCE
    str d\g, [x8]
    st1 {v\g\().d}[1], [x9]
    str d2\g, [x10]
    st1 {v2\g\().d}[1], [x11]
.endm
.macro V_ADVANCE by, from, to
    V_GET T5, \by
    V_GET T6, \by+VECTOR
    .irp pointers, \from, \to
    V_GET T1, \pointers
    V_GET T2, \pointers+VECTOR
    V_ADD_POINTERS T1, T5
    V_ADD_POINTERS T2, T6
    V_PUT T1, \pointers
    V_PUT T2, \pointers+VECTOR
    .endr
.endm
.macro V_ADD_POINTERS d, a
    add v\d\().2d, v\d\().2d, v\a\().2d
.endm

// All steps, if it is for these groups.
.macro STEPS_OF step, count, groups
    cmp GROUPS, #\count
    b.ne 5f
4:
    \step "\groups"
    subs STEPS, STEPS, #1
    b.ne 4b
    b 9f
5:
.endm

.macro ALL_STEPS step
    add POINTERS, x0, #SOURCE
    cbz STEPS, 9f
    STEPS_OF \step, 1, "0"
    STEPS_OF \step, 2, "0,1"
    STEPS_OF \step, 4, "0,1,2,3"
    STEPS_OF \step, 8, "0,1,2,3,4,5,6,7"
9:
    ret
.endm

.macro TEA_LANES step
    END_PROLOGUE
    ldr LAST, [x0, #SCHEDULE_CYCLES]
    ldr FIRST, [x0, #LANES_SUMS]
    add LAST, FIRST, LAST, lsl #2
#ifdef FASTTEA_SHA3
    movi SIXTEEN.4s, #16
#endif
    ALL_STEPS \step
.endm

.macro XTEA_LANES step
    END_PROLOGUE
    ldr LAST, [x0, #SCHEDULE_CYCLES]
    add FIRST, x0, #KEY
    add LAST, FIRST, LAST, lsl #8   // 2*WORDS a cycle
    ALL_STEPS \step
.endm
