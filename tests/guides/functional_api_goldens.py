"""Examples of the guide to the Functional API."""

import keras
from keras import layers, ops
from recording import example, history, means, summary


def mnist_model():
    inputs = keras.Input(shape=(784,))
    dense = layers.Dense(64, activation="relu")
    x = dense(inputs)
    x = layers.Dense(64, activation="relu")(x)
    outputs = layers.Dense(10)(x)
    return keras.Model(inputs=inputs, outputs=outputs, name="mnist_model")


@example
def first_model():
    model = mnist_model()
    return {"summary": summary(model), "input": list(model.inputs[0].shape), "dtype": model.inputs[0].dtype}


@example
def training():
    model = mnist_model()
    x, y = keras.random.uniform((160, 784), seed=1), keras.random.randint((160,), 0, 10, seed=2)
    x_test, y_test = keras.random.uniform((50, 784), seed=3), keras.random.randint((50,), 0, 10, seed=4)
    model.compile(
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        optimizer=keras.optimizers.RMSprop(),
        metrics=["accuracy"],
    )
    run = model.fit(x, y, batch_size=64, epochs=2, validation_split=0.2, shuffle=False, verbose=0)
    scores = model.evaluate(x_test, y_test, verbose=0)
    return {"history": history(run), "scores": [float(s) for s in scores], "logits": model.predict(x_test[:3], verbose=0)}


def encode(encoder_input):
    x = layers.Conv2D(16, 3, activation="relu")(encoder_input)
    x = layers.Conv2D(32, 3, activation="relu")(x)
    x = layers.MaxPooling2D(3)(x)
    x = layers.Conv2D(32, 3, activation="relu")(x)
    x = layers.Conv2D(16, 3, activation="relu")(x)
    return layers.GlobalMaxPooling2D()(x)


def decode(code):
    x = layers.Reshape((4, 4, 1))(code)
    x = layers.Conv2DTranspose(16, 3, activation="relu")(x)
    x = layers.Conv2DTranspose(32, 3, activation="relu")(x)
    x = layers.UpSampling2D(3)(x)
    x = layers.Conv2DTranspose(16, 3, activation="relu")(x)
    return layers.Conv2DTranspose(1, 3, activation="relu")(x)


@example
def two_models_of_one_graph():
    encoder_input = keras.Input(shape=(28, 28, 1), name="img")
    encoder_output = encode(encoder_input)
    encoder = keras.Model(encoder_input, encoder_output, name="encoder")
    autoencoder = keras.Model(encoder_input, decode(encoder_output), name="autoencoder")
    images = keras.random.uniform((2, 28, 28, 1), seed=5)
    return {
        "encoder": summary(encoder),
        "autoencoder": summary(autoencoder),
        "code": encoder(images),
        "image": autoencoder(images)[0, 10:13, :, 0],
    }


@example
def models_are_callable():
    encoder_input = keras.Input(shape=(28, 28, 1), name="original_img")
    encoder = keras.Model(encoder_input, encode(encoder_input), name="encoder")
    decoder_input = keras.Input(shape=(16,), name="encoded_img")
    decoder = keras.Model(decoder_input, decode(decoder_input), name="decoder")
    autoencoder_input = keras.Input(shape=(28, 28, 1), name="img")
    autoencoder = keras.Model(autoencoder_input, decoder(encoder(autoencoder_input)), name="autoencoder")
    images = keras.random.uniform((2, 28, 28, 1), seed=6)
    return {
        "decoder": summary(decoder),
        "autoencoder": summary(autoencoder),
        "image": autoencoder(images)[1, 20:23, :, 0],
    }


@example
def ensemble():
    def get_model():
        inputs = keras.Input(shape=(128,))
        outputs = layers.Dense(1)(inputs)
        return keras.Model(inputs, outputs)

    model1, model2, model3 = get_model(), get_model(), get_model()
    inputs = keras.Input(shape=(128,))
    outputs = layers.average([model1(inputs), model2(inputs), model3(inputs)])
    model = keras.Model(inputs=inputs, outputs=outputs)
    x = keras.random.normal((4, 128), seed=7)
    return {"params": model.count_params(), "mean": model(x), "first": model1(x)}


def ticket_model():
    num_tags, num_words, num_departments = 12, 50, 4
    title_input = keras.Input(shape=(None,), name="title")
    body_input = keras.Input(shape=(None,), name="body")
    tags_input = keras.Input(shape=(num_tags,), name="tags")
    title_features = layers.Embedding(num_words, 8)(title_input)
    body_features = layers.Embedding(num_words, 8)(body_input)
    title_features = layers.LSTM(16)(title_features)
    body_features = layers.LSTM(4)(body_features)
    x = layers.concatenate([title_features, body_features, tags_input])
    priority_pred = layers.Dense(1, name="priority")(x)
    department_pred = layers.Dense(num_departments, name="department")(x)
    return keras.Model(
        inputs=[title_input, body_input, tags_input],
        outputs={"priority": priority_pred, "department": department_pred},
    )


