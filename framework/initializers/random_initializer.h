// What random initializers share: the seed.
#pragma once
#include <optional>

#include "../base/initializer.h"
#include "../config/config.h"

namespace cornu::initializers {

/// Base of random initializers. Every call of one object draws the same values; without a seed the
/// object chooses one when it is made.
class RandomInitializer : public Initializer {
 public:
  int64_t seed() const { return seed_; }  ///< given or chosen

 protected:
  /// Chooses a seed unless one is given.
  void set_seed(const std::optional<int64_t>& seed);
  /// A config in Keras's order: the seed, then the other options.
  static Value::Dict seed_first(Value::Dict dict);

 private:
  int64_t seed_ = 0;
};

}  // namespace cornu::initializers
