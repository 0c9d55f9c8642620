// What AVX2 and AVX-512 have in common: the operations that rounds.h, wide.h and lanes.h name.
//
// avx2.h and avx512.h define the rest, and
//
//     V                 the name of a vector register, without its number
//     V_MEMORY          a vector in memory
//     V_MOVE            the instruction for a whole register, and V_MOVE_ANY at any address
//     V_XOR_BITS        the instruction for an exclusive or
//     VECTOR            bytes

// Newer clangs exchange the operands of a commutative operation where that saves a byte, GNU as does
// not: so the higher register comes first, and all assemblers make the same, shortest code.
.macro V_ADD d, a, b
    .if \b > \a
    vpaddd V\d, V\b, V\a
    .else
    vpaddd V\d, V\a, V\b
    .endif
.endm
.macro V_SUB d, a, b
    vpsubd V\d, V\a, V\b
.endm
.macro V_XOR d, a
    V_XOR_BITS V\d, V\a, V\d
.endm
.macro V_LEFT d, a, bits
    vpslld V\d, V\a, \bits
.endm
.macro V_RIGHT d, a, bits
    vpsrld V\d, V\a, \bits
.endm
.macro V_SPREAD d, address
    vpbroadcastd V\d, dword ptr [\address]
.endm
.macro V_READ d, address
    V_MOVE_ANY V\d, V_MEMORY [\address]
.endm
.macro V_WRITE d, address
    V_MOVE_ANY V_MEMORY [\address], V\d
.endm

// The first words of the blocks in a and b to a, the second ones to b, and back; t is a temporary.
.macro V_UNZIP a, b, t, order
    vpshufb V\a, V\a, V\order
    vpshufb V\b, V\b, V\order
    vshufps V\t, V\a, V\b, 0xdd
    vshufps V\a, V\a, V\b, 0x88
    V_MOVE V\b, V\t
.endm
.macro V_ZIP a, b, t, order
    vunpckhps V\t, V\a, V\b
    vunpcklps V\a, V\a, V\b
    vpshufb V\b, V\t, V\order
    vpshufb V\a, V\a, V\order
.endm
