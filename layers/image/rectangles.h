// Random rectangles of the images of a batch, one for each, and masks of them.
#pragma once
#include "../../backend/image_paste.h"
#include "batch_pictures.h"
#include "geometry.h"

namespace cornu::layers {

/// Where the rectangles of a batch begin and end along an axis, in pixels: (n) each.
struct Stretch {
  Tensor begin,  ///< the least place inside
      end;       ///< the least place behind it
};
/// Stretches of `shares` (n), fractions of a side, at random places, as RandomErasing and CutMix
/// draw. Computed in the shares' dtype.
Stretch drawn_stretch(const Tensor& shares, int64_t side, SeedGenerator& seeds);

/// Which pixels of a batch of that shape are in the rectangles: booleans (n, h, w, channels), or
/// with channels first (n, channels, h, w).
Tensor inside_rectangles(const Stretch& across, const Stretch& down, ImageSize size,
                         int64_t channels, bool channels_first);

/// A batch as backend::image::paste_where reads it for results of that dtype: bytes stay for
/// results of float32, all else is cast.
Tensor pasteable(const Tensor& images, DType dtype);
/// Whether `mask` is one of booleans for `images`: of their shape, but for the number of images and
/// channels, which may be 1.
bool is_mask_of(const Tensor& mask, const Tensor& images, bool channels_first);

}  // namespace cornu::layers
