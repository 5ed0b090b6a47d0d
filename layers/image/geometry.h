// What layers that move the pixels of images share: ranges of factors, ways of resampling, and
// matrices.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "image_layer.h"

namespace cornu::layers {

/// The range of a random factor: two numbers in order, or of one number f [max(-|f|, low), |f|].
/// Throws ValueError when one number is outside of [low, high], or two do not touch it.
std::pair<double, double> factor_bounds(const Numbers& factor, const char* option, double low,
                                        double high);
/// The same, of one number [-|f|, |f|], where every number must be in [low, high], or with
/// `open_below` in (low, high].
std::pair<double, double> strict_factor_bounds(const Numbers& factor, const char* option,
                                               double low, double high, bool open_below = false);
/// Throws UnsupportedError, as Keras does, unless the option is one of `known`.
void check_known(const char* option, const std::string& value,
                 const std::vector<std::string>& known);
/// Fill modes and interpolations of the layers that transform images affinely.
void check_resampling(const std::string& fill_mode, const std::string& interpolation);
/// The numbers as an option keeps them.
inline Numbers as_numbers(std::pair<double, double> range) {
  return std::vector<double>{range.first, range.second};
}
/// Images or masks (h, w, c) or (n, h, w, c) through f, which takes batches.
template <class F>
Tensor on_batch(const Tensor& images, F&& f) {
  if (images.rank() != 3) return f(images);
  return ops::squeeze(f(ops::expand_dims(images, {0})), 0);
}

/// How many rows and columns the images of a transformation have.
struct ImageSize {
  int64_t height,  ///< number of rows
      width;       ///< number of columns

  Tensor rows() const { return Tensor(height); }    ///< the height as a scalar
  Tensor columns() const { return Tensor(width); }  ///< the width as a scalar
};
/// Of the shape of images. Throws ValueError when it is empty: what draws transformations for boxes
/// must say of what size the images are.
ImageSize size_of(const Shape& images, bool channels_first);

/// The transform (n, 8) of ops::affine_transform that scales, shears and turns images about a
/// center (as fractions of the image), and moves them by pixels; angles (n) in degrees.
Tensor affine_matrix(double center_x, double center_y, const Tensor& angle,
                     const Tensor& translate_x, const Tensor& translate_y, const Tensor& scale,
                     const Tensor& shear_x, const Tensor& shear_y, ImageSize size);

/// Where images of a size are cut at their middle to have the ratio of the sides height : width.
struct CropBox {
  int64_t top,  ///< the first row
      left,     ///< the first column
      height,   ///< number of rows
      width;    ///< number of columns
};
/// The largest such box; each of its sides is 1 or more.
CropBox centered_crop(ImageSize size, int64_t height, int64_t width);

/// The four sides {left, top, right, bottom} of boxes as "xyxy", each (..., boxes, 1).
using Sides = std::vector<Tensor>;
/// The boxes (..., boxes, 4) with their sides replaced by those that f gives.
template <class F>
Tensor map_sides(const Tensor& boxes, F&& f) {
  return ops::concatenate(f(ops::split(boxes, 4, -1)), -1);
}

}  // namespace cornu::layers
