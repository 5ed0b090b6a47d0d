// Quantized layers and LoRA against what Keras computes: tests/data/quantization.json, written by
// tools/goldens/quantization_goldens.py.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/base/serialization.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/initializers/glorot_uniform.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/float8.h>
#include <cornu/framework/ops/numpy/logic.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/ops/random/draws.h>
#include <cornu/layers/attention/multi_head_attention.h>
#include <cornu/layers/convolutional/conv.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/core/einsum_dense.h>
#include <cornu/layers/core/embedding.h>
#include <cornu/layers/core/reversible_embedding.h>
#include <cornu/layers/recurrent/time_distributed.h>
#include <cornu/optimizers/sgd.h>

#include <filesystem>

#include "../../catch.h"
#include "../../support/golden_json.h"
#include "../../support/layer_check.h"
#include "../../support/matchers.h"
#include "support/all_close.h"

namespace quantized_test {

using namespace cornu;
using test::entry;
using test::golden_file;
using test::golden_tensor;
using test::golden_tensors;

namespace {

std::vector<Tensor> values_of(const std::vector<Variable>& variables) {
  std::vector<Tensor> result;
  for (const Variable& v : variables) result.push_back(v.value());
  return result;
}

void compare(const std::vector<Tensor>& found, const std::vector<Tensor>& expected,
             double tolerance) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO("number " << i << ", expected " << expected[i].str());
    if (!found[i]) {
      CHECK(test::all_close(expected[i], expected[i] * Tensor(0.0), 0, 0));
      continue;
    }
    CHECK(found[i].dtype() == expected[i].dtype());
    CHECK(test::difference(found[i], expected[i]) < tolerance);
  }
}

template <class T>
bool enable_lora(Layer& layer, int64_t rank, double alpha) {
  if (auto* own = dynamic_cast<T*>(&layer)) {
    own->enable_lora(rank, {.lora_alpha = alpha});
    return true;
  }
  return false;
}

void enable_lora(Layer& layer, const Value& options) {
  const int64_t rank = entry(options, "rank").get<int64_t>();
  const double alpha = entry(options, "alpha").number();
  REQUIRE((enable_lora<layers::DenseLayer>(layer, rank, alpha) ||
           enable_lora<layers::EinsumDenseLayer>(layer, rank, alpha) ||
           enable_lora<layers::EmbeddingLayer>(layer, rank, alpha) ||
           enable_lora<layers::ReversibleEmbeddingLayer>(layer, rank, alpha) ||
           enable_lora<layers::Conv2DLayer>(layer, rank, alpha)));
}

void check(const Value& recorded) {
  const auto layer = std::dynamic_pointer_cast<Layer>(deserialize(entry(recorded, "layer")));
  REQUIRE(layer);
  const Tensor x = golden_tensor(entry(recorded, "x"));
  layer->ensure_built(x);
  const bool begins_quantized = layer->dtype_policy().is_quantized();
  if (!begins_quantized) layer->set_weights(golden_tensors(entry(recorded, "before")));

  const Value& lora = entry(recorded, "lora");
  if (!lora.is_null()) {
    enable_lora(*layer, lora);
    const std::vector<Tensor> values = golden_tensors(entry(recorded, "lora_values"));
    size_t next = 0;
    for (Variable v : layer->weights())
      if (v.name().starts_with("lora")) v.assign(values.at(next++));
  }
  if (const Value& config = entry(recorded, "quantize"); !config.is_null())
    layer->quantize(Choice<QuantizationConfig>(deserialize(config)));
  const std::vector<Tensor> weights = golden_tensors(entry(recorded, "weights"));
  if (begins_quantized) layer->set_weights(weights);
  {
    INFO("weights");
    compare(values_of(layer->weights()), weights, 2e-6);
  }
  const Value config = layer->get_config();
  for (const char* key : {"dtype", "quantization_config", "lora_rank", "lora_alpha"}) {
    const auto& expected = entry(recorded, "config").get<Value::Dict>();
    const Value* found = detail::find(config.get<Value::Dict>(), key);
    std::string where = key;
    INFO(where);
    REQUIRE((found != nullptr) == (detail::find(expected, key) != nullptr));
    if (found) CHECK(test::same(*found, *detail::find(expected, key), where));
  }

  Call call;
  if (entry(recorded, "training").get<bool>()) call.training = true;
  if (entry(recorded, "reverse").get<bool>()) call.extra = {{"reverse", true}};
  GradientTape tape({.persistent = true});
  if (is_float(x.dtype())) tape.watch(x);
  const Tensor y = (*layer)(x, call);
  const Tensor loss = ops::sum(y * golden_tensor(entry(recorded, "cotangent")));
  tape.stop();
  {
    INFO("output");
    compare({y}, {golden_tensor(entry(recorded, "output"))}, 2e-5);
  }
  {
    INFO("gradients");
    compare(tape.gradient(loss, layer->trainable_variables()),
            golden_tensors(entry(recorded, "weight_gradients")), 1e-4);
    if (is_float(x.dtype()))
      compare(tape.gradient(loss, std::vector<Tensor>{x}),
              {golden_tensor(entry(recorded, "input_gradient"))}, 1e-4);
  }
  const auto* file = dynamic_cast<const CustomSerialization*>(layer.get());
  REQUIRE(file);
  INFO("what files hold");
  compare(values_of(file->weights_to_write()), golden_tensors(entry(recorded, "stored")), 2e-6);

  // Made again from its config, it is the same layer.
  if (begins_quantized || entry(recorded, "quantize").is_null()) return;
  const auto again = std::dynamic_pointer_cast<Layer>(deserialize(serialize(*layer)));
  again->ensure_built(x);
  again->set_weights(layer->get_weights());
  if (lora.is_null()) compare({(*again)(x, call)}, {y}, 1e-6);
}

