// Quantizers: integers and scales that give numbers back to within half a step, whatever the range,
// the axes and the kernel; and configs of quantization with the options that they refuse.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/quantizers/affine.h>

#include <cmath>
#include <random>

#include "../../support/all_close.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"

namespace quantizers_test {

using namespace cornu;
using test::error_of;
using test::has;
using test::noise;

namespace {

Tensor numbers(const Shape& shape, int seed, double scale = 1) {
  return ops::cast(noise(shape, -scale, scale, seed), DType::float32);
}

// The largest difference from x, in steps.
double steps_off(const Tensor& x, const Tensor& integers, const Tensor& scale) {
  const Tensor back = ops::cast(integers, DType::float32) / scale;
  return ops::max(ops::absolute(back - x) * scale).item();
}

// (integer - zero) * scale of each weight of a kernel (features, channels).
std::vector<double> back_from(const CalibratedKernel& k) {
  const int64_t channels = k.values.shape(0), features = k.values.shape(1),
                groups = k.scale.shape(1);
  const auto values = k.values.to_vector<double>(), scale = k.scale.to_vector<double>(),
             zero = k.zero.to_vector<double>(), group = k.groups.to_vector<double>();
  std::vector<double> times(static_cast<size_t>(features), 1), result;
  if (k.awq_scales) times = k.awq_scales.to_vector<double>();
  for (int64_t f = 0; f < features; ++f)
    for (int64_t c = 0; c < channels; ++c) {
      const auto at =
          static_cast<size_t>(c * groups) + static_cast<size_t>(group[static_cast<size_t>(f)]);
      result.push_back((values[static_cast<size_t>(c * features + f)] - zero[at]) * scale[at] /
                       times[static_cast<size_t>(f)]);
    }
  return result;
}

double largest(const Tensor& t) { return ops::max(ops::absolute(t)).item(); }

double largest_error(const CalibratedKernel& k, const Tensor& kernel) {
  const auto found = back_from(k), expected = kernel.to_vector<double>();
  double largest = 0;
  for (size_t i = 0; i < found.size(); ++i)
    largest = std::max(largest, std::abs(found[i] - expected[i]));
  return largest;
}

}  // namespace

TEST_CASE("numbers come back to within half a step along any axes") {
  const Tensor x = numbers({3, 4, 5}, 1, 7);
  for (const auto& axis :
       std::vector<std::vector<int64_t>>{{0}, {1}, {-1}, {0, 1}, {-1, 0}, {0, 1, 2}}) {
    const quantizers::AbsMaxQuantizer quantizer({.axis = axis});
    const auto [integers, scale] = (*quantizer)(x);
    CHECK(integers.dtype() == DType::int8);
    CHECK(integers.shape() == x.shape());
    Shape kept = x.shape();
    for (const int64_t a : axis) kept[static_cast<int>(a < 0 ? a + 3 : a)] = 1;
    CHECK(scale.shape() == kept);
    CHECK(steps_off(x, integers, scale) <= 0.5 + 1e-3);
    CHECK(ops::max(ops::absolute(ops::cast(integers, DType::int32))).item() == 127);
    // The axis of a call goes first.
    CHECK((*quantizer)(x, Axes(1)).second.shape() == Shape{3, 1, 5});
  }
}

TEST_CASE("ranges, zeros and numbers that dwarf others") {
  const quantizers::AbsMaxQuantizer small({.axis = {{0}}, .value_range = {-8, 7}});
  const Tensor x = numbers({50, 3}, 2);
  const auto [integers, scale] = (*small)(x);
  for (const double v : integers.to_vector<double>()) {
    CHECK(v >= -8);
    CHECK(v <= 7);
  }
  CHECK(steps_off(x, integers, scale) <= 0.5 + 1e-3);
  const auto [zeros, of_zeros] = (*small)(ops::zeros({2, 2}));
  CHECK(test::equals(zeros, {0, 0, 0, 0}));
  CHECK(std::isfinite(ops::max(of_zeros).item()));
  const auto [lost, of_large] = (*small)(Tensor::from({1e30f, 1.0f, -1e30f}, {3, 1}));
  CHECK(test::equals(lost, {7, 0, -7}));
  const auto [none, of_none] = (*quantizers::AbsMaxQuantizer({.axis = {{0}}}))(ops::zeros({2, 0}));
  CHECK(none.shape() == Shape{2, 0});
  // In 16 bits the scale is of 16 bits.
  const auto [narrow, of_narrow] = (*small)(ops::cast(x, DType::bfloat16));
  CHECK(narrow.dtype() == DType::int8);
  CHECK(of_narrow.dtype() == DType::bfloat16);
}

TEST_CASE("quantizers compute the same compiled and in graphs") {
  const quantizers::AbsMaxQuantizer quantizer({.axis = {{0}}});
  auto compiled = function([&](const Tensor& x) -> Nest {
    const auto [integers, scale] = (*quantizer)(x);
    return Nest{Nest(integers), Nest(scale)};
  });
  const Input in({4});
  const auto [symbolic, symbolic_scale] = (*quantizer)(in);
  Functional graph(Nest(in), Nest{Nest(symbolic), Nest(symbolic_scale)});
  for (int seed = 1; seed < 5; ++seed) {
    const Tensor x = numbers({6, 4}, seed);
    const auto [integers, scale] = (*quantizer)(x);
    CHECK(test::identical(compiled(x)[0].tensor(), integers));
    CHECK(test::all_close(compiled(x)[1].tensor(), scale, 1e-6));
    const Nest y = graph(Nest(x));
    CHECK(test::identical(y[0].tensor(), integers));
    CHECK(test::all_close(y[1].tensor(), scale, 1e-6));
  }
}

TEST_CASE("options of quantizers out of range are refused") {
  const auto refused = [](quantizers::AbsMaxQuantizerConfig c) {
    return error_of([&] { quantizers::AbsMaxQuantizer q(c); });
  };
  CHECK(has(refused({.value_range = {1}}), "two numbers"));
  CHECK(has(refused({.value_range = {}}), "two numbers"));
  CHECK(has(refused({.value_range = {7, -8}}), "the lesser first"));
  CHECK(has(refused({.value_range = {3, 3}}), "the lesser first"));
  CHECK(has(refused({.value_range = {-129, 127}}), "[-128, 127]"));
  CHECK(has(refused({.value_range = {-127, 128}}), "[-128, 127]"));
  CHECK(refused({.value_range = {-128, 127}}) == "no error");
  CHECK(has(error_of([] { Choice<QuantizationConfig>("int9"); }), "Did you mean 'int8'?"));
}

TEST_CASE("configs of quantization are kept in files, with what they refuse") {
  using namespace quantizers;
  const std::vector<Choice<QuantizationConfig>> configs = {
      Int8QuantizationConfig(),
      Int8QuantizationConfig(
          {.weight_quantizer = AbsMaxQuantizer({.axis = {{0}}}), .activation_quantizer = {}}),
      Int4QuantizationConfig(),
      Int4QuantizationConfig({.block_size = -1}),
      Int4QuantizationConfig({.weight_quantizer = AbsMaxQuantizer({.value_range = {-8, 7}}),
                              .block_size = std::nullopt}),
      Float8QuantizationConfig(),
      GPTQConfig({.weight_bits = 3, .group_size = -1, .symmetric = true}),
      AWQConfig({.group_size = 64, .num_grid_points = 5})};
  for (const auto& config : configs) {
    INFO(cornu::to_json(serialize(*config)));
    const auto copy = test::remade<QuantizationConfig>(*config);
    CHECK(std::string(copy->mode()) == config->mode());
    CHECK(copy->policy_mode() == config->policy_mode());
    CHECK(copy->block_size() == config->block_size());
    CHECK(static_cast<bool>(copy->weight_quantizer()) ==
          static_cast<bool>(config->weight_quantizer()));
    CHECK(static_cast<bool>(copy->activation_quantizer()) ==
          static_cast<bool>(config->activation_quantizer()));
    // What a policy is named after it, it can read.
    CHECK(DTypePolicy(copy->policy_mode() + "_from_float32").quantization_mode() == copy->mode());
  }
  const auto four = [](Int4QuantizationOptions o) {
    return error_of([&] { Int4QuantizationConfig c(o); });
  };
  CHECK(has(four({.block_size = 0}), "found 0"));
  CHECK(has(four({.block_size = -2}), "found -2"));
  CHECK(has(four({.weight_quantizer = AbsMaxQuantizer(), .block_size = -1}), "[-8, 7]"));
  CHECK(has(four({.weight_quantizer = AbsMaxQuantizer({.value_range = {-8, 7}})}), "block_size"));
  const auto gptq = [](GPTQOptions o) { return error_of([&] { GPTQConfig c(o); }); };
  for (const int64_t bits : {1, 5, 6, 7, 16, 0, -4})
    CHECK(has(gptq({.weight_bits = bits}), "found " + std::to_string(bits)));
  CHECK(has(gptq({.num_samples = 0}), "num_samples must be positive, found 0"));
  CHECK(has(gptq({.sequence_length = -1}), "sequence_length must be positive, found -1"));
  CHECK(has(gptq({.group_size = 0}), "group_size must be positive or -1, found 0"));
  CHECK(has(gptq({.hessian_damping = 1.5}), "found 1.5"));
  CHECK(has(gptq({.hessian_damping = -0.1}), "found -0.1"));
  const auto awq = [](AWQOptions o) { return error_of([&] { AWQConfig c(o); }); };
  CHECK(has(awq({.weight_bits = 8}), "found 8"));
  CHECK(has(awq({.num_grid_points = 0}), "found 0"));
  CHECK(has(awq({.group_size = -2}), "found -2"));
}

TEST_CASE("unsigned integers hold any range with a zero point in a byte") {
  std::mt19937 engine(3);
  std::uniform_real_distribution<float> draw(-1, 1);
  for (int round = 0; round < 300; ++round) {
    const int64_t channels = 1 + round % 4, rows = 1 + round % 7;
    const float middle = draw(engine) * static_cast<float>(round % 30),
                width = std::abs(draw(engine)) + 1e-3F;
    std::vector<float> values(static_cast<size_t>(rows * channels));
    for (float& v : values) v = middle + width * draw(engine);
    for (const int64_t bits : {2, 3, 4, 8})
      for (const bool symmetric : {false, true})
        for (const bool per_channel : {true, false}) {
          const auto p =
              quantizers::affine_parameters(values, channels, {bits, symmetric, per_channel});
          REQUIRE(p.scale.size() == static_cast<size_t>(channels));
          const auto most = static_cast<float>((1 << bits) - 1);
          for (size_t i = 0; i < values.size(); ++i) {
            const size_t c = i % static_cast<size_t>(channels);
            INFO(values[i] << " with scale " << p.scale[c] << " and zero " << p.zero[c]);
            CHECK(p.scale[c] > 0);
            CHECK(p.zero[c] >= 0);
            CHECK(p.zero[c] <= 255);
            CHECK(p.zero[c] == std::nearbyint(p.zero[c]));
            if (!per_channel) CHECK(p.scale[c] == p.scale[0]);
            const float integer = quantizers::to_affine(values[i], p.scale[c], p.zero[c], most);
            CHECK(integer >= 0);
            CHECK(integer <= most);
            // Half a step, and as much for the rounded zero point.
            if (!symmetric)
              CHECK(std::abs((integer - p.zero[c]) * p.scale[c] - values[i]) <=
                    1.01F * p.scale[c] + 1e-6F);
          }
        }
  }
}

TEST_CASE("kernels in 8 bits come back, whatever their groups, inputs and order") {
  for (const auto& [features, channels] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {1, 5}, {7, 1}, {16, 3}, {130, 2}}) {
    const Tensor kernel = numbers({features, channels}, 5);
    const Tensor x = numbers({40, features}, 6);
    quantizers::HessianEstimate hessian(features);
    hessian.add(x[{Slice(0, 15)}]);
    hessian.add(x[{Slice(15, 40)}]);
    const Tensor whole = ops::matmul(ops::transpose(x), x) * (2.0 / 40);
    CHECK(test::all_close(hessian.value(), whole, 1e-4, 1e-5));
    for (const int64_t group_size : {int64_t{-1}, int64_t{1}, int64_t{4}, features, 2 * features})
      for (const bool order : {false, true}) {
        INFO(features << " features, groups of " << group_size << ", in order " << order);
        const CalibratedKernel eye = quantizers::gptq_quantize(
            kernel, ops::eye(features),
            {.weight_bits = 8, .group_size = group_size, .activation_order = order});
        CHECK(eye.values.shape() == Shape{channels, features});
        CHECK(eye.values.dtype() == DType::uint8);
        const int64_t groups = group_size < 0 ? 1 : (features + group_size - 1) / group_size;
        CHECK(eye.scale.shape() == Shape{channels, groups});
        CHECK(eye.zero.shape() == Shape{channels, groups});
        CHECK(largest_error(eye, kernel) < 0.01);
        // With the inputs' moments the outputs are what counts.
        const CalibratedKernel made = quantizers::gptq_quantize(
            kernel, hessian.value(),
            {.weight_bits = 8, .group_size = group_size, .activation_order = order});
        const Tensor error =
            Tensor::from(back_from(made), kernel.shape()) - ops::cast(kernel, DType::float64);
        CHECK(largest(ops::matmul(ops::cast(x, DType::float64), error)) < 0.1);
      }
    const CalibratedKernel awq =
        quantizers::awq_quantize(kernel, ops::max(ops::absolute(x), 0), {.group_size = 4});
    CHECK(largest_error(awq, kernel) < 0.3);
  }
}

