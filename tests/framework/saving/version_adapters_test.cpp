// Configs of Keras 2: graphs, operations of TensorFlow, classes and arguments under old names.
#include <catch.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/io/archive.h>
#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/saving/version_adapters.h>

#include "../../support/temporary.h"
#include "models.h"

namespace version_adapters_test {

using namespace cornu;
using namespace cornu::test;

namespace {

std::vector<double> run(const std::string& json, const Nest& x) {
  return model_from_json(json)
      ->predict(x, {.verbose = Verbose::silent})
      .flatten()
      .at(0)
      .to_vector<double>();
}

std::string input(const std::string& name, const std::string& shape) {
  return R"({"class_name": "InputLayer", "config": {"batch_input_shape": )" + shape +
         R"(, "dtype": "float32", "sparse": false, "ragged": false, "name": ")" + name +
         R"("}, "name": ")" + name + R"(", "inbound_nodes": []})";
}

std::string tf_op(const std::string& name, const std::string& function, const std::string& node,
                  const std::string& class_name = "TFOpLambda") {
  return R"({"class_name": ")" + class_name + R"(", "config": {"name": ")" + name +
         R"(", "trainable": true, "dtype": "float32", "function": ")" + function +
         R"("}, "name": ")" + name + R"(", "inbound_nodes": [)" + node + "]}";
}

std::string graph(const std::string& layers, const std::string& output) {
  return R"({"class_name": "Functional", "config": {"name": "model", "trainable": true, "layers": [)" +
         layers + R"(], "input_layers": [["x", 0, 0]], "output_layers": [[")" + output +
         R"(", 0, 0]]}, "keras_version": "2.15.0", "backend": "tensorflow"})";
}

const Tensor x = Tensor::from({1.0f, -2.0f, 3.0f, 4.0f}, {2, 2});

}  // namespace

TEST_CASE("Operations of TensorFlow become ops") {
  const std::string in = input("x", "[null, 2]") + ", ";
  CHECK(run(graph(in + tf_op("m", "math.multiply", R"([["x", 0, 0, {"y": 2.0, "name": null}]])"),
                  "m"),
            x) == std::vector<double>{2, -4, 6, 8});
  CHECK(run(graph(in + tf_op("s", "math.subtract",
                             R"([["_CONSTANT_VALUE", -1, 1.0, {"y": ["x", 0, 0]}]])"),
                  "s"),
            x) == std::vector<double>{0, 3, -2, -3});
  CHECK(run(graph(in + tf_op("r", "nn.relu", R"([["x", 0, 0, {}]])"), "r"), x) ==
        std::vector<double>{1, 0, 3, 4});
  CHECK(run(graph(in + tf_op("c", "concat",
                             R"([["x", 0, 0, {"axis": 1}], ["x", 0, 0, {"axis": 1}]])"),
                  "c"),
            x) == std::vector<double>{1, -2, 1, -2, 3, 4, 3, 4});
  CHECK(run(graph(in + tf_op("a", "math.reduce_sum",
                             R"([["x", 0, 0, {"axis": -1, "keepdims": true}]])"),
                  "a"),
            x) == std::vector<double>{-1, 7});
  CHECK(
      run(graph(
              in +
                  tf_op(
                      "g", "__operators__.getitem",
                      R"([["x", 0, 0, {"slice_spec": [{"start": null, "stop": null, "step": null}, 1]}]])",
                      "SlicingOpLambda"),
              "g"),
          x) == std::vector<double>{-2, 4});
  CHECK_THROWS_WITH(run(graph(in + tf_op("f", "signal.fft", R"([["x", 0, 0, {}]])"), "f"), x),
                    contains("layer 'f'") && contains("tf.signal.fft"));
}

