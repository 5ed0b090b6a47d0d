// One recorded case under way: its data, how it is run, and what it is compared with.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "case_file.h"
#include "compare.h"
#include "decode.h"

namespace cornu::conformance {

enum class Mode { eager, compiled };

/// What a call gives: its result, and further tensors under the names of their datasets.
struct Outcome {
  Value result;
  std::vector<std::pair<std::string, Tensor>> more;
};

struct Case {
  const CaseFile& file;
  std::string name;
  Value spec;
  Mode mode;
  Differences differences = {};

  Tolerance tolerance() const;
  Tolerance gradient_tolerance() const;
  bool stochastic() const;
  std::string text(const char* key) const;

  Inputs inputs() const { return file.numbered(name, "in"); }
  Tensor tensor(const std::string& dataset) const { return file.tensor(name, dataset); }
  bool has(const std::string& dataset) const { return file.has(name, dataset); }

  /// The outcome of `body` on these inputs: computed eagerly, or by a function that has recorded
  /// itself (the first call that is replayed; `before` runs before each).
  Outcome run(const Inputs& inputs, const std::function<Outcome(const Inputs&)>& body,
              const std::function<void()>& before = {}) const;

  /// Computes `call` with the gradients that were recorded, those of inputs and of `weights` (by
  /// the number of their dataset), and puts outputs' masks beside.
  Outcome differentiate(const Inputs& inputs, const std::vector<std::pair<int, Tensor>>& weights,
                        const std::function<Value(const Inputs&)>& call) const;
  /// Compares all that `differentiate` gave.
  void compare(const Outcome& outcome);
};

/// What is wrong with a case, or "".
std::string check_case(const CaseFile& file, const std::string& name, Mode mode);

// One for each kind. They throw, or note in case.differences what is wrong.
void check_layer(Case& c);
void check_adapt(Case& c);
void check_function(Case& c);
void check_loss(Case& c);
void check_weight_rule(Case& c);  ///< regularizer, constraint
void check_initializer(Case& c);
void check_metric(Case& c);
void check_optimizer(Case& c);
void check_schedule(Case& c);

/// The object that the case serialized, as a T. Throws ValueError when it is something else.
template <class T>
std::shared_ptr<T> make_object(const Case& c);

}  // namespace cornu::conformance

#include <cornu/framework/config/configurable.h>

namespace cornu::conformance {

template <class T>
std::shared_ptr<T> make_object(const Case& c) {
  const auto object = std::dynamic_pointer_cast<T>(deserialize(entry(c.spec, "object")));
  if (!object) throw ValueError("the object is of another kind");
  return object;
}

}  // namespace cornu::conformance
