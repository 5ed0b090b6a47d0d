// Optimizer and LearningRateSchedule: how gradients change weights.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../config/config.h"
#include "../dispatch/stateless_scope.h"
#include "../ops/elementwise.h"
#include "initializer.h"
#include "saveable.h"

namespace cornu {

/// A learning rate as a function of the number of steps done. Built-in:
/// cornu::optimizers::schedules.
class LearningRateSchedule : public Configurable {
 public:
  /// Where names are looked up.
  static constexpr const char* module = "keras.optimizers.schedules";
  /// The rate at `step` (a scalar), a float32 scalar.
  virtual Tensor operator()(const Tensor& step) = 0;
  /// The same on numbers, as optimizers ask for it; by default through the tensors.
  virtual double at(int64_t step) { return (*this)(Tensor(step)).item(); }
};

/// Base of a schedule with options:
/// `class WarmupSchedule : public LearningRateScheduleOf<WarmupSchedule, WarmupConfig>`.
template <class Self, class C, class Base = LearningRateSchedule>
class LearningRateScheduleOf : public Configured<Self, C, Base> {
 public:
  using Configured<Self, C, Base>::Configured;
};

/// The learning rate option: a number, a schedule or a function.
class LearningRate {
 public:
  LearningRate(double value = 0.001) : value_(value) {}  ///< a constant rate
  /// A rate that follows the number of updates.
  LearningRate(Choice<LearningRateSchedule> schedule) : schedule_(std::move(schedule)) {}
  /// The same from a schedule's handle.
  template <class T>
  requires std::derived_from<T, LearningRateSchedule> LearningRate(const Ref<T>& schedule)
      : schedule_(schedule) {}
  /// The same from an object of a class of one's own.
  template <std::derived_from<LearningRateSchedule> T>
  LearningRate(std::shared_ptr<T> schedule) : schedule_(std::move(schedule)) {}
  /// A rate that a function without arguments gives: `[&] { return rate; }`. It is called in each
  /// step, compiled ones too. An optimizer with such a rate cannot be saved.
  template <class F>
  requires(!std::convertible_to<F, double> && std::is_invocable_r_v<double, F&>)
      LearningRate(F function)
      : schedule_(of_function(std::move(function))) {}
  bool is_schedule() const {
    return static_cast<bool>(schedule_);
  }                                        ///< whether it changes by itself
  double value() const { return value_; }  ///< of a constant rate
  const Choice<LearningRateSchedule>& schedule() const {
    return schedule_;
  }  ///< empty for a number

 private:
  static Choice<LearningRateSchedule> of_function(std::function<double()> function);
  double value_ = 0.001;
  Choice<LearningRateSchedule> schedule_;
};

namespace detail {
template <>
struct OptionCodec<LearningRate> {
  static Value encode(const LearningRate& v);
  static LearningRate decode(const Value& v);
};
}  // namespace detail

/// The options that every optimizer has; each optimizer's config struct has them among its own,
/// under the same names.
struct OptimizerOptions {
  std::string name = {};                    ///< in files and messages
  LearningRate learning_rate = {};          ///< a number, a schedule or a function
  std::optional<double> weight_decay = {};  ///< fraction of each weight in a step, times the rate
  std::optional<double> clipnorm = {};      ///< bound of each gradient's L2 norm
  std::optional<double> global_clipnorm = {};  ///< bound of the L2 norm of all gradients together
  std::optional<double> clipvalue = {};        ///< bound of each element's size
  bool use_ema = false;                        ///< keep moving averages of the weights
  double ema_momentum = 0.99;  ///< weight of the old average at each update, in [0, 1]
  std::optional<int64_t> ema_overwrite_frequency = {};  ///< in steps; empty: only at the end
  std::optional<double> loss_scale_factor = {};         ///< multiplies the loss, divides gradients
  std::optional<int64_t> gradient_accumulation_steps = {};  ///< whose mean gradient is one update
};

/// Base of all optimizers. A subclass updates one variable in `update_step`, and makes the slots
/// that it needs for that in `build_slots`.
class Optimizer : public Configurable, public Saveable {
 public:
  static constexpr const char* module = "keras.optimizers";  ///< where names are looked up
  /// Throws ValueError when options contradict each other or are out of range.
  explicit Optimizer(OptimizerOptions options);

