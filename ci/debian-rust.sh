# Sourced by ci/cross.sh: Debian's Rust, for targets whose standard library rustup does not give.
#
# Its packages are unpacked into a folder and not installed. The standard library is built from the
# source that Debian packages with the compiler, once for each target.
# shellcheck shell=bash
set -euo pipefail

# debian_rust TARGET: names its compiler to cargo.
debian_rust() {
    local folder=${XDG_CACHE_HOME:-$HOME/.cache}/fasttea/debian-rust
    [ -e "$folder/complete" ] || unpack_debian_rust
    export RUSTC=$folder/rustc RUSTDOC=$folder/rustdoc
    [ -e "$folder/usr/lib/rustlib/$1/complete" ] || build_standard_library "$1"
}

unpack_debian_rust() {
    local version tool
    echo "no standard library from rustup: taking Debian's Rust"
    apt-get update -qq
    version=$(apt-cache show --no-all-versions rustc-web | sed -n 's/^Version: \([0-9]*\.[0-9]*\).*/\1/p')
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "$(apt-cache show --no-all-versions "libstd-rust-web-$version" | grep -om 1 'libllvm[0-9]*')" >/dev/null
    rm -rf "$folder"
    mkdir -p "$folder/packages"
    (
        cd "$folder/packages"
        apt-get download -qq -o APT::Sandbox::User=root \
            rustc-web "libstd-rust-web-$version" libstd-rust-web-dev rust-web-src
        for package in rustc-web_* libstd-*; do
            dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder" --exclude './usr/share/*'
        done
        dpkg-deb --fsys-tarfile rust-web-src_* | tar -x -C "$folder" --wildcards './usr/src/*/library'
    )
    rm -r "$folder/packages"
    mkdir -p "$folder/usr/lib/rustlib/src"
    ln -s "$(echo "$folder"/usr/src/rustc-*)" "$folder/usr/lib/rustlib/src/rust"
    for tool in rustc rustdoc; do
        printf '#!/bin/sh\nLD_LIBRARY_PATH=%s/usr/lib/%s-linux-gnu exec %s/usr/bin/%s "$@"\n' \
            "$folder" "$(uname -m)" "$folder" "$tool" >"$folder/$tool"
        chmod +x "$folder/$tool"
    done
    touch "$folder/complete"
}

build_standard_library() {
    local target=$1 library=$folder/usr/lib/rustlib/$1/lib work crates=std,test,panic_unwind flags=
    local musl=/usr/lib/x86_64-linux-musl gcc
    gcc=$(dirname "$(gcc -print-libgcc-file-name)")
    case $target in
    *-none-*) crates=core,alloc ;;
    wasm32-*) crates=std,panic_abort ;;
    *-musl) flags="-Lnative=$musl -Lnative=$gcc" ;;
    esac

    work=$(mktemp -d)
    mkdir "$work/src"
    echo '#![no_std]' >"$work/src/lib.rs"
    printf '[package]\nname = "nothing"\nedition = "2021"\n[workspace]\n' >"$work/Cargo.toml"
    # The variable lets this compiler take what is unstable; the project itself is built without it.
    (
        cd "$work"
        RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags cargo build -q --release --target "$target" \
            --target-dir out "-Zbuild-std=$crates"
    )
    mkdir -p "$library"
    find "$work/out/$target/release/deps" -name 'lib*.r*' ! -name 'libnothing*' -exec cp -t "$library" {} +

    # What rustup's libraries bring along beside Rust's own.
    case $target in
    *-windows-gnu)
        for object in rsbegin rsend; do
            RUSTC_BOOTSTRAP=1 "$RUSTC" --target "$target" --emit obj -o "$library/$object.o" \
                "$folder/usr/lib/rustlib/src/rust/library/rtstartup/$object.rs"
        done
        ;;
    *-musl)
        mkdir -p "$library/self-contained"
        cp "$musl"/*crt1.o "$musl"/crt[in].o "$musl/libc.a" "$gcc"/crtbegin*.o "$gcc"/crtend*.o \
            "$library/self-contained"
        # gcc's unwinder, with a function of glibc's that it wants to find a program's tables, and with
        # the functions of threads that it only uses where something else has brought them in.
        cp "$gcc/libgcc_eh.a" "$library/self-contained/libunwind.a"
        gcc -O2 -fPIC -c -o "$work/find.o" -x c - <<'C'
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>

void *const wanted[] = {
    pthread_once, pthread_key_create, pthread_getspecific, pthread_setspecific,
    pthread_mutex_lock, pthread_mutex_unlock,
};

/* The first object is the program, and a static one has no other. */
static int first(struct dl_phdr_info *info, size_t size, void *result)
{
    struct dl_find_object *object = result;
    object->dlfo_map_start = (void *)info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        char *begin = (char *)info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD)
            object->dlfo_map_end = begin + header->p_memsz;
        if (header->p_type == PT_GNU_EH_FRAME)
            object->dlfo_eh_frame = begin;
    }
    return 1;
}

int _dl_find_object(void *address, struct dl_find_object *object)
{
    *object = (struct dl_find_object){ 0 };
    dl_iterate_phdr(first, object);
    return object->dlfo_eh_frame ? 0 : -1;
}
C
        ar r "$library/self-contained/libunwind.a" "$work/find.o"
        ;;
    esac
    rm -r "$work"
    touch "$folder/usr/lib/rustlib/$target/complete"
}
