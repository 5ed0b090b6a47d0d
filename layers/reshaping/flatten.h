// Flatten: each sample as one vector.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Flatten.
struct FlattenConfig {
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  CORNU_LAYER_OPTIONS;
};

/// x (batch, ...) -> (batch, product of the other sizes). With data_format "channels_first" the
/// channels (axis 1) vary fastest in the result.
class FlattenLayer : public LayerOf<FlattenLayer, FlattenConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

using Flatten = Ref<FlattenLayer>;  ///< a shared FlattenLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::FlattenLayer, layers::FlattenConfig>;
}
