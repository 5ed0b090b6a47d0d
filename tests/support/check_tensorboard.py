"""Reads the event files that Cornu wrote with TensorBoard's own reader, and compares them with those that Keras's
callback writes in the same run.

    check_tensorboard.py --probe   exits with 0 when TensorBoard, Keras and TensorFlow can be used
    check_tensorboard.py FOLDER    FOLDER/cornu is of the run that is done here in Keras; FOLDER/own is of a
                                   SummaryWriter. Exits with 1 on a difference.

Run by tests/callbacks/tensorboard_test.cpp.
"""
import json
import os
import pathlib
import sys

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.plugins.graph import keras_util
from tensorboard.plugins.hparams import plugin_data_pb2
from tensorboard.util import tensor_util

failures = []


def check(ok, text):
    if not ok:
        failures.append(text)
        print("FAILED:", text)


def waves(*shape):
    return np.sin(np.arange(np.prod(shape), dtype="float64")).astype("float32").reshape(shape)


def read(folder):
    """All tensors of a folder as {tag: (plugin, [(step, array)])}, and its graph."""
    reader = event_accumulator.EventAccumulator(str(folder), size_guidance={"tensors": 0, "graph": 0})
    reader.Reload()
    tensors = {}
    for tag in reader.Tags()["tensors"]:
        plugin = reader.SummaryMetadata(tag).plugin_data.plugin_name
        events = [(e.step, tensor_util.make_ndarray(e.tensor_proto)) for e in reader.Tensors(tag)]
        tensors[tag] = plugin, events
    graph = reader.Graph() if reader.Tags()["graph"] else None
    return tensors, graph


def pixels(value):
    width, height, *images = value
    decoded = [tf.io.decode_png(image).numpy().astype(int) for image in images]
    for image in decoded:
        check(image.shape[:2] == (int(height), int(width)), f"an image is {image.shape}, not {height} x {width}")
    return np.stack(decoded)


def compare(tag, plugin, mine, theirs):
    if plugin == "graph_keras_model" or "steps_per_second" in tag:
        return  # texts of two versions, and two machines' speeds
    check(mine.dtype == theirs.dtype and mine.shape == theirs.shape,
          f"{tag}: {mine.dtype} {mine.shape}, Keras has {theirs.dtype} {theirs.shape}")
    if plugin == "images":
        check(np.abs(pixels(mine) - pixels(theirs)).max() <= 1, f"{tag}: other pixels")
    elif plugin == "histograms":
        check(np.allclose(mine[:, :2], theirs[:, :2], atol=1e-4), f"{tag}: other edges")
        # A value at an edge may be on either side.
        check(mine[:, 2].sum() == theirs[:, 2].sum() and np.abs(mine[:, 2] - theirs[:, 2]).sum() <= 2,
              f"{tag}: other counts")
    else:
        check(np.allclose(mine, theirs, rtol=1e-4, atol=1e-5), f"{tag}: {mine}, Keras has {theirs}")


def compare_folders(mine, theirs):
    mine, theirs = read(mine)[0], read(theirs)[0]
    check(mine.keys() == theirs.keys(), f"tags {sorted(mine.keys() ^ theirs.keys())} are in one only")
    for tag in mine.keys() & theirs.keys():
        plugin, events = mine[tag]
        check(plugin == theirs[tag][0], f"{tag}: plugin {plugin}, Keras has {theirs[tag][0]}")
        steps, expected = [s for s, _ in events], [s for s, _ in theirs[tag][1]]
        check(steps == expected, f"{tag}: steps {steps}, Keras has {expected}")
        for (_, a), (_, b) in zip(events, theirs[tag][1]):
            compare(tag, plugin, a, b)
    print(f"{len(mine)} tags are Keras's")


def check_graph(graph, wanted):
    """Every input is a node, and the wanted ones are there."""
    check(graph is not None, "there is no graph")
    names = [node.name for node in graph.node]
    check(len(set(names)) == len(names), "nodes have one name")
    for node in graph.node:
        for source in node.input:
            check(source in names, f"{node.name} reads {source}, which is no node")
    for name in wanted:
        check(name in names, f"the graph has no {name}, but {names}")


def check_conceptual_graph(folder):
    """TensorBoard's own reader of the model's JSON finds the layers."""
    json_text = read(folder)[0]["keras"][1][0][1].item()
    graph = keras_util.keras_model_to_graph_def(json.loads(json_text))
    check([node.name for node in graph.node][-3:] == ["net/dense", "net/dropout", "net/dense_1"],
          f"the conceptual graph has {[node.name for node in graph.node]}")


def check_profile(folder):
    from tensorflow.tsl.profiler.protobuf import xplane_pb2
    files = list(folder.rglob("*.xplane.pb"))
    check(len(files) == 1, f"profiles: {files}")
    plane = xplane_pb2.XSpace.FromString(files[0].read_bytes()).planes[0]
    names = {plane.event_metadata[event.metadata_id].name for line in plane.lines for event in line.events}
    check(any("dense: matmul" in name for name in names), f"the profile has no product of a layer, but {names}")
    check([line.name for line in plane.lines] == ["calls", "steps"], "the profile has other lines")


def check_own(folder):
    tensors, graph = read(folder)
    check(tensors["note"][0] == "text" and tensors["note"][1][0][1] == b"**bold** text", "another text")
    check(tensors["loss"] == ("scalars", [(3, np.float32(0.25))]), "another scalar")
    step, value = tensors["picture"][1][0]
    expected = np.clip(waves(2, 5, 4, 3) * 255.5, 0, 255).astype(int)
    check(step == 1 and (pixels(value) == expected).all(), "another picture")
    from tensorboard.plugins.histogram import summary_v2
    step, rows = tensors["waves"][1][0]
    expected = summary_v2._buckets(tf.constant(waves(1000)), None).numpy()
    check(step == 2 and np.allclose(rows[:, :2], expected[:, :2], atol=1e-12), "other edges")
    check((rows[:, 2] == expected[:, 2]).all(), "other counts")
    check_graph(graph, ["input", "hidden/matmul", "hidden/kernel", "scaled/tanh", "relu"])

    reader = event_accumulator.EventAccumulator(str(folder))
    reader.Reload()
    content = reader.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    session = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info
    found = {name: getattr(value, value.WhichOneof("kind")) for name, value in session.hparams.items()}
    check(found == {"units": 32.0, "rate": 0.5, "name": "first", "bias": True}, f"hyperparameters {found}")


def main(folder):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(6, activation="relu", name="dense"),
                              keras.layers.Dropout(0.0), keras.layers.Dense(1, name="dense_1")], name="net")
    model.set_weights([waves(*weight.shape) for weight in model.weights])
    model.compile(keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
    board = keras.callbacks.TensorBoard(str(folder / "keras"), histogram_freq=1, write_images=True,
                                        write_steps_per_second=True, update_freq=2)
    x, y = waves(24, 4), waves(24, 1)
    model.fit(x, y, batch_size=4, epochs=3, verbose=0, shuffle=False, validation_data=(x, y), callbacks=[board])
    for part in ("train", "validation"):
        compare_folders(folder / "cornu" / part, folder / "keras" / part)
    check_graph(read(folder / "cornu" / "train")[1], ["dense/matmul", "dense/kernel", "dropout", "dense_1/matmul"])
    check_conceptual_graph(folder / "cornu" / "train")
    check_profile(folder / "cornu" / "train")
    check_own(folder / "own")
    return 1 if failures else 0


if __name__ == "__main__":
    if sys.argv[1] == "--probe":
        sys.exit(0)
    sys.exit(main(pathlib.Path(sys.argv[1])))
