"""Faults to plant in the kernels, each of which a check of objects.py must find."""

import instructions


def at_head(function, *lines):
    """An edit that puts instructions behind the head of a function."""
    head = f"FUNCTION SYMBOL({function})\n"
    return head, head + "".join(f"    {line}\n" for line in lines)


# Of each: the check that must find it, what it must say; the source to assemble, how; the file to edit if
# that is another, what to replace by what.
SCALAR = "tea_encrypt_blocks_scalar"
GCC, CLANG, MACH_O, COFF = "ELF, gcc", "ELF, clang 22", "Mach-O, clang 22", "COFF, clang 22"
PLANTS = [
    ("symbols", "is not hidden", "blocks_scalar", GCC, "common.h", "    .hidden \\symbol\n", ""),
    ("symbols", "is not hidden", "blocks_scalar", MACH_O, "common.h", "    .private_extern \\symbol\n", ""),
    ("symbols", "does not begin with", "blocks_scalar", COFF, None, f"SYMBOL({SCALAR})", SCALAR),
    ("symbols", "is missing", "blocks_scalar", CLANG, None, "tea_decrypt_blocks", "tea_decipher_blocks"),
    ("symbols", "is not known", "blocks_scalar", CLANG, None, "tea_decrypt_blocks", "tea_decipher_blocks"),
    (
        "notes",
        "the stack is executable",
        "blocks_scalar",
        GCC,
        "common.h",
        '.note.GNU-stack, ""',
        '.note.GNU-stack, "x"',
    ),
    (
        "notes",
        "no note about the stack",
        "blocks_scalar",
        GCC,
        "common.h",
        '.section .note.GNU-stack, "", %progbits',
        "",
    ),
    (
        "same code",
        "is not what",
        "blocks_scalar",
        MACH_O,
        "common.h",
        "    LANDING_PAD\n",
        "    LANDING_PAD\n#ifdef __APPLE__\n    LANDING_PAD\n#endif\n",
    ),
]
PLANTS_OF = {"x86_64": [], "aarch64": []}


def planted(arch, name, reason, function, *lines, builds=(CLANG,)):
    """A fault at the head of a function, whose source its name tells."""
    isa = instructions.isa_of(function)
    shape = next((shape for shape in ("blocks", "lanes") if shape in function), "chain")
    for build in builds:
        PLANTS_OF[arch].append((name, reason, f"{shape}_{isa}", build, None, *at_head(function, *lines)))


# A word of the key, and of what lanes hold.
LOAD = "mov eax, [rdi + SCHEDULE_WORDS]"
BLOCKS = "tea_encrypt_blocks_"
LANES = "qq_encrypt_lanes_"
PLANTS_OF["x86_64"] += [
    (
        "notes",
        "does not begin with endbr64",
        "blocks_scalar",
        MACH_O,
        "common.h",
        ".byte 0xf3, 0x0f, 0x1e, 0xfa",
        "nop",
    ),
    ("notes", "no note of x86 feature", "blocks_scalar", CLANG, "common.h", "    .long 3\n", "    .long 1\n"),
    ("secrets", "no vzeroupper before", "blocks_avx2", CLANG, None, "    vzeroupper\n", ""),
    ("secrets", "no vzeroupper before", "lanes_avx512", CLANG, "lanes.h", "    vzeroupper\n", ""),
    (
        "secrets",
        "leaves a secret on the stack",
        "chain_scalar",
        CLANG,
        "scalar.h",
        "    mov [rsp + 24], rax\n",
        "",
    ),
    (
        "secrets",
        "leaves a secret on the stack",
        "blocks_avx2",
        CLANG,
        None,
        "    vmovdqu ymmword ptr [rsp + 32], ymm0\n",
        "",
    ),
    (
        "secrets",
        "a jump depends on a secret",
        "chain_scalar",
        CLANG,
        "scalar.h",
        "    sub I, 4\n    cmp I, [rsp + START]\n",
        "    sub I, 4\n    cmp I, [rsp + K0]\n",
    ),
    (
        "same code",
        "is not what",
        "blocks_avx2",
        GCC,
        "avx2.h",
        "vpxor ymm\\d, ymm\\b, ymm\\d",
        "vpxor ymm\\d, ymm\\d, ymm\\b",
    ),
]
for row in [
    ("symbols", "memcpy is not defined", SCALAR, "call memcpy"),
    ("relocations", "a relocation in .text", SCALAR, "call SYMBOL(tea_decrypt_blocks_scalar)"),
    ("allowed", "not in the table", SCALAR, "div ecx"),
    ("allowed", "not in the table", SCALAR, "imul ecx"),
    ("allowed", "not in the table", SCALAR, "shl eax, cl"),
    ("allowed", "xmm0 is not for scalar", SCALAR, "movd xmm0, eax"),
    ("allowed", "VEX is not for ssse3", BLOCKS + "ssse3", "vpxor xmm0, xmm0, xmm1"),
    ("allowed", "EVEX is not for avx2", BLOCKS + "avx2", "{evex} vpaddd ymm0, ymm0, ymm1"),
    ("allowed", "zmm0 is not for avx2", BLOCKS + "avx2", "vpaddd zmm0, zmm0, zmm1"),
    ("allowed", "SSE between AVX", BLOCKS + "avx2", "paddd xmm0, xmm1"),
    ("secrets", "a jump depends on a secret", SCALAR, LOAD, "test eax, eax", "je 9f", "9:"),
    (
        "secrets",
        "a jump depends on a secret",
        SCALAR,
        LOAD,
        "push rax",
        "pop r10",
        "add r10, 1",
        "jb 9f",
        "9:",
    ),
    (
        "secrets",
        "a jump depends on a secret",
        BLOCKS + "avx512",
        "vmovdqu64 zmm0, [rdx]",
        "vmovq rax, xmm0",
        "shl rax, 1",
        "ja 9f",
        "9:",
    ),
    ("secrets", "an address depends on a secret", SCALAR, LOAD, "mov eax, [rsi + 4*rax]"),
    (
        "secrets",
        "an address depends on a secret",
        SCALAR,
        LOAD,
        "cmp r8, 1",
        "cmova rax, r8",
        "mov eax, [rsi + rax]",
    ),
    (
        "secrets",
        "an address depends on a secret",
        SCALAR,
        LOAD,
        "cmp eax, 1",
        "mov eax, 0",
        "cmova rax, r8",
        "mov eax, [rsi + rax]",
    ),
    ("secrets", "an address depends on a secret", LANES + "avx512", "mov rax, [rdi + KEY]", "mov rax, [rax]"),
    (
        "secrets",
        "an address depends on a secret",
        LANES + "avx512",
        "vmovq xmm0, qword ptr [rdi + MIXED]",
        "vpaddq zmm0, zmm0, zmm0",
        "vmovq rax, xmm0",
        "mov eax, [rsi + rax]",
    ),
    (
        "secrets",
        "where the lanes have pointers",
        LANES + "avx2",
        "mov rax, [rdi + KEY]",
        "mov [rdi + ADVANCE], rax",
    ),
    (
        "secrets",
        "a mask depends on a secret",
        BLOCKS + "avx512",
        LOAD,
        "kmovd k1, eax",
        "vmovdqu64 zmm0{k1}{z}, [rdx]",
    ),
    ("secrets", "a multiplication of a secret", SCALAR, LOAD, "imul rax, rax, 3"),
    ("secrets", "an address of which nothing is known", SCALAR, "mov eax, [r8]"),
    ("secrets", "below the stack pointer", SCALAR, "mov [rsp - 8], rsi"),
    ("secrets", "rbx is not what it was", BLOCKS + "ssse3", "xor ebx, ebx"),
    ("secrets", "the stack pointer is not what it was", BLOCKS + "ssse3", "push rax"),
    ("secrets", "writes to the schedule", BLOCKS + "ssse3", "mov [rdi], rcx"),
    ("secrets", "is never reached", BLOCKS + "ssse3", "jmp 9f", "mov rax, [rdi]", "9:"),
]:
    planted("x86_64", *row, builds=(GCC, MACH_O, "COFF, GNU as") if row[0] == "symbols" else (CLANG,))

