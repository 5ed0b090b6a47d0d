// Distiller and its losses, against runs of Keras.
#include <cornu/framework/model/distillation/distiller.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/core/dense.h>
#include <cornu/losses/kl_divergence.h>
#include <cornu/optimizers/sgd.h>

#include <filesystem>

#include "../../../losses/golden.h"
#include "../model_support.h"

namespace distiller_test {

using namespace cornu;
using namespace cornu::distillation;
using namespace cornu::test;
using nlohmann::json;

namespace {

std::shared_ptr<Model> recorded_model(const json& config, const json& weights) {
  const auto model = model_from_json(config.dump());
  std::vector<Tensor> values;
  for (const json& w : weights) values.push_back(tensor_of(w));
  model->set_weights(values);
  return model;
}

std::vector<Choice<DistillationLoss>> recorded_losses(const json& entries) {
  std::vector<Choice<DistillationLoss>> losses;
  for (const json& e : entries) losses.emplace_back(deserialize(value_of(e)));
  return losses;
}

void check_near(const Tensor& found, const Tensor& expected) {
  REQUIRE(found.shape() == expected.shape());
  const Tensor scale = ops::maximum(ops::absolute(expected), 1.0);
  CHECK(ops::max(ops::absolute(found - expected) / scale).item() < 1e-4);
}

Sequential small_net(const std::string& name, int64_t units = 3) {
  return Sequential({Input({4}), layers::Dense({.units = units, .name = "features"}),
                     layers::Dense({.units = 3})},
                    {.name = name});
}

}  // namespace

TEST_CASE("Distiller trains as Keras's does") {
  const json file = read_json("tests/data/distillation.json");
  for (const json& c : file.at("cases")) {
    INFO(c.at("name"));
    const auto teacher = recorded_model(c.at("teacher"), c.at("teacher_weights"));
    const auto student = recorded_model(c.at("student"), c.at("student_weights"));
    DistillerConfig config{.teacher = teacher,
                           .student = student,
                           .distillation_losses = recorded_losses(c.at("losses")),
                           .student_loss_weight = c.at("share").get<double>()};
    if (!c.at("weights").is_null())
      config.distillation_loss_weights = c.at("weights").get<std::vector<double>>();
    Distiller distiller(config);
    CompileOptions options{.optimizer = optimizers::SGD({.learning_rate = 0.05}),
                           .loss = LossOption::from_value(value_of(c.at("loss")))};
    if (!c.at("metrics").is_null())
      options.metrics = MetricOption::from_value(value_of(c.at("metrics")));
    distiller.compile(options);
    const Tensor x = tensor_of(c.at("x")), y = tensor_of(c.at("y"));
    const History history = distiller.fit(
        x, y, {.batch_size = 6, .epochs = 3, .verbose = Verbose::silent, .shuffle = false});
    for (const auto& [name, values] : c.at("history").items()) {
      INFO(name);
      check_near(Tensor(history.history.at(name)), Tensor(values.get<std::vector<double>>()));
    }
    const Logs figures = distiller.evaluate(x, y, {.batch_size = 6, .verbose = Verbose::silent});
    for (const auto& [name, value] : c.at("evaluate").items()) {
      INFO("evaluated " << name);
      const double wanted = value.get<double>();
      CHECK(std::abs(figures.at(name) - wanted) < 2e-5 * std::max(1.0, std::abs(wanted)));
    }
    const std::vector<Tensor> after = student->get_weights();
    for (size_t i = 0; i < after.size(); ++i) check_near(after[i], tensor_of(c.at("after")[i]));
    check_near(student->predict(x, {.verbose = Verbose::silent}), tensor_of(c.at("y_pred")));
  }
}

TEST_CASE("Distiller freezes the teacher, and is saved with both models") {
  Sequential teacher = small_net("teacher"), student = small_net("student", 5);
  Distiller distiller(
      {.teacher = teacher,
       .student = student,
       .distillation_losses = {LogitsDistillation({.temperature = 2}), FeatureDistillation()},
       .distillation_loss_weights = std::vector<double>{1, 0.5}});
  distiller.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  const Tensor x = ops::reshape(ops::arange(0, 32, 1, DType::float32), {8, 4}) / 32;
  const Tensor y = Tensor::from<int32_t>({0, 1, 2, 0, 1, 2, 0, 1}, {8});
  const Tensor taught = teacher(x), before = student(x);
  const History history = distiller.fit(x, y, {.epochs = 2, .verbose = Verbose::silent});
  check_near(teacher(x), taught);
  CHECK(ops::max(ops::absolute(student(x) - before)).item() > 1e-4);
  CHECK(distiller.trainable_variables().size() == 4);
  CHECK(history.history.contains("student_loss"));
  const auto path = std::filesystem::temp_directory_path() / "cornu_distiller_test.keras";
  distiller.save(path.string());
  const auto again = load_model<Distiller>(path.string());
  std::filesystem::remove(path);
  check_near(again->predict(x, {.verbose = Verbose::silent}).tensor(), student(x));
  CHECK(again->config.distillation_loss_weights == std::vector<double>{1, 0.5});
  again->fit(x, y, {.verbose = Verbose::silent});
}

TEST_CASE("Distiller says what does not fit") {
  const auto distill = [](const AnyModel& teacher, const AnyModel& student,
                          const Choice<DistillationLoss>& loss, double share = 0.5,
                          std::vector<double> weights = {1}) {
    return Distiller({.teacher = teacher,
                      .student = student,
                      .distillation_losses = {loss},
                      .distillation_loss_weights = weights,
                      .student_loss_weight = share});
  };
  const AnyModel a = small_net("teacher"), b = small_net("student", 5);
  const LogitsDistillation logits;
  CHECK_THROWS_AS(distill(a, b, logits, 1.5), ValueError);
  CHECK_THROWS_AS(distill(a, b, logits, 0.5, {1, 2}), ValueError);
  CHECK_THROWS_AS(distill(a, b, nullptr), ValueError);
  CHECK_THROWS_AS(distill(a, Sequential({Input({5}), layers::Dense({.units = 3})}), logits),
                  ValueError);
  CHECK_THROWS_AS(distill(a, Sequential({Input({4}), layers::Dense({.units = 2})}), logits),
                  ValueError);
  const auto features = [](const char* teacher, const char* student) {
    return FeatureDistillation({.teacher_layer_name = teacher, .student_layer_name = student});
  };
  CHECK_THROWS_AS(distill(a, b, features("absent", "features")), ValueError);
  CHECK_THROWS_AS(distill(a, Sequential({layers::Dense({.units = 3, .name = "features"})}),
                          features("features", "features")),
                  ValueError);
  CHECK_THROWS_AS(LogitsDistillation({.temperature = 0}), ValueError);
  CHECK_THROWS_AS(LogitsDistillation({.loss = "none_such"}), ValueError);
  CHECK_THROWS_AS(FeatureDistillation({.loss = nullptr}), ValueError);
  // One loss for two outputs, which shows when it is called.
  const Nest two{ops::ones({2, 3}), ops::ones({2, 3})};
  CHECK_THROWS_AS(logits->compute_loss(two, two), ValueError);
  CHECK_THROWS_AS(FeatureDistillation()->validate_outputs(two, two[0]), ValueError);
}

TEST_CASE("distillation losses are taken of each output that has one") {
  const Tensor a = ops::reshape(ops::arange(0, 6, 1, DType::float32), {2, 3}), b = a * 2 + 1;
  const Nest taught{{"kind", a}, {"price", b}}, learned{{"price", a}, {"kind", b}};
  const LossOption loss(LossOption::Dict{{"price", "mse"}, {"kind", nullptr}});
  const auto item = [](const Tensor& t) { return t.item(); };
  const double squares = ops::mean(ops::square(a - b)).item();
  CHECK(item(FeatureDistillation({.loss = loss})->compute_loss(taught, learned)) ==
        Approx(squares));
  CHECK(item(LogitsDistillation({.temperature = 2, .loss = loss})->compute_loss(taught, learned)) ==
        Approx(squares / 4));
  const FeatureDistillation two({.loss = {"mse", "mae"}});
  CHECK(item(two->compute_loss(Nest{a, a}, Nest{b, b})) ==
        Approx(squares + ops::mean(ops::absolute(a - b)).item()));
  CHECK_THROWS_AS(two->compute_loss(taught, learned), ValueError);
  // Softened by the temperature as an object; a function of the numbers by name.
  const LogitsDistillation object({.temperature = 2, .loss = losses::KLDivergence()});
  const Tensor p = ops::softmax(a / 2), q = ops::softmax(b / 2);
  CHECK(item(object->compute_loss(a, b)) ==
        Approx(4 * ops::mean(ops::sum(p * ops::log(p / q), -1)).item()).epsilon(1e-4));
}

TEST_CASE("a single distillation loss needs no list") {
  Sequential teacher = small_net("teacher"), student = small_net("student", 5);
  const Distiller distiller({.teacher = teacher,
                             .student = student,
                             .distillation_losses = LogitsDistillation({.temperature = 2})});
  REQUIRE(distiller.config.distillation_losses.size() == 1);
  const Value::Dict config = distiller.get_config();
  CHECK(config["distillation_losses"][0]["class_name"].get<std::string>() == "LogitsDistillation");
}

}  // namespace distiller_test
