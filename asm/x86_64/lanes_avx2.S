// Lanes kernels for AVX2: 16 messages, 8 × 2. See lanes.h.

#define LANES      16
#define VECTOR     32
#define ALL_GROUPS 2

#define KEY_00 2
#define KEY_01 3
#define KEY_02 4
#define KEY_03 5
#define KEY_10 12
#define KEY_11 13
#define KEY_12 14
#define KEY_13 15

#include "../common.h"
.arch generic64
.arch .avx2
#include "avx2.h"
#include "lanes.h"

.macro V_ADD_KEY d, k, register
    V_ADD \d, \d, \register
.endm
.macro V_XOR_KEY d, address
    vpxor ymm\d, ymm\d, ymmword ptr [\address]
.endm
.macro V_GET d, place
    vmovdqu ymm\d, ymmword ptr [rdi + \place]
.endm
.macro V_PUT d, place
    vmovdqu ymmword ptr [rdi + \place], ymm\d
.endm
.macro V_WITH d, place
    vpxor ymm\d, ymm\d, ymmword ptr [rdi + \place]
.endm

// In the order that V_SPLIT leaves as lane 0, 1, 2, …
.macro V_GATHER g
    PAIR_FROM \g, 8*\g
    PAIR_FROM 6, 8*\g+4
    vinserti128 ymm\g, ymm\g, xmm6, 1
    PAIR_FROM 1\g, 8*\g+2
    PAIR_FROM 6, 8*\g+6
    vinserti128 ymm1\g, ymm1\g, xmm6, 1
.endm
.macro V_SCATTER g
    PAIR_TO \g, 8*\g
    vextracti128 xmm6, ymm\g, 1
    PAIR_TO 6, 8*\g+4
    PAIR_TO 1\g, 8*\g+2
    vextracti128 xmm6, ymm1\g, 1
    PAIR_TO 6, 8*\g+6
.endm
.macro V_ADVANCE pointers, by
    V_GET 6, \pointers
    V_GET 7, \pointers+VECTOR
    vpaddq ymm6, ymm6, ymmword ptr [rdi + \by]
    vpaddq ymm7, ymm7, ymmword ptr [rdi + \by + VECTOR]
    V_PUT 6, \pointers
    V_PUT 7, \pointers+VECTOR
.endm

FUNCTION SYMBOL(qq_encrypt_lanes_avx2)
    TEA_LANES QQ_ENCRYPT_STEP
END_FUNCTION SYMBOL(qq_encrypt_lanes_avx2)

FUNCTION SYMBOL(qq_decrypt_lanes_avx2)
    TEA_LANES QQ_DECRYPT_STEP
END_FUNCTION SYMBOL(qq_decrypt_lanes_avx2)

FUNCTION SYMBOL(tea_cbc_encrypt_lanes_avx2)
    TEA_LANES TEA_CBC_STEP
END_FUNCTION SYMBOL(tea_cbc_encrypt_lanes_avx2)

FUNCTION SYMBOL(xtea_cbc_encrypt_lanes_avx2)
    XTEA_LANES XTEA_CBC_STEP
END_FUNCTION SYMBOL(xtea_cbc_encrypt_lanes_avx2)
