// RotaryEmbedding.
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/text/rotary_embedding.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/layer_check.h"
#include "../../support/temporary.h"

namespace rotary_embedding_test {

using namespace cornu;
using test::check_layer;
using test::difference;

TEST_CASE("RotaryEmbedding keeps a layer's contract") {
  check_layer<layers::RotaryEmbedding>({}, {.input = {2, 3, 4}, .output = {2, 3, 4}});
  check_layer<layers::RotaryEmbedding>({.max_wavelength = 50, .scaling_factor = 2},
                                       {.input = {2, 3, 2, 4}, .output = {2, 3, 2, 4}});
}

TEST_CASE("RotaryEmbedding turns pairs of features by angles that grow with the place") {
  const layers::RotaryEmbedding layer({.max_wavelength = 100, .scaling_factor = 2});
  const Tensor x = Tensor::from<float>({1, 2, 3, 4, 1, 2, 3, 4}, {1, 2, 4});
  const auto y = layer(x).to_vector<float>();
  for (int place = 0; place < 2; ++place)
    for (int i = 0; i < 2; ++i) {
      const double angle = place * std::pow(100.0, -i / 2.0) / 2;
      const double a = 1 + i, b = 3 + i;
      CHECK(std::abs(y[place * 4 + i] - (a * std::cos(angle) - b * std::sin(angle))) < 1e-5);
      CHECK(std::abs(y[place * 4 + i + 2] - (b * std::cos(angle) + a * std::sin(angle))) < 1e-5);
    }
}

TEST_CASE("Products of what RotaryEmbedding gives depend on the distance of places alone") {
  const layers::RotaryEmbedding layer({.frequency_adjustment_factor = 8,
                                       .low_freq_factor = 1,
                                       .high_freq_factor = 4,
                                       .pretraining_sequence_length = 64});
  const Tensor a = random::uniform({1, 1, 2, 8}, -1, 1, 3),
               b = random::uniform({1, 1, 2, 8}, -1, 1, 4);
  const auto product = [&](int32_t place, int32_t other) {
    return ops::sum(layer->at(a, Tensor(place)) * layer->at(b, Tensor(other)));
  };
  CHECK(difference(product(3, 7), product(20, 24)) < 1e-5);
  CHECK(difference(product(3, 7), product(20, 27)) > 1e-3);
}

TEST_CASE("Wrong options of RotaryEmbedding are errors") {
  CHECK_THROWS_AS(layers::RotaryEmbedding()(ops::zeros({2, 3, 5})), ShapeError);
  CHECK_THROWS_WITH(layers::RotaryEmbedding({.max_wavelength = 0}),
                    test::contains("max_wavelength"));
  CHECK_THROWS_WITH(layers::RotaryEmbedding({.high_freq_factor = 4}), test::contains("found 1 of"));
  CHECK_THROWS_WITH(layers::RotaryEmbedding({.frequency_adjustment_factor = 8,
                                             .low_freq_factor = 4,
                                             .high_freq_factor = 4,
                                             .pretraining_sequence_length = 64}),
                    test::contains("above low_freq_factor"));
}

}  // namespace rotary_embedding_test
