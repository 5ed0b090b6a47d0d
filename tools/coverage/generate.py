#!/usr/bin/env python3
# Makes docs/coverage.md and tests/coverage/*_names.cpp from keras_names.txt (what Keras has) and spellings.txt (what
# Cornu calls it). With --check it changes nothing, and fails where these files are not what it would make.
#   python3 tools/coverage/generate.py [--check]
import itertools
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KINDS = ["same name", "other form", "left out", "missing"]


def split(text):
    """The parts of a list of parameters: commas in brackets and quotes part nothing."""
    parts, depth, quote, part = [], 0, "", ""
    for c in text:
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        depth += 0 if quote else (c in "([{") - (c in ")]}")
        if c == "," and not depth and not quote:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return parts + [part.strip()] if part.strip() else parts


def required(signature):
    """Names of the parameters without a default."""
    return [p for p in split(signature[1:-1]) if "=" not in p and not p.startswith("*")]


def read_spellings():
    """Spaces of the modules and what their names count as, the test's file for each module, and lines of single names."""
    spaces, files, lines = {}, {}, {}
    for number, text in enumerate((HERE / "spellings.txt").read_text().splitlines(), 1):
        if not text or text.startswith("#"):
            continue
        key, found, value = text.partition(": ")
        if not found:
            sys.exit(f"spellings.txt:{number}: no ': ' in {text}")
        if key.endswith(".*"):
            space, files[key[:-2]], *kind = value.split(", ")
            spaces[key[:-2]] = (space.replace("-", ""), *kind)
        elif key in lines:
            sys.exit(f"spellings.txt:{number}: {key} is there already")
        else:
            lines[key] = value
    return spaces, files, lines


class Name:
    """One name of Keras, and what Cornu has for it."""

    def __init__(self, name, signature, spaces, lines, first=None):
        self.name, self.signature = name, signature
        module, _, self.short = name.rpartition(".")
        if module not in spaces:
            sys.exit(f"spellings.txt: no line for {module}.*")
        self.module = module
        space, *kind = spaces[module]
        expected = self.expected = space + self.short
        text = lines.pop(name, None)
        self.note, self.line = "", ""
        if text is None and first and (not first.line or first.expected not in first.line):
            self.kind, self.line = first.kind, first.line
            self.note = "" if first.line else "likewise"
            return
        if text is None and first:
            self.line = first.line.replace(first.expected, expected)
            self.kind = kind[0] if kind else "same name"
            return
        if text is None:
            self.line = self.by_rule(expected, required(signature))
            self.kind = kind[0] if kind else "same name"
            return
        elif text.startswith(("missing", "left out")):
            self.kind, _, self.note = text.partition(": ")
            return
        else:
            self.line, _, self.note = text.removeprefix("other form: ").partition(" // ")
        same = not text.startswith("other form: ") and re.search(r"(?<![\w:])" + re.escape(expected) + r"(?!\w)", self.line)
        self.kind = "same name" if same else "other form"

    def by_rule(self, expected, needed):
        if not self.short[0].isupper():
            return f"{expected}({', '.join(needed)})"
        # The default, "imagenet", would be fetched from a server.
        given = [".weights = {}"] if self.module.startswith("keras.applications") else []
        options = ", ".join([f".{p} = {p}" for p in needed] + given)
        return f"{expected}({{{options}}})" if options else f"{expected}()"

    def function(self):
        """A function that has the line: its name is Keras's name, so that errors tell which."""
        body = self.line if self.line.endswith((";", "}")) else f"(void){self.line};"
        return f"void {self.name.replace('.', '_')}() {{ {body} }}"

    def order(self):
        """Of a class that is made from options: that the first ones are in Keras's order, as they may go without names."""
        is_function = self.module.startswith("keras.applications")
        if is_function or not self.line.startswith((self.expected + "({", self.expected + "()")):
            return None
        first = list(itertools.takewhile(lambda p: not p.startswith("*"), split(self.signature[1:-1])))[:4]
        names = ", ".join(f'"{p.partition("=")[0]}"' for p in first)
        return f"static_assert(in_order<{self.expected}>({{{names}}}));" if names else None


