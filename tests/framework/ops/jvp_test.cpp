// Derivatives along a direction.
#include <cornu/framework/autodiff/jvp.h>
#include <cornu/framework/ops/ops.h>

#include "../../support/gradient_check.h"
#include "catch.h"
#include "support/all_close.h"

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
