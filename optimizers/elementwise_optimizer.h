// Optimizers whose update of a variable is one elementwise program: all but those that mix
// elements.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "../framework/base/optimizer.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/operators.h"

namespace cornu::optimizers {

/// What the formula of an update reads.
struct UpdateTerms {
  Expr gradient;              ///< after clipping
  Expr variable;              ///< after weight decay
  std::vector<Expr> slots;    ///< in the order of `slot_groups`
  std::vector<Expr> scalars;  ///< in the order of `scalars`
  bool wide;                  ///< whether the variable is float64

  /// A number as arithmetic in the variable's dtype has it (float32 for shorter ones).
  double rounded(double value) const {
    return wide ? value : static_cast<double>(static_cast<float>(value));
  }
};

/// What numbers that change from step to step are computed from.
struct ScalarTerms {
  Expr rate;                ///< the learning rate
  Expr step;                ///< number of the update, 1 in the first
  std::vector<Expr> extra;  ///< in the order of `scalar_inputs`
};

/// Base of optimizers that are a formula. Variables, slots and weight decay are read and written in
/// one pass over memory.
class ElementwiseOptimizer : public Optimizer {
 public:
  using Optimizer::Optimizer;

 protected:
  /// State that an update keeps for each variable, of its shape and dtype.
  struct Slot {
    std::string name;          ///< of the slot in files
    double initial = 0;        ///< value of all elements at first
    bool of_variable = false;  ///< whether it begins as the variable, rather than as `initial`
  };
  /// Groups of slots: files hold one group for all variables after the other, and in a group the
  /// slots of one variable side by side.
  using SlotGroups = std::vector<std::vector<Slot>>;
  /// The slots that the formula reads, asked for once.
  virtual SlotGroups slot_groups() const = 0;
  /// The new value of the variable, then those of its slots.
  virtual std::vector<Expr> formula(const UpdateTerms& terms) const = 0;
  /// Numbers that change from step to step; by default the learning rate alone. They are tensors,
  /// so that a recording of the step serves all steps.
  virtual std::vector<Expr> scalars(const ScalarTerms& terms) const;
  /// Scalar tensors that `scalars` reads besides.
  virtual Tensors scalar_inputs() const { return {}; }

  void build_slots(const std::vector<Variable>& variables) override;
  void begin_update(const Tensor& learning_rate) override;
  void update_step(size_t index, const Tensor& gradient, Variable& variable,
                   const Tensor& learning_rate) final;
  bool decays_in_update() const final { return true; }

 private:
  /// Empty for zeros.
  static Tensor first_value(const Slot& slot, const Variable& variable);
  backend::ProgramRef make_program(bool wide, bool decayed, size_t scalar_count) const;
  Tensors make_scalars(const Tensor& learning_rate, bool wide);

  std::vector<std::vector<Variable>> slots_;     // by slot, then by variable
  std::array<backend::ProgramRef, 4> programs_;  // by wide, decayed
  backend::ProgramRef scalar_program_;
  std::array<Tensors, 2> scalars_;  // by wide; of the update under way
};

}  // namespace cornu::optimizers
