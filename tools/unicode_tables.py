"""Writes the tables of Unicode's properties that tokenizers need, from Python's unicodedata.

Run: python3 tools/unicode_tables.py applications/language
"""

import sys
import unicodedata

POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def lines(items):
    line = ""
    for item in items:
        if line and len(line) + len(item) + 2 > 120:
            yield line
            line = ""
        line += (" " if line else "") + item + ","
    if line:
        yield line


def table(name, declaration, items):
    return f"constexpr {declaration} {name}[] = {{\n" + "".join(f"  {line}\n" for line in lines(items)) + "};\n"


def ranges(name, holds):
    found = []
    for c in POINTS:
        if not holds(unicodedata.category(chr(c))):
            continue
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return table(name, "CodeRange", [f"{{{a:#x}, {b:#x}}}" for a, b in found])


# Capitals and small letters stand in two rows, or take turns: runs of characters one or two apart.
def lower_runs():
    runs = []
    for c in POINTS:
        to = chr(c).lower()
        if to == chr(c) or len(to) > 1:
            continue
        delta = ord(to) - c
        if runs and runs[-1][3] == delta:
            first, last, step, _ = runs[-1]
            if c - last == step or (first == last and c - last <= 2):
                runs[-1] = [first, c, c - last, delta]
                continue
        runs.append([c, c, 1, delta])
    return table("lower_runs", "LowerRun", [f"{{{a:#x}, {b:#x}, {step}, {delta}}}" for a, b, step, delta in runs])


# Hangul is taken apart by arithmetic.
def accents():
    rows = []
    for c in POINTS:
        to = "".join(x for x in unicodedata.normalize("NFD", chr(c)) if unicodedata.category(x) != "Mn")
        if to != chr(c) and not 0xAC00 <= c < 0xD7A4:
            assert len(to) <= 3
            rows.append(f"{{{', '.join(f'{ord(x):#x}' for x in chr(c) + to)}}}")
    return table("accent_mappings", "CodeMapping", rows)


def write(name, purpose, *tables):
    with open(f"{sys.argv[1]}/{name}", "w") as file:
        file.write(f"// {purpose} of Unicode {unicodedata.unidata_version}, written by tools/unicode_tables.py.\n")
        file.writelines(tables)


write(
    "unicode_tables.inc",
    "Kinds of characters and small letters",
    ranges("letter_ranges", lambda category: category[0] == "L"),
    ranges("number_ranges", lambda category: category[0] == "N"),
    ranges("punctuation_ranges", lambda category: category[0] == "P"),
    ranges("control_ranges", lambda category: category in ("Cc", "Cf", "Co")),
    lower_runs(),
)
write("accent_table.inc", "Characters without their accents (canonical decompositions)", accents())
