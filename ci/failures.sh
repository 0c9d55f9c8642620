#!/usr/bin/env bash
# The command line where the world fails: no randomness, a full disk, a closed pipe, an unreadable key, and
# an input much larger than the memory it may take. Each failure is one line on standard error with exit
# code 1, and leaves no file behind. What can be tested on any system is in cli/tests.
set -euo pipefail
cd "$(dirname "$0")/.."

bash ci/need.sh gcc=gcc
cargo build -q --release -p fasttea-cli
fasttea=$(realpath "${CARGO_TARGET_DIR:-target}/release/fasttea")
folder=$(mktemp -d)
trap 'mountpoint -q "$folder/disk" && umount "$folder/disk"; rm -r "$folder"' EXIT
export FASTTEA_KEY=30313233343536373839414243444546

# fails WORDS COMMAND...: exit code 1 and one line, with these words.
fails() {
    local words=$1 code=0
    shift
    "$@" >/dev/null 2>"$folder/errors" || code=$?
    if [ "$code" != 1 ] || [ "$(wc -l <"$folder/errors")" != 1 ] || ! grep -qF "$words" "$folder/errors"; then
        echo "exit code $code instead of 1, or not one line with \"$words\": $*"
        cat "$folder/errors"
        return 1
    fi
}
# The control: what goes well, and a failure of another kind, do not pass for it.
control() {
    if fails "$@" >/dev/null; then
        echo "passes for a failure with \"$1\": ${*:2}"
        exit 1
    fi
}
control '' true
control 'no such words' "$fasttea" encrypt no-such-file
control 'a command is missing' "$fasttea"
control words sh -c 'printf "words\nwords\n" >&2; exit 1'

echo '-- a random source that fails, and one that gives a byte at a time'
gcc -shared -fPIC -O1 -o "$folder/random.so" -x c - <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
ssize_t getrandom(void *bytes, size_t n, unsigned flags) {
    if (getenv("RANDOM_FAILS")) { errno = EIO; return -1; }
    return syscall(SYS_getrandom, bytes, n > 1 ? 1 : n, flags);
}
C
random() { echo text | env LD_PRELOAD="$folder/random.so" "$@"; }
fails 'the source of random bytes failed' random RANDOM_FAILS=1 "$fasttea" encrypt
test "$(random "$fasttea" encrypt | "$fasttea" decrypt)" = text

echo '-- a full disk'
head -c 4M /dev/zero >"$folder/big"
mkdir "$folder/disk"
full=run
if [ -n "${FASTTEA_NO_MOUNT:-}" ] || ! mount -t tmpfs -o size=1m tmpfs "$folder/disk" 2>/dev/null; then
    echo '   no disk can be made here: a limit on the size of files instead'
    full=limited
fi
run() { "$@"; }
# Without the signal the write fails.
limited() { (
    trap '' XFSZ
    ulimit -S -f 1024
    exec "$@"
); }
echo old >"$folder/disk/out"
for options in '' '--cipher tea --mode ecb' '--cipher tea --mode cbc --iv 0001020304050607'; do
    fails "$folder/disk/out: " "$full" "$fasttea" encrypt $options -o "$folder/disk/out" "$folder/big"
    test "$(cat "$folder/disk/out")" = old
    test "$(ls -A "$folder/disk")" = out
done

echo '-- a closed pipe'
closed() { (
    set +o pipefail
    { "$fasttea" encrypt "$@" "$folder/big" || echo $? >"$folder/code"; } 2>"$folder/pipe" | head -c 1 >/dev/null
    cat "$folder/pipe" >&2
    exit "$(cat "$folder/code")"
); }
fails 'Broken pipe' closed
fails 'Broken pipe' closed --cipher xtea --mode ecb

echo '-- keys that cannot be read'
unset FASTTEA_KEY
echo 30313233343536373839414243444546 >"$folder/key"
chmod 000 "$folder/key"
chmod 755 "$folder"
if [ "$(id -u)" = 0 ]; then
    install -m 755 "$fasttea" "$folder/fasttea"
    fails 'Permission denied' setpriv --reuid 65534 --clear-groups "$folder/fasttea" encrypt --key-file "$folder/key"
else
    fails 'Permission denied' "$fasttea" encrypt --key-file "$folder/key"
fi
fails 'Is a directory' "$fasttea" encrypt --key-file "$folder"
: >"$folder/empty"
fails '0 bytes instead of 16' "$fasttea" encrypt --key-file "$folder/empty"
export FASTTEA_KEY=30313233343536373839414243444546

echo '-- 5 GiB in constant memory'
truncate -s 5G "$folder/sparse"
# Runs a command and writes the most memory it had, in MiB, to a file. The count is not less than what this
# program has when it forks: it is a small one.
gcc -O1 -o "$folder/memory" -x c - <<'C'
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    struct rusage usage;
    int status;
    pid_t child = fork();
    if (child == 0) { execvp(argv[2], argv + 2); _exit(127); }
    FILE *file = fopen(argv[1], "w");
    if (child < 0 || !file || wait4(child, &status, 0, &usage) != child) return 1;
    fprintf(file, "%ld\n", (usage.ru_maxrss + 1023) / 1024);
    return fclose(file) != 0 || !WIFEXITED(status) || WEXITSTATUS(status);
}
C
memory() { "$folder/memory" "$@"; }
limit=32
memory "$folder/control" dd if=/dev/zero of=/dev/null bs=64M count=1 status=none
test "$(cat "$folder/control")" -gt $limit
memory "$folder/control" true
test "$(cat "$folder/control")" -lt 4
for options in '--cipher xtea --mode ecb' '--cipher xtea --mode ctr --iv 00000000fffffff0' \
    '--cipher tea --cycles 1 --mode cbc --iv 0001020304050607'; do
    memory "$folder/encrypt" "$fasttea" encrypt $options "$folder/sparse" |
        memory "$folder/decrypt" "$fasttea" decrypt $options | cmp - "$folder/sparse"
    for direction in encrypt decrypt; do
        used=$(cat "$folder/$direction")
        echo "   $direction $options: $used MiB"
        test "$used" -le $limit
    done
done
