// Kernels that paste pixels where a mask of booleans is true. A mask has one channel, for whole
// pixels, or as many as the picture.
#pragma once
#include "image.h"
#include "random_bits.h"

namespace cornu::backend::image {

/// `from` as it is, or its bytes as numbers where `to` is of float32. Both are of one shape, and
/// else of one dtype.
void copy_pixels(const Picture& from, const Picture& to);

/// `from` with what `other` has where the mask is true. `other` has as many rows, or one for all of
/// them; bytes become numbers as above.
void paste_where(const Picture& mask, const Picture& other, const Picture& from, const Picture& to);

/// float32: normal numbers of that deviation, cut to [low, high], where the mask is true, and 0
/// elsewhere. The picture's first value has number `first` of the key's draw.
void draw_where(const Picture& mask, Key key, uint64_t first, float deviation, float low,
                float high, const Picture& to);

}  // namespace cornu::backend::image
