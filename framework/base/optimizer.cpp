// The state of optimizers, and what they do beside their steps.
#include "optimizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "../ops/elementwise.h"
#include "../ops/numpy/creation.h"
#include "../ops/operators.h"
#include "optimizer_state.h"

namespace cornu {

namespace {

void check_options(const OptimizerOptions& o) {
  const auto fail = [&](const std::string& text) {
    throw ValueError(fmt::format("Optimizer '{}': {}", o.name, text));
  };
  if (o.gradient_accumulation_steps && *o.gradient_accumulation_steps != 0 &&
      *o.gradient_accumulation_steps < 2)
    fail(fmt::format("gradient_accumulation_steps must be at least 2, found {}.",
                     *o.gradient_accumulation_steps));
  if (o.use_ema && !(o.ema_momentum >= 0 && o.ema_momentum <= 1))
    fail(fmt::format("ema_momentum must be in [0, 1], found {}.", o.ema_momentum));
  if (o.use_ema && o.ema_overwrite_frequency && *o.ema_overwrite_frequency < 0)
    fail(fmt::format("ema_overwrite_frequency must be at least 1, found {}.",
                     *o.ema_overwrite_frequency));
  // Each changes what the others measure, so an order would have to be guessed.
  if (int{o.clipnorm.has_value()} + int{o.global_clipnorm.has_value()} +
          int{o.clipvalue.has_value()} >
      1)
    fail("only one of clipnorm, global_clipnorm and clipvalue can be set. Leave out the others.");
}

Tensor int64_scalar(int64_t value) { return Tensor::from_host(&value, Shape{}); }

}  // namespace

Optimizer::Optimizer(OptimizerOptions options)
    : options_(std::move(options)), state_(std::make_shared<State>()) {
  check_options(options_);
  // First, as in Keras's files, which number the variables.
  iterations_ = add_state(int64_scalar(0), "iteration");
  if (options_.learning_rate.is_schedule()) return;
  // A variable rather than a number, so that a recorded step follows set_learning_rate.
  const float rate = static_cast<float>(options_.learning_rate.value());
  state_->learning_rate = add_state(Tensor::from_host(&rate, Shape{}), "learning_rate");
}

Variable Optimizer::add_state(const Tensor& initial, const std::string& name) {
  Variable v(initial, {.name = name, .trainable = false});
  v.set_path(options_.name + "/" + name);
  state_->variables.push_back(v);
  return v;
}

Variable Optimizer::add_slot(const Variable& variable, const std::string& name,
                             const Tensor& initial) {
  std::string prefix = variable.path();
  // A path inside of an HDF5 file may not contain the separator.
  std::replace(prefix.begin(), prefix.end(), '/', '_');
  return add_state(initial ? initial : ops::zeros(variable.shape(), variable.dtype()),
                   prefix + "_" + name);
}

void Optimizer::build(const std::vector<Variable>& given) {
  State& s = *state_;
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i])
      throw ValueError(
          fmt::format("Optimizer '{}': variable {} has not been created yet: is its layer built?",
                      options_.name, i));
  std::vector<Variable> variables = given;
  // The scales of float8 are set to their gradients and need no slots.
  std::erase_if(variables, [](const Variable& v) { return v && v.overwrite_with_gradient(); });
  if (built_) {
    // Building again is harmless: reading a file and the first step may both do it.
    if (variables == s.trainable) return;
    throw ValueError(
        fmt::format("Optimizer '{}' was built for other variables ({} of them, now {}). "
                    "Make a new optimizer for a new set of variables.",
                    options_.name, s.trainable.size(), variables.size()));
  }
  // Slots are made once, also where the first step is only recorded.
  const ComputeNow now;
  State before = s;
  try {
    s.trainable = variables;
    if (options_.use_ema)
      for (const Variable& v : variables) s.averages.push_back(add_slot(v, "average"));
    if (options_.gradient_accumulation_steps.value_or(0) > 0)
      for (const Variable& v : variables)
        s.accumulators.push_back(add_slot(v, "gradient_accumulator"));
    build_slots(variables);
    mark_decays();
  } catch (...) {
    // A failed build leaves nothing behind: the next one may be right.
    s = std::move(before);
    throw;
  }
  built_ = true;
}

void Optimizer::build_slots(const std::vector<Variable>&) {}

void Optimizer::begin_update(const Tensor&) {}

std::vector<Variable> Optimizer::variables() const { return state_->variables; }

namespace {

void require_built(const Optimizer& optimizer, const char* call) {
  if (optimizer.built()) return;
  throw StateError(
      fmt::format("Optimizer '{}': {} needs its variables. Call build(trainable_variables) before.",
                  optimizer.name(), call));
}

}  // namespace

