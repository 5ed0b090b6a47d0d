"""Writes what keras.utils.model_to_dot makes of some models, for tests/framework/model/plot/plot_model_test.cpp.

Run with Keras 3.15 and pydot, from the repository's root:
python tools/goldens/plot_goldens.py tests/data/plot_model.json
For each case: the model's JSON, the options, the nodes' labels, the edges by the places of their nodes, and the clusters
with the labels of the nodes directly in them.
"""
import json
import sys

import keras
from keras import layers as L


def walk(graph, labels, edges, clusters):
    for node in graph.get_nodes():
        if node.get_name() == "node":
            continue
        labels[node.get_name()] = node.get("label")[1:-1]
        if graph.get_type() == "subgraph":
            clusters[-1]["labels"].append(labels[node.get_name()])
    edges += [(e.get_source(), e.get_destination()) for e in graph.get_edges()]
    for inner in graph.get_subgraphs():
        clusters.append({"name": inner.get("label").strip('"'), "labels": []})
        walk(inner, labels, edges, clusters)


def case(name, model, **options):
    labels, edges, clusters = {}, [], []
    walk(keras.utils.model_to_dot(model, **options), labels, edges, clusters)
    return {
        "name": name, "model": model.to_json(), "options": options, "labels": sorted(labels.values()),
        "edges": sorted([labels[a], labels[b]] for a, b in edges),
        "clusters": sorted(clusters, key=lambda c: c["name"]),
    }


everything = dict(show_shapes=True, show_dtype=True, show_layer_activations=True, show_trainable=True)

stack = keras.Sequential([
    keras.Input((8, 8, 1)),
    L.Conv2D(4, 3, activation="relu", name="conv"),
    L.MaxPooling2D(name="pool"),
    L.Flatten(name="flat"),
    L.Dense(10, activation="softmax", name="out"),
], name="stack")

a, b = keras.Input((16,), name="a"), keras.Input((16,), name="b")
shared = L.Dense(16, name="shared")
x = L.Concatenate(name="join")([shared(a), shared(shared(b))])
y = L.LSTM(3, name="lstm")(L.Reshape((4, 8), name="steps")(x))
frozen = L.Dense(2, name="frozen", trainable=False)
graph = keras.Model([a, b], [frozen(x), L.Dense(1, name="right")(y * 2.0 + 1.0)], name="graph")

p, q = keras.Input((8,), name="p"), keras.Input((8,), name="q")
mixer = keras.Model([p, q], [L.Add(name="sum")([p, q]), L.Dense(3, name="side")(q)], name="mixer")
encoder = keras.Sequential([L.Dense(8, name="first"), L.Dropout(0.5, name="drop"), L.Dense(8, name="last")],
                           name="encoder")
c, d = keras.Input((5,), name="c"), keras.Input((5,), name="d")
one, two = mixer([encoder(c), encoder(d)])
nested = keras.Model([c, d], L.Concatenate(name="end")([one, two]), name="nested")

cases = [
    case("plain stack", stack),
    case("stack", stack, **everything),
    case("stack without names", stack, show_layer_names=False, show_dtype=True),
    case("graph", graph),
    case("graph with all", graph, **everything),
    case("nested", nested, show_shapes=True),
    case("nested expanded", nested, expand_nested=True, show_shapes=True),
]
json.dump(cases, open(sys.argv[1], "w"), indent=1)
