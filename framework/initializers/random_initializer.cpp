// Seeds of initializers.
#include "random_initializer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "../config/description_scope.h"
#include "../ops/operators.h"
#include "../ops/random/seed.h"

namespace cornu::initializers {

void RandomInitializer::set_seed(const std::optional<int64_t>& seed) {
  seed_ = seed ? *seed : random::default_seed();
  described_ = !seed && detail::making_from_description();
}

int64_t RandomInitializer::seed_before(const std::optional<int64_t>& seed,
                                       std::initializer_list<Choice<Initializer>> initializers) {
  if (seed) return *seed;
  std::vector<RandomInitializer*> later;
  for (const Choice<Initializer>& choice : initializers)
    if (auto* object = dynamic_cast<RandomInitializer*>(choice.get()); object && object->described_)
      later.push_back(object);
  int64_t next = random::default_seed();
  for (auto object = later.rbegin(); object != later.rend(); ++object) {
    std::swap(next, (*object)->seed_);
    (*object)->described_ = false;
  }
  return next;
}

Value::Dict RandomInitializer::seed_first(Value::Dict dict) {
  std::stable_partition(dict.begin(), dict.end(),
                        [](const auto& entry) { return entry.first == "seed"; });
  return dict;
}

}  // namespace cornu::initializers
