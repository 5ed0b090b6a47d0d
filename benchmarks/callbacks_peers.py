#!/usr/bin/env python3
"""What callbacks cost in Keras and in PyTorch Lightning: microseconds of a step without and with them.

Usage: python3 benchmarks/callbacks_peers.py keras|lightning [STEPS]
The network and the data are those of `cornu-bench callbacks --mode gaussians`: Dense 20-20-10-1,
Adam, batch 1. Prints lines as cornu-bench does. Needs keras with a backend, or torch and
pytorch-lightning.
"""

import json
import sys
import tempfile
import time
import warnings


def report(peer, metric, value, unit):
    print(json.dumps({"workload": "callbacks", "peer": peer, "mode": "gaussians", "metric": metric,
                      "value": round(value, 3), "unit": unit}), flush=True)


def compare(peer, bare, full, steps, repetitions=3):
    """`bare` and `full` take `steps` steps each."""
    bare()
    times = {bare: [], full: []}
    for _ in range(repetitions):
        for run in (bare, full):
            begin = time.perf_counter()
            run()
            times[run].append((time.perf_counter() - begin) / steps * 1e6)
    least = {run: min(values) for run, values in times.items()}
    report(peer, "step", least[bare], "us")
    report(peer, "step with all callbacks", least[full], "us")
    report(peer, "callbacks of a step", least[full] - least[bare], "us")


def keras_bench(steps):
    import keras
    import numpy as np
    from keras import callbacks, layers

    x = np.random.default_rng(1).normal(size=(steps, 20)).astype("float32")
    y = x.sum(axis=1, keepdims=True)
    model = keras.Sequential([keras.Input((20,)), layers.Dense(20, activation="relu"),
                              layers.Dense(10, activation="relu"), layers.Dense(1)])
    model.compile(optimizer="adam", loss="mse")
    folder = tempfile.mkdtemp()

    def everything():
        return [callbacks.TerminateOnNaN(),
                callbacks.EarlyStopping(monitor="loss", patience=100, restore_best_weights=True),
                callbacks.ReduceLROnPlateau(monitor="loss"),
                callbacks.LearningRateScheduler(lambda epoch, rate: rate),
                callbacks.ModelCheckpoint(folder + "/model.keras", monitor="loss"),
                callbacks.CSVLogger(folder + "/history.csv"),
                callbacks.TensorBoard(folder + "/logs", profile_batch=0),
                callbacks.BackupAndRestore(folder + "/backup"),
                callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: None)]

    compare(f"keras-{keras.backend.backend()}",
            lambda: model.fit(x, y, batch_size=1, verbose=0),
            lambda: model.fit(x, y, batch_size=1, verbose=0, callbacks=everything()), steps)


def lightning_bench(steps):
    import logging

    import pytorch_lightning as lightning
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    warnings.filterwarnings("ignore")
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    torch.set_num_threads(1)
    x = torch.randn(steps, 20)
    data = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=1)

    def network():
        return torch.nn.Sequential(torch.nn.Linear(20, 20), torch.nn.ReLU(), torch.nn.Linear(20, 10),
                                   torch.nn.ReLU(), torch.nn.Linear(10, 1))

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.network = network()

        def training_step(self, batch, index):
            inputs, targets = batch
            loss = ((self.network(inputs) - targets) ** 2).mean()
            self.log("loss", loss, on_step=False, on_epoch=True)
            return loss

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), fused=True)

    class Empty(lightning.Callback):
        def on_train_batch_end(self, *_):
            pass

    folder = tempfile.mkdtemp()

    def fit(full):
        from pytorch_lightning import callbacks, loggers
        listed = [callbacks.EarlyStopping("loss", patience=100),
                  callbacks.ModelCheckpoint(folder, monitor="loss"), Empty()] if full else []
        trainer = lightning.Trainer(
            max_epochs=1, accelerator="cpu", callbacks=listed, enable_progress_bar=False,
            logger=loggers.CSVLogger(folder) if full else False, enable_checkpointing=full,
            enable_model_summary=False)
        trainer.fit(Module(), data)

    def plain():
        model = network()
        optimizer = torch.optim.Adam(model.parameters(), fused=True)
        for inputs, targets in data:
            optimizer.zero_grad()
            ((model(inputs) - targets) ** 2).mean().backward()
            optimizer.step()

    compare("lightning", lambda: fit(False), lambda: fit(True), steps)
    begin = time.perf_counter()
    plain()
    report("torch, a loop of one's own", "step", (time.perf_counter() - begin) / steps * 1e6, "us")


def main():
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    if sys.argv[1:2] == ["keras"]:
        keras_bench(steps)
    elif sys.argv[1:2] == ["lightning"]:
        lightning_bench(steps)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
