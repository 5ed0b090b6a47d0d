"""Keras's image layers in tf.data, as the rows "layers on batches" of `cornu-bench augment`.

Needs keras and tensorflow-cpu. Prints images per second of batches of 32 of 256x256 on one thread, minimum of the
time of six batches.
"""
import os
import time

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
LAYERS = (keras.layers.RandomFlip("horizontal"), keras.layers.RandomRotation(20 / 360),
          keras.layers.RandomCrop(224, 224))


def augment(batch):
    for layer in LAYERS:
        batch = layer(batch, training=True)
    return batch


def main():
    options = tf.data.Options()
    options.threading.private_threadpool_size = 1
    images = tf.random.uniform((32, 256, 256, 3), 0, 255)
    batches = iter(tf.data.Dataset.from_tensors(images).repeat().map(augment).with_options(options))
    for _ in range(2):
        next(batches)
    best = float("inf")
    for _ in range(6):
        begin = time.perf_counter()
        next(batches)
        best = min(best, time.perf_counter() - begin)
    print(f"flip, rotation, crop by Keras's layers in tf.data: {32 / best:.0f} images/s")


if __name__ == "__main__":
    main()
