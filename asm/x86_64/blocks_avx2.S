// Blocks kernels for AVX2: eight blocks in a group.
//
// void {tea,xtea}_{encrypt,decrypt}_blocks_avx2(const Schedule *,
//                                                   const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.
//
// TEA takes 8 operations a half-round and group, XTEA 6. On three vector ports (Intel) that limits
// TEA-16 to 0.75 and XTEA-32 to 0.50 bytes a clock, on four (Zen 4) to 1.00 and 0.67.

#define TEA_GROUPS  4
#define XTEA_GROUPS 5

#include "../common.h"
.arch generic64
.arch .avx2
#include "avx2.h"
#include "wide.h"

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
.macro V_COPY t, from, to
    vmovq xmm\t, qword ptr [\from]
    vmovq qword ptr [\to], xmm\t
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
    vpxor xmm0, xmm0, xmm0
    vmovdqu ymmword ptr [rsp], ymm0
    vmovdqu ymmword ptr [rsp + 32], ymm0
    vzeroupper
    RELEASE GROUP
    ret
.endm

FUNCTION SYMBOL(tea_encrypt_blocks_avx2)
    TEA_BLOCKS TEA_ENCRYPT
END_FUNCTION

FUNCTION SYMBOL(tea_decrypt_blocks_avx2)
    TEA_BLOCKS TEA_DECRYPT
END_FUNCTION

FUNCTION SYMBOL(xtea_encrypt_blocks_avx2)
    XTEA_BLOCKS XTEA_ENCRYPT
END_FUNCTION

FUNCTION SYMBOL(xtea_decrypt_blocks_avx2)
    XTEA_BLOCKS XTEA_DECRYPT
END_FUNCTION
