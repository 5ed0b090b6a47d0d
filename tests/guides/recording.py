"""What the scripts of the guides' goldens share: examples, and how their results are written."""

import io
import os
import re

import keras
import numpy as np

EXAMPLES = []
RESULT = {}  # of guides whose examples are no functions of their own: figures by names, by examples
os.environ["COLUMNS"] = "200"  # what a summary may be wide


def example(function):
    """Marks a function whose result is recorded under its name."""
    EXAMPLES.append(function)
    return function


def begin():
    """As a program begins, with random seed 1."""
    keras.utils.clear_session()
    keras.utils.set_random_seed(1)


def record(function):
    """The result of an example that is a program of its own."""
    begin()
    return plain(function())


def plain(value):
    """A result as JSON holds it; tensors are dictionaries."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(f"{value:.8g}")
    value = np.asarray(value)
    if value.dtype == bool or value.dtype.kind in "iu":
        values = [int(v) for v in value.reshape(-1)]
    else:
        values = [float(f"{v:.8g}") for v in value.reshape(-1).astype("float64")]
    return {"shape": list(value.shape), "dtype": str(value.dtype), "values": values}


def numbers(values):
    """A flat list, in the digits that a file keeps."""
    return [float(f"{v:.8g}") for v in np.asarray(values, "float64").ravel()]


def uniform(shape, seed):
    """Numbers in [0, 1) that Cornu draws from the same seed."""
    return np.asarray(keras.random.uniform(shape, seed=seed))


def keep(name, run):
    """Puts the figures of fit into RESULT."""
    RESULT[name] = {"history": {key: numbers(values) for key, values in run.history.items()}}


def means(tensors):
    """Of tensors too large for a file: each one's shape, mean and mean square."""
    tensors = [np.asarray(t, "float64") for t in tensors]
    return {
        "shapes": [list(t.shape) for t in tensors],
        "means": [float(t.mean()) for t in tensors],
        "squares": [float((t * t).mean()) for t in tensors],
    }


def summary(model, **options):
    """What model.summary prints: a row [name, output shape, number of parameters] for each layer,
    and the figures below the table."""
    text = io.StringIO()
    model.summary(print_fn=lambda line, **_: text.write(line + "\n"), line_length=200, **options)
    rows = []
    for line in text.getvalue().splitlines():
        cells = [cell.strip() for cell in re.split("[│|]", line)]
        if len(cells) > 4 and cells[1]:
            rows.append([cells[1].split()[0], cells[2], cells[3]])
    figures = re.findall(r"((?:Total|Trainable|Non-trainable) params: [\d,]+)", text.getvalue())
    assert rows and len(figures) == 3, text.getvalue()
    return {"name": model.name, "rows": rows, "figures": figures}


def history(run):
    """The figures of fit, epoch by epoch."""
    return {key: [float(v) for v in values] for key, values in run.history.items()}
