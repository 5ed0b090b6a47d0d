// Pictures in host memory, and what all kernels on them share.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dtype.h"

namespace cornu::backend::image {

/// A dense picture (height, width, channels) in host memory, which it does not own.
struct Picture {
  void* data = nullptr;        ///< its first value
  int64_t height = 0;          ///< number of rows
  int64_t width = 0;           ///< number of columns
  int64_t channels = 1;        ///< values of a pixel
  DType dtype = DType::uint8;  ///< of a value

  /// Values of a row.
  int64_t row_values() const { return width * channels; }
  /// Values of the whole picture.
  int64_t values() const { return height * row_values(); }
  /// Bytes of a pixel.
  size_t pixel_bytes() const { return static_cast<size_t>(channels) * size_of(dtype); }
  /// Bytes of a row.
  size_t row_bytes() const { return static_cast<size_t>(width) * pixel_bytes(); }
  /// The first byte of a row.
  std::byte* row(int64_t y) const {
    return static_cast<std::byte*>(data) + static_cast<size_t>(y) * row_bytes();
  }
  /// The same as values of type T.
  template <class T>
  T* row_as(int64_t y) const {
    return reinterpret_cast<T*>(row(y));
  }
};

/// Where to look for pixels that lie outside of a picture: Keras's fill modes.
enum class Fill {
  constant,  ///< everywhere the same value
  nearest,   ///< the pixel at the edge
  wrap,      ///< a b c d | a b c d | a b c d
  mirror,    ///< d c b | a b c d | c b a
  reflect    ///< d c b a | a b c d | d c b a
};

/// A place on an axis of `size` pixels brought inside of it; with Fill::constant as Fill::nearest.
int64_t folded(int64_t place, int64_t size, Fill fill);

}  // namespace cornu::backend::image
