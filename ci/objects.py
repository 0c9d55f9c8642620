#!/usr/bin/env python3
"""Checks the assembled kernels of asm/, in every object format: see check-objects.sh.

Each check is run over all objects, and then over sources with a planted fault, which it must find. What
the kernels do, and that no branch or address in them depends on a secret, is proved in proof/, of the
objects that one compiler makes; here it is shown that all compilers make the same.
"""

import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

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
# The one that the others are compared with, and the one that knows processors.
REFERENCE, GNU = "ELF, clang 22", "ELF, gcc"

FUNCTIONS = {
    "blocks": ["tea_encrypt_blocks", "tea_decrypt_blocks", "xtea_encrypt_blocks", "xtea_decrypt_blocks"],
    "chain": ["qq_encrypt", "qq_decrypt", "tea_cbc_encrypt", "xtea_cbc_encrypt"],
    "lanes": ["qq_encrypt_lanes", "qq_decrypt_lanes", "tea_cbc_encrypt_lanes", "xtea_cbc_encrypt_lanes"],
}
# XTEA has no use for an xor of three.
WITHOUT_XTEA = {"sha3"}

# The processor that a backend may ask for. Every aarch64 has NEON.
PROCESSORS = {
    ("x86_64", "scalar"): ["-Wa,-march=generic64+nommx+nosse"],
    ("x86_64", "ssse3"): ["-Wa,-march=generic64+ssse3"],
    # SSE between AVX is slow.
    ("x86_64", "avx2"): ["-Wa,-march=generic64+avx2,-msse-check=error"],
    ("x86_64", "avx512"): ["-Wa,-march=generic64+avx2+avx512f+avx512bw+avx512vl,-msse-check=error"],
    ("aarch64", "scalar"): ["-march=armv8-a"],
    ("aarch64", "neon"): ["-march=armv8-a"],
    ("aarch64", "sha3"): ["-march=armv8.2-a+sha3"],
}

UNWINDING = {".eh_frame", "__eh_frame", "__compact_unwind", ".pdata", ".xdata"}


def run(*command, **more):
    """What a command prints."""
    answer = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if answer.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{answer.stderr}")
    return answer.stdout


class Object:
    """A source as one compiler assembles it."""

    def __init__(self, source, build, folder):
        self.source, self.build = source, build
        self.arch = source.parent.name
        self.shape, self.isa = source.stem.split("_")
        self.format = build.split(",")[0].split(" ")[0]
        self.path = folder / f"{self.arch}-{source.stem}-{build}.o".replace(" ", "-")
        compiler = BUILDS[self.arch][build]
        define = f"-DFASTTEA_PREFIX={PREFIX}"
        if compiler[0].endswith("-as"):
            text = run("clang-22", "--target=x86_64-pc-windows-gnu", "-E", define, source)
            run(*compiler, "-", "-o", self.path, input=text)
        else:
            run(*compiler, define, "-c", source, "-o", self.path)

    def __str__(self):
        return f"asm/{self.arch}/{self.source.name} ({self.build})"

    def ours(self, symbol):
        """A symbol of this object without what the format and this version put before it."""
        symbol = symbol.removeprefix("_") if self.format == "Mach-O" else symbol
        return symbol.removeprefix(PREFIX + "_") if symbol.startswith(PREFIX + "_") else None

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

    def code(self):
        """{place: the instruction's bytes, but for padding, or the function that begins there}."""
        found = {}
        for line in run("llvm-nm-22", self.path).splitlines():
            at, _, name = line.rsplit(" ", 2)
            if name := self.ours(name):
                found[int(at, 16), "function"] = name
        options = ["--mattr=+all"] if self.arch == "aarch64" else ["-M", "intel"]
        for line in run("llvm-objdump-22", "-d", *options, self.path).splitlines():
            match = re.match(r"\s*([0-9a-f]+):\s+((?:[0-9a-f]{2} ?)+|[0-9a-f]{8})\s*\t\s*(.*)$", line)
            if match and not re.match(r"(data16\s+)*nop|int3|udf", match[3]):
                found[int(match[1], 16), "instruction"] = match[2].strip()
        return found


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


def processor(o):
    """GNU as knows which processor has which instruction. What the source itself asks for is left out."""
    if o.build != GNU:
        return
    compiler = BUILDS[o.arch][GNU] + PROCESSORS[o.arch, o.isa]
    text = run(compiler[0], f"-DFASTTEA_PREFIX={PREFIX}", "-E", o.source)
    text = re.sub(r"^\s*\.(arch|arch_extension|cpu)\b.*$", "", text, flags=re.M)
    command = [*compiler, "-x", "assembler", "-c", "-o", "/dev/null", "-"]
    answer = subprocess.run(command, input=text, capture_output=True, text=True)
    yield from re.findall(r"Error: (.*)", answer.stderr)


def same_code(o, reference):
    ours, theirs = o.code(), reference.code()
    if ours != theirs:
        at = min(at for at in ours.keys() | theirs.keys() if ours.get(at) != theirs.get(at))
        yield f"is not what {reference.build} makes of it, from {at[0]:#x} on"


CHECKS = {
    "symbols": ("ours, hidden, all of them and no others, nothing undefined", symbols),
    "notes": ("no executable stack, IBT and shadow stack, BTI", notes),
    "relocations": ("none but for unwinding", relocations),
    "processor": ("only the backend's instructions", processor),
    "same code": ("the same bytes in every object format, from every assembler", same_code),
}


