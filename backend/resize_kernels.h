// Kernels of resizing: how much a pixel counts at a distance.
#pragma once
#include <string>
#include <vector>

namespace cornu::backend::image {

/// A kernel by which pixels are blended. Distances are in pixels of the image that is read, or of
/// the result where antialiasing widens the kernel.
struct ResizeKernel {
  double radius = 0;                            ///< from where on a pixel has no weight
  double (*weight)(double distance) = nullptr;  ///< of a pixel; the weights need not sum to 1
  int parts = 0;  ///< of a pixel, to which places are rounded without antialiasing; 0: not at all
};

/// The kernel of "bilinear", "bicubic" (Keys, a = -1/2), "lanczos3" or "lanczos5". Throws
/// ValueError for any other name, which lists `known`, the caller's interpolations.
ResizeKernel resize_kernel(const std::string& interpolation, const std::vector<std::string>& known);

}  // namespace cornu::backend::image
