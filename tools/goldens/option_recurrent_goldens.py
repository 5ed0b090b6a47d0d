"""Recurrent layers with options of all kinds, for tests/layers/recurrent/recurrent_options_test.cpp.

KERAS_BACKEND=jax python option_recurrent_goldens.py tests/data
"""
import sys

from option_recorder import Area, numbers, spec
import itertools
import keras
import numpy as np
from keras import layers as L

area = Area()
record = area.record
steps = np.array([[0, 1, 1, 0], [1, 0, 1, 1]], bool)
late = np.array([[1, 1, 0, 0], [0, 0, 0, 0]], bool)


def states(count, units=2, batch=2):
    return [numbers((batch, units), 900 + k) for k in range(count)]


x = (2, 4, 3)
for kind, count in ((L.LSTM, 2), (L.GRU, 1), (L.SimpleRNN, 1)):
    n = kind.__name__
    for unroll in (False, True):
        u = dict(unroll=unroll)
        t = n + (" unrolled" if unroll else "")
        record(f"{t}: backwards, masked, sequences and states",
               kind(2, return_sequences=True, return_state=True, go_backwards=True, **u), x, mask=steps)
        record(f"{t}: backwards, masked, last alone", kind(2, go_backwards=True, **u), x, mask=steps)
        record(f"{t}: masked to the end, state", kind(2, return_state=True, **u), x, mask=late)
        if not unroll:  # on which Keras's backends differ
            record(f"{t}: zeros for masked steps, last alone", kind(2, zero_output_for_mask=True, return_state=True, **u), x, mask=late)
            record(f"{t}: zeros for masked steps, backwards",
                   kind(2, zero_output_for_mask=True, return_sequences=True, go_backwards=True, **u), x, mask=steps)
        else:  # rolled, backends differ in what a masked first step gives
            record(f"{t}: first states and mask", kind(2, return_sequences=True, return_state=True, **u), x, mask=steps,
                   initial_state=states(count))
        record(f"{t}: stateful, second call", kind(2, stateful=True, return_state=True, **u), x, calls=2)
        record(f"{t}: stateful backwards with a mask, third call",
               kind(2, stateful=True, return_sequences=True, go_backwards=True, return_state=True, **u), x, calls=3, mask=steps)
        record(f"{t}: dropout masked", kind(2, dropout=0.4, recurrent_dropout=0.3, seed=11, return_sequences=True, **u), x,
               mask=steps, training=True)
    record(f"{n}: dropout, second call", kind(2, dropout=0.4, recurrent_dropout=0.3, seed=12), x, training=True, calls=2)
    record(f"{n}: dropout of the states alone", kind(2, recurrent_dropout=0.5, seed=13), x, training=True, calls=2)
    record(f"{n}: dropout outside of training, then in", kind(2, dropout=0.5, seed=14), x, training=False, calls=2)
    record(f"{n}: one step", kind(2, return_sequences=True, return_state=True), (2, 1, 3))
    record(f"{n}: one sample, one feature", kind(1), (1, 3, 1))
    record(f"{n}: regularizers", kind(2, kernel_regularizer="l2", recurrent_regularizer="l1", bias_regularizer="L1L2",
                                      activity_regularizer="l2", return_sequences=True), x)
    record(f"{n}: no bias, relu", kind(2, use_bias=False, activation="relu"), x)
    if kind is not L.GRU:  # whose state Keras on JAX turns to float32
        record(f"{n}: bfloat16", kind(2, dtype="mixed_bfloat16", return_state=True), x, gradients=False)
    record(f"{n}: frozen", kind(2, trainable=False), x)
    record(f"{n}: carried mask", kind(2, return_sequences=True), x, masks=[steps])
    record(f"{n}: linear", kind(2, activation=None), x)
record("GRU: reset before, backwards", L.GRU(2, reset_after=False, go_backwards=True, return_sequences=True, return_state=True), x, mask=steps)
record("GRU: reset before, dropout", L.GRU(2, reset_after=False, dropout=0.2, recurrent_dropout=0.4, seed=3, activation="elu"), x, training=True)
record("GRU: reset after without bias", L.GRU(2, reset_after=True, use_bias=False, recurrent_activation="hard_sigmoid"), x)
record("LSTM: gates", L.LSTM(2, recurrent_activation="hard_sigmoid", activation="softsign", unit_forget_bias=False), x)

