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
// void {qq_encrypt,qq_decrypt,tea_cbc_encrypt,xtea_cbc_encrypt}_scalar(
//     const Schedule *, State *, const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.
//
// Registers: see scalar.h. In: rdi = schedule, rsi = state, rdx = source, rcx = destination,
// r8 = blocks. The words of a block that are known ahead are on the stack.

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

// The arguments to where the block macros want them, and the words of the first block in X and Y.
.macro QQ_ENTER
    mov STATE, ARGUMENT
    mov SRC, rdx
    mov DST, rcx
    mov N, r8
    mov F64, [SRC]
    CONVERT F64, G64, [rsp+ROTATE]
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
    test r8, r8
    jz 5f
    QQ_ENTER
    mov F64, [ARGUMENT + STATE_MIXED]
    mov PREV64, F64
    xor X, [ARGUMENT + STATE_CIPHERTEXT]
    xor Y, [ARGUMENT + STATE_CIPHERTEXT + 4]
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
    mov T64, STATE
    mov [T64 + STATE_CIPHERTEXT], AX
    mov [T64 + STATE_CIPHERTEXT + 4], AY
    mov [T64 + STATE_MIXED], G64
    xor eax, eax
    mov PREV64, rax
    mov CUR64, rax
    mov AHEAD64, rax
5:
    TEA_LEAVE
END_FUNCTION

FUNCTION SYMBOL(qq_decrypt_scalar)
    TEA_ENTER
    test r8, r8
    jz 5f
    QQ_ENTER
    mov CUR, X
    mov CUR_Y, Y
    mov F64, [ARGUMENT + STATE_CIPHERTEXT]
    mov PREV64, F64
    xor X, [ARGUMENT + STATE_MIXED]
    xor Y, [ARGUMENT + STATE_MIXED + 4]
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
    mov T64, STATE
    mov [T64 + STATE_CIPHERTEXT], F64
    mov [T64 + STATE_MIXED], AX
    mov [T64 + STATE_MIXED + 4], AY
5:
    TEA_LEAVE
END_FUNCTION

// The arguments to where the block macros want them, and c_prev in X and Y.
.macro CBC_ENTER
    mov SRC, rdx
    mov DST, rcx
    mov N, r8
    mov X, [ARGUMENT + STATE_CIPHERTEXT]
    mov Y, [ARGUMENT + STATE_CIPHERTEXT + 4]
.endm

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
    test r8, r8
    jz 5f
    CBC_ENTER
    mov STATE, ARGUMENT
    .p2align 4
4:
    CBC_BLOCK TEA_ENCRYPT, [rsp+ROTATE]
    jnz 4b
    mov T64, STATE
    mov [T64 + STATE_CIPHERTEXT], X
    mov [T64 + STATE_CIPHERTEXT + 4], Y
5:
    TEA_LEAVE
END_FUNCTION

FUNCTION SYMBOL(xtea_cbc_encrypt_scalar)
    XTEA_ENTER
    test r8, r8
    jz 5f
    CBC_ENTER
    .p2align 4
4:
    CBC_BLOCK XTEA_ENCRYPT, XTEA_ROTATE
    jnz 4b
    mov [ARGUMENT + STATE_CIPHERTEXT], X
    mov [ARGUMENT + STATE_CIPHERTEXT + 4], Y
5:
    XTEA_LEAVE
END_FUNCTION
