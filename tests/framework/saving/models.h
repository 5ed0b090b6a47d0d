// Models that the tests of files save: a stack, a graph, and a subclass that holds subclassed
// layers.
#pragma once
#include <cornu/cornu.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace cornu::test::files {

/// Numbers in [-1, 1] that look random but are the same everywhere.
inline Tensor wave(const Shape& shape, double phase = 0) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(std::sin(1.7 * static_cast<double>(i) + phase));
  return Tensor::from(values, shape);
}

/// Class numbers in turn.
inline Tensor labels(int64_t samples, int64_t classes) {
  std::vector<int32_t> values(static_cast<size_t>(samples));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int32_t>((i * i + i) % static_cast<size_t>(classes));
  return Tensor::from(values, {samples});
}

/// A convolutional Sequential on (8, 8, 1) with 10 classes, compiled with Adam.
inline std::shared_ptr<Sequential> make_cnn() {
  auto model = std::make_shared<Sequential>(std::vector<AnyLayer>{
      Input({8, 8, 1}), layers::Conv2D({.filters = 4, .kernel_size = 3, .activation = "relu"}),
      layers::BatchNormalization(), layers::MaxPooling2D(), layers::Flatten(),
      layers::Dense({.units = 10, .activation = "softmax", .kernel_regularizer = "l2"})});
  model->compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                  .loss = "sparse_categorical_crossentropy",
                  .metrics = {"accuracy"}});
  return model;
}

/// Two inputs by name, a layer that is called twice, ops, a nested model called twice, and two
/// outputs by name.
inline std::shared_ptr<Functional> make_graph() {
  const Input left(InputConfig{.shape = {4}, .name = "left"});
  const Input right(InputConfig{.shape = {3}, .name = "right"});
  const layers::Dense shared({.units = 5, .activation = "tanh", .name = "shared"});
  const Input inner_input({5});
  const auto inner = std::make_shared<Functional>(
      inner_input, layers::Dense({.units = 4, .activation = "elu"})(inner_input) * 0.5);
  const Tensor a = shared(left), b = shared(layers::Dense({.units = 4})(right) * 2.0 - 1.0);
  const Tensor both = layers::Concatenate()(Nest{(*inner)(a), (*inner)(b), ops::relu(a + b)});
  const Tensor scaled = both / (ops::mean(both * both, {-1}, true) + 1.0);
  auto model = std::make_shared<Functional>(
      Nest::dict({{"left", left}, {"right", right}}),
      Nest::dict({{"score", layers::Dense({.units = 1, .name = "score"})(scaled)},
                  {"kind",
                   layers::Dense({.units = 3, .activation = "softmax", .name = "kind"})(scaled)}}));
  model->compile(
      {.optimizer = optimizers::RMSprop({.learning_rate = 0.01, .momentum = 0.5}),
       .loss = LossOption::Dict{{"score", "mse"}, {"kind", "sparse_categorical_crossentropy"}},
       .loss_weights = {std::vector<std::pair<std::string, double>>{{"score", 0.5}, {"kind", 2.0}}},
       .metrics = MetricOption::Dict{{"kind", {"accuracy"}}}});
  return model;
}

inline Nest graph_inputs(int64_t samples) {
  return Nest::dict({{"left", wave({samples, 4})}, {"right", wave({samples, 3}, 1)}});
}

inline Nest graph_targets(int64_t samples) {
  return Nest::dict({{"score", wave({samples, 1}, 2)}, {"kind", labels(samples, 3)}});
}

struct ResidualConfig {
  Required<int64_t> units;
  std::string activation = "relu";
};

/// x + Dense(x) * gain: a layer with a layer inside that build() makes, and a weight of its own.
class ResidualLayer : public LayerOf<ResidualLayer, ResidualConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape&) override {
    inner_ =
        track("inner", layers::Dense({.units = config.units, .activation = config.activation}));
    gain_ = add_weight({.name = "gain", .shape = {}, .initializer = "ones"});
  }
  Tensor call(const Tensor& x, const Call&) override { return x + inner_(x) * gain_; }

 private:
  layers::Dense inner_ = nullptr;
  Variable gain_;
};
using Residual = Ref<ResidualLayer>;

struct NetConfig {
  Required<int64_t> width;
  int64_t blocks = 2;
};

/// A model with options and a list of layers.
class Net : public ModelOf<Net, NetConfig> {
 public:
  explicit Net(NetConfig c) : ModelOf(c) {
    hidden_ = track("hidden", layers::Dense({.units = config.width, .activation = "tanh"}));
    std::vector<Residual> blocks;
    for (int64_t i = 0; i < config.blocks; ++i) blocks.push_back(Residual({.units = config.width}));
    blocks_ = track("blocks", std::move(blocks));
    norm_ = track("norm", layers::BatchNormalization());
    out_ = track("out", layers::Dense({.units = 1}));
  }
  Tensor call(const Tensor& x, const Call&) override {
    Tensor y = hidden_(x);
    for (const Residual& block : blocks_) y = block(y);
    return out_(norm_(y));
  }

 private:
  layers::Dense hidden_ = nullptr;
  std::vector<Residual> blocks_;
  layers::BatchNormalization norm_;
  layers::Dense out_ = nullptr;
};

CORNU_REGISTER("tests>Residual", ResidualLayer);
CORNU_REGISTER("tests>Net", Net);

}  // namespace cornu::test::files
