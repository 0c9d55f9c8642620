// Blocks kernels for AVX-512 (F and BW): sixteen blocks in a group.
//
// void tea_{encrypt,decrypt}_blocks_avx512(const TeaSchedule *, const u32 *sums,
//                                          const u8 *src, u8 *dst, usize blocks);
// void xtea_{encrypt,decrypt}_blocks_avx512(const XteaSchedule *,
//                                           const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.
//
// Keys are memory operands, spread to all lanes. Registers from 16 up need no vzeroupper.
//
// TEA takes 7 operations a half-round and group, thanks to the xor of three, XTEA 6. With two of
// them a clock that limits TEA-16 to 1.14 and XTEA-32 to 0.67 bytes a clock.

#define TEA_GROUPS  8
#define XTEA_GROUPS 8
#define WIDTH 16
#define GROUP 128

#include "../common.h"
.arch generic64
.arch .avx512bw
#include "avx512.h"
#include "wide.h"

.macro V_TEA_KEY k, register
.endm
.macro V_ADD_KEY d, k, register
    vpaddd zmm\d, zmm\d, dword ptr [SCHEDULE + SCHEDULE_WORDS + 4*\k]{1to16}
.endm
.macro V_ROUND_KEY address
.endm
.macro V_XOR_KEY d, address
    vpxord zmm\d, zmm\d, dword ptr [\address]{1to16}
.endm
.macro V_LOAD g, address
    vmovdqu64 zmm\g, zmmword ptr [\address]
    vmovdqu64 zmm1\g, zmmword ptr [\address + 64]
.endm
.macro V_STORE g, address
    vmovdqu64 zmmword ptr [\address], zmm\g
    vmovdqu64 zmmword ptr [\address + 64], zmm1\g
.endm

// The last group through masks: k1 and k2 have a bit for each block that is there, at most 8 each.
.macro LAST_LOAD g
    lea rax, [N - \g*WIDTH]
    mov r11d, WIDTH
    cmp rax, r11
    cmova eax, r11d
    xor r11d, r11d
    bts r11d, eax
    dec r11d
    kmovd k1, r11d
    shr r11d, 8
    kmovd k2, r11d
    vmovdqu64 zmm\g{k1}{z}, zmmword ptr [SRC + \g*GROUP]
    vmovdqu64 zmm1\g{k2}{z}, zmmword ptr [SRC + \g*GROUP + 64]
.endm
.macro LAST_STORE g
    vmovdqu64 zmmword ptr [DST + \g*GROUP]{k1}, zmm\g
    vmovdqu64 zmmword ptr [DST + \g*GROUP + 64]{k2}, zmm1\g
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
END_FUNCTION SYMBOL(tea_encrypt_blocks_avx512)

FUNCTION SYMBOL(tea_decrypt_blocks_avx512)
    TEA_BLOCKS TEA_DECRYPT
END_FUNCTION SYMBOL(tea_decrypt_blocks_avx512)

FUNCTION SYMBOL(xtea_encrypt_blocks_avx512)
    XTEA_BLOCKS XTEA_ENCRYPT
END_FUNCTION SYMBOL(xtea_encrypt_blocks_avx512)

FUNCTION SYMBOL(xtea_decrypt_blocks_avx512)
    XTEA_BLOCKS XTEA_DECRYPT
END_FUNCTION SYMBOL(xtea_decrypt_blocks_avx512)
