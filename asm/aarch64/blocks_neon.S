// Blocks kernels for NEON: four blocks in a group.
//
// void {tea,xtea}_{encrypt,decrypt}_blocks_neon(const Schedule *,
//                                               const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.
//
// TEA takes 7 operations a half-round and group, XTEA 6. On two vector pipes (Neoverse N1) that is 28
// clocks a block of TEA-16 and 48 of XTEA-32, on four (Neoverse V1) 14 and 24.

#include "../common.h"
.arch armv8-a
#include "wide.h"

FUNCTION SYMBOL(tea_encrypt_blocks_neon)
    TEA_BLOCKS TEA_ENCRYPT
END_FUNCTION

FUNCTION SYMBOL(tea_decrypt_blocks_neon)
    TEA_BLOCKS TEA_DECRYPT
END_FUNCTION

FUNCTION SYMBOL(xtea_encrypt_blocks_neon)
    XTEA_BLOCKS XTEA_ENCRYPT
END_FUNCTION

FUNCTION SYMBOL(xtea_decrypt_blocks_neon)
    XTEA_BLOCKS XTEA_DECRYPT
END_FUNCTION
