// The custom layer, model and function that models of the zoo use.
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/numpy/joining.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/normalization/batch_normalization.h>
#include <cornu/layers/normalization/layer_normalization.h>

namespace cornu::zoo {
namespace {

struct ScaledDenseConfig {
  Required<int64_t> units;
  double gain = 1;
  Activation activation = {};
};

// LayerNorm(Dense(Dense(x)) * gain + shift), with layers in nested containers.
class ScaledDenseLayer : public LayerOf<ScaledDenseLayer, ScaledDenseConfig> {
 public:
  explicit ScaledDenseLayer(ScaledDenseConfig c) : LayerOf(std::move(c)) {
    inner_ =
        track("inner", layers::Dense({.units = *config.units, .activation = config.activation}));
    dense_ = layers::Dense({.units = *config.units});
    norm_ = layers::LayerNormalization();
    track("blocks", Members{dense_, Members{norm_}});
  }
  void build(const Shape& input) override {
    shift_ = add_weight({.name = "shift", .shape = {*config.units}, .initializer = "zeros"});
    inner_->ensure_built(Tensor::abstract(input, compute_dtype()));
    Shape hidden = input;
    hidden[hidden.rank() - 1] = *config.units;
    dense_->ensure_built(Tensor::abstract(hidden, compute_dtype()));
    norm_->ensure_built(Tensor::abstract(hidden, compute_dtype()));
  }
  Tensor call(const Tensor& x, const Call&) override {
    return norm_(dense_(inner_(x)) * Tensor(config.gain) + shift_);
  }

 private:
  layers::Dense inner_ = nullptr, dense_ = nullptr;
  layers::LayerNormalization norm_ = nullptr;
  Variable shift_;
};

struct TwoTowerConfig {
  int64_t width = 4;
};

// out(concatenate([t(left(x) + right(x)) for t in towers])).
class TwoTower : public ModelOf<TwoTower, TwoTowerConfig> {
 public:
  explicit TwoTower(TwoTowerConfig c) : ModelOf(c) {
    left_ = track("left", layers::Dense({.units = config.width, .activation = "relu"}));
    right_ =
        track("right", make<Sequential>(std::vector<AnyLayer>{
                           layers::Dense({.units = config.width}), layers::BatchNormalization()}));
    towers_ = track("towers", std::vector<layers::Dense>{layers::Dense({.units = 2}),
                                                         layers::Dense({.units = 2})});
    out_ = track("out", layers::Dense({.units = 1}));
  }
  Tensor call(const Tensor& x, const Call&) override {
    const Tensor y = left_(x) + (*right_)(x);
    std::vector<Tensor> parts;
    for (const auto& tower : towers_) parts.push_back(tower(y));
    return out_(ops::concatenate(parts, -1));
  }

 private:
  layers::Dense left_ = nullptr, out_ = nullptr;
  std::shared_ptr<Sequential> right_;
  std::vector<layers::Dense> towers_;
};

[[maybe_unused]] const bool half_tanh_registered = [] {
  register_activation("zoo>half_tanh", [](const Tensor& x) { return Tensor(0.5) * ops::tanh(x); });
  return true;
}();

}  // namespace

CORNU_REGISTER("zoo>ScaledDense", ScaledDenseLayer);
CORNU_REGISTER("zoo>TwoTower", TwoTower);

}  // namespace cornu::zoo
