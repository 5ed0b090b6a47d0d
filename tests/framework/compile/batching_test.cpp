// Functions that are mapped over samples, and leave out a part of what they compute.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>

#include "catch.h"
#include "support/contract.h"

namespace batching_test {

using namespace cornu;
using test::identical;

namespace {

using Body = std::function<Tensor(const Tensor&)>;

}  // namespace

TEST_CASE("A mapped function may compute what it does not give, with numbers of its own") {
  const Tensor x =
      Tensor::from(std::vector<float>{5, 1, 0, 5, 4, -1, 2, 4, 3, 0, 0, 2, 1, 2, -3, 4}, {4, 2, 2});
  const Tensor table = Tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 2});
  const Body bodies[] = {
      [](const Tensor& m) { return ops::logdet(m); },
      [](const Tensor& m) { return ops::slogdet(m)[1]; },
      [](const Tensor& m) { return ops::slogdet(m)[0]; },
      [&](const Tensor& m) {
        const Tensor unused = ops::matmul(m, table);
        return m * Tensor(2.0f);
      },
      [&](const Tensor& m) {
        const Tensor unused = ops::sum(m + table);
        return ops::matmul(m, ops::transpose(table));
      },
      [&](const Tensor& m) {
        return ops::split(ops::concatenate({m, table}, 0), 2, 0)[0];
      },
      [&](const Tensor&) { return table + Tensor(1.0f); },
  };
  int number = 0;
  for (const Body& body : bodies) {
    INFO("body " << number++);
    std::vector<Tensor> each;
    for (int64_t i = 0; i < 4; ++i) each.push_back(body(x[i]));
    const Tensor expected = ops::stack(each);
    const auto map = [&](const Nest& given) -> Nest {
      return ops::vectorized_map([&](const Nest& one) -> Nest { return body(one.tensor()); },
                                 given);
    };
    CHECK(test::difference(map(x).tensor(), expected) < 1e-6);
    Function compiled(map);
    for (int call = 0; call < 4; ++call)
      CHECK(test::difference(compiled(Nest(x)).tensor(), expected) < 1e-6);
    // The gradient of the whole.
    GradientTape tape;
    tape.watch(x);
    const Tensor y = ops::sum(map(x).tensor());
    const Tensor slope = tape.gradient(y, x);
    if (slope) CHECK(slope.shape() == x.shape());
  }
}

}  // namespace batching_test
