#!/usr/bin/env bash
# Measures everything and writes PERFORMANCE.md and benches/pictures. Takes about a quarter of an hour,
# in which nothing else should run. `--no-bench` takes what the benchmarks measured before.
set -euo pipefail
cd "$(dirname "$0")/.."
# Where report/table.py reads what the benchmarks measured.
export CARGO_TARGET_DIR=$PWD/target CRITERION_HOME=$PWD/target/criterion

bash ci/need.sh python3=python3 taskset=util-linux
pinned=(taskset -c "${CPU:-1}")
# 0 where there is one only.
"${pinned[@]}" true 2>/dev/null || pinned=(taskset -c 0)

bench=(cargo bench -p fasttea --features aes -- --warm-up-time 0.2 --measurement-time 0.6)
if [ "${1:-}" != --no-bench ]; then
    rm -rf target/criterion
    "${pinned[@]}" "${bench[@]}"
fi

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cargo build -q --release -p fasttea-cli
"${pinned[@]}" cargo run -q --release -p fasttea-cli -- bench --json >"$folder/bench.json"
bash report/mca.sh >"$folder/estimates" 2>/dev/null
{
    echo "| | |"
    echo "|---|---|"
    echo "| processor |$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2), family$(grep -m1 'cpu family' /proc/cpuinfo | cut -d: -f2), model$(grep -m1 '^model[[:space:]]*:' /proc/cpuinfo | cut -d: -f2), $(nproc) cores |"
    echo "| compiler | $(rustc --version), $("${CC:-cc}" --version | head -n 1) |"
    echo "| command | \`${pinned[*]} ${bench[*]}\` |"
    echo "| version | fasttea $(cargo pkgid -p fasttea | sed 's/.*[#@]//') |"
} >"$folder/machine"
python3 report/report.py "$folder/machine" "$folder/bench.json" "$folder/estimates"
