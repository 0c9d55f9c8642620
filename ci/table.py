#!/usr/bin/env python3
"""Prints a criterion group as a Markdown table: medians, one row for each function, one column for
each size (of a batch: number of messages), and how many times as long as the named function the others take.

    cargo bench --bench qq && python3 ci/table.py qq/encrypt scalar
"""

import json
import pathlib
import sys

group, base = sys.argv[1], sys.argv[2]
times = {}
total = {}
for path in pathlib.Path("target/criterion").glob("**/new/benchmark.json"):
    benchmark = json.loads(path.read_text())
    if benchmark["group_id"] == group:
        median = json.loads(path.with_name("estimates.json").read_text())["median"]
        key = benchmark["function_id"], int(benchmark["value_str"])
        times[key] = median["point_estimate"]
        total[key[1]] = benchmark["throughput"]["Bytes"]

sizes = sorted({size for _, size in times})
names = sorted({name for name, _ in times}, key=lambda name: (name != base, name))


def cell(name, size):
    if (name, size) not in times:
        return ""
    time = times[name, size]
    rate = f"{total[size] / time * 1000:.0f} MB/s"
    return rate if name == base else f"{rate} ({time / times[base, size]:.2f} ×)"


unit = "B" if all(total[size] == size for size in sizes) else "messages"
print(f"| {group} | " + " | ".join(f"{size} {unit}" for size in sizes) + " |")
print("|---|" + "---:|" * len(sizes))
for name in names:
    print(f"| {name} | " + " | ".join(cell(name, size) for size in sizes) + " |")
