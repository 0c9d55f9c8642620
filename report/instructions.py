"""Every instruction that a kernel may use, and what it does to its operands; and the reading of object
files: what mca.py estimates from.
"""

import re
import subprocess
import sys

LLVM = "-22"
TRIPLES = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}

# For each instruction the role of its operands, first to last:
#
#     r  read      w  written      m  both      i  a number      t  where it jumps to
#
# and behind them  f  it writes flags,  F  it reads flags. An instruction with another number of operands
# is another instruction, but for those in FEWER and for what AArch64 writes behind: shifts, conditions,
# steps of an address.
GENERAL_X86 = """
    mov w r        movzx w r      lea w r        xchg m m       bswap m
    add m r f      sub m r f      and m r f      or m r f       xor m r f
    shl m i f      shr m i f      rol m r f      inc m f        dec m f
    neg m f        imul w r i f   bts m r f      cmp r r f      test r r f
    cmova m r F    cmove m r F    cmovne m r F   push r         pop w
    ret            jmp t          ja t F         jae t F        jb t F
    je t F         jne t F        endbr64        nop
"""
SSSE3 = """
    movd w r       movq w r       movdqa w r     movdqu w r
    paddd m r      psubd m r      pxor m r       pslld m i      psrld m i
    pshufb m r     pshufd w r i   shufps m r i   punpckldq m r  punpckhdq m r
"""
AVX2 = """
    vmovd w r          vmovq w r          vmovdqa w r        vmovdqu w r
    vpaddd w r r       vpaddq w r r       vpsubd w r r       vpxor w r r
    vpslld w r i       vpsrld w r i       vpshufb w r r      vshufps w r r i
    vunpcklps w r r    vunpckhps w r r    vpbroadcastd w r   vbroadcasti128 w r
    vinserti128 w r r i  vextracti128 w r i  vmovhps w r r   vzeroupper
"""
# With masks a vector that is written is read too.
AVX512 = """
    vmovdqa64 w r      vmovdqu64 w r      vpxord w r r       vpternlogd m r r i
    vbroadcasti32x4 w r  vinserti32x4 w r r i  vextracti32x4 w r i  kmovd w r
"""
GENERAL_ARM = """
    mov w r        add w r r      sub w r r      neg w r        eor w r r
    and w r r      orr w r r      bic w r r      mvn w r        eon w r r
    lsl w r r      lsr w r r      ror w r r      rev w r        rev32 w r
    ubfx w r i i   ubfiz w r i i  bfi m r i i    bfxil m r i i  extr w r r i
    madd w r r r   mul w r r      umull w r r    movz w i       movk m i
    adds w r r f   subs w r r f   ands w r r f   negs w r f     cmp r r f
    cmn r r f      tst r r f      csel w r r F   csinc w r r F  cinc w r F
    cset w F       ccmp r r i i F f
    ldr w r        ldp w w r      ldrb w r       ldur w r
    str r w        stp r r w      strb r w       stur r w
    b t            b.eq t F       b.ne t F       b.hi t F       b.hs t F
    b.lo t F       b.ls t F       cbz r t        cbnz r t       tbz r i t
    tbnz r i t     ret            bti i          hint i         nop
"""
# Every AArch64 has vectors: in them the chain kernels turn blocks around.
BLOCKS_ARM = """
    fmov w r       tbl w r r
"""
NEON = """
    ld1 w r        ld1r w r       ld2 w r        ld4 w r        ld4r w r
    st1 r w        st2 r w        st4 r w
    movi w i       dup w r        umov w r       ins m r        ext w r r i
    shl w r i      ushr w r i     usra m r i     sli m r i      sri m r i
    uzp1 w r r     uzp2 w r r     zip1 w r r     zip2 w r r     trn1 w r r
    trn2 w r r     rev64 w r      mla m r r
"""
SHA3 = """
    eor3 w r r r
"""