TEST_CASE("features without inputs, and kernels of zeros, are quantized too") {
  const Tensor kernel = numbers({6, 2}, 9);
  const CalibratedKernel dead =
      quantizers::gptq_quantize(kernel, ops::zeros({6, 6}), {.weight_bits = 8, .group_size = -1});
  CHECK(largest_error(dead, kernel) < 0.01);
  const CalibratedKernel quiet = quantizers::awq_quantize(kernel, ops::zeros({6}), {});
  CHECK(largest_error(quiet, kernel) < 0.1);
  for (const double value : {0.0, 3.0, -0.5}) {
    INFO(value);
    const Tensor flat = ops::full({6, 2}, value);
    CHECK(largest_error(quantizers::gptq_quantize(flat, ops::eye(6), {.group_size = 3}), flat) <
          0.2);
    CHECK(largest_error(quantizers::awq_quantize(flat, ops::ones({6}), {}), flat) < 0.2);
  }
}

TEST_CASE("statistics and kernels that do not fit are refused with both shapes") {
  quantizers::HessianEstimate hessian(4);
  CHECK_THROWS_AS(hessian.add(ops::ones({2, 3})), ShapeError);
  CHECK_THROWS_AS(hessian.add(ops::ones({4})), ShapeError);
  quantizers::ActivationMagnitudes magnitudes(4);
  CHECK(has(error_of([&] {
              magnitudes.add(ops::ones({2, 3}));
            }),
            "expected inputs (samples, 4), found (2, 3)"));
  magnitudes.add(Tensor::from({1.0f, -5.0f, 0.0f, 2.0f}, {1, 4}));
  magnitudes.add(Tensor::from({-2.0f, 1.0f, 0.0f, 1.0f}, {1, 4}));
  CHECK(test::equals(magnitudes.value(), {2, 5, 0, 2}));
  CHECK(has(error_of([] {
              quantizers::gptq_quantize(ops::ones({3, 2}), ops::eye(2), {});
            }),
            "found (3, 2) and (2, 2)"));
  CHECK(has(error_of([] {
              quantizers::awq_quantize(ops::ones({3, 2}), ops::ones({2}), {});
            }),
            "found (3, 2) and (2,)"));
}

}  // namespace quantizers_test