Tensor numbers(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((i * 37 % 101)) / 50 - 1;
  return Tensor::from(values, shape);
}

}  // namespace

TEST_CASE("quantized layers and LoRA compute what Keras computes") {
  const Value cases = golden_file("quantization.json");
  CHECK(cases.get<Value::List>().size() > 40);
  for (const Value& recorded : cases.get<Value::List>()) {
    const std::string name = entry(recorded, "name").get<std::string>();
    DYNAMIC_SECTION(name) { check(recorded); }
  }
}

// The CPU, as a device that would rather multiply int8 and 8-bit floats; counts such products.
class EightBitDevice final : public backend::Backend {
 public:
  const std::string& name() const override { return name_; }
  bool on_host() const override { return true; }
  backend::Allocator& allocator() override { return backend::cpu_backend().allocator(); }
  backend::Fusions fusions() const override {
    return {.int8_products = true, .float8_products = true};
  }
  void run(const backend::Kernel& kernel, std::span<const backend::Operand> inputs,
           std::span<const backend::Operand> outputs) override {
    const auto* const matmul = std::get_if<backend::Matmul>(&kernel);
    if (matmul && outputs[0].dtype == DType::int32) {
      CHECK(inputs[0].dtype == DType::int8);
      CHECK(inputs[1].dtype == DType::int8);
      ++products;
    }
    if (matmul && matmul->float8_a) {
      ++float8_products;
      return run_wide(*matmul, inputs, outputs);
    }
    backend::cpu_backend().run(kernel, inputs, outputs);
  }
  void copy_from_host(void* to, const void* from, size_t bytes) override {
    backend::cpu_backend().copy(to, from, bytes);
  }
  void copy_to_host(void* to, const void* from, size_t bytes) override {
    backend::cpu_backend().copy(to, from, bytes);
  }
  void copy(void* to, const void* from, size_t bytes) override {
    backend::cpu_backend().copy(to, from, bytes);
  }
  int products = 0, float8_products = 0;

 private:
  // Bits of 8-bit floats as float32.
  static void run_wide(backend::Matmul matmul, std::span<const backend::Operand> inputs,
                       std::span<const backend::Operand> outputs) {
    std::vector<backend::Operand> in(inputs.begin(), inputs.end());
    std::vector<float> numbers[2];
    for (const size_t k : {0, 1}) {
      CHECK(in[k].dtype == DType::uint8);
      for (int64_t i = 0; i < in[k].shape->numel(); ++i)
        numbers[k].push_back(float8_to_float(static_cast<const uint8_t*>(in[k].data)[i],
                                             k == 0 ? *matmul.float8_a : *matmul.float8_b));
      in[k].data = numbers[k].data();
      in[k].dtype = DType::float32;
    }
    matmul.float8_a = matmul.float8_b = std::nullopt;
    backend::cpu_backend().run(matmul, in, outputs);
  }

