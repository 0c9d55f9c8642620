#!/usr/bin/env bash
# Estimates the speed of kernels that cannot be measured here, as a Markdown table:
#
#     bash report/mca.sh [--all] [--cpus neoverse-v1,...] [FILE...]
#
# of objects or of sources, by default all of asm. report/mca.py tells what the columns mean.
set -euo pipefail
cd "$(dirname "$0")/.."

bash ci/need.sh clang-22=clang-22 llvm-mca-22=llvm-22

options=() files=()
while [ $# -gt 0 ]; do
    case $1 in
        --all) options+=("$1") ;;
        --cpus) options+=("$1" "$2") && shift ;;
        *) files+=("$1") ;;
    esac
    shift
done
[ ${#files[@]} -gt 0 ] || files=(asm/*/*.S)

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
objects=()
for file in "${files[@]}"; do
    if [[ $file == *.S ]]; then
        arch=$(basename "$(dirname "$file")")
        object=$folder/$arch-$(basename "$file" .S).o
        clang-22 --target="$arch-linux-gnu" -DFASTTEA_PREFIX=fasttea -c "$file" -o "$object"
        file=$object
    fi
    objects+=("$file")
done
python3 report/mca.py "${options[@]}" "${objects[@]}"
