// Compares what was computed with what was recorded, and keeps what differs most.
#pragma once
#include <cornu/framework/dispatch/value.h>

#include <string>

namespace cornu::conformance {

/// A difference of at most atol + rtol * |recorded| is none.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

/// How two tensors are compared: all of them, their absolute values, or shapes and dtypes only.
enum class Compare { values, absolute, shape };

/// Collects differences.
class Differences {
 public:
  /// Something that is wrong beyond all measure: a shape, a dtype, a missing array.
  void fail(const std::string& dataset, const std::string& text);
  /// Compares a tensor with a recorded one (or a text with a recorded text).
  void compare(const std::string& dataset, const Value& found, const Value& recorded,
               Tolerance tolerance, Compare how = Compare::values);
  /// Whether every bit is equal; `text` says what it means when not.
  void compare_bits(const std::string& dataset, const Tensor& found, const Tensor& recorded,
                    const std::string& text);
  /// What differs most, or "".
  std::string worst() const { return text_; }

 private:
  void note(double size, const std::string& text);

  double size_ = 0;
  std::string text_;
};

}  // namespace cornu::conformance
