"""Records what Keras's optimizers, schedules, initializers and penalties do, for the tests.

Run with KERAS_BACKEND=jax from the repository's root:
    python tools/goldens/optimizer_goldens.py
Writes tests/data/optimizers.json and tests/data/initializers.json.
"""

import json

import keras
import numpy as np
from keras import constraints, initializers, optimizers, regularizers

STEPS = 4
SHAPES = {"kernel": (2, 3), "bias": (3,)}


def numbers(x):
    """A tensor as a flat list, short but exact for float32."""
    flat = np.asarray(x).astype("float64").reshape(-1)
    return [float(f"{v:.9g}") for v in flat]


def config(x):
    return keras.saving.serialize_keras_object(x)


def optimizer_case(make, exclude=None, missing=(), constraint=None, finalize=False):
    rng = np.random.default_rng(1)
    start = {n: rng.normal(size=s).astype("float32") for n, s in SHAPES.items()}
    gradients = [[rng.normal(size=s).astype("float32") for s in SHAPES.values()] for _ in range(STEPS)]
    optimizer = make()
    case = {"object": config(optimizer)}
    if exclude:
        optimizer.exclude_from_weight_decay(var_names=exclude)
        case["exclude"] = exclude
    variables = [keras.Variable(v, name=n) for n, v in start.items()]
    if constraint:
        variables[0].constraint = constraint
        case["constraint"] = config(constraint)
    optimizer.build(variables)
    case["after"] = []
    for step in range(STEPS):
        grads = [None if [step, i] in missing else keras.ops.array(g) for i, g in enumerate(gradients[step])]
        optimizer.apply(grads, variables)
        case["after"].append([numbers(v) for v in variables])
    if missing:
        case["missing"] = missing
    case["state"] = [numbers(v) for v in optimizer.variables]
    case["names"] = [v.name for v in optimizer.variables][2:5]
    if finalize:
        optimizer.finalize_variable_values(variables)
        case["final"] = [numbers(v) for v in variables]
    return case


