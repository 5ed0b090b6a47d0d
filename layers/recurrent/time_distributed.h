// TimeDistributed: a layer applied to every step of a sequence.
#pragma once
#include "../core/wrapper.h"

namespace cornu::layers {

/// Options of TimeDistributed, as in Keras.
struct TimeDistributedConfig {
  Required<AnyLayer> layer;                       ///< what is applied to the steps
  Choice<Regularizer> activity_regularizer = {};  ///< penalty on the output, added to the losses
  CORNU_LAYER_OPTIONS;
};

/// x (batch, steps, ...) -> (batch, steps, ...), where layer is called on each x[:, i], with the
/// mask mask[:, i] if it takes one. Steps are computed one after the other unless the layer treats
/// every row of a batch alike. Throws ShapeError for inputs of fewer than three axes and for a mask
/// of other steps.
class TimeDistributedLayer : public WrapperOf<TimeDistributedLayer, TimeDistributedConfig> {
 public:
  explicit TimeDistributedLayer(TimeDistributedConfig config);  ///< tracks the layer
  void build_many(const Nest& inputs) override;
  Tensor call(const Tensor& x, const Call& call) override;
  bool uses_mask() const override { return true; }
  Value::Dict get_config() const override;

 private:
  Tensor all_steps(const Tensor& x, const Call& call);
  Tensor each_step(const Tensor& x, const Call& call);
};

/// A shared TimeDistributedLayer, made from its options.
using TimeDistributed = Ref<TimeDistributedLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::TimeDistributedLayer, layers::TimeDistributedConfig>;
}
