// Adaptable: layers that learn something from data before they are used.
#pragma once
#include <concepts>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <vector>

#include "../ops/numpy/creation.h"
#include "dataset.h"

namespace cornu {

namespace data {
template <class T>
class Pipeline;
}  // namespace data

/// A second base of layers such as Normalization and TextVectorization, whose statistics or
/// vocabulary come from data, not from training.
class Adaptable {
 public:
  virtual ~Adaptable() = default;

  /// Forgets what `update_state` collected.
  virtual void reset_state() = 0;
  /// Collects from one batch.
  virtual void update_state(const Tensor& batch) = 0;
  /// Makes what the layer uses of what was collected.
  virtual void finalize_state() = 0;

  /// Learns from `data`, whose first axis are the samples, and forgets what was learnt before.
  virtual void adapt(const Tensor& data);
  /// @{
  /// The same from numbers, rows of numbers or texts in braces: `adapt({"a b", "c"})`.
  template <class T>
  requires(std::is_arithmetic_v<T> ||
           std::same_as<T, const char*>) void adapt(std::initializer_list<T> data) {
    adapt(ops::array(data));
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void adapt(std::initializer_list<std::initializer_list<T>> rows) { adapt(ops::array(rows)); }
  /// @}
  /// The same from the inputs of a dataset or a pipeline, batch by batch; at most `steps` of them.
  /// Throws ValueError for data without an end unless steps are given.
  void adapt(AnyDataset data, std::optional<int64_t> steps = {});
  /// The same from a pipeline whose elements are batches of inputs alone, as those of
  /// `pipeline.map([](const Batch& b) { return b.x.tensor(); })`.
  template <class T>
  requires std::convertible_to<T, Nest>
  void adapt(const data::Pipeline<T>& batches, std::optional<int64_t> steps = {}) {
    adapt(AnyDataset(batches.map([](const T& x) { return Batch{x}; })), steps);
  }

  /// What has been learnt, as tensors: mean and variance, boundaries, or a vocabulary.
  virtual std::vector<Tensor> statistics() const = 0;
};

}  // namespace cornu
