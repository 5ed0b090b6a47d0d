// Derivatives along a direction.
#include <cornu/framework/autodiff/jvp.h>
#include <cornu/framework/ops/ops.h>

#include "../../support/gradient_check.h"
#include "catch.h"
#include "support/all_close.h"
#include "support/matchers.h"

namespace jvp_test {

using namespace cornu;
using test::noise;
using List = std::vector<Tensor>;

TEST_CASE("jvp is the derivative along the tangents") {
  const auto sine = ops::jvp([](const List& x) { return List{ops::sin(x[0])}; }, {0.1}, {0.2});
  CHECK(sine.outputs[0].item() == Approx(0.09983342));
  CHECK(sine.tangents[0].item() == Approx(0.19900084));

  const auto f = [](const List& x) {
    return List{ops::matmul(x[0], ops::exp(x[1])), ops::softmax(x[1]), ops::ones({2})};
  };
  const List x = {noise({2, 3}), noise({3, 4}, -1, 1, 2)},
             t = {noise({2, 3}, -1, 1, 3), noise({3, 4}, -1, 1, 4)};
  const ops::Directional result = ops::jvp(f, x, t);
  const double step = 1e-3;
  const List after = f({x[0] + t[0] * step, x[1] + t[1] * step}),
             before = f({x[0] - t[0] * step, x[1] - t[1] * step});
  for (size_t i = 0; i < 2; ++i)
    CHECK(test::all_close(result.tangents[i], (after[i] - before[i]) / (2 * step), 1e-3, 1e-3));
  CHECK(!result.tangents[2]);

  CHECK_THROWS_AS(ops::jvp(f, x, {t[0]}), ValueError);
  CHECK_THROWS_AS(ops::jvp(f, x, {t[1], t[0]}), ShapeError);
}

TEST_CASE("with has_aux the function returns more, which is not differentiated") {
  const Tensor a = Tensor::from({0.5f, 2.f}, {2}), b = Tensor::from({3.f, -1.f}, {2});
  const List along = {Tensor::from({1.f, 0.5f}, {2}), Tensor::from({2.f, 1.f}, {2})};
  const auto f = [](const List& x) {
    return std::pair(List{x[0] * x[1]}, Nest::dict({{"sum", x[0] + x[1]}}));
  };
  const ops::Directional result = ops::jvp(f, {a, b}, along, true);
  CHECK(result.outputs[0].to_vector<float>() == std::vector<float>{1.5f, -2});
  CHECK(result.tangents[0].to_vector<float>() == std::vector<float>{4, 1.5f});
  CHECK(result.aux["sum"].to_vector<float>() == std::vector<float>{3.5f, 1});
  CHECK_THROWS_WITH(ops::jvp(f, {a, b}, along, false), test::contains("has_aux must be true"));

  const auto outputs_alone = [](const List& x) { return List{x[0] * x[1] + ops::sin(x[0])}; };
  const ops::Directional plain = ops::jvp(outputs_alone, {a, b}, along, false);
  CHECK(test::all_close(plain.outputs[0], Tensor::from({1.9794255f, -1.0907025f}, {2})));
  CHECK(test::all_close(plain.tangents[0], Tensor::from({4.8775826f, 1.2919266f}, {2})));
  CHECK(plain.aux.empty());
  CHECK_THROWS_WITH(ops::jvp(outputs_alone, {a, b}, along, true), test::contains("returns a pair"));
}

}  // namespace jvp_test
