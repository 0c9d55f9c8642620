// Independent blocks, one in each 32-bit lane of a vector: the macros of the wide blocks kernels.
//
// A group is two vectors, of the first and of the second words of WIDTH blocks. The blocks of a call
// are taken four groups at a time, and the last ones in as many groups as they need, of which the
// last may be partly filled. The processor interleaves the groups by itself: each has its own
// registers for the words, and temporaries are renamed.
//
// Registers are given by number. In a group g the first words are in register g, the second words in
// register 1g, that is 10 + g. 4, 5 and 6 are temporaries, 7, 8, 9 and 14 hold TEA's key, 15 the sum
// or round key.
//
// The file that includes this one defines for its instruction set
//
//     WIDTH, GROUP                        blocks and bytes in a group
//     V_ADD, V_SUB  d, a, b               d = a ± b
//     V_XOR         d, a                  d ^= a
//     V_XOR3        d, a, b               d ^= a ^ b
//     V_LEFT, V_RIGHT  d, a, bits         d = a << bits, a >> bits
//     V_SPREAD      d, address            d = the word at an address, in all lanes
//     V_ORDER       d                     d = the schedule's byte order, for V_SPLIT and V_JOIN
//     V_SPLIT       g                     from WIDTH blocks in memory order to words
//     V_JOIN        g                     and back
//     V_LOAD, V_STORE  g, address         whole groups
//     LAST_LOAD, LAST_STORE  g            the last group, at LAST blocks from SRC and DST
//     V_ENTER, V_LEAVE                    what the kernel needs of the stack

#define SCHEDULE rdi
#define TABLE    rsi      // the end of the sums (TEA) or round keys (XTEA) in use
#define SRC      rdx
#define DST      rcx
#define N        r8
#define START    r9       // a negative offset from TABLE to its begin
#define I        r10
#define ORDER    6

// v ±= F(w).
.macro TEA_HALF_ROUND op, v, w, a, b
    V_LEFT 4, \w, 4
    V_RIGHT 5, \w, 5
    V_ADD 6, \w, 15
    V_ADD 4, 4, \a
    V_ADD 5, 5, \b
    V_XOR3 4, 5, 6
    \op \v, \v, 4
.endm

.macro TEA_HALF_ROUNDS op, groups, v, w, a, b
    .irp g, \groups
    TEA_HALF_ROUND \op, \v\g, \w\g, \a, \b
    .endr
.endm

.macro TEA_ENCRYPT groups
    mov I, START
    .p2align 4
2:
    V_SPREAD 15, TABLE+I
    TEA_HALF_ROUNDS V_ADD, "\groups", , 1, 7, 8
    TEA_HALF_ROUNDS V_ADD, "\groups", 1, , 9, 14
    add I, 4
    jnz 2b
.endm

.macro TEA_DECRYPT groups
    xor I, I
    .p2align 4
2:
    V_SPREAD 15, TABLE+I-4
    TEA_HALF_ROUNDS V_SUB, "\groups", 1, , 9, 14
    TEA_HALF_ROUNDS V_SUB, "\groups", , 1, 7, 8
    sub I, 4
    cmp I, START
    jne 2b
.endm

.macro XTEA_HALF_ROUND op, v, w
    V_LEFT 4, \w, 4
    V_RIGHT 5, \w, 5
    V_XOR 4, 5
    V_ADD 4, 4, \w
    V_XOR 4, 15
    \op \v, \v, 4
.endm

.macro XTEA_HALF_ROUNDS op, groups, v, w
    .irp g, \groups
    XTEA_HALF_ROUND \op, \v\g, \w\g
    .endr
.endm

.macro XTEA_ENCRYPT groups
    mov I, START
    .p2align 4
2:
    V_SPREAD 15, TABLE+I
    XTEA_HALF_ROUNDS V_ADD, "\groups", , 1
    V_SPREAD 15, TABLE+I+4
    XTEA_HALF_ROUNDS V_ADD, "\groups", 1,
    add I, 8
    jnz 2b
.endm

.macro XTEA_DECRYPT groups
    xor I, I
    .p2align 4
