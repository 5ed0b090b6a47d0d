#!/usr/bin/env python3
# Writes the public names of Keras and their signatures: a line for each object, which has its name, a tab, its
# parameters, and for each further name of the same object a tab and that name.
#   KERAS_BACKEND=jax python tools/coverage/keras_names.py > tools/coverage/keras_names.txt
# Keras 3.15.1; its documentation is not needed, the installed package is.
import inspect
import os

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras

# Where an object has several names, that in the first of these modules is its own.
PREFERRED = ["keras.layers", "keras.losses", "keras.utils", "keras.callbacks", "keras.config", "keras.random"]


def modules(module, name, found):
    """Public modules: those that Keras's own files of names make."""
    found[name] = module
    for part, value in vars(module).items():
        if inspect.ismodule(value) and not part.startswith("_") and value.__name__.startswith("keras") \
                and ".src" not in value.__name__ and f"{name}.{part}" not in found:
            modules(value, f"{name}.{part}", found)


def default(value):
    if inspect.isclass(value) or inspect.isfunction(value):
        return value.__name__
    return repr(value)


def signature(value):
    """Parameters as in a call, "" for what takes none or is no function."""
    if not callable(value):
        return ""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return "..."
    texts = []
    for p in parameters:
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        texts.append(star + p.name + ("" if p.default is p.empty else "=" + default(p.default)))
    return "(" + ", ".join(texts) + ")"


def order(name):
    module = name.rpartition(".")[0]
    place = PREFERRED.index(module) if module in PREFERRED else len(PREFERRED)
    # The class's own name before its name in lower case, short names before long ones, "legacy" last.
    return ("legacy" in name, name.count("."), place, name.rpartition(".")[2][0].islower(), name)


def main():
    found = {}
    modules(keras, "keras", found)
    objects, names = {}, {}
    for module_name, module in found.items():
        for part, value in vars(module).items():
            if part.startswith("_") or inspect.ismodule(value):
                continue
            objects[id(value)] = value
            names.setdefault(id(value), []).append(f"{module_name}.{part}")
    lines = []
    for key, value in objects.items():
        own = getattr(value, "__name__", "")
        first, *rest = sorted(names[key], key=lambda n: (order(n)[:3], n.rpartition(".")[2] != own, order(n)))
        lines.append("\t".join([first, signature(value), *rest]))
    print("\n".join(sorted(lines, key=lambda line: line.split("\t")[0].rpartition("."))))


main()
