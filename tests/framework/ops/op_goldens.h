// Runs the cases of tests/data/ops.json: ops by their Keras names, against Keras's results.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace cornu::test {

/// The file, read once.
const nlohmann::json& op_goldens();

/// Checks the cases of one section. Shapes and dtypes must be Keras's, for values and for stand-ins
/// that have none; integers and bools are equal, floats within a few units in the last place of
/// their type.
void check_op_goldens(const std::string& section);

/// What `mistake` throws, or "" when it throws nothing.
template <class F>
std::string error_of(F mistake) {
  try {
    mistake();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace cornu::test
