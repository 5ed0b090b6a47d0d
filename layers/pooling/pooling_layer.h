// What the pooling layers share: options, windows, and the computation.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of pooling over all of the spatial axes.
struct GlobalPoolingConfig {
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  bool keepdims = false;  ///< keep the spatial axes, with size 1
  CORNU_LAYER_OPTIONS;
};

/// Options of pooling to a given number of places along `rank` spatial axes.
template <size_t rank>
struct AdaptivePoolingConfig {
  Dims<rank> output_size = {};  ///< size of the output along each axis; must be given
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  CORNU_LAYER_OPTIONS;
};

/// What pooling takes of each window.
enum class Pooling { maximum, average };

/// The windows of a pooling layer, and pooling with them.
struct PoolGeometry {
  std::vector<int64_t> pool_size,  ///< size of the window along each spatial axis
      strides;                     ///< step of the window along each spatial axis
  std::string padding;             ///< "valid" or "same"
  std::string data_format;         ///< "channels_last" or "channels_first"

  /// Throws ValueError unless all sizes are positive, and padding and data_format known.
  void check() const;
  /// The maximum or mean of each window of x. Throws ShapeError for another rank.
  Tensor apply(const Tensor& x, Pooling kind) const;
};

/// The extreme or mean over all spatial axes of x, which has `spatial` of them.
Tensor pool_globally(const Tensor& x, Pooling kind, int spatial, const GlobalPoolingConfig& config);

/// The maxima or means of output_size windows.
Tensor pool_adaptively(const Tensor& x, Pooling kind, const std::vector<int64_t>& output_size,
                       const std::string& data_format);
/// Throws ValueError unless the sizes are positive and the format is known.
void check_adaptive(const std::vector<int64_t>& output_size, const std::string& data_format);

/// x (batch, spatial..., channels) -> (batch, new spatial..., channels): the maximum or mean of
/// each window. Throws ValueError for sizes that are not positive and unknown paddings, ShapeError
/// for another rank.
template <class Self, class C, Pooling kind>
class PoolingLayer : public LayerOf<Self, C> {
 public:
  using Base = LayerOf<Self, C>;  ///< keeps the options

  /// Makes strides pool_size where they are not given. Throws ValueError for sizes that are not
  /// positive, and an unknown padding or data_format.
  explicit PoolingLayer(C c) : Base(std::move(c)) {
    auto& o = this->config;
    if (o.strides == decltype(o.strides){}) o.strides = o.pool_size;
    geometry_ = {o.pool_size.vec(), o.strides.vec(), o.padding, o.data_format};
    geometry_.check();
  }
  /// The maximum or mean of each window.
  Tensor call(const Tensor& x, const Call&) override { return geometry_.apply(x, kind); }
  /// Windows stay within a row of the batch.
  bool acts_per_row() const override { return true; }
  /// A layer from its config, where strides may be null for pool_size.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return Base::from_config(without_nulls(dict, {"strides"}));
  }

 private:
  PoolGeometry geometry_;
};

/// x (batch, spatial..., channels) -> (batch, channels): the maximum or mean over all of the
/// spatial axes. Throws ShapeError for another rank.
template <class Self, Pooling kind, int spatial>
class GlobalPoolingLayer : public LayerOf<Self, GlobalPoolingConfig> {
 public:
  using LayerOf<Self, GlobalPoolingConfig>::LayerOf;
  /// The maximum or mean over all spatial axes.
  Tensor call(const Tensor& x, const Call&) override {
    return pool_globally(x, kind, spatial, this->config);
  }
  /// Nothing mixes the rows of a batch.
  bool acts_per_row() const override { return true; }
};

/// x (batch, spatial..., channels) -> (batch, output_size..., channels): the maximum or mean of
/// windows that cover each axis evenly; see ops::adaptive_max_pool. Throws ValueError unless
/// output_size is positive, ShapeError for another rank.
template <class Self, Pooling kind, size_t rank>
class AdaptivePoolingLayer : public LayerOf<Self, AdaptivePoolingConfig<rank>> {
 public:
  using Base = LayerOf<Self, AdaptivePoolingConfig<rank>>;  ///< keeps the options

  /// Throws ValueError unless all sizes are positive and data_format is known.
  explicit AdaptivePoolingLayer(AdaptivePoolingConfig<rank> c) : Base(std::move(c)) {
    check_adaptive(this->config.output_size.vec(), this->config.data_format);
  }

  /// The maximum or mean of each window.
  Tensor call(const Tensor& x, const Call&) override {
    return pool_adaptively(x, kind, this->config.output_size.vec(), this->config.data_format);
  }
  /// Windows stay within a row of the batch.
  bool acts_per_row() const override { return true; }
};

}  // namespace cornu::layers