TEST_CASE("Ops in the graphs of legacy files are found without their module") {
  const auto tensor = [](const std::string& name) {
    return R"({"class_name": "__keras_tensor__", "config": {"keras_history": [")" + name +
           R"(", 0, 0]}})";
  };
  const auto op = [](const std::string& class_name, const std::string& name,
                     const std::string& options, const std::string& args) {
    return R"({"class_name": ")" + class_name + R"(", "config": {"name": ")" + name + "\"" +
           options + R"(}, "name": ")" + name + R"(", "inbound_nodes": [{"args": [)" + args +
           R"(], "kwargs": {}}]})";
  };
  const std::string in = input("x", "[null, 2]") + ", ";
  const std::string slice =
      R"({"class_name": "__slice__", "config": {"start": null, "stop": null, "step": null}})";
  CHECK(run(graph(in + op("NotEqual", "n", "", tensor("x") + ", 3") + ", " +
                      op("Cast", "c", R"(, "dtype": "float32")", tensor("n")) + ", " +
                      op("GetItem", "g", "", tensor("c") + ", [" + slice + ", 0]"),
                  "g"),
            x) == std::vector<double>{1, 0});
  // A layer of the same name.
  const std::string add = R"(, "trainable": true, "dtype": "float32")";
  CHECK(run(graph(in + op("Add", "a", "", tensor("x") + ", 1.0") + ", " +
                      op("Add", "b", add, "[" + tensor("x") + ", " + tensor("a") + "]") + ", " +
                      op("Concatenate", "c", R"(, "axis": 1)",
                         "[" + tensor("a") + ", " + tensor("b") + "]"),
                  "c"),
            x) == std::vector<double>{2, -1, 3, -3, 4, 5, 7, 9});
}

TEST_CASE("Calls of nested models are counted from 1 in Keras 2") {
  const std::string inner =
      R"({"class_name": "Sequential", "config": {"name": "inner", "layers": [)"
      R"({"class_name": "InputLayer", "config": {"batch_input_shape": [null, 2], "dtype": "float32", "name": "i"}}, )"
      R"({"class_name": "ReLU", "config": {"name": "relu", "max_value": null, "negative_slope": 0.0, "threshold": 0.0}}]}, )"
      R"("name": "inner", "inbound_nodes": [[["x", 0, 0, {}]], [["n", 0, 0, {}]]]})";
  const std::string add =
      R"({"class_name": "Add", "config": {"name": "add"}, "name": "add", "inbound_nodes": [[["inner", 1, 0, {}], ["inner", 2, 0, {}]]]})";
  // The layers stand in an order in which some come before what they need.
  CHECK(run(graph(input("x", "[null, 2]") + ", " + add + ", " + inner + ", " +
                      tf_op("n", "math.negative", R"([["x", 0, 0, {}]])"),
                  "add"),
            x) == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("Old names of classes and arguments are read") {
  const auto upgraded = [](const std::string& config) {
    return cornu::to_json(saving::upgrade_model(cornu::parse_json(config, "test")));
  };
  const auto has = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find(part) != text.npos);
  };
  const std::string bn = upgraded(
      R"({"class_name": "SyncBatchNormalization", "config": {"name": "b", "axis": [3], "fused": true, "renorm": false}})");
  has(bn, R"("class_name": "BatchNormalization")");
  has(bn, R"("axis": 3)");
  has(bn, R"("synchronized": true)");
  CHECK(bn.find("fused") == bn.npos);
  has(upgraded(R"({"class_name": "LeakyReLU", "config": {"alpha": 0.3}})"),
      R"("negative_slope": 0.3)");
  has(upgraded(R"({"class_name": "ThresholdedReLU", "config": {"theta": 1.0}})"),
      R"("threshold": 1.0)");
  has(upgraded(R"({"class_name": "my>Layer", "config": {}})"), R"("registered_name": "my>Layer")");
  has(upgraded(
          R"({"class_name": "Dense", "config": {"dtype": {"class_name": "Policy", "config": {"name": "mixed_float16"}}}})"),
      R"("class_name": "DTypePolicy")");
  has(upgraded(
          R"({"class_name": "Dense", "config": {"shape": {"class_name": "__tuple__", "items": [1, 2]}}})"),
      R"("shape": [1, 2])");
  CHECK_THROWS_WITH(
      upgraded(R"({"class_name": "LSTM", "config": {"name": "l", "time_major": true}})"),
      contains("layer 'l'") && contains("time_major"));

  // What Keras 2 writes of the classes that these derive from.
  const std::string separable = upgraded(
      R"({"class_name": "SeparableConv2D", "config": {"filters": 2, "groups": 1, "kernel_initializer": null,
          "kernel_regularizer": null, "kernel_constraint": null, "depthwise_constraint": null}})");
  CHECK(separable.find("\"kernel_") == separable.npos);
  CHECK(separable.find("groups") == separable.npos);
  has(separable, R"("depthwise_constraint": null)");
  CHECK(upgraded(R"({"class_name": "RandomFlip", "config": {"rng_type": "stateful"}})")
            .find("rng_type") == std::string::npos);
  CHECK(upgraded(R"({"class_name": "SpatialDropout1D", "config": {"noise_shape": null}})")
            .find("noise_shape") == std::string::npos);
  has(upgraded(R"({"class_name": "GRU", "config": {"units": 2, "implementation": 1}})"),
      R"("reset_after": false)");
  has(upgraded(
          R"({"class_name": "GRU", "config": {"units": 2, "implementation": 2, "reset_after": true}})"),
      R"("reset_after": true)");
  CHECK_THROWS_WITH(
      upgraded(R"({"class_name": "CuDNNGRU", "config": {"name": "g", "units": 2}})"),
      contains("layer 'g' (CuDNNGRU)") && contains("Rebuild the model with LSTM or GRU"));

  // A bare list of layers, whose first says the input's shape.
  const auto model = model_from_json(
      R"({"class_name": "Sequential", "config": [{"class_name": "Dense", "config": {"name": "d", "units": 2, "batch_input_shape": [null, 3]}}]})");
  CHECK(model->built());
  CHECK(model->weights()[0].shape() == Shape{3, 2});
}