std::vector<Tensor> Optimizer::get_weights() const {
  std::vector<Tensor> values;
  for (const Variable& v : variables()) values.push_back(v.value());
  return values;
}

void Optimizer::set_weights(const std::vector<Tensor>& weights) {
  require_built(*this, "set_weights");
  const std::vector<Variable> all = variables();
  if (weights.size() > all.size())
    throw ValueError(
        fmt::format("Optimizer '{}': set_weights: {} values were given for {} variables.",
                    options_.name, weights.size(), all.size()));
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!weights[i])
      throw ValueError(
          fmt::format("Optimizer '{}': set_weights: the value of variable '{}' is an empty tensor.",
                      options_.name, all[i].path()));
    if (weights[i].shape() != all[i].shape())
      throw ShapeError(fmt::format(
          "Optimizer '{}': set_weights: variable '{}' has shape {}, its value has shape {}.",
          options_.name, all[i].path(), all[i].shape().str(), weights[i].shape().str()));
  }
  for (size_t i = 0; i < weights.size(); ++i) all[i].assign(weights[i]);
}

Variable Optimizer::add_variable(const VariableOptions& o) {
  return add_state((*o.initializer)(o.shape, o.dtype.value_or(config::default_dtype())), o.name);
}

Variable Optimizer::add_variable_from_reference(const Variable& reference_variable,
                                                const std::string& name,
                                                const Choice<Initializer>& initializer) {
  return add_slot(reference_variable, name,
                  (*initializer)(reference_variable.shape(), reference_variable.dtype()));
}

std::vector<Variable> Optimizer::add_optimizer_variables(
    const std::vector<Variable>& trainable_variables, const std::string& name,
    const Choice<Initializer>& initializer) {
  return add_optimizer_variables(trainable_variables, std::vector<std::string>{name},
                                 initializer)[0];
}

std::vector<std::vector<Variable>> Optimizer::add_optimizer_variables(
    const std::vector<Variable>& trainable_variables, const std::vector<std::string>& names,
    const Choice<Initializer>& initializer) {
  return add_optimizer_variables(trainable_variables, names,
                                 std::vector<Choice<Initializer>>(names.size(), initializer));
}

std::vector<std::vector<Variable>> Optimizer::add_optimizer_variables(
    const std::vector<Variable>& trainable_variables, const std::vector<std::string>& names,
    const std::vector<Choice<Initializer>>& initializers) {
  if (names.size() != initializers.size())
    throw ValueError(
        fmt::format("Optimizer '{}': add_optimizer_variables: expected an initializer for each of "
                    "the {} names ({}), or one for all; found {}.",
                    options_.name, names.size(), fmt::join(names, ", "), initializers.size()));
  std::vector<std::vector<Variable>> slots(names.size());
  for (const Variable& v : trainable_variables)
    for (size_t i = 0; i < names.size(); ++i)
      slots[i].push_back(v.overwrite_with_gradient()
                             ? Variable()
                             : add_variable_from_reference(v, names[i], initializers[i]));
  return slots;
}

Tensor Optimizer::iterations() const {
  const int64_t round = options_.gradient_accumulation_steps.value_or(0);
  return round > 0 ? ops::floor_divide(iterations_.value(), Tensor(round)) : iterations_.value();
}

Expr Optimizer::update_number(Expr steps) const {
  const int64_t round = options_.gradient_accumulation_steps.value_or(0);
  if (round > 0) steps = expr::floor(steps / static_cast<double>(round));
  return steps + 1.0;
}

Tensor Optimizer::current_learning_rate() const {
  if (options_.learning_rate.is_schedule())
    return (*options_.learning_rate.schedule())(iterations_.value());
  return state_->learning_rate.value();
}

double Optimizer::learning_rate() const {
  if (options_.learning_rate.is_schedule())
    return options_.learning_rate.schedule()->at(iterations_.value().values<int64_t>()[0]);
  return state_->learning_rate.value().item();
}

void Optimizer::set_learning_rate(double value) {
  if (options_.learning_rate.is_schedule())
    throw StateError(
        fmt::format("Optimizer '{}': its learning rate follows a schedule or a function, so it "
                    "cannot be set. Make the optimizer with a number to set it later.",
                    options_.name));
  const float rate = static_cast<float>(value);
  state_->learning_rate.assign(Tensor::from_host(&rate, Shape{}));
}

Tensor Optimizer::scale_loss(const Tensor& loss) {
  return options_.loss_scale_factor ? loss * Tensor(*options_.loss_scale_factor) : loss;
}

