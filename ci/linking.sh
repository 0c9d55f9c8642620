#!/usr/bin/env bash
# What the linker sees: the programs of ci/linking, linked in every way that users link, have to give
# known answers by assembly. Each check runs again on a copy of the project with a planted defect, and
# has to catch it.
set -euo pipefail
cd "$(dirname "$0")/.."

export FASTTEA_REQUIRE_ASM=1
export CARGO_TARGET_DIR=$PWD/target/linking
# Named, so that RUSTFLAGS are the program's alone and not the build scripts'.
CARGO_BUILD_TARGET=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_BUILD_TARGET
out=$CARGO_TARGET_DIR/$CARGO_BUILD_TARGET/release
arch=${CARGO_BUILD_TARGET%%-*}
cc=${CC:-cc}
scratch=$CARGO_TARGET_DIR/planted
mkdir -p "$out" "$scratch"
. ci/planted.sh

# on ROOT SUBCOMMAND …: cargo on that tree's programs, with the project's own Cargo.lock.
on() {
    local root=$1 subcommand=$2
    shift 2
    cp Cargo.lock "$root/ci/linking/Cargo.lock"
    cargo "$subcommand" -q --release --manifest-path "$root/ci/linking/Cargo.toml" "$@"
}

swap_blocks_kernels() {
    sed -i -E '/FUNCTION SYMBOL/ {
        s/_encrypt_blocks_/_swapped_blocks_/
        s/_decrypt_blocks_/_encrypt_blocks_/
        s/_swapped_blocks_/_decrypt_blocks_/
    }' "$1"/asm/*/blocks_*.S
}

# kernels FILE PREFIX: the names of the kernels in it.
kernels() { nm "$1" | sed -n "s/.* $2_//p" | sort; }

# ------------------------------------------------------------------------------------------------
echo '-- one program'

program() { on "$1" run -p program; }

program .
swapped=$(planted swapped)
swap_blocks_kernels "$swapped"
caught 'left == right' program "$swapped"
RUSTFLAGS='--cfg fasttea_backend="portable"' caught 'no assembly' program .

# changed MODE OPTION…: the program as `on . build OPTION…` makes it is another one, and right.
changed() {
    local mode=$1 file=$CARGO_TARGET_DIR/program-$1
    shift
    on . build -p program "$@"
    cp "$out/program" "$file"
    if cmp -s "$file" "$CARGO_TARGET_DIR/program-plain"; then
        echo "$mode changed nothing"
        return 1
    fi
    echo "-- $mode"
    "$file"
}

on . build -p program
cp "$out/program" "$CARGO_TARGET_DIR/program-plain"
caught 'changed nothing' changed nothing
changed lto-fat --config 'profile.release.lto="fat"'
changed lto-thin --config 'profile.release.lto="thin"'

# ends STATUS FILE: how the program ends when it panics.
ends() {
    local status=0
    (ulimit -c 0; "$2" panic; exit $?) 2>/dev/null || status=$?
    test "$status" = "$1" || { echo "a panic ends $2 with $status"; return 1; }
}
changed panic-abort --config 'profile.release.panic="abort"'
ends 134 "$CARGO_TARGET_DIR/program-panic-abort"
caught 'with 101' ends 134 "$CARGO_TARGET_DIR/program-plain"

fixed_address() { readelf -hW "$1" | grep -E '^ *Type: *EXEC' || { echo 'not at a fixed address'; return 1; }; }
RUSTFLAGS='-C relocation-model=static' changed static
fixed_address "$CARGO_TARGET_DIR/program-static"
caught 'not at a fixed' fixed_address "$CARGO_TARGET_DIR/program-plain"

# ------------------------------------------------------------------------------------------------
echo '-- two versions in one program'

# another_version ROOT: a copy beside it, as the programs want it: with swapped kernels.
another_version() {
    local other=$1/target/linking/other
    copy "$1" "$other"
    sed -i -e '0,/^version = .*/s//version = "9.9.9"/' -e 's/^links = .*/links = "fasttea_9_9_9"/' "$other/Cargo.toml"
    swap_blocks_kernels "$other"
    echo "$other"
}

