// TimeDistributed and Wrapper.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/core/wrapper.h>
#include <cornu/layers/normalization/batch_normalization.h>
#include <cornu/layers/recurrent/time_distributed.h>

#include "../../catch.h"
#include "wrapper_check.h"

namespace time_distributed_test {

using namespace cornu;
using test::check_new;
using test::difference;
using test::padding;
using test::paths;
using test::wave;

TEST_CASE("TimeDistributed applies a layer to each step") {
  check_new<layers::TimeDistributed>(
      [] { return layers::TimeDistributed({.layer = layers::Dense({.units = 3})}); },
      {.input = {2, 4, 5}, .output = {2, 4, 3}, .weights = 2});
  // Each step is normalized by its own statistics, and moves the averages on.
  const Tensor x = wave({4, 2, 3});
  layers::TimeDistributed steps({.layer = layers::BatchNormalization()});
  layers::BatchNormalization norm;
  const Tensor y = steps(x, {.training = true});
  std::vector<Tensor> expected;
  for (const Tensor& step : ops::unstack(x, {}, 1))
    expected.push_back(norm(step, {.training = true}));
  CHECK(difference(y, ops::stack(expected, 1)) < 1e-6);
  for (size_t i = 0; i < 4; ++i)
    CHECK(difference(steps->get_weights()[i], norm->get_weights()[i]) < 1e-6);
  CHECK(paths(*steps) == std::vector<std::string>{"layer"});
}

TEST_CASE("TimeDistributed hands on a mask of its steps") {
  layers::TimeDistributed steps({.layer = layers::Dense({.units = 2})});
  const Tensor y = steps(wave({2, 3, 2}), {.mask = padding()});
  CHECK(y.mask().to_vector<float>() == padding().to_vector<float>());
  const Tensor wrong = ops::cast(Tensor::from({1, 0}, {1, 2}), DType::boolean);
  CHECK_THROWS_AS(steps(wave({2, 3, 2}), {.mask = wrong}), ShapeError);
  CHECK_THROWS_AS(steps(wave({2, 3})), ShapeError);
}

TEST_CASE("Wrapper is abstract") {
  layers::Wrapper wrapper({.layer = layers::Dense({.units = 2})});
  CHECK_THROWS_AS(wrapper(wave({2, 3})), UnsupportedError);
  CHECK(wrapper->layer->built());
}

}  // namespace time_distributed_test