LOAD = "ldr w9, [x0, #SCHEDULE_WORDS]"
PLANTS_OF["aarch64"] += [
    (
        "notes",
        "does not begin with bti c",
        "blocks_scalar",
        MACH_O,
        "common.h",
        "LANDING_PAD hint #34",
        "LANDING_PAD nop",
    ),
    (
        "notes",
        "no note of aarch64 feature",
        "blocks_scalar",
        CLANG,
        "common.h",
        "    .long 1\n",
        "    .long 2\n",
    ),
    (
        "secrets",
        "leaves a secret on the stack",
        "blocks_neon",
        CLANG,
        "wide.h",
        "    stp q0, q0, [sp, #32]\n",
        "",
    ),
]
for row in [
    ("symbols", "memcpy is not defined", SCALAR, "bl memcpy"),
    ("relocations", "a relocation in .text", SCALAR, "adrp x9, SYMBOL(tea_decrypt_blocks_scalar)"),
    ("allowed", "not in the table", SCALAR, "udiv w9, w9, w9"),
    ("allowed", "not in the table", SCALAR, "ldr x9, 9f", "9:"),
    ("allowed", "not in the table for scalar", SCALAR, "movi v0.4s, #0"),
    (
        "allowed",
        "not in the table for neon",
        BLOCKS + "neon",
        ".arch_extension sha3",
        "eor3 v0.16b, v0.16b, v1.16b, v2.16b",
    ),
    ("allowed", "z0 is not for neon", BLOCKS + "neon", ".arch_extension sve", "add z0.s, z0.s, z1.s"),
    ("allowed", "w18 is not for scalar", SCALAR, "mov w9, w18"),
    ("secrets", "a jump depends on a secret", SCALAR, LOAD, "cmp w9, #0", "b.eq 9f", "9:"),
    ("secrets", "a jump depends on a secret", SCALAR, LOAD, "cbz w9, 9f", "9:"),
    (
        "secrets",
        "a jump depends on a secret",
        BLOCKS + "neon",
        "ldr q0, [x2]",
        "fmov x9, d0",
        "tbz x9, #3, 9f",
        "9:",
    ),
    ("secrets", "an address depends on a secret", SCALAR, LOAD, "ldr w9, [x1, w9, uxtw #2]"),
    ("secrets", "an address depends on a secret", SCALAR, LOAD, "add x9, x1, w9, uxtw", "ldr w9, [x9]"),
    (
        "secrets",
        "an address depends on a secret",
        SCALAR,
        LOAD,
        "mov x8, x1",
        "ldr x10, [x8], #8",
        "cmp x4, #1",
        "csel x8, x8, x9, eq",
        "ldr w9, [x8]",
    ),
    (
        "secrets",
        "an address depends on a secret",
        LANES + "neon",
        "ldr q0, [x0, #MIXED]",
        "add v0.2d, v0.2d, v0.2d",
        "fmov x8, d0",
        "ldr x9, [x8]",
    ),
    (
        "secrets",
        "where the lanes have pointers",
        LANES + "neon",
        "ldr q0, [x0, #MIXED]",
        "str q0, [x0, #ADVANCE]",
    ),
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
    planted("aarch64", *row, builds=builds.get(row[0], (CLANG,)))
