// Logs: what losses and metrics came to, by name.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "../tensor/nest.h"

namespace cornu {

/// Figures by name, as callbacks see them. A metric of several figures, such as F1 scores of all
/// classes, stands here with their mean, which the progress bar shows too; `array` has all of them.
class Logs : public std::map<std::string, double> {
 public:
  using std::map<std::string, double>::map;

  /// What the model gave for a batch, or a group of steps_per_execution of them: in
  /// on_predict_batch_end alone (Keras's `logs["outputs"]`).
  Nest outputs = {};

  /// The figure of this name, to read or to write. One that is not there becomes NaN, or is an
  /// error in logs that are closed, as those of evaluate, train_on_batch and test_on_batch are:
  /// ValueError with a did-you-mean.
  double& operator[](const std::string& name);
  /// The same to read. Throws ValueError with a did-you-mean when it is not there.
  double operator[](const std::string& name) const;
  /// @{
  /// The figure of this name. Throws ValueError with a did-you-mean and the names that there are.
  double& at(const std::string& name);
  const double& at(const std::string& name) const;
  /// @}
  /// Figures have names, and no order.
  template <std::integral I>
  double& operator[](I) = delete;  // figures have names: ["loss"]

  /// From now on operator[] adds no figure; `set` still does.
  void close() { closed_ = true; }
  /// From now on operator[] adds figures again; CallbackList does this for the hooks that it calls.
  void open() { closed_ = false; }

  /// Sets the figure of this name: a scalar, or an array of several.
  void set(const std::string& name, const Tensor& value);
  /// Whether there are several figures of this name, which nobody has overwritten by a number.
  bool is_array(const std::string& name) const;
  /// The figures of this name; a float64 scalar where there is one. Throws ValueError with a
  /// did-you-mean.
  Tensor array(const std::string& name) const;
  /// The figure as Python writes it: "0.5", or "[0.5, 0.25]" with the digits of the array's dtype.
  /// Throws ValueError with a did-you-mean.
  std::string text(const std::string& name) const;

 private:
  [[noreturn]] void throw_missing(const std::string& name) const;

  std::map<std::string, Tensor> arrays_;
  bool closed_ = false;
};

}  // namespace cornu
