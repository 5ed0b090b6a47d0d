"""Records how Keras distills small models, for tests/framework/model/distillation/distiller_test.cpp.

Run with Keras 3.15 on the JAX backend: KERAS_BACKEND=jax python distillation_goldens.py tests/data/distillation.json
Keras cannot train models of several outputs so: compile keeps dictionaries and lists of losses in a form of its own.
For each case: the configs of teacher and student with their weights, the distillation losses and the other options of
Distiller, the data, the histories of fit, what evaluate gives, and the student's weights at the end.
"""
import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np
from keras import distillation as D
from keras import layers as L

random = np.random.default_rng(13)


def array(a):
    a = np.asarray(a)
    return {"shape": list(a.shape), "dtype": str(a.dtype), "values": [float(f"{v:.7g}") for v in a.ravel().tolist()]}


def net(units, name):
    x = keras.Input((4,), name="x")
    hidden = L.Dense(units, activation="tanh", name="hidden")(x)
    features = L.Dense(3, activation="relu", name="features")(hidden)
    y = L.Dense(3, name="logits")(features)
    return keras.Model(x, y, name=name)


def record(name, losses, loss, y, weights=None, share=0.5, metrics=None):
    teacher, student = net(8, "teacher"), net(5, "student")
    for model in teacher, student:
        model.set_weights([(random.normal(size=w.shape) * 0.7).round(2).astype("float32") for w in model.weights])
    case = {"name": name, "teacher": json.loads(teacher.to_json()), "student": json.loads(student.to_json()),
            "teacher_weights": [array(w) for w in teacher.get_weights()],
            "student_weights": [array(w) for w in student.get_weights()],
            "losses": [keras.saving.serialize_keras_object(loss) for loss in losses], "weights": weights, "share": share,
            "loss": loss, "metrics": metrics}
    x = random.normal(size=(14, 4)).round(2).astype("float32")
    distiller = D.Distiller(teacher, student, losses, distillation_loss_weights=weights, student_loss_weight=share)
    distiller.compile(keras.optimizers.SGD(0.05), loss=loss, metrics=metrics)
    history = distiller.fit(x, y, batch_size=6, epochs=3, shuffle=False, verbose=0).history
    figures = distiller.evaluate(x, y, batch_size=6, verbose=0, return_dict=True)
    case.update({"x": array(x), "history": history, "evaluate": figures,
                 "y": array(y), "after": [array(w) for w in student.get_weights()],
                 "y_pred": array(student.predict(x, verbose=0))})
    return case


labels = random.integers(0, 3, 14).astype("int32")
crossentropy = "sparse_categorical_crossentropy"
cases = [
    record("logits", [D.LogitsDistillation(temperature=2.0)], crossentropy, labels),
    record("softened logits", [D.LogitsDistillation(loss=keras.losses.KLDivergence())], crossentropy, labels,
           share=0.25, metrics=["accuracy"]),
    record("features", [D.FeatureDistillation("mse", "features", "features"),
                        D.LogitsDistillation(4.0, keras.losses.CategoricalCrossentropy(from_logits=True))],
           crossentropy, labels, weights=[0.3, 2.0]),
    record("outputs", [D.FeatureDistillation("mae")], crossentropy, labels, share=0.0),
]
with open(sys.argv[1], "w") as file:
    json.dump({"cases": cases}, file, separators=(",", ":"))