void Optimizer::exclude_from_weight_decay(const std::vector<std::string>& name_parts,
                                          const std::vector<Variable>& variables) {
  std::vector<std::regex> patterns;
  for (const std::string& part : name_parts) {
    try {
      patterns.emplace_back(part);
    } catch (const std::regex_error&) {
      throw ValueError(
          fmt::format("Optimizer '{}': exclude_from_weight_decay: '{}' is not a regular "
                      "expression.",
                      options_.name, part));
    }
  }
  state_->excluded_names = std::move(patterns);
  state_->excluded = variables;
  mark_decays();
}

void Optimizer::mark_decays() {
  State& s = *state_;
  s.decayed.assign(s.trainable.size(), options_.weight_decay.has_value());
  for (size_t i = 0; i < s.trainable.size(); ++i) {
    const Variable& v = s.trainable[i];
    const bool listed = std::find(s.excluded.begin(), s.excluded.end(), v) != s.excluded.end();
    if (listed || std::ranges::any_of(s.excluded_names, [&](const std::regex& pattern) {
          return std::regex_search(v.name(), pattern);
        }))
      s.decayed[i] = false;
  }
}

bool Optimizer::decays(size_t index) const { return state_->decayed[index]; }

std::vector<std::pair<Variable, Variable>> Optimizer::averages() const {
  std::vector<std::pair<Variable, Variable>> pairs;
  for (size_t i = 0; i < state_->averages.size(); ++i)
    pairs.emplace_back(state_->trainable[i], state_->averages[i]);
  return pairs;
}

void Optimizer::finalize_variable_values() {
  for (size_t i = 0; i < state_->averages.size(); ++i)
    state_->trainable[i].assign(state_->averages[i].value());
}

void Optimizer::finalize_variable_values(const std::vector<Variable>& var_list) {
  if (!options_.use_ema) return finalize_variable_values();
  std::vector<Variable> averaged = var_list;
  std::erase_if(averaged, [](const Variable& v) { return !v || v.overwrite_with_gradient(); });
  if (averaged.size() != state_->averages.size())
    throw ValueError(
        fmt::format("Optimizer '{}': finalize_variable_values: {} variables were given, but there "
                    "are averages of {}. Was the optimizer used on this model?",
                    options_.name, averaged.size(), state_->averages.size()));
  for (size_t i = 0; i < averaged.size(); ++i) averaged[i].assign(state_->averages[i].value());
}

std::pair<std::vector<Tensor>, std::vector<Tensor>> Optimizer::stateless_apply(
    const StateValues& optimizer_variables, const std::vector<Tensor>& grads,
    const StateValues& trainable_variables) {
  require_built(*this, "stateless_apply");
  const std::vector<Variable> own = variables();
  StatelessScope scope(own, optimizer_variables, "optimizer_variables");
  scope.add_updates(state_->trainable, trainable_variables, "trainable_variables");
  apply(grads);
  return {scope.values_of(state_->trainable), scope.values_of(own)};
}

void Optimizer::apply_gradients(const std::vector<std::pair<Tensor, Variable>>& grads_and_vars) {
  std::vector<Tensor> gradients;
  std::vector<Variable> variables;
  for (const auto& [gradient, variable] : grads_and_vars) {
    gradients.push_back(gradient);
    variables.push_back(variable);
  }
  apply(gradients, variables);
}

std::vector<std::pair<Tensor, Variable>> zip(const std::vector<Tensor>& gradients,
                                             const std::vector<Variable>& variables) {
  if (gradients.size() != variables.size())
    throw ValueError(fmt::format("zip: there are {} gradients and {} variables.", gradients.size(),
                                 variables.size()));
  std::vector<std::pair<Tensor, Variable>> pairs;
  for (size_t i = 0; i < gradients.size(); ++i) pairs.emplace_back(gradients[i], variables[i]);
  return pairs;
}

namespace detail {

Value::Dict optimizer_config(const Optimizer& optimizer, Value::Dict own) {
  static constexpr const char* common[] = {"name",
                                           "learning_rate",
                                           "weight_decay",
                                           "clipnorm",
                                           "global_clipnorm",
                                           "clipvalue",
                                           "use_ema",
                                           "ema_momentum",
                                           "ema_overwrite_frequency",
                                           "loss_scale_factor",
                                           "gradient_accumulation_steps"};
  const auto is_common = [](const std::string& key) {
    return std::find(std::begin(common), std::end(common), key) != std::end(common);
  };
  const bool scheduled = optimizer.options().learning_rate.is_schedule();
  Value::Dict dict;
  for (const char* key : common) {
    if (key == std::string("learning_rate") && !scheduled)
      dict.emplace_back(key, optimizer.learning_rate());
    else if (const Value* value = find(own, key))
      dict.emplace_back(key, *value);
  }
  for (auto& entry : own)
    if (!is_common(entry.first)) dict.push_back(std::move(entry));
  return dict;
}

}  // namespace detail
}  // namespace cornu
