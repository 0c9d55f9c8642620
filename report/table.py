#!/usr/bin/env python3
"""Prints a criterion group as a Markdown table: medians, one row for each function, one column for
each size (of a batch: number of messages), and how many times as long as the named function the others take.

    cargo bench --bench qq && python3 report/table.py qq/encrypt scalar
"""

import json
import pathlib
import sys


class Group:
    """The last measurements of a criterion group."""

    def __init__(self, name):
        self.name = name
        self.times = {}  # (function, size): median nanoseconds
        self.samples = {}  # (function, size): nanoseconds of each sample
        self.bytes = {}  # size: bytes
        for path in pathlib.Path("target/criterion").glob("**/new/benchmark.json"):
            benchmark = json.loads(path.read_text())
            if benchmark["group_id"] != name:
                continue
            key = benchmark["function_id"], int(benchmark["value_str"])
            median = json.loads(path.with_name("estimates.json").read_text())["median"]
            sample = json.loads(path.with_name("sample.json").read_text())
            self.times[key] = median["point_estimate"]
            self.samples[key] = [t / n for t, n in zip(sample["times"], sample["iters"])]
            self.bytes[key[1]] = benchmark["throughput"]["Bytes"]
        if not self.times:
            sys.exit(f"there are no measurements of {name}: see the benchmarks")
        self.sizes = sorted({size for _, size in self.times})
        self.functions = sorted({function for function, _ in self.times})

    def rate(self, function, size):
        """Megabytes a second."""
        return self.bytes[size] / self.times[function, size] * 1000

    def table(self, base):
        def cell(function, size):
            if (function, size) not in self.times:
                return ""
            rate = f"{self.rate(function, size):.0f} MB/s"
            if function == base or (base, size) not in self.times:
                return rate
            return f"{rate} ({self.times[function, size] / self.times[base, size]:.2f} ×)"

        unit = "B" if all(self.bytes[size] == size for size in self.sizes) else "messages"
        lines = [
            f"| {self.name} | " + " | ".join(f"{size} {unit}" for size in self.sizes) + " |",
            "|---|" + "---:|" * len(self.sizes),
        ]
        for function in sorted(self.functions, key=lambda function: (function != base, function)):
            cells = " | ".join(cell(function, size) for size in self.sizes)
            lines.append(f"| {function} | {cells} |")
        return "\n".join(lines)


if __name__ == "__main__":
    print(Group(sys.argv[1]).table(sys.argv[2]))
