// One block in general-purpose registers: the macros of the scalar blocks and chain kernels.
//
// The second argument, source or state, comes to stand in ARGUMENT, where the ciphers do not use it for
// something else. The kernels move the others to SRC, DST and N.

#define SCHEDULE rdi   // at first
#define SRC      rdi
#define DST      r14
#define N        r15   // blocks left
#define TABLE    rsi   // the end of the sums (TEA) or round keys (XTEA) in use
#define I        r13   // a negative offset from there
#define ARGUMENT r9    // at first

#define X     eax      // the block's first word
#define X64   rax
#define Y     edx      // its second word
#define Y64   rdx
#define T     ecx      // temporaries
#define T64   rcx
#define F     r10d
#define F64   r10
#define G     r11d
#define G64   r11

// TEA alone.
#define AX   r8d       // (x << 4) + a, see below
#define AY   r9d
#define S    ebp       // the sum
#define S64  rbp
#define K1   ebx       // key words; the others are on the stack
#define K3   r12d

// XTEA alone.
#define XTEA_ROTATE ebp
#define XTEA_START  r12   // -8 * cycles

// The stack. What follows ROTATE is the QQ kernels' state.
#define K0     0
#define K2     4
#define START  8       // -4 * cycles
#define ROTATE 16
#define FRAME  56

// Turns a block as it stands in memory into its two words, the first one in the high half, or back
// again: big-endian words by a byte swap, little-endian words by a rotation by 32, one
// little-endian number (Le64) by nothing. `rotate` holds what ROTATION made. Off the critical path.
// Clobbers T and the flags.
.macro CONVERT block, scratch, rotate
    mov T, \rotate
    mov \scratch, \block
    bswap \scratch
    rol \block, cl
    test cl, 8
    cmovne \block, \scratch
.endm

// The schedule's byte order begins with 3 (Be), 0 (Le) or 4 (Le64), which makes -8, -32 or 0: a rotation
// by -32 is one by 32.
.macro ROTATION out, out64
    movzx \out, byte ptr [SCHEDULE + SCHEDULE_ORDER]
    lea \out, [8*\out64 - 32]
.endm

// ---------------------------------------------------------------------------------------------
// TEA, with the shortest chain of dependent operations.
//
// With F(v) = ((v << 4) + a) ^ (v + s) ^ ((v >> 5) + b), a cycle is x += F(y), y += F(x); a, b are
// k0, k1 for F(y) and k2, k3 for F(x); both halves of a cycle share the sum s.
//
// Written down plainly a half-round has five dependent operations (add, shift, add, xor, xor).
// Four are enough: A = (v << 4) + a is kept for each half and brought up to date by A += f << 4
// when v += f, which is ready earlier than v << 4. Then, from f at time 0:
//
//     v += f          1
//     t = v >> 5      2      g = v + s           2      f <<= 4     1
//     t += b          3      g ^= A              3      A += f      2
//     g ^= t          4      g is the next f
//
// Eight operations are executed (the register move is renamed away). Each one less counts: the
// paths by t and by g have no slack and compete for the same ports. The sum is loaded once per
// cycle, since a memory operand in both halves is slower.

// Saves registers and reads the schedule. Clobbers rax.
.macro TEA_ENTER
    PUSH_REGISTER rbx
    PUSH_REGISTER rbp
    PUSH_REGISTER r12
    PUSH_REGISTER r13
    PUSH_REGISTER r14
    PUSH_REGISTER r15
    ALLOCATE FRAME
    END_PROLOGUE
    mov ARGUMENT, rsi
    mov eax, [SCHEDULE + SCHEDULE_KEY]
    mov K1, [SCHEDULE + SCHEDULE_KEY + 4]
    mov [rsp + K0], eax
    mov eax, [SCHEDULE + SCHEDULE_KEY + 8]
    mov K3, [SCHEDULE + SCHEDULE_KEY + 12]
    mov [rsp + K2], eax
    mov rax, [SCHEDULE + SCHEDULE_CYCLES]
    SUMS TABLE
    lea TABLE, [TABLE + 4*rax]
    shl rax, 2
    neg rax
    mov [rsp + START], rax
    ROTATION eax, rax
    mov [rsp + ROTATE], eax
.endm

