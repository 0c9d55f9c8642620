// Blocks kernels of TEA for NEON with the three-way xor of FEAT_SHA3: four blocks in a group.
//
// void tea_{encrypt,decrypt}_blocks_sha3(const Schedule *,
//                                        const u8 *src, u8 *dst, usize blocks);
// src and dst are equal or disjoint. Any alignment; 0 blocks do nothing.
// No branch and no address depends on key or data.
//
// TEA takes 5 operations a half-round and group. On four vector pipes (Neoverse V1) that is 10 clocks a
// block of TEA-16.

#define FASTTEA_SHA3
#include "../common.h"
.arch armv8.2-a+sha3
#include "wide.h"

FUNCTION SYMBOL(tea_encrypt_blocks_sha3)
    TEA_BLOCKS TEA_ENCRYPT
END_FUNCTION

FUNCTION SYMBOL(tea_decrypt_blocks_sha3)
    TEA_BLOCKS TEA_DECRYPT
END_FUNCTION