TEST_CASE("Compile's arguments of Keras 2 are read") {
  const Value config = saving::compile_config_of(
      cornu::parse_json(
          R"({"loss": {"class_name": "Huber", "config": {"reduction": "auto", "name": "huber_loss", "delta": 1.0, "fn": "huber"}},
              "metrics": [[{"class_name": "MeanMetricWrapper", "config": {"name": "mae", "dtype": "float32", "fn": "mean_absolute_error"}},
                           {"class_name": "MeanMetricWrapper", "config": {"name": "accuracy", "dtype": "float32", "fn": "categorical_accuracy"}}]],
              "weighted_metrics": null, "loss_weights": null,
              "optimizer_config": {"class_name": "SGD", "config": {"name": "SGD", "lr": 0.5, "decay": 0.1, "momentum": 0.0, "nesterov": false}}})",
          "test")
          .get<Value::Dict>(),
      {});
  const std::string text = cornu::to_json(config);
  for (const char* part :
       {R"("reduction": "sum_over_batch_size")", R"("class_name": "MeanAbsoluteError")",
        R"("accuracy"])", R"("class_name": "InverseTimeDecay")",
        R"("initial_learning_rate": 0.5)"}) {
    INFO(text);
    CHECK(text.find(part) != text.npos);
  }
  CHECK(text.find("\"fn\"") == text.npos);
}

TEST_CASE("A legacy file keeps what compile was given") {
  const TemporaryFolder folder;
  const auto model = files::make_cnn();
  model->compile({.optimizer = "rmsprop", .loss = "mse", .metrics = {"mae", "acc"}});
  model->save(folder / "m.h5");
  const auto again = load_model(folder / "m.h5");
  CHECK(cornu::to_json(Value(again->get_compile_config())) ==
        cornu::to_json(Value(model->get_compile_config())));
  // Keras reads the full names.
  const io::H5Reader file(folder / "m.h5");
  CHECK_THAT(file.string_attribute("", "training_config"),
             contains(R"("loss": "mean_squared_error")"));
}