def check(objects, name):
    """What a check finds wrong with the objects of one source."""
    find = CHECKS[name][1]
    reference = next(o for o in objects if o.build == REFERENCE)
    beside = [reference] if find is same_code else []
    return [f"{o}: {fault}" for o in objects for fault in find(o, *beside)]


# -- planted faults -------------------------------------------------------------------------------------


def at_head(function, *lines):
    """An edit that puts instructions behind the head of a function."""
    head = f"FUNCTION SYMBOL({function})\n"
    return head, head + "".join(f"    {line}\n" for line in lines)


MACH_O, COFF = "Mach-O, clang 22", "COFF, clang 22"
SCALAR = "tea_encrypt_blocks_scalar"
STACK_NOTE = '.section .note.GNU-stack, "", %progbits'
# Of each: the check that must find it, what it must say; the source to assemble, how; the file to edit,
# what to replace by what.
PLANTS = [
    ("symbols", "is not hidden", "blocks_scalar", GNU, "common.h", "    .hidden \\symbol\n", ""),
    ("symbols", "is not hidden", "blocks_scalar", MACH_O, "common.h", "    .private_extern \\symbol\n", ""),
    ("symbols", "does not begin with", "blocks_scalar", COFF, None, f"SYMBOL({SCALAR})", SCALAR),
    ("symbols", "is missing", "blocks_scalar", MACH_O, None, "tea_decrypt_blocks", "tea_decipher_blocks"),
    ("symbols", "is not known", "blocks_scalar", COFF, None, "tea_decrypt_blocks", "tea_decipher_blocks"),
    ("notes", "stack is executable", "blocks_scalar", GNU, "common.h", STACK_NOTE, STACK_NOTE.replace('""', '"x"')),
    ("notes", "no note about the stack", "blocks_scalar", GNU, "common.h", STACK_NOTE, ""),
    ("same code", "is not what", "blocks_scalar", MACH_O, "common.h", "    LANDING_PAD\n",
     "    LANDING_PAD\n#ifdef __APPLE__\n    LANDING_PAD\n#endif\n"),
]
X86 = [
    ("notes", "no note of x86 feature", "blocks_scalar", GNU, "common.h", "    .long 3\n", "    .long 1\n"),
    ("symbols", "memcpy is not defined", "blocks_scalar", "COFF, GNU as", None, *at_head(SCALAR, "call memcpy")),
    ("relocations", "in .text", "blocks_scalar", GNU, None, *at_head(SCALAR, "call SYMBOL(tea_decrypt_blocks_scalar)")),
    # Assemblers may exchange the operands, where that saves a byte.
    ("same code", "is not what", "blocks_avx2", GNU, "avx.h", "V_XOR_BITS V\\d, V\\a, V\\d", "V_XOR_BITS V\\d, V\\d, V\\a"),
]
ARM = [
    ("notes", "no note of aarch64 feature", "blocks_scalar", GNU, "common.h", "    .long 1\n", "    .long 2\n"),
    ("symbols", "memcpy is not defined", "blocks_scalar", MACH_O, None, *at_head(SCALAR, "bl memcpy")),
    ("relocations", "in .text", "blocks_scalar", GNU, None, *at_head(SCALAR, "adrp x9, SYMBOL(tea_decrypt_blocks_scalar)")),
]
for arch, isa, *lines in [
    (X86, "scalar", "movaps xmm0, [rdi]"),
    (X86, "scalar", ".arch .bmi2", "rorx eax, eax, 3"),
    (X86, "ssse3", ".arch .avx", "vpxor xmm0, xmm0, xmm1"),
    (X86, "avx2", ".arch .avx512vl", "vpaddd ymm16, ymm0, ymm1"),
    (X86, "avx2", "paddd xmm0, xmm1"),
    (X86, "avx512", ".arch .avx512vbmi", "vpermb zmm0, zmm0, zmm0"),
    (ARM, "scalar", ".arch_extension crc", "crc32x w9, w9, x9"),
    (ARM, "neon", ".arch armv8.2-a+sha3", "eor3 v0.16b, v0.16b, v1.16b, v2.16b"),
    (ARM, "sha3", ".arch_extension sve", "add z0.s, z0.s, z1.s"),
]:
    said = "SSE instruction" if lines[0].startswith("paddd") else ""
    edit = at_head(f"tea_encrypt_blocks_{isa}", *lines)
    arch.append(("processor", said, f"blocks_{isa}", GNU, None, *edit))


def try_plant(arch, name, said, source, build, file, old, new):
    with tempfile.TemporaryDirectory() as folder:
        asm = pathlib.Path(folder) / "asm"
        shutil.copytree(ROOT / "asm", asm)
        path = asm / (file if file == "common.h" else f"{arch}/{file or source + '.S'}")
        text = path.read_text()
        if old not in text:
            sys.exit(f"nothing to plant a fault in: {path.name} has no {old!r}")
        path.write_text(text.replace(old, new))
        builds = dict.fromkeys([REFERENCE, build])
        faults = check([Object(asm / arch / f"{source}.S", build, asm) for build in builds], name)
    caught = [fault for fault in faults if said in fault and f"({build})" in fault]
    if caught:
        return True, f"caught  {name}: {caught[0]}"
    return False, f"NOT CAUGHT  {name}, {said}: {source}, {build}; instead {faults}"


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
            good = good and not faults
        plants = [(arch, *plant) for arch, own in (("x86_64", X86), ("aarch64", ARM)) for plant in PLANTS + own]
        for caught, line in pool.map(lambda plant: try_plant(*plant), plants):
            print(line)
            good = good and caught
    sys.exit(0 if good else 1)


main()
