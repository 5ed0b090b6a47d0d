// The contract of every optimizer: it lowers a loss, goes on from a file bit for bit, is made again
// from its config, and honors the options that all have.
#include <cornu/cornu.h>

#include <cmath>

#include "../catch.h"
#include "../support/contract.h"
#include "../support/gradient_check.h"
#include "../support/temporary.h"

namespace optimizers_contract_test {

using namespace cornu;
using test::error_of;
using test::has;
using test::identical;

namespace {

const std::vector<std::string> all_optimizers = {
    "Adadelta", "Adafactor", "Adagrad", "Adam",  "AdamW",   "Adamax", "Ftrl",
    "Lamb",     "Lion",      "Muon",    "Nadam", "RMSprop", "SGD",    "ScheduleFreeAdamW"};

std::shared_ptr<Optimizer> make(const std::string& name, Value::Dict options = {}) {
  const ClassInfo* info = catalog().find("keras.optimizers", name);
  REQUIRE(info);
  if (!detail::find(options, "learning_rate")) options.emplace_back("learning_rate", 0.05);
  return std::dynamic_pointer_cast<Optimizer>(info->make(options));
}

std::vector<Variable> variables() {
  return {Variable(ops::cast(test::noise({3, 4}, -1, 1, 1), DType::float32), {.name = "kernel"}),
          Variable(ops::cast(test::noise({4}, -1, 1, 2), DType::float32), {.name = "bias"})};
}

std::vector<Tensor> gradients(int step) {
  return {ops::cast(test::noise({3, 4}, -2, 2, 10 + step), DType::float32),
          ops::cast(test::noise({4}, -2, 2, 50 + step), DType::float32)};
}

// The variables after `steps` steps whose gradients went through `change`.
std::vector<Tensor> trained(Optimizer& optimizer, int steps,
                            const std::function<Tensor(const Tensor&)>& change = {}) {
  std::vector<Variable> at = variables();
  for (int i = 0; i < steps; ++i) {
    std::vector<Tensor> g = gradients(i);
    if (change)
      for (Tensor& t : g) t = change(t);
    optimizer.apply(g, at);
  }
  return {at[0].value(), at[1].value()};
}

void check_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                double tolerance = 1e-6) {
  for (size_t i = 0; i < a.size(); ++i) CHECK(test::difference(a[i], b[i]) < tolerance);
}

std::shared_ptr<Sequential> small_model(const std::shared_ptr<Optimizer>& optimizer,
                                        bool eager = false) {
  auto model = std::make_shared<Sequential>(std::vector<AnyLayer>{
      Input({3}),
      layers::Dense({.units = 4,
                     .activation = "tanh",
                     .kernel_initializer = initializers::GlorotUniform({.seed = 1})}),
      layers::Dense({.units = 1, .kernel_initializer = initializers::GlorotUniform({.seed = 2})})});
  model->compile({.optimizer = optimizer, .loss = "mse", .run_eagerly = eager});
  return model;
}

const Tensor inputs = ops::cast(test::noise({16, 3}, -1, 1, 3), DType::float32);
const Tensor targets = ops::sum(inputs, -1, true);

History train(Model& model, int64_t epochs) {
  return model.fit(
      inputs, targets,
      {.batch_size = 8, .epochs = epochs, .verbose = Verbose::silent, .shuffle = false});
}

}  // namespace

TEST_CASE("every optimizer lowers a loss") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    const auto model =
        small_model(make(name, {{"learning_rate", name == "Adadelta" ? 1.0 : 0.01}}));
    const History history = train(*model, 40);
    CHECK(history["loss"].back() < 0.9 * history["loss"].front());
  }
}

TEST_CASE("every optimizer goes on from a file bit for bit") {
  const test::TemporaryFolder folder;
  for (const std::string& name : all_optimizers) {
    INFO(name);
    const auto model = small_model(make(name));
    train(*model, 2);
    const std::string path = (folder / (name + ".keras")).string();
    model->save(path);
    const auto loaded = load_model(path);
    REQUIRE(loaded->optimizer());
    CHECK(loaded->optimizer()->iterations().item() == 4);
    const auto before = model->optimizer()->variables(), after = loaded->optimizer()->variables();
    REQUIRE(before.size() == after.size());
    for (size_t i = 0; i < before.size(); ++i)
      CHECK(identical(before[i].value(), after[i].value()));
    train(*model, 3);
    train(*loaded, 3);
    const auto a = model->get_weights(), b = loaded->get_weights();
    for (size_t i = 0; i < a.size(); ++i) CHECK(identical(a[i], b[i]));
  }
}

TEST_CASE("every optimizer steps compiled as it does eagerly") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    const auto compiled = small_model(make(name)), eager = small_model(make(name), true);
    train(*compiled, 3);
    train(*eager, 3);
    check_same(compiled->get_weights(), eager->get_weights(),
               name == "Lion" || name == "Muon" ? 1e-3 : 2e-5);
  }
}

