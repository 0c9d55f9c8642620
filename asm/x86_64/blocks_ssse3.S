// Blocks kernels for SSSE3: four blocks in a group.
//
// void tea_{encrypt,decrypt}_blocks_ssse3(const TeaSchedule *, const u32 *sums,
//                                         const u8 *src, u8 *dst, usize blocks);
// void xtea_{encrypt,decrypt}_blocks_ssse3(const XteaSchedule *,
//                                          const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.
//
// TEA takes 8 operations a half-round and group, XTEA 6, beside register moves, which are renamed
// away. On three vector ports (Intel) that limits TEA-16 to 0.375 and XTEA-32 to 0.25 bytes a clock,
// on four (Zen 4) to 0.50 and 0.33.

#define TEA_GROUPS  4
#define XTEA_GROUPS 5
#define WIDTH 4
#define GROUP 32
#define T1 6
#define T2 7
#define T3 8
#define T4 9

#include "../common.h"
.arch generic64
.arch .ssse3
#include "wide.h"

// d and a may be the same, d and b not.
.macro V_ADD d, a, b
    .ifnc \d,\a
    movdqa xmm\d, xmm\a
    .endif
    paddd xmm\d, xmm\b
.endm
.macro V_SUB d, a, b
    .ifnc \d,\a
    movdqa xmm\d, xmm\a
    .endif
    psubd xmm\d, xmm\b
.endm
.macro V_XOR d, a
    pxor xmm\d, xmm\a
.endm
.macro V_XOR3 d, a, b
    pxor xmm\d, xmm\a
    pxor xmm\d, xmm\b
.endm
.macro V_LEFT d, a, bits
    movdqa xmm\d, xmm\a
    pslld xmm\d, \bits
.endm
.macro V_RIGHT d, a, bits
    movdqa xmm\d, xmm\a
    psrld xmm\d, \bits
.endm
.macro V_SPREAD d, address
    movd xmm\d, dword ptr [\address]
    pshufd xmm\d, xmm\d, 0
.endm
.macro V_TEA_KEY k, register
    V_SPREAD \register, SCHEDULE+SCHEDULE_WORDS+4*\k
.endm
.macro V_ADD_KEY d, k, register
    V_ADD \d, \d, \register
.endm
.macro V_ROUND_KEY address
    V_SPREAD 15, \address
.endm
.macro V_XOR_KEY d, address
    V_XOR \d, 15
.endm
.macro V_ORDER d
    movdqu xmm\d, xmmword ptr [rdi + SCHEDULE_ORDER]
.endm
.macro V_SPLIT g
    pshufb xmm\g, xmm9
    pshufb xmm1\g, xmm9
    movdqa xmm6, xmm\g
    shufps xmm\g, xmm1\g, 0x88
    shufps xmm6, xmm1\g, 0xdd
    movdqa xmm1\g, xmm6
.endm
.macro V_JOIN g
    movdqa xmm6, xmm\g
    punpckldq xmm\g, xmm1\g
    punpckhdq xmm6, xmm1\g
    pshufb xmm\g, xmm9
    pshufb xmm6, xmm9
    movdqa xmm1\g, xmm6
.endm
.macro V_LOAD g, address
    movdqu xmm\g, xmmword ptr [\address]
    movdqu xmm1\g, xmmword ptr [\address + 16]
.endm
.macro V_STORE g, address
    movdqu xmmword ptr [\address], xmm\g
    movdqu xmmword ptr [\address + 16], xmm1\g
.endm
.macro LAST_LOAD g
    STACK_LOAD \g, movq, xmm6
.endm
.macro LAST_STORE g
    STACK_STORE \g, movq, xmm6
.endm
.macro V_ENTER
    ALLOCATE GROUP
    END_PROLOGUE
.endm
.macro V_LEAVE
    pxor xmm0, xmm0
    movdqu xmmword ptr [rsp], xmm0
    movdqu xmmword ptr [rsp + 16], xmm0
    RELEASE GROUP
    ret
.endm

FUNCTION SYMBOL(tea_encrypt_blocks_ssse3)
    TEA_BLOCKS TEA_ENCRYPT
END_FUNCTION SYMBOL(tea_encrypt_blocks_ssse3)

FUNCTION SYMBOL(tea_decrypt_blocks_ssse3)
    TEA_BLOCKS TEA_DECRYPT
END_FUNCTION SYMBOL(tea_decrypt_blocks_ssse3)

FUNCTION SYMBOL(xtea_encrypt_blocks_ssse3)
    XTEA_BLOCKS XTEA_ENCRYPT
END_FUNCTION SYMBOL(xtea_encrypt_blocks_ssse3)

FUNCTION SYMBOL(xtea_decrypt_blocks_ssse3)
    XTEA_BLOCKS XTEA_DECRYPT
END_FUNCTION SYMBOL(xtea_decrypt_blocks_ssse3)
