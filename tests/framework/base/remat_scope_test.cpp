// RematScope: layers that compute again for the gradient give the same numbers from less memory.
#include <cornu/backend/error.h>
#include <cornu/cornu.h>

#include "catch.h"
#include "support/gradient_check.h"

namespace remat_scope_test {

using namespace cornu;
using cornu::test::noise;

namespace {

using Catch::Matchers::Contains;

/// Counts its calls on values.
class CountingLayer : public Layer {
 public:
  explicit CountingLayer(const std::string& name) { set_base(name, true, {}); }
  Tensor call(const Tensor& x, const Call&) override {
    ++calls;
    return ops::sin(x) * x;
  }
  int calls = 0;
};

int calls_for_gradient(const RematMode& mode, const std::string& name, int64_t size = 8) {
  std::shared_ptr<CountingLayer> layer;
  {
    const RematScope scope(mode);
    layer = std::make_shared<CountingLayer>(name);
  }
  const Variable x(noise({size}, 1));
  GradientTape tape;
  const Tensor loss = ops::sum((*layer)(x));
  const int before = layer->calls;
  const Tensor gradient = tape.gradient(loss, x);
  CHECK(ops::allclose(gradient, ops::cos(x) * x + ops::sin(x)).item() != 0);
  return layer->calls - before;
}

std::shared_ptr<Sequential> network(const std::optional<RematMode>& mode) {
  std::optional<RematScope> scope;
  if (mode) scope.emplace(*mode);
  std::vector<AnyLayer> layers = {Input({6, 6, 3})};
  for (int i = 0; i < 3; ++i) {
    layers.push_back(layers::Conv2D({.filters = 4,
                                     .kernel_size = 3,
                                     .padding = "same",
                                     .activation = "tanh",
                                     .activity_regularizer = "l2"}));
    layers.push_back(layers::BatchNormalization());
    layers.push_back(layers::Dropout({.rate = 0.2, .seed = i}));
  }
  layers.push_back(layers::Flatten());
  layers.push_back(layers::Dense({.units = 2}));
  return std::make_shared<Sequential>(layers);
}

struct Outcome {
  std::vector<double> losses;
  std::vector<Tensor> weights;
};

Outcome train(const std::optional<RematMode>& mode, const std::vector<Tensor>& begin,
              bool eagerly) {
  const auto model = network(mode);
  model->set_weights(begin);
  model->compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}),
                  .loss = "mse",
                  .run_eagerly = eagerly});
  const History history =
      model->fit(noise({12, 6, 6, 3}, 1), noise({12, 2}, 2),
                 {.batch_size = 4, .epochs = 2, .verbose = Verbose::silent, .shuffle = false});
  return {history["loss"], model->get_weights()};
}

/// Bytes that a training step takes at most.
double peak_of(Model& model, bool eagerly) {
  model.compile({.optimizer = "sgd", .loss = "mse", .run_eagerly = eagerly});
  const Tensor x = noise({2048, 64}, 1), y = noise({2048, 1}, 2);
  const size_t live = memory::stats().live;
  for (int i = 0; i < 3; ++i) model.train_on_batch(x, y);
  memory::reset_peak();
  model.train_on_batch(x, y);
  return static_cast<double>(memory::stats().peak - live);
}

}  // namespace

TEST_CASE("a layer computes again as its RematScope says") {
  CHECK(calls_for_gradient({}, "any") == 1);
  CHECK(calls_for_gradient({.mode = std::nullopt}, "any") == 0);
  CHECK(calls_for_gradient({.mode = "activations"}, "any") == 0);
  CHECK(calls_for_gradient({.mode = "list_of_layers", .layer_names = {"a", "b"}}, "b") == 1);
  CHECK(calls_for_gradient({.mode = "list_of_layers", .layer_names = {"a", "b"}}, "c") == 0);
  CHECK(calls_for_gradient({.mode = "larger_than", .output_size_threshold = 7}, "any", 8) == 1);
  CHECK(calls_for_gradient({.mode = "larger_than", .output_size_threshold = 8}, "any", 8) == 0);
}

TEST_CASE("a RematScope inside another takes its place, and ends") {
  const auto mode_of = [] { return std::make_shared<CountingLayer>("a"); };
  {
    const RematScope outer;
    {
      const RematScope inner({.mode = "activations"});
      CHECK(mode_of()->remat_mode()->mode == "activations");
    }
    CHECK(mode_of()->remat_mode()->mode == "full");
  }
  CHECK(mode_of()->remat_mode() == nullptr);
  CHECK_THROWS_WITH(RematScope({.mode = "larger"}), Contains("'larger_than'"));
  CHECK(mode_of()->remat_mode() == nullptr);
}

