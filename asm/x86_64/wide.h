// Independent blocks, one in each 32-bit lane of a vector: the macros of the wide blocks kernels.
//
// A group is two vectors, of the first and of the second words of WIDTH blocks. The blocks of a call
// are taken several groups at a time, and the last ones in as many groups as they need, of which the
// last may be partly filled. The processor interleaves the groups by itself: each has its own
// registers for the words, and temporaries are renamed. The more groups the nearer to the ports'
// limit, so there are as many as the registers hold. Five and more groups of XTEA go two by two: else
// a Zen 4 falls into a pattern that leaves a sixth of its ports idle.
//
// The file that includes this one defines, beside what rounds.h needs,
//
//     TEA_GROUPS, XTEA_GROUPS             how many at a time: at most 8
//     V_TEA_KEY     k, register           keeps the key word k in a register, or leaves it in memory
//     V_ROUND_KEY   address               keeps an XTEA round key in a register, or not
//     LAST_LOAD, LAST_STORE  g            the last group of several, which may be partly filled
//     V_ENTER, V_LEAVE                    what the kernel needs of the stack

#include "rounds.h"

#define SCHEDULE rdi
#define SRC      rsi
#define DST      rdx
#define N        rcx   // blocks left
#define COUNT    rax   // blocks of the last group
#define LAST     r11   // where it is

// In vectors, where there are no more than five groups; 16 registers have room for no more.
#define KEY_0     4
#define KEY_1     5
#define KEY_2     14
#define KEY_3     15
#define ROUND_KEY 15

#define WIDTH (VECTOR/4)   // the blocks of a group
#define GROUP (2*VECTOR)   // its bytes

.macro V_LOAD g, address
    V_READ \g, \address
    V_READ SECOND\g, \address+VECTOR
.endm
.macro V_STORE g, address
    V_WRITE \g, \address
    V_WRITE SECOND\g, \address+VECTOR
.endm

.macro TEA_FIRST_HALF op, groups
    .irp g, \groups
    TEA_HALF_ROUND \op, \g, SECOND\g, 0, KEY_0, 1, KEY_1
    .endr
.endm

.macro TEA_SECOND_HALF op, groups
    .irp g, \groups
    TEA_HALF_ROUND \op, SECOND\g, \g, 2, KEY_2, 3, KEY_3
    .endr
.endm

// XTEA in two groups side by side, v and a of them with w and b.
.macro XTEA_TWO_HALF_ROUNDS op, v, w, a, b, key
    V_LEFT T1, \w, 4
    V_LEFT T3, \b, 4
    V_RIGHT T2, \w, 5
    V_RIGHT T4, \b, 5
    V_XOR T1, T2
    V_XOR T3, T4
    V_ADD T1, T1, \w
    V_ADD T3, T3, \b
    V_XOR_KEY T1, \key
    V_XOR_KEY T3, \key
    \op \v, \v, T1
    \op \a, \a, T3
.endm

.macro XTEA_SIDE_BY_SIDE op, v, w, key, g, h, more:vararg
    .ifb \h
    XTEA_HALF_ROUND \op, \v\g, \w\g, \key
    .else
    XTEA_TWO_HALF_ROUNDS \op, \v\g, \w\g, \v\h, \w\h, \key
    .ifnb \more
    XTEA_SIDE_BY_SIDE \op, \v, \w, \key, \more
    .endif
    .endif
.endm

.macro XTEA_HALF_ROUNDS op, v, w, key, a, b, c, d, e, more:vararg
    V_ROUND_KEY \key
    .ifb \e
    .irp g, \a, \b, \c, \d
    .ifnb \g
    XTEA_HALF_ROUND \op, \v\g, \w\g, \key
    .endif
    .endr
    .else
    XTEA_SIDE_BY_SIDE \op, \v, \w, \key, \a, \b, \c, \d, \e, \more
    .endif
.endm

.macro XTEA_ENCRYPT groups
    mov I, START
    .p2align 4
2:
    XTEA_HALF_ROUNDS V_ADD, , SECOND, TABLE+I, \groups
    XTEA_HALF_ROUNDS V_ADD, SECOND, , TABLE+I+4, \groups
    add I, 8
    jnz 2b
