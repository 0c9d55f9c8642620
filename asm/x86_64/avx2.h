// What AVX2 makes of the operations that rounds.h, wide.h and lanes.h name.

#define T1 6
#define T2 7
#define T3 8
#define T4 9

// Newer clangs exchange the operands of a commutative operation where that saves a byte, GNU as does
// not: so the higher register comes first, and all assemblers make the same, shortest code.
.macro V_ADD d, a, b
    .if \b > \a
    vpaddd ymm\d, ymm\b, ymm\a
    .else
    vpaddd ymm\d, ymm\a, ymm\b
    .endif
.endm
.macro V_SUB d, a, b
    vpsubd ymm\d, ymm\a, ymm\b
.endm
.macro V_XOR d, a
    vpxor ymm\d, ymm\a, ymm\d
.endm
.macro V_XOR3 d, a, b
    vpxor ymm\d, ymm\a, ymm\d
    vpxor ymm\d, ymm\b, ymm\d
.endm
.macro V_LEFT d, a, bits
    vpslld ymm\d, ymm\a, \bits
.endm
.macro V_RIGHT d, a, bits
    vpsrld ymm\d, ymm\a, \bits
.endm
.macro V_SPREAD d, address
    vpbroadcastd ymm\d, dword ptr [\address]
.endm
.macro V_ORDER d
    vbroadcasti128 ymm\d, xmmword ptr [rdi + SCHEDULE_ORDER]
.endm
.macro V_SPLIT g
    vpshufb ymm\g, ymm\g, ymm9
    vpshufb ymm1\g, ymm1\g, ymm9
    vshufps ymm6, ymm\g, ymm1\g, 0xdd
    vshufps ymm\g, ymm\g, ymm1\g, 0x88
    vmovdqa ymm1\g, ymm6
.endm
.macro V_JOIN g
    vunpckhps ymm6, ymm\g, ymm1\g
    vunpcklps ymm\g, ymm\g, ymm1\g
    vpshufb ymm1\g, ymm6, ymm9
    vpshufb ymm\g, ymm\g, ymm9
.endm
