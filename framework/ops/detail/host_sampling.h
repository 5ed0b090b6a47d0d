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

/// Images (n, h, w, c) of float32 in which each pixel comes from a place `shift` (n, h, w) to the
/// right of it and as far below; where host_samples says so. It has no gradient.
Tensor displaced_on_host(const Tensor& images, const Tensor& shift,
                         const backend::image::Sampling& how);

}  // namespace cornu::detail
