// PReLU.
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/activations/prelu.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace prelu_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("PReLU keeps a layer's contract") {
  check_layer<layers::PReLU>({.alpha_initializer = "ones"},
                             {.input = {2, 5}, .output = {2, 5}, .weights = 1});
  check_layer<layers::PReLU>({.shared_axes = std::vector<int64_t>{1}},
                             {.input = {2, 3, 4}, .output = {2, 3, 4}, .weights = 1});
  CHECK_THROWS_AS(layers::PReLU({.shared_axes = std::vector<int64_t>{2}})(ops::zeros({2, 3})),
                  ValueError);
}

}  // namespace prelu_test
