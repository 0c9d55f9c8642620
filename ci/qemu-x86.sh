#!/usr/bin/env bash
# Dispatch on older x86_64 processors, emulated: the right backends are there, the fastest one runs,
# and the answers are right. A wrong list of backends has to be refused.
set -euo pipefail
cd "$(dirname "$0")/.."

bash ci/need.sh qemu-x86_64=qemu-user

# The linker's search for a runner wants the target named.
target=x86_64-unknown-linux-gnu

# emulated CPU BACKENDS ARGUMENT...: tests on that processor, which have to find exactly these backends.
emulated() {
    # qemu tells on standard error what of a model it lacks.
    FASTTEA_EXPECT_BACKENDS=$2 CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="qemu-x86_64 -cpu $1" \
        cargo test -q --target $target --target-dir target/qemu --all-features -p fasttea "${@:3}" \
        2> >(grep -v '^qemu-x86_64: warning' >&2)
}

for case in qemu64:portable,scalar Nehalem:portable,scalar,ssse3 Haswell:portable,scalar,ssse3,avx2; do
    cpu=${case%%:*}
    echo "-- $cpu"
    emulated "$cpu" "${case#*:}" --test dispatch --test vectors --test bad_inputs
    if emulated "$cpu" "${case#*:},mmx" --test dispatch >target/qemu/wrong-list.log 2>&1; then
        echo 'a wrong list of backends went through'
        exit 1
    fi
    grep "right: \"${case#*:},mmx\"" target/qemu/wrong-list.log
done
