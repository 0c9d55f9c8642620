// Lanes kernels for AVX-512 (F and BW): 64 messages, 16 × 4. See lanes.h. Two groups leave a third of
// the ports idle; four reach nine tenths.

#define LANES      64
#define VECTOR     64
#define ALL_GROUPS 4

#define KEY_00 4
#define KEY_01 5
#define KEY_02 6
#define KEY_03 7
#define KEY_10 20
#define KEY_11 21
#define KEY_12 22
#define KEY_13 23
#define KEY_20 24
#define KEY_21 25
#define KEY_22 26
#define KEY_23 27
#define KEY_30 28
#define KEY_31 29
#define KEY_32 30
#define KEY_33 31

#include "../common.h"
.arch generic64
.arch .avx512bw
#include "avx512.h"
#include "lanes.h"

.macro V_ADD_KEY d, k, register
    vpaddd zmm\d, zmm\d, zmm\register
.endm
.macro V_XOR_KEY d, address
    vpxord zmm\d, zmm\d, zmmword ptr [\address]
.endm
.macro V_GET d, place
    vmovdqu64 zmm\d, zmmword ptr [rdi + \place]
.endm
.macro V_PUT d, place
    vmovdqu64 zmmword ptr [rdi + \place], zmm\d
.endm
.macro V_WITH d, place
    vpxord zmm\d, zmm\d, zmmword ptr [rdi + \place]
.endm

// In the order that V_SPLIT leaves as lane 0, 1, 2, …
.macro V_GATHER g
    HALF_FROM \g, 16*\g
    HALF_FROM 1\g, 16*\g+2
.endm
.macro HALF_FROM d, lane
    PAIR_FROM \d, \lane
    PAIR_FROM 8, \lane+4
    vinserti32x4 zmm\d, zmm\d, xmm8, 1
    PAIR_FROM 8, \lane+8
    vinserti32x4 zmm\d, zmm\d, xmm8, 2
    PAIR_FROM 8, \lane+12
    vinserti32x4 zmm\d, zmm\d, xmm8, 3
.endm
.macro V_SCATTER g
    HALF_TO \g, 16*\g
    HALF_TO 1\g, 16*\g+2
.endm
.macro HALF_TO d, lane
    PAIR_TO \d, \lane
    vextracti32x4 xmm8, zmm\d, 1
    PAIR_TO 8, \lane+4
    vextracti32x4 xmm8, zmm\d, 2
    PAIR_TO 8, \lane+8
    vextracti32x4 xmm8, zmm\d, 3
    PAIR_TO 8, \lane+12
.endm
.macro V_ADVANCE pointers, by
    V_GET 8, \pointers
    V_GET 9, \pointers+VECTOR
    vpaddq zmm8, zmm8, zmmword ptr [rdi + \by]
    vpaddq zmm9, zmm9, zmmword ptr [rdi + \by + VECTOR]
    V_PUT 8, \pointers
    V_PUT 9, \pointers+VECTOR
.endm

FUNCTION SYMBOL(qq_encrypt_lanes_avx512)
    TEA_LANES QQ_ENCRYPT_STEP
END_FUNCTION SYMBOL(qq_encrypt_lanes_avx512)

FUNCTION SYMBOL(qq_decrypt_lanes_avx512)
    TEA_LANES QQ_DECRYPT_STEP
END_FUNCTION SYMBOL(qq_decrypt_lanes_avx512)

FUNCTION SYMBOL(tea_cbc_encrypt_lanes_avx512)
    TEA_LANES TEA_CBC_STEP
END_FUNCTION SYMBOL(tea_cbc_encrypt_lanes_avx512)

FUNCTION SYMBOL(xtea_cbc_encrypt_lanes_avx512)
    XTEA_LANES XTEA_CBC_STEP
END_FUNCTION SYMBOL(xtea_cbc_encrypt_lanes_avx512)
