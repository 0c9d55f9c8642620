#!/usr/bin/env python3
"""Checks the assembled kernels of asm/, in every object format: see check-objects.sh.

Each check is run over all objects, and then over sources with a planted fault, which it must find.
"""

import concurrent.futures
import pathlib
import re
import shutil
import sys
import tempfile

import dataflow
import instructions
from instructions import run

ROOT = pathlib.Path(__file__).resolve().parent.parent
PREFIX = re.search(r'^links = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]

# The compilers. GNU as for Windows comes without a preprocessor.
BUILDS = {
    "x86_64": {
        "ELF, gcc": ["x86_64-linux-gnu-gcc"],
        "ELF, clang 14": ["clang-14", "--target=x86_64-linux-gnu"],
        "ELF, clang 22": ["clang-22", "--target=x86_64-linux-gnu"],
        "Mach-O, clang 14": ["clang-14", "--target=x86_64-apple-macos11"],
        "Mach-O, clang 22": ["clang-22", "--target=x86_64-apple-macos11"],
        "COFF, GNU as": ["x86_64-w64-mingw32-as"],
        "COFF, clang 14": ["clang-14", "--target=x86_64-pc-windows-gnu"],
        "COFF, clang 22": ["clang-22", "--target=x86_64-pc-windows-gnu"],
        "COFF of MSVC, clang 22": ["clang-22", "--target=x86_64-pc-windows-msvc"],
    },
    "aarch64": {
        "ELF, gcc": ["aarch64-linux-gnu-gcc"],
        "ELF, clang 14": ["clang-14", "--target=aarch64-linux-gnu"],
        "ELF, clang 22": ["clang-22", "--target=aarch64-linux-gnu"],
        "Mach-O, clang 14": ["clang-14", "--target=arm64-apple-macos11"],
        "Mach-O, clang 22": ["clang-22", "--target=arm64-apple-macos11"],
        "COFF, clang 14": ["clang-14", "--target=aarch64-pc-windows-gnu"],
        "COFF, clang 22": ["clang-22", "--target=aarch64-pc-windows-gnu"],
        "COFF of MSVC, clang 22": ["clang-22", "--target=aarch64-pc-windows-msvc"],
    },
}
# The one whose instructions are looked at; the others have the same.
REFERENCE = "ELF, clang 22"

FUNCTIONS = {
    "blocks": ["tea_encrypt_blocks", "tea_decrypt_blocks", "xtea_encrypt_blocks", "xtea_decrypt_blocks"],
    "chain": ["qq_encrypt", "qq_decrypt", "tea_cbc_encrypt", "xtea_cbc_encrypt"],
    "lanes": ["qq_encrypt_lanes", "qq_decrypt_lanes", "tea_cbc_encrypt_lanes", "xtea_cbc_encrypt_lanes"],
}
# Three operands in one xor are of no use to XTEA, which has none to spare.
WITHOUT_XTEA = {"sha3"}

# Registers that a backend may not use, beside the instructions that its table lacks.
FORBIDDEN = {
    "x86_64": {
        "scalar": r"[xyz]mm\d+|k[0-7]",
        "ssse3": r"[yz]mm\d+|k[0-7]",
        "avx2": r"zmm\d+|[xy]mm(1[6-9]|2\d|3\d)|k[0-7]",
        "avx512": r"$^",
    },
    "aarch64": {
        "scalar": r"[xw]18|[zp]\d+",
        "neon": r"[xw]18|[zp]\d+",
        "sha3": r"[xw]18|[zp]\d+",
    },
}
# The longest encoding that a backend may use, of SSE's, AVX's and AVX-512's.
ENCODINGS = ["legacy", "VEX", "EVEX"]
ENCODING = {"scalar": "legacy", "ssse3": "legacy", "avx2": "VEX", "avx512": "EVEX"}

UNWINDING = {".eh_frame", "__eh_frame", "__compact_unwind", ".pdata", ".xdata"}


class Object:
    """A source as one compiler assembles it."""

    def __init__(self, source, build, folder):
        self.source, self.build = source, build
        self.arch = source.parent.name
        self.shape, self.isa = source.stem.split("_")
        self.format = build.split(",")[0].split(" ")[0]
        self.path = folder / f"{self.arch}-{source.stem}-{build}.o".replace(" ", "-")
        self._functions = None
        compiler = BUILDS[self.arch][build]
        text = None
        define = f"-DFASTTEA_PREFIX={PREFIX}"
        if compiler[0].endswith("-as"):
            text = run("clang-22", "--target=x86_64-pc-windows-gnu", "-E", define, source)
            run(*compiler, "-", "-o", self.path, input=text)
        else:
            run(*compiler, define, "-c", source, "-o", self.path)
        # How many messages a lanes kernel has side by side.
        self.lanes = 0
        if self.shape == "lanes":
            macros = run("clang-22", f"--target={instructions.TRIPLES[self.arch]}", "-E", "-dD", define, source)
            self.lanes = int(re.search(r"^#define LANES +(\d+)", macros, re.M)[1])

    def __str__(self):
        return f"asm/{self.arch}/{self.source.name} ({self.build})"

    def ours(self, symbol):
        """A symbol of this object without what the format and this version put before it."""
        symbol = symbol.removeprefix("_") if self.format == "Mach-O" else symbol
        return symbol.removeprefix(PREFIX + "_") if symbol.startswith(PREFIX + "_") else None

    def functions(self):
        if self._functions is None:
            self._functions = instructions.disassemble(self.path)
        return self._functions

    def symbols(self):
        """(name, whether it is defined, whether it is hidden) of those that leave the file. COFF
        cannot hide any."""
        if self.format == "ELF":
            for line in run("llvm-readelf-22", "-sW", self.path).splitlines():
                word = line.split()
                if len(word) == 8 and word[4] in ("GLOBAL", "WEAK"):
                    yield word[7], word[6] != "UND", word[5] == "HIDDEN"
        elif self.format == "Mach-O":
            for line in run("llvm-nm-22", "-m", self.path).splitlines():
                if match := re.search(r"\((.*)\) (private external|external|weak.*) (\S+)$", line):
                    yield match[3], match[1] != "undefined", match[2] == "private external"
        else:
            for line in run("llvm-nm-22", "-g", self.path).splitlines():
                *_, kind, name = line.split()
                yield name, kind != "U", True


# -- the checks: each gives what is wrong with an object ------------------------------------------------


def symbols(o):
    expected = {f"{name}_{o.isa}" for name in FUNCTIONS[o.shape]}
    if o.isa in WITHOUT_XTEA:
        expected = {name for name in expected if not name.startswith("xtea_")}
    found = set()
    for name, is_defined, is_hidden in o.symbols():
        if not is_defined:
            yield f"{name} is not defined"
            continue
        if o.ours(name) is None:
            yield f"{name} does not begin with {PREFIX}"
        if not is_hidden:
            yield f"{name} is not hidden"
        found.add(o.ours(name))
    for name in expected - found:
        yield f"{name} is missing"
    for name in found - expected - {None}:
        yield f"{name} is not known"


def notes(o):
    pad = "endbr64" if o.arch == "x86_64" else "bti c"
    for name, body in o.functions().items():
        if not body or body[0].text != pad:
            yield f"{name} does not begin with {pad}"
    if o.format != "ELF":
        return
    text = run("llvm-readelf-22", "-nSW", o.path)
    stack = re.search(r"\.note\.GNU-stack\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+([A-Z]*)\s", text)
    if not stack:
        yield "no note about the stack"
    elif "X" in stack[1]:
        yield "the stack is executable"
    feature = "x86 feature: IBT, SHSTK" if o.arch == "x86_64" else "aarch64 feature: BTI"
    if feature not in text:
        yield f"no note of {feature}"


def relocations(o):
    section = None
    for line in run("llvm-objdump-22", "-r", o.path).splitlines():
        if match := re.match(r"RELOCATION RECORDS FOR \[(.*)\]:", line):
            section = match[1]
        elif section and section not in UNWINDING and re.match(r"[0-9a-f]{8}", line):
            yield f"a relocation in {section}: {' '.join(line.split()[1:])}"


def encoding(instruction):
    """Which of ENCODINGS it is, of x86_64."""
    start = re.match(r"(66|f2|f3|2e|64|65)*", instruction.encoding).end()
    return {"62": "EVEX", "c4": "VEX", "c5": "VEX"}.get(instruction.encoding[start : start + 2], "legacy")


def allowed(o):
    for name, body in o.functions().items():
        for instruction in body:
            text = re.sub(r"<.*>", "", instruction.text)
            where = f"{name} {instruction.at:#x} `{instruction.text}`"
            if not instruction.known:
                yield f"{where}: not in the table for {o.isa}"
            if match := re.search(rf"\b({FORBIDDEN[o.arch][o.isa]})\b", text):
                yield f"{where}: {match[0]} is not for {o.isa}"
            if o.arch == "x86_64":
                kind = encoding(instruction)
                if ENCODINGS.index(kind) > ENCODINGS.index(ENCODING[o.isa]):
                    yield f"{where}: {kind} is not for {o.isa}"
                if o.isa.startswith("avx") and kind == "legacy" and "xmm" in text:
                    yield f"{where}: SSE between AVX"


def secrets(o):
    for name, body in o.functions().items():
        kernel = (o.ours(name) or name).removesuffix("_" + o.isa)
        for fault in sorted(dataflow.Walk(kernel, o.lanes, body, o.arch).faults):
            yield f"{name} {fault}"


def code(o):
    """{function: its instructions' bytes}, with the length alone of nops."""
    functions = {}
    for name, body in instructions.listing(o.path).items():
        parts = functions.setdefault(o.ours(name) or name, [])
        for _, encoded, text in body:
            if text.split(" ")[0] != "nop":
                parts.append(encoded)
            elif parts and isinstance(parts[-1], int):
                parts[-1] += len(encoded)
            else:
                parts.append(len(encoded))
    return functions


def same_code(o, reference):
    ours, theirs = code(o), code(reference)
    for name in sorted(ours.keys() | theirs.keys()):
        a, b = ours.get(name), theirs.get(name)
        if a != b:
            n = next((n for n, (x, y) in enumerate(zip(a or [], b or [])) if x != y), 0)
            yield f"{name} is not what {reference.build} makes of it, from instruction {n} on"


# What is checked of every object; of one of each source, since the others have the same code; and of every
# other object beside that one.
EACH = {
    "symbols": ("ours, hidden, all of them and no others, nothing undefined", symbols),
    "notes": ("landing pads, no executable stack, IBT and shadow stack, BTI", notes),
    "relocations": ("none but for unwinding", relocations),
}
ONE = {
    "allowed": ("the backend's instructions, registers and encodings alone", allowed),
    "secrets": ("no jump, address, mask or time depends on one, none is left; calling convention", secrets),
}
BESIDE = {
    "same code": ("the same bytes in every object format, from every assembler", same_code),
}
CHECKS = EACH | ONE | BESIDE


def check(objects, name):
    """What a check finds wrong with the objects of one source."""
    find = CHECKS[name][1]
    reference = next(o for o in objects if o.build == REFERENCE)
    if name in EACH:
        found = [(o, find(o)) for o in objects]
    elif name in ONE:
        found = [(reference, find(reference))]
    else:
        found = [(o, find(o, reference)) for o in objects if o is not reference]
    return [f"{o}: {fault}" for o, faults in found for fault in faults]


# -- planted faults ---------------------------------------------------------------------------------------


def at_head(function, *lines):
    """An edit that puts instructions behind the head of a function."""
    head = f"FUNCTION SYMBOL({function})\n"
    return head, head + "".join(f"    {line}\n" for line in lines)


# Of each: the check that must find it, what it must say; the source to assemble, how; the file to edit if
# that is another, what to replace by what.
SCALAR = "tea_encrypt_blocks_scalar"
GCC, MACH_O, COFF = "ELF, gcc", "Mach-O, clang 22", "COFF, clang 22"
PLANTS = [
    ("symbols", "is not hidden", "blocks_scalar", GCC, "common.h", "    .hidden \\symbol\n", ""),
    ("symbols", "is not hidden", "blocks_scalar", MACH_O, "common.h", "    .private_extern \\symbol\n", ""),
    ("symbols", "does not begin with", "blocks_scalar", COFF, None, f"SYMBOL({SCALAR})", SCALAR),
    ("symbols", "is missing", "blocks_scalar", REFERENCE, None, "tea_decrypt_blocks", "tea_decipher_blocks"),
    ("symbols", "is not known", "blocks_scalar", REFERENCE, None, "tea_decrypt_blocks", "tea_decipher_blocks"),
    ("notes", "the stack is executable", "blocks_scalar", GCC, "common.h", '.note.GNU-stack, ""', '.note.GNU-stack, "x"'),
    ("notes", "no note about the stack", "blocks_scalar", GCC, "common.h", '.section .note.GNU-stack, "", %progbits', ""),
    ("same code", "is not what", "blocks_scalar", MACH_O, "common.h", "    LANDING_PAD\n", "    LANDING_PAD\n#ifdef __APPLE__\n    LANDING_PAD\n#endif\n"),
]
PLANTS_OF = {"x86_64": [], "aarch64": []}


def planted(arch, name, reason, function, *lines, builds=(REFERENCE,)):
    """A fault at the head of a function, whose source its name tells."""
    isa = instructions.isa_of(function)
    shape = next(shape for shape, names in FUNCTIONS.items() if function.removesuffix("_" + isa) in names)
    for build in builds:
        PLANTS_OF[arch].append((name, reason, f"{shape}_{isa}", build, None, *at_head(function, *lines)))


# A word of the key, and of what lanes hold.
LOAD = "mov eax, [rdi + SCHEDULE_WORDS]"
BLOCKS = "tea_encrypt_blocks_"
LANES = "qq_encrypt_lanes_"
PLANTS_OF["x86_64"] += [
    ("notes", "does not begin with endbr64", "blocks_scalar", MACH_O, "common.h", ".byte 0xf3, 0x0f, 0x1e, 0xfa", "nop"),
    ("notes", "no note of x86 feature", "blocks_scalar", REFERENCE, "common.h", "    .long 3\n", "    .long 1\n"),
    ("secrets", "no vzeroupper before", "blocks_avx2", REFERENCE, None, "    vzeroupper\n", ""),
    ("secrets", "no vzeroupper before", "lanes_avx512", REFERENCE, "lanes.h", "    vzeroupper\n", ""),
    ("secrets", "leaves a secret on the stack", "chain_scalar", REFERENCE, "scalar.h", "    mov [rsp + 24], rax\n", ""),
    ("secrets", "leaves a secret on the stack", "blocks_avx2", REFERENCE, None, "    vmovdqu ymmword ptr [rsp + 32], ymm0\n", ""),
    ("secrets", "a jump depends on a secret", "chain_scalar", REFERENCE, "scalar.h", "    sub I, 4\n    cmp I, [rsp + START]\n", "    sub I, 4\n    cmp I, [rsp + K0]\n"),
    ("same code", "is not what", "blocks_avx2", GCC, "avx2.h", "vpxor ymm\\d, ymm\\b, ymm\\d", "vpxor ymm\\d, ymm\\d, ymm\\b"),
]
for row in [
    ("symbols", "memcpy is not defined", SCALAR, "call memcpy"),
    ("relocations", "a relocation in .text", SCALAR, "call SYMBOL(tea_decrypt_blocks_scalar)"),
    ("allowed", "not in the table", SCALAR, "div ecx"),
    ("allowed", "xmm0 is not for scalar", SCALAR, "movd xmm0, eax"),
    ("allowed", "VEX is not for ssse3", BLOCKS + "ssse3", "vpxor xmm0, xmm0, xmm1"),
    ("allowed", "EVEX is not for avx2", BLOCKS + "avx2", "{evex} vpaddd ymm0, ymm0, ymm1"),
    ("allowed", "zmm0 is not for avx2", BLOCKS + "avx2", "vpaddd zmm0, zmm0, zmm1"),
    ("allowed", "SSE between AVX", BLOCKS + "avx2", "paddd xmm0, xmm1"),
    ("secrets", "a jump depends on a secret", SCALAR, LOAD, "test eax, eax", "je 9f", "9:"),
    ("secrets", "a jump depends on a secret", SCALAR, LOAD, "push rax", "pop r10", "add r10, 1", "jb 9f", "9:"),
    ("secrets", "a jump depends on a secret", BLOCKS + "avx512", "vmovdqu64 zmm0, [rdx]", "vmovq rax, xmm0", "shl rax, 1", "ja 9f", "9:"),
    ("secrets", "an address depends on a secret", SCALAR, LOAD, "mov eax, [rsi + 4*rax]"),
    ("secrets", "an address depends on a secret", SCALAR, LOAD, "cmp r8, 1", "cmova rax, r8", "mov eax, [rsi + rax]"),
    ("secrets", "an address depends on a secret", SCALAR, LOAD, "cmp eax, 1", "mov eax, 0", "cmova rax, r8", "mov eax, [rsi + rax]"),
    ("secrets", "an address depends on a secret", LANES + "avx512", "mov rax, [rdi + KEY]", "mov rax, [rax]"),
    ("secrets", "an address depends on a secret", LANES + "avx512", "vmovq xmm0, qword ptr [rdi + MIXED]", "vpaddq zmm0, zmm0, zmm0", "vmovq rax, xmm0", "mov eax, [rsi + rax]"),
    ("secrets", "where the lanes have pointers", LANES + "avx2", "mov rax, [rdi + KEY]", "mov [rdi + ADVANCE], rax"),
    ("secrets", "a mask depends on a secret", BLOCKS + "avx512", LOAD, "kmovd k1, eax", "vmovdqu64 zmm0{k1}{z}, [rdx]"),
    ("secrets", "a multiplication of a secret", SCALAR, LOAD, "imul rax, rax, 3"),
    ("secrets", "an address of which nothing is known", SCALAR, "mov eax, [r8]"),
    ("secrets", "below the stack pointer", SCALAR, "mov [rsp - 8], rsi"),
    ("secrets", "rbx is not what it was", BLOCKS + "ssse3", "xor ebx, ebx"),
    ("secrets", "the stack pointer is not what it was", BLOCKS + "ssse3", "push rax"),
    ("secrets", "writes to the schedule", BLOCKS + "ssse3", "mov [rdi], rcx"),
    ("secrets", "is never reached", BLOCKS + "ssse3", "jmp 9f", "mov rax, [rdi]", "9:"),
]:
    planted("x86_64", *row, builds=(GCC, MACH_O, "COFF, GNU as") if row[0] == "symbols" else (REFERENCE,))

LOAD = "ldr w9, [x0, #SCHEDULE_WORDS]"
PLANTS_OF["aarch64"] += [
    ("notes", "does not begin with bti c", "blocks_scalar", MACH_O, "common.h", "LANDING_PAD hint #34", "LANDING_PAD nop"),
    ("notes", "no note of aarch64 feature", "blocks_scalar", REFERENCE, "common.h", "    .long 1\n", "    .long 2\n"),
    ("secrets", "leaves a secret on the stack", "blocks_neon", REFERENCE, "wide.h", "    stp q0, q0, [sp, #32]\n", ""),
]
for row in [
    ("symbols", "memcpy is not defined", SCALAR, "bl memcpy"),
    ("relocations", "a relocation in .text", SCALAR, "adrp x9, SYMBOL(tea_decrypt_blocks_scalar)"),
    ("allowed", "not in the table", SCALAR, "udiv w9, w9, w9"),
    ("allowed", "not in the table for scalar", SCALAR, "movi v0.4s, #0"),
    ("allowed", "not in the table for neon", BLOCKS + "neon", ".arch_extension sha3", "eor3 v0.16b, v0.16b, v1.16b, v2.16b"),
    ("allowed", "z0 is not for neon", BLOCKS + "neon", ".arch_extension sve", "add z0.s, z0.s, z1.s"),
    ("allowed", "w18 is not for scalar", SCALAR, "mov w9, w18"),
    ("secrets", "a jump depends on a secret", SCALAR, LOAD, "cmp w9, #0", "b.eq 9f", "9:"),
    ("secrets", "a jump depends on a secret", SCALAR, LOAD, "cbz w9, 9f", "9:"),
    ("secrets", "a jump depends on a secret", BLOCKS + "neon", "ldr q0, [x2]", "fmov x9, d0", "tbz x9, #3, 9f", "9:"),
    ("secrets", "an address depends on a secret", SCALAR, LOAD, "ldr w9, [x1, w9, uxtw #2]"),
    ("secrets", "an address depends on a secret", SCALAR, LOAD, "add x9, x1, w9, uxtw", "ldr w9, [x9]"),
    ("secrets", "an address depends on a secret", SCALAR, LOAD, "mov x8, x1", "ldr x10, [x8], #8", "cmp x4, #1", "csel x8, x8, x9, eq", "ldr w9, [x8]"),
    ("secrets", "an address depends on a secret", LANES + "neon", "ldr q0, [x0, #MIXED]", "add v0.2d, v0.2d, v0.2d", "fmov x8, d0", "ldr x9, [x8]"),
    ("secrets", "where the lanes have pointers", LANES + "neon", "ldr q0, [x0, #MIXED]", "str q0, [x0, #ADVANCE]"),
    ("secrets", "a multiplication of a secret", SCALAR, LOAD, "mul w9, w9, w9"),
    ("secrets", "an address of which nothing is known", SCALAR, "ldr x9, [x4]"),
    ("secrets", "below the stack pointer", SCALAR, "stur x1, [sp, #-8]"),
    ("secrets", "leaves a secret on the stack", SCALAR, LOAD, "str x9, [sp, #-16]!", "add sp, sp, #16"),
    ("secrets", "x19 is not what it was", SCALAR, "mov x19, x0"),
    ("secrets", "v8 is not what it was", BLOCKS + "neon", "movi v8.4s, #0"),
    ("secrets", "the stack pointer is not what it was", SCALAR, "sub sp, sp, #16"),
    ("secrets", "writes to the schedule", SCALAR, "str x4, [x0]"),
    ("secrets", "is never reached", SCALAR, "b 9f", "mov x9, x0", "9:"),
    # A comment there.
    ("same code", "is not what", SCALAR, "mov x9, x0; mov x10, x0"),
]:
    # For COFF clang holds the prologue against its unwind information.
    builds = {"symbols": (GCC, MACH_O), "relocations": (GCC,), "same code": (MACH_O,)}
    planted("aarch64", *row, builds=builds.get(row[0], (REFERENCE,)))


def plant(folder, arch, source, build, file, old, new):
    """The objects of a source with a planted fault: as `build` makes it, and the reference to compare it
    with."""
    shutil.copytree(ROOT / "asm", folder / "asm")
    path = folder / "asm" / (file if file == "common.h" else f"{arch}/{file or source + '.S'}")
    text = path.read_text()
    if old not in text:
        sys.exit(f"nothing to plant a fault in: {path.name} has no {old!r}")
    path.write_text(text.replace(old, new))
    edited = folder / "asm" / arch / f"{source}.S"
    return [Object(edited, name, folder) for name in dict.fromkeys([REFERENCE, build])]


def try_plant(arch, entry):
    name, reason, source, build, *edit = entry
    with tempfile.TemporaryDirectory() as folder:
        faults = check(plant(pathlib.Path(folder), arch, source, build, *edit), name)
    caught = [fault for fault in faults if reason in fault and f"({build})" in fault]
    if caught:
        return True, f"caught  {name}: {caught[0]}"
    return False, f"NOT CAUGHT  {name}, {reason}: {source}, {build}; instead {faults}"


def main():
    good = True
    sources = sorted((ROOT / "asm").glob("*/*.S"))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(4) as pool:
        make = lambda source: [Object(source, build, pathlib.Path(folder)) for build in BUILDS[source.parent.name]]
        objects = list(pool.map(make, sources))
        print(f"{len(sources)} sources, {sum(map(len, objects))} objects")
        for name, (meaning, _) in CHECKS.items():
            faults = [fault for found in pool.map(lambda some: check(some, name), objects) for fault in found]
            print(f"{'ok' if not faults else 'FAULT'}  {name}: {meaning}")
            for fault in faults[:20]:
                print(f"    {fault}")
            if len(faults) > 20:
                print(f"    and {len(faults) - 20} more")
            good = good and not faults
        archs = sorted({source.parent.name for source in sources})
        plants = [(arch, entry) for arch in archs for entry in PLANTS + PLANTS_OF[arch]]
        for caught, line in pool.map(lambda planted: try_plant(*planted), plants):
            print(line)
            good = good and caught
    missing = CHECKS.keys() - {entry[0] for _, entry in plants}
    if missing:
        sys.exit(f"no fault is planted for {missing}")
    sys.exit(0 if good else 1)


main()
