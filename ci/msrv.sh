#!/usr/bin/env bash
# Checks the library and the command with Rust 1.85, the version that Cargo.toml promises.
#
# Where rustup has or gets that toolchain, it is used; else Debian 12's package of it, unpacked into a
# folder of its own and driven by the present cargo.
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_TARGET_DIR=target/msrv
check() {
    "$@" check -p fasttea --lib --all-features --locked
    "$@" check -p fasttea-cli --bins --locked
}

if rustup run 1.85.0 rustc --version 2>/dev/null || rustup toolchain install 1.85.0 --profile minimal 2>/dev/null; then
    check rustup run 1.85.0 cargo
    exit
fi

folder=${XDG_CACHE_HOME:-$HOME/.cache}/fasttea/rust-1.85
version=1.85.0+dfsg3-1~deb12u3
if [ ! -e "$folder/complete" ]; then
    echo "no Rust 1.85 from rustup: taking Debian's"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libllvm19 >/dev/null
    rm -rf "$folder"
    mkdir -p "$folder/packages"
    (
        cd "$folder/packages"
        apt-get download -qq -o APT::Sandbox::User=root \
            "rustc-web=$version" "libstd-rust-web-1.85=$version" "libstd-rust-web-dev=$version"
        for package in *.deb; do
            dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder" --exclude './usr/share/*'
        done
    )
    rm -r "$folder/packages"
    touch "$folder/complete"
fi

for tool in rustc rustdoc; do
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s/usr/lib/%s-linux-gnu exec %s/usr/bin/%s "$@"\n' \
        "$folder" "$(uname -m)" "$folder" "$tool" >"$folder/$tool"
    chmod +x "$folder/$tool"
done
"$folder/rustc" --version
RUSTC=$folder/rustc RUSTDOC=$folder/rustdoc check cargo
