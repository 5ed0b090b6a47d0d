// RepeatVector: a vector as every step of a sequence.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of RepeatVector.
struct RepeatVectorConfig {
  Required<int64_t> n;  ///< number of steps of the output
  CORNU_LAYER_OPTIONS;
};

/// x (batch, features) -> (batch, n, features). Throws ShapeError for another rank.
class RepeatVectorLayer : public LayerOf<RepeatVectorLayer, RepeatVectorConfig> {
 public:
  /// Throws ValueError unless n is positive.
  explicit RepeatVectorLayer(RepeatVectorConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

using RepeatVector = Ref<RepeatVectorLayer>;  ///< a shared RepeatVectorLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RepeatVectorLayer, layers::RepeatVectorConfig>;
}