TABLES = {
    "x86_64": {
        "scalar": GENERAL_X86,
        "ssse3": GENERAL_X86 + SSSE3,
        "avx2": GENERAL_X86 + AVX2,
        "avx512": GENERAL_X86 + AVX2 + AVX512,
    },
    "aarch64": {
        "scalar": GENERAL_ARM + BLOCKS_ARM,
        "neon": GENERAL_ARM + BLOCKS_ARM + NEON,
        "sha3": GENERAL_ARM + BLOCKS_ARM + NEON + SHA3,
    },
}
# It has two operands when it stores.
FEWER = {"vmovhps"}
BEHIND = re.compile(
    r"(ls[lr]|asr|ror|[su]xt[bhwx])( #\w+)?|eq|ne|hi|hs|lo|ls|mi|pl|ge|gt|le|lt|(?P<step>#-?\w+|x\d+)"
)


ROLES = set("rwmitfF")


def parse_table(text):
    """{instruction: roles} of a table's text."""
    table = {}
    for word in text.split():
        if word in ROLES:
            table[name] += word
        else:
            name = word
            table[name] = ""
    return table


TABLES = {arch: {isa: parse_table(text) for isa, text in tables.items()} for arch, tables in TABLES.items()}

X86_LOW = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"}
BRANCH_TARGET = re.compile(r"(0x[0-9a-f]+) <")


def register(name, arch):
    """The register that a name is a part of, or None: `rax` for eax, `v3` for ymm3 and q3."""
    name = name.split(".")[0]
    if arch == "x86_64":
        if match := re.fullmatch(r"[xyz]mm(\d+)", name):
            return "v" + match[1]
        if re.fullmatch(r"k[0-7]", name):
            return name
        if match := re.fullmatch(r"(r\d+)[dwb]?", name):
            return match[1]
        name = name if len(name) == 2 else name[1:] if name[:1] in ("r", "e") else name
        if name[-1:] == "l" and name[:-1] + "x" in X86_LOW:
            name = name[:-1] + "x"
        if name[-1:] == "l":
            name = name[:-1]
        return "r" + name if name in X86_LOW else None
    if name in ("sp", "wsp"):
        return "sp"
    if match := re.fullmatch(r"([xw]|[vqdsbh])(\d+)(\[\d+\])?", name):
        return ("x" if match[1] in "xw" else "v") + match[2]
    return None


def split(text):
    """Operands, at the commas that no bracket encloses."""
    operands, depth = [""], 0
    for char in text:
        depth += char in "[{"
        depth -= char in "]}"
        if char == "," and depth == 0:
            operands.append("")
        else:
            operands[-1] += char
    return [operand.strip() for operand in operands if operand.strip()]


class Operand:
    """One operand: its role, its text, the registers that hold its value, and, in memory, those of
    its address."""

    def __init__(self, text, role, arch):
        self.text, self.role = text, role
        self.is_memory = "[" in text and not re.search(r"[\w}]\s*\[\d+\]$", text)
        inner = re.findall(r"\[[^\]]*\]", text)[0] if self.is_memory else text
        names = [register(name, arch) for name in re.findall(r"(?<![\w#])[a-z]\w*(?:\.\w+)?", inner)]
        if match := re.search(r"(\w+)(?:\.\w+)?\s*-\s*(\w+)(?:\.\w+)?\s*}", text):
            first, last = (int(register(name, arch)[1:]) for name in match.groups())
            names = [f"v{(first + n) % 32}" for n in range((last - first) % 32 + 1)]
        registers = [name for name in names if name]
        self.masks = re.findall(r"\{(k\d)\}", text)
        self.address = registers if self.is_memory else []
        self.registers = [] if self.is_memory else [name for name in registers if name not in self.masks]
        # A part of a vector: the rest of it stays.
        self.is_part = bool(re.search(r"\[\d+\]", text)) and not self.is_memory
        self.merges = bool(self.masks) and "{z}" not in text


