// Elementwise programs of plans: what they are fused with, and that results stay what they were.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/dispatch/apply.h>
#include <cornu/framework/ops/nn/normalization.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/tensor/device.h>

#include <functional>

#include "catch.h"
#include "support/all_close.h"
#include "support/gradient_check.h"

namespace fusion_test {

using namespace cornu;
using cornu::test::noise;

namespace {

Tensor numbers(const Shape& shape, int seed, DType dtype = DType::float32) {
  return ops::cast(noise(shape, -1, 1, seed), dtype);
}

// The kernels of the plan as it runs, in order: "normalize fused ".
std::string kernels(const std::string& passes) {
  const std::string last = passes.substr(passes.rfind("schedule, "));
  std::string found;
  for (size_t at = last.find(" = "); at != std::string::npos; at = last.find(" = ", at + 1))
    found += last.substr(at + 3, last.find('(', at) - at - 3) + " ";
  return found;
}

using Body = std::function<Nest(const Tensor&)>;

// Runs a body by itself and as a plan; returns the plan's kernels.
std::string check(const Body& body, const Shape& shape, DType dtype = DType::float32) {
  auto f = function(body);
  for (int i = 0; i < 4; ++i) {
    const Tensor x = numbers(shape, 10 + i, dtype);
    const std::vector<Tensor> found = f(x).flatten(), expected = body(x).flatten();
    REQUIRE(found.size() == expected.size());
    for (size_t k = 0; k < found.size(); ++k)
      if (default_device().backend().on_host())
        CHECK(found[k].to_vector<double>() == expected[k].to_vector<double>());
      else  // of wider operands fewer are read at a time, so sums have another order
        CHECK(test::all_close(found[k], expected[k], 1e-6, 1e-6));
  }
  return kernels(f->passes());
}

}  // namespace

TEST_CASE("normalizations take the programs behind them") {
  const Tensor scale = numbers({6}, 1), offset = numbers({6}, 2), more = numbers({5, 6}, 3);
  const auto rows = [&](const Tensor& x) { return ops::layer_normalization(x, scale, offset); };
  const auto channels = [&](const Tensor& x) {
    return ops::normalize_channels(x, offset, scale, 1e-3, x.dtype()).y;
  };
  CHECK(check([&](const Tensor& x) { return Nest(ops::relu(rows(x))); }, {5, 6}) == "normalize ");
  CHECK(check([&](const Tensor& x) { return Nest(ops::relu(channels(x))); }, {5, 6}) ==
        "normalize ");
  CHECK(check([&](const Tensor& x) { return Nest(ops::relu(channels(x) + more) * 0.5); }, {5, 6}) ==
        "normalize ");
  // Its result is wanted by others, or the program has operands of another shape.
  CHECK(check(
            [&](const Tensor& x) {
              const Tensor y = channels(x);
              return Nest(std::vector<Tensor>{ops::relu(y), ops::exp(y)});
            },
            {5, 6}) == "normalize fused fused ");
  CHECK(check([&](const Tensor& x) { return Nest(rows(x) * scale); }, {5, 6}) ==
        "normalize fused ");
}

TEST_CASE("the derivatives of normalizations take programs in front of them and behind") {
  const Tensor scale = numbers({6}, 1), offset = numbers({6}, 2);
  for (const bool channels : {true, false}) {
    const Body step = [&](const Tensor& x) {
      GradientTape tape;
      tape.watch(x);
      const Tensor y = channels ? ops::normalize_channels(x, offset, scale, 1e-3, x.dtype()).y
                                : ops::layer_normalization(x, scale, offset);
      const Tensor result = ops::relu(y);
      return Nest(std::vector<Tensor>{result, tape.gradient(result, x) + x});
    };
    CHECK(check(step, {5, 6}) == "normalize normalize ");
    CHECK(check(step, {700, 6}) == "normalize normalize ");
  }
}

TEST_CASE("programs of 16-bit floats are fused, and round where they did") {
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    const Tensor a = numbers({7, 33}, 1, dtype), b = numbers({33}, 2, dtype);
    CHECK(check([&](const Tensor& x) { return Nest(ops::tanh(ops::relu(x * a + b) - a) * x); },
                {7, 33}, dtype) == "fused ");
    CHECK(check(
              [&](const Tensor& x) {
                return Nest(ops::sum(ops::cast(x * a + b, DType::float32) * 3.0, 0));
              },
              {7, 33}, dtype) == "reduce ");
    const Tensor scale = numbers({33}, 3);
    const Body step = [&](const Tensor& x) {
      GradientTape tape;
      tape.watch(x);
      const Tensor y = ops::relu(ops::normalize_channels(x, scale, scale, 1e-3, dtype).y);
      return Nest(std::vector<Tensor>{y, tape.gradient(y, x)});
    };
    CHECK(check(step, {7, 33}, dtype) == "normalize normalize ");
  }
}

