// Lanes kernels: many messages at once, each in its own 32-bit lane with its own key, pointers and
// chaining state. A step takes one block of every lane. One message is serial; many are not.
//
// void {qq_encrypt,qq_decrypt,tea_cbc_encrypt}_lanes_<isa>(Lanes *, const u32 *sums, usize steps,
//                                                          usize groups);
// void xtea_cbc_encrypt_lanes_<isa>(Lanes *, usize steps, usize groups);
//
// The lanes stand in groups of a vector's width, which are interleaved; the first `groups` of them run.
// A lane without a message points to a cell of its own and does not advance: no masks, no fault at a
// page's end. Blocks are read and written by 8 bytes and transposed in registers. Gathering and scattering
// instructions are not used: on many processors they are slower than this by far.
//
// No branch and no address depends on key or data. 0 steps do nothing.
//
// In a group g the first words are in register g, the second ones in register 1g, and TEA's key word k
// in register KEY_gk. The including file defines LANES, VECTOR (the bytes of a vector), ALL_GROUPS (how
// many there are, 2 or 4), the KEY_gk, what rounds.h needs, and
//
//     V_GET, V_PUT  d, address            a vector from and to memory
//     V_WITH        d, address            d ^= a vector in memory
//     V_GATHER      g                     one block of each lane of a group
//     V_SCATTER     g                     and back
//     V_ADVANCE     pointers, by          adds the numbers at `by` to a group's pointers

#include "rounds.h"

// #[repr(C)] Lanes, which begins as a schedule does. src/backend/lanes.rs asserts the same numbers.
#define WORDS      (4*LANES)            // a word of every lane
#define CIPHERTEXT 64                   // first words, second words
#define MIXED      (CIPHERTEXT+2*WORDS)
#define NEXT       (MIXED+2*WORDS)
#define SOURCE     (NEXT+2*WORDS)       // pointers
#define TARGET     (SOURCE+2*WORDS)
#define ADVANCE    (TARGET+2*WORDS)
#define KEY        (ADVANCE+2*WORDS)

#define STEPS  rdx
#define GROUPS rcx

.macro TEA_FIRST_HALF op, groups
    .irp g, \groups
    .if \g == 0
    TEA_HALF_ROUND \op, 0, 10, 0, KEY_00, 1, KEY_01
    .elseif \g == 1
    TEA_HALF_ROUND \op, 1, 11, 0, KEY_10, 1, KEY_11
    .elseif \g == 2
    TEA_HALF_ROUND \op, 2, 12, 0, KEY_20, 1, KEY_21
    .else
    TEA_HALF_ROUND \op, 3, 13, 0, KEY_30, 1, KEY_31
    .endif
    .endr
.endm

.macro TEA_SECOND_HALF op, groups
    .irp g, \groups
    .if \g == 0
    TEA_HALF_ROUND \op, 10, 0, 2, KEY_02, 3, KEY_03
    .elseif \g == 1
    TEA_HALF_ROUND \op, 11, 1, 2, KEY_12, 3, KEY_13
    .elseif \g == 2
    TEA_HALF_ROUND \op, 12, 2, 2, KEY_22, 3, KEY_23
    .else
    TEA_HALF_ROUND \op, 13, 3, 2, KEY_32, 3, KEY_33
    .endif
    .endr
.endm

.macro XTEA_ENCRYPT groups
    mov I, START
    .p2align 4
2:
    .irp g, \groups
    XTEA_HALF_ROUND V_ADD, \g, 1\g, TABLE+I+\g*VECTOR
    .endr
    .irp g, \groups
    XTEA_HALF_ROUND V_ADD, 1\g, \g, TABLE+I+WORDS+\g*VECTOR
    .endr
    add I, 2*WORDS
    jnz 2b
.endm

// The words of a group at a place in the lanes.
.macro GET_WORDS g, place
    V_GET \g, rdi+\place+\g*VECTOR
    V_GET 1\g, rdi+\place+WORDS+\g*VECTOR
.endm

.macro PUT_WORDS g, place
    V_PUT \g, rdi+\place+\g*VECTOR
    V_PUT 1\g, rdi+\place+WORDS+\g*VECTOR
.endm

.macro WITH_WORDS g, place
    V_WITH \g, rdi+\place+\g*VECTOR
    V_WITH 1\g, rdi+\place+WORDS+\g*VECTOR
.endm

.macro MOVE_WORDS g, from, to
    V_GET T1, rdi+\from+\g*VECTOR
    V_GET T2, rdi+\from+WORDS+\g*VECTOR
    V_PUT T1, rdi+\to+\g*VECTOR
    V_PUT T2, rdi+\to+WORDS+\g*VECTOR
.endm

.macro READ_BLOCKS g
    V_ORDER T4
    V_GATHER \g
    V_SPLIT \g
.endm

