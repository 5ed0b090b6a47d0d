// Filters of images, and their likeness.
#pragma once
#include "../detail/images.h"

namespace cornu::ops {

/// Each channel convolved with a Gaussian, kernel_size (width, height) and sigma likewise.
Tensor gaussian_blur(const Tensor& images, const std::vector<int64_t>& kernel_size = {3, 3},
                     const std::vector<double>& sigma = {1, 1}, const DataFormat& data_format = {});
/// How bright images get, downward and to the right, in a last axis of 2: Sobel's filters, with
/// borders mirrored. A batch of floats (n, h, w, c) -> (n, h, w, c, 2).
Tensor sobel_edges(const Tensor& images, const DataFormat& data_format = {});
/// The structural similarity of two images, 1 for equal ones, or of those of two batches: means,
/// variances and covariance under a Gaussian of filter_size and filter_sigma. Z. Wang et al., Image
/// quality assessment (2004). `max_val` is the range of the values.
Tensor ssim(const Tensor& image1, const Tensor& image2, double max_val = 1,
            int64_t filter_size = 11, double filter_sigma = 1.5, double k1 = 0.01, double k2 = 0.03,
            const DataFormat& data_format = {});

}  // namespace cornu::ops