TEST_CASE("each reader widens narrow numbers for itself") {
  // What a product gives is read by three steps, none of which gets a wide copy of it.
  const Tensor w = numbers({8, 33}, 1, DType::bfloat16);
  const Body body = [&](const Tensor& x) {
    const Tensor y = ops::cast(ops::matmul(x, w), DType::float32);
    const Tensor largest = ops::max(y, -1, true);
    return Nest(std::vector<Tensor>{largest, ops::sum(ops::exp(y - largest), -1), y * 2.0});
  };
  CHECK(check(body, {5, 8}, DType::bfloat16) == "matmul reduce reduce fused ");
  // A narrowing cast is read as often as it is made once.
  const Body narrow = [&](const Tensor& x) {
    const Tensor y = ops::cast(x * 3.0, DType::bfloat16);
    return Nest(std::vector<Tensor>{ops::sum(y, 0), ops::max(y, 0)});
  };
  CHECK(check(narrow, {5, 8}) == "fused reduce reduce ");
}

TEST_CASE("numbers are gathered before they are cast") {
  const Tensor ids(std::vector<int32_t>{2, 0, 3});
  const auto taken = [&](DType to) {
    return [&ids, to](const Tensor& x) {
      return Nest(ops::take(ops::cast(x, to), ids, 0) + ops::ones({8}, to));
    };
  };
  CHECK(check(taken(DType::bfloat16), {50, 8}) == "gather fused ");
  CHECK(check(taken(DType::float32), {50, 8}, DType::bfloat16) == "gather fused ");
  // More rows than the table has.
  CHECK(check(taken(DType::bfloat16), {2, 8}) == "fused gather fused ");
  // The narrow table is wanted anyhow.
  const Body both = [&](const Tensor& x) {
    const Tensor narrow = ops::cast(x, DType::bfloat16);
    return Nest(std::vector<Tensor>{ops::take(narrow, ids, 0), narrow});
  };
  CHECK(check(both, {50, 8}) == "fused gather ");
}

TEST_CASE("sums of softmax read what their operand was widened from") {
  const auto sums = [](DType to) {
    return [to](const Tensor& x) {
      const Tensor wide = ops::cast(x, to);
      const TensorSpec column{{5, 1}, to}, columns[] = {column, column};
      const Tensors found = apply(backend::Softmax{.sums = true}, {&wide, 1}, columns);
      return Nest(std::vector<Tensor>{found[0], found[1]});
    };
  };
  CHECK(check(sums(DType::float32), {5, 8}, DType::bfloat16) == "softmax ");
  CHECK(check(sums(DType::float64), {5, 8}, DType::float32) == "fused softmax ");
  CHECK(check(sums(DType::float32), {5, 8}, DType::float64) == "fused softmax ");
}