.macro WRITE_BLOCKS g
    V_ORDER T4
    V_JOIN \g
    V_SCATTER \g
    V_ADVANCE rdi+SOURCE+2*\g*VECTOR, rdi+ADVANCE+2*\g*VECTOR
    V_ADVANCE rdi+TARGET+2*\g*VECTOR, rdi+ADVANCE+2*\g*VECTOR
.endm

// m = p ^ c_prev, c = E(m) ^ m_prev
.macro QQ_ENCRYPT_STEP groups
    .irp g, \groups
    READ_BLOCKS \g
    WITH_WORDS \g, CIPHERTEXT
    PUT_WORDS \g, NEXT
    .endr
    TEA_ENCRYPT "\groups"
    .irp g, \groups
    WITH_WORDS \g, MIXED
    PUT_WORDS \g, CIPHERTEXT
    MOVE_WORDS \g, NEXT, MIXED
    WRITE_BLOCKS \g
    .endr
.endm

// m = D(c ^ m_prev), p = m ^ c_prev
.macro QQ_DECRYPT_STEP groups
    .irp g, \groups
    READ_BLOCKS \g
    PUT_WORDS \g, NEXT
    WITH_WORDS \g, MIXED
    .endr
    TEA_DECRYPT "\groups"
    .irp g, \groups
    PUT_WORDS \g, MIXED
    WITH_WORDS \g, CIPHERTEXT
    MOVE_WORDS \g, NEXT, CIPHERTEXT
    WRITE_BLOCKS \g
    .endr
.endm

// c = E(p ^ c_prev)
.macro CBC_STEP encrypt, groups
    .irp g, \groups
    READ_BLOCKS \g
    WITH_WORDS \g, CIPHERTEXT
    .endr
    \encrypt "\groups"
    .irp g, \groups
    PUT_WORDS \g, CIPHERTEXT
    WRITE_BLOCKS \g
    .endr
.endm

.macro TEA_CBC_STEP groups
    CBC_STEP TEA_ENCRYPT, "\groups"
.endm

.macro XTEA_CBC_STEP groups
    CBC_STEP XTEA_ENCRYPT, "\groups"
.endm

// The blocks of two lanes from \lane on, in the low half of d.
.macro PAIR_FROM d, lane
    mov rax, [rdi + SOURCE + 8*(\lane)]
    mov r11, [rdi + SOURCE + 8*(\lane) + 8]
    vmovq xmm\d, qword ptr [rax]
    vmovhps xmm\d, xmm\d, qword ptr [r11]
.endm
.macro PAIR_TO d, lane
    mov rax, [rdi + TARGET + 8*(\lane)]
    mov r11, [rdi + TARGET + 8*(\lane) + 8]
    vmovq qword ptr [rax], xmm\d
    vmovhps qword ptr [r11], xmm\d
.endm

// All steps, if it is for these groups.
.macro STEPS_OF step, count, groups
    cmp GROUPS, \count
    jne 5f
    .p2align 4
4:
    \step "\groups"
    dec STEPS
    jnz 4b
    jmp 9f
5:
.endm

.macro ALL_STEPS step
    test STEPS, STEPS
    jz 9f
    STEPS_OF \step, 1, "0"
    STEPS_OF \step, 2, "0,1"
    .if ALL_GROUPS == 4
    STEPS_OF \step, 3, "0,1,2"
    STEPS_OF \step, 4, "0,1,2,3"
    .endif
9:
.endm

.macro TEA_LANES step
    END_PROLOGUE
    mov START, [rdi + SCHEDULE_CYCLES]
    lea TABLE, [rsi + 4*START]
    shl START, 2
    neg START
    GET_KEY 0, KEY_00, KEY_01, KEY_02, KEY_03
    GET_KEY 1, KEY_10, KEY_11, KEY_12, KEY_13
    .if ALL_GROUPS == 4
    GET_KEY 2, KEY_20, KEY_21, KEY_22, KEY_23
    GET_KEY 3, KEY_30, KEY_31, KEY_32, KEY_33
    .endif
    ALL_STEPS \step
    vzeroupper
    ret
.endm

.macro GET_KEY g, a, b, c, d
    V_GET \a, rdi+KEY+\g*VECTOR
    V_GET \b, rdi+KEY+WORDS+\g*VECTOR
    V_GET \c, rdi+KEY+2*WORDS+\g*VECTOR
    V_GET \d, rdi+KEY+3*WORDS+\g*VECTOR
.endm

.macro XTEA_LANES step
    END_PROLOGUE
    mov GROUPS, rdx
    mov STEPS, rsi
    mov START, [rdi + SCHEDULE_CYCLES]
    imul START, START, 2*WORDS
    lea TABLE, [rdi + START + KEY]
    neg START
    ALL_STEPS \step
    vzeroupper
    ret
.endm

