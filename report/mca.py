#!/usr/bin/env python3
"""Estimates kernels' clocks per block with llvm-mca, as a Markdown table: see mca.sh.

    mca.py [--all] [--cpus CPU,CPU] OBJECT...

A row is the innermost loop of a function, of several the one that takes the most blocks at a time
(with --all each of them). How much work one iteration does is read off its instructions: each
half-round has one `>> 5` in each register that holds blocks, and as many of them as depend on each
other belong to the same blocks.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import instructions

CPUS = {
    "x86_64": "sapphirerapids,znver4",
    "aarch64": "neoverse-n1,neoverse-v1,neoverse-v2,cortex-a55",
}
# What LLVM takes for an option of a processor of which every one that was made has it.
FEATURES = {"neoverse-v2": "+sha3"}
ITERATIONS = 200
HEAD = """\
Estimated, not measured: llvm-mca's model of one round of the inner loop, times the cycles of a block
(TEA and QQ 16, XTEA 32). What stands outside that loop is left out: loading, the byte order, chaining,
storing. It knows no caches and no branch prediction. Read it as a lower bound, and for ranking; on
x86_64 the measured time is up to half as long again, while a memory operand in the chain of dependent
operations is charged with the load's latency, which processors do not wait for.

All numbers but the ratio are clocks per block.

- ports: what the ports or the decoder allow, if nothing waits for anything
- chain: how long the operations that depend on each other take, at the processor's latencies (not
  there where the processor hands on results before these are over: then plain stands for it)
- plain: 4 (TEA) or 5 (XTEA) dependent operations in a half-round at one clock each. A kernel with fewer
  is faster.
- ratio: the estimate to the larger one of ports and chain
"""


def inner_loops(body):
    """The innermost loops of a function, without ones that do no round."""
    places = {instruction.at: index for index, instruction in enumerate(body)}
    spans = [
        (places[instruction.target], index)
        for index, instruction in enumerate(body)
        if instruction.target in places and instruction.target <= instruction.at
    ]
    for first, last in spans:
        loop = body[first : last + 1]
        inner = any((a, b) != (first, last) and first <= a and b <= last for a, b in spans)
        if not inner and any(instruction.is_fifth_bit_shift() for instruction in loop):
            yield loop


def walk(loop, latency, weight):
    """Goes through the loop many times, each instruction as soon as its operands are there, and gives
    how much later an iteration ends than the one before."""
    ready = {}
    ends = []
    for _ in range(ITERATIONS):
        for index, instruction in enumerate(loop):
            sources = [] if instruction.is_zeroing() else instruction.reads()
            sources += ["flags"] * instruction.reads_flags
            known = [ready.get(name, 0) for name in sources]
            addresses = [ready.get(name, 0) for name in instruction.addresses()]
            # A load that is part of an operation is ahead of it: the other operand does not wait.
            folded = instruction.memory() and sources and instruction.operands[0].role != "r"
            time = max([0, *known]) + (weight(instruction) if folded or not latency else latency[index])
            time = max([time, *(at + (latency[index] if latency else 0) for at in addresses)])
            for name in instruction.writes() + ["flags"] * instruction.writes_flags:
                ready[name] = time
            if instruction.writes_back:
                for name in instruction.addresses()[:1]:
                    ready[name] = ready.get(name, 0) + (1 if latency else 0)
        ends.append(max(ready.values(), default=0))
    half = ITERATIONS // 2
    return (ends[-1] - ends[-1 - half]) / half


def shape(loop):
    """(cycles, registers with blocks) of one iteration."""
    shifts = sum(instruction.is_fifth_bit_shift() for instruction in loop)
    half_rounds = max(1, round(walk(loop, None, lambda instruction: instruction.is_fifth_bit_shift())))
    return half_rounds / 2, shifts / half_rounds


def lanes(loop):
    """Blocks in a register."""
    text = next(instruction.text for instruction in loop if instruction.is_fifth_bit_shift())
    for name, blocks in (("zmm", 16), ("ymm", 8), ("xmm", 4), (".4s", 4), (".2s", 2)):
        if name in text:
            return blocks
    return 1


def source(loop, arch):
    """The loop for llvm-mca. A jump leads to its begin, which is all the same to it."""
    comment = "#" if arch == "x86_64" else "//"
    text = [f"{comment} LLVM-MCA-BEGIN"]
    for instruction in loop:
        text.append(re.sub(r"0x[0-9a-f]+ <[^>]*>", ".Lbegin", instruction.text))
    return "\n".join([*text, f"{comment} LLVM-MCA-END"])


def simulate(loops, arch, cpu):
    """llvm-mca's answer for each loop, or why there is none."""
    text = [".intel_syntax noprefix"] if arch == "x86_64" else []
    text += [".Lbegin:", *(source(loop, arch) for loop in loops), ""]
    answer = subprocess.run(
        [
            f"llvm-mca{instructions.LLVM}",
            "--json",
            f"--iterations={ITERATIONS}",
            f"-mtriple={instructions.TRIPLES[arch]}",
            f"-mcpu={cpu}",
            f"-mattr={FEATURES.get(cpu, '')}",
        ],
        input="\n".join(text),
        capture_output=True,
        text=True,
    )
    if answer.returncode:
        return re.sub(r"^.*error: ", "", answer.stderr.strip().splitlines()[0])
    return json.loads(answer.stdout)


