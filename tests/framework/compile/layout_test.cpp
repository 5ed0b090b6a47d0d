// Layouts of plans: what lies between convolutions keeps their blocks of channels.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/dispatch/variable.h>
#include <cornu/framework/ops/ops.h>

#include <cmath>
#include <functional>

#include "catch.h"
#include "support/gradient_check.h"

namespace layout_test {

using namespace cornu;
using cornu::test::noise;

namespace {

Tensor numbers(const Shape& shape, int seed) {
  return ops::cast(noise(shape, -1, 1, seed), DType::float32);
}

// Copies of the plan as it runs.
int copies(const std::string& passes) {
  const std::string last = passes.substr(passes.rfind("schedule, "));
  int count = 0;
  for (size_t at = last.find("= copy("); at != std::string::npos; at = last.find("= copy(", at + 1))
    ++count;
  return count;
}

double difference(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  return ops::max(ops::absolute(a - b)).item();
}

// Between two convolutions of 32 channels, which run in blocks where the device has any. Returns
// the copies that the plan makes.
int check(const std::function<Tensor(const Tensor&)>& between) {
  const Tensor first = numbers({3, 3, 32, 32}, 1), second = numbers({1, 1, 32, 32}, 2);
  const auto body = [&](const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    const Tensor y = ops::conv(between(ops::conv(x, first)), second);
    return Nest(std::vector<Tensor>{y, tape.gradient(ops::sum(y * y), x)});
  };
  auto f = function(body);
  for (int i = 0; i < 4; ++i) {
    const Tensor x = numbers({2, 9, 8, 32}, 10 + i);
    const std::vector<Tensor> found = f(x).flatten(), expected = body(x).flatten();
    for (size_t k = 0; k < 2; ++k)
      CHECK(difference(found[k], expected[k]) <
            1e-5 * (1 + ops::max(ops::absolute(expected[k])).item()));
  }
  auto forward =
      function([&](const Tensor& x) { return ops::conv(between(ops::conv(x, first)), second); });
  for (int i = 0; i < 4; ++i) forward(numbers({2, 9, 8, 32}, 10 + i));
  return copies(forward->passes());
}

}  // namespace

TEST_CASE("images are padded, cropped, turned and joined in blocks") {
  // Into blocks at the beginning, out of them at the end.
  const int ends = check([](const Tensor& x) { return x * 2.0; });
  CHECK(check([](const Tensor& x) {
          return ops::pad(x, {{0, 0}, {2, 1}, {0, 3}, {0, 0}});
        }) == ends + 1);
  CHECK(check([](const Tensor& x) {
          return ops::pad(x, {{1, 0}, {0, 0}, {1, 1}, {0, 0}}, "constant", 3.5);
        }) == ends + 1);
  CHECK(check([](const Tensor& x) { return ops::split(x, {2, 5}, 1)[1]; }) == ends + 1);
  CHECK(check([](const Tensor& x) { return ops::flip(x, {2}); }) == ends + 1);
  CHECK(check([](const Tensor& x) { return ops::flip(x, {0}); }) == ends + 1);
  CHECK(check([](const Tensor& x) { return ops::concatenate({x, x * 3.0}, 2); }) <= ends + 1);
  CHECK(check([](const Tensor& x) { return ops::concatenate({x * 2.0, x}, 0); }) <= ends + 1);
}

TEST_CASE("what mixes channels or exchanges axes is done in order") {
  check([](const Tensor& x) { return ops::flip(x, {3}); });
  check([](const Tensor& x) { return ops::transpose(x, std::vector<int64_t>{0, 2, 1, 3}); });
  check([](const Tensor& x) { return ops::roll(x, 1, 3); });
  check([](const Tensor& x) {
    return ops::concatenate({ops::split(x, 2, 3)[1], ops::split(x, 2, 3)[0]}, 3);
  });
  check([](const Tensor& x) { return ops::pad(x, {{0, 0}, {0, 0}, {0, 0}, {0, 0}}); });
}

TEST_CASE("a call of another shape has the memory of plans until they run again") {
  Variable first(numbers({3, 3, 32, 32}, 1), {.name = "first"});
  const Variable second(numbers({3, 3, 32, 32}, 2), {.name = "second"});
  const auto body = [&](const Tensor& x) {
    return ops::conv(ops::relu(ops::conv(x, first.value())), second.value());
  };
  auto f = function(body);
  const auto check_call = [&](int64_t batch, int seed) {
    const Tensor x = numbers({batch, 12, 12, 32}, seed);
    CHECK(difference(f(x), body(x)) < 1e-3);
  };
  for (int i = 0; i < 3; ++i) check_call(8, i);
  const size_t with_plan = memory::stats().live;
  check_call(3, 4);
  CHECK(memory::stats().live < with_plan);
  for (int i = 0; i < 3; ++i) {
    check_call(8, 5 + i);
    check_call(3, 15 + i);
  }
  // Weights that change are seen by plans of every shape.
  first.assign(numbers({3, 3, 32, 32}, 3));
  check_call(8, 30);
  check_call(3, 31);
  CHECK(f->report().plans == 2);
  CHECK(f->report().recordings == 4);
}

}  // namespace layout_test
