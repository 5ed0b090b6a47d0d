// Kernels in few bits by GPTQ and AWQ against what Keras makes of them:
// tests/data/calibrated_quantization.json, written by
// tools/goldens/calibrated_quantization_goldens.py.
#include <cornu/framework/base/serialization.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/ops/numpy/products.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/quantizers/awq.h>
#include <cornu/framework/quantizers/gptq.h>
#include <cornu/layers/attention/multi_head_attention.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/core/einsum_dense.h>
#include <cornu/layers/core/embedding.h>

#include <filesystem>

#include "../../catch.h"
#include "../../support/golden_json.h"
#include "../../support/layer_check.h"
#include "../../support/temporary.h"

namespace calibrated_test {

using namespace cornu;
using test::contains;
using test::entry;
using test::golden_file;
using test::golden_tensor;
using test::golden_tensors;

namespace {

// Integers must be equal; scales are sums in another order.
void compare(const std::vector<Variable>& found, const std::vector<Tensor>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO("number " << i << " (" << found[i].name() << "), found " << found[i].value().str()
                   << ", expected " << expected[i].str());
    CHECK(found[i].dtype() == expected[i].dtype());
    CHECK(found[i].shape() == expected[i].shape());
    CHECK(test::difference(found[i], expected[i]) <= (is_float(found[i].dtype()) ? 2e-6 : 0));
  }
}

void check(const Value& recorded) {
  const auto layer = std::dynamic_pointer_cast<Layer>(deserialize(entry(recorded, "layer")));
  REQUIRE(layer);
  const std::vector<Tensor> batches = golden_tensors(entry(recorded, "batches"));
  layer->ensure_built(batches[0]);
  layer->set_weights(golden_tensors(entry(recorded, "before")));

  const Choice<QuantizationConfig> config(deserialize(entry(recorded, "config")));
  const auto& calibrated = dynamic_cast<const CalibratedConfig&>(*config);
  const Tensor matrix = dynamic_cast<const Quantizable&>(*layer).calibration_matrix();
  const auto statistics = calibrated.statistics(matrix.shape()[0]);
  for (const Tensor& batch : batches) statistics->add(ops::reshape(batch, {-1, matrix.shape()[0]}));
  layer->quantize(config, calibrated.quantize(matrix, *statistics));

  compare(layer->weights(), golden_tensors(entry(recorded, "weights")));
  const Value config_after = layer->get_config();
  for (const auto& [key, expected] : entry(recorded, "after").get<Value::Dict>()) {
    if (key != "dtype" && key != "quantization_config" && key != "gptq_unpacked_column_size")
      continue;
    std::string where = key;
    INFO(where);
    const Value* const found = detail::find(config_after.get<Value::Dict>(), key);
    REQUIRE(found);
    CHECK(test::same(*found, expected, where));
  }
  CHECK(test::difference((*layer)(batches[0]), golden_tensor(entry(recorded, "output"))) < 1e-5);
  const auto* file = dynamic_cast<const CustomSerialization*>(layer.get());
  REQUIRE(file);
  // The order in which Keras reads; it forgets the zero points when it writes.
  compare(file->weights_to_write(), golden_tensors(entry(recorded, "weights")));

  // Made again from its config, it is the same layer.
  const auto again = std::dynamic_pointer_cast<Layer>(deserialize(serialize(*layer)));
  again->ensure_built(batches[0]);
  again->set_weights(layer->get_weights());
  CHECK(test::difference((*again)(batches[0]), (*layer)(batches[0])) == 0);
}

Tensor numbers(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((i * 37 % 101)) / 50 - 1;
  return Tensor::from(values, shape);
}

// (value - zero) * scale by features and channels.
Tensor dequantized(const CalibratedKernel& kernel, int64_t group_size) {
  const int64_t features = kernel.values.shape()[1];
  const auto values = kernel.values.to_vector<float>(), scale = kernel.scale.to_vector<float>(),
             zero = kernel.zero.to_vector<float>();
  const auto groups = static_cast<size_t>(kernel.scale.shape()[1]);
  std::vector<float> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t channel = i / static_cast<size_t>(features),
                 feature = i % static_cast<size_t>(features);
    const size_t group =
        channel * groups + (group_size < 0 ? 0 : feature / static_cast<size_t>(group_size));
    result[i] = (values[i] - zero[group]) * scale[group];
  }
  return ops::transpose(Tensor::from(result, kernel.values.shape()));
}

}  // namespace

