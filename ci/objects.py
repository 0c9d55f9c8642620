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
import plants
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
# XTEA has no use for an xor of three.
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
            macros = run(
                "clang-22", f"--target={instructions.TRIPLES[self.arch]}", "-E", "-dD", define, source
            )
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

        def assemble(source):
            return [Object(source, build, pathlib.Path(folder)) for build in BUILDS[source.parent.name]]

        objects = list(pool.map(assemble, sources))
        print(f"{len(sources)} sources, {sum(map(len, objects))} objects")
        for name, (meaning, _) in CHECKS.items():
            faults = sum(pool.map(check, objects, [name] * len(objects)), [])
            print(f"{'ok' if not faults else 'FAULT'}  {name}: {meaning}")
            for fault in faults[:20]:
                print(f"    {fault}")
            if len(faults) > 20:
                print(f"    and {len(faults) - 20} more")
            good = good and not faults
        archs = sorted({source.parent.name for source in sources})
        entries = [(arch, entry) for arch in archs for entry in plants.PLANTS + plants.PLANTS_OF[arch]]
        for caught, line in pool.map(try_plant, *zip(*entries)):
            print(line)
            good = good and caught
    missing = CHECKS.keys() - {entry[0] for _, entry in entries}
    if missing:
        sys.exit(f"no fault is planted for {missing}")
    sys.exit(0 if good else 1)


main()