  std::string name_ = "eight_bits:0";
};

EightBitDevice& eight_bit_device() {
  static EightBitDevice device;  // tensors may outlive a test
  return device;
}

// The output of a quantized layer and the gradient of the sum of its squares.
template <class MakeLayer>
std::pair<Tensor, Tensor> quantized_call(const MakeLayer& make) {
  const auto layer = make();
  const Tensor x = random::normal({3, 5, 20}, 0, 1, 7);
  layer(x);
  layer->quantize("int8");
  GradientTape tape;
  tape.watch(x);
  const Tensor y = layer(x);
  return {y, tape.gradient(ops::sum(y * y), x)};
}

TEST_CASE("a device that multiplies int8 is given int8") {
  EightBitDevice& device = eight_bit_device();
  const auto dense = [] {
    return layers::Dense(
        {.units = 12, .kernel_initializer = initializers::GlorotUniform({.seed = 3})});
  };
  const auto einsum = [] {
    return layers::EinsumDense({.equation = "abc,cd->adb",
                                .output_shape = {12, 5},
                                .kernel_initializer = initializers::GlorotUniform({.seed = 3})});
  };
  const auto check_on = [&](const auto& make) {
    const auto [y, slope] = quantized_call(make);
    const int before = device.products;
    const DeviceScope scope{Device(device)};
    const auto [on_device, slope_on_device] = quantized_call(make);
    CHECK(device.products == before + 1);
    CHECK(test::all_close(on_device, y, 1e-5, 1e-5));
    CHECK(test::all_close(slope_on_device, slope, 1e-4, 1e-4));
  };
  check_on(dense);
  check_on(einsum);
}

TEST_CASE("quantized models are saved and loaded") {
  const std::string mode = GENERATE("int8", "int4", "float8");
  const auto path = (std::filesystem::temp_directory_path() / "cornu_quantized.keras").string();
  Sequential model(
      {layers::Dense({.units = 6, .activation = "relu"}), layers::Dense({.units = 2})});
  const Tensor x = numbers({3, 5});
  model(x);
  model.quantize(mode);
  const Tensor y = model(x);
  model.save(path);
  const auto loaded = load_model(path);
  CHECK(test::difference((*loaded)(x), y) < 1e-7);
  CHECK(loaded->weights().size() == model.weights().size());
  std::filesystem::remove(path);
}

TEST_CASE("a model whose file could not be read again is not saved") {
  const auto path = (std::filesystem::temp_directory_path() / "cornu_nested.keras").string();
  const Input x({4, 6});
  layers::MultiHeadAttention attention({.num_heads = 2, .key_dim = 3, .name = "attention"});
  Functional model(x, layers::Dense({.units = 2})(attention({x, x})));
  model.save(path);
  model.quantize("int8", {"dense"});
  model.save(path);
  CHECK_NOTHROW(load_model(path));
  attention->sublayers()[0]->quantize("int8");
  CHECK_THROWS_WITH(model.save(path),
                    "save: 'query' inside layer 'attention' "
                    "(MultiHeadAttention) is quantized, but that layer's "
                    "config holds nothing of the layers inside it, so a file of "
                    "this model could not be read again. Save the model before "
                    "it is quantized, or name the layers to quantize in "
                    "quantize's filters.");
  // A wrapper's config holds the layer inside.
  layers::TimeDistributed wrapper({.layer = layers::Dense({.units = 2})});
  Functional wrapped(x, wrapper(x));
  wrapped.quantize("int8");
  wrapped.save(path);
  const Tensor values = numbers({2, 4, 6});
  CHECK(test::difference(load_model(path)->predict(values).tensor(),
                         wrapped.predict(values).tensor()) < 1e-6);
  std::filesystem::remove(path);
}

TEST_CASE("LoRA is merged into files, and begins anew when they are read") {
  const auto path = (std::filesystem::temp_directory_path() / "cornu_lora.weights.h5").string();
  layers::Dense dense({.units = 4});
  Sequential model({dense});
  const Tensor x = numbers({2, 3});
  model(x);
  dense->enable_lora(2, {.b_initializer = "ones"});
  const Tensor y = model(x);
  model.save_weights(path);
  model.load_weights(path);
  CHECK(test::difference(model(x), y) < 1e-6);
  CHECK(ops::max(ops::absolute(dense->own_weights()[2].value())).item() == 0);
  CHECK_FALSE(dense->kernel.trainable());
  std::filesystem::remove(path);
}

