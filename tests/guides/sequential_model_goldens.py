"""Examples of the guide to the Sequential model."""

import keras
from keras import layers, ops
from recording import example, history, means, summary


@example
def stack_and_function():
    model = keras.Sequential(
        [
            layers.Dense(2, activation="relu", name="layer1"),
            layers.Dense(3, activation="relu", name="layer2"),
            layers.Dense(4, name="layer3"),
        ]
    )
    x = keras.random.normal((3, 3), seed=1)
    y = model(x)
    layer1 = layers.Dense(2, activation="relu", name="layer1")
    layer2 = layers.Dense(3, activation="relu", name="layer2")
    layer3 = layers.Dense(4, name="layer3")
    return {"stack": y, "function": layer3(layer2(layer1(x)))}


@example
def layers_of_a_list():
    model = keras.Sequential(
        [
            layers.Dense(2, activation="relu"),
            layers.Dense(3, activation="relu"),
            layers.Dense(4),
        ]
    )
    return {"names": [layer.name for layer in model.layers], "name": model.name, "built": model.built}


@example
def add_and_pop():
    model = keras.Sequential()
    model.add(layers.Dense(2, activation="relu"))
    model.add(layers.Dense(3, activation="relu"))
    model.add(layers.Dense(4))
    model.pop()
    return {"layers": len(model.layers), "y": model(keras.random.normal((2, 3), seed=1))}


@example
def weights_come_with_the_first_call():
    layer = layers.Dense(3)
    before = len(layer.weights)
    y = layer(ops.ones((1, 4)))
    return {"before": before, "shapes": [list(w.shape) for w in layer.weights], "y": y, "kernel": layer.weights[0]}


@example
def model_is_built_by_its_first_call():
    model = keras.Sequential(
        [
            layers.Dense(2, activation="relu"),
            layers.Dense(3, activation="relu"),
            layers.Dense(4),
        ]
    )
    y = model(ops.ones((1, 4)))
    return {"weights": len(model.weights), "y": y, "summary": summary(model)}


@example
def model_with_an_input():
    model = keras.Sequential()
    model.add(keras.Input(shape=(4,)))
    model.add(layers.Dense(2, activation="relu"))
    return {
        "summary": summary(model),
        "names": [layer.name for layer in model.layers],
        "output": list(model.output_shape),
    }


@example
def summaries_while_adding():
    model = keras.Sequential()
    model.add(keras.Input(shape=(250, 250, 3)))
    model.add(layers.Conv2D(32, 5, strides=2, activation="relu"))
    model.add(layers.Conv2D(32, 3, activation="relu"))
    model.add(layers.MaxPooling2D(3))
    first = summary(model)
    model.add(layers.Conv2D(32, 3, activation="relu"))
    model.add(layers.Conv2D(32, 3, activation="relu"))
    model.add(layers.MaxPooling2D(3))
    model.add(layers.Conv2D(32, 3, activation="relu"))
    model.add(layers.Conv2D(32, 3, activation="relu"))
    model.add(layers.MaxPooling2D(2))
    second = summary(model)
    model.add(layers.GlobalMaxPooling2D())
    model.add(layers.Dense(10))
    return {"first": first, "second": second, "third": summary(model), "output": list(model.output_shape)}


def conv_stack():
    return keras.Sequential(
        [
            keras.Input(shape=(40, 40, 3)),
            layers.Conv2D(32, 5, strides=2, activation="relu"),
            layers.Conv2D(32, 3, activation="relu", name="my_intermediate_layer"),
            layers.Conv2D(32, 3, activation="relu"),
        ]
    )


@example
def features_of_all_layers():
    initial_model = conv_stack()
    feature_extractor = keras.Model(
        inputs=initial_model.inputs,
        outputs=[layer.output for layer in initial_model.layers],
    )
    return means(feature_extractor(ops.ones((1, 40, 40, 3))))


@example
def features_of_one_layer():
    initial_model = conv_stack()
    feature_extractor = keras.Model(
        inputs=initial_model.inputs,
        outputs=initial_model.get_layer(name="my_intermediate_layer").output,
    )
    features = feature_extractor(keras.random.uniform((1, 40, 40, 3), seed=1))
    return {"shape": list(features.shape), "corner": features[0, 0, 0]}


@example
def all_but_the_last_frozen():
    model = keras.Sequential(
        [
            keras.Input(shape=(784,)),
            layers.Dense(32, activation="relu"),
            layers.Dense(32, activation="relu"),
            layers.Dense(32, activation="relu"),
            layers.Dense(10),
        ]
    )
    for layer in model.layers[:-1]:
        layer.trainable = False
    model.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    x, y = keras.random.uniform((64, 784), seed=1), keras.random.randint((64,), 0, 10, seed=2)
    run = model.fit(x, y, epochs=3, shuffle=False, verbose=0)
    return {"history": history(run), "summary": summary(model), "bias": model.weights[-1]}


@example
def classifier_on_a_base():
    base_model = keras.applications.MobileNet(weights=None, include_top=False, pooling="avg", alpha=0.25)
    base_model.trainable = False
    model = keras.Sequential([base_model, layers.Dense(10)])
    y = model(keras.random.uniform((1, 32, 32, 3), seed=1))
    return {
        "y": y,
        "weights": [len(model.weights), len(model.trainable_weights)],
        "params": model.count_params(),
        "base": base_model.name,
    }