TEST_CASE("every optimizer is made again from its config") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    const auto optimizer =
        make(name, {{"clipnorm", 0.5}, {"use_ema", true}, {"ema_momentum", 0.75}});
    const auto copy = test::remade<Optimizer>(*optimizer);
    CHECK(copy->options().clipnorm == 0.5);
    CHECK(copy->options().ema_momentum == 0.75);
    check_same(trained(*copy, 3), trained(*optimizer, 3), 1e-9);
  }
}

TEST_CASE(
    "clipvalue is a bound of each element, clipnorm of each gradient, global_clipnorm of all") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    check_same(trained(*make(name, {{"clipvalue", 0.5}}), 3),
               trained(*make(name), 3, [](const Tensor& g) { return ops::clip(g, -0.5, 0.5); }));
    check_same(trained(*make(name, {{"clipnorm", 0.5}}), 3),
               trained(*make(name), 3,
                       [](const Tensor& g) {
                         const double norm = ops::sqrt(ops::sum(ops::square(g))).item();
                         return g * std::min(1.0, 0.5 / norm);
                       }),
               1e-5);
    // One variable alone: the global norm is its norm.
    Variable a(variables()[0].value()), b(variables()[0].value());
    make(name, {{"clipnorm", 0.5}})->apply({gradients(0)[0]}, {a});
    make(name, {{"global_clipnorm", 0.5}})->apply({gradients(0)[0]}, {b});
    CHECK(test::difference(a.value(), b.value()) < 1e-6);
  }
}

TEST_CASE("a loss scale is taken out of the gradients") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    const auto scaled = make(name, {{"loss_scale_factor", 128.0}});
    CHECK(scaled->scale_loss(Tensor(2.0f)).item() == 256);
    check_same(trained(*scaled, 3, [](const Tensor& g) { return g * 128.0; }),
               trained(*make(name), 3), 1e-5);
  }
}

TEST_CASE("accumulated gradients are one step along their mean") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    const auto optimizer = make(name, {{"gradient_accumulation_steps", int64_t{2}}});
    std::vector<Variable> at = variables();
    optimizer->apply(gradients(0), at);
    check_same({at[0].value(), at[1].value()}, {variables()[0].value(), variables()[1].value()},
               1e-9);
    optimizer->apply(gradients(1), at);
    CHECK(optimizer->iterations().item() == 1);
    const auto plain = make(name);
    std::vector<Variable> other = variables();
    const auto a = gradients(0), b = gradients(1);
    plain->apply({(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0}, other);
    check_same({at[0].value(), at[1].value()}, {other[0].value(), other[1].value()}, 1e-5);
  }
}

TEST_CASE("moving averages of the weights take over at the end") {
  for (const std::string name : {"SGD", "Adam", "RMSprop", "Lion"}) {
    INFO(name);
    const auto optimizer = make(name, {{"use_ema", true}, {"ema_momentum", 0.5}}),
               plain = make(name);
    std::vector<Variable> at = variables(), other = variables();
    Tensor average;
    for (int i = 0; i < 3; ++i) {
      optimizer->apply(gradients(i), at);
      plain->apply(gradients(i), other);
      check_same({at[0].value()}, {other[0].value()}, 1e-9);
      // The first average is the first value.
      average = i == 0 ? other[0].value() : average * 0.5 + other[0].value() * 0.5;
    }
    optimizer->finalize_variable_values();
    CHECK(test::difference(at[0].value(), average) < 1e-6);
  }
}

TEST_CASE("weight decay takes a fraction of the weights, but not of those that are excluded") {
  for (const std::string name :
       {"SGD", "Adam", "RMSprop", "Adagrad", "Adamax", "Nadam", "Adadelta"}) {
    INFO(name);
    const auto decaying = make(name, {{"weight_decay", 0.1}}), plain = make(name);
    std::vector<Variable> at = variables(), other = variables();
    // Before the step: w - rate * decay * w.
    other[0].assign(other[0].value() * (1 - 0.05 * 0.1));
    decaying->exclude_from_weight_decay({"bias"});
    decaying->apply(gradients(0), at);
    plain->apply(gradients(0), other);
    check_same({at[0].value(), at[1].value()}, {other[0].value(), other[1].value()}, 1e-6);
  }
}

TEST_CASE("optimizers refuse gradients that do not fit") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    const auto optimizer = make(name);
    std::vector<Variable> at = variables();
    optimizer->build(at);
    CHECK_THROWS_AS(optimizer->apply({gradients(0)[0]}, at), ValueError);
    CHECK_THROWS_AS(optimizer->apply({gradients(0)[1], gradients(0)[0]}, at), ShapeError);
    CHECK_THROWS_AS(optimizer->apply({Tensor(), Tensor()}, at), ValueError);
    // A step with one gradient missing leaves that variable.
    optimizer->apply({gradients(0)[0], Tensor()}, at);
    CHECK(identical(at[1].value(), variables()[1].value()));
    CHECK(!identical(at[0].value(), variables()[0].value()));
  }
}

}  // namespace optimizers_contract_test
