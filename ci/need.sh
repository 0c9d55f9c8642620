#!/usr/bin/env bash
# Installs the Debian packages of commands, or files, that are not there: ci/need.sh COMMAND=PACKAGE...
set -euo pipefail

packages=()
for need in "$@"; do
    command -v "${need%%=*}" >/dev/null || [ -e "${need%%=*}" ] || packages+=("${need#*=}")
done
if [ ${#packages[@]} -gt 0 ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
