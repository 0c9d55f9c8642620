// Lanes kernels for NEON: 32 messages, 4 × 8. See lanes.h.

#include "../common.h"
.arch armv8-a
#include "lanes.h"

FUNCTION SYMBOL(qq_encrypt_lanes_neon)
    TEA_LANES QQ_ENCRYPT_STEP
END_FUNCTION

FUNCTION SYMBOL(qq_decrypt_lanes_neon)
    TEA_LANES QQ_DECRYPT_STEP
END_FUNCTION

FUNCTION SYMBOL(tea_cbc_encrypt_lanes_neon)
    TEA_LANES TEA_CBC_STEP
END_FUNCTION

FUNCTION SYMBOL(xtea_cbc_encrypt_lanes_neon)
    XTEA_LANES XTEA_CBC_STEP
END_FUNCTION