// Wipes the key words on the stack, restores registers and returns.
.macro TEA_LEAVE
    xor eax, eax
    mov [rsp + K0], rax
    RELEASE FRAME
    POP_REGISTER r15
    POP_REGISTER r14
    POP_REGISTER r13
    POP_REGISTER r12
    POP_REGISTER rbp
    POP_REGISTER rbx
    ret
.endm

// v ±= f, then g = F(v): one half-round and the value that the next one needs.
.macro HALF_ROUND op, v, v64, a, b, f, g
    \op \v, \f
    mov T, \v
    shl \f, 4
    shr T, 5
    lea \g, [\v64 + S64]
    \op \a, \f
    add T, \b
    xor \g, \a
    xor \g, T
.endm

// g = F(v) and A = (v << 4) + a from nothing.
.macro FIRST v, v64, a, key, b, g
    mov T, \v
    mov \a, \v
    shr T, 5
    shl \a, 4
    lea \g, [\v64 + S64]
    add T, \b
    add \a, [rsp + \key]
    xor \g, T
    xor \g, \a
.endm

// (X, Y) = E(X, Y). Clobbers everything above but TABLE, SRC, DST, N, K1 and K3.
.macro TEA_ENCRYPT
    mov I, [rsp + START]
    mov S, [TABLE + I]
    FIRST Y, Y64, AY, K0, K1, F
    mov AX, X
    shl AX, 4
    add AX, [rsp + K2]
    add I, 4
    jz 3f
    .p2align 4
2:
    HALF_ROUND add, X, X64, AX, K3, F, G
    mov S, [TABLE + I]
    HALF_ROUND add, Y, Y64, AY, K1, G, F
    add I, 4
    jnz 2b
3:
    HALF_ROUND add, X, X64, AX, K3, F, G
    add Y, G
.endm

// (X, Y) = D(X, Y): the same backwards.
.macro TEA_DECRYPT
    mov I, -4
    mov S, [TABLE + I]
    FIRST X, X64, AX, K2, K3, F
    mov AY, Y
    shl AY, 4
    add AY, [rsp + K0]
    cmp I, [rsp + START]
    je 3f
    .p2align 4
2:
    HALF_ROUND sub, Y, Y64, AY, K1, F, G
    mov S, [TABLE + I - 4]
    HALF_ROUND sub, X, X64, AX, K3, G, F
    sub I, 4
    cmp I, [rsp + START]
    jne 2b
3:
    HALF_ROUND sub, Y, Y64, AY, K1, F, G
    sub X, G
.endm

// ---------------------------------------------------------------------------------------------
// XTEA: v ±= (((w << 4) ^ (w >> 5)) + w) ^ (s + k), where the schedule holds s + k for every
// half-round. Five dependent operations; TEA's shortcut does not exist, since the xor comes first.

// Saves registers and reads the schedule.
.macro XTEA_ENTER
    PUSH_REGISTER rbp
    PUSH_REGISTER r12
    PUSH_REGISTER r13
    PUSH_REGISTER r14
    PUSH_REGISTER r15
    END_PROLOGUE
    mov ARGUMENT, rsi
    ROTATION ebp, rbp
    mov XTEA_START, [SCHEDULE + SCHEDULE_CYCLES]
    lea TABLE, [SCHEDULE + 8*XTEA_START + SCHEDULE_KEY]
    shl XTEA_START, 3
    neg XTEA_START
.endm

.macro XTEA_LEAVE
    POP_REGISTER r15
    POP_REGISTER r14
    POP_REGISTER r13
    POP_REGISTER r12
    POP_REGISTER rbp
    ret
.endm

.macro XTEA_HALF_ROUND op, v, w, key
    mov F, \w
    mov T, \w
    shl F, 4
    shr T, 5
    xor F, T
    add F, \w
    xor F, [TABLE + I + \key]
    \op \v, F
.endm

.macro XTEA_ENCRYPT
    mov I, XTEA_START
    .p2align 4
2:
    XTEA_HALF_ROUND add, X, Y, 0
    XTEA_HALF_ROUND add, Y, X, 4
    add I, 8
    jnz 2b
.endm

.macro XTEA_DECRYPT
    xor I, I
    .p2align 4
2:
    XTEA_HALF_ROUND sub, Y, X, -4
    XTEA_HALF_ROUND sub, X, Y, -8
    sub I, 8
    cmp I, XTEA_START
    jne 2b
.endm
