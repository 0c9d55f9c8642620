#!/usr/bin/env bash
# Dispatch on older x86_64 processors, emulated: the right backends are there, the fastest one runs,
# and the answers are right. A wrong list of features has to be refused.
set -euo pipefail
cd "$(dirname "$0")/.."

. ci/cross.sh

bash ci/need.sh qemu-x86_64=qemu-user

# The machine's own, which needs no more than to be named.
target=x86_64-unknown-linux-gnu

for case in qemu64:none Nehalem:ssse3 Haswell:ssse3,avx2; do
    cpu=${case%%:*}
    echo "-- $cpu"
    runner "qemu-x86_64 -cpu $cpu"
    # qemu tells on standard error what of a model it lacks.
    library_tests "${case#*:}" --test dispatch --test vectors --test bad_inputs \
        2> >(grep -v '^qemu-x86_64: warning' >&2)
done
