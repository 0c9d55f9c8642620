// The record: where the parts of a state lie. main.rs has the same numbers.

#define BASE 0x2000000
#define SLOT (BASE + 0x1000)
#define HOST (BASE + 0xf00)     // the runner's stack pointer

#if defined(__x86_64__)
#define GENERAL 0               // 16 registers
#define FLAGS   128
#define TAKEN   136             // 0 after a jump
#define LENGTH  144             // of the instruction
#define MASKS   192             // 8
#define VECTORS 256             // 32 of 64 bytes
#define CODE    2816
#define RECORD  2880
#else
#define GENERAL 0               // 31 registers and sp
#define FLAGS   256
#define TAKEN   264
#define LENGTH  272
#define VECTORS 320             // 32 of 16 bytes
#define CODE    1344
#define RECORD  1408
#endif
