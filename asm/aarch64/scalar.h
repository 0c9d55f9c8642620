// One block in general-purpose registers: the macros of the scalar blocks and chain kernels.
//
// Every register here is the caller's to lose, so nothing is saved and there is no stack. The kernels
// keep their arguments in x1 to x4.

#define SCHEDULE x0    // at first

#define X     w6       // the block's first word
#define X64   x6
#define Y     w7       // its second word
#define Y64   x7
#define F     w10      // temporaries
#define F64   x10
#define T     w11
#define T64   x11

// TEA alone.
#define AX    w8       // (x << 4) + a, see below
#define AY    w9
#define S     w12      // the sum
#define K0    w13      // key words
#define K1    w14
#define K2    w15
#define K3    w16
#define TABLE x5       // the end of the sums in use
#define I     x17      // a negative offset from there
#define START x0       // -4 * cycles

// XTEA alone.
#define X4        w8   // x << 4
#define Y4        w9   // y << 4
#define R0        w12  // two round keys
#define R1        w13
#define KEYS      x14  // the next ones
#define FIRST_KEY x15
#define LAST_KEY  x16  // behind the last one

// ---------------------------------------------------------------------------------------------
// TEA, with the shortest chain of dependent operations.
//
// With F(v) = ((v << 4) + a) ^ (v + s) ^ ((v >> 5) + b), a cycle is x += F(y), y += F(x); a, b are
// k0, k1 for F(y) and k2, k3 for F(x); both halves of a cycle share the sum s.
//
// Four dependent operations a half-round are enough: A = (v << 4) + a is kept for each half and brought
// up to date by A += f << 4 when v += f. Then, from f at time 0:
//
//     v += f           1
//     A += f << 4      1 or 2
//     t = b + (v >> 5) 3      an addition with a right-shifted operand takes 2 clocks on most cores
//     g = v + s        2
//     g ^= A           3
//     g ^= t           4      the next f

// Reads the schedule, in whose place START comes.
.macro TEA_ENTER
    ldp K0, K1, [SCHEDULE, #SCHEDULE_KEY]
    ldp K2, K3, [SCHEDULE, #SCHEDULE_KEY + 8]
    SUMS TABLE, I
    ldr START, [SCHEDULE, #SCHEDULE_CYCLES]
    add TABLE, TABLE, START, lsl #2
    neg START, START, lsl #2
.endm

// v ±= f, then f = F(v): one half-round and the value that the next one needs. In this order, since
// cores that execute in order want t started early.
.macro HALF_ROUND op, v, a, b
    \op \v, \v, F
    \op \a, \a, F, lsl #4
    add T, \b, \v, lsr #5
    add F, \v, S
    eor F, F, \a
    eor F, F, T
.endm

// f = F(v) and A = (v << 4) + a from nothing.
.macro FIRST v, a, key, b
    add T, \b, \v, lsr #5
    add \a, \key, \v, lsl #4
    add F, \v, S
    eor F, F, \a
    eor F, F, T
.endm

// (X, Y) = E(X, Y). Clobbers AX, AY, F, T, S and I.
.macro TEA_ENCRYPT
    ldr S, [TABLE, START]
    adds I, START, #4
    FIRST Y, AY, K0, K1
    add AX, K2, X, lsl #4
    b.eq 3f
2:
    HALF_ROUND add, X, AX, K3
    ldr S, [TABLE, I]
    HALF_ROUND add, Y, AY, K1
    adds I, I, #4
    b.ne 2b
3:
    HALF_ROUND add, X, AX, K3
    add Y, Y, F
.endm

// (X, Y) = D(X, Y): the same backwards.
.macro TEA_DECRYPT
    mov I, #-8
    ldur S, [TABLE, #-4]
    FIRST X, AX, K2, K3
    add AY, K0, Y, lsl #4
    cmp START, I
    b.hi 3f
2:
    HALF_ROUND sub, Y, AY, K1
    ldr S, [TABLE, I]
    HALF_ROUND sub, X, AX, K3
    sub I, I, #4
    cmp I, START
    b.hs 2b
3:
    HALF_ROUND sub, Y, AY, K1
    sub X, X, F
.endm

// ---------------------------------------------------------------------------------------------
// XTEA: v ±= (((w << 4) ^ (w >> 5)) + w) ^ k, where the schedule holds k = s + key word for every
// half-round. Written down plainly that is five dependent operations. Four are enough where an xor takes
// a shifted operand at no cost: w << 4 is kept for each half and brought up to date by f << 4.

// Reads the schedule.
.macro XTEA_ENTER
    ldr LAST_KEY, [SCHEDULE, #SCHEDULE_CYCLES]
    add FIRST_KEY, SCHEDULE, #SCHEDULE_KEY
    add LAST_KEY, FIRST_KEY, LAST_KEY, lsl #3
.endm

.macro XTEA_HALF_ROUND op, v, v4, w, w4, key
    eor F, \w4, \w, lsr #5
    add F, F, \w
    eor F, F, \key
    \op \v, \v, F
    \op \v4, \v4, F, lsl #4
.endm

// (X, Y) = E(X, Y). Clobbers X4, Y4, F, R0, R1 and KEYS.
.macro XTEA_ENCRYPT
    mov KEYS, FIRST_KEY
    lsl Y4, Y, #4
    lsl X4, X, #4
2:
    ldp R0, R1, [KEYS], #8
    XTEA_HALF_ROUND add, X, X4, Y, Y4, R0
    XTEA_HALF_ROUND add, Y, Y4, X, X4, R1
    cmp KEYS, LAST_KEY
    b.ne 2b
.endm

// (X, Y) = D(X, Y).
.macro XTEA_DECRYPT
    mov KEYS, LAST_KEY
    lsl X4, X, #4
    lsl Y4, Y, #4
2:
    ldp R0, R1, [KEYS, #-8]!
    XTEA_HALF_ROUND sub, Y, Y4, X, X4, R1
    XTEA_HALF_ROUND sub, X, X4, Y, Y4, R0
    cmp KEYS, FIRST_KEY
    b.ne 2b
.endm