TEST_CASE("calibrated layers have Keras's weights and outputs") {
  const Value cases = entry(golden_file("calibrated_quantization.json"), "layers");
  CHECK(cases.get<Value::List>().size() > 20);
  for (const Value& recorded : cases.get<Value::List>()) {
    const std::string name = entry(recorded, "name").get<std::string>();
    DYNAMIC_SECTION(name) { check(recorded); }
  }
}

TEST_CASE("GPTQ loses less of the outputs than rounding alone") {
  const Tensor kernel = numbers({24, 6}), x = numbers({200, 24}) + numbers({200, 1});
  const quantizers::GPTQOptions options{.weight_bits = 3, .group_size = 8};
  quantizers::HessianEstimate hessian(24);
  hessian.add(x);
  // Without any correlation of the inputs no feature makes up for another.
  const auto error = [&](const Tensor& of) {
    const Tensor found = dequantized(quantizers::gptq_quantize(kernel, of, options), 8);
    return ops::sum(ops::square(ops::matmul(x, found - kernel))).item();
  };
  CHECK(error(hessian.value()) < 0.9 * error(ops::eye(24)));
}

TEST_CASE("groups longer than a block have one scale, as all others") {
  const Tensor kernel = numbers({300, 2});
  for (int64_t group_size : {-1, 200, 96}) {
    const CalibratedKernel result = quantizers::gptq_quantize(
        kernel, ops::eye(300), {.weight_bits = 8, .group_size = group_size});
    const int64_t groups = group_size < 0 ? 1 : (300 + group_size - 1) / group_size;
    CHECK(result.scale.shape() == Shape{2, groups});
    CHECK(test::difference(dequantized(result, group_size), kernel) < 0.005);
  }
}

TEST_CASE("ranges beside 0 keep their weights") {
  // Zero points of these ranges alone would be below 0, and with 8 bits above 255.
  const Tensor above = numbers({8, 3}) * Tensor(0.1) + Tensor(2.0);
  for (const Tensor& kernel : {above, -above}) {
    const CalibratedKernel gptq =
        quantizers::gptq_quantize(kernel, ops::eye(8), {.weight_bits = 8, .group_size = 4});
    CHECK(test::difference(dequantized(gptq, 4), kernel) < 0.005);
    const CalibratedKernel awq = quantizers::awq_quantize(kernel, ops::ones({8}), {});
    CHECK(test::difference(dequantized(awq, -1), kernel) < 0.08);
  }
}

TEST_CASE("a model is quantized block by block") {
  const std::string mode = GENERATE("gptq", "awq");
  layers::Embedding embedding({.input_dim = 10, .output_dim = 6, .name = "embedding"});
  auto block = make<Sequential>({layers::Dense({.units = 8, .activation = "relu", .name = "up"}),
                                 layers::Dense({.units = 6, .name = "down"})});
  layers::Dense head({.units = 3, .name = "head"});
  Sequential model({embedding, block, head});
  const Tensor tokens =
      Tensor::from(std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 3}, {2, 6});
  const Tensor before = model(tokens);
  const QuantizationLayerStructure structure{{embedding}, {block}};
  const CalibrationData data(tokens);
  if (mode == "gptq")
    model.quantize("gptq",
                   quantizers::GPTQConfig({.dataset = data,
                                           .weight_bits = 8,
                                           .num_samples = 4,
                                           .sequence_length = 5,
                                           .quantization_layer_structure = structure}),
                   "up|down");
  else
    model.quantize(quantizers::AWQConfig({.dataset = data,
                                          .num_samples = 4,
                                          .sequence_length = 5,
                                          .quantization_layer_structure = structure}),
                   [](const Layer& layer) { return layer.name() != "head"; });
  CHECK(block->layers()[0]->dtype_policy().quantization_mode() == mode);
  CHECK(block->layers()[1]->dtype_policy().group_size() == 128);
  CHECK(head->dtype_policy().name() == "float32");
  CHECK(embedding->dtype_policy().name() == "float32");
  const Tensor after = model(tokens);
  CHECK(test::difference(after, before) < (mode == "gptq" ? 0.02 : 0.3));
  CHECK(test::difference(after, before) > 0);

  const test::TemporaryFolder folder;
  model.save(folder / "model.keras");
  CHECK(test::difference((*load_model(folder / "model.keras"))(tokens), after) < 1e-6);
}

