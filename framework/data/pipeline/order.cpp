// Orders of shuffled elements.
#include "order.h"

#include "../../../backend/random_bits.h"

namespace cornu::data::detail {

int64_t shuffled_in_window(int64_t first, int64_t count, int64_t place, int64_t seed,
                           int64_t epoch) {
  // Each window has an order of its own.
  const backend::Key key = backend::split_at(backend::jax_key(seed), static_cast<uint64_t>(first));
  const int64_t own = static_cast<int64_t>(uint64_t{key.hi} << 32 | key.lo);
  return Permutation(count, own, epoch)[place];
}

void ShuffleOrder::map(std::span<Where> places, int64_t size, int64_t seed) const {
  if (window == 0) {
    // Nearly always all of one epoch.
    std::optional<Permutation> order;
    int64_t epoch = 0;
    for (Where& where : places) {
      if (!order || where.epoch != epoch) order.emplace(size, seed, epoch = where.epoch);
      where.index = (*order)[where.index];
    }
    return;
  }
  for (Where& where : places) {
    const int64_t first = where.index / window * window;
    const int64_t count = size < 0 ? window : std::min(window, size - first);
    where.index = first + shuffled_in_window(first, count, where.index - first, seed, where.epoch);
  }
}

}  // namespace cornu::data::detail