def kind(instruction):
    """Instructions of one kind take the same ports."""
    parts = re.findall(r"[xyz]mm|\.\d+[bhsd]|ls[lr]|\[", instruction.text)
    return (instruction.name, *parts)


def ports(loop, answer, region):
    """Clocks that an iteration takes if nothing waits for a result: the worst set of ports, with all the
    work that only these can do. llvm-mca's own number does not see that instructions that may go to one
    of two ports compete with those that may go to one of four. Which ports an instruction may go to is
    read off where those of its kind went."""
    names = answer["TargetInfo"]["Resources"]
    used = [{} for _ in range(len(loop) + 1)]
    for item in region["ResourcePressureView"]["ResourcePressureInfo"]:
        used[item["InstructionIndex"]][item["ResourceIndex"]] = item["ResourceUsage"]
    loads = {port for ports, i in zip(used, loop) if i.memory() for port in ports}
    loads -= {port for ports, i in zip(used, loop) if not i.memory() for port in ports}
    work = {}
    for instruction, here in zip(loop, used):
        for port, clocks in here.items():
            # A load that is part of an operation has ports of its own.
            family = (re.sub(r"[\W\d]*$", "", names[port]), port in loads)
            entry = work.setdefault((kind(instruction), family), [0, set()])
            entry[0] += clocks
            entry[1].add(port)
    unions = set()
    for _, group in work.values():
        unions |= {frozenset(group)} | {union | group for union in unions}
    summary = region["SummaryView"]
    decoder = summary["TotaluOps"] / summary["Iterations"] / summary["DispatchWidth"]
    return max(
        [
            decoder,
            *(
                sum(clocks for clocks, group in work.values() if group <= union) / len(union)
                for union in unions
            ),
        ]
    )


def rows(path, cpus, every):
    arch = instructions.architecture(path)
    loops = []
    for name, body in instructions.disassemble(path).items():
        found = [(shape(loop), loop) for loop in inner_loops(body)]
        most = max([width for (_, width), _ in found], default=0)
        loops += [(name, form, loop) for form, loop in found if every or form[1] == most]
    for name in {instruction.name for *_, loop in loops for instruction in loop if not instruction.known}:
        print(f"{pathlib.Path(path).name}: {name} is not in the table of instructions", file=sys.stderr)
    for cpu in (cpus or CPUS[arch]).split(",") if loops else []:
        answer = simulate([loop for *_, loop in loops], arch, cpu)
        if isinstance(answer, str):
            print(f"{pathlib.Path(path).name}: no estimate for {cpu}: {answer}", file=sys.stderr)
            continue
        for (name, (cycles, width), loop), region in zip(loops, answer["CodeRegions"]):
            xtea = "xtea_" in name
            blocks = width * lanes(loop)
            per_block = (32 if xtea else 16) / cycles / blocks
            latency = [item["Latency"] for item in region["InstructionInfoView"]["InstructionList"]]
            summary = region["SummaryView"]
            estimate = summary["TotalCycles"] / ITERATIONS * per_block
            free = ports(loop, answer, region) * per_block
            chain = walk(loop, latency, lambda instruction: 1) * per_block
            if chain > estimate:
                chain = None
            plain = (5 * 64 if xtea else 4 * 32) / blocks
            name = re.sub(r"^_?fasttea_(\d+_\d+_\d+\w*?_)?(?=x?tea|qq)", "", name)
            per_iteration = f"{width:g} × {lanes(loop)} blocks, {cycles:g} cycles, {len(loop)} instructions"
            yield (
                f"`{name}`",
                per_iteration,
                cpu,
                f"{estimate:.1f}",
                f"{free:.1f}",
                "" if chain is None else f"{chain:.1f}",
                f"{plain:.1f}",
                f"{estimate / max(free, plain if chain is None else chain):.2f}",
            )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--cpus")
    parser.add_argument("objects", nargs="+")
    arguments = parser.parse_args()
    print(HEAD)
    print("| kernel | in an iteration | processor (estimated) | clocks | ports | chain | plain | ratio |")
    print("|---|---|---|---:|---:|---:|---:|---:|")
    for path in arguments.objects:
        for row in rows(path, arguments.cpus, arguments.all):
            print("| " + " | ".join(row) + " |")


main()
