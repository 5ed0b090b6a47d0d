// Runs the cases of tests/data/ops.json and its like: ops by their Keras names, against Keras's
// results.
#pragma once
#include <cornu/framework/ops/catalog.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../support/error_of.h"

namespace cornu::test {

/// The file of tests/data, read once.
const nlohmann::json& op_goldens(const std::string& file = "ops.json");

/// A call of an op.
struct OpCase {
  std::string text;        ///< the line of the file, and its tensors
  const OpInfo* info;      ///< the op
  Arguments arguments;     ///< with their tensors
  nlohmann::json results;  ///< of Keras: [dtype, shape, values] each

  /// The tensors among the arguments, in order.
  std::vector<Tensor> tensors() const;
  /// The call with each tensor replaced by that of `map`.
  Nest call(const std::function<Tensor(const Tensor&)>& map) const;
  /// The call with other tensors in their places.
  Nest call_with(const std::vector<Tensor>& tensors) const;
  /// Whether the shape of the result depends on values, so that stand-ins have none.
  bool reads_values() const;
};
/// The cases of a section of a file.
std::vector<OpCase> op_cases(const std::string& section, const std::string& file = "ops.json");

/// Checks the cases of one section. Shapes and dtypes must be Keras's, for values and for stand-ins
/// that have none; integers and bools are equal, floats within a few units in the last place of
/// their type.
void check_op_goldens(const std::string& section, const std::string& file = "ops.json");

}  // namespace cornu::test
