// Seeds of initializers.
#include "random_initializer.h"

#include <algorithm>

#include "../ops/operators.h"
#include "../ops/random/seed.h"

namespace cornu::initializers {

void RandomInitializer::set_seed(const std::optional<int64_t>& seed) {
  seed_ = seed ? *seed : random::default_seed();
}

Value::Dict RandomInitializer::seed_first(Value::Dict dict) {
  std::stable_partition(dict.begin(), dict.end(),
                        [](const auto& entry) { return entry.first == "seed"; });
  return dict;
}

}  // namespace cornu::initializers
