// What the tests of Keras's guides share: the numbers that Keras gave, and how they are compared.
#pragma once
#include <catch.h>
#include <cornu/cornu.h>

#include <string>
#include <vector>

#include "support/golden_json.h"

namespace cornu::test {

/// What a guide's script recorded: figures by names, by the names of examples.
class Goldens {
 public:
  /// Reads tests/data/guides_`guide`.json.
  explicit Goldens(const std::string& guide) : file_(golden_file("guides_" + guide + ".json")) {}

  /// Numbers of an example, such as its predictions.
  std::vector<double> numbers(const std::string& example, const std::string& name) const {
    return cornu::detail::from_value<std::vector<double>>(entry(entry(file_, example), name));
  }
  /// What Keras's fit returned: the names of figures, and those of the epochs.
  std::map<std::string, std::vector<double>> history(const std::string& example) const {
    std::map<std::string, std::vector<double>> result;
    for (const auto& [name, values] : entry(entry(file_, example), "history").get<Value::Dict>())
      result[name] = cornu::detail::from_value<std::vector<double>>(values);
    return result;
  }

 private:
  Value file_;
};

/// Matches numbers that differ from these by rounding alone.
inline void check_close(const std::vector<double>& found, const std::vector<double>& expected,
                        double tolerance = 1e-5) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == Approx(expected[i]).epsilon(tolerance).margin(1e-7));
  }
}

/// The same for all elements of a tensor.
inline void check_close(const Tensor& found, const std::vector<double>& expected,
                        double tolerance = 1e-5) {
  check_close(found.to_vector<double>(), expected, tolerance);
}

/// Checks that fit gave the same figures under the same names.
inline void check_close(const History& found,
                        const std::map<std::string, std::vector<double>>& expected,
                        double tolerance = 1e-5) {
  REQUIRE(found.history.size() == expected.size());
  for (const auto& [name, values] : expected) {
    CAPTURE(name);
    check_close(found[name], values, tolerance);
  }
}

}  // namespace cornu::test
