#!/usr/bin/env bash
# Each fuzz target for so many seconds, two at a time, on a copy of the committed corpus; then each of its
# checks with a fault planted in what it compares, which has to be found from nothing:
# ci/fuzz.sh SECONDS [TARGET...]. What a target fails on is left in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=$1
shift
bash ci/need.sh c++=g++
version=0.13.2
tools=${XDG_CACHE_HOME:-$HOME/.cache}/fasttea/cargo-fuzz-$version
if [ ! -x "$tools/bin/cargo-fuzz" ]; then
    cargo install -q --locked --root "$tools" --version "$version" cargo-fuzz
fi
PATH=$tools/bin:$PATH
# The sanitizer needs flags that only a nightly compiler takes unasked.
cargo=(cargo +nightly)
if ! "${cargo[@]}" --version >/dev/null 2>&1; then
    cargo=(cargo)
    export RUSTC_BOOTSTRAP=1
fi
"${cargo[@]}" --version
export FASTTEA_REQUIRE_ASM=1
# The command line's key, which is not to come from here.
unset FASTTEA_KEY

cargo fmt --manifest-path fuzz/Cargo.toml --check
cargo clippy -q --locked --manifest-path fuzz/Cargo.toml --target-dir fuzz/target -- -D warnings
"${cargo[@]}" fuzz build --target-dir fuzz/target
targets=("$@")
if [ $# = 0 ]; then
    list=$(cargo fuzz list)
    mapfile -t targets <<<"$list"
fi
programs=fuzz/target/$(rustc --version --verbose | sed -n 's/^host: //p')/release
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
export seconds programs folder

fuzz() {
    local target=$1 log=$folder/$1.log
    cp -r "fuzz/corpus/$target" "$folder/$target"
    mkdir -p "fuzz/artifacts/$target"
    if ! "$programs/$target" "$folder/$target" -max_total_time="$seconds" -timeout=20 \
        -artifact_prefix="fuzz/artifacts/$target/" >"$log" 2>&1; then
        cat "$log"
        echo "$target has failed"
        return 1
    fi
    local files runs
    files=$(find "fuzz/corpus/$target" -type f | wc -l)
    runs=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log")
    echo "$target: $files files, $runs runs," "$(sed -n 's/.*DONE *\(cov: [0-9]* ft: [0-9]*\).*/\1/p' "$log")"
    # It has to have gone beyond the corpus.
    test "$files" -gt 0
    test "$runs" -gt "$((2 * files))"
}

planted_in() {
    local target=${1%:*} fault=${1#*:} scratch=$folder/$1
    source ci/planted.sh
    mkdir "$scratch"
    caught "panicked at fuzz_targets/$target.rs" env "FASTTEA_FUZZ_PLANT=$fault" "$programs/$target" \
        -max_total_time=60 -seed=1 -len_control=0 -artifact_prefix="$scratch/" | sed "s/^/$target $fault:/"
}
export -f fuzz planted_in

echo "-- $seconds seconds each"
printf '%s\n' "${targets[@]}" | xargs -P 2 -I '{}' bash -euo pipefail -c 'fuzz {}'
echo '-- planted faults'
for target in "${targets[@]}"; do
    grep -ohP '(planted|plant|to_vec)\("\K[a-z_]+' "fuzz/fuzz_targets/$target.rs" | sort -u | sed "s/^/$target:/"
done | xargs -P 2 -I '{}' bash -euo pipefail -c 'planted_in {}'
