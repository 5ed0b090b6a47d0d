"""Records what the callbacks of Keras's guide to callbacks of one's own see on small data."""

import keras
import numpy as np

from recording import RESULT, numbers


def get_model(learning_rate=0.1):
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(1)])
    model.compile(
        optimizer=keras.optimizers.RMSprop(learning_rate=learning_rate),
        loss="mean_squared_error",
        metrics=["mean_absolute_error"],
    )
    return model


x_train = np.asarray(keras.random.uniform((100, 20), seed=1))
y_train = np.asarray(keras.random.randint((100,), 0, 10, seed=2)).astype("float32")
x_test = np.asarray(keras.random.uniform((50, 20), seed=3))
y_test = np.asarray(keras.random.randint((50,), 0, 10, seed=4)).astype("float32")


class CustomCallback(keras.callbacks.Callback):
    """One line for each call: what happens, the number of the epoch or batch, the names in the logs."""

    def __init__(self):
        super().__init__()
        self.lines = []
        for what in ("train", "test", "predict"):
            for end in ("begin", "end"):
                setattr(self, f"on_{what}_{end}", self.hook(f"{what} {end}"))
                setattr(self, f"on_{what}_batch_{end}", self.numbered_hook(f"{what} batch {end}"))
        self.on_epoch_begin = self.numbered_hook("epoch begin")
        self.on_epoch_end = self.numbered_hook("epoch end")

    def hook(self, name):
        return lambda logs=None: self.note(name, logs)

    def numbered_hook(self, name):
        return lambda number, logs=None: self.note(f"{name} {number}", logs)

    def note(self, name, logs):
        # predict hands its outputs on; they are no figures.
        self.lines.append(" ".join([name + ":"] + sorted(key for key in logs or {} if key != "outputs")))


class LossAndErrorPrintingCallback(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.train, self.test, self.epochs = [], [], []

    def on_train_batch_end(self, batch, logs=None):
        self.train.append(logs["loss"])

    def on_test_batch_end(self, batch, logs=None):
        self.test.append(logs["loss"])

    def on_epoch_end(self, epoch, logs=None):
        self.epochs += [logs["loss"], logs["mean_absolute_error"]]


class EarlyStoppingAtMinLoss(keras.callbacks.Callback):
    def __init__(self, patience=0):
        super().__init__()
        self.patience = patience
        self.best_weights = None

    def on_train_begin(self, logs=None):
        self.wait = 0
        self.stopped_epoch = 0
        self.best = np.inf

    def on_epoch_end(self, epoch, logs=None):
        current = logs.get("loss")
        if np.less(current, self.best):
            self.best = current
            self.wait = 0
            self.best_weights = self.model.get_weights()
        else:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped_epoch = epoch
                self.model.stop_training = True
                self.model.set_weights(self.best_weights)


class CustomLearningRateScheduler(keras.callbacks.Callback):
    def __init__(self, schedule):
        super().__init__()
        self.schedule = schedule
        self.rates = []

    def on_epoch_begin(self, epoch, logs=None):
        lr = self.model.optimizer.learning_rate
        scheduled_lr = self.schedule(epoch, float(lr))
        self.model.optimizer.learning_rate = scheduled_lr
        self.rates.append(float(self.model.optimizer.learning_rate))


def lr_schedule(epoch, lr):
    return dict([(3, 0.05), (6, 0.01), (9, 0.005), (12, 0.001)]).get(epoch, lr)


noting = CustomCallback()
model = get_model()
model.fit(
    x_train, y_train, batch_size=32, epochs=1, verbose=0, validation_split=0.5, shuffle=False, callbacks=[noting]
)
model.evaluate(x_test, y_test, batch_size=32, verbose=0, callbacks=[noting])
model.predict(x_test, batch_size=32, verbose=0, callbacks=[noting])
RESULT["calls"] = {"lines": noting.lines}

printing = LossAndErrorPrintingCallback()
model = get_model()
model.fit(x_train, y_train, batch_size=32, epochs=2, verbose=0, shuffle=False, callbacks=[printing])
model.evaluate(x_test, y_test, batch_size=32, verbose=0, callbacks=[printing])
RESULT["printed"] = {
    "train": numbers(printing.train),
    "test": numbers(printing.test),
    "epochs": numbers(printing.epochs),
}

# A rate at which the loss goes up again after some epochs.
for patience in (0, 2):
    stopping = EarlyStoppingAtMinLoss(patience)
    model = get_model(0.5)
    history = model.fit(
        x_train, y_train, batch_size=32, epochs=30, verbose=0, shuffle=False, callbacks=[stopping]
    )
    RESULT[f"stopped_{patience}"] = {
        "history": {key: numbers(values) for key, values in history.history.items()},
        "epoch": [stopping.stopped_epoch],
        "kernel": numbers(model.get_weights()[0]),
    }

scheduler = CustomLearningRateScheduler(lr_schedule)
model = get_model()
history = model.fit(x_train, y_train, batch_size=32, epochs=15, verbose=0, shuffle=False, callbacks=[scheduler])
RESULT["scheduled"] = {
    "history": {key: numbers(values) for key, values in history.history.items()},
    "rates": numbers(scheduler.rates),
}
