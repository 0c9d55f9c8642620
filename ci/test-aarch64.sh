#!/usr/bin/env bash
# The library's tests and some of the command's for 64-bit Arm under emulation, compiled once and run on
# processors with and without the instructions that the backends need.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/cross.sh

target aarch64-unknown-linux-gnu
bash ci/need.sh aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu \
    /usr/aarch64-linux-gnu/lib/libc.so=libc6-dev-arm64-cross qemu-aarch64=qemu-user
linker aarch64-linux-gnu-gcc
export FASTTEA_REQUIRE_ASM=1
for case in max:portable,scalar,neon,sha3 max,sve=off:portable,scalar,neon,sha3 cortex-a72:portable,scalar,neon; do
    cpu=${case%%:*}
    echo "-- $cpu"
    runner "qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu $cpu"
    library_tests "${case#*:}"
    # A program takes a tenth of a second to start, so not those tests that start hundreds.
    program_tests backends counters descriptors interrupted readme_message unchecked_tail
done
finished 'the library and the command under qemu, as max, max,sve=off and cortex-a72'
