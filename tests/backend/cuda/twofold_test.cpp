// Sums in two floats beside sums in doubles: generated kernels in their host form.
#include <cornu/backend/cuda/codegen/codegen.h>
#include <cornu/backend/cuda/nvrtc_cache.h>
#include <cornu/backend/error.h>

#include <cmath>
#include <random>

#include "catch.h"
#include "fake_bench.h"
#include "host_form.h"

namespace twofold_test {

namespace twofold_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

constexpr float inf = HUGE_VALF;

// A sum of floats over one axis of two.
struct Case {
  std::string name;
  Shape shape;
  int axis;
  std::vector<float> values;
  double scale = 1;

  int64_t results() const { return shape[1 - axis]; }
  cuda::KernelPlan plan(bool slow_doubles) const {
    ProgramBuilder builder(1);
    const Shape kept{results()};
    const Operand in[] = {{&shape, DType::float32, nullptr}};
    const Operand out[] = {{&kept, DType::float32, nullptr}};
    return cuda::plan(Reduce{builder.finish({builder.input(0)}),
                             DType::float32,
                             ReduceOp::sum,
                             {axis},
                             shape,
                             scale},
                      in, out, {.slow_doubles = slow_doubles});
  }
  /// Of the sizes of what goes into a result.
  double sizes(int64_t result) const {
    double sum = 0;
    for (int64_t k = 0; k < shape[axis]; ++k)
      sum += std::fabs(
          values[static_cast<size_t>(axis == 1 ? result * shape[1] + k : k * shape[1] + result)]);
    return sum * std::fabs(scale);
  }
};

using Maker = std::function<float(int64_t i, std::mt19937& generator)>;

std::vector<Case> all_shapes(const std::string& name, double scale, const Maker& maker) {
  std::vector<Case> cases;
  // Lanes of a warp, of a block, of several blocks; columns, of several blocks; few elements.
  for (const auto& [shape, axis] : {std::pair{Shape{9, 32}, 1},
                                    {Shape{3, 5000}, 1},
                                    {Shape{1, 200000}, 1},
                                    {Shape{300, 40}, 0},
                                    {Shape{40000, 8}, 0},
                                    {Shape{4000, 3}, 0},
                                    {Shape{2, 5}, 1}}) {
    std::mt19937 generator(7);
    Case made{name, shape, axis, {}, scale};
    for (int64_t i = 0; i < shape.numel(); ++i) made.values.push_back(maker(i, generator));
    cases.push_back(made);
  }
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const auto add = [&](const char* name, double scale, const Maker& maker) {
    for (Case& made : all_shapes(name, scale, maker)) cases.push_back(std::move(made));
  };
  const auto uniform = [](std::mt19937& generator, float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(generator);
  };
  // Those of which eight are exact in a float.
  for (double scale : {1.0, 1.0 / 3, -1e-20})
    add("exact", scale, [](int64_t, std::mt19937& generator) {
      return static_cast<float>(static_cast<int>(generator() % 2097152) - 1048576) / 1024;
    });
  add("positive", 1.0 / 7, [&](int64_t, std::mt19937& g) { return uniform(g, 0, 1); });
  add("of both signs", 1, [&](int64_t, std::mt19937& g) { return uniform(g, -1, 1); });
  add("one large", 1,
      [&](int64_t i, std::mt19937& g) { return i == 0 ? 1e10f : uniform(g, 0, 1); });
  add("of all sizes", 1, [&](int64_t, std::mt19937& g) {
    return std::ldexp(uniform(g, -1, 1), static_cast<int>(g() % 60) - 30);
  });
  // What cancels is a million times what stays.
  add("cancelling", 1, [&](int64_t i, std::mt19937& g) {
    return (i % 2 ? -1e6f : 1e6f) + std::round(uniform(g, 0, 8));
  });
  add("tiny", 1, [&](int64_t, std::mt19937& g) { return uniform(g, 0, 1) * 1e-30f; });
  add("large", 1, [&](int64_t, std::mt19937& g) { return uniform(g, 0, 1) * 1e32f; });
  add("a factor beyond two floats", 1e-40,
      [&](int64_t, std::mt19937& g) { return uniform(g, 0, 1) * 1e30f; });
  add("infinite", 0.5, [](int64_t i, std::mt19937&) { return i % 1000 == 3 ? inf : 1.0f; });
  add("both infinities", 1, [](int64_t i, std::mt19937&) {
    return i % 1000 == 3 ? inf : i % 1000 == 999 ? -inf : 1.0f;
  });
  add("not a number", 1, [](int64_t i, std::mt19937&) { return i % 1000 == 3 ? NAN : 1.0f; });
  return cases;
}

}  // namespace

