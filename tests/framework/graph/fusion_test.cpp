// Elementwise programs of plans: what they are fused with, and that results stay what they were.
#include <cornu/framework/graph/function.h>
#include <cornu/framework/graph/tape.h>
#include <cornu/framework/ops/normalization.h>
#include <cornu/framework/ops/ops.h>

#include <functional>

#include "catch.h"
#include "support/gradient_check.h"

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
      CHECK(found[k].to_vector<double>() == expected[k].to_vector<double>());
  }
  return kernels(f->passes());
}

}  // namespace

TEST_CASE("normalisations take the programs behind them") {
  const Tensor scale = numbers({6}, 1), offset = numbers({6}, 2), more = numbers({5, 6}, 3);
  const auto rows = [&](const Tensor& x) { return ops::layer_normalization(x, scale, offset); };
  const auto channels = [&](const Tensor& x) {
    return ops::normalize_channels(x, offset, scale, 1e-3, x.dtype()).y;
  };
  CHECK(check([&](const Tensor& x) { return Nest(ops::relu(rows(x))); }, {5, 6}) == "normalize ");
  CHECK(check([&](const Tensor& x) { return Nest(ops::relu(channels(x))); }, {5, 6}) ==
        "normalize ");
  CHECK(check([&](const Tensor& x) { return Nest(ops::relu(channels(x) + more) * 0.5); },
              {5, 6}) == "normalize ");
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

TEST_CASE("the derivatives of normalisations take programs in front of them and behind") {
  const Tensor scale = numbers({6}, 1), offset = numbers({6}, 2);
  for (const bool channels : {true, false}) {
    const Body step = [&](const Tensor& x) {
      GradientTape tape;
      tape.watch(x);
      const Tensor y =
          channels ? ops::normalize_channels(x, offset, scale, 1e-3, x.dtype()).y
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
