// A C program that links the crate: one known answer by itself, the others by answers_all.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void answers_tea_encrypt(const uint8_t key[16], uint8_t block[8]);
void answers_all(void);

int main(void) {
    static const uint8_t key[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                    0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    static const uint8_t answer[8] = {0x12, 0x6c, 0x6b, 0x92, 0xc0, 0x65, 0x3a, 0x3e};
    uint8_t block[8] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};

    answers_tea_encrypt(key, block);
    if (memcmp(block, answer, sizeof block) != 0) {
        fputs("C: wrong answer\n", stderr);
        return 1;
    }
    answers_all();
    puts("C: right answers");
    return 0;
}
