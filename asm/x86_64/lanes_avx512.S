// Lanes kernels for AVX-512 (F and BW): 64 messages, 16 × 4. See lanes.h. Two groups leave a third of
// the ports idle; four reach nine tenths.

#define LANES      64
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

FUNCTION SYMBOL(qq_encrypt_lanes_avx512)
    TEA_LANES QQ_ENCRYPT_STEP
END_FUNCTION

FUNCTION SYMBOL(qq_decrypt_lanes_avx512)
    TEA_LANES QQ_DECRYPT_STEP
END_FUNCTION

FUNCTION SYMBOL(tea_cbc_encrypt_lanes_avx512)
    TEA_LANES TEA_CBC_STEP
END_FUNCTION

FUNCTION SYMBOL(xtea_cbc_encrypt_lanes_avx512)
    XTEA_LANES XTEA_CBC_STEP
END_FUNCTION
