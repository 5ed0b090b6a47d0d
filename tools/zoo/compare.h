// Comparing what Cornu computed with what Keras wrote down.
#pragma once
#include <cornu/framework/tensor/nest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cornu::zoo {

/// What may differ: `absolute`, or `relative` times the largest expected value, whichever is more.
struct Tolerance {
  double absolute = 0;
  double relative = 1e-5;
};

/// The outcome of a comparison: an empty reason when all is well, and the largest error relative to
/// the largest expected value.
struct Difference {
  std::string reason;
  double error = 0;
  bool ok() const { return reason.empty(); }
  /// Takes over the other's reason when there is none yet, and the larger error.
  void merge(const Difference& other);
};

/// Compares values and shapes. NaN and infinities must stand where they are expected, and only
/// there. `scale` replaces the largest expected value when it is larger than that.
Difference compare(const std::string& what, const Tensor& found, const Tensor& expected,
                   const Tolerance& tolerance, double scale = 0);
/// Compares the structures, then tensor by tensor.
Difference compare(const std::string& what, const Nest& found, const Nest& expected,
                   const Tolerance& tolerance);

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;
/// Compares lists of the same length, each tensor against the largest value of the whole list when
/// `shared_scale`.
Difference compare(const std::string& what, const std::vector<Tensor>& found,
                   const NamedTensors& expected, const Tolerance& tolerance, bool shared_scale);

using Figures = std::map<std::string, std::vector<double>>;
/// Compares figures by name: the names must be the same.
Difference compare(const std::string& what, const Figures& found, const Figures& expected,
                   const Tolerance& tolerance);

}  // namespace cornu::zoo
