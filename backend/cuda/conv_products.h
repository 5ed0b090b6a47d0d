// Convolutions as products of matrices (im2col): of few channels or few places, often the faster
// way.
#pragma once
#include <memory>
#include <span>

#include "context.h"

namespace cornu::backend::cuda {

/// The places under all windows of a convolution as rows of a matrix (n * windows, kernel's
/// elements for one result), of an x without padding. Of one or two spatial axes.
Copy columns_copy(const Conv& conv, const Shape& x, const Shape& kernel, const Shape& y);

/// Whether a convolution is one product here: not with groups, padding or three spatial axes (but
/// for the gradient of x), or columns of more than 64 MiB or of 16-bit floats, whose products want
/// rows of whole 16 bytes, and whose sums would be rounded on the way.
bool has_conv_product(const Conv& conv, std::span<const Operand> inputs,
                      std::span<const Operand> outputs);

/// A convolution that has one as a copy of x to such columns and a product, which a library may
/// run; for the gradient of x as a product that makes columns, and their sum; of 1 x 1 kernels
/// without stride the product alone.
std::unique_ptr<Executable> conv_product(const Conv& conv, std::span<const Operand> inputs,
                                         std::span<const Operand> outputs, Context& context);

}  // namespace cornu::backend::cuda
