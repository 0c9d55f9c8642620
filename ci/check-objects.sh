#!/usr/bin/env bash
# Assembles the kernels of every architecture for every object format, checks what the objects hold, and
# that the checks find planted faults. ci/objects.py has the checks.
set -euo pipefail
cd "$(dirname "$0")/.."

bash ci/need.sh x86_64-linux-gnu-gcc=gcc aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu \
    x86_64-w64-mingw32-as=binutils-mingw-w64-x86-64 clang-14=clang-14 clang-22=clang-22 llvm-objdump-22=llvm-22

python3 ci/objects.py
