// Compares training with Keras's: weights before and after, histories and outputs.
#include <algorithm>

#include "../../losses/golden.h"
#include "model_support.h"

namespace training_golden_test {

using namespace cornu;
using namespace cornu::test;
using nlohmann::json;

namespace {

constexpr double kTolerance = 1e-4;

Nest nest_of(const json& j) {
  if (j.contains("values")) return tensor_of(j);
  Nest::Dict dict;
  for (const auto& [key, e] : j.items()) dict.emplace_back(key, nest_of(e));
  return Nest::dict(std::move(dict));
}

FitOptions options_of(const json& fit) {
  FitOptions options{.epochs = 2, .verbose = Verbose::silent, .shuffle = false};
  options.batch_size = fit.at("batch_size").get<int64_t>();
  options.validation_split = fit.value("validation_split", 0.0);
  if (fit.contains("sample_weight")) options.sample_weight = tensor_of(fit.at("sample_weight"));
  if (fit.contains("class_weight"))
    for (size_t i = 0; i < fit.at("class_weight").size(); ++i)
      options.class_weight[static_cast<int64_t>(i)] = fit.at("class_weight")[i].get<double>();
  return options;
}

// The largest distance of a tensor's values from those of the file.
double distance(const Tensor& found, const json& expected) {
  const auto values = found.to_vector<double>();
  const auto wanted = expected.get<std::vector<double>>();
  REQUIRE(values.size() == wanted.size());
  double worst = 0;
  for (size_t i = 0; i < values.size(); ++i)
    worst = std::max(worst, std::abs(values[i] - wanted[i]) / std::max(1.0, std::abs(wanted[i])));
  return worst;
}

void check_weights(const Model& model, const json& expected) {
  const std::vector<Tensor> weights = model.get_weights();
  REQUIRE(weights.size() == expected.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    INFO("weight " << i << ": " << model.weights()[i].path());
    CHECK(distance(weights[i], expected[i]) < kTolerance);
  }
}

}  // namespace

TEST_CASE("Training gives Keras's numbers") {
  const json cases = read_json("tests/data/training.json");
  for (const auto& [name, entry] : cases.items()) {
    INFO(name);
    const auto model = model_from_json(entry.at("model").dump());
    model->compile_from_config(value_of(entry.at("compile")).get<Value::Dict>());
    {
      INFO("before training");
      check_weights(*model, entry.at("before"));
    }
    const Nest x = nest_of(entry.at("x"));
    const History history = model->fit(x, nest_of(entry.at("y")), options_of(entry.at("fit")));

    std::vector<std::string> expected_names, names;
    for (const auto& [key, values] : entry.at("history").items()) expected_names.push_back(key);
    for (const auto& [key, values] : history.history) names.push_back(key);
    std::sort(expected_names.begin(), expected_names.end());
    CHECK(names == expected_names);
    for (const auto& [key, values] : history.history) {
      if (!entry.at("history").contains(key)) continue;
      INFO("history of " << key);
      CHECK(distance(Tensor(values), entry.at("history").at(key)) < kTolerance);
    }
    check_weights(*model, entry.at("after"));

    const Nest outputs = model->predict(x, {.batch_size = 7, .verbose = Verbose::silent});
    const json& expected = entry.at("outputs");
    if (outputs.is_dict()) {
      for (const auto& [key, value] : outputs.entries())
        CHECK(distance(value, expected.at(key).at("values")) < kTolerance);
    } else {
      CHECK(distance(outputs, expected.at("values")) < kTolerance);
    }
  }
}

}  // namespace training_golden_test
