// The half-rounds of TEA and XTEA in vectors, with a block in each 32-bit lane: x of all blocks in one
// register, y in another.
//
// Registers are given by number. In a group g the first words are in register g, the second words in
// SECOND\g, which puts another digit before it. The file of the instruction set defines the numbers T1
// to T4 of temporaries, of which T4 holds TEA's sum or the byte order, and the operations
//
//     V_ADD, V_SUB  d, a, b               d = a ± b
//     V_XOR         d, a                  d ^= a
//     V_XOR3        d, a, b               d ^= a ^ b
//     V_LEFT, V_RIGHT  d, a, bits         d = a << bits, a >> bits
//     V_SPREAD      d, address            d = the word at an address, in all lanes
//     V_READ, V_WRITE  d, address         a vector from and to memory
//     V_SPREAD_ORDER  d                   d = the byte order of the schedule at rdi
//     V_UNZIP       a, b, t, order        from blocks in memory order, in a and b, to words
//     V_ZIP         a, b, t, order        and back
//
// The shape (wide.h, lanes.h) defines where keys are:
//
//     V_ADD_KEY     d, k, register        d += the key word k, which may be in that register
//     V_XOR_KEY     d, address            d ^= the round key

#define SECOND 1       // 10 + g

// The byte order, where V_SPLIT and V_JOIN want it.
.macro V_ORDER
    V_SPREAD_ORDER T4
.endm

// A group of blocks from memory order to words, and back.
.macro V_SPLIT g
    V_UNZIP \g, SECOND\g, T1, T4
.endm
.macro V_JOIN g
    V_ZIP \g, SECOND\g, T1, T4
.endm

// v ±= F(w), for TEA with the key words a and b.
.macro TEA_HALF_ROUND op, v, w, a, a_register, b, b_register
    V_LEFT T1, \w, 4
    V_RIGHT T2, \w, 5
    V_ADD T3, \w, T4
    V_ADD_KEY T1, \a, \a_register
    V_ADD_KEY T2, \b, \b_register
    V_XOR3 T1, T2, T3
    \op \v, \v, T1
.endm

// The same for XTEA.
.macro XTEA_HALF_ROUND op, v, w, key
    V_LEFT T1, \w, 4
    V_RIGHT T2, \w, 5
    V_XOR T1, T2
    V_ADD T1, T1, \w
    V_XOR_KEY T1, \key
    \op \v, \v, T1
.endm

// Whole ciphers for some groups of blocks, for TEA from TEA_FIRST_HALF and TEA_SECOND_HALF, which do a
// half-round in each group and are the including file's.

#define TABLE r8       // the end of the sums (TEA) or round keys (XTEA) in use
#define START r9       // a negative offset from there to their begin
#define I     r10      // the same, for the cycle that runs

.macro TEA_ENCRYPT groups
    mov I, START
    .p2align 4
2:
    V_SPREAD T4, TABLE+I
    TEA_FIRST_HALF V_ADD, "\groups"
    TEA_SECOND_HALF V_ADD, "\groups"
    add I, 4
    jnz 2b
.endm

.macro TEA_DECRYPT groups
    xor I, I
    .p2align 4
2:
    V_SPREAD T4, TABLE+I-4
    TEA_SECOND_HALF V_SUB, "\groups"
    TEA_FIRST_HALF V_SUB, "\groups"
    sub I, 4
    cmp I, START
    jne 2b
.endm
