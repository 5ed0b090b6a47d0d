// Windows, and reductions over whole images.
#include "pooling_common.h"

#include "../../framework/ops/nn.h"

namespace cornu::layers {

namespace {

void check_input(const Shape& shape, int spatial, bool first) {
  check_rank(shape, spatial + 2,
             first ? "(batch, channels, spatial...)" : "(batch, spatial..., channels)");
}

}  // namespace

void PoolGeometry::check() const {
  check_positive("pool_size", pool_size);
  check_positive("strides", strides);
  ops::padding_of(padding);
  channels_first(data_format);
}

Tensor PoolGeometry::apply(const Tensor& x, Pooling kind) const {
  check_input(x.shape(), static_cast<int>(pool_size.size()), channels_first(data_format));
  return kind == Pooling::maximum ? ops::max_pool(x, pool_size, strides, padding, data_format)
                                  : ops::average_pool(x, pool_size, strides, padding, data_format);
}

Tensor pool_globally(const Tensor& x, Pooling kind, int spatial,
                     const GlobalPoolingConfig& config) {
  const bool first = channels_first(config.data_format);
  check_input(x.shape(), spatial, first);
  std::vector<int64_t> axes;
  for (int i = 0; i < spatial; ++i) axes.push_back(i + (first ? 2 : 1));
  return kind == Pooling::maximum ? ops::max(x, axes, config.keepdims)
                                  : ops::mean(x, axes, config.keepdims);
}

}  // namespace cornu::layers
