// Lanes kernels of TEA for NEON with the three-way xor of FEAT_SHA3: 32 messages, 4 × 8. See lanes.h.

#define FASTTEA_SHA3
#include "../common.h"
.arch armv8.2-a+sha3
#include "lanes.h"

FUNCTION SYMBOL(qq_encrypt_lanes_sha3)
    TEA_LANES QQ_ENCRYPT_STEP
END_FUNCTION

FUNCTION SYMBOL(qq_decrypt_lanes_sha3)
    TEA_LANES QQ_DECRYPT_STEP
END_FUNCTION

FUNCTION SYMBOL(tea_cbc_encrypt_lanes_sha3)
    TEA_LANES TEA_CBC_STEP
END_FUNCTION
