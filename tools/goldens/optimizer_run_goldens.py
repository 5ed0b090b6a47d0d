#!/usr/bin/env python3
"""Writes tests/data/optimizer_runs.json: weights after many steps of optimizers with each of their options, and the
rates of schedules at their bounds.

Usage: KERAS_BACKEND=jax python tools/goldens/optimizer_run_goldens.py [output]
On TensorFlow the old momentum of ScheduleFreeAdamW is the variable, which has changed when it is read.
Other than optimizer_goldens.py, which takes a few steps and looks at all state, this one takes two hundred steps.
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("JAX_ENABLE_X64", "1")

import jax
import keras
from keras import ops, optimizers

from patterns import numbers, pattern, tensor_of

STEPS = 200
LOOKS = [8, 200]  # the numbers of steps after which the weights are recorded
MATRIX = {"kernel": [2, 3], "bias": [3]}
ODD = {"kernel": [2, 2, 1, 3], "scale": [], "one": [1, 1]}

cases = []


def gradient(shape, step, index, dtype):
    """As tests/optimizers makes them."""
    return pattern("real", shape, round(0.9 * step + 0.4 * index, 4), dtype)


def run(optimizer, shapes, dtype, steps=STEPS):
    variables = [keras.Variable(tensor_of(pattern("real", s, i, dtype)), dtype=dtype, name=n)
                 for i, (n, s) in enumerate(shapes.items())]
    optimizer.build(variables)
    step_of = jax.jit(optimizer.stateless_apply)
    values, state = [v.value for v in variables], [v.value for v in optimizer.variables]
    looks = []
    for step in range(1, steps + 1):
        gradients = [ops.convert_to_tensor(tensor_of(gradient(s, step, i, dtype))) for i, s in enumerate(shapes.values())]
        values, state = step_of(state, gradients, values)
        if step in LOOKS:
            looks.append([numbers(v, 5) for v in values])
    for variable, value in zip(variables + optimizer.variables, values + state):
        variable.assign(value)
    return variables, looks


def add(name, shapes=None, dtype=None, schedule=None, **options):
    case = {"class": name, "options": options}
    given = dict(options)
    if schedule:
        case["schedule"] = keras.saving.serialize_keras_object(schedule)
        given["learning_rate"] = schedule
    elif "learning_rate" not in options:
        options["learning_rate"] = given["learning_rate"] = {"Adadelta": 1.0, "SGD": 0.1}.get(name, 0.02)
    if shapes:
        case["shapes"] = list(shapes.values())
        case["names"] = list(shapes)
    if dtype:
        case["dtype"] = dtype
    optimizer = getattr(optimizers, name)(**given)
    try:
        variables, case["weights"] = run(optimizer, shapes or MATRIX, dtype)
    except Exception as e:
        print("Keras cannot:", name, dtype, options, str(e)[-200:])
        return
    if options.get("use_ema"):
        optimizer.finalize_variable_values(variables)
        case["final"] = [numbers(v, 5) for v in variables]
    cases.append(case)


ALL = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Nadam", "Lion", "Ftrl", "Adafactor", "Lamb",
       "Muon", "ScheduleFreeAdamW"]
COMMON = [
    {},
    {"weight_decay": 0.05, "clipnorm": 1.5},
    {"global_clipnorm": 2.0, "use_ema": True, "ema_momentum": 0.9, "ema_overwrite_frequency": 7},
    {"clipvalue": 0.8, "loss_scale_factor": 16.0, "use_ema": True, "ema_momentum": 0.5},
    {"gradient_accumulation_steps": 3, "weight_decay": 0.02, "clipvalue": 0.9},
    {"gradient_accumulation_steps": 4, "use_ema": True, "ema_momentum": 0.8, "ema_overwrite_frequency": 2,
     "loss_scale_factor": 4.0, "global_clipnorm": 1.0},
]
OWN = {
    "SGD": [{"momentum": 0.8}, {"momentum": 0.8, "nesterov": True}, {"nesterov": True}, {"momentum": 1.0}],
    "Adam": [{"amsgrad": True}, {"beta_1": 0.5, "beta_2": 0.9, "epsilon": 0.1}, {"beta_1": 0.0, "beta_2": 0.0},
             {"amsgrad": True, "weight_decay": 0.1, "clipnorm": 0.5}],
    "AdamW": [{"amsgrad": True, "weight_decay": 0.0}, {"beta_1": 0.5, "beta_2": 0.9, "epsilon": 0.01}],
    "RMSprop": [{"momentum": 0.6}, {"centered": True}, {"centered": True, "momentum": 0.4, "rho": 0.5}, {"epsilon": 0.1}],
    "Adagrad": [{"initial_accumulator_value": 0.0, "epsilon": 0.1}, {"initial_accumulator_value": 2.0}],
    "Adadelta": [{"rho": 0.5, "epsilon": 0.01}, {"learning_rate": 0.1}],
    "Adamax": [{"beta_1": 0.5, "beta_2": 0.7, "epsilon": 0.1}],
    "Nadam": [{"beta_1": 0.5, "beta_2": 0.7, "epsilon": 0.1}],
    "Lion": [{"beta_1": 0.5, "beta_2": 0.7}, {"beta_1": 1.0, "weight_decay": 0.2}],
    "Ftrl": [{"learning_rate_power": 0.0}, {"learning_rate_power": -1.0, "l1_regularization_strength": 0.5},
             {"initial_accumulator_value": 0.0, "l2_regularization_strength": 0.3, "beta": 0.5},
             {"l2_shrinkage_regularization_strength": 0.2, "l1_regularization_strength": 0.1}],
    "Adafactor": [{"relative_step": False}, {"beta_2_decay": -0.3, "epsilon_1": 1e-3, "epsilon_2": 0.1},
                  {"clip_threshold": 0.2, "learning_rate": 0.5}],
    "Lamb": [{"beta_1": 0.5, "beta_2": 0.7, "epsilon": 0.1}],
    "Muon": [{"nesterov": False, "ns_steps": 2}, {"momentum": 0.5, "adam_weight_decay": None, "weight_decay": None},
             {"adam_lr_ratio": 0.1, "rms_rate": None, "adam_beta_1": 0.5, "adam_beta_2": 0.8},
             {"muon_a": 3.0, "muon_b": -4.0, "muon_c": 1.5, "rms_rate": 0.5}, {"exclude_layers": ["kern"]}],
    "ScheduleFreeAdamW": [{"warmup_steps": 20, "beta_1": 0.7}, {"beta_2": 0.9, "epsilon": 0.1, "weight_decay": 0.3}],
}


def optimizer_cases():
    s = optimizers.schedules
    for name in ALL:
        for options in COMMON:
            add(name, **options)
        for options in OWN[name]:
            add(name, **options)
        add(name, shapes=ODD)
        add(name, dtype="float64")
        add(name, schedule=s.CosineDecay(0.05, 120, alpha=0.1, warmup_target=0.1, warmup_steps=20))
    add("Adam", schedule=s.ExponentialDecay(0.1, 30, 0.5, staircase=True), gradient_accumulation_steps=3)
    add("SGD", schedule=s.PiecewiseConstantDecay([20, 100], [0.1, 0.01, 0.5]), weight_decay=0.1, use_ema=True, ema_momentum=0.9)
    add("AdamW", shapes=ODD, weight_decay=0.1, gradient_accumulation_steps=3, clipnorm=0.5)
    # Not Adam and Lion: Keras rounds 1 - 0.999^step to bfloat16, where it is 0, and signs of sums near 0 follow from rounding.
    for name in ("SGD", "RMSprop"):
        for dtype in ("float16", "bfloat16"):
            add(name, dtype=dtype, learning_rate=0.0625)


def schedule_cases():
    s = optimizers.schedules
    steps = [0, 1, 2, 9, 10, 11, 19, 20, 21, 29, 30, 31, 40, 70, 71, 150, 10**6]
    made = [
        s.ExponentialDecay(0.5, 10, 0.9), s.ExponentialDecay(1.0, 1, 0.5), s.ExponentialDecay(0.5, 10, 0.0),
        s.ExponentialDecay(0.5, 10, 1.5, staircase=True),
        s.InverseTimeDecay(0.5, 10, 0.0), s.InverseTimeDecay(2.0, 1, 3.0, staircase=True), s.InverseTimeDecay(0.5, 10, 0.7),
        s.PolynomialDecay(0.5, 10, 0.5), s.PolynomialDecay(0.1, 10, 0.5), s.PolynomialDecay(0.5, 10, 0.1, power=0.5),
        s.PolynomialDecay(0.5, 10, 0.0, power=3.0), s.PolynomialDecay(0.5, 10, 0.1, power=2, cycle=True),
        s.PolynomialDecay(1.0, 30, 0.0, power=0.5, cycle=True),
        s.CosineDecay(0.5, 20), s.CosineDecay(0.5, 1), s.CosineDecay(0.5, 20, alpha=1.0),
        s.CosineDecay(0.0, 20, alpha=0.5, warmup_target=0.4, warmup_steps=10),
        s.CosineDecay(0.5, 20, warmup_target=0.1, warmup_steps=10), s.CosineDecay(0.5, 20, warmup_target=0.3, warmup_steps=0),
        s.CosineDecay(0.5, 20, warmup_steps=10), s.CosineDecay(0.1, 20, warmup_target=0.1, warmup_steps=1),
        s.CosineDecayRestarts(0.5, 10), s.CosineDecayRestarts(0.5, 10, t_mul=1.0, m_mul=0.5),
        s.CosineDecayRestarts(0.5, 10, t_mul=3.0, m_mul=1.2, alpha=0.2), s.CosineDecayRestarts(1.0, 1, t_mul=1.0, alpha=0.5),
        s.CosineDecayRestarts(0.5, 30, t_mul=1, m_mul=1),
        s.PiecewiseConstantDecay([10, 20], [3.0, 2.0, 1.0]), s.PiecewiseConstantDecay([0], [1.0, 0.5]),
        s.PiecewiseConstantDecay([10.0, 30.5], [0.3, 0.2, 0.1]), s.PiecewiseConstantDecay([1, 2, 9, 30], [5.0, 4.5, 4.0, 3.5, 3.0]),
    ]
    return {"steps": steps, "cases": [
        {"object": keras.saving.serialize_keras_object(x), "rates": [numbers(ops.convert_to_tensor(x(n)))[0] for n in steps]}
        for x in made]}


with jax.enable_x64(False):
    schedules = schedule_cases()
optimizer_cases()
result = {"looks": LOOKS, "names": list(MATRIX), "shapes": list(MATRIX.values())}
root = pathlib.Path(__file__).resolve().parents[2]
output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/optimizer_runs.json"


def compact(x):
    return json.dumps(x, separators=(",", ":"))


text = compact(result)[:-1] + ',"cases":[\n' + ",\n".join(map(compact, cases)) + '\n],"schedules":' + compact(schedules) + "}\n"
output.write_text(text)
print(len(cases), "cases,", output.stat().st_size, "bytes")
