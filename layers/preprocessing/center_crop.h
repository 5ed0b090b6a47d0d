// CenterCrop: the middle of images.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct CenterCropConfig {
  Required<int64_t> height;
  Required<int64_t> width;
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// The middle of one image or a batch. Images that are too small are cropped to the ratio of the
/// sides and enlarged.
class CenterCropLayer : public LayerOf<CenterCropLayer, CenterCropConfig> {
 public:
  explicit CenterCropLayer(CenterCropConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  static std::shared_ptr<CenterCropLayer> from_config(const Value::Dict& dict);
};

using CenterCrop = Ref<CenterCropLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::CenterCropLayer, layers::CenterCropConfig>;
}
