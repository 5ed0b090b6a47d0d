// Losses against Keras, and their gradients against finite differences.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/base/loss.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/losses/binary_crossentropy.h>
#include <cornu/losses/categorical_crossentropy.h>
#include <cornu/losses/huber.h>
#include <cornu/losses/mean_squared_error.h>

#include "catch.h"
#include "losses/golden.h"

namespace losses_test {

using namespace cornu;

namespace {

void check_close(const Tensor& got, const nlohmann::json& want, double rtol, double atol) {
  const auto values = got.to_vector<double>();
  const auto expected = want.get<std::vector<double>>();
  REQUIRE(values.size() == expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    INFO("element " << i << ": " << values[i] << ", Keras has " << expected[i]);
    CHECK(std::abs(values[i] - expected[i]) <= atol + rtol * std::abs(expected[i]));
  }
}

std::shared_ptr<Loss> make_loss(const std::string& name, const Value::Dict& config) {
  const ClassInfo* info = catalog().find("keras.losses", name);
  REQUIRE(info);
  return std::dynamic_pointer_cast<Loss>(info->make(config));
}

}  // namespace

TEST_CASE("losses and their gradients agree with Keras") {
  for (const auto& c : test::read_json("tests/data/losses.json")) {
    INFO(c.at("class") << " " << c.at("config") << " y_true " << c.at("y_true") << " y_pred "
                       << c.at("y_pred"));
    const auto loss = make_loss(c.at("class"), test::value_of(c.at("config")).get<Value::Dict>());
    const Tensor y_true = test::tensor_of(c.at("y_true"));
    Tensor y_pred = test::tensor_of(c.at("y_pred"));
    const Tensor weight = c.contains("weight") ? test::tensor_of(c.at("weight")) : Tensor();
    if (c.contains("mask"))
      y_pred.set_mask(ops::cast(test::tensor_of(c.at("mask")), DType::boolean));
    GradientTape tape;
    if (is_float(y_pred.dtype())) tape.watch(y_pred);
    const Tensor out = (*loss)(y_true, y_pred, weight);
    CHECK(out.dtype() == DType::float32);
    CHECK(out.shape().str() == Shape(c.at("out").at("shape").get<std::vector<int64_t>>()).str());
    check_close(out, c.at("out").at("values"), 2e-5, 2e-6);
    if (c.contains("gradient"))
      check_close(tape.gradient(out, y_pred), c.at("gradient"), 1e-4, 2e-6);
  }
}

TEST_CASE("gradients of losses agree with finite differences") {
  for (const auto& c : test::read_json("tests/data/losses.json")) {
    if (!c.contains("gradient") || c.contains("weight")) continue;
    INFO(c.at("class") << " " << c.at("config"));
    Value::Dict config = test::value_of(c.at("config")).get<Value::Dict>();
    config.emplace_back("dtype", "float64");
    const auto loss = make_loss(c.at("class"), config);
    const Tensor y_true = test::tensor_of(c.at("y_true"));
    const Tensor y_pred = ops::cast(test::tensor_of(c.at("y_pred")), DType::float64);
    GradientTape tape;
    tape.watch(y_pred);
    const Tensor out = (*loss)(y_true, y_pred);
    REQUIRE(out.dtype() == DType::float64);
    const auto got = tape.gradient(out, y_pred).to_vector<double>();
    auto values = y_pred.to_vector<double>();
    for (size_t i = 0; i < values.size(); ++i) {
      const double x = values[i], step = 1e-6;
      // Beside the bounds at which probabilities are cut the slope is not that at the point.
      if (x < 2 * step || x > 1 - 2 * step) {
        if (config[0].first == "from_logits" && !config[0].second.get<bool>()) continue;
      }
      double side[2];
      for (int s = 0; s < 2; ++s) {
        values[i] = x + (s ? step : -step);
        side[s] = (*loss)(y_true, Tensor::from(values, y_pred.shape())).item();
      }
      values[i] = x;
      CHECK(got[i] == Approx((side[1] - side[0]) / (2 * step)).epsilon(1e-4).margin(1e-6));
    }
  }
}

TEST_CASE("a loss is found by its names") {
  for (const char* name : {"mse", "MSE", "mean_squared_error", "MeanSquaredError"})
    CHECK(std::dynamic_pointer_cast<losses::MeanSquaredErrorLoss>(
        make_by_name("keras.losses", name)));
  CHECK(std::dynamic_pointer_cast<losses::HuberLoss>(make_by_name("keras.losses", "huber")));
  CHECK(Choice<Loss>("kld")->name() == "kl_divergence");
  CHECK_THROWS_WITH(make_by_name("keras.losses", "mean_squared_eror"),
                    test::contains("mean_squared_error"));
}

TEST_CASE("a loss writes the config that Keras writes") {
  const auto keys = [](const Loss& loss) {
    std::string text;
    for (const auto& [key, value] : loss.get_config()) text += key + " ";
    return text;
  };
  CHECK(keys(*losses::Huber()) == "reduction name ");
  CHECK(keys(*losses::Huber({.delta = 2.0})) == "delta reduction name ");
  CHECK(keys(*losses::BinaryCrossentropy()) == "from_logits label_smoothing axis reduction name ");
  const Value saved = serialize(*losses::Huber({.delta = 2.0, .reduction = "sum"}));
  const auto again = std::dynamic_pointer_cast<losses::HuberLoss>(deserialize(saved));
  REQUIRE(again);
  CHECK(again->config.delta == 2.0);
  CHECK(again->reduction() == "sum");
  CHECK(make_loss("Huber", {{"reduction", Value()}})->reduction() == "none");
}

TEST_CASE("losses refuse what does not fit") {
  const Tensor a = ops::zeros({4, 2}), b = ops::zeros({4, 3});
  CHECK_THROWS_AS(losses::MeanSquaredError()(a, b), ShapeError);
  CHECK_THROWS_WITH(losses::BinaryCrossentropy()(ops::zeros({4, 1}), b), test::contains("(4, 1)"));
  CHECK_THROWS_WITH(losses::CategoricalCrossentropy()(a, b),
                    test::contains("SparseCategoricalCrossentropy"));
  CHECK_THROWS_WITH(losses::MeanSquaredError()(a, a, ops::zeros({3})),
                    test::contains("sample_weight"));
  CHECK_THROWS_WITH(losses::MeanSquaredError({.reduction = "avg"}), test::contains("reduction"));
}

TEST_CASE("a function is a loss") {
  FunctionLoss loss([](const Tensor& t, const Tensor& p) { return ops::mean(ops::abs(t - p), -1); },
                    "mine");
  const Tensor t = Tensor::from({1.f, 2.f}, {2, 1}), p = Tensor::from({2.f, 4.f}, {2, 1});
  CHECK(loss(t, p).item() == Approx(1.5));
  CHECK(loss(t, p, Tensor::from({1.f, 0.f}, {2})).item() == Approx(0.5));
  CHECK_THROWS_WITH(loss.get_config(), test::contains("losses::register_function"));
}

TEST_CASE("half precision predictions give a float32 loss") {
  const Tensor t = ops::ones({2, 300}), p = ops::cast(ops::full({2, 300}, 300.0), DType::float16);
  const Tensor y = losses::MeanSquaredError()(t, p);
  CHECK(y.dtype() == DType::float32);
  CHECK(y.item() == Approx(299.0 * 299.0));
}

TEST_CASE("a last axis of size 1 stands for none") {
  const Tensor flat = Tensor::from({0.2f, 0.4f, 0.9f, 0.3f, 0.6f}, {5});
  const Tensor targets = Tensor::from({1.0f, 0.0f, 1.0f, 0.0f, 1.0f}, {5, 1});
  const struct {
    const char* name;
    Value::Dict config;
    double want;
  } cases[] = {{"Dice", {}, 0.3703704},
               {"Tversky", {{"alpha", 0.3}, {"beta", 0.6}}, 0.3227092},
               {"CategoricalFocalCrossentropy", {}, 0},
               {"CategoricalGeneralizedCrossEntropy", {}, 1.4638926}};
  for (const auto& [name, config, want] : cases) {
    INFO(name);
    const auto loss = make_loss(name, config);
    CHECK((*loss)(targets, flat).item() == Approx(want).margin(1e-6));
    CHECK((*loss)(ops::reshape(targets, {5}), ops::reshape(flat, {5, 1})).item() ==
          Approx(want).margin(1e-6));
  }
}

}  // namespace losses_test
