// Chain kernels: one message, its chaining state in registers and on the stack for n blocks.
// QQ (Tencent, oicq) chaining, with m the block that enters the cipher:
//
//     encrypt   m = p ^ c_prev             c = E(m) ^ m_prev
//     decrypt   m = D(c ^ m_prev)          p = m ^ c_prev
//
// Both directions are serial, so the latency of one block decides. What the next block needs of
// known words is formed ahead, which leaves one xor between two blocks.
//
// void qq_{encrypt,decrypt}_scalar(const TeaSchedule *, const u32 *sums, QqState *,
//                                  const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.

#include "../common.h"
.arch generic64
#include "scalar.h"

#define PREV    dword ptr [rsp + 24]   // m_prev (encrypt), c_prev (decrypt)
#define PREV_Y  dword ptr [rsp + 28]
#define PREV64  qword ptr [rsp + 24]
#define CUR     dword ptr [rsp + 32]   // m (encrypt), c (decrypt)
#define CUR_Y   dword ptr [rsp + 36]
#define CUR64   qword ptr [rsp + 32]
#define AHEAD   dword ptr [rsp + 40]   // p_next ^ m_prev (encrypt), c_next (decrypt)
#define AHEAD_Y dword ptr [rsp + 44]
#define AHEAD64 qword ptr [rsp + 40]
#define STATE   qword ptr [rsp + 48]

// In: rdx = state, rcx = source, r8 = destination, r9 = blocks, to where the block macros want
// them, and the words of the first block in X and Y.
.macro QQ_ENTER
    mov STATE, rdx
    mov SRC, rcx
    mov DST, r8
    mov N, r9
    mov F64, [SRC]
    CONVERT F64, G64, [rsp+ROTATE]
    mov r8, rdx
    mov Y, F
    shr F64, 32
    mov X, F
.endm

// F and G are the words of the next block; the last block is its own next. It is read before
// this block is written, so that source and destination may be one buffer.
.macro READ_AHEAD
    lea T64, [SRC + 8]
    cmp N, 1
    cmova SRC, T64
    mov F64, [SRC]
    CONVERT F64, G64, [rsp+ROTATE]
    mov G, F
    shr F64, 32
.endm

FUNCTION SYMBOL(qq_encrypt_scalar)
    TEA_ENTER
    test r9, r9
    jz 5f
    QQ_ENTER
    mov F64, [r8 + QQ_MIXED]
    mov PREV64, F64
    xor X, [r8 + QQ_CIPHERTEXT]
    xor Y, [r8 + QQ_CIPHERTEXT + 4]
    .p2align 4
4:
    mov CUR, X
    mov CUR_Y, Y
    READ_AHEAD
    xor F, PREV
    xor G, PREV_Y
    mov AHEAD, F
    mov AHEAD_Y, G
    TEA_ENCRYPT
    mov F, X
    mov G, Y
    xor X, AHEAD
    xor Y, AHEAD_Y
    xor F, PREV
    xor G, PREV_Y
    mov AX, F
    mov AY, G
    shl F64, 32
    or F64, G64
    CONVERT F64, G64, [rsp+ROTATE]
    mov [DST], F64
    add DST, 8
    mov G64, CUR64
    mov PREV64, G64
    dec N
    jnz 4b
    mov rcx, STATE
    mov [rcx + QQ_CIPHERTEXT], AX
    mov [rcx + QQ_CIPHERTEXT + 4], AY
    mov [rcx + QQ_MIXED], G64
5:
    TEA_LEAVE
END_FUNCTION SYMBOL(qq_encrypt_scalar)

FUNCTION SYMBOL(qq_decrypt_scalar)
    TEA_ENTER
    test r9, r9
    jz 5f
    QQ_ENTER
    mov CUR, X
    mov CUR_Y, Y
    mov F64, [r8 + QQ_CIPHERTEXT]
    mov PREV64, F64
    xor X, [r8 + QQ_MIXED]
    xor Y, [r8 + QQ_MIXED + 4]
    .p2align 4
4:
    READ_AHEAD
    mov AHEAD, F
    mov AHEAD_Y, G
    TEA_DECRYPT
    mov AX, X
    mov AY, Y
    mov F, X
    mov G, Y
    xor X, AHEAD
    xor Y, AHEAD_Y
    xor F, PREV
    xor G, PREV_Y
    shl F64, 32
    or F64, G64
    CONVERT F64, G64, [rsp+ROTATE]
    mov [DST], F64
    add DST, 8
    mov F64, CUR64
    mov G64, AHEAD64
    mov PREV64, F64
    mov CUR64, G64
    dec N
    jnz 4b
    mov rcx, STATE
    mov [rcx + QQ_CIPHERTEXT], F64
    mov [rcx + QQ_MIXED], AX
    mov [rcx + QQ_MIXED + 4], AY
5:
    TEA_LEAVE
END_FUNCTION SYMBOL(qq_decrypt_scalar)
