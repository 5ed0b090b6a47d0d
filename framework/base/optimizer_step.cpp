// The part of a training step that all optimizers share.
#include <fmt/format.h>

#include <algorithm>

#include "../../backend/log.h"
#include "../ops/elementwise.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/indexing.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"
#include "call_scope.h"
#include "optimizer_state.h"

namespace cornu {

namespace {

bool positive(const std::optional<double>& value) { return value && *value > 0; }

Tensor sum_of_squares(const Tensor& x) { return ops::sum(ops::square(x)); }

}  // namespace

void Optimizer::apply(const std::vector<Tensor>& gradients) {
  if (!built_)
    throw StateError(
        fmt::format("Optimizer '{}': apply without variables needs a call of "
                    "build(variables) before.",
                    options_.name));
  apply(gradients, state_->trainable);
}

void Optimizer::apply(const std::vector<Tensor>& gradients,
                      const std::vector<Variable>& variables) {
  if (gradients.size() != variables.size())
    throw ValueError(
        fmt::format("Optimizer '{}': expected one gradient for each of the {} variables, "
                    "found {}.",
                    options_.name, variables.size(), gradients.size()));
  if (gradients.empty()) return;
  if (LayerObserver* const observer = call_context().observer)
    observer->applying(gradients, variables);
  if (!built_) build(variables);
  if (std::ranges::any_of(variables, &Variable::overwrite_with_gradient))
    return apply_with_values(gradients, variables);
  filter(gradients, variables);
  take_step();
}

// The gradients of some variables are their new values. Nothing changes before all are checked.
void Optimizer::apply_with_values(const std::vector<Tensor>& gradients,
                                  const std::vector<Variable>& variables) {
  std::vector<Tensor> rest;
  std::vector<Variable> updated;
  std::vector<size_t> replaced;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].overwrite_with_gradient()) {
      rest.push_back(gradients[i]);
      updated.push_back(variables[i]);
    } else if (gradients[i]) {
      check_gradient(gradients[i], variables[i]);
      replaced.push_back(i);
    }
  }
  if (updated.empty()) {
    iterations_.assign_add(Tensor(1));
  } else {
    filter(rest, updated);
    take_step();
  }
  for (const size_t i : replaced) variables[i].assign(gradients[i]);
}

// A step by the gradients that `filter` has collected.
void Optimizer::take_step() {
  State& s = *state_;
  // Before clipping, whose limits are meant for gradients of the unscaled loss.
  if (options_.loss_scale_factor)
    for (Tensor& g : s.gradients) g = g / Tensor(*options_.loss_scale_factor);
  if (s.accumulators.empty()) {
    clip();
    update();
  } else {
    accumulate();
  }
  if (options_.use_ema) average();
  s.gradients.clear();
  for (const size_t index : s.indices) {
    Variable& v = s.trainable[index];
    if (v.options().constraint) v.assign(v.options().constraint(v.value()));
  }
  iterations_.assign_add(Tensor(1));
}

void Optimizer::check_gradient(const Tensor& gradient, const Variable& variable) const {
  if (gradient.shape() != variable.shape())
    throw ShapeError(fmt::format(
        "Optimizer '{}': the gradient of variable '{}' has shape {}, the variable {}.",
        options_.name, variable.path(), gradient.shape().str(), variable.shape().str()));
}

// Collects the gradients that there are, and the numbers of their variables.
void Optimizer::filter(const std::vector<Tensor>& gradients,
                       const std::vector<Variable>& variables) {
  State& s = *state_;
  s.gradients.clear();
  s.indices.clear();
  std::vector<std::string> missing;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const size_t index = index_of(variables[i], i);
    if (!gradients[i]) {
      if (!s.warned_of_missing) missing.push_back(variables[i].path());
      continue;
    }
    check_gradient(gradients[i], variables[i]);
    s.gradients.push_back(gradients[i]);
    s.indices.push_back(index);
  }
  if (s.gradients.empty())
    throw ValueError(
        fmt::format("Optimizer '{}': no variable has a gradient. Is the loss computed "
                    "from them while the tape is open?",
                    options_.name));
  if (missing.empty()) return;
  s.warned_of_missing = true;
  warn_once(fmt::format("Optimizer '{}': the loss does not depend on {}, so they stay as they are.",
                        options_.name, fmt::join(missing, ", ")));
}

size_t Optimizer::index_of(const Variable& variable, size_t guess) const {
  const std::vector<Variable>& known = state_->trainable;
  // Nearly always the variables come in the order of build, which spares the search.
  if (guess < known.size() && known[guess] == variable) return guess;
  const auto found = std::find(known.begin(), known.end(), variable);
  if (found == known.end())
    throw ValueError(
        fmt::format("Optimizer '{}' was not built for variable '{}'. Make a new optimizer "
                    "for a new set of variables.",
                    options_.name, variable ? variable.path() : "(empty)"));
  return static_cast<size_t>(found - known.begin());
}

