// Rows and columns of zeros around images.
#include "zero_padding2d.h"

#include "../../framework/ops/shaping.h"

namespace cornu::layers {

Tensor ZeroPadding2DLayer::call(const Tensor& x, const Call&) {
  const bool first = channels_first(config.data_format);
  check_rank(x.shape(), 4,
             first ? "(batch, channels, height, width)" : "(batch, height, width, channels)");
  const auto& [height, width] = config.padding;
  const std::vector<int64_t> rows = {height[0], height[1]}, columns = {width[0], width[1]};
  if (first) return ops::pad(x, {{0, 0}, {0, 0}, rows, columns});
  return ops::pad(x, {{0, 0}, rows, columns, {0, 0}});
}

void register_zero_padding2d(Catalog& c) {
  c.add<ZeroPadding2DLayer>("keras.layers.ZeroPadding2D");
}

}  // namespace cornu::layers

namespace cornu::detail {

Value OptionCodec<layers::Padding2D>::encode(const layers::Padding2D& v) {
  return Value::List{Value::List{v.height[0], v.height[1]}, Value::List{v.width[0], v.width[1]}};
}

layers::Padding2D OptionCodec<layers::Padding2D>::decode(const Value& v) {
  if (!v.is<Value::List>()) return from_value<int64_t>(v);
  const auto& list = v.get<Value::List>();
  if (list.size() != 2)
    throw ValueError("expected a number, {height, width}, or {{top, bottom}, {left, right}}");
  // Each side is a number for both ends, or one for each.
  auto ends = [](const Value& side) {
    const auto sizes = from_value<std::vector<int64_t>>(side);
    if (sizes.empty() || sizes.size() > 2)
      throw ValueError("expected one or two sizes along an axis");
    return std::array<int64_t, 2>{sizes.front(), sizes.back()};
  };
  return {ends(list[0]), ends(list[1])};
}

}  // namespace cornu::detail

template class cornu::LayerOf<cornu::layers::ZeroPadding2DLayer,
                              cornu::layers::ZeroPadding2DConfig>;
