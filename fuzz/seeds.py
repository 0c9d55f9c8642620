#!/usr/bin/env python3
"""First inputs for the fuzzer from the known answers: python3 fuzz/seeds.py FOLDER.

They are written as the crate `arbitrary` reads them: a choice is 32 bits, of which the top decides; lengths
of all but the last bytes stand at the end. What it cannot read so it takes for other values, so that a seed
is never wrong, only worth less.
"""

import base64
import json
import pathlib
import struct
import sys

DATA = pathlib.Path(__file__).parent.parent / "tests" / "data"
folder = pathlib.Path(sys.argv[1])


def vectors(name, key):
    return json.loads((DATA / name).read_text())[key]


def choice(n, of):
    return struct.pack("<I", -(-n * 2**32 // of))


def save(target, name, *parts):
    path = folder / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(parts))


ORDERS = {"be": 0, "le": 1, "le64": 2}
QQ = choice(0, 2)

answers = vectors("public.json", "vectors") + vectors("generated.json", "vectors")
for answer in answers:
    key, text, message = (bytes.fromhex(answer[field]) for field in ("key", "plaintext", "ciphertext"))
    order = choice(ORDERS[answer["endian"]], 3)
    if answer["mode"] == "qq" and len(message) <= 200:
        head = bytes.fromhex(answer["iv"])
        save("qq_decrypt", answer["id"], order, QQ, key, b"\0\0\0", message)
        save("qq_decrypt", answer["id"] + "-plain", order, QQ, key, b"\0\1\0", head, text, bytes(7))
        save("qq_round_trip", answer["id"], order, QQ, key, head.ljust(10, b"\0"), bytes(10), b"\3", text)
for case in vectors("bad_inputs.json", "cases"):
    message, key = bytes.fromhex(case.get("hex") or ""), bytes.fromhex(case.get("key") or "")
    if case["area"] == "qq-dec" and len(key) == 16 and len(message) <= 200:
        save("qq_decrypt", case["id"], choice(0, 3), QQ, key, b"\0\0\0", message)

for form, name, encode in ((1, "hex", bytes.hex), (2, "base64", lambda text: base64.b64encode(text).decode())):
    for n in (0, 1, 2, 3, 16, 50):
        text = encode(bytes(range(n)))
        for end in ("", "\n", "\r", "\r\n", "=", "\n\n"):
            line = (text + end).encode()
            save("cli_parsers", f"{name}-{n}-{end.encode().hex()}", choice(0, 4), choice(form, 3), b"\3\1", line, b"\2")
    save("cli_parsers", f"encode-{name}", choice(1, 4), choice(form, 3), b"\3\1", bytes(range(20)), b"\2")
for words in range(3):
    digits = bytes(range(16 + 8 * words)).hex().encode()
    for place in range(4):
        save("cli_parsers", f"key-{words}-{place}", choice(3, 4), choice(words, 3), choice(place, 4), digits)
    save("cli_parsers", f"key-{words}-line", choice(3, 4), choice(words, 3), choice(2, 4), digits, b"\r\n")
save("cli_parsers", "argument", choice(2, 4), b"\x10", b"000102030405060708090a0b0c0d0e0f")

# Three groups of messages for each cipher; sessions in pieces that pass the widths of the kernels.
GROUPS = b"".join(
    b"\1" + bytes([count, length, step, other]) + backend + bytes([bad, room])
    for count, length, step, other, backend, bad, room in (
        (70, 24, 0, 0, b"\0", 0, 0),
        (9, 80, 19, 1, b"\0", 3, 0),
        (5, 0, 8, 0, b"\1\2", 2, 255),
    )
) + b"\0"
ROW = choice(1, 2) + struct.pack("<BII", 5, 7, 9)
for order in range(3):
    for numbers in (b"\0", b"\1\x30"):
        save("batch", f"qq-{order}-{len(numbers)}", choice(0, 2), choice(order, 3), QQ, ROW, numbers, bytes(8), GROUPS)
STEPS = b"".join(
    b"\1" + choice(step, 10) + argument
    for step, argument in (
        (0, b"\x05"), (2, b""), (1, b"\x46"), (5, b""), (3, b"\x11"), (7, b"\x0b"), (6, b"\2"),
        (4, b"\xfe"), (8, b"\3"), (0, b"\x83"), (9, b"\7"), (2, b""), (1, b"\x40"),
    )
) + b"\0"
OPTIONS = struct.pack("<BI", 31, 0x9E3779B9)
for cipher in range(6):
    for order in range(3 if cipher < 3 else 1):
        which = choice(cipher, 6) + (choice(order, 3) if cipher < 3 else b"")
        save("cbc_chunks", f"{cipher}-{order}", which, OPTIONS, bytes(8), STEPS)
        save("batch", f"cbc-{cipher}-{order}", choice(1, 2), which, OPTIONS, OPTIONS, bytes(8), GROUPS)
