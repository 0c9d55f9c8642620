"""Follows secrets through a kernel: what is loaded of keys, text and chaining state, and all that is
computed from it. Says where a jump, an address, a mask or the time of an instruction depends on one,
where one is left on the stack, and where the kernel breaks the calling convention.

The values of registers, flags and of each byte of the stack are followed along every path until nothing
changes any more. A value is one of

    SECRET                      also what nothing is known of
    PUBLIC                      a number: a count, a byte order
    ("caller", register)        what a register held at entry
    ("pointer", regions, n)     n bytes (None: somewhere) into memory of the prototype, or the stack
"""

import re

from instructions import register

SECRET = ("secret",)
PUBLIC = ("public",)

ARGUMENTS = {
    "x86_64": ["rdi", "rsi", "rdx", "rcx", "r8", "r9"],
    "aarch64": ["x0", "x1", "x2", "x3", "x4", "x5"],
}
KEPT = {
    "x86_64": ["rbx", "rbp", "r12", "r13", "r14", "r15"],
    "aarch64": [f"x{n}" for n in range(19, 31)] + [f"v{n}" for n in range(8, 16)],
}
# Names of the low 8 or 16 bits.
SHORT = re.compile(r"[a-d][lhx]|[sd]il?|[sb]pl?|r\d+[wb]")
STACK_POINTER = {"x86_64": "rsp", "aarch64": "sp"}

# The prototypes of asm/README.md and src/backend/mod.rs.
NUMBER = "a number"
NUMBER_TEXT = re.compile(r"#?-?(0x[0-9a-f]+|\d+)")
PROTOTYPES = [
    (r"tea_(en|de)crypt_blocks", ["schedule", "sums", "source", "target", NUMBER]),
    (r"xtea_(en|de)crypt_blocks", ["schedule", "source", "target", NUMBER]),
    (r"qq_(en|de)crypt|tea_cbc_encrypt", ["schedule", "sums", "state", "source", "target", NUMBER]),
    (r"xtea_cbc_encrypt", ["schedule", "state", "source", "target", NUMBER]),
    (r"qq_(en|de)crypt_lanes|tea_cbc_encrypt_lanes", ["lanes", "sums", NUMBER, NUMBER]),
    (r"xtea_cbc_encrypt_lanes", ["lanes", NUMBER, NUMBER]),
]
WRITABLE = {"target", "state", "lanes", "stack"}
# Cycles and byte order, at the begin of a schedule and of lanes.
HEAD = 24

# What multiplies may take longer for some numbers than for others.
MULTIPLIES = {"imul", "mul", "madd", "umull"}
ADDS = {"add", "adds", "lea", "vpaddq", "sub", "subs"}
CHOICES = {"cmova", "cmovne", "csel"}
MOVES = set(
    "mov movdqa movdqu movq vmovdqu vmovdqa vmovdqu64 vmovdqa64 vmovq fmov umov dup ins".split()
)
# Part of the flags stays as it was.
PARTIAL_FLAGS = {"inc", "dec", "bts", "rol"}


def pointer(regions, at):
    return ("pointer", frozenset(regions), at)


def is_pointer(value):
    return value[0] == "pointer"


def is_secret(value):
    return value[0] in ("secret", "caller")


def join(a, b):
    """What is known of a value that is one of two."""
    if a == b:
        return a
    if is_secret(a) or is_secret(b):
        return SECRET
    if is_pointer(a) and is_pointer(b):
        return ("pointer", a[1] | b[1], a[2] if a[2] == b[2] else None)
    return PUBLIC


class State:
    """What is known at one place. Of the stack, by distance from where it was at entry, each byte as
    (value, which byte of it, of how many)."""

    def __init__(self, registers, flags, stack, is_dirty):
        self.registers, self.flags, self.stack, self.is_dirty = registers, flags, stack, is_dirty

    def copy(self):
        return State(dict(self.registers), self.flags, dict(self.stack), self.is_dirty)

    def join(self, other):
        """Takes in another state; tells whether that changed anything."""
        changed = False
        for name in self.registers.keys() | other.registers.keys():
            both = join(self.registers.get(name, SECRET), other.registers.get(name, SECRET))
            if both != self.registers.get(name, SECRET):
                self.registers[name], changed = both, True
        both = join(self.flags, other.flags)
        if both != self.flags:
            self.flags, changed = both, True
        if other.is_dirty and not self.is_dirty:
            self.is_dirty = changed = True
        for at in self.stack.keys() | other.stack.keys():
            here, there = self.stack.get(at), other.stack.get(at)
            if here == there:
                continue
            # A byte that only one path wrote: still a secret if it was one.
            parts = [part for part in (here, there) if part]
            if len(parts) == 1:
                both = parts[0] if parts[0][0] == SECRET else None
            elif here[1:] == there[1:]:
                both = (join(here[0], there[0]), *here[1:])
            else:
                both = (SECRET if is_secret(here[0]) or is_secret(there[0]) else PUBLIC, 0, 1)
            if both != here:
                changed = True
                if both:
                    self.stack[at] = both
                else:
                    del self.stack[at]
        return changed


