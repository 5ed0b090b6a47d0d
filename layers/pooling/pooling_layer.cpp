// Windows, and reductions over whole images.
#include "pooling_layer.h"

#include "../../framework/ops/detail/windows.h"
#include "../../framework/ops/nn/pooling.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"

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
  detail::padding_of(padding);
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

void check_adaptive(const std::vector<int64_t>& output_size, const std::string& data_format) {
  check_positive("output_size", output_size);
  channels_first(data_format);
}

Tensor pool_adaptively(const Tensor& x, Pooling kind, const std::vector<int64_t>& output_size,
                       const std::string& data_format) {
  check_input(x.shape(), static_cast<int>(output_size.size()), channels_first(data_format));
  return kind == Pooling::maximum ? ops::adaptive_max_pool(x, output_size, data_format)
                                  : ops::adaptive_average_pool(x, output_size, data_format);
}

}  // namespace cornu::layers