2:
    V_SPREAD 15, TABLE+I-4
    XTEA_HALF_ROUNDS V_SUB, "\groups", 1,
    V_SPREAD 15, TABLE+I-8
    XTEA_HALF_ROUNDS V_SUB, "\groups", , 1
    sub I, 8
    cmp I, START
    jne 2b
.endm

// Blocks from SRC to DST by the macro `cipher`, in the groups `all`, which are `before` and `last`.
// `last` is also how many groups are whole, so LAST is the number of blocks in them.
.macro BLOCKS cipher, all, before, last
    V_ORDER ORDER
    .ifnb \before
    .irp g, \before
    V_LOAD \g, SRC+\g*GROUP
    V_SPLIT \g
    .endr
    .endif
    LAST_LOAD \last
    V_SPLIT \last
    \cipher "\all"
    V_ORDER ORDER
    .ifnb \before
    .irp g, \before
    V_JOIN \g
    V_STORE \g, DST+\g*GROUP
    .endr
    .endif
    V_JOIN \last
    LAST_STORE \last
.endm

.macro ALL_BLOCKS cipher
    test N, N
    jz 9f
4:
    cmp N, 2*WIDTH
    ja 7f
    cmp N, WIDTH
    ja 6f
    BLOCKS \cipher, "0", , 0
    jmp 9f
6:
    BLOCKS \cipher, "0,1", "0", 1
    jmp 9f
7:
    cmp N, 3*WIDTH
    ja 8f
    BLOCKS \cipher, "0,1,2", "0,1", 2
    jmp 9f
8:
    BLOCKS \cipher, "0,1,2,3", "0,1,2", 3
    add SRC, 4*GROUP
    add DST, 4*GROUP
    sub N, 4*WIDTH
    ja 4b
9:
.endm

// rdi = schedule, rsi = sums, rdx = source, rcx = destination, r8 = blocks.
.macro TEA_BLOCKS cipher
    V_ENTER
    mov START, [SCHEDULE + SCHEDULE_CYCLES]
    lea TABLE, [rsi + 4*START]
    shl START, 2
    neg START
    V_SPREAD 7, SCHEDULE+SCHEDULE_WORDS
    V_SPREAD 8, SCHEDULE+SCHEDULE_WORDS+4
    V_SPREAD 9, SCHEDULE+SCHEDULE_WORDS+8
    V_SPREAD 14, SCHEDULE+SCHEDULE_WORDS+12
    ALL_BLOCKS \cipher
    V_LEAVE
.endm

// rdi = schedule, rsi = source, rdx = destination, rcx = blocks.
.macro XTEA_BLOCKS cipher
    V_ENTER
    mov N, rcx
    mov DST, rdx
    mov SRC, rsi
    mov START, [SCHEDULE + SCHEDULE_CYCLES]
    lea TABLE, [SCHEDULE + 8*START + SCHEDULE_WORDS]
    shl START, 3
    neg START
    ALL_BLOCKS \cipher
    V_LEAVE
.endm

// A last group that is partly filled, for instruction sets without masks: it goes through a group
// on the stack, of which the rest is never written to memory that is not ours. LAST points to it or
// to the source or destination. Clobbers rax and I.

#define LAST r11

.macro STACK_LOAD g, move, temporary
    lea LAST, [SRC + \g*GROUP]
    lea rax, [N - \g*WIDTH]
    cmp rax, WIDTH
    jae 3f
    COPY LAST, rsp, \move, \temporary
    mov LAST, rsp
3:
    V_LOAD \g, LAST
.endm

.macro STACK_STORE g, move, temporary
    lea LAST, [DST + \g*GROUP]
    lea rax, [N - \g*WIDTH]
    cmp rax, WIDTH
    jae 3f
    V_STORE \g, rsp
    COPY rsp, LAST, \move, \temporary
    jmp 5f
3:
    V_STORE \g, LAST
5:
.endm

// rax blocks, at least one.
.macro COPY from, to, move, temporary
    xor I, I
2:
    \move \temporary, [\from + 8*I]
    \move [\to + 8*I], \temporary
    inc I
    cmp I, rax
    jb 2b
.endm
