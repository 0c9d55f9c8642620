// Blocks kernels: independent blocks, one after the other, in general-purpose registers.
// The processor overlaps the end of one block with the start of the next.
//
// void tea_{encrypt,decrypt}_blocks_scalar(const TeaSchedule *, const u32 *sums,
//                                          const u8 *src, u8 *dst, usize blocks);
// void xtea_{encrypt,decrypt}_blocks_scalar(const XteaSchedule *,
//                                           const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.

#include "../common.h"
.arch armv8-a
#include "scalar.h"

// Turns a block's halves as they stand in memory into its words, or back again. The byte order begins
// with 3 (Be), 0 (Le) or 4 (Le64). It is no secret and always the same, so branches are predicted.
.macro CONVERT order
    tbz \order, #0, 6f
    rev X, X
    rev Y, Y
6:
    tbz \order, #2, 7f
    mov T, X
    mov X, Y
    mov Y, T
7:
.endm

// All blocks by the macro `cipher`.
.macro BLOCKS cipher, order, src, dst, n
    cbz \n, 5f
4:
    ldp X, Y, [\src], #8
    CONVERT \order
    \cipher
    CONVERT \order
    stp X, Y, [\dst], #8
    subs \n, \n, #1
    b.ne 4b
5:
    ret
.endm

.macro TEA_BLOCKS cipher
    END_PROLOGUE
    ldrb w5, [x0, #SCHEDULE_ORDER]
    TEA_ENTER
    BLOCKS \cipher, w5, x2, x3, x4
.endm

.macro XTEA_BLOCKS cipher
    END_PROLOGUE
    ldrb w5, [x0, #SCHEDULE_ORDER]
    XTEA_ENTER
    BLOCKS \cipher, w5, x1, x2, x3
.endm

FUNCTION SYMBOL(tea_encrypt_blocks_scalar)
    TEA_BLOCKS TEA_ENCRYPT
END_FUNCTION SYMBOL(tea_encrypt_blocks_scalar)

FUNCTION SYMBOL(tea_decrypt_blocks_scalar)
    TEA_BLOCKS TEA_DECRYPT
END_FUNCTION SYMBOL(tea_decrypt_blocks_scalar)

FUNCTION SYMBOL(xtea_encrypt_blocks_scalar)
    XTEA_BLOCKS XTEA_ENCRYPT
END_FUNCTION SYMBOL(xtea_encrypt_blocks_scalar)

FUNCTION SYMBOL(xtea_decrypt_blocks_scalar)
    XTEA_BLOCKS XTEA_DECRYPT
END_FUNCTION SYMBOL(xtea_decrypt_blocks_scalar)
