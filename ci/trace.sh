#!/usr/bin/env bash
# Constant time, shown by traces: whatever the secrets, the same instructions are executed in the same
# order, and touch the same addresses. That goes for every function of a program that uses everything of
# the library, the C library's included; every kernel has to be among them, except AVX-512's, which qemu
# lacks.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/cross.sh

export FASTTEA_REQUIRE_ASM=1
folder=target/trace
mkdir -p $folder
bash ci/need.sh qemu-x86_64=qemu-user
"${CC:-cc}" -O2 -Wall -Wextra -Werror -fPIC -shared -o $folder/plugin.so ci/trace.c

# trace SECRETS [CONTROL]: prints each function's trace.
trace() {
    $emulator -plugin $folder/plugin.so,from=trace_begin -d plugin -D $folder/unsorted "$program" "$@" >$folder/backends
    sort $folder/unsorted
}

# kernels_in FILE: whether every kernel was executed and read memory.
kernels_in() {
    nm "$program" | awk '$3 ~ /^fasttea_[0-9]/ && $3 !~ /_avx512$/ { print $3 }' | sort >$folder/kernels
    awk '/^fasttea_[0-9]/ && $2 > 0 && $3 > 0 { print $1 }' "$1" | sort >$folder/executed
    test -s $folder/kernels && diff $folder/kernels $folder/executed >$folder/difference
}

# equal_traces BACKENDS: of the target's program in the emulator.
equal_traces() {
    RUSTFLAGS='--cfg getrandom_backend="custom"' \
        cargo build -q --locked --release --target $target --target-dir $folder \
        --manifest-path ci/ctgrind/Cargo.toml --bin trace
    program=$folder/$target/release/trace

    # Controls. The secrets of the first one have all bits 0, those of the second all bits 1.
    for control in branch address; do
        trace 00000 $control >$folder/one
        trace fffff $control >$folder/other
        if diff $folder/one $folder/other >$folder/difference ||
            ! grep -q "^> fasttea_control_$control " $folder/difference; then
            echo "the control $control was not caught"
            exit 1
        fi
    done
    if ! diff <(cut -d ' ' -f 1-4 $folder/one) <(cut -d ' ' -f 1-4 $folder/other) >&2; then
        echo 'the control of addresses has branches'
        exit 1
    fi
    if kernels_in $folder/one; then
        echo 'a trace without kernels has all kernels'
        exit 1
    fi
    echo 'caught: branch, address, missing kernels'

    trace 00000 >$folder/one
    test "$(<$folder/backends)" = "$1"
    kernels_in $folder/one || {
        cat $folder/difference
        exit 1
    }
    for secrets in fffff 12345 99999; do
        trace $secrets >$folder/other
        if ! diff $folder/one $folder/other; then
            echo 'these functions depend on secrets'
            exit 1
        fi
    done
    echo "equal traces: $1; $(wc -l <$folder/one) functions, of which $(wc -l <$folder/executed) are kernels," \
        "$(awk '{ n += $2 } END { print n }' $folder/one) instructions"
}

target=x86_64-unknown-linux-gnu
emulator='qemu-x86_64 -cpu max'
equal_traces 'portable scalar ssse3 avx2' 2> >(grep -v '^qemu-x86_64: warning' >&2)

target aarch64-unknown-linux-gnu
bash ci/need.sh aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu /usr/aarch64-linux-gnu/lib/libc.so=libc6-dev-arm64-cross
linker aarch64-linux-gnu-gcc
emulator='qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu max'
equal_traces 'portable scalar neon sha3'
