// Images turned, bent and shifted.
#pragma once
#include "../detail/images.h"
#include "../random/seed.h"

namespace cornu::ops {

/// The elements of inputs at coordinates (axes, ...), between them those nearby: `order` 0 the
/// nearest, 1 linear. Outside: "constant" (fill_value), "nearest", "wrap", "mirror" or "reflect".
Tensor map_coordinates(const Tensor& inputs, const Tensor& coordinates, int64_t order,
                       const std::string& fill_mode = "constant", double fill_value = 0);
/// Pixel (x, y) of channel i of the result is that of the images at (a0 x + a1 y + a2 + c1 i,
/// b0 x + b1 y + b2 + c0 i), with transform (8) or (n, 8) = a0, a1, a2, b0, b1, b2, c0, c1. That c0
/// and c1 shift channels, and make no perspective, is Keras's rule. `interpolation` is "bilinear"
/// or "nearest". Throws ShapeError for another shape of the transform.
Tensor affine_transform(const Tensor& images, const Tensor& transform,
                        const std::string& interpolation = "bilinear",
                        const std::string& fill_mode = "constant", double fill_value = 0,
                        const DataFormat& data_format = {});
/// The perspective that takes the corners start_points (4, 2) or (n, 4, 2), as (x, y), to
/// end_points.
Tensor perspective_transform(const Tensor& images, const Tensor& start_points,
                             const Tensor& end_points,
                             const std::string& interpolation = "bilinear", double fill_value = 0,
                             const DataFormat& data_format = {});
/// Images distorted by a field of shifts: normal draws times sigma, blurred by a Gaussian of
/// deviation sigma (in pixels, kernel of size 6 sigma), times alpha. As in Keras on JAX each pixel
/// moves by the same amount along both axes. Without a seed one is chosen in each eager call.
Tensor elastic_transform(const Tensor& images, double alpha = 20, double sigma = 5,
                         const std::string& interpolation = "bilinear",
                         const std::string& fill_mode = "reflect", double fill_value = 0,
                         std::optional<int64_t> seed = {}, const DataFormat& data_format = {});

}  // namespace cornu::ops

namespace cornu::detail {

/// How detail::elastic_transform distorts images.
struct ElasticDistortion {
  Tensor alpha;                            ///< a scalar
  Tensor sigma;                            ///< a scalar, from 0 to largest_sigma
  double largest_sigma = 0;                ///< known before sigma is drawn
  std::string interpolation = "bilinear";  ///< or "nearest"
  std::string fill_mode = "reflect";       ///< of ops::elastic_transform
  double fill_value = 0;                   ///< with fill_mode "constant"
  ops::DataFormat data_format = {};        ///< of the images
  Tensor chosen = {};                      ///< which images change, booleans (n); none: all
  std::vector<double> value_range = {};    ///< results are cut to it; none: they are not
};
/// ops::elastic_transform of `images` as numbers of `dtype`, which results have as well.
Tensor elastic_transform(const Tensor& images, DType dtype, const ElasticDistortion& how,
                         const Seed& seed);
/// The eight numbers (n, 8) of the perspective that takes points `to` to points `from`, both
/// (n, 4, 2).
Tensor homography(const Tensor& from, const Tensor& to);

}  // namespace cornu::detail
