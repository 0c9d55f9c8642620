#!/usr/bin/env bash
# The kernels' accesses under valgrind's memcheck, on allocations of the exact size, with every backend
# that valgrind can run: it has no AVX-512. `--partial-loads-ok=no`, or it lets a vector pass that is
# read over an allocation's end.
set -euo pipefail
cd "$(dirname "$0")/.."

bash ci/need.sh valgrind=valgrind

export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER='valgrind -q --error-exitcode=99
    --partial-loads-ok=no --error-limit=no --num-callers=4'
under_valgrind() {
    local test=$1
    shift
    cargo test -q --all-features --test "$test" -- --nocapture "$@"
}

echo '-- the backends'
FASTTEA_EXPECT_BACKENDS=portable,scalar,ssse3,avx2 under_valgrind dispatch list

echo '-- allocations of the exact size'
under_valgrind memory --exact allocations

echo '-- a source that is a byte short: it has to be seen in every kernel'
log=${CARGO_TARGET_DIR:-target}/valgrind.log
if under_valgrind memory --ignored --exact short_allocations >"$log" 2>&1; then
    echo 'nothing was seen'
    exit 1
fi
awk '
    /^kernel / { unseen[$2]; kernel = $2; count++ }
    /Invalid read/ { delete unseen[kernel] }
    END {
        for (kernel in unseen) { print kernel ": not seen"; failed = 1 }
        print count + 0 " kernels"
        exit failed || count < 20
    }' "$log"
