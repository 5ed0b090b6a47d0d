// One call that tests what every layer on images promises.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "../../support/contract.h"
#include "../../support/gradient_check.h"
#include "../../support/temporary.h"

namespace cornu::test {

/// What a layer on images does, and what it is given.
struct ImageExpectation {
  Shape output = {6, 8, 3};       ///< of one image
  bool draws = true;              ///< whether another seed gives other results
  bool only_in_training = true;   ///< whether images stay as they are outside of training
  bool either_layout = true;      ///< whether channels_first is channels_last with axes moved
  bool single = true;             ///< whether it takes one image without a batch
  double low = 0, high = 255;     ///< bounds of the results; equal ones for none
  double compiled_margin = 2e-4;  ///< of a replayed recording, relative
};

/// Pixels (n, 6, 8, 3) in [0, 255].
inline Tensor photos(int64_t n = 3, int seed = 5) {
  return ops::cast(noise({n, 6, 8, 3}, 0, 255, seed), DType::float32);
}

/// Makes a layer with a seed and a data_format.
using MakeImageLayer =
    std::function<std::shared_ptr<Layer>(int64_t seed, const std::string& data_format)>;

namespace image_checks {

inline void repeats_by_seed(const MakeImageLayer& make, const ImageExpectation& e) {
  const Tensor x = photos();
  const auto a = make(7, "channels_last"), b = make(7, "channels_last"),
             other = make(8, "channels_last");
  bool differs = false;
  for (int i = 0; i < 3; ++i) {
    const Tensor y = (*a)(x, {.training = true});
    CHECK(identical(y, (*b)(x, {.training = true})));
    differs = differs || !identical(y, (*other)(x, {.training = true}));
    CHECK(y.shape().slice(1) == e.output);
    for (double v : y.to_vector<double>()) {
      REQUIRE(std::isfinite(v));
      if (e.low < e.high) REQUIRE((v >= e.low - 1e-3 && v <= e.high + 1e-3));
    }
  }
  CHECK(differs == e.draws);
}

inline void knows_training(const MakeImageLayer& make, const ImageExpectation& e) {
  const Tensor x = photos();
  const auto layer = make(7, "channels_last");
  const Tensor y = (*layer)(x, {.training = false});
  CHECK(identical(y, x) == e.only_in_training);
  CHECK(identical(y, (*layer)(x, {.training = false})));  // nothing is drawn
}

inline void takes_dictionaries(const MakeImageLayer& make, const ImageExpectation& e) {
  const Tensor x = photos();
  const Tensor plain = (*make(7, "channels_last"))(x, {.training = true});
  const Tensor extra = Tensor::from({3.0f, 1.0f, 2.0f}, {3, 1});
  const Nest both = (*make(7, "channels_last"))(
      Nest::dict({{"images", x}, {"weights_of_samples", extra}}), {.training = true});
  CHECK(identical(both["images"].tensor(), plain));
  CHECK(identical(both["weights_of_samples"].tensor(), extra));
  if (!e.single) return;
  const Tensor one = (*make(7, "channels_last"))(photos(1)[0], {.training = true});
  CHECK(one.shape() == e.output);
  CHECK(difference(one, (*make(7, "channels_last"))(photos(1), {.training = true})[0]) < 1e-5);
}

inline void is_made_again(const MakeImageLayer& make) {
  const Tensor x = photos();
  const auto layer = make(7, "channels_last");
  const auto copy = remade<Layer>(*layer);
  for (int i = 0; i < 2; ++i)
    CHECK(identical((*layer)(x, {.training = true}), (*copy)(x, {.training = true})));
  const TemporaryFolder folder;
  Sequential model({Input({6, 8, 3}), AnyLayer(layer)});
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  CHECK(identical(loaded->predict(x, {.verbose = Verbose::silent}).tensor(),
                  model.predict(x, {.verbose = Verbose::silent}).tensor()));
}

inline void is_compiled(const MakeImageLayer& make, const ImageExpectation& e) {
  const auto eager = make(7, "channels_last"), inner = make(7, "channels_last");
  Function step([&](const Nest& x) { return (*inner)(x, {.training = true}); });
  for (int i = 0; i < 5; ++i) {
    const Tensor x = photos(3, 20 + i);
    CHECK(difference(step(x).tensor(), (*eager)(x, {.training = true})) < e.compiled_margin);
  }
}

inline void infers_shapes(const MakeImageLayer& make, const ImageExpectation& e) {
  const auto layer = make(7, "channels_last");
  const Tensor some = Tensor::abstract({Shape::unknown, 6, 8, 3}, DType::float32);
  const Tensor spec = layer->compute_output_spec(some).tensor();
  CHECK(spec.shape() == Shape{Shape::unknown, e.output[0], e.output[1], e.output[2]});
  CHECK(spec.dtype() == DType::float32);
}

inline void moves_axes(const MakeImageLayer& make) {
  const Tensor x = photos();
  const Tensor last = (*make(7, "channels_last"))(x, {.training = true});
  const Tensor first = (*make(7, "channels_first"))(
      ops::transpose(x, std::vector<int64_t>{0, 3, 1, 2}), {.training = true});
  CHECK(difference(ops::transpose(first, std::vector<int64_t>{0, 2, 3, 1}), last) < 1e-4);
}

inline void explains_mistakes(const MakeImageLayer& make) {
  const auto layer = make(7, "channels_last");
  const std::string message = error_of([&] { (*layer)(ops::zeros({4, 5}), {.training = true}); });
  CHECK(has(message, "(4, 5)"));
  CHECK_THROWS_AS((*layer)(ops::zeros({4, 5}), {.training = true}), ShapeError);
  CHECK(has(error_of([&] { make(7, "channels_lost"); }), "channels_lost"));
}

}  // namespace image_checks

/// Checks that layers from `make` repeat by their seeds, change nothing outside of training, take
/// single images and dictionaries, are made again from configs and files, compute the same when
/// compiled, infer their shapes, treat both layouts alike, and explain mistakes.
inline void check_image_layer(const MakeImageLayer& make, const ImageExpectation& e = {}) {
  image_checks::repeats_by_seed(make, e);
  image_checks::knows_training(make, e);
  image_checks::takes_dictionaries(make, e);
  image_checks::is_made_again(make);
  image_checks::is_compiled(make, e);
  image_checks::infers_shapes(make, e);
  if (e.either_layout) image_checks::moves_axes(make);
  image_checks::explains_mistakes(make);
}

}  // namespace cornu::test
