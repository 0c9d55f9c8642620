// Lanes kernels: many messages at once, each in its own 32-bit lane with its own key, pointers and
// chaining state. A step takes one block of every lane. One message is serial; many are not.
//
// void {qq_encrypt,qq_decrypt,tea_cbc_encrypt,xtea_cbc_encrypt}_lanes_<isa>(
//     Lanes *, usize steps, usize groups);
//
// The lanes stand in groups of a vector's width, which are interleaved; the first `groups` of them run.
// A lane without a message points to a cell of its own and does not advance: no masks, no fault at a
// page's end. Blocks are read and written by 8 bytes and transposed in registers. Gathering and scattering
// instructions are not used: on many processors they are slower than this by far.
//
// No branch and no address depends on key or data. 0 steps do nothing.
//
// Registers are given by number. In a group g the first words are in register \g, the second ones in
// SECOND\g, which puts another digit before it. An address is an offset from the lanes. The
// architecture's lanes.h defines SECOND, LANES and VECTOR (the bytes of a vector), T1 and T2 for
// temporaries, T4 for the byte order, TEA_ENCRYPT, TEA_DECRYPT and XTEA_ENCRYPT for some groups, and
//
//     V_GET, V_PUT  d, place              a vector from and to memory
//     V_WITH        d, place              d ^= a vector in memory
//     V_ORDER                             T4 = the byte order, for V_SPLIT and V_JOIN
//     V_GATHER      g                     one block of each lane of a group
//     V_SCATTER     g                     and back
//     V_SPLIT       g                     from blocks in memory order to words
//     V_JOIN        g                     and back
//     V_ADVANCE     by, from, to          adds the numbers at `by` to the pointers of a group

// #[repr(C)] Lanes, which begins as a schedule does. src/backend/lanes.rs asserts the same numbers.
#define WORDS      (4*LANES)            // a word of every lane
#define LANES_SUMS 24                   // a pointer
#define CIPHERTEXT 64                   // first words, second words
#define MIXED      (CIPHERTEXT+2*WORDS)
#define NEXT       (MIXED+2*WORDS)
#define SOURCE     (NEXT+2*WORDS)       // pointers
#define TARGET     (SOURCE+2*WORDS)
#define ADVANCE    (TARGET+2*WORDS)
#define KEY        (ADVANCE+2*WORDS)

// The words of a group at a place in the lanes.
.macro GET_WORDS g, place
    V_GET \g, \place+\g*VECTOR
    V_GET SECOND\g, \place+WORDS+\g*VECTOR
.endm

.macro PUT_WORDS g, place
    V_PUT \g, \place+\g*VECTOR
    V_PUT SECOND\g, \place+WORDS+\g*VECTOR
.endm

.macro WITH_WORDS g, place
    V_WITH \g, \place+\g*VECTOR
    V_WITH SECOND\g, \place+WORDS+\g*VECTOR
.endm

.macro MOVE_WORDS g, from, to
    V_GET T1, \from+\g*VECTOR
    V_GET T2, \from+WORDS+\g*VECTOR
    V_PUT T1, \to+\g*VECTOR
    V_PUT T2, \to+WORDS+\g*VECTOR
.endm

.macro READ_BLOCKS g
    V_GATHER \g
    V_SPLIT \g
.endm

.macro WRITE_BLOCKS g
    V_JOIN \g
    V_SCATTER \g
    V_ADVANCE ADVANCE+2*\g*VECTOR, SOURCE+2*\g*VECTOR, TARGET+2*\g*VECTOR
.endm

// m = p ^ c_prev, c = E(m) ^ m_prev
.macro QQ_ENCRYPT_STEP groups
    V_ORDER
    .irp g, \groups
    READ_BLOCKS \g
    WITH_WORDS \g, CIPHERTEXT
    PUT_WORDS \g, NEXT
    .endr
    TEA_ENCRYPT "\groups"
    V_ORDER
    .irp g, \groups
    WITH_WORDS \g, MIXED
    PUT_WORDS \g, CIPHERTEXT
    MOVE_WORDS \g, NEXT, MIXED
    WRITE_BLOCKS \g
    .endr
.endm

// m = D(c ^ m_prev), p = m ^ c_prev
.macro QQ_DECRYPT_STEP groups
    V_ORDER
    .irp g, \groups
    READ_BLOCKS \g
    PUT_WORDS \g, NEXT
    WITH_WORDS \g, MIXED
    .endr
    TEA_DECRYPT "\groups"
    V_ORDER
    .irp g, \groups
    PUT_WORDS \g, MIXED
    WITH_WORDS \g, CIPHERTEXT
    MOVE_WORDS \g, NEXT, CIPHERTEXT
    WRITE_BLOCKS \g
    .endr
.endm

// c = E(p ^ c_prev)
.macro CBC_STEP encrypt, groups
    V_ORDER
    .irp g, \groups
    READ_BLOCKS \g
    WITH_WORDS \g, CIPHERTEXT
    .endr
    \encrypt "\groups"
    V_ORDER
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