def optimizer_cases():
    o = optimizers
    cases = {
        "sgd": lambda: o.SGD(0.1),
        "sgd momentum": lambda: o.SGD(0.1, momentum=0.9),
        "sgd nesterov": lambda: o.SGD(0.1, momentum=0.8, nesterov=True),
        "sgd clipnorm": lambda: o.SGD(0.1, clipnorm=0.5),
        "sgd clipvalue": lambda: o.SGD(0.1, clipvalue=0.3),
        "sgd global_clipnorm": lambda: o.SGD(0.1, global_clipnorm=1.5),
        "sgd loss_scale": lambda: o.SGD(0.1, loss_scale_factor=8.0),
        "sgd weight_decay": lambda: o.SGD(0.1, weight_decay=0.1),
        "sgd accumulation": lambda: o.SGD(0.1, gradient_accumulation_steps=2, clipnorm=0.5),
        "adam": lambda: o.Adam(0.05),
        "adam amsgrad": lambda: o.Adam(0.05, beta_1=0.7, beta_2=0.8, epsilon=1e-4, amsgrad=True),
        "adam weight_decay": lambda: o.Adam(0.05, weight_decay=0.05),
        "adam accumulation": lambda: o.Adam(0.05, weight_decay=0.05, gradient_accumulation_steps=2),
        "adam schedule": lambda: o.Adam(o.schedules.ExponentialDecay(0.1, 2, 0.5)),
        "adamw": lambda: o.AdamW(0.05),
        "rmsprop": lambda: o.RMSprop(0.05),
        "rmsprop momentum": lambda: o.RMSprop(0.05, rho=0.8, momentum=0.5),
        "rmsprop centered": lambda: o.RMSprop(0.05, rho=0.8, centered=True),
        "rmsprop centered momentum": lambda: o.RMSprop(0.05, momentum=0.5, centered=True),
        "adagrad": lambda: o.Adagrad(0.1, initial_accumulator_value=0.2),
        "adadelta": lambda: o.Adadelta(1.0, rho=0.8),
        "adamax": lambda: o.Adamax(0.05),
        "nadam": lambda: o.Nadam(0.05),
        "nadam accumulation": lambda: o.Nadam(0.05, gradient_accumulation_steps=2),
        "lion": lambda: o.Lion(0.01, weight_decay=0.1),
        "ftrl": lambda: o.Ftrl(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
        "ftrl power": lambda: o.Ftrl(
            0.1, learning_rate_power=-0.7, l2_shrinkage_regularization_strength=0.05, beta=0.1
        ),
        "adafactor": lambda: o.Adafactor(0.05),
        "adafactor options": lambda: o.Adafactor(
            0.5, beta_2_decay=-0.5, epsilon_2=0.01, clip_threshold=0.5, relative_step=False, weight_decay=0.1
        ),
        "lamb": lambda: o.Lamb(0.05, weight_decay=0.1),
        "muon": lambda: o.Muon(0.05, adam_lr_ratio=0.5),
        "muon options": lambda: o.Muon(
            0.05, weight_decay=None, adam_weight_decay=0.1, nesterov=False, rms_rate=None, ns_steps=3
        ),
        "muon exclude": lambda: o.Muon(0.05, exclude_layers=["ker"]),
        "schedule free": lambda: o.ScheduleFreeAdamW(0.05, weight_decay=0.1),
        "schedule free warmup": lambda: o.ScheduleFreeAdamW(0.05, warmup_steps=3),
        "lamb accumulation": lambda: o.Lamb(0.05, gradient_accumulation_steps=2),
        "multi": lambda: o.MultiOptimizer(o.OptimizerMap(o.SGD(0.1), {"bi.*": o.Adam(0.05)})),
    }
    result = {name: optimizer_case(make) for name, make in cases.items()}
    result["adamw exclude"] = optimizer_case(lambda: o.AdamW(0.05, weight_decay=0.2), exclude=["^bi.s$"])
    result["adam missing"] = optimizer_case(lambda: o.Adam(0.05), missing=[[1, 0], [2, 1]])
    result["sgd ema"] = optimizer_case(lambda: o.SGD(0.1, use_ema=True, ema_momentum=0.8), finalize=True)
    result["adam ema overwrite"] = optimizer_case(
        lambda: o.Adam(0.1, use_ema=True, ema_momentum=0.8, ema_overwrite_frequency=3), finalize=True
    )
    result["sgd ema accumulation"] = optimizer_case(
        lambda: o.SGD(0.1, use_ema=True, ema_momentum=0.8, gradient_accumulation_steps=2), finalize=True
    )
    result["sgd constraint"] = optimizer_case(
        lambda: o.SGD(0.1, momentum=0.9), constraint=constraints.MaxNorm(0.5, axis=0)
    )
    return result


def schedule_cases():
    s = optimizers.schedules
    steps = [0, 1, 3, 5, 6, 10, 11, 20, 21, 57, 1000]
    schedules = [
        s.ExponentialDecay(0.1, 10, 0.5),
        s.ExponentialDecay(0.1, 10, 0.5, staircase=True),
        s.InverseTimeDecay(0.1, 10, 0.5),
        s.InverseTimeDecay(0.1, 10, 0.5, staircase=True),
        s.PolynomialDecay(0.1, 20),
        s.PolynomialDecay(0.1, 20, 0.01, power=2.0, cycle=True),
        s.CosineDecay(0.1, 20, alpha=0.1),
        s.CosineDecay(0.01, 20, warmup_target=0.1, warmup_steps=5),
        s.CosineDecayRestarts(0.1, 5, t_mul=1.5, m_mul=0.9, alpha=0.05),
        s.CosineDecayRestarts(0.1, 5, t_mul=1.0),
        s.PiecewiseConstantDecay([5, 20], [1.0, 0.5, 0.1]),
        s.PiecewiseConstantDecay([5.5], [1.0, 0.5]),
    ]
    return {
        "steps": steps,
        "cases": [{"object": config(x), "rates": [float(f"{float(x(n)):.9g}") for n in steps]} for x in schedules],
    }


def initializer_cases():
    i = initializers
    makers = [
        (i.Zeros(), (2, 3)),
        (i.Ones(), (2,)),
        (i.Constant(-2), (2, 2)),
        (i.Constant(0.3), ()),
        (i.Identity(), (2, 3)),
        (i.RandomUniform(-1.0, 2.0, seed=3), (2, 3)),
        (i.RandomNormal(0.5, 0.2, seed=4), (2, 3)),
        (i.TruncatedNormal(0.1, 0.3, seed=5), (7,)),
        (i.VarianceScaling(0.5, "fan_out", "untruncated_normal", seed=6), (3, 2)),
        (i.VarianceScaling(2.0, "fan_avg", "normal", seed=6), (3, 2)),
        (i.GlorotUniform(seed=1), (3, 4)),
        (i.GlorotUniform(seed=1), (2, 1, 3, 2)),
        (i.GlorotUniform(seed=1, input_axes=[0], output_axes=[1, 2]), (2, 3, 2)),
        (i.GlorotNormal(seed=2), (5,)),
        (i.HeUniform(seed=1), (3, 4)),
        (i.HeNormal(seed=1), (3, 4)),
        (i.LecunUniform(seed=1), (3, 4)),
        (i.LecunNormal(seed=1), (3, 4)),
        (i.Orthogonal(seed=7), (4, 3)),
        (i.Orthogonal(gain=1.5, seed=8), (2, 1, 5)),
        (i.STFT(), (6, 1, 5)),
        (i.STFT("imag", "blackman", None, periodic=True), (5, 1, 3)),
        (i.STFT(window=None), (4, 1, 3)),
        *((i.STFT(window=w, scaling="spectrum"), (7, 1, 3)) for w in (
            "hamming", "bartlett", "triang", "cosine", "parzen", "tukey", "barthann", "bohman", "nuttall", "flattop",
            "boxcar", "blackmanharris")),
    ]
    return [{"object": config(x), "shape": s, "values": numbers(x(s, "float32"))} for x, s in makers]


def penalty_cases():
    x = np.random.default_rng(2).normal(size=(3, 4)).astype("float32")
    x[0, 0] = 0
    r, c = regularizers, constraints
    objects = [
        r.L1(0.02), r.L2(0.03), r.L1L2(0.01, 0.02), r.L1L2(), r.OrthogonalRegularizer(0.1),
        r.OrthogonalRegularizer(0.1, mode="columns"), c.MaxNorm(1.5), c.MaxNorm(1, axis=[0, 1]),
        c.MinMaxNorm(0.5, 1.5, rate=0.3, axis=1), c.NonNeg(), c.UnitNorm(axis=1),
    ]
    return {"x": numbers(x), "cases": [{"object": config(o), "values": numbers(o(keras.ops.array(x)))} for o in objects]}


def write(path, value):
    with open(path, "w") as f:
        json.dump(value, f, separators=(",", ":"))
        f.write("\n")


def gradients():
    rng = np.random.default_rng(1)
    start = [numbers(rng.normal(size=s).astype("float32")) for s in SHAPES.values()]
    steps = [[numbers(rng.normal(size=s).astype("float32")) for s in SHAPES.values()] for _ in range(STEPS)]
    return {"start": start, "gradients": steps}


if __name__ == "__main__":
    write("tests/data/optimizers.json",
          {**gradients(), "optimizers": optimizer_cases(), "schedules": schedule_cases()})
    write("tests/data/initializers.json",
          {"initializers": initializer_cases(), "penalties": penalty_cases()})
