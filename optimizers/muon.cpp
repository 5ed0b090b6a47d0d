// The update of Muon.
#include "muon.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/products.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::optimizers {
namespace {

// The base keeps whom decay is for only where there is a decay, and Adam's is another than Muon's.
MuonConfig with_decay(MuonConfig c) {
  if (!c.weight_decay) c.weight_decay = 0.0;
  return c;
}

}  // namespace

MuonOptimizer::MuonOptimizer(MuonConfig c) : OptimizerOf(with_decay(c)) {
  config.weight_decay = c.weight_decay;
  for (const std::string& pattern : config.exclude_layers) {
    try {
      (void)std::regex(pattern);
    } catch (const std::regex_error&) {
      throw ValueError(fmt::format(
          "Optimizer '{}': exclude_layers: '{}' is not a regular expression.", name(), pattern));
    }
  }
}

Value::Dict MuonOptimizer::get_config() const {
  // The arguments are in another order than what Keras writes.
  Value::Dict dict = OptimizerOf::get_config(), last;
  for (const char* key :
       {"epsilon", "exclude_layers", "muon_a", "muon_b", "muon_c", "adam_lr_ratio", "momentum",
        "ns_steps", "nesterov", "exclude_embeddings", "adam_weight_decay", "rms_rate"}) {
    const auto entry =
        std::find_if(dict.begin(), dict.end(), [&](const auto& e) { return e.first == key; });
    last.push_back(std::move(*entry));
    dict.erase(entry);
  }
  dict.insert(dict.end(), last.begin(), last.end());
  return dict;
}

bool MuonOptimizer::takes_adam(const Variable& variable) const {
  if (variable.shape().rank() != 2) return true;
  const std::string& path = variable.path();
  if (config.exclude_embeddings) {
    std::string lower = path;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (lower.find("embedding") != std::string::npos) return true;
  }
  return std::any_of(
      config.exclude_layers.begin(), config.exclude_layers.end(),
      [&](const std::string& pattern) { return std::regex_search(path, std::regex(pattern)); });
}

void MuonOptimizer::build_slots(const std::vector<Variable>& variables) {
  momentums_.clear();
  velocities_.clear();
  for (const Variable& v : variables) {
    momentums_.push_back(add_slot(v, "momentum"));
    velocities_.push_back(takes_adam(v) ? add_slot(v, "velocity") : Variable());
  }
}

void MuonOptimizer::begin_update(const Tensor& learning_rate) {
  if (!scalar_program_)
    scalar_program_ = backend::Program::make(2, [&](const std::vector<Expr>& x) {
      Expr step = update_number(x[1]);
      Expr rate = x[0] * static_cast<double>(config.adam_lr_ratio);
      return std::vector<Expr>{rate * expr::sqrt(1.0 - expr::power(config.adam_beta_2, step)) /
                               (1.0 - expr::power(config.adam_beta_1, step))};
    });
  const Tensor inputs[] = {learning_rate, steps().value()};
  alpha_ = detail::apply_fused_many(scalar_program_, inputs, DType::float32, name().c_str())[0];
}

void MuonOptimizer::adam_step(const Tensor& gradient, Variable& variable, Variable& m,
                              Variable& v) {
  if (!adam_program_)
    adam_program_ = backend::Program::make(5, [&](const std::vector<Expr>& x) {
      Expr m = x[2] + (x[0] - x[2]) * (1 - config.adam_beta_1);
      Expr v = x[3] + (expr::square(x[0]) - x[3]) * (1 - config.adam_beta_2);
      return std::vector<Expr>{x[1] - m * x[4] / (expr::sqrt(v) + config.epsilon), m, v};
    });
  const Tensor inputs[] = {gradient, variable.value(), m.value(), v.value(), alpha_};
  const Tensors next =
      detail::apply_fused_many(adam_program_, inputs, variable.dtype(), name().c_str());
  variable.assign(next[0]);
  m.assign(next[1]);
  v.assign(next[2]);
}

Tensor MuonOptimizer::orthogonalized(Tensor x) const {
  // The products are of the shorter side.
  const bool tall = x.shape(0) > x.shape(1);
  x = fused([](Expr x, Expr squares) { return x / (expr::sqrt(squares) + 1e-7); }, x,
            ops::sum(ops::square(x)));
  const Tensor a(config.muon_a), b(config.muon_b), c(config.muon_c);
  for (int64_t i = 0; i < config.ns_steps; ++i) {
    const Tensor square = ops::matmul_transposed(x, x, tall, !tall);
    const Tensor mix = fused([](Expr s, Expr ss, Expr b, Expr c) { return b * s + c * ss; }, square,
                             ops::matmul(square, square), b, c);
    const Tensor product = tall ? ops::matmul(x, mix) : ops::matmul(mix, x);
    x = fused([](Expr x, Expr product, Expr a) { return a * x + product; }, x, product, a);
  }
  return x;
}

void MuonOptimizer::update_step(size_t index, const Tensor& gradient, Variable& variable,
                                const Tensor& learning_rate) {
  const bool adam = static_cast<bool>(velocities_[index]);
  const std::optional<double>& decay = adam ? config.adam_weight_decay : config.weight_decay;
  if (decay && decays(index))
    variable.assign(fused_many(
        variable.dtype(),
        [](Expr w, Expr decay, Expr rate) { return std::vector<Expr>{w - w * decay * rate}; },
        variable.value(), Tensor(*decay), learning_rate)[0]);
  Variable& m = momentums_[index];
  if (adam) return adam_step(gradient, variable, m, velocities_[index]);
  if (!momentum_program_)
    momentum_program_ = backend::Program::make(2, [&](const std::vector<Expr>& x) {
      Expr m = x[1] + (x[0] + x[1] * (config.momentum - 1));
      return std::vector<Expr>{m, config.nesterov ? x[0] + config.momentum * m : m};
    });
  const Tensor inputs[] = {gradient, m.value()};
  const Tensors next =
      detail::apply_fused_many(momentum_program_, inputs, variable.dtype(), name().c_str());
  m.assign(next[0]);
  const auto longer = static_cast<double>(std::max(variable.shape()[0], variable.shape()[1]));
  const double scale = config.rms_rate ? std::sqrt(longer) * *config.rms_rate : 1;
  variable.assign(fused_many(
      variable.dtype(),
      [](Expr w, Expr step, Expr rate, Expr scale) {
        return std::vector<Expr>{w - rate * step * scale};
      },
      variable.value(), orthogonalized(next[1]), learning_rate, Tensor(scale))[0]);
}

void register_muon(Catalog& c) { c.add<MuonOptimizer>("keras.optimizers.Muon"); }

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::MuonOptimizer, optimizers::MuonConfig>;
}