.endm

.macro XTEA_DECRYPT groups
    xor I, I
    .p2align 4
2:
    XTEA_HALF_ROUNDS V_SUB, SECOND, , TABLE+I-4, \groups
    XTEA_HALF_ROUNDS V_SUB, , SECOND, TABLE+I-8, \groups
    sub I, 8
    cmp I, START
    jne 2b
.endm

// Blocks from SRC to DST by the macro `cipher`, in the groups `all`, which are `before` and `last`.
// `last` is also how many groups are whole, so LAST is the number of blocks in them.
.macro BLOCKS cipher, all, before, last
    V_ORDER
    .ifnb \before
    .irp g, \before
    V_LOAD \g, SRC+\g*GROUP
    V_SPLIT \g
    .endr
    .endif
    LAST_LOAD \last
    V_SPLIT \last
    \cipher "\all"
    V_ORDER
    .ifnb \before
    .irp g, \before
    V_JOIN \g
    V_STORE \g, DST+\g*GROUP
    .endr
    .endif
    V_JOIN \last
    LAST_STORE \last
.endm

// The same with as few groups as hold the blocks that are left, else with the most there are.
.macro FIT_BLOCKS cipher, groups, all, before, last, next, more:vararg
    .if \last + 1 == \groups
    BLOCKS \cipher, "\all", "\before", \last
    .else
    cmp N, (\last+1)*WIDTH
    ja 8f
    BLOCKS \cipher, "\all", "\before", \last
    jmp 9f
8:
    FIT_BLOCKS \cipher, \groups, "\all,\next", "\all", \next, \more
    .endif
.endm

// All blocks, up to `groups` groups at a time.
.macro ALL_BLOCKS cipher, groups
    test N, N
    jz 9f
4:
    FIT_BLOCKS \cipher, \groups, "0", , 0, 1, 2, 3, 4, 5, 6, 7, 8
    add SRC, \groups*GROUP
    add DST, \groups*GROUP
    sub N, \groups*WIDTH
    ja 4b
9:
.endm

.macro TEA_BLOCKS cipher
    V_ENTER
    mov START, [SCHEDULE + SCHEDULE_CYCLES]
    SUMS TABLE
    lea TABLE, [TABLE + 4*START]
    shl START, 2
    neg START
    V_TEA_KEY 0, KEY_0
    V_TEA_KEY 1, KEY_1
    V_TEA_KEY 2, KEY_2
    V_TEA_KEY 3, KEY_3
    ALL_BLOCKS \cipher, TEA_GROUPS
    V_LEAVE
.endm

.macro XTEA_BLOCKS cipher
    V_ENTER
    mov START, [SCHEDULE + SCHEDULE_CYCLES]
    lea TABLE, [SCHEDULE + 8*START + SCHEDULE_KEY]
    shl START, 3
    neg START
    ALL_BLOCKS \cipher, XTEA_GROUPS
    V_LEAVE
.endm

// A last group that may be partly filled, for instruction sets without masks: then it goes through a
// group on the stack, of which the rest is never written elsewhere. V_COPY t, from, to copies a block.

.macro STACK_LOAD g
    lea LAST, [SRC + \g*GROUP]
    lea COUNT, [N - \g*WIDTH]
    cmp COUNT, WIDTH
    jae 3f
    COPY LAST, rsp
    mov LAST, rsp
3:
    V_LOAD \g, LAST
.endm

.macro STACK_STORE g
    lea LAST, [DST + \g*GROUP]
    lea COUNT, [N - \g*WIDTH]
    cmp COUNT, WIDTH
    jae 3f
    V_STORE \g, rsp
    COPY rsp, LAST
    jmp 5f
3:
    V_STORE \g, LAST
5:
.endm

// COUNT blocks, at least one. Clobbers T1 and I.
.macro COPY from, to
    xor I, I
2:
    V_COPY T1, \from+8*I, \to+8*I
    inc I
    cmp I, COUNT
    jb 2b
.endm
