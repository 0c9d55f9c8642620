// Lanes kernels for AVX2: 16 messages, 8 × 2. See lanes.h.

#define LANES      16
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

FUNCTION SYMBOL(qq_encrypt_lanes_avx2)
    TEA_LANES QQ_ENCRYPT_STEP
END_FUNCTION

FUNCTION SYMBOL(qq_decrypt_lanes_avx2)
    TEA_LANES QQ_DECRYPT_STEP
END_FUNCTION

FUNCTION SYMBOL(tea_cbc_encrypt_lanes_avx2)
    TEA_LANES TEA_CBC_STEP
END_FUNCTION

FUNCTION SYMBOL(xtea_cbc_encrypt_lanes_avx2)
    XTEA_LANES XTEA_CBC_STEP
END_FUNCTION
