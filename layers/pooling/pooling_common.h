// What the pooling layers share: their options, and the windows.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

/// Options of maximum pooling over `rank` spatial axes.
template <size_t rank>
struct MaxPoolingConfig {
  Dims<rank> pool_size = 2;
  Dims<rank> strides = {};        ///< default: pool_size
  std::string padding = "valid";  ///< or "same"
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Options of average pooling over `rank` spatial axes.
template <size_t rank>
struct AveragePoolingConfig {
  Dims<rank> pool_size = {};      ///< must be given
  Dims<rank> strides = {};        ///< default: pool_size
  std::string padding = "valid";  ///< or "same"; padding does not count in an average
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Options of pooling over all of the spatial axes.
struct GlobalPoolingConfig {
  std::string data_format = "channels_last";
  bool keepdims = false;  ///< keep the spatial axes, with size 1
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

enum class Pooling { maximum, average };

struct PoolGeometry {
  std::vector<int64_t> pool_size, strides;
  std::string padding;
  std::string data_format;

  void check() const;
  Tensor apply(const Tensor& x, Pooling kind) const;
};

/// The extreme or mean over all spatial axes of x, which has `spatial` of them.
Tensor pool_globally(const Tensor& x, Pooling kind, int spatial, const GlobalPoolingConfig& config);

/// x (batch, spatial..., channels) -> (batch, new spatial..., channels): the maximum or mean of
/// each window.
template <class Self, class C, Pooling kind>
class PoolingLayer : public LayerOf<Self, C> {
 public:
  using Base = LayerOf<Self, C>;
  explicit PoolingLayer(C c) : Base(std::move(c)) {
    auto& o = this->config;
    if (o.strides == decltype(o.strides){}) o.strides = o.pool_size;
    geometry_ = {o.pool_size.vec(), o.strides.vec(), o.padding, o.data_format};
    geometry_.check();
  }
  Tensor call(const Tensor& x, const Call&) override { return geometry_.apply(x, kind); }
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return Base::from_config(without_nulls(dict, {"strides"}));
  }

 private:
  PoolGeometry geometry_;
};

/// x (batch, spatial..., channels) -> (batch, channels): the maximum or mean over all of the
/// spatial axes.
template <class Self, Pooling kind, int spatial>
class GlobalPoolingLayer : public LayerOf<Self, GlobalPoolingConfig> {
 public:
  using LayerOf<Self, GlobalPoolingConfig>::LayerOf;
  Tensor call(const Tensor& x, const Call&) override {
    return pool_globally(x, kind, spatial, this->config);
  }
};

}  // namespace cornu::layers