for mode in ("concat", "sum", "mul", "ave", None):
    record(f"Bidirectional: {mode}, mask", L.Bidirectional(L.GRU(2, return_sequences=True, return_state=True), merge_mode=mode), x, mask=steps)
    record(f"Bidirectional: {mode}, last, first states", L.Bidirectional(L.LSTM(2), merge_mode=mode), x, initial_state=states(4))
    record(f"Bidirectional: {mode}, carried mask", L.Bidirectional(L.SimpleRNN(2, return_sequences=True), merge_mode=mode), x, masks=[steps])
record("Bidirectional: own backward layer", L.Bidirectional(L.LSTM(2, return_sequences=True), backward_layer=L.GRU(3, return_sequences=True, go_backwards=True)), x, mask=steps)
record("Bidirectional: backwards inside", L.Bidirectional(L.GRU(2, go_backwards=True, return_sequences=True), backward_layer=L.GRU(2, return_sequences=True)), x)
record("Bidirectional: dropout", L.Bidirectional(L.LSTM(2, dropout=0.3, recurrent_dropout=0.3, seed=5)), x, training=True)
record("Bidirectional: RNN of cells", L.Bidirectional(L.RNN([L.GRUCell(2), L.LSTMCell(3)], return_sequences=True)), x, mask=steps)
record("Bidirectional: state and first states with a mask", L.Bidirectional(L.GRU(2, return_state=True), merge_mode=None), x, mask=steps, initial_state=states(2))
record("Bidirectional: regularized", L.Bidirectional(L.GRU(2, kernel_regularizer="l2"), activity_regularizer="l1"), x)

for r in (False, True):
    record(f"RNN of three: states {r}", L.RNN([L.LSTMCell(2), L.GRUCell(3), L.SimpleRNNCell(2)], return_sequences=r, return_state=True), x)
    record(f"RNN of three: backwards, mask {r}", L.RNN([L.LSTMCell(2), L.GRUCell(3), L.SimpleRNNCell(2)], return_sequences=r, return_state=True, go_backwards=True), x, mask=steps)
    record(f"RNN of three: unrolled, mask {r}", L.RNN([L.SimpleRNNCell(2), L.GRUCell(3)], return_sequences=r, unroll=True), x, mask=steps)
    record(f"RNN of three: zeros for mask {r}", L.RNN([L.SimpleRNNCell(2), L.GRUCell(3)], return_sequences=r, zero_output_for_mask=True, return_state=True), x, mask=late)
record("RNN of a stack: dropout", L.RNN(L.StackedRNNCells([L.GRUCell(2, dropout=.3, recurrent_dropout=.2, seed=1), L.SimpleRNNCell(2, dropout=.4, seed=2)])), x, training=True)
record("RNN: stateful", L.RNN(L.LSTMCell(2), stateful=True, return_sequences=True), x, calls=2)