def ticket_data():
    inputs = {
        "title": keras.random.randint((64, 5), 0, 50, seed=1),
        "body": keras.random.randint((64, 10), 0, 50, seed=2),
        "tags": ops.cast(keras.random.randint((64, 12), 0, 2, seed=3), "float32"),
    }
    targets = {
        "priority": keras.random.uniform((64, 1), seed=4),
        "department": keras.random.randint((64, 4), 0, 2, seed=5),
    }
    return inputs, targets


@example
def several_inputs_and_outputs():
    model = ticket_model()
    rows = summary(model)
    model.compile(
        optimizer=keras.optimizers.RMSprop(1e-3),
        loss={
            "priority": keras.losses.BinaryCrossentropy(from_logits=True),
            "department": keras.losses.CategoricalCrossentropy(from_logits=True),
        },
        loss_weights={"priority": 1.0, "department": 0.2},
    )
    inputs, targets = ticket_data()
    run = model.fit(inputs, targets, epochs=2, batch_size=32, shuffle=False, verbose=0)
    outputs = model.predict(inputs, verbose=0)
    return {
        "summary": rows,
        "history": history(run),
        "priority": outputs["priority"][:3],
        "department": outputs["department"][:3],
    }


@example
def several_outputs_in_a_list():
    model = ticket_model()
    model = keras.Model(model.inputs, [model.outputs[1], model.outputs[0]])
    model.compile(
        optimizer=keras.optimizers.RMSprop(1e-3),
        loss=[
            keras.losses.BinaryCrossentropy(from_logits=True),
            keras.losses.CategoricalCrossentropy(from_logits=True),
        ],
        loss_weights=[1.0, 0.2],
    )
    (inputs, targets) = ticket_data()
    run = model.fit(
        [inputs["title"], inputs["body"], inputs["tags"]],
        [targets["priority"], targets["department"]],
        epochs=2,
        batch_size=32,
        shuffle=False,
        verbose=0,
    )
    return {"loss": history(run)["loss"], "names": model.output_names}


@example
def toy_resnet():
    inputs = keras.Input(shape=(32, 32, 3), name="img")
    x = layers.Conv2D(32, 3, activation="relu")(inputs)
    x = layers.Conv2D(64, 3, activation="relu")(x)
    block_1_output = layers.MaxPooling2D(3)(x)
    x = layers.Conv2D(64, 3, activation="relu", padding="same")(block_1_output)
    x = layers.Conv2D(64, 3, activation="relu", padding="same")(x)
    block_2_output = layers.add([x, block_1_output])
    x = layers.Conv2D(64, 3, activation="relu", padding="same")(block_2_output)
    x = layers.Conv2D(64, 3, activation="relu", padding="same")(x)
    block_3_output = layers.add([x, block_2_output])
    x = layers.Conv2D(64, 3, activation="relu")(block_3_output)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dense(256, activation="relu")(x)
    x = layers.Dropout(0.5)(x)
    outputs = layers.Dense(10)(x)
    model = keras.Model(inputs, outputs, name="toy_resnet")
    rows = summary(model)
    x_train = keras.random.uniform((20, 32, 32, 3), seed=1)
    y_train = keras.utils.to_categorical(keras.random.randint((20, 1), 0, 10, seed=2), 10)
    model.compile(
        optimizer=keras.optimizers.RMSprop(1e-3),
        loss=keras.losses.CategoricalCrossentropy(from_logits=True),
        metrics=["acc"],
    )
    run = model.fit(x_train, y_train, batch_size=8, epochs=1, validation_split=0.2, shuffle=False, verbose=0)
    return {"summary": rows, "history": history(run)}


@example
def shared_layers():
    shared_embedding = layers.Embedding(1000, 128)
    text_input_a = keras.Input(shape=(None,), dtype="int32")
    text_input_b = keras.Input(shape=(None,), dtype="int32")
    encoded_input_a = shared_embedding(text_input_a)
    encoded_input_b = shared_embedding(text_input_b)
    model = keras.Model([text_input_a, text_input_b], [encoded_input_a, encoded_input_b])
    out = model([ops.array([[3, 999]], "int32"), ops.array([[0, 3, 1]], "int32")])
    return {"params": model.count_params(), "shape": list(encoded_input_a.shape), "a": out[0][0, 0, :5], "b": out[1][0, :, 7]}


