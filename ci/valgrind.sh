#!/usr/bin/env bash
# The kernels' accesses under valgrind's memcheck, on allocations of the exact size, with every backend
# that valgrind can run: it has no AVX-512. `--partial-loads-ok=no`, or it lets a vector pass that is
# read over an allocation's end.
set -euo pipefail
cd "$(dirname "$0")/.."

bash ci/need.sh valgrind=valgrind

export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER='valgrind -q --error-exitcode=99
    --partial-loads-ok=no --error-limit=no --num-callers=4'
log=${CARGO_TARGET_DIR:-target}/valgrind.log
mkdir -p "$(dirname "$log")"
# under_valgrind FILE NAME [OPTION...]: one test.
under_valgrind() {
    cargo test -q --all-features --test "$1" -- --nocapture --exact "${@:2}"
}
# passes FILE NAME: it is there, too.
passes() {
    under_valgrind "$@" | tee "$log"
    if ! grep -q '^test result: ok. 1 passed;' "$log"; then
        echo "there is no test $2"
        return 1
    fi
}

echo '-- the backends'
FASTTEA_EXPECT_FEATURES=ssse3,avx2 passes dispatch list

echo '-- allocations of the exact size'
passes memory allocations

echo '-- a source that is a byte short: it has to be seen in every kernel'
if under_valgrind memory short_allocations --ignored >"$log" 2>&1; then
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
