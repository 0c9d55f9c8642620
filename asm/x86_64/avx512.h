// What AVX-512 makes of the operations that rounds.h, wide.h and lanes.h name.

#define T1 8
#define T2 9
#define T3 18
#define T4 19

.macro V_ADD d, a, b
    vpaddd zmm\d, zmm\a, zmm\b
.endm
.macro V_SUB d, a, b
    vpsubd zmm\d, zmm\a, zmm\b
.endm
.macro V_XOR d, a
    vpxord zmm\d, zmm\d, zmm\a
.endm
.macro V_XOR3 d, a, b
    vpternlogd zmm\d, zmm\a, zmm\b, 0x96
.endm
.macro V_LEFT d, a, bits
    vpslld zmm\d, zmm\a, \bits
.endm
.macro V_RIGHT d, a, bits
    vpsrld zmm\d, zmm\a, \bits
.endm
.macro V_SPREAD d, address
    vpbroadcastd zmm\d, dword ptr [\address]
.endm
.macro V_ORDER d
    vbroadcasti32x4 zmm\d, xmmword ptr [rdi + SCHEDULE_ORDER]
.endm
.macro V_SPLIT g
    vpshufb zmm\g, zmm\g, zmm19
    vpshufb zmm1\g, zmm1\g, zmm19
    vshufps zmm8, zmm\g, zmm1\g, 0xdd
    vshufps zmm\g, zmm\g, zmm1\g, 0x88
    vmovdqa64 zmm1\g, zmm8
.endm
.macro V_JOIN g
    vunpckhps zmm8, zmm\g, zmm1\g
    vunpcklps zmm\g, zmm\g, zmm1\g
    vpshufb zmm1\g, zmm8, zmm19
    vpshufb zmm\g, zmm\g, zmm19
.endm
