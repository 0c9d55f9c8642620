// Blocks kernels for SSSE3: four blocks in a group.
//
// void {tea,xtea}_{encrypt,decrypt}_blocks_ssse3(const Schedule *,
//                                                    const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.
//
// TEA takes 8 operations a half-round and group, XTEA 6, beside register moves, which are renamed
// away. On three vector ports (Intel) that limits TEA-16 to 0.375 and XTEA-32 to 0.25 bytes a clock,
// on four (Zen 4) to 0.50 and 0.33.

#define TEA_GROUPS  4
#define XTEA_GROUPS 5
#define VECTOR 16

#define T1 6           // temporaries
#define T2 7
#define T3 8
#define T4 9           // the byte order; TEA's sum

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
    V_SPREAD \register, SCHEDULE+SCHEDULE_KEY+4*\k
.endm
.macro V_ADD_KEY d, k, register
    V_ADD \d, \d, \register
.endm
.macro V_ROUND_KEY address
    V_SPREAD ROUND_KEY, \address
.endm
.macro V_XOR_KEY d, address
    V_XOR \d, ROUND_KEY
.endm
.macro V_SPREAD_ORDER d
    movdqu xmm\d, xmmword ptr [rdi + SCHEDULE_ORDER]
.endm
.macro V_UNZIP a, b, t, order
    pshufb xmm\a, xmm\order
    pshufb xmm\b, xmm\order
    movdqa xmm\t, xmm\a
    shufps xmm\a, xmm\b, 0x88
    shufps xmm\t, xmm\b, 0xdd
    movdqa xmm\b, xmm\t
.endm
.macro V_ZIP a, b, t, order
    movdqa xmm\t, xmm\a
    punpckldq xmm\a, xmm\b
    punpckhdq xmm\t, xmm\b
    pshufb xmm\a, xmm\order
    pshufb xmm\t, xmm\order
    movdqa xmm\b, xmm\t
.endm
.macro V_READ d, address
    movdqu xmm\d, xmmword ptr [\address]
.endm
.macro V_WRITE d, address
    movdqu xmmword ptr [\address], xmm\d
.endm
.macro V_COPY t, from, to
    movq xmm\t, qword ptr [\from]
    movq qword ptr [\to], xmm\t
.endm
.macro LAST_LOAD g
    STACK_LOAD \g
.endm
.macro LAST_STORE g
    STACK_STORE \g
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
END_FUNCTION

FUNCTION SYMBOL(tea_decrypt_blocks_ssse3)
    TEA_BLOCKS TEA_DECRYPT
END_FUNCTION

FUNCTION SYMBOL(xtea_encrypt_blocks_ssse3)
    XTEA_BLOCKS XTEA_ENCRYPT
END_FUNCTION

FUNCTION SYMBOL(xtea_decrypt_blocks_ssse3)
    XTEA_BLOCKS XTEA_DECRYPT
END_FUNCTION
