// Training in sections that are computed again: the same numbers from less memory.
#include <cornu/backend/error.h>
#include <cornu/cornu.h>
#include <cornu/framework/model/checkpoint_segments.h>

#include "catch.h"
#include "support/gradient_check.h"

namespace remat_fit_test {

using namespace cornu;
using cornu::test::noise;

namespace {

// Blocks with a way around them, draws, moving averages, losses of layers, and two outputs.
std::shared_ptr<Functional> branched() {
  Input x({8, 8, 3});
  Tensor y = layers::Conv2D({.filters = 4, .kernel_size = 3, .padding = "same"})(x);
  for (int i = 0; i < 4; ++i) {
    Tensor z = layers::BatchNormalization()(y);
    z = layers::Activation({.activation = "relu"})(z);
    z = layers::Dropout({.rate = 0.3, .seed = i})(z);
    z = layers::Conv2D(
        {.filters = 4,
         .kernel_size = 3,
         .padding = "same",
         .activity_regularizer = i == 1 ? Choice<Regularizer>("l2") : Choice<Regularizer>{}})(z);
    y = layers::Add()({y, z});
  }
  const Tensor means = layers::GlobalAveragePooling2D()(y);
  return std::make_shared<Functional>(
      x, Nest{layers::Dense({.units = 2, .name = "a"})(means),
              layers::Dense({.units = 1, .name = "b"})(layers::Flatten()(y))});
}

std::shared_ptr<Sequential> stack() {
  std::vector<AnyLayer> layers = {Input({16})};
  for (int i = 0; i < 8; ++i) {
    layers.push_back(layers::Dense({.units = 16, .activation = "tanh"}));
    layers.push_back(layers::Dropout({.rate = 0.2, .seed = i}));
  }
  layers.push_back(layers::Dense({.units = 1}));
  return std::make_shared<Sequential>(layers);
}

struct Outcome {
  std::vector<double> losses;
  std::vector<Tensor> weights;
};

template <class M>
Outcome train(const std::shared_ptr<M>& model, const std::vector<Tensor>& begin, bool remat,
              bool eagerly, const Nest& x, const Nest& y) {
  model->set_weights(begin);
  model->compile({.optimizer = optimizers::SGD({.learning_rate = 0.0003, .momentum = 0.9}),
                  .loss = "mse",
                  .run_eagerly = eagerly,
                  .remat = remat});
  const History history = model->fit(
      x, y, {.batch_size = 4, .epochs = 3, .verbose = Verbose::silent, .shuffle = false});
  return {history["loss"], model->get_weights()};
}

template <class M>
void check_equal(M (*make)(), const Nest& x, const Nest& y) {
  // Draws go on from where the last run ended, so each has a model of its own.
  const std::vector<Tensor> begin = make()->get_weights();
  const Outcome plain = train(make(), begin, false, true, x, y);
  for (const bool eagerly : {true, false}) {
    const Outcome again = train(make(), begin, true, eagerly, x, y);
    for (size_t i = 0; i < plain.losses.size(); ++i)
      CHECK(again.losses[i] == Approx(plain.losses[i]).epsilon(1e-5));
    REQUIRE(again.weights.size() == plain.weights.size());
    for (size_t i = 0; i < plain.weights.size(); ++i) {
      const auto a = again.weights[i].template to_vector<double>(),
                 b = plain.weights[i].template to_vector<double>();
      for (size_t k = 0; k < a.size(); ++k) CHECK(a[k] == Approx(b[k]).margin(2e-5));
    }
  }
}

// The most that there is at once while gradients come back.
double most_at_once(const std::vector<detail::StepSize>& steps) {
  double kept = 0, most = 0;
  size_t begin = 0;
  for (const size_t end : detail::segment_ends(steps)) {
    double made = 0;
    for (; begin < end; ++begin) made += steps[begin].made;
    most = std::max(most, kept + made);
    if (end < steps.size()) kept += steps[end - 1].across;
  }
  return most;
}

}  // namespace

TEST_CASE("a graph trained in sections gives the same numbers") {
  check_equal(&branched, noise({12, 8, 8, 3}, 1), Nest{noise({12, 2}, 2), noise({12, 1}, 3)});
}

TEST_CASE("a stack trained in sections gives the same numbers") {
  check_equal(&stack, noise({12, 16}, 1), noise({12, 1}, 2));
}

TEST_CASE("sections keep less for the gradient") {
  const auto peak = [](bool remat, bool eagerly) {
    const auto model = stack();
    model->compile(
        {.optimizer = optimizers::SGD(), .loss = "mse", .run_eagerly = eagerly, .remat = remat});
    const Tensor x = noise({4096, 16}, 1), y = noise({4096, 1}, 2);
    const size_t live = memory::stats().live;
    memory::reset_peak();
    for (int i = 0; i < 3; ++i) model->train_on_batch(x, y);
    return static_cast<double>(memory::stats().peak - live);
  };
  // What a device's libraries work in is taken once, by the first who needs as much.
  for (const bool remat : {false, true})
    for (const bool eagerly : {false, true}) peak(remat, eagerly);
  CHECK(peak(true, true) < 0.6 * peak(false, true));
  CHECK(peak(true, false) < 0.6 * peak(false, false));
}

TEST_CASE("cuts keep as little as can be") {
  // A chain of equal steps: each section is shorter by the one value that is kept before it.
  CHECK(most_at_once(std::vector<detail::StepSize>(15, {1, 1})) == 5);
  CHECK(most_at_once(std::vector<detail::StepSize>(16, {1, 1})) == 6);
  CHECK(most_at_once(std::vector<detail::StepSize>(105, {1, 1})) == 14);
  // Where nothing may be cut there is one section.
  CHECK(detail::segment_ends(std::vector<detail::StepSize>(5, {1})) == std::vector<size_t>{5});
  // Blocks are cut where one value leaves them, not inside, where two are alive.
  std::vector<detail::StepSize> blocks;
  for (int i = 0; i < 9; ++i)
    for (const double across : {12.0, 12.0, 4.0}) blocks.push_back({4, across});
  for (const size_t end : detail::segment_ends(blocks)) CHECK(end % 3 == 0);
  CHECK(detail::segment_ends({}) == std::vector<size_t>{0});
}

TEST_CASE("models that are neither graph nor stack are told of remat(f)") {
  struct Own : Model {
    Tensor call(const Tensor& x, const Call&) override { return x; }
  } model;
  CHECK_THROWS_AS(model.compile({.loss = "mse", .remat = true}), UnsupportedError);
}

}  // namespace remat_fit_test
