// Orders of shuffled elements.
#include "order.h"

#include "../../../backend/random_bits.h"

namespace cornu::data::detail {

int64_t window_seed(int64_t seed, int64_t first) {
  const backend::Key key = backend::split_at(backend::jax_key(seed), static_cast<uint64_t>(first));
  return static_cast<int64_t>(uint64_t{key.hi} << 32 | key.lo);
}

void ShuffleOrder::map(std::span<Where> places, int64_t size, int64_t seed) const {
  // Nearly always all places are of one epoch and one window.
  std::shared_ptr<const RandomOrder> order;
  int64_t epoch = 0, known = 0;
  for (Where& where : places) {
    const int64_t first = window == 0 ? 0 : where.index / window * window;
    if (!order || where.epoch != epoch || first != known) {
      const int64_t count = window == 0 ? size : size < 0 ? window : std::min(window, size - first);
      epoch = where.epoch;
      known = first;
      order = orders.get(count, window == 0 ? seed : window_seed(seed, first), epoch);
    }
    where.index = first + (*order)[where.index - first];
  }
}

}  // namespace cornu::data::detail
