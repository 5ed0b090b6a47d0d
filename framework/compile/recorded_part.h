// Parts of a function that is being recorded: the branches of a decision, the body of a loop.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../tensor/nest.h"
#include "plan/plan_pool.h"
#include "plan/recording.h"

namespace cornu::ops::control {

/// The tensors of a nest; none of an empty one.
std::vector<Tensor> leaves(const Nest& nest);
/// `like` with other tensors; empty if it is.
Nest packed(const Nest& like, const std::vector<Tensor>& tensors);
/// The same values with identities of their own. Numbers written in C++ become tensors.
Nest fresh_alias(const Nest& nest);
/// Throws ShapeError, saying what differs, unless both have one structure, and equal shapes and
/// dtypes.
void check_same(const Nest& a, const Nest& b, const char* op);

/// Whether an open tape may want a gradient of it.
bool watched(const Tensor& t);
/// An argument for a part: of this kind, with values that nobody looks at.
Tensor stand_in(const TensorSpec& spec);
/// Says of a gradient that is computed by a plan, into which no tape can look, that it has none
/// itself.
void forbid_gradient(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                     const std::string& op);

/// A part, recorded: what it takes, what it gives, and how to run it. It is recorded without
/// computing, or, where it makes variables or looks at values, while it computes.
struct Part {
  /// Records f(), which uses the arguments.
  Part(const std::vector<Tensor>& arguments, const std::function<Nest()>& f);

  /// What was seen.
  std::unique_ptr<plan::PartRecording> recording;
  Nest result;                           ///< what f returned
  std::vector<Tensor> results;           ///< the same, flattened
  std::unique_ptr<plan::PlanPool> plan;  ///< null before finish
  std::string text;                      ///< what it does, for comparing and printing

  /// Where it looked at a value, which no replay can do; empty if it did not.
  const std::string& host_read() const { return recording->host_read(); }
  /// Tensors from outside that it reads, in the order of the arguments after the given ones.
  const std::vector<Tensor>& captured() const { return recording->captured(); }
  /// The value that a variable has after this part; what it had before if the part leaves it alone.
  Tensor after(const Variable& variable) const;
  /// Makes the plan.
  void finish(const std::vector<Tensor>& outputs);
  /// Runs on the arguments (given, then captured).
  std::vector<Tensor> run(std::span<const Tensor> arguments) const;
};

}  // namespace cornu::ops::control
