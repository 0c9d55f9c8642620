#!/usr/bin/env python3
"""Checks how the files of src/ and of proof/src hang together: no two use each other, directly or round a
corner. And of src/: unsafe code is in src/backend alone, files are short, macros are few.

    python3 ci/layers.py [--list]

Who uses whom is read off the paths, in `use` lines and elsewhere, that begin with `crate`, `super` or a
module declared there. A name that a module only passes on is used from where it comes from. A module
with code of its own uses all files that it declares, since methods show no path.
"""

import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_LINES, MOST_MACROS = 450, 8
# Comments, characters and strings, but for the names of files, which are kept.
IGNORED = re.compile(r"""//[^\n]*|("\w+\.rs")|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'""", re.S)


def closing(text, at):
    """Where the bracket at `at` is closed."""
    depth = 0
    for at in range(at, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at
    sys.exit("a bracket is not closed")


def paths(text):
    """The paths that `a::{b, c::{d, e as f}}` stands for, each with the other name that it gets, if any."""
    match = re.match(r"\s*([\w:$]*)(?:(?<=:)(\{)|\s+as (\w+))?", text)
    words = match[1].split("::")
    if not match[2]:
        words = words[:-1] if words[-1] in ("", "self") else words
        return [(words, match[3])]
    inner, parts, depth = text[match.end() : closing(text, match.end() - 1)], [""], 0
    for char in inner:
        depth += (char == "{") - (char == "}")
        parts = [*parts, ""] if char == "," and depth == 0 else [*parts[:-1], parts[-1] + char]
    return [(words[:-1] + more, name) for part in parts if part.strip() for more, name in paths(part)]


class Crate:
    """The files below a folder, without comments, strings and tests; and of each those that it uses."""

    def __init__(self, folder):
        self.folder, self.texts = folder, {}
        # Of modules: their files, the names that `use` gives in them, the code of each.
        self.files, self.names, self.code = {}, {}, []
        self.add_file("lib.rs", ())
        self.uses = {file: set() for file in self.texts}
        for module, file, text in self.code:
            self.uses[file].update(self.used_in(module, text))
            self.uses[file].discard(file)

    def add_file(self, file, module):
        text = IGNORED.sub(lambda match: match[1] or "", (self.folder / file).read_text())
        while match := re.search(r"#\[cfg\(test\)\]\s*mod \w+ \{", text):
            text = text[: match.start()] + text[closing(text, match.end() - 1) + 1 :]
        self.texts[file] = text
        self.add_module(file, module, text)

    def add_module(self, file, module, text):
        self.files.setdefault(module, []).append(file)
        while match := re.search(r"\bmod (\w+) \{", text):
            last = closing(text, match.end() - 1)
            self.add_module(file, (*module, match[1]), text[match.end() : last])
            text = text[: match.start()] + text[last + 1 :]
        for used in re.findall(r"\buse ([^;]+);", text):
            self.names.setdefault(module, {}).update((name or path[-1], path) for path, name in paths(used) if path[1:])
        self.code.append((module, file, text))
        for attributes, name in re.findall(r"((?:#\[.*\]\s*)*)(?:pub(?:\([^)]*\))? )?mod (\w+);", text):
            for found in re.findall(r"\w+\.rs", attributes) or [f"{name}.rs", f"{name}/mod.rs"]:
                found = pathlib.PurePath(*module, found)
                if (self.folder / found).exists():
                    self.add_file(str(found), (*module, name))

    def resolve(self, module, path):
        """The files that a path leads to; none if it leaves the crate."""
        if path[0] in ("crate", "$crate"):
            module, path = (), path[1:]
        elif path[0] not in ("super", "self") and (*module, path[0]) not in self.files:
            return []
        while path:
            if path[0] == "super":
                module = module[:-1]
            elif (*module, path[0]) in self.files:
                module = (*module, path[0])
            elif path[0] in self.names.get(module, {}):
                return self.resolve(module, self.names[module][path[0]] + path[1:])
            elif path[0] != "self":
                break
            path = path[1:]
        return self.files[module]

    def used_in(self, module, text):
        children = [inner[-1] for inner in self.files if inner and inner[:-1] == module]
        if re.search(r"\b(fn|impl)\b", text):
            yield from (file for name in children for file in self.files[*module, name])
        text = re.sub(r"\bpub(\([^)]*\))? use [^;]+;", "", text)
        first = "|".join([r"\$?crate", "super", *children])
        for match in re.finditer(rf"(?<![\w:$])({first})::", text):
            for path, _ in paths(text[match.start() :]):
                yield from self.resolve(module, path)

    def layers(self):
        """The files in layers, each with what uses only those before; and a circle, if there is one."""
        layers, left = [], dict(self.uses)
        while layer := [file for file, used in left.items() if not used & left.keys()]:
            layers.append(layer)
            left = {file: used for file, used in left.items() if file not in layer}
        way = [next(iter(left))] if left else []
        while way and way[-1] not in way[:-1]:
            way.append(min(left[way[-1]] & left.keys()))
        return layers, way[way.index(way[-1]) :] if way else way


def faults(root):
    for folder in (root / "src", root / "proof" / "src"):
        if circle := Crate(folder).layers()[1]:
            yield f"a circle: {' uses '.join(circle)}"
    src, macros = Crate(root / "src"), set()
    for file, text in src.texts.items():
        macros.update(re.findall(r"macro_rules! (\w+)", text))
        if re.search(r"\bunsafe\b", text) and not file.startswith("backend/"):
            yield f"{file} has unsafe code"
        lines = (root / "src" / file).read_text().split("#[cfg(test)]\nmod ")[0].count("\n")
        if lines > MOST_LINES:
            yield f"{file} has {lines} lines, and at most {MOST_LINES} are allowed"
    if len(macros) > MOST_MACROS:
        yield f"{len(macros)} macros, and at most {MOST_MACROS} are allowed: {', '.join(sorted(macros))}"


def plant(file, text):
    """What is found with something more at the end of a file."""
    with tempfile.TemporaryDirectory() as folder:
        for crate in ("src", "proof/src"):
            shutil.copytree(ROOT / crate, pathlib.Path(folder) / crate)
        with (pathlib.Path(folder) / file).open("a") as planted:
            planted.write(text)
        return list(faults(pathlib.Path(folder)))


def main():
    for folder in ("src", "proof/src"):
        crate = Crate(ROOT / folder)
        layers, _ = crate.layers()
        print(f"{folder}: {len(crate.texts)} files in {len(layers)} layers")
        for number, layer in enumerate(layers if "--list" in sys.argv else [], 1):
            for file in sorted(layer):
                print(f"  {number:2}  {file}: {', '.join(sorted(crate.uses[file]))}")
    found = list(faults(ROOT))
    for file, text, said in [
        ("src/error.rs", "use crate::{Key, qq::{self, Cipher}};", "a circle"),
        ("src/backend/abi.rs", "use super::Backend;", "a circle"),
        ("proof/src/term.rs", "fn f() -> crate::theorem::Nothing {}", "a circle"),
        ("src/key.rs", "unsafe fn f() {}", "has unsafe code"),
        ("src/key.rs", "\n" * MOST_LINES, "key.rs has"),
        ("src/key.rs", "".join(f"macro_rules! m{n} {{}}" for n in range(MOST_MACROS)), "macros, and"),
    ]:
        caught = [fault for fault in plant(file, text) if said in fault and fault not in found]
        print(f"caught: {caught[0]}" if caught else f"NOT CAUGHT in {file}: {text[:60]}")
        found += [] if caught else ["a planted fault"]
    sys.exit("\n".join(found) or 0)


main()
