// Layers that change colors or mix images, against what Keras computes with the same seeds:
// tests/data/colors.json, written by tools/goldens/color_goldens.py.
#include <cmath>

#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/ops/random/distributions.h>
#include <cornu/layers/image/aug_mix.h>
#include <cornu/layers/image/contrast_limited_adaptive_histogram_equalization.h>
#include <cornu/layers/image/cut_mix.h>
#include <cornu/layers/image/equalization.h>
#include <cornu/layers/image/mix_up.h>
#include <cornu/layers/image/pipeline.h>
#include <cornu/layers/image/rand_augment.h>
#include <cornu/layers/image/random_color_degeneration.h>
#include <cornu/layers/image/random_color_jitter.h>
#include <cornu/layers/image/random_gaussian_blur.h>
#include <cornu/layers/image/random_grayscale.h>
#include <cornu/layers/image/random_invert.h>
#include <cornu/layers/image/random_posterization.h>
#include <cornu/layers/image/random_sharpness.h>
#include <cornu/layers/image/solarization.h>

#include "../../catch.h"
#include "../../support/golden_json.h"
#include "../../support/layer_check.h"

namespace colors_test {

using namespace cornu;
using test::entry;
using test::find_entry;
using test::golden_file;
using test::golden_tensor;

namespace {

Nest nest(const Value& v) {
  if (const Value* dict = find_entry(v, "dict")) {
    Nest::Dict entries;
    for (const auto& [key, value] : dict->get<Value::Dict>())
      entries.emplace_back(key, nest(value));
    return Nest::dict(entries);
  }
  return golden_tensor(v);
}

void compare(const Nest& found, const Nest& expected, double tolerance) {
  REQUIRE(found.same_structure(expected));
  const auto x = found.flatten(), y = expected.flatten();
  for (size_t i = 0; i < x.size(); ++i) {
    INFO("tensor " << i);
    CHECK(x[i].dtype() == y[i].dtype());
    REQUIRE(x[i].shape() == y[i].shape());
    CHECK(test::difference(x[i], y[i]) <= tolerance);
  }
}

const Value& recorded() {
  static const Value* data = [] { return new Value(golden_file("colors.json")); }();
  return *data;
}

Tensor picture(const Shape& shape = {2, 4, 5, 3}) {
  const Tensor x = ops::arange(0, shape.numel(), 1, DType::float32);
  return ops::reshape(ops::mod(x * 37.0, 251.0), shape);
}

}  // namespace

TEST_CASE("layers on colors draw and compute what Keras does") {
  for (const Value& c : entry(recorded(), "cases").get<Value::List>()) {
    INFO(entry(c, "name").get<std::string>());
    const auto layer = std::dynamic_pointer_cast<Layer>(deserialize(entry(c, "layer")));
    REQUIRE(layer);
    const Nest input = nest(entry(c, "input"));
    const auto& outputs = entry(c, "outputs").get<Value::List>();
    const auto& trainings = entry(c, "trainings").get<Value::List>();
    if (!entry(c, "python_seed").is_null())
      random::set_seed(detail::from_value<int64_t>(entry(c, "python_seed")));
    for (size_t i = 0; i < outputs.size(); ++i) {
      INFO("call " << i);
      const Nest found = (*layer)(input, Call{.training = trainings[i].get<bool>()});
      compare(found, nest(outputs[i]), detail::from_value<double>(entry(c, "tolerance")));
    }
  }
}

TEST_CASE("draws by rejection are those of keras.random") {
  for (const Value& c : entry(recorded(), "draws").get<Value::List>()) {
    const std::string kind = entry(c, "kind").get<std::string>();
    const auto seed = detail::from_value<int64_t>(entry(c, "seed"));
    const auto number = [&](const char* key) { return detail::from_value<double>(entry(c, key)); };
    const auto values = detail::from_value<std::vector<double>>(entry(c, "values"));
    INFO(kind << " of seed " << seed);
    Tensor found;
    if (kind == "gamma") found = random::gamma({16}, number("alpha"), seed);
    if (kind == "beta") found = random::beta({16}, number("alpha"), number("beta"), seed);
    if (kind == "permutation")
      found = random::permutation(detail::from_value<int64_t>(entry(c, "n")), seed);
    if (kind == "shuffle")
      found = random::shuffle(ops::reshape(ops::arange(0, 12, 1, DType::float32), {3, 4}),
                              Seed(seed), 1);
    const Tensor y = ops::reshape(ops::cast(found, DType::float64), {-1});
    REQUIRE(y.size() == static_cast<int64_t>(values.size()));
    const std::vector<double> got = y.to_vector<double>();
    for (size_t i = 0; i < values.size(); ++i)
      CHECK(std::abs(got[i] - values[i]) <= 1e-5 * (1e-3 + std::abs(values[i])));
  }
}

TEST_CASE("draws by rejection in other dtypes") {
  for (DType dtype : {DType::float64, DType::float16, DType::bfloat16}) {
    const Tensor g = random::gamma({2000}, 2.0, 1, dtype);
    CHECK(g.dtype() == dtype);
    CHECK(std::abs(ops::mean(ops::cast(g, DType::float64)).item() - 2) < 0.15);
  }
  CHECK_THROWS_AS(random::gamma({2}, 1.0, 1, DType::int32), ValueError);
  CHECK_THROWS_AS(random::shuffle(Tensor(1.0), Seed(1)), ShapeError);
  CHECK_THROWS_AS(random::host_choice(0), ValueError);
  for (int i = 0; i < 50; ++i) CHECK(random::host_choice(3) < 3);
}

TEST_CASE("layers on colors keep their options") {
  const auto config = [](const auto& layer) { return layer->get_config(); };
  const Value::Dict dict = config(layers::RandomGaussianBlur({.sigma = 0.5}));
  CHECK(detail::from_value<std::vector<double>>(*detail::find(dict, "sigma")) ==
        std::vector<double>{0, 0.5});
  CHECK(!detail::find(dict, "bounding_box_format"));
  const auto again = layers::RandomGaussianBlurLayer::from_config(dict);
  CHECK(again->config.sigma.values() == std::vector<double>{0, 0.5});
  const Value::Dict pipeline = config(layers::Pipeline({.layers = {layers::Solarization()}}));
  CHECK(pipeline.size() == 2);
  CHECK(layers::PipelineLayer::from_config(pipeline)->layers.size() == 1);
}

TEST_CASE("wrong options of layers on colors") {
  using std::vector;
  CHECK_THROWS_AS(layers::RandomHue({.factor = 1.5}), ValueError);
  CHECK_THROWS_AS(layers::RandomHue({.factor = vector<double>{0.1, 0.2, 0.3}}), ValueError);
  CHECK_THROWS_AS(layers::RandomContrast({.factor = -0.1}), ValueError);
  CHECK_THROWS_AS(layers::RandomSaturation({.factor = 0.5, .value_range = {1}}), ValueError);
  CHECK_THROWS_AS(layers::RandomPosterization({.factor = vector<int64_t>{9}}), ValueError);
  CHECK_THROWS_AS(layers::RandomGaussianBlur({.kernel_size = 4}), ValueError);
  CHECK_THROWS_AS(layers::Solarization({.addition_factor = 1.5}), ValueError);
  CHECK_THROWS_AS(layers::RandomGrayscale({.factor = 2}), ValueError);
  CHECK_THROWS_AS(layers::RandomSharpness({.factor = 0.5, .data_format = "last"}), ValueError);
  CHECK_THROWS_AS(layers::Pipeline(layers::PipelineConfig{}), ValueError);
  CHECK_THROWS_AS(layers::RandomInvert()(ops::ones({2, 3})), ShapeError);
  CHECK_THROWS_AS(layers::RandomColorDegeneration({.factor = 0.5})(ops::ones({4, 4, 2})),
                  ShapeError);
  const Nest boxes =
      Nest::dict({{"images", picture()},
                  {"bounding_boxes",
                   Nest::dict({{"boxes", ops::ones({2, 1, 4})}, {"labels", ops::ones({2, 1})}})}});
  CHECK_THROWS_AS(layers::CutMix()(boxes), ValueError);
  CHECK_THROWS_AS(layers::CutMix({.bounding_box_format = "xyxy"})(boxes), UnsupportedError);
}

TEST_CASE("layers on colors keep their dtype where it is one of integers") {
  CHECK(layers::RandomInvert({.factor = std::vector<double>{1, 1}, .dtype = DType::uint8})(
            picture(), {.training = true})
            .dtype() == DType::uint8);
  CHECK(layers::RandomColorDegeneration({.factor = std::vector<double>{0.5, 0.5},
                                         .dtype = DType::uint8})(picture(), {.training = true})
            .dtype() == DType::uint8);
}

TEST_CASE("layers on colors work on symbolic images") {
  const Tensor x = Input({6, 6, 3});
  CHECK(layers::RandomColorJitter({.brightness_factor = 0.1, .hue_factor = 0.1})(x).shape() ==
        x.shape());
  CHECK(layers::ContrastLimitedAdaptiveHistogramEqualization()(x).shape() == x.shape());
  CHECK(layers::RandAugment()(x).shape() == x.shape());
  CHECK(layers::AugMix()(x).shape() == x.shape());
  CHECK(layers::CutMix()(x).shape() == x.shape());
  CHECK(layers::MixUp()(x).shape() == x.shape());
}

TEST_CASE("layers on colors draw anew in compiled functions") {
  const auto check = [](auto eager, auto compiled) {
    const Tensor x = picture();
    const auto f = function([&](const Tensor& x) { return compiled(x, Call{.training = true}); });
    for (int i = 0; i < 3; ++i) {
      INFO("call " << i);
      CHECK(test::difference(f(x), eager(x, Call{.training = true})) < 1e-4);
    }
  };
  const layers::RandomColorJitterConfig jitter{.brightness_factor = 0.3,
                                               .contrast_factor = 0.4,
                                               .saturation_factor = 0.4,
                                               .hue_factor = 0.5,
                                               .seed = 5};
  check(layers::RandomColorJitter(jitter), layers::RandomColorJitter(jitter));
  check(layers::CutMix({.seed = 6}), layers::CutMix({.seed = 6}));
  check(layers::MixUp({.alpha = 0.5, .seed = 7}), layers::MixUp({.alpha = 0.5, .seed = 7}));
  check(layers::RandAugment({.seed = 8}), layers::RandAugment({.seed = 8}));
  check(layers::RandomPosterization({.factor = std::vector<int64_t>{7}, .seed = 9}),
        layers::RandomPosterization({.factor = std::vector<int64_t>{7}, .seed = 9}));
}

TEST_CASE("gradients pass through changes of colors") {
  const Tensor x = picture({1, 3, 3, 3}) + 1.0;
  const auto check = [&](auto layer, auto same) {
    Tensor gradient;
    {
      GradientTape tape;
      tape.watch(x);
      gradient = tape.gradient(ops::sum(layer(x, Call{.training = true})), x);
    }
    REQUIRE(gradient);
    const Tensor direction = ops::cos(x);
    const auto moved = [&](double step) {
      auto fresh = same();
      const Tensor y = fresh(x + direction * step, Call{.training = true});
      return ops::sum(ops::cast(y, DType::float64)).item();
    };
    const double slope = (moved(0.05) - moved(-0.05)) / 0.1;
    CHECK(std::abs(slope - ops::sum(gradient * direction).item()) < 1e-2 * (1 + std::abs(slope)));
  };
  const auto degenerate = [] {
    return layers::RandomColorDegeneration({.factor = 0.5, .value_range = {-999, 999}, .seed = 1});
  };
  check(degenerate(), degenerate);
  const auto sharpen = [] {
    return layers::RandomSharpness({.factor = 0.9, .value_range = {-999, 999}, .seed = 1});
  };
  check(sharpen(), sharpen);
  const auto blur = [] {
    return layers::RandomGaussianBlur(
        {.factor = {1.0, 1.0}, .sigma = {0.5, 1.0}, .value_range = {-999, 999}, .seed = 1});
  };
  check(blur(), blur);
  const auto mix = [] { return layers::MixUp({.seed = 1}); };
  check(mix(), mix);
}

}  // namespace colors_test
