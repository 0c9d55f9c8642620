"""PERFORMANCE.md and its pictures, from what report/report.sh measured. Every figure in it is a measurement or,
where it says so, an estimate; none is typed by hand.

    python3 report/report.py MACHINE BENCH.json ESTIMATES
"""

import json
import math
import pathlib
import statistics
import sys

from chart import chart
from table import Group

machine, bench, estimates = (pathlib.Path(path).read_text() for path in sys.argv[1:4])
rows = json.loads(bench)
backends = list(dict.fromkeys(row["backend"] for row in rows))
fastest = backends[-1]
pictures = pathlib.Path("benches/pictures")


def spread(samples):
    """The quartiles' distance from the median in percent: a noisy machine has outliers."""
    low, middle, high = statistics.quantiles(samples, n=4)
    return max(middle - low, high - middle) / middle * 100


def chance(old, new):
    """Mann and Whitney's test: how likely samples of one distribution differ as much."""
    ordered = sorted([(value, 0) for value in old] + [(value, 1) for value in new])
    rank_sum = sum(rank for rank, (_, which) in enumerate(ordered, 1) if which == 0)
    n, m = len(old), len(new)
    mean, deviation = n * (n + m + 1) / 2, math.sqrt(n * m * (n + m + 1) / 12)
    return math.erfc(abs(rank_sum - mean) / deviation / math.sqrt(2))


def old_and_new(group, old, new):
    """As Go's benchstat prints it."""
    lines = [f"| {group.name} | old: {old} | new: {new} | delta | |", "|---|---:|---:|---:|---|"]
    for size in group.sizes:
        a, b = group.samples[old, size], group.samples[new, size]
        p = chance(a, b)
        x, y = statistics.median(a), statistics.median(b)
        delta = f"{(y / x - 1) * 100:+.1f} %" if p < 0.05 else "~"
        cells = " | ".join(f"{statistics.median(s):.0f} ns ± {spread(s):.1f} %" for s in (a, b))
        lines.append(f"| {size} B | {cells} | {delta} | p={p:.3f} n={len(a)}+{len(b)} |")
    return "\n".join(lines)


def limits():
    lines = [
        "| | bytes | backend | bytes/clock | clocks a block | of the limit |",
        "|---|---:|---|---:|---:|---:|",
    ]
    for row in rows:
        if row["bytes"] < 1024:
            continue
        percent = row.get("percent_of_limit")
        what = f"{row['op']} {row['cipher']}-{row['cycles']} {row['direction']}"
        size = f"{row['messages']} × {row['bytes']}" if row["messages"] > 1 else row["bytes"]
        if row["mixed"]:
            size += " on average"
        lines.append(
            f"| {what} | {size} | {row['backend']} | {row['bytes_per_clock']:.3f} "
            f"| {row['clocks_per_block']:.1f} | {f'{percent:.0f} %' if percent else ''} |"
        )
    return "\n".join(lines)


def arm():
    """The aarch64 kernels of report/mca.sh's table, a row each and a column for every processor."""
    cells, processors = {}, []
    for line in estimates.splitlines():
        fields = [field.strip() for field in line.strip("|").split("|")]
        if len(fields) != 8 or not fields[0].startswith("`"):
            continue
        kernel, _, processor, clocks, _, _, _, ratio = fields
        if processor.startswith(("neoverse", "cortex")):
            cells[kernel, processor] = f"{clocks} ({ratio} ×)"
            if processor not in processors:
                processors.append(processor)
    lines = [
        "| estimated clocks a block | " + " | ".join(processors) + " |",
        "|---|" + "---:|" * len(processors),
    ]
    for kernel in dict.fromkeys(kernel for kernel, _ in cells):
        row = " | ".join(cells.get((kernel, processor), "") for processor in processors)
        lines.append(f"| {kernel} | {row} |")
    return "\n".join(lines)


def throughput(name, title, group, functions):
    lines = [
        (function, [(size, group.rate(function, size)) for size in group.sizes if (function, size) in group.times])
        for function in functions
        if function in group.functions
    ]
    picture = chart(title, "bytes of a message", "MB/s", lines)
    (pictures / f"{name}.svg").write_text(picture)