class Walk:
    """One function, of so many lanes if that is its shape. `faults` are what is wrong with it."""

    def __init__(self, name, lanes, body, arch):
        self.body, self.arch = body, arch
        self.sp = STACK_POINTER[arch]
        self.faults = set()
        self.lanes = lanes
        prototype = next((types for form, types in PROTOTYPES if re.fullmatch(form, name)), None)
        if prototype is None:
            self.faults.add(f"{name}: no prototype is known")
            return
        registers = {name: ("caller", name) for name in KEPT[arch]}
        registers[self.sp] = pointer(["stack"], 0)
        for argument, what in zip(ARGUMENTS[arch], prototype):
            registers[argument] = PUBLIC if what == NUMBER else pointer([what], 0)
        self.walk(State(registers, SECRET, {}, False))

    def fault(self, instruction, text):
        self.faults.add(f"{instruction.at:#x} `{instruction.text}`: {text}")

    def walk(self, entry):
        index = {instruction.at: n for n, instruction in enumerate(self.body)}
        leaders = {0} | {index[i.target] for i in self.body if i.target in index}
        states, waiting, reached = {0: entry}, {0}, set()
        while waiting:
            n = min(waiting)
            waiting.remove(n)
            state = states[n].copy()
            while True:
                instruction = self.body[n]
                reached.add(n)
                self.step(state, instruction)
                following = []
                if instruction.is_jump:
                    if instruction.target in index:
                        following.append(index[instruction.target])
                    else:
                        self.fault(instruction, "jumps out of the function")
                if not instruction.is_return and (not instruction.is_jump or instruction.is_conditional):
                    if n + 1 == len(self.body):
                        self.fault(instruction, "runs out of the function")
                    else:
                        following.append(n + 1)
                if following == [n + 1] and n + 1 not in leaders:
                    n += 1
                    continue
                for to in following:
                    if to not in states:
                        states[to] = state.copy()
                        waiting.add(to)
                    elif states[to].join(state):
                        waiting.add(to)
                break
        for n in range(len(self.body)):
            # Behind a return or a jump comes the padding of what follows.
            if n not in reached and self.body[n].name != "nop":
                self.fault(self.body[n], "is never reached")

    # -- memory ------------------------------------------------------------------------------------

    def address(self, state, instruction, operand):
        """The value of an address, as it is when the memory is accessed."""
        inner = operand.text[operand.text.index("[") + 1 : operand.text.rindex("]")]
        terms = re.split(r",\s*", inner) if self.arch == "aarch64" else re.findall(r"[+-]?\s*[^\s+-]+", inner)
        value, index = None, False
        for term in terms:
            number = re.fullmatch(r"([+-]?)\s*#?(-?(?:0x)?[0-9a-f]+)", term)
            if number and re.search(r"\d", term):
                n = int(number[2], 0) * (-1 if number[1] == "-" else 1)
                if value is None:
                    value = PUBLIC
                elif is_pointer(value) and value[2] is not None:
                    value = pointer(value[1], value[2] + n)
                continue
            for name in re.findall(r"[a-z]\w*", term):
                part = self.register(state, name)
                if part is not None:
                    value = part if value is None and "*" not in term else self.add(value or PUBLIC, part)
        return value or PUBLIC

    def register(self, state, name):
        whole = register(name, self.arch)
        if whole is None:
            return PUBLIC if name in ("xzr", "wzr") else None
        return state.registers.get(whole, SECRET)

    @staticmethod
    def add(a, b):
        if is_secret(a) or is_secret(b):
            return SECRET
        if is_pointer(a) != is_pointer(b):
            return ("pointer", (a if is_pointer(a) else b)[1], None)
        return PUBLIC

    def check(self, state, instruction, value, masks):
        """Whether an address may be used, and whether it is on the stack, above its pointer."""
        if is_secret(value):
            self.fault(instruction, "an address depends on a secret")
            return pointer(["target"], None)
        if not is_pointer(value):
            self.fault(instruction, "an address of which nothing is known")
            return pointer(["target"], None)
        if any(is_secret(state.registers.get(mask, SECRET)) for mask in masks):
            self.fault(instruction, "a mask depends on a secret")
        here = state.registers[self.sp]
        if "stack" in value[1] and value[2] is not None and is_pointer(here):
            if here[2] is None or value[2] < here[2]:
                self.fault(instruction, "below the stack pointer")
        return value

    def load(self, state, place, size):
        value = None
        for region in place[1]:
            part = self.load_from(state, region, place[2], size)
            value = part if value is None else join(value, part)
        return value

    def load_from(self, state, region, at, size):
        if region == "stack" and at is not None:
            parts = [state.stack.get(at + n) for n in range(size)]
            if None in parts:
                return SECRET
            if parts == [(parts[0][0], n, size) for n in range(size)]:
                return parts[0][0]
            return SECRET if any(is_secret(part[0]) for part in parts) else PUBLIC
        if region in ("schedule", "lanes") and at is not None and 0 <= at and at + size <= HEAD:
            return PUBLIC
        if region == "lanes" and at is not None:
            width = 8 * self.lanes
            source, target = 64 + 3 * width, 64 + 4 * width
            advance, key = 64 + 5 * width, 64 + 6 * width
            for first, last, value in (
                (source, target, pointer(["source"], None)),
                (target, advance, pointer(["target"], None)),
                (advance, key, PUBLIC),
            ):
                if first <= at and at + size <= last:
                    return value
        return SECRET

    def store(self, state, instruction, place, value, size):
        regions, at = place[1], place[2]
        for region in regions - WRITABLE:
            self.fault(instruction, f"writes to the {region}")
        if "lanes" in regions:
            if at is None:
                self.fault(instruction, "writes to the lanes, it is not known where")
            elif is_secret(value) and (
                at < HEAD or 64 + 24 * self.lanes < at + size and at < 64 + 48 * self.lanes
            ):
                self.fault(instruction, "writes a secret where the lanes have pointers")
        if "stack" not in regions:
            return
        if at is not None and len(regions) == 1:
            for n in range(size):
                state.stack[at + n] = (value, n, size)
            return
        # Somewhere in the frame, but not over saved registers, which the tests would notice.
        bottom = state.registers[self.sp][2]
        for n in range(bottom or 0, 0):
            old = state.stack.get(n)
            if old is None:
                if is_secret(value):
                    state.stack[n] = (SECRET, 0, 1)
            elif old[0][0] != "caller":
                both = join(old[0], value)
                state.stack[n] = old if both == old[0] else (both, 0, 1)

    def size(self, instruction, operand, memory):
        """Bytes of one register that is loaded or stored."""
        words = {"byte": 1, "word": 2, "dword": 4, "qword": 8, "xmmword": 16, "ymmword": 32, "zmmword": 64}
        if self.arch == "x86_64":
            name = memory.text.split()[0]
            return words.get(name, 8)
        elements = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16}
        text = operand.text
        if instruction.name.endswith("rb"):
            return 1
        if match := re.search(r"v\d+\.(\d*)([bhsd])", text):
            if operand.is_part or instruction.name.endswith("r") or not match[1]:
                return elements[match[2]]
            return int(match[1]) * elements[match[2]]
        return {"x": 8, "w": 4}.get(text[0]) or elements.get(text[0], 8)

    # -- instructions ------------------------------------------------------------------------------

    def evaluate(self, state, instruction, values):
        """The result of an operation."""
        name = instruction.name
        if instruction.is_zeroing() or not values:
            return PUBLIC
        if instruction.reads_flags and is_secret(state.flags):
            return SECRET
        if name in CHOICES:
            return join(*values[:2])
        if name in MOVES and len(values) == 1:
            return values[0]
        if any(is_secret(value) for value in values):
            return SECRET
        pointers = [value for value in values if is_pointer(value)]
        if name in ADDS and len(pointers) == 1:
            base = pointers[0]
            numbers = [int(part.lstrip("#"), 0) for part in instruction.parts if NUMBER_TEXT.fullmatch(part)]
            if not name.startswith("sub") or is_pointer(values[0]):
                known = (
                    len(numbers) == 1 and base[2] is not None and not instruction.behind and len(values) <= 2
                )
                step = numbers[0] * (-1 if name.startswith("sub") else 1) if known else 0
                return ("pointer", base[1], base[2] + step if known else None)
        return PUBLIC

    def values(self, state, instruction):
        """What an operation reads of registers and numbers."""
        found = []
        for operand in instruction.operands:
            if operand.is_memory:
                continue
            if operand.role in "rm" or operand.is_part or operand.merges:
                found += [state.registers.get(name, SECRET) for name in operand.registers]
                if not operand.registers:
                    found.append(PUBLIC)
            found += [state.registers.get(mask, SECRET) for mask in operand.masks]
        for part in instruction.behind:
            value = self.register(state, part.lower()) if re.fullmatch(r"[a-z]\w*", part) else None
            if value is not None:
                found.append(value)
        return found

    def step(self, state, instruction):
        name = instruction.name
        if instruction.is_conditional:
            tested = (
                state.flags if instruction.reads_flags else join(PUBLIC, self.values(state, instruction)[0])
            )
            if is_secret(tested):
                self.fault(instruction, "a jump depends on a secret")
        if instruction.is_jump:
            return
        if name == "vzeroupper":
            state.is_dirty = False
            return
        if instruction.is_return:
            self.leave(state, instruction)
            return
        if name in ("push", "pop"):
            self.push_or_pop(state, instruction)
            return
        values = self.values(state, instruction)
        if name in MULTIPLIES and any(is_secret(value) for value in values):
            self.fault(instruction, "a multiplication of a secret")
        memory = instruction.memory()
        if name == "lea":
            result = self.address(state, instruction, memory[0])
            state.registers[instruction.operands[0].registers[0]] = result
        elif memory and self.arch == "aarch64":
            self.transfer(state, instruction, memory[0])
        elif memory:
            place = self.check(
                state,
                instruction,
                self.address(state, instruction, memory[0]),
                [mask for operand in instruction.operands for mask in operand.masks],
            )
            size = self.size(instruction, None, memory[0])
            role = memory[0].role
            if role in "rm":
                values.append(self.load(state, place, size))
            result = self.evaluate(state, instruction, values)
            if role in "wm":
                self.store(state, instruction, place, result, size)
            self.assign(state, instruction, result)
        else:
            result = self.evaluate(state, instruction, values)
            self.assign(state, instruction, result)
        if instruction.writes_flags or name in PARTIAL_FLAGS:
            flags = PUBLIC
            if not instruction.is_zeroing() and any(is_secret(value) for value in values):
                flags = SECRET
            state.flags = (
                join(state.flags, flags) if name in PARTIAL_FLAGS or instruction.reads_flags else flags
            )

    def assign(self, state, instruction, result):
        for operand in instruction.operands:
            for name in operand.registers if operand.role in "wm" else []:
                # The rest of the register stays as it was.
                is_short = self.arch == "x86_64" and SHORT.fullmatch(operand.text)
                state.registers[name] = (
                    join(state.registers.get(name, SECRET), result) if is_short else result
                )
        if self.arch == "x86_64":
            text = " ".join(
                operand.text
                for operand in instruction.operands
                if operand.role in "wm" and not operand.is_memory
            )
            if re.search(r"[yz]mm([0-9]|1[0-5])\b", text):
                state.is_dirty = True

    def push_or_pop(self, state, instruction):
        here, name = state.registers[self.sp], instruction.operands[0].registers[0]
        if here[2] is None:
            self.fault(instruction, "the stack pointer is not known")
            return
        if instruction.name == "push":
            state.registers[self.sp] = pointer(["stack"], here[2] - 8)
            self.store(state, instruction, state.registers[self.sp], state.registers.get(name, SECRET), 8)
        else:
            state.registers[name] = self.load(state, here, 8)
            state.registers[self.sp] = pointer(["stack"], here[2] + 8)

    def transfer(self, state, instruction, memory):
        """Loads and stores of AArch64, of several registers one behind the other."""
        base = memory.address[0]
        place = self.address(state, instruction, memory)
        if memory.text.endswith("!"):
            state.registers[base] = place
        place = self.check(state, instruction, place, [])
        is_load = instruction.name.startswith("ld")
        several = instruction.name[-1:] in "234"
        at = place[2]
        for operand in instruction.operands:
            if operand.is_memory:
                continue
            size = self.size(instruction, operand, memory)
            for name in operand.registers or [None]:
                part = ("pointer", place[1], at)
                whole = ("pointer", place[1], place[2])
                if is_load:
                    value = self.load(
                        state, whole if several else part, size * (len(operand.registers) if several else 1)
                    )
                    if operand.is_part:
                        value = join(state.registers.get(name, SECRET), value)
                    if name:
                        state.registers[name] = value
                else:
                    value = state.registers.get(name, SECRET) if name else PUBLIC
                    self.store(state, instruction, part, value, size)
                at = None if at is None else at + size
        if instruction.writes_back and not memory.text.endswith("!"):
            step, value = instruction.parts[-1], state.registers[base]
            if not NUMBER_TEXT.fullmatch(step):
                state.registers[base] = self.add(value, self.register(state, step))
            elif is_pointer(value) and value[2] is not None:
                state.registers[base] = pointer(value[1], value[2] + int(step.lstrip("#"), 0))

    def leave(self, state, instruction):
        if state.is_dirty:
            self.fault(instruction, "no vzeroupper before")
        if any(value == SECRET for value, *_ in state.stack.values()):
            self.fault(instruction, "leaves a secret on the stack")
        if state.registers[self.sp] != pointer(["stack"], 0):
            self.fault(instruction, "the stack pointer is not what it was")
        for name in KEPT[self.arch]:
            if state.registers[name] != ("caller", name):
                self.fault(instruction, f"{name} is not what it was")
