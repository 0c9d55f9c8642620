#!/usr/bin/env bash
# Runs a static x86_64 Linux program on an emulated processor with AVX-512, whatever this machine's own:
# cargo's runner for the musl target. Bochs boots Debian's kernel with the program as all that there is.
# Some 30 seconds to boot, then about a fiftieth of the machine's speed. Needs root.
#
# The program gets the FASTTEA_ and PROPTEST_ variables of its caller. Its output is the caller's, with
# standard error in it.
set -euo pipefail

processor=corei7_skylake_x
kernel=${XDG_CACHE_HOME:-$HOME/.cache}/fasttea/vmlinuz

bash "$(dirname "$0")/need.sh" bochs=bochs /usr/share/bochs/BIOS-bochs-latest=bochsbios \
    /usr/share/vgabios/vgabios.bin=vgabios genisoimage=genisoimage cpio=cpio /bin/busybox=busybox-static \
    /usr/lib/ISOLINUX/isolinux.bin=isolinux /usr/lib/syslinux/modules/bios/ldlinux.c32=syslinux-common

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

if [ ! -e "$kernel" ]; then
    (
        cd "$work"
        package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image/ { print $2; exit }')
        apt-get download -qq -o APT::Sandbox::User=root "$package"
        dpkg-deb --fsys-tarfile linux-image-*.deb | tar -x --wildcards './boot/vmlinuz-*'
    )
    mkdir -p "$(dirname "$kernel")"
    mv "$work"/boot/vmlinuz-* "$kernel"
fi

# The memory disk: the program, and a shell that starts it and tells its exit code.
mkdir -p "$work"/{disk/{dev,proc,tmp},cd}
mknod "$work/disk/dev/console" c 5 1
mknod "$work/disk/dev/null" c 1 3
cp /bin/busybox "$work/disk/busybox"
strip -o "$work/disk/program" "$1"
{
    echo '#!/busybox sh'
    echo '/busybox mount -t proc proc /proc'
    declare -px | grep -E '^declare -x (FASTTEA|PROPTEST)_[A-Z_]*=' | sed 's/^declare -x/export/' || true
    printf '/program'
    printf ' %q' "${@:2}"
    printf '\necho "exit code $?"\n/busybox sleep 100000\n'
} >"$work/disk/init"
chmod +x "$work/disk/init"
(cd "$work/disk" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/cd/disk"

cp "$kernel" "$work/cd/kernel"
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$work/cd"
# Without the two cleared features, XSAVEC and XSAVES, whose sizes Bochs and Linux see differently: Linux
# would do without AVX.
cat >"$work/cd/isolinux.cfg" <<'C'
DEFAULT linux
LABEL linux
KERNEL kernel
INITRD disk
APPEND console=ttyS0 quiet loglevel=1 mitigations=off nopku clearcpuid=321,323 random.trust_cpu=on tsc=reliable lpj=1000000
C
genisoimage -quiet -o "$work/cd.iso" -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 \
    -boot-info-table "$work/cd"

cat >"$work/bochsrc" <<C
plugin_ctrl: unmapped=1, biosdev=1, extfpuirq=1, serial=1
display_library: rfb, options="timeout=0"
megs: 512
cpu: model=$processor, ips=50000000, ignore_bad_msrs=1
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
ata0-master: type=cdrom, path=$work/cd.iso, status=inserted
boot: cdrom
log: $work/log
panic: action=fatal
error: action=report
com1: enabled=1, mode=file, dev=$work/output
clock: sync=none
C
# Debian's Bochs stops in its debugger first.
echo continue >"$work/start"
touch "$work/output"
bochs -q -f "$work/bochsrc" -rc "$work/start" </dev/null >"$work/bochs" 2>&1 &
emulator=$!
trap 'kill $emulator 2>/dev/null; rm -r "$work"' EXIT

code=
for ((second = 0; second < 1200; second++)); do
    code=$(tr -d '\r' <"$work/output" | sed -n 's/^exit code \([0-9]*\)$/\1/p')
    [ -z "$code" ] || break
    kill -0 $emulator 2>/dev/null || break
    sleep 1
done
tr -d '\r' <"$work/output" | grep -v '^exit code ' || true
if [ -z "$code" ]; then
    echo "the program did not end in $second seconds"
    tail "$work/log"
    exit 1
fi
exit "$code"