TEST_CASE("layers of a RematScope train with the same numbers") {
  const std::vector<Tensor> begin = network({})->get_weights();
  const Outcome plain = train({}, begin, true);
  for (const RematMode& mode : std::vector<RematMode>{
           {}, {.mode = "activations"}, {.mode = "larger_than", .output_size_threshold = 100}})
    for (const bool eagerly : {true, false}) {
      INFO(*mode.mode << (eagerly ? ", eagerly" : ""));
      const Outcome again = train(mode, begin, eagerly);
      for (size_t i = 0; i < plain.losses.size(); ++i)
        CHECK(again.losses[i] == Approx(plain.losses[i]).epsilon(1e-5));
      for (size_t i = 0; i < plain.weights.size(); ++i)
        CHECK(ops::allclose(again.weights[i], plain.weights[i], 1e-4, 1e-5).item() != 0);
    }
}

TEST_CASE("masks, states and mixed precision survive being computed again") {
  const auto gradients = [](bool again) {
    std::optional<RematScope> scope;
    if (again) scope.emplace();
    random::set_seed(3);
    Sequential model({layers::Embedding({.input_dim = 9, .output_dim = 4, .mask_zero = true}),
                      layers::LSTM({.units = 5, .return_sequences = true}),
                      layers::Dense({.units = 3, .dtype = "mixed_bfloat16"}),
                      layers::GRU({.units = 2})});
    const Tensor x = Tensor::from<int32_t>({1, 2, 0, 0, 5, 6, 7, 8}, {2, 4});
    GradientTape tape;
    const Tensor loss = ops::sum(model(x, {.training = true}));
    return tape.gradient(loss, model.trainable_variables());
  };
  const auto plain = gradients(false), again = gradients(true);
  REQUIRE(plain.size() == again.size());
  for (size_t i = 0; i < plain.size(); ++i)
    CHECK(ops::allclose(plain[i], again[i], 1e-5, 1e-6).item() != 0);
}

TEST_CASE("layers of a RematScope keep less for the gradient") {
  const auto of_lambdas = [](bool again) {
    std::optional<RematScope> scope;
    if (again) scope.emplace(RematMode{.mode = "larger_than", .output_size_threshold = 1000});
    std::vector<AnyLayer> layers = {Input({64}), layers::Dense({.units = 64})};
    for (int i = 0; i < 6; ++i)
      layers.push_back(layers::Lambda({.function = [](const Tensor& x) {
        return ops::tanh(ops::sin(ops::exp(ops::tanh(x)))) + x;
      }}));
    layers.push_back(layers::Dense({.units = 1}));
    return std::make_shared<Sequential>(layers);
  };
  CHECK(peak_of(*of_lambdas(true), true) < 0.7 * peak_of(*of_lambdas(false), true));
}

TEST_CASE("plans keep less for the gradients of layers of a RematScope") {
  const auto of_denses = [](bool again) {
    std::optional<RematScope> scope;
    if (again) scope.emplace();
    std::vector<AnyLayer> layers = {Input({64})};
    for (int i = 0; i < 12; ++i)
      layers.push_back(layers::Dense({.units = 64, .activation = "gelu"}));
    layers.push_back(layers::Dense({.units = 1}));
    return std::make_shared<Sequential>(layers);
  };
  CHECK(peak_of(*of_denses(true), false) < 0.75 * peak_of(*of_denses(false), false));
}

TEST_CASE("activations that read variables are computed again in their layer's dtype") {
  const auto gradients = [](bool again) {
    std::optional<RematScope> scope;
    if (again) scope.emplace(RematMode{.mode = "activations"});
    const Variable slope(Tensor::from({0.3f}, {1}), {.name = "slope"});
    layers::Dense dense({.units = 4,
                         .activation = [slope](const Tensor& x) { return ops::tanh(x) * slope; },
                         .kernel_initializer = "ones",
                         .dtype = "mixed_bfloat16"});
    const Tensor x = noise({3, 5}, 1);
    dense(x);
    GradientTape tape;
    const Tensor loss = ops::sum(ops::cast(dense(x), DType::float32));
    return tape.gradient(loss, std::vector<Variable>{dense->kernel, slope});
  };
  const auto plain = gradients(false), again = gradients(true);
  for (size_t i = 0; i < plain.size(); ++i)
    CHECK(again[i].to_vector<float>() == plain[i].to_vector<float>());
}

