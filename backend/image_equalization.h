// Histograms of tiles made even, and interpolated between them.
#pragma once
#include "image.h"

namespace cornu::backend::image {

/// How tiles are equalized: as Keras's ContrastLimitedAdaptiveHistogramEqualization.
struct Tiling {
  int64_t rows = 8;       ///< tiles down the picture
  int64_t columns = 8;    ///< tiles across it
  double clip_limit = 4;  ///< of a bin's count, in means of all bins; no limit unless positive
  float low = 0;          ///< value of black
  float high = 255;       ///< value of white
};

/// Equalizes the histogram of 256 bins of each tile and channel; between the middles of tiles it is
/// interpolated. Sizes that tiles do not divide count as padded by reflection. Both pictures are of
/// uint8 or float32 and of one form.
void equalize_by_tiles(const Picture& from, const Picture& to, const Tiling& tiling);

}  // namespace cornu::backend::image
