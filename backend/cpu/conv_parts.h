// How a convolution is cut into calls of oneDNN, each of which runs on one thread.
#pragma once
#include <cstdint>
#include <vector>

#include "onednn.h"

namespace cornu::backend::cpu {

/// A convolution of its own that is a part of another one, and where its operands begin in the
/// other's, in elements.
struct ConvPart {
  ConvSizes sizes;
  int64_t first = 0, second = 0, bias = 0, out = 0;
};

struct ConvParts {
  std::vector<ConvPart> parts;
  bool adds = false;  ///< parts give gradients of the same filters, to be added up in order
  bool shares_filters = false;  ///< all parts read the same filters
};

/// The cut depends on the sizes alone: so do the sums, whatever the number of threads.
ConvParts conv_parts(const ConvSizes& sizes);

/// The same without cutting images, for plans that cannot share filters among slices of them.
ConvParts conv_parts_by_images(const ConvSizes& sizes);

}  // namespace cornu::backend::cpu