def read_names(spaces, lines):
    """For each object of Keras the list of its names."""
    objects = []
    for text in (HERE / "keras_names.txt").read_text().splitlines():
        first, signature, *others = text.split("\t")
        names = [Name(first, signature, spaces, lines)]
        names += [Name(n, signature, spaces, lines, names[0]) for n in others]
        objects.append(names)
    if lines:
        sys.exit("spellings.txt: Keras has no " + ", ".join(lines))
    return objects


def sources(objects, files):
    """The test's files: a function for each line."""
    made, seen = {}, set()
    for name in (n for names in objects for n in names):
        if name.line and (name.module == "keras.ops" or name.line not in seen):
            seen.add(name.line)
            lines = made.setdefault(files[name.module], [])
            lines.append(name.function())
            if name.short[0].isupper() and (order := name.order()):
                lines.append(order)
    head = ("// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled\n"
            "// and linked, not run.\n"
            "// clang-format off\n#include <cornu/cornu.h>\n\n#include \"arguments.h\"\n\n"
            "namespace cornu::test::coverage {\n\n")
    tail = "\n\n}  // namespace cornu::test::coverage\n"
    return {f"tests/coverage/{f}_names.cpp": head + "\n".join(lines) + tail for f, lines in made.items()}


def counts(names):
    return " | ".join(str(sum(n.kind == kind for n in names)) for kind in KINDS) + f" | {len(names)}"


def cell(text):
    return text.replace("|", "\\|")


def row(names):
    first, others = names[0], names[1:]
    spelling = f"`{cell(first.line)}`" if first.line else first.kind
    notes = [cell(first.note)] if first.note else []
    told = [n for n in others if n.short != first.short or n.kind != "same name"]
    if told:
        notes.append("also " + ", ".join(f"`{n.name.removeprefix('keras.')}`" +
                                         ("" if n.kind == "same name" else
                                          f" (`{cell(n.line)}`)" if n.line else f" ({n.kind}: {n.note})") for n in told))
    return f"| `{first.name.removeprefix('keras.')}` | {spelling} | {'; '.join(notes)} |"


def page(objects):
    modules = {}
    for names in objects:
        modules.setdefault(names[0].module, []).append(names)
    out = [(HERE / "page_head.md").read_text()]
    columns = f"{' | '.join(KINDS)} | all |"
    out.append(f"| module | {columns}\n|---|{'---|' * (len(KINDS) + 1)}")
    for module, rows in modules.items():
        anchor = module.replace(".", "")
        out.append(f"| [{module}](#{anchor}) | {counts([names[0] for names in rows])} |")
    out.append(f"| **all** | {counts([names[0] for names in objects])} |")
    out.append(f"| further names of the same objects | {counts([n for names in objects for n in names[1:]])} |")
    for module, rows in modules.items():
        out.append(f"\n## {module}\n\n| Keras | Cornu | note |\n|---|---|---|")
        out += [row(names) for names in rows]
    return "\n".join(out) + "\n"


def main():
    spaces, files, lines = read_spellings()
    objects = read_names(spaces, lines)
    made = {"docs/coverage.md": page(objects), **sources(objects, files)}
    stale = [p for p, text in made.items() if not (ROOT / p).exists() or (ROOT / p).read_text() != text]
    stale += [str(p.relative_to(ROOT)) for p in (ROOT / "tests/coverage").glob("*_names.cpp")
              if str(p.relative_to(ROOT)) not in made]
    if sys.argv[1:] == ["--check"]:
        if stale:
            sys.exit("run python3 tools/coverage/generate.py, which makes anew: " + ", ".join(stale))
        return
    for path in stale:
        (ROOT / path).unlink(missing_ok=True)
        if path in made:
            (ROOT / path).write_text(made[path])
    print(f"all: {counts([names[0] for names in objects])}")
    print(f"further names: {counts([n for names in objects for n in names[1:]])}")


main()
