// Learning rate schedules against Keras.
#include <catch.h>
#include <cornu/framework/config/json.h>
#include <cornu/optimizers/schedules/exponential_decay.h>
#include <cornu/optimizers/schedules/piecewise_constant_decay.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "paths.h"

namespace schedules_test {

using namespace cornu;
using nlohmann::ordered_json;

TEST_CASE("schedules give Keras's rates") {
  std::ifstream file(test::source_path("tests/data/optimizers.json"));
  const ordered_json goldens = ordered_json::parse(file)["schedules"];
  const auto steps = goldens["steps"].get<std::vector<int32_t>>();
  for (const auto& c : goldens["cases"]) {
    INFO(c["object"].dump());
    const Value object = cornu::parse_json(c["object"].dump(), "a golden");
    const auto schedule = std::dynamic_pointer_cast<LearningRateSchedule>(deserialize(object));
    REQUIRE(schedule);
    CHECK(cornu::to_json(serialize(*schedule)) == cornu::to_json(object));
    const auto rates = (*schedule)(Tensor::from(steps, {11})).to_vector<double>();
    for (size_t i = 0; i < steps.size(); ++i) {
      const double wanted = c["rates"][i].get<double>();
      CHECK(rates[i] == Approx(wanted).epsilon(1e-5).margin(1e-8));
      CHECK(schedule->at(steps[i]) == rates[i]);
    }
    CHECK((*schedule)(Tensor(3)).shape() == Shape{});
  }
}

TEST_CASE("schedules check their options") {
  using namespace optimizers::schedules;
  CHECK_THROWS_AS(
      ExponentialDecay({.initial_learning_rate = 0.1, .decay_steps = 0, .decay_rate = 0.5}),
      ValueError);
  CHECK_THROWS_AS(PiecewiseConstantDecay({.boundaries = std::vector<Number>{5, 6},
                                          .values = std::vector<Number>{1.0, 0.5}}),
                  ValueError);
}

}  // namespace schedules_test