TEST_CASE("activations that are layers are computed again inside of their layer's call") {
  const auto gradients = [](bool again) {
    std::optional<RematScope> scope;
    if (again) scope.emplace(RematMode{.mode = "activations"});
    layers::Dense dense({.units = 4,
                         .activation = layers::Dropout({.rate = 0.5, .seed = 1}),
                         .kernel_initializer = "ones"});
    layers::Dense penalized({.units = 4,
                             .activation = layers::ActivityRegularization({.l2 = 0.5}),
                             .kernel_initializer = "ones"});
    const Tensor x = noise({3, 5}, 1);
    dense(x), penalized(x);
    GradientTape tape;
    Tensor loss = ops::sum(dense(x, {.training = true})) + ops::sum(penalized(x));
    for (const Tensor& added : penalized->losses()) loss = loss + added;
    return tape.gradient(loss, std::vector<Variable>{dense->kernel, penalized->kernel});
  };
  const auto plain = gradients(false), again = gradients(true);
  for (size_t i = 0; i < plain.size(); ++i)
    CHECK(ops::allclose(plain[i], again[i], 1e-5, 1e-6).item() != 0);
}

TEST_CASE("the size of outputs is that of the very call") {
  // Needs an argument by name.
  struct Scaled : Layer {
    Tensor call(const Tensor& x, const Call& call) override {
      if (!call.find("factor")) throw ValueError("there is no factor.");
      return x * Tensor(call.find("factor")->number());
    }
  };
  const RematScope scope({.mode = "larger_than", .output_size_threshold = 2});
  const auto layer = std::make_shared<Scaled>();
  const Variable x(noise({2, 2}, 1));
  GradientTape tape;
  const Tensor y = (*layer)(x, {.extra = {{"factor", 3.0}}});
  CHECK(tape.gradient(ops::sum(y), x).to_vector<float>() == std::vector<float>{3, 3, 3, 3});
}

namespace {
// Its step is one of the user's.
struct OwnStep : Sequential {
  using Sequential::Sequential;
  StepLogs train_step(const Batch& batch) override {
    GradientTape tape;
    const Nest predicted = (*this)(batch.x, {.training = true});
    const Tensor loss = compute_loss(batch.x, batch.y, predicted, {});
    optimizer()->apply(tape.gradient(loss, trainable_variables()), trainable_variables());
    return compute_metrics(batch.x, batch.y, predicted, {});
  }
};
}  // namespace

TEST_CASE("a training step computes each layer once more, not its model as well") {
  const auto calls_of_step = [](bool again, bool nested, bool own_step = false) {
    std::optional<RematScope> scope;
    if (again) scope.emplace();
    const auto counting = std::make_shared<CountingLayer>("counting");
    const auto block = make<Sequential>({layers::Dense({.units = 4}), counting});
    std::vector<AnyLayer> layers = {Input({4}), layers::Dense({.units = 4})};
    layers.push_back(nested ? AnyLayer(block) : AnyLayer(counting));
    layers.push_back(layers::Dense({.units = 1}));
    const std::shared_ptr<Sequential> model =
        own_step ? std::make_shared<OwnStep>(layers) : std::make_shared<Sequential>(layers);
    model->compile({.optimizer = "sgd", .loss = "mse", .run_eagerly = true});
    const Tensor x = noise({8, 4}, 1), y = noise({8, 1}, 2);
    model->train_on_batch(x, y);
    const int before = counting->calls;
    model->train_on_batch(x, y);
    return counting->calls - before;
  };
  CHECK(calls_of_step(false, false) == 1);
  CHECK(calls_of_step(true, false) == 2);
  // A step of the user's may call the model again before it asks for the gradient.
  CHECK(calls_of_step(true, false, true) == 3);
  // The block computes again for its gradient, and then the layer for its own.
  CHECK(calls_of_step(false, true) == 1);
  CHECK(calls_of_step(true, true) == 3);
}

TEST_CASE("a model that is called in a function of the program's computes again as a whole") {
  const RematScope scope;
  const auto counting = std::make_shared<CountingLayer>("counting");
  Sequential model({Input({4}), counting});
  const Variable x(noise({2, 4}, 1));
  GradientTape tape;
  const Tensor loss = ops::sum(model(x));
  const int before = counting->calls;
  tape.gradient(loss, x);
  CHECK(counting->calls - before == 2);
}

}  // namespace remat_scope_test
