// What AVX-512 makes of the operations that rounds.h, wide.h and lanes.h name.
//
// Registers, by number: 0 to 7, 10 to 17 and 20 to 31 are the shape's, see wide.h and lanes.h.

#define T1 8           // temporaries
#define T2 9
#define T3 18
#define T4 19          // the byte order; TEA's sum

#define V          zmm
#define V_MEMORY   zmmword ptr
#define V_MOVE     vmovdqa64
#define V_MOVE_ANY vmovdqu64
#define V_XOR_BITS vpxord
#define VECTOR     64

#include "avx.h"

.macro V_XOR3 d, a, b
    vpternlogd zmm\d, zmm\a, zmm\b, 0x96
.endm
.macro V_INSERT d, a, part
    vinserti32x4 zmm\d, zmm\d, xmm\a, \part
.endm
.macro V_EXTRACT d, a, part
    vextracti32x4 xmm\d, zmm\a, \part
.endm
.macro V_SPREAD_ORDER d
    vbroadcasti32x4 zmm\d, xmmword ptr [rdi + SCHEDULE_ORDER]
.endm