TEST_CASE("sums in two floats are those in doubles") {
  std::vector<Case> cases = all_cases();
  std::vector<std::shared_ptr<const cuda::Source>> sources;
  for (const Case& each : cases)
    for (bool slow : {false, true})
      for (const cuda::Stage& stage : each.plan(slow).stages) sources.push_back(stage.source);
  const HostKernels kernels(sources);
  if (!kernels.ok()) {
    if (kernels.log().find("error") != std::string::npos) FAIL(kernels.log().substr(0, 4000));
    WARN("No C++ compiler: the host form of generated kernels is not run.");
    return;
  }
  for (Case& each : cases) {
    CAPTURE(each.name, each.shape.str(), each.axis, each.scale);
    std::vector<float> doubles(static_cast<size_t>(each.results())), twofold = doubles;
    kernels.run(each.plan(false), {each.values.data(), doubles.data()});
    kernels.run(each.plan(true), {each.values.data(), twofold.data()});
    for (int64_t i = 0; i < each.results(); ++i) {
      const float expected = doubles[static_cast<size_t>(i)], got = twofold[static_cast<size_t>(i)];
      if (std::isnan(expected)) {
        CHECK(std::isnan(got));
      } else if (std::isinf(expected) || each.name == "exact") {
        CHECK(got == expected);
      } else {
        // The last place of the result, and 2^-44 of what was summed up.
        const double most = 6e-8 * std::fabs(expected) + 6e-14 * each.sizes(i) + 1e-45;
        CHECK(std::fabs(static_cast<double>(got) - static_cast<double>(expected)) <= most);
      }
    }
  }
}

TEST_CASE("NVRTC compiles sums in two floats") {
  std::vector<std::shared_ptr<const cuda::Source>> sources;
  for (const Case& each : all_cases())
    for (const cuda::Stage& stage : each.plan(true).stages) sources.push_back(stage.source);
  try {
    const cuda::Nvrtc& compiler = cuda::Nvrtc::get();
    for (int architecture : {80, 89, 120})
      CHECK(compiler.compile(cuda::batch_text(sources), "twofold", architecture).substr(1, 3) ==
            "ELF");
  } catch (const UnsupportedError& error) {
    WARN("Not tested: " << error.what());
  }
}

TEST_CASE("a total beyond the range of a float is infinite, and no NaN") {
  Case beyond{"beyond", {2, 64}, 1, std::vector<float>(128, 3e38f), 1.0 / 64};
  for (size_t i = 64; i < 128; ++i) beyond.values[i] = i % 3 ? -3e38f : 1.0f;
  const cuda::KernelPlan plan = beyond.plan(true);
  const HostKernels kernels({plan.stages[0].source});
  if (!kernels.ok()) return;
  float sums[2] = {};
  kernels.run(plan, {beyond.values.data(), sums});
  CHECK(sums[0] == inf);
  CHECK(sums[1] == -inf);
}

TEST_CASE("devices whose doubles are slow sum in two floats", "[cuda]") {
  Bench bench;
  const auto slow = [&](int ratio) {
    bench.driver.double_ratio = ratio;
    bench.made.reset();
    return bench.backend().device().slow_doubles();
  };
  CHECK_FALSE(slow(2));  // H100
  CHECK(slow(32));
  CHECK(slow(64));
  CHECK_FALSE(slow(0));  // nothing known
  const auto text = [](const Case& each, bool slow) {
    return each.plan(slow).stages[0].source->body;
  };
  const Case rows{"rows", {4, 4}, 1, {}}, columns{"columns", {40000, 8}, 0, {}};
  for (const Case* each : {&rows, &columns}) {
    CHECK(text(*each, true).find("double") == std::string::npos);
    CHECK(text(*each, false).find("Twofold") == std::string::npos);
  }
  CHECK(rows.plan(true).workspace_bytes == rows.plan(false).workspace_bytes);
  CHECK(columns.plan(true).workspace_bytes == columns.plan(false).workspace_bytes);
}

}  // namespace twofold_test

}  // namespace twofold_test