  /// Makes the slots for these variables. Done by the first `apply`; a second call with other
  /// variables throws ValueError.
  virtual void build(const std::vector<Variable>& variables);
  bool built() const { return built_; }  ///< whether the slots exist
  /// One step: clips, decays, updates, averages, constrains. A variable whose gradient is an empty
  /// Tensor stays as it is (with one warning). Without any gradients at all it does nothing. Throws
  /// ValueError when the counts differ, all gradients are empty, or a variable is not one that the
  /// optimizer was built for; ShapeError when a gradient has not its variable's shape.
  virtual void apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables);
  /// The same for the variables that the optimizer was built for.
  void apply(const std::vector<Tensor>& gradients);
  /// The same for pairs.
  void apply_gradients(const std::vector<std::pair<Tensor, Variable>>& grads_and_vars);

  /// `apply` as a function of values: gives the new values of the variables that the optimizer was
  /// built for, and of its own (those of `variables`). Nothing else changes. Throws StateError
  /// before build, ValueError or ShapeError for values that do not fit, and what `apply` throws.
  std::pair<std::vector<Tensor>, std::vector<Tensor>> stateless_apply(
      const StateValues& optimizer_variables, const std::vector<Tensor>& grads,
      const StateValues& trainable_variables);

  /// Number of updates done (int64 scalar): with gradient_accumulation_steps = n one for n calls of
  /// `apply`.
  virtual Tensor iterations() const;
  /// The current learning rate as a number; a schedule's for the current step.
  virtual double learning_rate() const;
  /// Throws StateError when the rate follows a schedule or a function.
  virtual void set_learning_rate(double value);
  /// All state in the order of Keras's files: iteration, learning rate (unless a schedule),
  /// averages, accumulators, slots.
  virtual std::vector<Variable> variables() const;
  /// The values of `variables`, in their order.
  std::vector<Tensor> get_weights() const;
  /// Gives `variables` these values, in their order; variables behind the last value stay as they
  /// are. Throws StateError before build, ValueError for more values than variables, and ShapeError
  /// that names the variable for a value of another shape; nothing changes then.
  void set_weights(const std::vector<Tensor>& weights);
  /// Scales the loss before differentiation (by loss_scale_factor); `apply` divides it out.
  virtual Tensor scale_loss(const Tensor& loss);
  /// With use_ema: each variable that the optimizer was built for, and its average; else none.
  std::vector<std::pair<Variable, Variable>> averages() const;
  /// With use_ema: overwrites the variables with their averages, as the end of training does.
  virtual void finalize_variable_values();
  /// The same for a model's trainable variables. Throws ValueError, with use_ema, unless there are
  /// as many as the optimizer was built for.
  virtual void finalize_variable_values(const std::vector<Variable>& var_list);
  /// Variables to which weight decay does not apply: those listed, and those in whose names one of
  /// the regular expressions (such as "bias") is found. Replaces what an earlier call said. Throws
  /// ValueError, and changes nothing, for what is no regular expression.
  void exclude_from_weight_decay(const std::vector<std::string>& name_parts,
                                 const std::vector<Variable>& variables = {});
  /// The same in Keras's order.
  template <std::same_as<std::vector<Variable>> V>
  void exclude_from_weight_decay(const V& var_list,
                                 const std::vector<std::string>& var_names = {}) {
    exclude_from_weight_decay(var_names, var_list);
  }
  /// The same for variables in braces.
  void exclude_from_weight_decay(std::initializer_list<Variable> var_list,
                                 const std::vector<std::string>& var_names = {}) {
    exclude_from_weight_decay(var_names, std::vector<Variable>(var_list));
  }

