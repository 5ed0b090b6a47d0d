// Models of which some outputs are not trained.
#include <catch.h>
#include <cornu/cornu.h>

#include "../../support/error_of.h"

namespace partial_targets_test {

using namespace cornu;

namespace {

std::shared_ptr<Functional> two_outputs(LossOption loss) {
  Input x({4});
  const Tensor hidden = layers::Dense(
      {.units = 3, .kernel_initializer = initializers::GlorotUniform({.seed = 1})})(x);
  const Tensor y = layers::Dense(
      {.units = 2, .kernel_initializer = initializers::GlorotUniform({.seed = 2})})(hidden);
  auto model = make<Functional>(x, Nest{y, hidden});
  model->compile({.optimizer = "sgd", .loss = std::move(loss)});
  return model;
}

const FitOptions quiet{.batch_size = 4, .epochs = 2, .verbose = Verbose::silent, .shuffle = false};

}  // namespace

TEST_CASE("targets may leave out the outputs that have no loss") {
  const Tensor x = random::normal({8, 4}, 0, 1, 3), y = random::normal({8, 2}, 0, 1, 4);
  const auto part = two_outputs({"mse", nullptr}), whole = two_outputs({"mse", nullptr});
  const auto losses = [&](const auto& model, const Nest& targets) {
    return model->fit(x, targets, quiet)["loss"];
  };
  CHECK(losses(part, y) == losses(whole, Nest{y, Tensor()}));
  CHECK(part->evaluate(x, y, {.verbose = Verbose::silent}).at("loss") ==
        whole->evaluate(x, Nest{y, Tensor()}, {.verbose = Verbose::silent}).at("loss"));
}

TEST_CASE("a target alone for several losses is an error") {
  const auto model = two_outputs({"mse", "mse"});
  CHECK(test::error_of([&] {
          model->fit(ops::ones({8, 4}), ops::ones({8, 2}), quiet);
        }).find("1 targets") != std::string::npos);
}

TEST_CASE("weights and metrics go to the outputs that the targets are for") {
  const Tensor x = random::normal({8, 4}, 0, 1, 3), y = random::normal({8, 3}, 0, 1, 4),
               weight = ops::abs(random::normal({8}, 0, 1, 5));
  // The second output alone is trained.
  const auto figures = [&](const Nest& targets, const Nest& weights) {
    const auto model = two_outputs({nullptr, "mse"});
    model->compile({.optimizer = "sgd",
                    .loss = {nullptr, "mse"},
                    .metrics = {MetricOption(), MetricOption{"mae"}}});
    return model->fit(x, targets,
                      {.batch_size = 4,
                       .epochs = 2,
                       .verbose = Verbose::silent,
                       .shuffle = false,
                       .sample_weight = weights});
  };
  const History part = figures(y, weight),
                whole = figures(Nest{Tensor(), y}, Nest{Tensor(), weight});
  CHECK(part["loss"] == whole["loss"]);
  CHECK(part.history.size() == 2);
  CHECK(part.history == whole.history);
}

}  // namespace partial_targets_test
