// What random initializers share: the seed.
#pragma once
#include <initializer_list>
#include <optional>

#include "../base/initializer.h"
#include "../config/config.h"

namespace cornu::initializers {

/// Base of random initializers. Every call of one object draws the same values; without a seed the
/// object chooses one when it is made.
class RandomInitializer : public Initializer {
 public:
  int64_t seed() const { return seed_; }  ///< given or chosen

  /// The seed of an object that takes its own before its initializers take theirs: `seed` if given,
  /// else one from the stream of random::set_seed. Options are made before the object that they are
  /// for; where Keras makes it first, the initializers among them that were given as names or
  /// configs, and chose their seeds, get the next ones of the stream instead.
  static int64_t seed_before(const std::optional<int64_t>& seed,
                             std::initializer_list<Choice<Initializer>> initializers);

 protected:
  /// Chooses a seed unless one is given.
  void set_seed(const std::optional<int64_t>& seed);
  /// A config in Keras's order: the seed, then the other options.
  static Value::Dict seed_first(Value::Dict dict);

 private:
  int64_t seed_ = 0;
  bool described_ = false;  // chose its seed when it was made from a name or a config
};

}  // namespace cornu::initializers
