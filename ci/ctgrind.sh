#!/usr/bin/env bash
# Constant time, shown by valgrind: keys, texts and random numbers are marked as undefined, and memcheck
# reports each branch and each address that depends on what is undefined (the method of ctgrind).
#
# Declassified are a QQ message's pad and its verdict, where the library calls `declassified`, and nothing
# else. Valgrind has no AVX-512; that no kernel, of aarch64 either, does so is proved in proof/.
set -euo pipefail
cd "$(dirname "$0")/.."

bash ci/need.sh valgrind=valgrind

export CARGO_TARGET_DIR=target/ctgrind FASTTEA_REQUIRE_ASM=1
export RUSTFLAGS='--cfg fasttea_ctgrind --cfg getrandom_backend="custom"'
cargo clippy -q --release --locked --manifest-path ci/ctgrind/Cargo.toml -- -D warnings
cargo build -q --release --locked --manifest-path ci/ctgrind/Cargo.toml

# memcheck CONTROL...: its status is 99 if memcheck has anything to report.
log=target/ctgrind/log
memcheck() {
    valgrind -q --num-callers=8 --error-exitcode=99 --leak-check=no --log-file=$log \
        target/ctgrind/release/fasttea-ctgrind "$@"
}

# control NAME STATUS FILE PATTERN...: each pattern has to be found.
control() {
    local control=$1 status=0 pattern
    memcheck "$control" 2>target/ctgrind/stderr || status=$?
    if [ $status != "$2" ]; then
        echo "the control $control: status $status instead of $2"
        exit 1
    fi
    for pattern in "${@:4}"; do
        if ! grep -q "$pattern" "target/ctgrind/$3"; then
            echo "the control $control: $pattern was not reported"
            exit 1
        fi
    done
    echo "caught: $control"
}
control branch 99 log 'Conditional jump' fasttea_control_branch
control address 99 log 'Use of uninitialised value' fasttea_control_address
# Nothing is declassified: reading a message has to be reported at both places.
control kept 99 log 'text_range (message.rs' 'check (message.rs'
# What was made of secrets has to be undefined.
control defined 101 stderr 'made of secrets, but defined'

backends=$(memcheck) || {
    cat $log
    exit 1
}
has() { grep -m1 '^flags' /proc/cpuinfo | grep -qw "$1" && echo "$1"; }
echo "no branch and no address depends on a secret: $backends"
test "$backends" = "$(echo portable scalar $(has ssse3) $(has avx2))"
