// Vectors of four 32-bit words: the operations of the blocks and lanes kernels, and the half-rounds with
// a block in each lane.
//
// Registers are given by number. In a group g of four blocks the first words are in register \g, the
// second words in SECOND\g; v8 to v15 would have to be saved and are not used. Groups go two by two,
// operation by operation, since small cores execute in order.
//
// The shape (wide.h, lanes.h) defines where keys are:
//
//     V_TEA_KEY    d, k, g         d = TEA's key word k of a group
//     V_ROUND_KEY  d, half, g      d = XTEA's round key of a group, if each has its own
//     V_XOR_KEY    d, register     d ^= that round key, or the one that all have

#define SECOND 2       // 20 + g

#define T1 28          // temporaries of one group
#define T2 29
#define T3 30
#define T4 17          // the byte order; TEA's sum
#define T5 31          // temporaries of the group beside it
#define T6 18
#define T7 19
#define SUM T4
#define SIXTEEN v16    // FEAT_SHA3 alone: the number, in all lanes

#define FIRST x5       // where the sums or round keys in use begin and end
#define LAST  x6
#define PLACE x7       // between them

// x0: the schedule, or the lanes, which begin as one.

.macro V_ADD d, a, b
    add v\d\().4s, v\a\().4s, v\b\().4s
.endm
.macro V_SUB d, a, b
    sub v\d\().4s, v\a\().4s, v\b\().4s
.endm
.macro V_XOR d, a
    eor v\d\().16b, v\d\().16b, v\a\().16b
.endm
.macro V_LEFT d, a, bits
    shl v\d\().4s, v\a\().4s, #\bits
.endm
.macro V_RIGHT d, a, bits
    ushr v\d\().4s, v\a\().4s, #\bits
.endm
.macro V_ADD_RIGHT d, a, bits
    usra v\d\().4s, v\a\().4s, #\bits
.endm
.macro V_SPREAD d, address:vararg
    ld1r {v\d\().4s}, \address
.endm
.macro V_GET_ORDER d
    ldur q\d, [x0, #SCHEDULE_ORDER]
.endm
.macro V_TURN d, a, order
    tbl v\d\().16b, {v\a\().16b}, v\order\().16b
.endm
.macro V_UNZIP a, b, t, u
    uzp1 v\a\().4s, v\t\().4s, v\u\().4s
    uzp2 v\b\().4s, v\t\().4s, v\u\().4s
.endm
.macro V_ZIP t, u, a, b
    zip1 v\t\().4s, v\a\().4s, v\b\().4s
    zip2 v\u\().4s, v\a\().4s, v\b\().4s
.endm

// The byte order, where V_SPLIT and V_JOIN want it.
.macro V_ORDER
    V_GET_ORDER T4
.endm

// A group of blocks from memory order to words, and back.
.macro V_SPLIT g
    V_TURN T1, \g, T4
    V_TURN T2, SECOND\g, T4
    V_UNZIP \g, SECOND\g, T1, T2
.endm
.macro V_JOIN g
    V_ZIP T1, T2, \g, SECOND\g
    V_TURN \g, T1, T4
    V_TURN SECOND\g, T2, T4
.endm

// ---------------------------------------------------------------------------------------------
// v ±= F(w) for TEA with the key words k and k + 1, cut into operations: each is of another group than
// the one before. The key is loaded for every use: loads have ports of their own, so that joining shift
// and addition saves an operation, and their sum is where usra (or mla) wants it.

#ifdef FASTTEA_SHA3
// Seven vector operations as five, with a multiplication by 16 for v << 4, which is fast on the cores
// that have the three-way xor.

.macro TEA_OPERATION n, op, v, w, k, g, a, b, c
    .if \n == 0
    V_TEA_KEY \a, \k, \g
    .elseif \n == 1
    V_TEA_KEY \b, \k+1, \g
    .elseif \n == 2
    mla v\a\().4s, v\w\().4s, SIXTEEN.4s
    .elseif \n == 3
    V_ADD_RIGHT \b, \w, 5
    .elseif \n == 4
    V_ADD \c, \w, SUM
    .elseif \n == 5
    eor3 v\a\().16b, v\a\().16b, v\b\().16b, v\c\().16b
    .elseif \n == 6
    \op \v, \v, \a
    .endif
.endm
#else
.macro TEA_OPERATION n, op, v, w, k, g, a, b, c
    .if \n == 0
    V_TEA_KEY \b, \k+1, \g
    .elseif \n == 1
    V_LEFT \a, \w, 4
    .elseif \n == 2
    V_TEA_KEY \c, \k, \g
    .elseif \n == 3
    V_ADD_RIGHT \b, \w, 5
    .elseif \n == 4
    V_ADD \a, \a, \c
    .elseif \n == 5
    V_ADD \c, \w, SUM
    .elseif \n == 6
    V_XOR \a, \c
    .elseif \n == 7
    V_XOR \a, \b
    .elseif \n == 8
    \op \v, \v, \a
    .endif
.endm
#endif

// The same for XTEA.
.macro XTEA_OPERATION n, op, v, w, half, g, a, b, c
    .if \n == 0
    V_ROUND_KEY \c, \half, \g
    .elseif \n == 1
    V_LEFT \a, \w, 4
    .elseif \n == 2
    V_RIGHT \b, \w, 5
    .elseif \n == 3
    V_XOR \a, \b
    .elseif \n == 4
    V_ADD \a, \a, \w
    .elseif \n == 5
    V_XOR_KEY \a, \c
    .elseif \n == 6
    \op \v, \v, \a
    .endif
.endm

// A half-round in all groups; v and w are what goes before their digits.
.macro HALF_ROUNDS operation, op, v, w, key, g, h, more:vararg
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8
    \operation \n, \op, \v\g, \w\g, \key, \g, T1, T2, T3
    .ifnb \h
    \operation \n, \op, \v\h, \w\h, \key, \h, T5, T6, T7
    .endif
    .endr
    .ifnb \more
    HALF_ROUNDS \operation, \op, \v, \w, \key, \more
    .endif
.endm

// Whole ciphers for some groups.

.macro TEA_ENCRYPT groups
    mov PLACE, FIRST
2:
    V_SPREAD SUM, [PLACE], #4
    HALF_ROUNDS TEA_OPERATION, V_ADD, , SECOND, 0, \groups
    HALF_ROUNDS TEA_OPERATION, V_ADD, SECOND, , 2, \groups
    cmp PLACE, LAST
    b.ne 2b
.endm

.macro TEA_DECRYPT groups
    mov PLACE, LAST
2:
    sub PLACE, PLACE, #4
    V_SPREAD SUM, [PLACE]
    HALF_ROUNDS TEA_OPERATION, V_SUB, SECOND, , 2, \groups
    HALF_ROUNDS TEA_OPERATION, V_SUB, , SECOND, 0, \groups
    cmp PLACE, FIRST
    b.ne 2b
.endm