TEST_CASE("float8 training replaces its scales") {
  layers::Dense dense({.units = 3});
  Sequential model({dense});
  model(numbers({4, 5}));
  model.quantize("float8");
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse"});
  model.fit(numbers({8, 5}), numbers({8, 3}),
            {.batch_size = 4, .epochs = 3, .verbose = Verbose::silent});
  for (const Variable& v : dense->own_weights())
    if (v.name() == "inputs_amax_history")
      CHECK(v.value().to_vector<float>()[0] > 0);
    else if (v.name().ends_with("_scale"))
      CHECK(v.value().item() < 1);
}

// What a few steps make of a layer and its scales.
template <class MakeLayer>
Tensors float8_training(const MakeLayer& make, bool functional = true) {
  const auto layer = make();
  Sequential model({layer});
  const Tensor x = random::normal({8, 6, 20}, 0, 1, 7), y = random::normal({8, 6, 12}, 0, 1, 8);
  model(x);
  model.quantize("float8");
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                 .loss = "mse",
                 .run_eagerly = !functional});
  model.fit(x, y, {.batch_size = 4, .epochs = 3, .verbose = Verbose::silent, .shuffle = false});
  Tensors results{model.predict(x).tensor()};
  for (const Variable& v : layer->own_weights()) results.push_back(v.value());
  return results;
}

TEST_CASE("a device that multiplies 8-bit floats is given these, in training too") {
  EightBitDevice& device = eight_bit_device();
  const auto dense = [] {
    return layers::Dense(
        {.units = 12, .kernel_initializer = initializers::GlorotUniform({.seed = 3})});
  };
  const auto einsum = [] {
    return layers::EinsumDense({.equation = "...b,bc->...c",
                                .output_shape = {12},
                                .bias_axes = "c",
                                .kernel_initializer = initializers::GlorotUniform({.seed = 3})});
  };
  const auto check_on = [&](const auto& make) {
    for (const bool functional : {false, true}) {
      const Tensors expected = float8_training(make, functional);
      const int before = device.float8_products;
      const DeviceScope scope{Device(device)};
      const Tensors found = float8_training(make, functional);
      // Forwards, and for x and the kernel in each of six steps; forwards in predict.
      CHECK(device.float8_products >= before + 6 * 2 + 1);
      REQUIRE(found.size() == expected.size());
      for (size_t i = 0; i < found.size(); ++i) {
        INFO(i);
        CHECK(test::all_close(found[i], expected[i], 1e-4, 1e-5));
      }
    }
  };
  check_on(dense);
  check_on(einsum);
}

TEST_CASE("numbers round to the nearest 8-bit floats") {
  const std::vector<float> x = {448, 0.3f, 17, 18, 19, 0.001f, 0.0009765625f, -0.0029296875f, 0};
  const std::vector<float> e4m3 = {448, 0.3125f, 16, 18, 20, 0.001953125f, 0, -0.00390625f, 0};
  CHECK(ops::round_to_float8(Tensor(x), "float8_e4m3fn").to_vector<float>() == e4m3);
  const std::vector<float> wide = {57344, 0.3f, 17, 18, 1.9e-5f, 7.62939453125e-6f};
  const std::vector<float> e5m2 = {57344, 0.3125f, 16, 16, 1.52587890625e-5f, 0};
  const auto found = ops::round_to_float8(Tensor(wide), "float8_e5m2").to_vector<float>();
  CHECK(found == e5m2);
  CHECK_THROWS_AS(ops::float8_max("float8_e3m4"), ValueError);
}

