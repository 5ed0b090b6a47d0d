// Sizes that one tensor of a call leaves open and another tells.
#include <catch.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/core/masking.h>
#include <cornu/layers/merging/average.h>
#include <cornu/layers/merging/maximum.h>
#include <cornu/layers/merging/multiply.h>
#include <cornu/layers/merging/subtract.h>

#include <functional>

namespace aligned_sizes_test {

using namespace cornu;

namespace {

constexpr int64_t unknown = Shape::unknown;

struct Pairing {
  std::string name;
  std::function<Tensor(const Tensor&, const Tensor&)> of;
};

std::vector<Pairing> pairings() {
  return {
      {"add", [](const Tensor& a, const Tensor& b) { return a + b; }},
      {"divide", [](const Tensor& a, const Tensor& b) { return a / b; }},
      {"less", [](const Tensor& a, const Tensor& b) { return Tensor(a < b); }},
      {"maximum", [](const Tensor& a, const Tensor& b) { return ops::maximum(a, b); }},
      {"where", [](const Tensor& a, const Tensor& b) { return ops::where(a > 0, a, b); }},
      {"Subtract",
       [](const Tensor& a, const Tensor& b) {
         return layers::Subtract()({a, b});
       }},
      {"Multiply",
       [](const Tensor& a, const Tensor& b) {
         return layers::Multiply()({a, b});
       }},
      {"Average",
       [](const Tensor& a, const Tensor& b) {
         return layers::Average()({a, b});
       }},
      {"Maximum",
       [](const Tensor& a, const Tensor& b) {
         return layers::Maximum()({a, b});
       }},
  };
}

}  // namespace

TEST_CASE("either operand may tell a size, and both one each") {
  for (const Pairing& pairing : pairings()) {
    CAPTURE(pairing.name);
    const Input open({std::nullopt, 4}), known({7, 4}), other({7, std::nullopt});
    CHECK(pairing.of(open, known).shape() == Shape({unknown, 7, 4}));
    CHECK(pairing.of(known, open).shape() == Shape({unknown, 7, 4}));
    CHECK(pairing.of(open, other).shape() == Shape({unknown, 7, 4}));
    CHECK(pairing.of(open, open).shape() == Shape({unknown, unknown, 4}));
    CHECK_THROWS_AS(pairing.of(open, Input({7, 5})), ShapeError);
  }
}

TEST_CASE("a model whose inputs tell each other's sizes computes, and refuses others") {
  for (const Pairing& pairing : pairings()) {
    CAPTURE(pairing.name);
    const Input open({std::nullopt, 4}), known({7, 4});
    Functional model({open, known}, pairing.of(open, known));
    const Tensor a = ops::ones({2, 7, 4}), b = ops::full({2, 7, 4}, 3.0);
    const Tensor expected = pairing.of(a, b);
    CHECK(model.predict({a, b}, {.verbose = 0}).tensor().to_vector<float>() ==
          expected.to_vector<float>());
    CHECK_THROWS_AS(model.predict({ops::ones({2, 5, 4}), b}, {.verbose = 0}), ShapeError);
  }
}

TEST_CASE("masks take the sizes of their tensors") {
  const Input open({std::nullopt, 4}), known({7, 4});
  const Tensor masked = layers::Masking()(open);
  REQUIRE(masked.mask());
  const Tensor sum = layers::Maximum()({masked, layers::Masking()(known)});
  CHECK(sum.shape() == Shape({unknown, 7, 4}));
  CHECK(sum.mask().shape() == Shape({unknown, 7}));
}

}  // namespace aligned_sizes_test