@example
def features_of_all_layers():
    vgg19 = keras.applications.VGG19(weights=None, include_top=False, input_shape=(32, 32, 3))
    features_list = [layer.output for layer in vgg19.layers]
    feat_extraction_model = keras.Model(inputs=vgg19.input, outputs=features_list)
    img = keras.random.uniform((1, 32, 32, 3), seed=1)
    return {"names": [layer.name for layer in vgg19.layers], "features": means(feat_extraction_model(img))}


class CustomDense(layers.Layer):
    def __init__(self, units=32):
        super().__init__()
        self.units = units

    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="random_normal", trainable=True)
        self.b = self.add_weight(shape=(self.units,), initializer="random_normal", trainable=True)

    def call(self, inputs):
        return ops.matmul(inputs, self.w) + self.b

    def get_config(self):
        return {"units": self.units}


@example
def custom_layer():
    inputs = keras.Input((4,))
    outputs = CustomDense(10)(inputs)
    model = keras.Model(inputs, outputs)
    new_model = keras.Model.from_config(model.get_config(), custom_objects={"CustomDense": CustomDense})
    x = keras.random.normal((2, 4), seed=1)
    return {"y": model(x), "new": new_model(x), "names": [layer.name for layer in new_model.layers]}


@example
def functional_and_subclassed():
    inputs = keras.Input(shape=(32,))
    x = layers.Dense(64, activation="relu")(inputs)
    outputs = layers.Dense(10)(x)
    functional = keras.Model(inputs, outputs)

    class MLP(keras.Model):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.dense_1 = layers.Dense(64, activation="relu")
            self.dense_2 = layers.Dense(10)

        def call(self, inputs):
            x = self.dense_1(inputs)
            return self.dense_2(x)

    mlp = MLP()
    _ = mlp(ops.zeros((1, 32)))
    x = keras.random.normal((2, 32), seed=1)
    return {
        "params": [functional.count_params(), mlp.count_params()],
        "functional": functional(x),
        "mlp": mlp(x),
        "name": mlp.name,
    }


@example
def model_inside_a_layer():
    units, timesteps, input_dim = 32, 10, 5
    inputs = keras.Input((None, units))
    x = layers.GlobalAveragePooling1D()(inputs)
    outputs = layers.Dense(1)(x)
    model = keras.Model(inputs, outputs)

    class CustomRNN(layers.Layer):
        def __init__(self):
            super().__init__()
            self.units = units
            self.projection_1 = layers.Dense(units=units, activation="tanh")
            self.projection_2 = layers.Dense(units=units, activation="tanh")
            self.classifier = model

        def call(self, inputs):
            outputs = []
            state = ops.zeros(shape=(inputs.shape[0], self.units))
            for t in range(inputs.shape[1]):
                x = inputs[:, t, :]
                h = self.projection_1(x)
                y = h + self.projection_2(state)
                state = y
                outputs.append(y)
            features = ops.stack(outputs, axis=1)
            return self.classifier(features)

    rnn_model = CustomRNN()
    _ = rnn_model(ops.zeros((1, timesteps, input_dim)))
    x = keras.random.normal((2, timesteps, input_dim), seed=1)
    return {"y": rnn_model(x), "weights": [list(w.shape) for w in rnn_model.weights]}


@example
def layer_with_a_loop_in_a_model():
    units, timesteps, input_dim, batch_size = 32, 10, 5, 16

    class CustomRNN(layers.Layer):
        def __init__(self):
            super().__init__()
            self.units = units
            self.projection_1 = layers.Dense(units=units, activation="tanh")
            self.projection_2 = layers.Dense(units=units, activation="tanh")
            self.classifier = layers.Dense(1)

        def call(self, inputs):
            outputs = []
            state = ops.zeros(shape=(inputs.shape[0], self.units))
            for t in range(inputs.shape[1]):
                x = inputs[:, t, :]
                h = self.projection_1(x)
                y = h + self.projection_2(state)
                state = y
                outputs.append(y)
            features = ops.stack(outputs, axis=1)
            return self.classifier(features)

    inputs = keras.Input(batch_shape=(batch_size, timesteps, input_dim))
    x = layers.Conv1D(32, 3)(inputs)
    outputs = CustomRNN()(x)
    model = keras.Model(inputs, outputs)
    y = model(keras.random.normal((batch_size, timesteps, input_dim), seed=1))
    return {"shape": list(outputs.shape), "summary": summary(model), "y": y[:2]}
