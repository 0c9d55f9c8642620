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
for case in max:sha3 max,sve=off:sha3 cortex-a72:none; do
    cpu=${case%%:*}
    echo "-- $cpu"
    runner "qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu $cpu"
    library_tests "${case#*:}"
    # A program takes a tenth of a second to start, so not those tests that start hundreds.
    program_tests backends::backends block_modes::counters files::descriptors messages::readme_message \
        messages::unchecked_tail signals::interrupted
done
finished 'the library and the command under qemu, as max, max,sve=off and cortex-a72'