  /// Options of add_variable, as in Keras.
  struct VariableOptions {
    Shape shape = {};                           ///< all sizes known
    Choice<Initializer> initializer = "zeros";  ///< an object or a name
    OptionalDType dtype = {};                   ///< default: config::floatx
    std::string name = "variable";              ///< last part of the variable's path
  };
  /// State of the optimizer that belongs to no variable of the model; files keep it. To be called
  /// in build_slots.
  Variable add_variable(const VariableOptions& options);
  /// State of the shape and dtype of a variable of the model, "<its path>_<name>"; files keep it.
  /// To be called in build_slots.
  Variable add_variable_from_reference(const Variable& reference_variable,
                                       const std::string& name = "var",
                                       const Choice<Initializer>& initializer = "zeros");
  /// The same for each of the variables; empty for one that gets its gradient as its value.
  std::vector<Variable> add_optimizer_variables(const std::vector<Variable>& trainable_variables,
                                                const std::string& name,
                                                const Choice<Initializer>& initializer = "zeros");
  /// The same for each name, a list for each in their order. Files have what belongs to one
  /// variable side by side.
  std::vector<std::vector<Variable>> add_optimizer_variables(
      const std::vector<Variable>& trainable_variables, const std::vector<std::string>& names,
      const Choice<Initializer>& initializer = "zeros");
  /// The same with an initializer for each name. Throws ValueError when the counts differ.
  std::vector<std::vector<Variable>> add_optimizer_variables(
      const std::vector<Variable>& trainable_variables, const std::vector<std::string>& names,
      const std::vector<Choice<Initializer>>& initializers);
  /// The same for names in braces, as a tuple of lists:
  /// `std::tie(means_, squares_) = add_optimizer_variables(variables, {"mean", "square"});`.
  template <size_t N>
  auto add_optimizer_variables(const std::vector<Variable>& trainable_variables,
                               const char* const (&names)[N],
                               const Choice<Initializer>& initializer = "zeros") {
    return add_optimizer_variables(trainable_variables, names,
                                   std::vector<Choice<Initializer>>(N, initializer));
  }
  /// The same with an initializer for each name.
  template <size_t N>
  auto add_optimizer_variables(const std::vector<Variable>& trainable_variables,
                               const char* const (&names)[N],
                               const std::vector<Choice<Initializer>>& initializers) {
    auto lists = add_optimizer_variables(trainable_variables,
                                         std::vector<std::string>(names, names + N), initializers);
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return std::tuple(std::move(lists[i])...);
    }
    (std::make_index_sequence<N>());
  }
  /// @{
  /// Variable::assign, assign_add and assign_sub, as update_step is written in Keras.
  void assign(const Variable& variable, const Tensor& value) const { variable.assign(value); }
  void assign_add(const Variable& variable, const Tensor& value) const {
    variable.assign_add(value);
  }
  void assign_sub(const Variable& variable, const Tensor& value) const {
    variable.assign_sub(value);
  }
  /// @}
  const std::string& name() const { return options_.name; }     ///< in files and messages
  const OptimizerOptions& options() const { return options_; }  ///< as given

 protected:
  std::vector<Variable> saved_variables() const override { return variables(); }
  /// Makes the subclass's slots with add_slot, in the order of Keras's files; by default none. It
  /// may be called again after it has thrown; what it had added is gone from `variables` then.
  virtual void build_slots(const std::vector<Variable>& variables);
  /// Called once before the variables of an update, with the rate as a scalar.
  virtual void begin_update(const Tensor& learning_rate);
  /// Updates variable number `index` by its gradient; `learning_rate` is a scalar.
  virtual void update_step(size_t index, const Tensor& gradient, Variable& variable,
                           const Tensor& learning_rate) = 0;
  /// Whether update_step itself does the weight decay of the variables for which `decays` holds,
  /// rather than the base before it.
  virtual bool decays_in_update() const { return false; }

  /// A variable of zeros (or of `initial`) like `variable`, kept in files.
  Variable add_slot(const Variable& variable, const std::string& name, const Tensor& initial = {});
  /// State that belongs to no variable, kept in files.
  Variable add_state(const Tensor& initial, const std::string& name);
  /// The learning rate of this step as a tensor, which a recording of the step can follow.
  Tensor current_learning_rate() const;
  /// Number of calls of `apply` done (int64 scalar), as files keep it.
  const Variable& steps() const { return iterations_; }
  /// The number of the update under way, 1 in the first, from the value of `steps`.
  Expr update_number(Expr steps) const;
  /// Whether weight decay applies to variable `index`.
  bool decays(size_t index) const;

 private:
  struct State;
  void apply_with_values(const std::vector<Tensor>& gradients,
                         const std::vector<Variable>& variables);
  void check_gradient(const Tensor& gradient, const Variable& variable) const;
  void take_step();
  void filter(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables);
  size_t index_of(const Variable& variable, size_t guess) const;
  void clip();
  void update();
  void accumulate();
  void average();
  void mark_decays();

  OptimizerOptions options_;
  bool built_ = false;
  Variable iterations_;
  std::shared_ptr<State> state_;
};