TEST_CASE("calibration says what it lacks, and changes nothing then") {
  layers::Dense dense({.units = 3, .name = "dense"});
  Sequential model({dense});
  const Tensor x = numbers({2, 4});
  model(x);
  const QuantizationLayerStructure structure{{}, {dense}};
  const CalibrationData tokens(Tensor(std::vector<int32_t>{1, 2, 3}));
  using quantizers::GPTQConfig;
  CHECK_THROWS_WITH(model.quantize(GPTQConfig({.dataset = tokens})),
                    contains("quantization_layer_structure"));
  CHECK_THROWS_WITH(model.quantize(GPTQConfig({.quantization_layer_structure = structure})),
                    contains("calibration data"));
  CHECK_THROWS_WITH(model.quantize(GPTQConfig(
                        {.dataset = {"a text"}, .quantization_layer_structure = structure})),
                    contains("tokenizer"));
  CHECK_THROWS_AS(model.quantize("awq", GPTQConfig({.dataset = tokens})), ValueError);
  CHECK_THROWS_AS(dense->quantize(GPTQConfig({.dataset = tokens})), UnsupportedError);
  CHECK_THROWS_AS(dense->quantize(GPTQConfig(), CalibratedKernel{}), ShapeError);
  CHECK_THROWS_AS(dense->quantize("int8", CalibratedKernel{}), ValueError);
  CHECK(dense->dtype_policy().name() == "float32");
  CHECK(dense->weights().size() == 2);

  CHECK_THROWS_WITH(GPTQConfig({.weight_bits = 5}), contains("found 5"));
  CHECK_THROWS_AS(GPTQConfig({.hessian_damping = 1.5}), ValueError);
  CHECK_THROWS_AS(GPTQConfig({.group_size = 0}), ValueError);
  CHECK_THROWS_AS(GPTQConfig({.num_samples = 0}), ValueError);
  CHECK_THROWS_AS(GPTQConfig({.sequence_length = -1}), ValueError);
  CHECK_THROWS_AS(quantizers::AWQConfig({.weight_bits = 8}), ValueError);
  CHECK_THROWS_AS(quantizers::AWQConfig({.num_grid_points = 0}), ValueError);
}

TEST_CASE("kernels whose rows are no inputs are kept") {
  // Keras would take the longest axis for the features, which it is not.
  const auto matrix = [](const char* equation, const Shape& output, const Shape& input) {
    layers::EinsumDense layer({.equation = equation, .output_shape = output});
    layer->ensure_built(Tensor::abstract(input, DType::float32));
    return layer->calibration_matrix();
  };
  CHECK(matrix("abc,cde->abde", {std::nullopt, 2, 3}, {2, 4, 6}).shape() == Shape{6, 6});
  CHECK_THROWS_AS(matrix("abc,cde->abde", {std::nullopt, 8, 3}, {2, 4, 6}), UnsupportedError);
  CHECK_THROWS_AS(matrix("abc,dc->abd", {std::nullopt, 3}, {2, 4, 6}), UnsupportedError);
  CHECK_THROWS_AS(matrix("abc,cdef->abdef", {std::nullopt, 2, 2, 2}, {2, 4, 6}), UnsupportedError);
  layers::Dense dense({.units = 3});
  dense(numbers({2, 4}));
  dense->enable_lora(2);
  CHECK_THROWS_AS(dense->calibration_matrix(), UnsupportedError);
}

TEST_CASE("samples are cut from the tokens at even distances") {
  const auto samples = [](int64_t count, int64_t length, const CalibrationData& data) {
    std::vector<std::vector<int32_t>> result;
    for (const Tensor& sample : calibration_samples(
             *quantizers::GPTQConfig({.dataset = data,
            .tokenizer =
                                          [](const std::string& text) {
                                            return std::vector<int64_t>(text.begin(), text.end());
                                          },
            .num_samples = count,
            .sequence_length = length})))
      result.push_back(sample.to_vector<int32_t>());
    return result;
  };
  const CalibrationData tokens(
      {Tensor(std::vector<int32_t>{0, 1, 2, 3}), Tensor(std::vector<int32_t>{4, 5, 6, 7, 8})});
  CHECK(samples(3, 3, tokens) ==
        std::vector<std::vector<int32_t>>{{0, 1, 2}, {2, 3, 4}, {4, 5, 6}});
  CHECK(samples(2, 6, tokens) ==
        std::vector<std::vector<int32_t>>{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 0, 1, 2}});
  CHECK(samples(1, 2, {"AB", "C"}) == std::vector<std::vector<int32_t>>{{65, 66}});
}

}  // namespace calibrated_test
