// Lanes kernels: many messages at once, each in its own 32-bit lane with its own key, pointers and
// chaining state. A step takes one block of every lane. One message is serial; many are not.
//
// void {qq_encrypt,qq_decrypt,tea_cbc_encrypt}_lanes_<isa>(Lanes *, const u32 *sums, usize steps,
//                                                          usize groups);
// void xtea_cbc_encrypt_lanes_<isa>(Lanes *, usize steps, usize groups);
//
// There are two groups of LANES/2 lanes, interleaved; with groups = 1 only the first one runs. A lane
// without a message points to a cell of its own and does not advance: no masks, no fault at a page's
// end. Blocks are read and written by 8 bytes and transposed in registers. Gathering and scattering
// instructions are not used: on many processors they are slower than this by far.
//
// No branch and no address depends on key or data. 0 steps do nothing.
//
// In a group g the first words are in register g, the second ones in register 1g, and TEA's key words
// in registers 2 to 5 (group 0) and 12 to 15 (group 1). The including file defines LANES, VECTOR (the
// bytes of a vector), what rounds.h needs, and
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

#define TABLE  rsi      // the end of the sums (TEA) or round keys (XTEA) in use
#define STEPS  rdx
#define GROUPS rcx
#define START  r9       // a negative offset from TABLE to its begin
#define I      r10

.macro TEA_FIRST_HALF op, both
    TEA_HALF_ROUND \op, 0, 10, 0, 2, 1, 3
    .ifnb \both
    TEA_HALF_ROUND \op, 1, 11, 0, 12, 1, 13
    .endif
.endm

.macro TEA_SECOND_HALF op, both
    TEA_HALF_ROUND \op, 10, 0, 2, 4, 3, 5
    .ifnb \both
    TEA_HALF_ROUND \op, 11, 1, 2, 14, 3, 15
    .endif
.endm

.macro TEA_ENCRYPT both
    mov I, START
    .p2align 4
2:
    V_SPREAD T4, TABLE+I
    TEA_FIRST_HALF V_ADD, \both
    TEA_SECOND_HALF V_ADD, \both
    add I, 4
    jnz 2b
.endm

.macro TEA_DECRYPT both
    xor I, I
    .p2align 4
2:
    V_SPREAD T4, TABLE+I-4
    TEA_SECOND_HALF V_SUB, \both
    TEA_FIRST_HALF V_SUB, \both
    sub I, 4
    cmp I, START
    jne 2b
.endm

.macro XTEA_ENCRYPT both
    mov I, START
    .p2align 4
2:
    XTEA_HALF_ROUND V_ADD, 0, 10, TABLE+I
    .ifnb \both
    XTEA_HALF_ROUND V_ADD, 1, 11, TABLE+I+VECTOR
    .endif
    XTEA_HALF_ROUND V_ADD, 10, 0, TABLE+I+WORDS
    .ifnb \both
    XTEA_HALF_ROUND V_ADD, 11, 1, TABLE+I+WORDS+VECTOR
    .endif
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
.macro QQ_ENCRYPT_STEP groups, both
    .irp g, \groups
    READ_BLOCKS \g
    WITH_WORDS \g, CIPHERTEXT
    PUT_WORDS \g, NEXT
    .endr
    TEA_ENCRYPT \both
    .irp g, \groups
    WITH_WORDS \g, MIXED
    PUT_WORDS \g, CIPHERTEXT
    MOVE_WORDS \g, NEXT, MIXED
    WRITE_BLOCKS \g
    .endr
.endm

// m = D(c ^ m_prev), p = m ^ c_prev
.macro QQ_DECRYPT_STEP groups, both
    .irp g, \groups
    READ_BLOCKS \g
    PUT_WORDS \g, NEXT
    WITH_WORDS \g, MIXED
    .endr
    TEA_DECRYPT \both
    .irp g, \groups
    PUT_WORDS \g, MIXED
    WITH_WORDS \g, CIPHERTEXT
    MOVE_WORDS \g, NEXT, CIPHERTEXT
    WRITE_BLOCKS \g
    .endr
.endm

// c = E(p ^ c_prev)
.macro CBC_STEP encrypt, groups, both
    .irp g, \groups
    READ_BLOCKS \g
    WITH_WORDS \g, CIPHERTEXT
    .endr
    \encrypt \both
    .irp g, \groups
    PUT_WORDS \g, CIPHERTEXT
    WRITE_BLOCKS \g
    .endr
.endm

.macro TEA_CBC_STEP groups, both
    CBC_STEP TEA_ENCRYPT, "\groups", \both
.endm

.macro XTEA_CBC_STEP groups, both
    CBC_STEP XTEA_ENCRYPT, "\groups", \both
.endm

// All steps, for one group or for both.
.macro ALL_STEPS step
    test STEPS, STEPS
    jz 9f
    cmp GROUPS, 2
    jae 5f
    .p2align 4
4:
    \step "0"
    dec STEPS
    jnz 4b
    jmp 9f
    .p2align 4
5:
    \step "0,1", both
    dec STEPS
    jnz 5b
9:
.endm

.macro TEA_LANES step
    END_PROLOGUE
    mov START, [rdi + SCHEDULE_CYCLES]
    lea TABLE, [rsi + 4*START]
    shl START, 2
    neg START
    .irp k, 0, 1, 2, 3
    GET_KEY \k
    .endr
    ALL_STEPS \step
    vzeroupper
    ret
.endm

.macro GET_KEY k
    .irp register, 2, 3, 4, 5
    .if \register == \k + 2
    V_GET \register, rdi+KEY+\k*WORDS
    V_GET 1\register, rdi+KEY+\k*WORDS+VECTOR
    .endif
    .endr
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

