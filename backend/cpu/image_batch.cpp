// Batches of pictures over threads.
#include "../image_batch.h"

#include "parallel.h"

namespace cornu::backend::image {

void for_each_picture(const Picture& one, int64_t count, const std::function<void(int64_t)>& f) {
  cpu::parallel_or_throw(count, count * one.values(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

}  // namespace cornu::backend::image