twice() {
    local manifest=$1/ci/linking/twice/Cargo.toml ours
    cp Cargo.lock "$1/ci/linking/twice/Cargo.lock"
    cargo run -q --release --manifest-path "$manifest"
    ours=$(sed -n 's/^links = "\(.*\)"/\1/p' "$1/Cargo.toml")
    diff <(kernels "$out/twice" "$ours") <(kernels "$out/twice" fasttea_9_9_9)
    diff <(kernels "$out/twice" "$ours") <(sed -n 's/^FUNCTION SYMBOL(\(.*\))/\1/p' "$1/asm/$arch"/*.S | sort)
    echo "$(kernels "$out/twice" fasttea_9_9_9 | wc -l) kernels of each"
}

another_version . >/dev/null
twice .

links=$(grep '^links = ' Cargo.toml)
same=$(planted same-links)
other=$(another_version "$same")
sed -i "s/^links = .*/$links/" "$other/Cargo.toml"
caught 'links to the native library' twice "$same"

same=$(planted same-symbols)
other=$(another_version "$same")
version=$(sed -n 's/^links = "fasttea_\(.*\)"/\1/p' Cargo.toml)
sed -i "s/let prefix = prefix();/let prefix = prefix().replace(\"9_9_9\", \"$version\");/" "$other/build.rs"
caught "version's kernels do not run" twice "$same"

# ------------------------------------------------------------------------------------------------
echo '-- a static library in a C program'

# linked ROOT OUTPUT LIBRARY OPTION…: the C program, made without a word from compiler or linker.
linked() {
    local root=$1 output=$2 messages=$CARGO_TARGET_DIR/linked.log
    shift 2
    "$cc" -O2 -Wall -Wextra -o "$output" "$root/ci/linking/answers/main.c" "$@" >"$messages" 2>&1 || true
    if [ -s "$messages" ] || [ ! -x "$output" ]; then
        cat "$messages"
        return 1
    fi
}

# Prints the system's libraries that it needs.
static_library() {
    local log=$CARGO_TARGET_DIR/static-library.log
    on "$1" rustc -p answers --lib --crate-type staticlib -- --print native-static-libs 2>"$log" ||
        { cat "$log" >&2; return 1; }
    sed -n 's/.*native-static-libs: //p' "$log" | grep .
}

c_program() {
    local libraries
    libraries=$(static_library "$1")
    rm -f "$out/c-static"
    # shellcheck disable=SC2086  # they are words
    linked "$1" "$out/c-static" "$out/libanswers.a" $libraries -Wl,--fatal-warnings -Wl,-z,text
    "$out/c-static"
}

quiet_stack() { readelf -lW "$1" | grep -E 'GNU_STACK .* RW +0' || { echo 'an executable stack'; return 1; }; }

# The kernels as the static library has them, linked with an object that has what is asked of all:
# one object without the note would cost the whole file its control-flow protection.
protection() {
    local folder=$out/kernels sources=("$1/asm/$arch"/*.S) flag
    case $arch in
        x86_64) flag=-fcf-protection=full ;;
        aarch64) flag=-mbranch-protection=standard ;;
    esac
    static_library "$1" >/dev/null
    rm -rf "$folder"
    mkdir "$folder"
    (
        cd "$folder"
        ar t ../libanswers.a | grep -E '(blocks|chain|lanes)_[a-z0-9]+\.o$' | xargs ar x ../libanswers.a
        objects=(./*.o)
        test ${#objects[@]} = ${#sources[@]}
        echo 'int other(void) { return 1; }' | "$cc" "$flag" -fPIC -x c -c -o other.o -
        "$cc" -shared -nostdlib -Wl,--fatal-warnings -Wl,-z,text -o kernels.so ./*.o
        readelf -nW kernels.so | grep -oE 'IBT, SHSTK|BTI' || { echo 'no control-flow protection'; exit 1; }
        if nm -D --defined-only kernels.so | grep fasttea; then echo 'kernels are exported'; exit 1; fi
    )
}

c_program .
quiet_stack "$out/c-static"
protection .

caught 'wrong answer' c_program "$swapped"

no_note=$(planted no-stack-note)
sed -i '/^\.section \.note\.GNU-stack/d' "$no_note/asm/common.h"
caught 'GNU-stack' c_program "$no_note"
# shellcheck disable=SC2046
"$cc" -o "$out/c-static" ci/linking/answers/main.c "$out/libanswers.a" $(static_library "$no_note") 2>/dev/null
caught 'an executable stack' quiet_stack "$out/c-static"

no_property=$(planted no-property-note)
sed -i '/^\.section \.note\.gnu\.property/,/^    \.long 0$/d' "$no_property/asm/common.h"
caught 'no control-flow protection' protection "$no_property"

not_hidden=$(planted not-hidden)
sed -i '/^    \.hidden /d' "$not_hidden/asm/common.h"
caught 'kernels are exported' protection "$not_hidden"

# ------------------------------------------------------------------------------------------------
echo '-- dynamic libraries'

# For C.
c_dynamic() {
    on "$1" rustc -p answers --lib --crate-type cdylib
    rm -f "$out/c-dynamic"
    linked "$1" "$out/c-dynamic" "$out/libanswers.so" -Wl,--fatal-warnings
    "$out/c-dynamic"
    quiet_stack "$out/libanswers.so"
}

# For Rust: the generic code is compiled in the program, where no kernel can be named.
rust_dynamic() {
    on "$1" run -p program-dylib
    readelf -dW "$out/program-dylib" | grep -o 'NEEDED.*libanswers_dylib.*'
}

c_dynamic .
caught 'wrong answer' c_dynamic "$swapped"
rust_dynamic .
caught 'left == right' rust_dynamic "$swapped"

# Tables that are constants are copied into the code that names them.
constants=$(planted constants)
sed -i -E 's/^(pub\(super\) )?static ([A-Z0-9]+: (Kernels|\[&Kernels))/\1const \2/' "$constants/src/backend/$arch.rs"
program "$constants"
caught '(hidden|undefined) symbol.* .?fasttea_' rust_dynamic "$constants"

echo 'all links are right'
