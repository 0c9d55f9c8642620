/* Valgrind's requests, which its header has as macros. */
#include <stddef.h>
#include <stdint.h>
#include <valgrind/memcheck.h>

void memcheck_secret(void *bytes, size_t n) { VALGRIND_MAKE_MEM_UNDEFINED(bytes, n); }

void memcheck_public(void *bytes, size_t n) { VALGRIND_MAKE_MEM_DEFINED(bytes, n); }

/* Whether every byte has a bit that is undefined; not so outside of valgrind. */
int memcheck_is_secret(const uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint8_t undefined = 0;
        if (VALGRIND_GET_VBITS(bytes + i, &undefined, 1) != 1 || undefined == 0)
            return 0;
    }
    return 1;
}
