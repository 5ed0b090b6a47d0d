// Resizing: images of another size.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct ResizingConfig {
  Required<int64_t> height;
  Required<int64_t> width;
  std::string interpolation = "bilinear";
  bool crop_to_aspect_ratio = false;
  bool pad_to_aspect_ratio = false;
  std::string fill_mode = "constant";
  double fill_value = 0.0;
  bool antialias = false;
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// ops::resize of one image or a batch, in the layer's compute dtype.
class ResizingLayer : public LayerOf<ResizingLayer, ResizingConfig> {
 public:
  explicit ResizingLayer(ResizingConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  static std::shared_ptr<ResizingLayer> from_config(const Value::Dict& dict);
};

using Resizing = Ref<ResizingLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ResizingLayer, layers::ResizingConfig>;
}