class Instruction:
    """One instruction. `known` tells whether the table has it, in this form; else its first operand is
    taken for one that is read and written, the others for ones that are read."""

    def __init__(self, at, encoding, text, arch, table):
        self.at, self.encoding, self.text = at, encoding, text
        self.name, _, rest = text.partition(" ")
        roles = table.get(self.name, "mrrrr")
        self.writes_flags = "f" in roles
        self.reads_flags = "F" in roles
        roles = roles.replace("f", "").replace("F", "")
        match = BRANCH_TARGET.search(rest)
        self.target = int(match[1], 16) if match and "t" in roles else None
        self.is_return = self.name == "ret"
        self.is_jump = "t" in roles
        self.is_conditional = self.is_jump and self.name not in ("jmp", "b")
        self.parts = [] if self.name == "nop" else split(re.sub(r"\s*<[^>]*>", "", rest))
        self.operands = [Operand(part, role, arch) for part, role in zip(self.parts, roles)]
        self.behind = self.parts[len(roles) :]
        self.arch = arch
        self.writes_back = arch == "aarch64" and any(
            operand.text.endswith("!") or self.parts[-1] != operand.text for operand in self.memory()
        )
        missing = len(roles) - len(self.operands)
        self.known = self.name in table and (missing == 0 or missing == 1 and self.name in FEWER)
        # A shift by a register is another instruction too.
        if any(operand.role == "i" and operand.registers for operand in self.operands):
            self.known = False
        for part in self.behind:
            match = BEHIND.fullmatch(part) if arch == "aarch64" else None
            if not match or match["step"] and not self.memory():
                self.known = False
        if arch == "aarch64" and self.name[:2] in ("ld", "st") and not self.memory():
            self.known = False

    def memory(self):
        return [operand for operand in self.operands if operand.is_memory]

    def reads(self):
        """The registers whose values it uses, without those of addresses."""
        found = []
        for operand in self.operands:
            if operand.role in "rm" or operand.is_part or operand.merges:
                found += operand.registers
            found += operand.masks
        for part in self.behind:
            found += filter(None, [register(part, self.arch)])
        return found

    def addresses(self):
        """The registers that it forms addresses of."""
        return [name for operand in self.memory() for name in operand.address]

    def writes(self):
        return [name for operand in self.operands if operand.role in "wm" for name in operand.registers]

    def is_zeroing(self):
        """Whether the result is zero whatever the operands hold."""
        if self.name not in ("xor", "pxor", "vpxor", "vpxord", "eor"):
            return False
        return len(set(self.parts)) == 1

    def is_fifth_bit_shift(self):
        """`>> 5`, of which each half-round of each of the ciphers has one, alone or in another operation."""
        return bool(re.search(r"(?:shr|srld|lsr|usra|ushr)\b.*\b(?:0x)?5$", self.text.replace("#", "")))


def run(*command, **more):
    """What a command prints."""
    answer = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if answer.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{answer.stderr}")
    return answer.stdout


def architecture(path):
    head = run(f"llvm-readobj{LLVM}", "--file-headers", str(path)).lower()
    return "aarch64" if "arch: aarch64" in head else "x86_64"


def isa_of(function):
    """The backend, which a function's name ends with."""
    return function.rsplit("_", 1)[-1]


LINE = re.compile(r"\s*([0-9a-f]+):\s+((?:[0-9a-f]{2} ?)+|[0-9a-f]{8})\s*\t\s*(.*)$")
PADDING = ("nop", "int3", "udf")


def listing(path):
    """{function: [(place, encoding, text), ...]} of an object file, without the padding at a function's
    end."""
    arch = architecture(path)
    options = ["--mattr=+all"] if arch == "aarch64" else ["-M", "intel"]
    names, functions, body = {}, {}, None
    for line in run(f"llvm-objdump{LLVM}", "-d", *options, str(path)).splitlines():
        if match := re.match(r"([0-9a-f]+) <(.*)>:$", line):
            name = match[2]
            if name.startswith("ltmp"):
                # The begin of a section of Mach-O, in the place of the function that is there.
                names = names or {
                    int(word[0], 16): word[2]
                    for word in map(str.split, run(f"llvm-nm{LLVM}", str(path)).splitlines())
                    if len(word) == 3 and not word[2].startswith("ltmp")
                }
                name = names.get(int(match[1], 16), name)
            body = functions.setdefault(name, [])
        elif body is not None and (match := LINE.match(line)):
            text = re.sub(r"\s+", " ", re.sub(r"\s*(//|# ).*$", "", match[3])).removeprefix("data16 ").strip()
            body.append((int(match[1], 16), match[2].replace(" ", ""), text))
    for body in functions.values():
        while body and body[-1][2].split(" ")[0] in PADDING:
            body.pop()
    return functions


def disassemble(path):
    """{function: [instruction, ...]} of an object file."""
    arch = architecture(path)
    return {
        name: [Instruction(*line, arch, TABLES[arch].get(isa_of(name), {})) for line in body]
        for name, body in listing(path).items()
    }
