// Chain kernels: one message, its chaining state in registers and on the stack for n blocks.
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
// void qq_{encrypt,decrypt}_scalar(const TeaSchedule *, const u32 *sums, QqState *,
//                                  const u8 *src, u8 *dst, usize blocks);
// void tea_cbc_encrypt_scalar(const TeaSchedule *, const u32 *sums, u32 *c_prev,
//                             const u8 *src, u8 *dst, usize blocks);
// void xtea_cbc_encrypt_scalar(const XteaSchedule *, u32 *c_prev,
//                              const u8 *src, u8 *dst, usize blocks);
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

// One block of CBC from SRC to DST by the macro `cipher`, with c_prev in X and Y. Its words are
// converted ahead of the chain; the zero flag tells that it was the last.
.macro CBC_BLOCK cipher, rotate
    mov F64, [SRC]
    add SRC, 8
    CONVERT F64, G64, \rotate
    xor Y, F
    shr F64, 32
    xor X, F
    \cipher
    mov F64, X64
    shl F64, 32
    or F64, Y64
    CONVERT F64, G64, \rotate
    mov [DST], F64
    add DST, 8
    dec N
.endm

FUNCTION SYMBOL(tea_cbc_encrypt_scalar)
    TEA_ENTER
    test r9, r9
    jz 5f
    mov STATE, rdx
    mov SRC, rcx
    mov DST, r8
    mov N, r9
    mov X, [rdx]
    mov Y, [rdx + 4]
    .p2align 4
4:
    CBC_BLOCK TEA_ENCRYPT, [rsp+ROTATE]
    jnz 4b
    mov rcx, STATE
    mov [rcx], X
    mov [rcx + 4], Y
5:
    TEA_LEAVE
END_FUNCTION SYMBOL(tea_cbc_encrypt_scalar)

FUNCTION SYMBOL(xtea_cbc_encrypt_scalar)
    XTEA_ENTER              // r9 = c_prev
    mov N, r8
    test N, N
    jz 5f
    mov SRC, rdx
    mov DST, rcx
    mov X, [r9]
    mov Y, [r9 + 4]
    .p2align 4
4:
    CBC_BLOCK XTEA_ENCRYPT, XTEA_ROTATE
    jnz 4b
    mov [r9], X
    mov [r9 + 4], Y
5:
    XTEA_LEAVE
END_FUNCTION SYMBOL(xtea_cbc_encrypt_scalar)
