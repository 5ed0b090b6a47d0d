// Convolutions of stride 2 over few channels as ones of stride 1 over four times as many
// (space-to-depth), which cuDNN's kernels are made for: pure functions of shapes, which need no
// cuDNN.
//
// With its padding in front, x is cut into squares of 2 x 2 places, and the channels of a square's
// places become those of one place: channel (dy * 2 + dx) * c + i holds channel i of the place (dy,
// dx). The kernel is cut in the same way, with zeros where it has an odd size. Those zeros meet
// elements of x that the window does not reach, so an infinity or NaN there spreads one place
// further than it does without folding.
#pragma once
#include <cstdint>

#include "../kernel.h"

namespace cornu::backend::cuda::cudnn {

/// Whether the functions below apply: two spatial axes, both of stride 2, without groups, dilation,
/// blocks of channels or pooling. The gradient of x is not folded. Paddings may be any.
bool can_fold(const Conv& conv, const Shape& x);

/// The same convolution of folded operands: of stride 1, for an x that carries its padding in
/// memory.
Conv folded(const Conv& conv);

/// The shape of the folded x, as large as y needs. `channels` are at least four times those of x;
/// the others are zeros. Shapes are those of Conv's operands.
Shape folded_shape(const Conv& conv, const Shape& x, const Shape& kernel, const Shape& y,
                   int64_t channels);
/// Copies x to that shape, with its padding and without what y does not need. It has one part, or
/// up to four where paddings or sizes are odd; x is the input of each.
Copy fold_copy(const Conv& conv, const Shape& x, const Shape& kernel, const Shape& y,
               int64_t channels);

/// The shape of a folded kernel (spatial..., channels, co), as convolution_layouts takes it.
Shape folded_kernel(const Shape& kernel, int64_t channels);
/// Copies a kernel (spatial..., ci, co) to the folded one in the library's order (co, spatial...,
/// channels), and back, where the zeros' places are left out. As above, the kernel is the input of
/// each part, of which an axis of odd size makes two.
Copy fold_kernel_to_library(const Shape& kernel, int64_t channels);
Copy fold_kernel_from_library(const Shape& kernel, int64_t channels);

}  // namespace cornu::backend::cuda::cudnn