def speed_up(groups):
    """Of the backends that have lanes."""
    lines = []
    for group in groups:
        for function in group.functions:
            if function in ("avx512", "avx2", "sha3", "neon"):
                points = [
                    (size, group.times["one by one", size] / group.times[function, size])
                    for size in group.sizes
                ]
                lines.append((f"{function}, {group.name.split('/')[0].removeprefix('batch-')} B", points))
    title = "Batches of QQ messages, encrypted, beside the loop"
    (pictures / "batch.svg").write_text(chart(title, "messages in a batch", "times as fast", lines))


qq = [Group(f"qq/{direction}") for direction in ("encrypt", "decrypt")]
tea = [Group(f"tea-16/{direction}") for direction in ("encrypt", "decrypt")]
xtea = [Group(f"xtea-32/{direction}") for direction in ("encrypt", "decrypt")]
cbc = [Group(f"cbc-{cipher}-32/{direction}") for cipher in ("tea", "xtea") for direction in ("encrypt", "decrypt")]
batch = [Group(f"batch-{size}/{direction}") for size in (32, 256, 4096) for direction in ("encrypt", "decrypt")]
ciphers = ["aes-128", "aes-192", "aes-256", "tea-16", "tea-32", "xtea-32"]

pictures.mkdir(exist_ok=True)
throughput("qq", "QQ messages, encrypted", qq[0], [fastest, "portable", "tc_tea, fixed salt", "tc_tea"])
peers = ["plain loop", "tea-soft", "cipher traits", "crate xtea"]
throughput("tea", "TEA, 16 cycles, independent blocks", tea[0], [*reversed(backends), *peers])
throughput("xtea", "XTEA, 32 cycles, independent blocks", xtea[0], [*reversed(backends), *peers])
speed_up([batch[0], batch[2], batch[4]])


def tables(groups, base):
    return "\n\n".join(group.table(base) for group in groups)


pathlib.Path("PERFORMANCE.md").write_text(f"""\
# Performance

Made by `bash report/report.sh`, which runs the benchmarks and writes this file and its pictures. Machines
differ: ratios within a table are of one run and say more than the figures beside them.

{machine.strip()}

Rates are of the text. In parentheses stands the time in relation to the first line's.

## QQ messages: old and new

gofastTEA's table. Old is the portable code, new is what runs by default; whole calls with key set-up,
allocation and random fill. ± is the larger distance of a quartile from the median; `~` means that the two
may be the same (Mann and Whitney's test, p ≥ 0.05).

{old_and_new(qq[0], "portable", fastest)}

{old_and_new(qq[1], "portable", fastest)}

## QQ messages: peers

![throughput over message size](benches/pictures/qq.svg)

`tc_tea` asks the operating system for its salt each time; with a fixed salt it does not.

{tables(qq, fastest)}

## Independent blocks

ECB, CTR and CBC decryption. *Plain loop* is what a compiler makes of the cipher's definition over many
blocks, *cipher traits* the fastest backend called through the traits of the crate `cipher`.

![TEA](benches/pictures/tea.svg)

![XTEA](benches/pictures/xtea.svg)

{tables(tea + xtea, fastest)}

## CBC

Encryption is serial, decryption is not. *cbc + fasttea* is RustCrypto's `cbc` over our cipher.

{tables(cbc, fastest)}

## Batches

QQ messages, each with its own key, results in new vectors, beside the loop over the same messages.

![speed-up over batch size](benches/pictures/batch.svg)

{tables([*batch, Group("batch-cbc-xtea-32/encrypt")], fastest)}

## Bytes a clock, and the limit

By `fasttea bench`, without key set-up. Blocks, CBC and batches are written into the caller's buffers, one
QQ message (`qq`) into a new vector, and when encrypted with random fill. The limit is what the ports
(independent blocks, batches) or the operations that wait for each other (one message) allow; it is known
for the processors in `cli/src/limit.rs`.

{limits()}

## The rows of Tcllib's AES benchmark

One block with and without the key schedule, the key schedules alone, and CBC beside RustCrypto's `cbc`
over the same cipher. AES is RustCrypto's in every row, its key schedules included; the chaining is ours.

{tables([Group(f"tcllib/{cipher}") for cipher in ciphers], "CBC encryption")}

## aarch64, estimated

These are not measured: they are llvm-mca's models of the inner loops, a lower bound: what stands
outside the loop, caches and branches are left out. In parentheses the relation to the limit of ports or
dependent operations. A block of TEA (and QQ) has 16 cycles, of XTEA 32.

{arm()}
""")
