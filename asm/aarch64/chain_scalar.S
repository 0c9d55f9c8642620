// Chain kernels: one message, its chaining state in registers for n blocks.
// QQ (Tencent, oicq) chaining, with m the block that enters the cipher:
//
//     encrypt   m = p ^ c_prev             c = E(m) ^ m_prev
//     decrypt   m = D(c ^ m_prev)          p = m ^ c_prev
//
// Both directions are serial, so the latency of one block decides. What the next block needs of
// known words is formed ahead, which leaves one xor between two blocks.
//
// CBC needs a chain for encryption only, c = E(p ^ c_prev): decryption is independent blocks.
//
// Off the chain blocks are pairs of words in vector registers, where the schedule's byte order turns
// them around; the rounds take general-purpose registers.
//
// void {qq_encrypt,qq_decrypt,tea_cbc_encrypt,xtea_cbc_encrypt}_scalar(
//     const Schedule *, State *, const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.
//
// Registers: x0 = schedule, and the following, and those of scalar.h.

#define STATE   x1     // at first
#define AHEAD   x1     // then QQ's p_next ^ m_prev (encrypt), c_next (decrypt)
#define AHEAD_X w1
#define SRC     x2
#define DST     x3
#define N       x4     // blocks left

#define ORDER      v0  // the byte order
#define C_PREV     v1  // QQ's state
#define M_PREV     v2
#define STATE_KEPT d5  // in QQ
// v3, v4, v6 and v7: blocks.

#include "../common.h"
.arch armv8-a
#include "scalar.h"

// The words of the block at src, in v\d, or of v\d to memory at dst. WRITE clobbers v6.
.macro READ d, src
    ldr d\d, \src
    tbl v\d\().8b, {v\d\().16b}, ORDER.8b
.endm
.macro WRITE d, dst
    tbl v6.8b, {v\d\().16b}, ORDER.8b
    str d6, \dst
.endm

.macro READ_ORDER
    ldur q0, [SCHEDULE, #SCHEDULE_ORDER]
.endm

// v\d = the block in X and Y. Clobbers F.
.macro COLLECT d
    orr F64, X64, Y64, lsl #32
    fmov d\d, F64
.endm

// The words of v\d into X and Y.
.macro SPREAD d
    fmov X64, d\d
    lsr Y64, X64, #32
.endm

// X and Y with the pair of words in a register.
.macro WITH pair, word
    eor X, X, \word
    eor Y64, Y64, \pair, lsr #32
.endm

// v3 is the first block.
.macro QQ_ENTER
    END_PROLOGUE
    READ_ORDER
    TEA_ENTER
    cbz N, 5f
    fmov STATE_KEPT, STATE
    ldp d1, d2, [STATE]
    READ 3, [SRC]
.endm

// v4 is the next block; the last block is its own next. It is read before this block is written, so
// that source and destination may be one buffer.
.macro READ_AHEAD
    add T64, SRC, #8
    cmp N, #1
    csel SRC, T64, SRC, hi
    READ 4, [SRC]
.endm

.macro QQ_LEAVE
    fmov STATE, STATE_KEPT
    stp d1, d2, [STATE]
5:
    ret
.endm

FUNCTION SYMBOL(qq_encrypt_scalar)
    QQ_ENTER
    eor v3.8b, v3.8b, C_PREV.8b
    SPREAD 3
4:                                      // v3 = m
    READ_AHEAD
    eor v4.8b, v4.8b, M_PREV.8b
    fmov AHEAD, d4
    TEA_ENCRYPT
    COLLECT 7
    WITH AHEAD, AHEAD_X
    eor C_PREV.8b, v7.8b, M_PREV.8b
    mov M_PREV.8b, v3.8b
    eor v3.8b, v7.8b, v4.8b
    WRITE 1, [DST]
    add DST, DST, #8
    subs N, N, #1
    b.ne 4b
    QQ_LEAVE
END_FUNCTION

FUNCTION SYMBOL(qq_decrypt_scalar)
    QQ_ENTER
    eor v7.8b, v3.8b, M_PREV.8b
    SPREAD 7
4:                                      // v3 = c
    READ_AHEAD
    fmov AHEAD, d4
    TEA_DECRYPT
    COLLECT 2
    WITH AHEAD, AHEAD_X
    eor v7.8b, M_PREV.8b, C_PREV.8b
    mov C_PREV.8b, v3.8b
    mov v3.8b, v4.8b
    WRITE 7, [DST]
    add DST, DST, #8
    subs N, N, #1
    b.ne 4b
    QQ_LEAVE
END_FUNCTION

// All blocks by the macro `cipher`, with c_prev in X and Y.
.macro CBC_ENCRYPT cipher
    cbz N, 5f
    ldp X, Y, [STATE]
4:
    READ 3, [SRC]
    add SRC, SRC, #8
    fmov T64, d3
    WITH T64, T
    \cipher
    COLLECT 3
    WRITE 3, [DST]
    add DST, DST, #8
    subs N, N, #1
    b.ne 4b
    stp X, Y, [STATE]
5:
    ret
.endm

FUNCTION SYMBOL(tea_cbc_encrypt_scalar)
    END_PROLOGUE
    READ_ORDER
    TEA_ENTER
    CBC_ENCRYPT TEA_ENCRYPT
END_FUNCTION

FUNCTION SYMBOL(xtea_cbc_encrypt_scalar)
    END_PROLOGUE
    READ_ORDER
    XTEA_ENTER
    CBC_ENCRYPT XTEA_ENCRYPT
END_FUNCTION
