// Executes one instruction after the other on the processor. A record on the standard input is a state of all
// registers and some memory, and an instruction; the state that it leaves comes out. Needs no C library.
//
// Everything is at addresses that main.rs knows: the record at BASE, the instruction at SLOT, behind which is a
// jump to `back`. An instruction that jumps, jumps 64 bytes on, where a jump to `back_taken` is.

#include "layout.h"

extern void run(void);
extern char back[], back_taken[];

static long system_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall" : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#define READ 0
#define WRITE 1
#define MMAP 9
#define EXIT 60
#else
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#define READ 63
#define WRITE 64
#define MMAP 222
#define EXIT 93
#endif
}

static void leave(int status)
{
    for (;;)
        system_call(EXIT, status, 0, 0, 0, 0, 0);
}

// The whole record, or none at the end of the input.
static int transfer(long call, int file)
{
    long done = 0;
    while (done < RECORD) {
        long n = system_call(call, file, BASE + done, RECORD - done, 0, 0, 0);
        if (n == 0 && done == 0)
            return 0;
        if (n <= 0)
            leave(2);
        done += n;
    }
    return 1;
}

static void put_jump(volatile unsigned char *at, char *to)
{
#if defined(__x86_64__)
    long distance = to - (char *)at - 5;
    at[0] = 0xe9;
    for (int i = 0; i < 4; i++)
        at[1 + i] = distance >> (8 * i);
#else
    *(volatile unsigned *)at = 0x14000000 | ((unsigned long)(to - (char *)at) >> 2 & 0x3ffffff);
    __asm__ volatile("dc cvau, %0\n dsb ish\n ic ivau, %0\n dsb ish\n isb" : : "r"(at) : "memory");
#endif
}

void begin(void)
{
    // Readable, writable, executable; private, fixed, anonymous.
    if (system_call(MMAP, BASE, 0x2000, 7, 0x32, -1, 0) != BASE)
        leave(3);
    volatile unsigned char *slot = (volatile unsigned char *)SLOT, *code = (volatile unsigned char *)(BASE + CODE);
    while (transfer(READ, 0)) {
        long length = *(volatile long *)(BASE + LENGTH);
        for (int i = 0; i < length; i++)
            slot[i] = code[i];
        put_jump(slot + length, back);
        put_jump(slot + 64, back_taken);
#if !defined(__x86_64__)
        __asm__ volatile("dc cvau, %0\n dsb ish\n ic ivau, %0\n dsb ish\n isb" : : "r"(slot) : "memory");
#endif
        run();
        transfer(WRITE, 1);
    }
    leave(0);
}
