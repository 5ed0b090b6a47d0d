// Batches of pictures, each changed by itself.
#pragma once
#include <functional>

#include "image.h"

namespace cornu::backend::image {

/// Picture i of those that lie in memory behind `first`.
inline Picture nth(const Picture& first, int64_t i) {
  Picture one = first;
  one.data = first.row(i * first.height);
  return one;
}

/// Calls f(i) for each of `count` pictures like `one`, on the threads of kernels. Throws what one
/// of the calls throws.
void for_each_picture(const Picture& one, int64_t count, const std::function<void(int64_t)>& f);

}  // namespace cornu::backend::image
