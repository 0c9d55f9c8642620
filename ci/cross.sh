# Sourced by the scripts that test other targets: how to get a target ready, and what to run for it.
#
# Rust's standard library for a target comes from rustup. Where rustup has none, or FASTTEA_DEBIAN_RUST
# is set, Debian's Rust takes over: see ci/debian-rust.sh.
# shellcheck shell=bash source-path=SCRIPTDIR/..

set -euo pipefail
. ci/debian-rust.sh

# target NAME: the one that everything below is for.
target() {
    target=$1
    SECONDS=0
    echo "-- $target"
    unset RUSTC RUSTDOC
    if [ -n "${FASTTEA_DEBIAN_RUST:-}" ] || ! rustup target add "$target" 2>/dev/null; then
        debian_rust "$target"
    fi
    # Half of the crates that the tests want are for the benchmarks.
    setting RUSTFLAGS '--cfg fasttea_no_benches'
}

# setting NAME VALUE: for cargo, and for this target alone.
setting() {
    local name=CARGO_TARGET_${target}_$1
    name=${name^^}
    export "${name//-/_}=$2"
}
linker() { setting LINKER "$1"; }
runner() {
    runner=$1
    setting RUNNER "$1"
}

# build ARGUMENT...
build() { cargo build -q --locked --target "$target" --target-dir target/cross "$@"; }

tests() {
    FASTTEA_EXPECT_FEATURES=$1 cargo test -q --locked --target "$target" --target-dir target/cross \
        -p fasttea --all-features "${@:2}"
}

# library_tests FEATURES [ARGUMENT...]: the library's tests, which have to find exactly the backends that
# these features of the processor make possible: "none", or "portable" where the target has no kernels.
library_tests() {
    tests "$@"
    # The control: a wrong list is refused.
    local wrong=none
    case $1 in
    portable) return ;;
    none) wrong=ssse3,sha3 ;;
    esac
    if tests "$wrong" --test dispatch >target/cross/wrong-list.log 2>&1; then
        echo 'a wrong list of features went through'
        exit 1
    fi
    grep -q 'not the backends that there have to be' target/cross/wrong-list.log
}

# program_tests NAME...: tests of the command. They are this machine's and start the target's program:
# the tests start others from several threads, where qemu can hang.
program_tests() {
    local log=target/cross/program-tests.log suffix=
    case $target in *-windows-*) suffix=.exe ;; esac
    build -p fasttea-cli
    FASTTEA_PROGRAM=${runner// /$'\n'}$'\n'$PWD/target/cross/$target/debug/fasttea$suffix \
        cargo test -q --locked --all-features -p fasttea-cli --test cli -- --exact "$@" | tee $log
    # A name that no test has goes through.
    if ! grep -q "^test result: ok. $# passed;" $log; then
        echo "not all of these were run: $*"
        return 1
    fi
}

# finished WHAT: the line that tells what was run.
finished() { echo "$target: $1; $SECONDS s"; }
