// Results in the memory of arguments that nobody needs any more.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/core/slices.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>

#include "../../catch.h"

namespace donated_arguments_test {

using namespace cornu;

namespace {

// x with the number `step` in its place `step`.
Nest write(const Nest& arguments) {
  const std::vector<Tensor> all = arguments.flatten();
  const Tensor &x = all[0], &step = all[1];
  const Tensor value = ops::reshape(ops::cast(step, DType::float32), {1});
  return Nest::List{ops::slice_update(x, ops::reshape(step, {1}), value)};
}

Tensor number(int32_t n) { return Tensor::from<int32_t>({n}, {}); }

// A function with a plan.
Function ready() {
  Function f(write);
  for (int32_t i = 0; i < 4; ++i) f(Nest(Nest::List{ops::zeros({8}), number(i)}));
  REQUIRE(f.report().replays > 0);
  return f;
}

}  // namespace

TEST_CASE("an argument that is donated lends its memory to its update") {
  Function f = ready();
  Tensor x = ops::zeros({8});
  for (int32_t i = 1; i < 6; ++i) {
    const void* const place = x.data();
    Nest::List arguments{std::move(x), number(i)};
    x = {};
    const std::vector<Tensor> results = f(Nest(std::move(arguments))).flatten();
    CHECK(results[0].data() == place);
    x = results[0];
  }
  CHECK(x.to_vector<float>() == std::vector<float>{0, 1, 2, 3, 4, 5, 0, 0});
}

TEST_CASE("a result of another shape than its argument has its own") {
  Function flat([](const Nest& given) -> Nest {
    const Tensor x = ops::reshape(given.flatten()[0], {4});
    return Nest::List{ops::slice_update(x, Tensor::from<int32_t>({1}, {1}), ops::ones({1}))};
  });
  for (int i = 0; i < 5; ++i) {
    Nest::List arguments{ops::zeros({2, 2})};  // the braces hold a handle until the statement ends
    const Tensor y = flat(Nest(std::move(arguments))).flatten()[0];
    CHECK(y.shape() == Shape{4});
    CHECK(y.to_vector<float>() == std::vector<float>{0, 1, 0, 0});
  }
}

TEST_CASE("an argument with other handles keeps its values") {
  Function f = ready();
  const Tensor x = ops::zeros({8}), view = ops::reshape(x, {2, 4});
  const Tensor y = f(Nest(Nest::List{x, number(3)})).flatten()[0];
  CHECK(y.to_vector<float>()[3] == 3);
  CHECK(x.to_vector<float>() == std::vector<float>(8, 0.0f));

  Tensor alone = ops::zeros({8});
  const Tensor part = ops::reshape(alone, {2, 4});
  Nest::List arguments{std::move(alone), number(3)};
  alone = {};
  f(Nest(std::move(arguments)));
  CHECK(part.to_vector<float>() == std::vector<float>(8, 0.0f));
}

TEST_CASE("arguments that are not donated keep their values") {
  Function f = ready();
  const Nest arguments(Nest::List{ops::zeros({8}), number(3)});
  f(arguments);
  f(arguments);
  CHECK(arguments.flatten()[0].to_vector<float>() == std::vector<float>(8, 0.0f));

  // What is read after the update is read before it is written, or copied.
  Function sum([](const Nest& given) -> Nest {
    const Tensor x = given.flatten()[0];
    const Tensor y = ops::slice_update(x, Tensor::from<int32_t>({0}, {1}), ops::ones({1}));
    return Nest::List{y, ops::sum(x) + ops::sum(y)};
  });
  Tensor state = ops::zeros({4});
  for (int i = 0; i < 5; ++i) {
    Nest::List list{std::move(state)};
    state = {};
    const std::vector<Tensor> results = sum(Nest(std::move(list))).flatten();
    CHECK(results[1].item() == (i == 0 ? 1 : 2));
    state = results[0];
  }

  // One tensor as two arguments has two handles.
  Function both([](const Nest& given) -> Nest {
    const std::vector<Tensor> all = given.flatten();
    const Tensor start = Tensor::from<int32_t>({0}, {1});
    return Nest::List{ops::slice_update(all[0], start, ops::ones({1})), all[1] * Tensor(2.0f)};
  });
  for (int i = 0; i < 4; ++i) {
    const Tensor x = ops::ones({4}) * Tensor(3.0f);
    const std::vector<Tensor> results = both(Nest(Nest::List{x, x})).flatten();
    CHECK(results[0].to_vector<float>() == std::vector<float>{1, 3, 3, 3});
    CHECK(results[1].to_vector<float>() == std::vector<float>(4, 6.0f));
  }
}

}  // namespace donated_arguments_test
