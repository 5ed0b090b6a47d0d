// ZeroPadding2D: rows and columns of zeros around images.
#pragma once
#include <array>

#include "../layer_common.h"

namespace cornu::layers {

/// How much to add around images: one number for all sides, {height, width}, or {{top, bottom},
/// {left, right}}.
struct Padding2D {
  std::array<int64_t, 2> height = {1, 1};
  std::array<int64_t, 2> width = {1, 1};

  Padding2D() = default;
  template <std::integral T>
  Padding2D(T all) : height{all, all}, width{all, all} {}
  Padding2D(int64_t rows, int64_t columns) : height{rows, rows}, width{columns, columns} {}
  Padding2D(std::array<int64_t, 2> rows, std::array<int64_t, 2> columns)
      : height(rows), width(columns) {}
};

struct ZeroPadding2DConfig {
  Padding2D padding = 1;
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, height, width, channels) -> (batch, top + height + bottom, left + width + right,
/// channels).
class ZeroPadding2DLayer : public LayerOf<ZeroPadding2DLayer, ZeroPadding2DConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& x, const Call&) override;
};

using ZeroPadding2D = Ref<ZeroPadding2DLayer>;

}  // namespace cornu::layers

namespace cornu {

template <>
struct detail::OptionCodec<layers::Padding2D> {
  static Value encode(const layers::Padding2D& v);
  static layers::Padding2D decode(const Value& v);
};

extern template class LayerOf<layers::ZeroPadding2DLayer, layers::ZeroPadding2DConfig>;
}  // namespace cornu
