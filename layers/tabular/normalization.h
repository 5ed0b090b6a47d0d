// Normalization: data brought to mean 0 and variance 1 by statistics found beforehand.
#pragma once
#include "../../framework/data/adapt.h"
#include "../layer_options.h"

namespace cornu::layers {

/// Numbers that are known beforehand: one, or nested lists of them, `.mean = {1.0, 2.0}`.
class Statistic : public Value {
 public:
  /// @{
  /// From a number, a vector, a tensor or a list, as Value.
  using Value::Value;
  /// @}
  /// The same value.
  Statistic(const Value& value) : Value(value) {}
  /// Numbers, or lists of them, in braces.
  Statistic(std::initializer_list<Statistic> elements)
      : Value(List(elements.begin(), elements.end())) {}
};

/// Options of Normalization.
struct NormalizationConfig {
  Axes axis = -1;       ///< axes with statistics of their own; all others are pooled, the batch too
  Statistic mean = {};  ///< a number or nested lists; without it `adapt` finds both
  Statistic variance = {};  ///< a number or nested lists; together with `mean`
  bool invert = false;      ///< the reverse: from mean 0 and variance 1
  CORNU_LAYER_OPTIONS;
};

/// (x - mean) / max(sqrt(variance), 1e-7).
class NormalizationLayer : public LayerOf<NormalizationLayer, NormalizationConfig>,
                           public Adaptable {
 public:
  /// The same to values in braces.
  using Adaptable::adapt;
  /// Throws ValueError unless mean and variance are both given or both left out. A mask passes
  /// through.
  explicit NormalizationLayer(NormalizationConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call& call) override;
  /// Takes mean and variance from `data`, which begins with the batch axis. Throws StateError when
  /// they were given.
  void adapt(const Tensor& data) override;
  void reset_state() override;
  /// Builds the layer if it is not. Batches count by their numbers of elements.
  void update_state(const Tensor& batch) override;
  void finalize_state() override;
  /// Mean and variance.
  std::vector<Tensor> statistics() const override;

  Variable mean,  ///< (sizes of the axes in `axis`); none where mean and variance were given
      variance,   ///< the same
      count;      ///< (), there for files and not used

 private:
  std::vector<int> kept(const Shape& shape) const;
  std::vector<int64_t> pooled(const Tensor& x) const;
  void expect_own() const;

  // Of the batches so far.
  Tensor batches_mean_, batches_variance_;
  double elements_ = 0;
};

/// A shared NormalizationLayer, made from its options.
using Normalization = Ref<NormalizationLayer>;

}  // namespace cornu::layers

namespace cornu::detail {
template <>
struct OptionCodec<layers::Statistic> {
  static Value encode(const layers::Statistic& v) { return v; }
  static layers::Statistic decode(const Value& v) { return v; }
};
}  // namespace cornu::detail

namespace cornu {
extern template class LayerOf<layers::NormalizationLayer, layers::NormalizationConfig>;
}