/// What apply_gradients takes: `optimizer->apply_gradients(zip(gradients, variables))`. Throws
/// ValueError when the counts differ.
std::vector<std::pair<Tensor, Variable>> zip(const std::vector<Tensor>& gradients,
                                             const std::vector<Variable>& variables);

/// Base of an optimizer with options:
/// `class AdamOptimizer : public OptimizerOf<AdamOptimizer, AdamConfig>`.
template <class Self, class C, class Base = Optimizer>
class OptimizerOf : public Base {
 public:
  using Config = C;  ///< the options
  /// Takes the options over; checks of the common ones are those of Optimizer.
  explicit OptimizerOf(C c)
      : Base(OptimizerOptions{c.name, c.learning_rate, c.weight_decay, c.clipnorm,
                              c.global_clipnorm, c.clipvalue, c.use_ema, c.ema_momentum,
                              c.ema_overwrite_frequency, c.loss_scale_factor,
                              c.gradient_accumulation_steps}),
        config(std::move(c)) {}
  /// The options by name; the learning rate is the current one.
  Value::Dict get_config() const override;
  /// An optimizer from its config, without state. Throws ValueError for missing, unknown or wrong
  /// options.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return std::make_shared<Self>(from_dict<C>(dict));
  }
  C config;  ///< as given
};

namespace detail {
/// Keras's order: the common options first; the learning rate is the current one.
Value::Dict optimizer_config(const Optimizer& optimizer, Value::Dict own);
}  // namespace detail

template <class Self, class C, class Base>
Value::Dict OptimizerOf<Self, C, Base>::get_config() const {
  return detail::optimizer_config(*this, to_dict(config));
}

namespace optimizers {
/// The optimizer of this name, or this one; null for none. Throws ValueError with a did-you-mean.
inline Choice<Optimizer> get(const Choice<Optimizer>& identifier) { return identifier; }
/// The optimizer as {module, class_name, config, registered_name}.
inline Value serialize(const Optimizer& optimizer) { return cornu::serialize(optimizer); }
/// The same of what refers to one: a handle, a shared pointer, what get gives.
template <detail::Referring<Optimizer> R>
Value serialize(const R& optimizer) {
  return cornu::serialize(detail::referred<Optimizer>(optimizer));
}
/// The optimizer that serialize described. Throws ValueError.
inline Choice<Optimizer> deserialize(const Value& config) {
  return detail::OptionCodec<Choice<Optimizer>>::decode(config);
}
}  // namespace optimizers

namespace optimizers::schedules {
/// The schedule of this name, or this one; null for none. Throws ValueError with a did-you-mean.
inline Choice<LearningRateSchedule> get(const Choice<LearningRateSchedule>& identifier) {
  return identifier;
}
/// The schedule as {module, class_name, config, registered_name}.
inline Value serialize(const LearningRateSchedule& schedule) { return cornu::serialize(schedule); }
/// The same of what refers to one: a handle, a shared pointer, what get gives.
template <detail::Referring<LearningRateSchedule> R>
Value serialize(const R& schedule) {
  return cornu::serialize(detail::referred<LearningRateSchedule>(schedule));
}
/// The schedule that serialize described. Throws ValueError.
inline Choice<LearningRateSchedule> deserialize(const Value& config) {
  return detail::OptionCodec<Choice<LearningRateSchedule>>::decode(config);
}
}  // namespace optimizers::schedules

}  // namespace cornu
