// Blocks kernels for AVX-512 (F and BW): sixteen blocks in a group.
//
// void {tea,xtea}_{encrypt,decrypt}_blocks_avx512(const Schedule *,
//                                                     const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.
//
// Keys are memory operands, spread to all lanes. Registers from 16 up need no vzeroupper.
//
// TEA takes 7 operations a half-round and group, thanks to the xor of three, XTEA 6. With two of
// them a clock that limits TEA-16 to 1.14 and XTEA-32 to 0.67 bytes a clock.

#define TEA_GROUPS  8
#define XTEA_GROUPS 8

#define COUNT32 eax
#define MASK    r11d
#define MASK64  r11

#include "../common.h"
.arch generic64
.arch .avx512bw
#include "avx512.h"
#include "wide.h"

.macro V_TEA_KEY k, register
.endm
.macro V_ADD_KEY d, k, register
    vpaddd zmm\d, zmm\d, dword ptr [SCHEDULE + SCHEDULE_KEY + 4*\k]{1to16}
.endm
.macro V_ROUND_KEY address
.endm
.macro V_XOR_KEY d, address
    vpxord zmm\d, zmm\d, dword ptr [\address]{1to16}
.endm
// The last group through masks: k1 and k2 have a bit for each block that is there, at most 8 each.
.macro LAST_LOAD g
    lea COUNT, [N - \g*WIDTH]
    mov MASK, WIDTH
    cmp COUNT, MASK64
    cmova COUNT32, MASK
    xor MASK, MASK
    bts MASK, COUNT32
    dec MASK
    kmovd k1, MASK
    shr MASK, 8
    kmovd k2, MASK
    vmovdqu64 zmm\g{k1}{z}, zmmword ptr [SRC + \g*GROUP]
    vmovdqu64 zmm1\g{k2}{z}, zmmword ptr [SRC + \g*GROUP + VECTOR]
.endm
.macro LAST_STORE g
    vmovdqu64 zmmword ptr [DST + \g*GROUP]{k1}, zmm\g
    vmovdqu64 zmmword ptr [DST + \g*GROUP + VECTOR]{k2}, zmm1\g
.endm
.macro V_ENTER
    END_PROLOGUE
.endm
.macro V_LEAVE
    vzeroupper
    ret
.endm

FUNCTION SYMBOL(tea_encrypt_blocks_avx512)
    TEA_BLOCKS TEA_ENCRYPT
END_FUNCTION

FUNCTION SYMBOL(tea_decrypt_blocks_avx512)
    TEA_BLOCKS TEA_DECRYPT
END_FUNCTION

FUNCTION SYMBOL(xtea_encrypt_blocks_avx512)
    XTEA_BLOCKS XTEA_ENCRYPT
END_FUNCTION

FUNCTION SYMBOL(xtea_decrypt_blocks_avx512)
    XTEA_BLOCKS XTEA_DECRYPT
END_FUNCTION