TEST_CASE("The bias of a recurrent layer tells what does not fit") {
  const TemporaryFolder folder;
  const auto gru = [](bool reset_after) {
    return std::make_shared<Sequential>(std::vector<AnyLayer>{
        Input({3, 2}), layers::GRU({.units = 2, .reset_after = reset_after, .name = "gru"})});
  };
  gru(false)->save(folder / "old.h5");
  CHECK_THROWS_WITH(gru(true)->load_weights(folder / "old.h5"),
                    contains("layer 'gru'") && contains(".reset_after = false"));
  {
    io::H5Writer file(folder / "cudnn.h5");
    const std::vector<float> zeros(64);
    file.write("cu_dnnlstm/kernel:0", DType::float32, {2, 8}, zeros.data());
    file.write("cu_dnnlstm/recurrent_kernel:0", DType::float32, {2, 8}, zeros.data());
    file.write("cu_dnnlstm/bias:0", DType::float32, {16}, zeros.data());
    file.set_strings_attribute("", "layer_names", {"cu_dnnlstm"});
    file.set_strings_attribute("cu_dnnlstm", "weight_names",
                               {"kernel:0", "recurrent_kernel:0", "bias:0"});
    file.finish();
  }
  Sequential lstm({Input({3, 2}), layers::LSTM({.units = 2})});
  CHECK_THROWS_WITH(lstm.load_weights(folder / "cudnn.h5"), contains("CuDNNLSTM"));
}

TEST_CASE("hard_sigmoid of a Keras 2 file is that of Keras 2") {
  const auto stack = [](const std::string& activation, const std::string& version) {
    return R"({"class_name": "Sequential", "config": {"name": "s", "layers": [{"class_name": "InputLayer",
        "config": {"batch_input_shape": [null, 4], "dtype": "float32", "name": "x"}}, {"class_name": "Activation",
        "config": {"name": "a", "trainable": true, "dtype": "float32", "activation": )" +
           activation + "}}]}" +
           (version.empty() ? "" : ", \"keras_version\": \"" + version + "\"") + "}";
  };
  const Tensor steps = Tensor::from({-2.75f, -1.0f, 1.0f, 2.75f}, {1, 4});
  const auto check = [&](const std::vector<double>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]).margin(1e-7));
  };
  const std::vector<double> keras2 = {0, 0.3, 0.7, 1},
                            keras3 = {0.25 / 6, 2 / 6.0, 4 / 6.0, 5.75 / 6};
  const std::string name = "\"hard_sigmoid\"";
  const std::string function =
      R"({"class_name": "function", "config": "hard_sigmoid", "module": "builtins",
      "registered_name": "function"})";
  for (const std::string& activation : {name, function}) {
    check(run(stack(activation, "2.15.0"), steps), keras2);
    check(run(stack(activation, "2.2.4-tf"), steps), keras2);
    check(run(stack(activation, "3.5.0"), steps), keras3);
    check(run(stack(activation, ""), steps), keras3);
  }

  // It stays so in every form of file.
  const TemporaryFolder folder;
  const auto predicted = [&](const std::string& file) {
    return load_model(folder / file)
        ->predict(steps, {.verbose = Verbose::silent})
        .tensor()
        .to_vector<double>();
  };
  const auto model = model_from_json(stack(name, "2.15.0"));
  check(run(model->to_json(), steps), keras2);
  for (const std::string file : {"m.keras", "m.h5"}) {
    model->save(folder / file);
    check(predicted(file), keras2);
  }
  // An archive of Keras 2 says so beside its config.
  model_from_json(stack(name, "3.5.0"))->save(folder / "new.keras");
  {
    io::ArchiveReader reader(folder / "new.keras");
    io::ArchiveWriter writer(folder / "keras2.keras");
    for (const io::ArchiveMember& member : reader.members())
      writer.add_text(member.name, member.name == "metadata.json" ? R"({"keras_version": "2.15.0"})"
                                                                  : reader.map(member.name).text());
    writer.finish();
  }
  check(predicted("new.keras"), keras3);
  check(predicted("keras2.keras"), keras2);
  // A legacy file without a version is older than Keras 3.
  io::H5Writer old(folder / "old.h5");
  old.set_attribute("", "model_config", stack(name, ""));
  old.create_group("model_weights");
  old.set_strings_attribute("model_weights", "layer_names", {});
  old.finish();
  check(predicted("old.h5"), keras2);
}

}  // namespace version_adapters_test