TEST_CASE("convolutions of 16-bit floats add their biases") {
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    const Tensor kernel = numbers({3, 3, 4, 6}, 1, dtype), bias = numbers({6}, 2, dtype);
    for (const bool relu : {false, true}) {
      auto f = function([&](const Tensor& x) {
        const Tensor y = ops::conv(x, kernel) + bias;
        return relu ? ops::relu(y) : y;
      });
      const Tensor x = numbers({2, 8, 9, 4}, 3, dtype);
      for (int i = 0; i < 3; ++i) f(x);
      CHECK(kernels(f->passes()) == "conv ");
      // It rounds once, so it is nearer to the sum than what rounds in between.
      const auto wide = [](const Tensor& t) { return ops::cast(t, DType::float64); };
      Tensor exact = ops::conv(wide(x), wide(kernel)) + wide(bias);
      if (relu) exact = ops::relu(exact);
      const double unit = dtype == DType::bfloat16 ? 1.0 / 256 : 1.0 / 2048;
      const Tensor error = ops::abs(wide(f(x)) - exact) / ops::maximum(ops::abs(exact), 0.01);
      CHECK(ops::max(error).item() <= 1.01 * unit);
    }
  }
}

TEST_CASE("casts of small variables are one step") {
  std::vector<Variable> variables;
  for (int i = 0; i < 4; ++i) variables.push_back(Variable(numbers({5}, i), {.name = "v"}));
  auto f = function([&](const Tensor& x) {
    Tensor sum = x;
    for (Variable& v : variables) {
      // Changed by the function, so not cast once for all calls.
      const Tensor narrow = ops::cast(v.value(), DType::bfloat16);
      sum = ops::matmul(sum, ops::outer(narrow, narrow));
      v.assign(v.value() + 1.0);
    }
    return sum;
  });
  for (int i = 0; i < 3; ++i) f(numbers({2, 5}, 9, DType::bfloat16));
  CHECK(kernels(f->passes()) ==
        "fused sets fused matmul fused matmul fused matmul fused matmul fused sets ");
}

TEST_CASE("batch normalization does without the bias in front of it") {
  const Tensor kernel = numbers({1, 1, 4, 6}, 1), ones = ops::ones({6}), weights = numbers({6}, 3);
  Variable bias(numbers({6}, 2), {.name = "bias"});
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    // The result, the mean, and the gradients of x and of the bias.
    const auto body = [&](const Tensor& x) {
      GradientTape tape({.persistent = true});
      tape.watch(x);
      const Tensor z = ops::conv(x, ops::cast(kernel, dtype)) + ops::cast(bias.value(), dtype);
      const ops::NormalizedChannels n = ops::normalize_channels(z, ones, ones, 1e-3, dtype);
      const Tensor loss = ops::sum(ops::tanh(n.y) * ops::cast(weights, dtype));
      const Tensor result = n.y * 1.0, mean = n.mean * 1.0;
      return Nest(
          std::vector<Tensor>{result, mean, tape.gradient(loss, x), tape.gradient(loss, bias)});
    };
    auto f = function(body);
    const Tensor x = numbers({2, 8, 9, 4}, 4, dtype);
    for (int i = 0; i < 2; ++i) f(x);
    const std::vector<Tensor> found = f(x).flatten(), expected = body(x).flatten();
    const double unit = dtype == DType::float32 ? 1e-5 : 0.02;
    for (size_t k = 0; k < 3; ++k)
      CHECK(ops::max(ops::abs(ops::cast(found[k] - expected[k], DType::float32))).item() < unit);
    CHECK(found[3].to_vector<double>() == std::vector<double>(6, 0.0));
    CHECK(ops::max(ops::abs(expected[3])).item() < (dtype == DType::float32 ? 1e-4 : 1));
    // Nothing adds the bias to the pixels.
    const std::string steps = f->passes(), last = steps.substr(steps.rfind("schedule, "));
    CHECK(last.find("conv(arg0") != std::string::npos);
    CHECK(kernels(steps).find("conv fused normalize") == std::string::npos);
  }
  // What others read as well keeps its bias, and so does what is not normalized.
  const Body shown = [&](const Tensor& x) {
    const Tensor z = x + bias.value();
    return Nest(std::vector<Tensor>{z, ops::normalize_channels(z, ones, ones, 1e-3, z.dtype()).y});
  };
  CHECK(check(shown, {5, 6}) == "fused normalize ");
}

}  // namespace fusion_test
