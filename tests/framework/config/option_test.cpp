// Options that are lists, in all the ways in which users write them.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include <sstream>

#include "catch.h"

namespace option_test {

using namespace cornu;

namespace {

struct ListsConfig {
  Required<Axes> axes;
  Required<layers::Numbers> factor;
  OptionalList<std::vector<double>> thresholds = {};
  OptionalList<std::vector<int64_t>> salt = {};
  OptionalList<Shape> shape = {};
  OptionalList<layers::Numbers> width = {};
  OptionalList<Integers> ngrams = {};
  OptionalList<Dims<2>> padding = {};
};

}  // namespace

static_assert(!std::default_initializable<ListsConfig>, "required options cannot be left out");

TEST_CASE("options that are lists take braces") {
  const ListsConfig config{.axes = {2, 1},
                           .factor = {-0.1, 0.3},
                           .thresholds = {0.1, 0.5},
                           .salt = {1, 2},
                           .shape = {std::nullopt, 1, 4},
                           .width = {0.1, 0.2},
                           .ngrams = {2, 3},
                           .padding = {1, 0}};
  const std::string text = to_json(to_dict(config));
  CHECK(text ==
        R"({"axes": [2, 1], "factor": [-0.1, 0.3], "thresholds": [0.1, 0.5], "salt": [1, 2], )"
        R"("shape": [null, 1, 4], "width": [0.1, 0.2], "ngrams": [2, 3], "padding": [1, 0]})");
  CHECK(to_json(to_dict(from_dict<ListsConfig>(to_dict(config)))) == text);
}

TEST_CASE("options that are lists take double braces and variables") {
  const std::vector<double> numbers{0.1, 0.5};
  const std::optional<std::vector<int64_t>> salt = std::vector<int64_t>{1, 2};
  const ListsConfig config{.axes = {{2, 1}},
                           .factor = numbers,
                           .thresholds = {{0.1, 0.5}},
                           .salt = salt,
                           .shape = Shape{2, 3},
                           .width = numbers,
                           .ngrams = Integers{2, 3},
                           .padding = {{1, 0}}};
  CHECK(config.axes->resolve(3).size() == 2);
  CHECK(config.factor->values() == numbers);
  CHECK(*config.thresholds == numbers);
  CHECK(*config.salt == *salt);
  CHECK(*config.shape == Shape{2, 3});
  CHECK(config.width->values() == numbers);
  CHECK(config.ngrams->list() == std::vector<int64_t>{2, 3});
  CHECK(config.padding->vec() == std::vector<int64_t>{1, 0});
}

TEST_CASE("options that are lists take one element, or none") {
  const ListsConfig config{.axes = 2,
                           .factor = 1,
                           .thresholds = 0.3,
                           .salt = 133,
                           .shape = 6,
                           .width = 0.2,
                           .padding = 1};
  CHECK(config.axes->value().get<int64_t>() == 2);
  CHECK(config.factor->is_single());
  CHECK(*config.thresholds == std::vector<double>{0.3});
  CHECK(*config.salt == std::vector<int64_t>{133});
  CHECK(*config.shape == Shape{6});
  CHECK(config.width->is_single());
  CHECK(!config.ngrams);
  CHECK(config.padding->vec() == std::vector<int64_t>{1, 1});
  const ListsConfig none{
      .axes = 0, .factor = {0.5}, .thresholds = std::nullopt, .salt = {}, .shape = {}};
  CHECK(none.factor->is_single());
  CHECK(!none.thresholds);
  CHECK(!none.salt);
  CHECK(!none.shape);
}

TEST_CASE("layers and metrics take lists in braces") {
  CHECK(*layers::Dropout({.rate = .5, .noise_shape = {2, 1, 4}})->config.noise_shape ==
        Shape{2, 1, 4});
  const layers::MultiHeadAttention attention(
      {.num_heads = 2, .key_dim = 3, .output_shape = {6}, .attention_axes = {1, 2}});
  CHECK(*attention->config.output_shape == Shape{6});
  CHECK(layers::Dot({.axes = {2, 2}})({ops::ones({1, 2, 3}), ops::ones({1, 2, 3})})
            .tensor()
            .shape() == Shape{1, 2, 2});
  CHECK(layers::PReLU({.shared_axes = {1, 2}})->config.shared_axes->size() == 2);
  CHECK(layers::Discretization({.bin_boundaries = {0.0, 0.5, 1.0}})(Tensor({0.7})).item() == 2);
  CHECK(metrics::AUC({.thresholds = {0.1, 0.5}})->config.thresholds->size() == 2);
  CHECK(metrics::Precision({.thresholds = 0.3})->config.thresholds->size() == 1);
  CHECK(layers::Hashing({.num_bins = 3, .salt = {1, 2}})->config.salt->size() == 2);
  const layers::RNN rnn({.cell = {layers::LSTMCell({.units = 2}), layers::GRUCell({.units = 3})}});
  CHECK(rnn(ops::ones({1, 2, 4})).shape() == Shape{1, 3});
}

namespace {

struct ScaleConfig {
  Required<int64_t> units;
  Required<double> rate;
};

template <class A, class B>
constexpr bool same = std::same_as<A, B>;

}  // namespace

TEST_CASE("Required numbers stand beside tensors, and among numbers they are numbers") {
  const ScaleConfig config{.units = 3, .rate = 0.5};
  const Tensor x = ops::array({{1, 2, 3}, {4, 5, 6}}, "float16");
  const auto agree = [](const Tensor& a, const Tensor& b) {
    return a.dtype() == b.dtype() && bool(ops::all(a == b));
  };
  CHECK(agree(x * config.rate, x * 0.5));
  CHECK(agree(config.rate * x, x * 0.5));
  CHECK(agree(x + config.units, x + 3));
  CHECK(agree(config.units - x, 3 - x));
  CHECK(agree(x / config.units, x / 3));
  CHECK(agree(x % config.units, x % 3));
  CHECK(agree(x > config.units, x > 3));
  CHECK(agree(config.units <= x, 3 <= x));
  CHECK(agree(x == config.units, x == 3));
  CHECK(agree(x * config.units * config.rate, x * 1.5));
  CHECK(agree(Variable(x) * config.rate, x * 0.5));
  Tensor y = x;
  y *= config.rate;
  CHECK(agree(y, x * 0.5));
  CHECK(agree(ops::maximum(x, config.units), ops::maximum(x, 3)));
  CHECK(agree(ops::where(x > 2, x, config.rate), ops::where(x > 2, x, 0.5)));
  CHECK(agree(ops::power(x, config.units), ops::power(x, 3)));
  CHECK(agree(x[{0, config.units - 1}], x[{0, 2}]));
  CHECK(agree(ops::reshape(x, {-1, config.units})[1], x[1]));
  CHECK(ops::reshape(x, {config.units, 2}).shape() == Shape{3, 2});
  CHECK(ops::repeat(x, config.units).shape() == Shape{18});
  CHECK(ops::split(x, config.units, 1).size() == 3);
  CHECK(agree(ops::arange(config.units), ops::arange(3)));
  CHECK(Tensor(config.units).is_weak());

  static_assert(same<decltype(config.units / 2), int64_t>);
  static_assert(same<decltype(config.units * config.units), int64_t>);
  static_assert(same<decltype(config.units * config.rate), double>);
  static_assert(same<decltype(-config.rate), double>);
  static_assert(same<decltype(config.units == config.units), bool>);
  static_assert(!std::convertible_to<Required<std::string>, Tensor>);
  static_assert(!std::convertible_to<std::optional<double>, Tensor>);
  CHECK(config.units / 2 == 1);
  CHECK(config.units * config.rate == 1.5);
  CHECK(config.units % 2 + (1 - config.rate) == 1.5);
  CHECK(config.units > config.rate);
  CHECK(config.units != 2);
  std::ostringstream text;
  text << config.units << " " << config.rate;
  CHECK(text.str() == "3 0.5");
}

}  // namespace option_test