TEST_CASE("a mode's name means its configuration with the defaults") {
  const auto [mode, config] = GENERATE(table<std::string, Choice<QuantizationConfig>>({
      {"int8", quantizers::Int8QuantizationConfig()},
      {"int4", quantizers::Int4QuantizationConfig()},
      {"float8", quantizers::Float8QuantizationConfig()},
  }));
  const Tensor x = numbers({3, 5});
  layers::Dense named({.units = 6}), configured({.units = 6});
  named(x);
  configured(x);
  configured->set_weights(named->get_weights());
  named->quantize(mode);
  configured->quantize(config);
  const auto quantization = [](const Layer& layer) {
    return *detail::find(layer.get_config(), "quantization_config");
  };
  std::string where = "quantization_config";
  CHECK(test::same(quantization(*named), quantization(*configured), where));
  CHECK(test::difference(named(x), configured(x)) == 0);
  // In files what is missing is empty, as Keras reads them.
  const auto read = [](Value::Dict dict) {
    return std::dynamic_pointer_cast<QuantizationConfig>(
        quantizers::Int8Quantization::from_config(std::move(dict)));
  };
  CHECK_FALSE(read({{"activation_quantizer", Value()}})->activation_quantizer());
  CHECK_FALSE(read({{"weight_quantizer", Value()}})->activation_quantizer());
}

TEST_CASE("a quantizer that does not go with the weights leaves the layer as it was") {
  const auto check = [](const auto& layer, const Tensor& x, const std::vector<int64_t>& axes) {
    const Tensor y = layer(x);
    const std::vector<Variable> weights = layer->weights();
    const quantizers::Int8QuantizationConfig config(
        {.weight_quantizer = quantizers::AbsMaxQuantizer({.axis = axes})});
    CHECK_THROWS_WITH(layer->quantize(config), test::contains("reduces axis"));
    CHECK(layer->weights() == weights);
    CHECK(layer->dtype_policy().name() == "float32");
    CHECK(test::difference(layer(x), y) < 1e-6);
    layer->quantize("int8");
    CHECK(test::difference(layer(x), y) < 0.1);
  };
  check(layers::Dense({.units = 3}), numbers({2, 4}), {1});
  check(layers::EinsumDense({.equation = "ab,bc->ac", .output_shape = {{3}}}), numbers({2, 4}),
        {1});
  const Tensor indices(std::vector<int32_t>{0, 2});
  check(layers::Embedding({.input_dim = 3, .output_dim = 2}), indices, {0});
  // The axis of the table, but not of the projection.
  layers::ReversibleEmbedding own({.input_dim = 3, .output_dim = 2, .tie_weights = false});
  check(own, indices, {1});
  CHECK(own->weights().size() == 4);
}

TEST_CASE("what cannot be quantized says so") {
  layers::Dense dense({.units = 3});
  CHECK_THROWS_AS(dense->quantize("int8"), StateError);
  CHECK_THROWS_AS(dense->enable_lora(2), StateError);
  CHECK_THROWS_WITH(dense->enable_lora(2),
                    "enable_lora: layer 'dense' (Dense) is not built yet. Call it on data or build "
                    "it before.");
  dense(numbers({2, 4}));
  CHECK_THROWS_AS(dense->quantize("gptq"), UnsupportedError);
  CHECK_THROWS_AS(dense->quantize("int5"), ValueError);
  dense->quantize("int8");
  CHECK(dense->dtype_policy().name() == "int8_from_float32");
  CHECK_THROWS_AS(dense->quantize("int4"), StateError);
  layers::Conv2D conv({.filters = 2, .kernel_size = 2});
  conv(numbers({1, 3, 3, 1}));
  CHECK_THROWS_AS(conv->quantize("int8"), UnsupportedError);
  layers::Embedding embedding({.input_dim = 3, .output_dim = 2});
  embedding(Tensor(std::vector<int32_t>{0, 1}));
  CHECK_THROWS_AS(embedding->quantize("float8"), UnsupportedError);
  layers::Dense constrained({.units = 3, .kernel_constraint = "non_neg"});
  constrained(numbers({2, 4}));
  CHECK_THROWS_AS(constrained->enable_lora(2), ValueError);
  CHECK(constrained(numbers({2, 4})).shape() == Shape{2, 3});
  CHECK_THROWS_AS(DTypePolicy("int8_from_mixed_float16"), ValueError);
  CHECK_THROWS_AS(DTypePolicy("gptq/4_from_float32"), ValueError);
  CHECK(DTypePolicy("int4/64_from_mixed_bfloat16").block_size() == 64);
  CHECK_THROWS_AS(quantizers::Int4QuantizationConfig(
                      {.activation_quantizer = quantizers::AbsMaxQuantizer(), .block_size = 8}),
                  ValueError);
}

}  // namespace quantized_test
