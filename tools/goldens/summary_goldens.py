"""Records what Keras's Model.summary prints outside of a terminal, for tests/framework/model/summary_test.cpp.

Run with Keras 3.15: KERAS_BACKEND=tensorflow python tools/goldens/summary_goldens.py tests/data/summaries.json
On TensorFlow, where an optimizer's counter of steps has eight bytes as in Cornu; on JAX it has four.
"""
import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ["COLUMNS"] = "80"
import keras
import numpy as np
from keras import layers

texts = {}


def record(name, model, **options):
    lines = []
    model.summary(print_fn=lines.append, **options)
    texts[name] = "".join(lines)


def stack():
    keras.utils.clear_session()
    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Conv2D(4, 3),
            layers.MaxPooling2D(),
            layers.BatchNormalization(),
            layers.Flatten(),
            layers.Dense(10, name="logits"),
        ],
        name="stack",
    )


model = stack()
record("stack", model)
record("stack_60", model, line_length=60)
record("stack_120", model, line_length=120)
record("stack_20", model, line_length=20)
record("stack_positions", model, line_length=70, positions=[0.4, 0.7, 1.0])
record("stack_positions_short", model, line_length=70, positions=[0.4, 0.6, 0.8])
record("stack_range", model, layer_range=["max", "flat"])
record("stack_range_turned", model, layer_range=["flat", "max"])
record("stack_trainable", model, show_trainable=True)
model.layers[2].trainable = False
record("stack_frozen", model, show_trainable=True, line_length=78)

keras.utils.clear_session()
a, b = keras.Input((4,), name="a"), keras.Input((4,), name="b")
shared = layers.Dense(3, name="shared")
pair = keras.Model([a, b], shared(a) * shared(b), name="pair")
record("pair", pair)
record("pair_trainable", pair, show_trainable=True)

keras.utils.clear_session()
x = keras.Input((4,), name="x")
inner = keras.Sequential([layers.Dense(5), layers.Dropout(0.1)], name="inner")
outer = keras.Model(x, layers.Dense(1, name="a_layer_with_quite_a_long_name_indeed")(inner(x)), name="outer")
record("outer", outer)
record("outer_expanded", outer, expand_nested=True)
outer.compile("adam", "mse")
outer.fit(np.ones((4, 4)), np.ones((4, 1)), verbose=0)
record("outer_trained", outer, expand_nested=True, show_trainable=True)

keras.utils.clear_session()
record("unbuilt", keras.Sequential([layers.Dense(3)], name="unbuilt"))
x = keras.Input((6, 3), name="x")
whole, state, _ = layers.LSTM(4, return_state=True, name="lstm")(x)
record("states", keras.Model(x, whole + state, name="states"))
x = keras.Input((4,), name="x")
record("ops", keras.Model(x, x[:, 1:3] * 2.0, name="ops"))

keras.utils.clear_session()
x = keras.Input((4,), name="x")
graph_in = keras.Input((4,), name="graph_in")
graph = keras.Model(graph_in, layers.Dense(5, name="d")(graph_in), name="graph")
series = keras.Sequential([keras.Input((4,)), layers.Dense(5, name="e")], name="series")
record("nested", keras.Model(x, graph(x) + series(x), name="nested"), expand_nested=True)

with open(sys.argv[1], "w") as file:
    json.dump(texts, file, indent=1, ensure_ascii=False)
    file.write("\n")
