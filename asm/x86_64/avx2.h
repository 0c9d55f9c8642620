// What AVX2 makes of the operations that rounds.h, wide.h and lanes.h name.
//
// Registers, by number: 0 to 5 and 10 to 15 are the shape's, see wide.h and lanes.h.

#define T1 6           // temporaries
#define T2 7
#define T3 8
#define T4 9           // the byte order; TEA's sum

#define V          ymm
#define V_MEMORY   ymmword ptr
#define V_MOVE     vmovdqa
#define V_MOVE_ANY vmovdqu
#define V_XOR_BITS vpxor
#define VECTOR     32

#include "avx.h"

.macro V_XOR3 d, a, b
    V_XOR \d, \a
    V_XOR \d, \b
.endm
.macro V_INSERT d, a, part
    vinserti128 ymm\d, ymm\d, xmm\a, \part
.endm
.macro V_EXTRACT d, a, part
    vextracti128 xmm\d, ymm\a, \part
.endm
.macro V_SPREAD_ORDER d
    vbroadcasti128 ymm\d, xmmword ptr [rdi + SCHEDULE_ORDER]
.endm
