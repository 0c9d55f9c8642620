// Blocks kernels: independent blocks, one after the other, in general-purpose registers.
// The processor overlaps the end of one block with the start of the next.
//
// void {tea,xtea}_{encrypt,decrypt}_blocks_scalar(const Schedule *,
//                                                 const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.
//
// Registers: see scalar.h. In: rdi = schedule, rsi = source, rdx = destination, rcx = blocks.

#include "../common.h"
.arch generic64
#include "scalar.h"

// Turns a block's halves as they stand in memory into its words, or back again. Here this is part of
// the latency of one block, so it branches on the byte order where CONVERT selects: the order is no
// secret and always the same.
.macro CONVERT_HALVES rotate
    mov T, \rotate
    test T, 8
    jz 6f
    bswap X
    bswap Y
6:
    test T, T
    jnz 7f
    xchg X, Y
7:
.endm

// One block from SRC to DST by the macro `cipher`; the zero flag tells that it was the last.
.macro NEXT_BLOCK cipher, rotate
    mov X, [SRC]
    mov Y, [SRC + 4]
    add SRC, 8
    CONVERT_HALVES \rotate
    \cipher
    CONVERT_HALVES \rotate
    mov [DST], X
    mov [DST + 4], Y
    add DST, 8
    dec N
.endm

.macro BLOCKS cipher, rotate
    mov SRC, ARGUMENT
    mov DST, rdx
    mov N, rcx
    test N, N
    jz 5f
    .p2align 4
4:
    NEXT_BLOCK \cipher, \rotate
    jnz 4b
5:
.endm

.macro TEA_BLOCKS cipher
    TEA_ENTER
    BLOCKS \cipher, [rsp+ROTATE]
    TEA_LEAVE
.endm

.macro XTEA_BLOCKS cipher
    XTEA_ENTER
    BLOCKS \cipher, XTEA_ROTATE
    XTEA_LEAVE
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
