#!/usr/bin/env bash
# Other targets than 64-bit Arm and the machine's own. Tests run big endian under qemu, with 32 bits and
# with musl as they are, for Windows under Wine; bare metal, WebAssembly and macOS are built only.
#
# WebAssembly without a system has no source of random numbers that getrandom could choose. Either the
# feature `rand` stays off, or the program names getrandom in its own manifest with what fits it, as
# `getrandom = { version = "0.4", features = ["wasm_js"] }` in a browser or Node.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/cross.sh

# What the processor's flags say, beside the library's own detection.
native=$(grep -m 1 '^flags' /proc/cpuinfo | tr ' ' '\n' | grep -xE 'ssse3|avx2|avx512(f|bw|vl)' | paste -sd, || true)
native=${native:-none}

export FASTTEA_REQUIRE_ASM=0

target s390x-unknown-linux-gnu
bash ci/need.sh s390x-linux-gnu-gcc=gcc-s390x-linux-gnu \
    /usr/s390x-linux-gnu/lib/libc.so=libc6-dev-s390x-cross qemu-s390x=qemu-user
linker s390x-linux-gnu-gcc
runner 'qemu-s390x -L /usr/s390x-linux-gnu'
library_tests portable
finished 'the library under qemu, big endian'

target i686-unknown-linux-gnu
bash ci/need.sh i686-linux-gnu-gcc=gcc-i686-linux-gnu /usr/i686-linux-gnu/lib/libc.so=libc6-dev-i386-cross
linker i686-linux-gnu-gcc
runner '/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib'
library_tests portable
finished 'the library, 32 bits'

export FASTTEA_REQUIRE_ASM=1

target x86_64-unknown-linux-musl
bash ci/need.sh musl-gcc=musl-tools
library_tests "$native"
finished "the library with $native"

# The same on an emulated processor that has AVX-512, where this one has none. FASTTEA_BOCHS=1: anyway.
if [[ $native != *avx512vl* || -n ${FASTTEA_BOCHS:-} ]]; then
    SECONDS=0
    runner "bash $PWD/ci/bochs.sh"
    FASTTEA_QUICK=1 PROPTEST_CASES=16 \
        library_tests ssse3,avx2,avx512f,avx512bw,avx512vl --test dispatch --test vectors --test differential
    finished 'dispatch, vectors and a short differential test under Bochs, with AVX-512'
fi

target x86_64-pc-windows-gnu
bash ci/need.sh x86_64-w64-mingw32-gcc-posix=gcc-mingw-w64-x86-64-posix /usr/lib/wine/wine64=wine64
linker x86_64-w64-mingw32-gcc-posix
runner "bash $PWD/ci/wine.sh"
library_tests "$native"
# Not Unix's, and not those that start hundreds of programs. Meanwhile another program keeps Wine up:
# else its services start with a test's program, and hold that one's output open.
exec 3> >(exec bash ci/wine.sh cmd >/dev/null 2>&1)
program_tests backends::backends block_modes::counters block_modes::deltas \
    errors::{one_line_whatever_the_argument,usage} files::output_files formats::formats keys::keys \
    messages::{bad_qq_messages,lines,qq_round_trips,readme_message,unchecked_tail}
exec 3>&-
finished "the library and the command under Wine with $native"

target aarch64-apple-darwin
bash ci/need.sh clang-22=clang-22 llvm-ar-22=llvm-22
# Without a folder named, macOS's tools are asked for it.
export CC_aarch64_apple_darwin=clang-22 AR_aarch64_apple_darwin=llvm-ar-22 SDKROOT=/nonexistent
build --lib -p fasttea --all-features
finished 'the library built, with its assembly'

export FASTTEA_REQUIRE_ASM=0

target thumbv7em-none-eabi
build --lib -p fasttea --no-default-features
build --lib -p fasttea --no-default-features --features alloc,asm,block-padding,zeroize
finished 'the library built, without std'

target wasm32-unknown-unknown
build --lib -p fasttea --no-default-features --features std,asm,block-padding,zeroize
build --lib -p fasttea --all-features --features getrandom/wasm_js
finished 'the library built, without and with rand'
