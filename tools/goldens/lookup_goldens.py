"""Prints what the tests of the look-up, hashing and text layers expect, from Keras on TensorFlow.

Run: KERAS_BACKEND=tensorflow python tools/goldens/lookup_goldens.py
"""

import keras
import numpy as np
import tensorflow as tf

layers = keras.layers


def show(name, value):
    value = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
    print(name, value.dtype, value.shape, value.ravel().tolist())


texts = [bytes((n * 37 + 11) % 251 for n in range(length)) for length in (0, 3, 7, 12, 20, 50, 64, 65, 200)]
big = 2**62 + 1
show("fingerprints", tf.strings.to_hash_bucket_fast(texts, big))
show("sip", tf.strings.to_hash_bucket_strong(texts, big, key=[133, 137]))

words = tf.constant([["the", "cat"], ["dog", ""]])
vocabulary = ["the", "cat", "sat"]
for n in (1, 3):
    for mask in (None, ""):
        show(f"string_int {n} {mask}", layers.StringLookup(vocabulary=vocabulary, num_oov_indices=n, mask_token=mask)(words))
show("string_salt", layers.StringLookup(vocabulary=vocabulary, num_oov_indices=5, salt=[7, 9])(words))
for mode in ("one_hot", "multi_hot", "count"):
    show(mode, layers.StringLookup(vocabulary=vocabulary, output_mode=mode, mask_token="")(words))
show("padded", layers.StringLookup(vocabulary=vocabulary, output_mode="count", max_tokens=6, pad_to_max_tokens=True)(words))
show("tf_idf", layers.StringLookup(vocabulary=vocabulary, output_mode="tf_idf", idf_weights=[0.5, 1.0, 2.0])(words))
adapted = layers.StringLookup(output_mode="tf_idf", max_tokens=4)
adapted.adapt(tf.constant([["a", "b"], ["a", "c"], ["c", "a"]]))
print(adapted.get_vocabulary(), adapted.idf_weights.numpy().tolist())
show("integer_3", layers.IntegerLookup(vocabulary=[10, 20], num_oov_indices=3)([10, -7, 8, 20]))
show("integer_farm", layers.IntegerLookup(vocabulary=[10, 20], num_oov_indices=4, oov_method="farmhash", salt=3)([10, -7, 8, 20]))
show("hash_mask", layers.Hashing(num_bins=5, mask_value=3)(tf.constant([1, 3, 5])))
show("hash_salt", layers.Hashing(num_bins=50, salt=[1, 2])(words))
show("hash_float", layers.Hashing(num_bins=50)(tf.constant([1.7, -2.2])))
show("hash_bool", layers.Hashing(num_bins=50)(tf.constant([True, False])))
show("hash_count", layers.Hashing(num_bins=4, output_mode="count")(words))
show("cross", layers.HashedCrossing(num_bins=100)([tf.constant(["x", "y"]), tf.constant([1, -2])]))
show("cross_one_hot", layers.HashedCrossing(num_bins=3, output_mode="one_hot")([tf.constant([["x"], ["y"]]), tf.constant([[1], [2]])]))
text = tf.constant(["The cat, the DOG!", "  a\tcat "])
for options in ({}, {"ngrams": 2}, {"split": "character"}, {"standardize": "lower"}, {"standardize": None},
                {"standardize": "strip_punctuation"}, {"output_sequence_length": 2}, {"output_mode": "multi_hot"},
                {"output_mode": "count", "ngrams": (2, 3)}, {"split": None}, {"split": None, "output_sequence_length": 3}):
    given = text if options.get("split", 1) is not None or "output_sequence_length" not in options else text[:, None]
    show(f"text {options}", layers.TextVectorization(vocabulary=["the", "cat", "the cat", "c", "t"], **options)(given))
adapted = layers.TextVectorization(output_mode="tf_idf")
adapted.adapt(["a b", "b c b", ""])
print(adapted.get_vocabulary())
show("text tf_idf", adapted(tf.constant(["b b z"])))
normal = layers.Normalization()
normal.adapt(tf.data.Dataset.from_tensor_slices(np.array([[1.0, 2], [3, 4], [5, 9]], "float32")).batch(2))
show("normal mean", normal.mean)
show("normal variance", normal.variance)
bins = layers.Discretization(num_bins=3, epsilon=0.1)
bins.adapt(tf.data.Dataset.from_tensor_slices(np.arange(20, dtype="float32") ** 2).batch(7))
print("bins", bins.bin_boundaries)