// Adds the gradients to those of the steps before. The last step of a round updates by the mean of
// the round. Which step is the last is decided by tensors, not by the program, so that one
// recording serves all steps: each step computes the update, and keeps it or what was before.
void Optimizer::accumulate() {
  State& s = *state_;
  const double steps = static_cast<double>(*options_.gradient_accumulation_steps);
  const Tensor last =
      ops::equal(ops::mod(iterations_.value() + Tensor(1), Tensor(steps)), Tensor(0));
  for (size_t i = 0; i < s.gradients.size(); ++i) {
    Variable& sum = s.accumulators[s.indices[i]];
    const Tensor total = s.gradients[i] + sum.value();
    sum.assign(ops::where(last, ops::zeros(sum.shape(), sum.dtype()), total));
    s.gradients[i] = total / Tensor(steps);
  }
  std::vector<Variable> changing;
  for (const size_t index : s.indices) changing.push_back(s.trainable[index]);
  const auto is_among = [](const std::vector<Variable>& list, const Variable& v) {
    return std::find(list.begin(), list.end(), v) != list.end();
  };
  for (const Variable& v : s.variables)
    if (!is_among(s.accumulators, v) && !is_among(s.averages, v) && !(v == iterations_) &&
        !(v == s.learning_rate))
      changing.push_back(v);
  std::vector<Tensor> before;
  for (const Variable& v : changing) before.push_back(v.value());
  clip();
  update();
  for (size_t i = 0; i < changing.size(); ++i)
    changing[i].assign(ops::where(last, changing[i].value(), before[i]));
}

void Optimizer::clip() {
  std::vector<Tensor>& gradients = state_->gradients;
  if (positive(options_.clipnorm)) {
    for (Tensor& g : gradients)
      g = fused([](Expr g, Expr squares,
                   Expr limit) { return g * limit / expr::maximum(expr::sqrt(squares), limit); },
                g, sum_of_squares(g), Tensor(*options_.clipnorm));
  } else if (positive(options_.global_clipnorm)) {
    Tensor squares = sum_of_squares(gradients[0]);
    for (size_t i = 1; i < gradients.size(); ++i) squares = squares + sum_of_squares(gradients[i]);
    // norm - norm is 0, but NaN for a norm that is not finite.
    const Tensor scale = fused(
        [](Expr squares, Expr limit) {
          Expr norm = expr::sqrt(squares);
          return limit * expr::minimum(1.0 / norm, 1.0 / limit) + (norm - norm);
        },
        squares, Tensor(*options_.global_clipnorm));
    for (Tensor& g : gradients) g = g * scale;
  } else if (positive(options_.clipvalue)) {
    for (Tensor& g : gradients)
      g = fused([](Expr g, Expr limit) { return expr::minimum(expr::maximum(g, -limit), limit); },
                g, Tensor(*options_.clipvalue));
  }
}

void Optimizer::update() {
  State& s = *state_;
  const Tensor rate = current_learning_rate();
  if (options_.weight_decay && !decays_in_update()) {
    // Decoupled from the gradient (Loshchilov and Hutter, 2017), and before the step, as in Keras.
    const Tensor decay(*options_.weight_decay);
    for (const size_t index : s.indices) {
      if (!s.decayed[index]) continue;
      Variable& v = s.trainable[index];
      v.assign(fused([](Expr v, Expr decay, Expr rate) { return v - v * decay * rate; }, v.value(),
                     decay, rate));
    }
  }
  // Once for each step: what depends on the rate and the count only, not on a variable.
  begin_update(rate);
  for (size_t i = 0; i < s.indices.size(); ++i)
    update_step(s.indices[i], s.gradients[i], s.trainable[s.indices[i]], rate);
}

// The averages begin as the values after the first step.
void Optimizer::average() {
  State& s = *state_;
  const double momentum = options_.ema_momentum;
  const int64_t frequency = options_.ema_overwrite_frequency.value_or(0);
  const double round =
      static_cast<double>(std::max<int64_t>(options_.gradient_accumulation_steps.value_or(1), 1));
  const Tensor update =
      fused([](Expr iterations, Expr round) { return expr::floor(iterations / round) + 1.0; },
            iterations_.value(), Tensor(round));
  const Tensor overwrites =
      frequency > 0
          ? ops::equal(ops::mod(update, Tensor(static_cast<double>(frequency))), Tensor(0.0))
          : Tensor();
  for (size_t i = 0; i < s.trainable.size(); ++i) {
    s.averages[i].assign(fused(
        [](Expr average, Expr v, Expr momentum, Expr update) {
          Expr share = expr::select(update > 1.0, momentum, 0.0);
          return share * average + (1.0 - share) * v;
        },
        s.averages[i].value(), s.trainable[i].value(), Tensor(momentum), update));
    if (overwrites)
      s.trainable[i].assign(ops::where(overwrites, s.averages[i].value(), s.trainable[i].value()));
  }
}

}  // namespace cornu
