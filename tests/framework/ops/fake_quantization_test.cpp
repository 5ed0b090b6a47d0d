// fake_quant_with_min_max_vars against Keras.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/ops/ops.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "paths.h"

namespace fake_quantization_test {

using namespace cornu;
using nlohmann::json;

namespace {

Tensor tensor_of(const json& j) {
  return Tensor::from(j["values"].get<std::vector<float>>(),
                      Shape(j["shape"].get<std::vector<int64_t>>()));
}

double difference(const Tensor& a, const Tensor& b) {
  return ops::max(ops::absolute(a - b)).item();
}

}  // namespace

TEST_CASE("fake quantization has Keras's values and gradients") {
  const json file =
      json::parse(std::ifstream(test::source_path("tests/data/fake_quantization.json")));
  for (const json& c : file["cases"]) {
    const Tensor x = tensor_of(c["x"]), low = tensor_of(c["low"]), high = tensor_of(c["high"]);
    const auto axis = c["axis"].is_null() ? std::nullopt : std::optional(c["axis"].get<int64_t>());
    GradientTape tape;
    for (const Tensor& t : {x, low, high}) tape.watch(t);
    const Tensor y = ops::fake_quant_with_min_max_vars(x, low, high, c["num_bits"].get<int64_t>(),
                                                       c["narrow_range"].get<bool>(), axis);
    INFO(c["num_bits"] << " bits, axis " << c["axis"]);
    CHECK(difference(y, tensor_of(c["y"])) < 2e-6);
    const auto gradients = tape.gradient(ops::sum(y * tensor_of(c["cotangent"])), {x, low, high});
    for (size_t i = 0; i < 3; ++i) {
      const Tensor want = tensor_of(c["gradients"][i]);
      REQUIRE(gradients[i].shape() == want.shape());
      CHECK(difference(gradients[i], want) < 1e-5);
    }
  }
}

TEST_CASE("fake quantization keeps the dtype, and moves the range to have 0 as a step") {
  // From TensorFlow's tests of the same op: the range 0.1 to 63.1 becomes 0 to 63.
  const Tensor x = Tensor::from({-0.5f, 0.3f, 31.6f, 70.f}, {4});
  const Tensor y = ops::fake_quant_with_min_max_vars(x, 0.1, 63.1, 7, true);
  CHECK(difference(y, Tensor::from({0.f, 0.5f, 31.5f, 63.f}, {4})) < 1e-5);
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float64}) {
    const Tensor narrow =
        ops::fake_quant_with_min_max_vars(ops::cast(x, dtype), 0.1, 63.1, 7, true);
    CHECK(narrow.dtype() == dtype);
    CHECK(difference(ops::cast(narrow, DType::float32), y) < 1e-5);
  }
}

TEST_CASE("fake quantization is a node of graphs, with its settings") {
  Input x({3});
  Functional model(x, ops::fake_quant_with_min_max_vars(x, -3.0, 3.0, 4));
  const Tensor values = Tensor::from({-1.3f, 0.2f, 2.9f}, {1, 3});
  const auto again = Functional::from_config(model.get_config());
  const Tensor want = ops::fake_quant_with_min_max_vars(values, -3.0, 3.0, 4);
  CHECK(difference(model(values), want) == 0);
  CHECK(difference((*again)(values), want) == 0);
}

TEST_CASE("fake quantization says what does not fit") {
  const Tensor x = ops::ones({4, 3});
  const auto call = [&](const Tensor& x, const Tensor& low, int64_t bits, bool narrow,
                        std::optional<int64_t> axis) {
    return ops::fake_quant_with_min_max_vars(x, low, low + 1, bits, narrow, axis);
  };
  CHECK_THROWS_AS(call(x, ops::zeros({3}), 8, false, {}), ShapeError);
  CHECK_THROWS_AS(call(x, ops::zeros({3}), 8, false, 0), ShapeError);
  CHECK_THROWS_AS(call(x, ops::zeros({3}), 8, false, 2), ShapeError);
  CHECK_THROWS_AS(call(x, 0, 1, true, {}), ValueError);
  CHECK_THROWS_AS(call(x, 0, 25, false, {}), ValueError);
  CHECK_THROWS_AS(call(ops::cast(x, DType::int32), 0, 8, false, {}), ValueError);
}

}  // namespace fake_quantization_test
