// Geometric changes of batches of images by kernels of the host, in one pass.
#pragma once
#include "../../../backend/image_sampling.h"
#include "../op.h"

namespace cornu::detail {

/// The first image of a batch (n, h, w, c) in the host's memory; the others are behind it.
backend::image::Picture first_picture(const Tensor& batch);

/// Whether sampled_on_host may take the place of tensor operations: the images (n, h, w, c) and the
/// transform have values in the host's memory, no tape watches them, and the kernel computes in
/// the images' dtype as those do: float32, and to move pixels uint8 and int32 as well.
bool host_samples(const Tensor& images, const Tensor& transform,
                  const backend::image::Sampling& how);
/// Images (n, h, w, c) sampled at the places of a transform (n, 8) or (1, 8), float32: that of
/// ops::affine_transform, or a projective one. Coordinates have the same bits as by tensor
/// operations; the sum of the four neighbors is rounded in another order, and differs by less than
/// 1e-6 times the largest of them. It has no gradient.
Tensor sampled_on_host(const Tensor& images, const Tensor& transform,
                       const backend::image::Sampling& how, bool projective);

/// What an elastic distortion follows from.
struct ElasticDraws {
  Tensor key,  ///< of the noise, a number for each pixel (n, h, w): uint32, (2)
      alpha,   ///< the strength, a scalar of float32
      sigma,   ///< the deviation of the noise and of the bell that smooths it, likewise
      chosen;  ///< which images change, booleans (n), or one for all
};
/// How images are distorted.
struct Distortion {
  backend::image::Sampling sampling;     ///< of the images
  bool channels_first = false;           ///< images are (n, c, h, w) instead of (n, h, w, c)
  std::vector<double> value_range = {};  ///< results are cut to it; none: they are not
};
/// Whether distorted_on_host may take the place of tensor operations: as host_samples has it for
/// images of `dtype`, or bytes of which float32 is wanted; and only float32 is cut.
bool host_distorts(const Tensor& images, DType dtype, const ElasticDraws& draws,
                   const Distortion& how);
/// ops::elastic_transform of the images that are chosen, each in one pass over its pixels, and
/// others as they are, as numbers of `dtype`. It has no gradient.
Tensor distorted_on_host(const Tensor& images, DType dtype, const ElasticDraws& draws,
                         const Distortion& how);

}  // namespace cornu::detail
