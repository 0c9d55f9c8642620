#!/usr/bin/env bash
# Dispatch on older x86_64 processors, emulated: the right backends are there, the fastest one runs,
# and the answers are right.
set -euo pipefail
cd "$(dirname "$0")/.."

bash ci/need.sh qemu-x86_64=qemu-user

# The linker's search for a runner wants the target named.
target=x86_64-unknown-linux-gnu
for case in qemu64:portable,scalar Nehalem:portable,scalar,ssse3 Haswell:portable,scalar,ssse3,avx2; do
    cpu=${case%%:*}
    echo "-- $cpu"
    # qemu tells on standard error what of a model it lacks.
    FASTTEA_EXPECT_BACKENDS=${case#*:} \
        CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="qemu-x86_64 -cpu $cpu" \
        cargo test -q --target $target --target-dir target/qemu --all-features -p fasttea \
        --test dispatch --test vectors --test bad_inputs 2> >(grep -v '^qemu-x86_64: warning' >&2)
done
