// ZeroPadding1D, ZeroPadding2D, ZeroPadding3D: zeros around sequences, images and volumes.
#pragma once
#include "margins.h"

namespace cornu::layers {

struct ZeroPadding1DConfig {
  Dims<2> padding = 1;  ///< steps before and after
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, steps, channels) -> the same with `padding` more places at the ends of the spatial
/// axes, which are 0. With data_format "channels_first" the channels stand behind the batch.
class ZeroPadding1DLayer : public LayerOf<ZeroPadding1DLayer, ZeroPadding1DConfig> {
 public:
  explicit ZeroPadding1DLayer(ZeroPadding1DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using ZeroPadding1D = Ref<ZeroPadding1DLayer>;

struct ZeroPadding2DConfig {
  Margins<2> padding = 1;
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, height, width, channels) -> the same with `padding` more places at the ends of the
/// spatial axes, which are 0. With data_format "channels_first" the channels stand behind the
/// batch.
class ZeroPadding2DLayer : public LayerOf<ZeroPadding2DLayer, ZeroPadding2DConfig> {
 public:
  explicit ZeroPadding2DLayer(ZeroPadding2DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using ZeroPadding2D = Ref<ZeroPadding2DLayer>;

struct ZeroPadding3DConfig {
  Margins<3> padding = 1;
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, depth, height, width, channels) -> the same with `padding` more places at the ends of
/// the spatial axes, which are 0. With data_format "channels_first" the channels stand behind the
/// batch.
class ZeroPadding3DLayer : public LayerOf<ZeroPadding3DLayer, ZeroPadding3DConfig> {
 public:
  explicit ZeroPadding3DLayer(ZeroPadding3DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using ZeroPadding3D = Ref<ZeroPadding3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ZeroPadding1DLayer, layers::ZeroPadding1DConfig>;
extern template class LayerOf<layers::ZeroPadding2DLayer, layers::ZeroPadding2DConfig>;
extern template class LayerOf<layers::ZeroPadding3DLayer, layers::ZeroPadding3DConfig>;
}  // namespace cornu