td = L.TimeDistributed
record("TimeDistributed: Conv2D with a mask", td(L.Conv2D(2, 2, strides=2, padding="same", activation="relu")), (2, 3, 4, 3, 2), mask=steps[:, :3])
record("TimeDistributed: Conv1D causal", td(L.Conv1D(2, 2, dilation_rate=2, padding="causal")), (2, 3, 4, 2))
record("TimeDistributed: BatchNormalization", td(L.BatchNormalization()), x, training=True)
record("TimeDistributed: LSTM", td(L.LSTM(2)), (2, 3, 2, 2))
record("TimeDistributed: LSTM, mask", td(L.LSTM(2)), (2, 2, 4, 2), mask=np.array([[steps[0], steps[1]], [late[0], steps[0]]]))
record("TimeDistributed: GRU sequences, mask", td(L.GRU(2, return_sequences=True)), (2, 2, 4, 2), mask=np.array([[steps[0], steps[1]], [late[0], steps[0]]]))
record("TimeDistributed: Dropout", td(L.Dropout(0.5, seed=4)), x, training=True)
record("TimeDistributed: TimeDistributed", td(td(L.Dense(2))), (2, 3, 2, 4))
record("TimeDistributed: Embedding", td(L.Embedding(5, 2)), spec((2, 3, 4), dtype="int32", below=5))
record("TimeDistributed: Dense regularized", td(L.Dense(2, kernel_regularizer="l2", activity_regularizer="l1")), x)
record("TimeDistributed: Flatten", td(L.Flatten()), (2, 3, 2, 2))
record("TimeDistributed: LayerNormalization", td(L.LayerNormalization()), (2, 3, 4))
record("TimeDistributed: MaxPooling2D", td(L.MaxPooling2D()), (1, 2, 4, 4, 1))
record("TimeDistributed: carried mask", td(L.Dense(2)), x, masks=[steps])
record("TimeDistributed: Softmax", td(L.Softmax()), x)
record("TimeDistributed: masked softmax", td(L.Softmax()), (2, 4, 3), mask=numbers((2, 4, 3), 3, "int32").astype(bool))
record("TimeDistributed: Bidirectional", td(L.Bidirectional(L.GRU(2))), (2, 2, 3, 2))
record("TimeDistributed: UnitNormalization", td(L.UnitNormalization()), x)
record("TimeDistributed: one step", td(L.Dense(2)), (2, 1, 3))

first = dict(data_format="channels_first")
record("ConvLSTM1D", L.ConvLSTM1D(2, 2, return_sequences=True, return_state=True), (2, 3, 4, 2), fixed_axes=True)
record("ConvLSTM1D: dropout", L.ConvLSTM1D(2, 2, dropout=.4, recurrent_dropout=.3, seed=8, padding="same"), (2, 3, 4, 2), training=True, calls=2, fixed_axes=True)
record("ConvLSTM1D: dilation", L.ConvLSTM1D(1, 2, dilation_rate=2, use_bias=False), (2, 3, 5, 2), fixed_axes=True)
record("ConvLSTM1D: strides", L.ConvLSTM1D(1, 3, strides=2, padding="same"), (2, 3, 5, 2), fixed_axes=True)
record("ConvLSTM2D: channels first", L.ConvLSTM2D(2, (2, 1), padding="same", **first), (1, 2, 2, 3, 3), fixed_axes=True)
record("ConvLSTM2D: strides, unrolled", L.ConvLSTM2D(2, 2, strides=(2, 1), unroll=True, return_sequences=True), (1, 3, 4, 3, 1), fixed_axes=True)
record("ConvLSTM2D: stateful", L.ConvLSTM2D(1, 2, stateful=True, return_sequences=True), (1, 2, 3, 3, 2), calls=2, fixed_axes=True)
record("ConvLSTM2D: channels first, dropout", L.ConvLSTM2D(1, 2, dropout=.3, recurrent_dropout=.3, seed=2, **first), (1, 2, 2, 3, 3), training=True, fixed_axes=True)
record("ConvLSTM3D: activations", L.ConvLSTM3D(1, 2, activation="relu", recurrent_activation="hard_sigmoid"), (1, 2, 2, 3, 2, 1), fixed_axes=True)
record("ConvLSTM2D: first states", L.ConvLSTM2D(1, 2, return_state=True), (1, 2, 3, 3, 2), initial_state=[numbers((1, 2, 2, 1), 5), numbers((1, 2, 2, 1), 6)], fixed_axes=True)
record("ConvLSTM1D: Bidirectional", L.Bidirectional(L.ConvLSTM1D(1, 2, return_sequences=True)), (2, 3, 3, 1), fixed_axes=True)
record("ConvLSTM1D: regularizers", L.ConvLSTM1D(1, 2, kernel_regularizer="l2", recurrent_regularizer="l1", bias_regularizer="l2", activity_regularizer="l2"), (1, 2, 3, 1), fixed_axes=True)
area.write(sys.argv[1], {"lstm": ("LSTM",), "gru": ("GRU",), "simple_rnn": ("SimpleRNN",), "bidirectional": ("Bidirectional",),
                         "rnn": ("RNN",), "time_distributed": ("TimeDistributed",), "conv_lstm": ("ConvLSTM",)})
