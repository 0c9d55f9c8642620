#!/usr/bin/env bash
# Runs a Windows program under Wine, in a folder of its own: cargo's runner.
#
# Debian 12's Wine lacks bcryptprimitives.dll, from which Rust takes its random numbers; a library with
# its one function stands in.
set -euo pipefail

export WINEPREFIX=${XDG_CACHE_HOME:-$HOME/.cache}/fasttea/wine WINEDEBUG=-all DISPLAY=
wine=/usr/lib/wine/wine64
library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
if [ ! -e "$library" ]; then
    mkdir -p "$WINEPREFIX"
    $wine wineboot --init >"$WINEPREFIX/boot.log" 2>&1
    x86_64-w64-mingw32-gcc-posix -O2 -shared -x c -o "$library" - -ladvapi32 <<'C'
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *bytes, SIZE_T count)
{
    for (SIZE_T i = 0; i < count; i++)
        if (!RtlGenRandom(bytes + i, 1))
            return FALSE;
    return TRUE;
}
C
fi
exec $wine "$@"
