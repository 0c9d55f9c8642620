// Blocks kernels: independent blocks, one after the other, in general-purpose registers.
// The processor overlaps the end of one block with the start of the next.
//
// void {tea,xtea}_{encrypt,decrypt}_blocks_scalar(const Schedule *,
//                                                 const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.
//
// Registers: x0 = schedule, and the following, and those of scalar.h.

#define SRC   x1
#define DST   x2
#define N     x3       // blocks left
#define ORDER w4       // the first byte of the byte order

#include "../common.h"
.arch armv8-a
#include "scalar.h"

// Turns a block's halves as they stand in memory into its words, or back again. The byte order begins
// with 3 (Be), 0 (Le) or 4 (Le64). It is no secret and always the same, so branches are predicted.
.macro CONVERT
    tbz ORDER, #0, 6f
    rev X, X
    rev Y, Y
6:
    tbz ORDER, #2, 7f
    mov T, X
    mov X, Y
    mov Y, T
7:
.endm

// All blocks by the macro `cipher`.
.macro BLOCKS cipher
    cbz N, 5f
4:
    ldp X, Y, [SRC], #8
    CONVERT
    \cipher
    CONVERT
    stp X, Y, [DST], #8
    subs N, N, #1
    b.ne 4b
5:
    ret
.endm

.macro TEA_BLOCKS cipher
    END_PROLOGUE
    ldrb ORDER, [SCHEDULE, #SCHEDULE_ORDER]
    TEA_ENTER
    BLOCKS \cipher
.endm

.macro XTEA_BLOCKS cipher
    END_PROLOGUE
    ldrb ORDER, [SCHEDULE, #SCHEDULE_ORDER]
    XTEA_ENTER
    BLOCKS \cipher
.endm

FUNCTION SYMBOL(tea_encrypt_blocks_scalar)
    TEA_BLOCKS TEA_ENCRYPT
END_FUNCTION

FUNCTION SYMBOL(tea_decrypt_blocks_scalar)
    TEA_BLOCKS TEA_DECRYPT
END_FUNCTION

FUNCTION SYMBOL(xtea_encrypt_blocks_scalar)
    XTEA_BLOCKS XTEA_ENCRYPT
END_FUNCTION

FUNCTION SYMBOL(xtea_decrypt_blocks_scalar)
    XTEA_BLOCKS XTEA_DECRYPT
END_FUNCTION
