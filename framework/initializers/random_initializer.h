// What random initializers share: the seed.
#pragma once
#include <initializer_list>
#include <optional>

#include "../base/initializer.h"
#include "../config/config.h"

namespace cornu::initializers {

/// The seed of an initializer as an option: an integer, with which each call draws the same values;
/// std::nullopt, the default; or, as files may have it, Keras's description of a SeedGenerator,
/// with which each call draws other values.
class SeedOption : public std::optional<int64_t> {
 public:
  using std::optional<int64_t>::optional;
  SeedOption(const std::optional<int64_t>& seed) : std::optional<int64_t>(seed) {}  ///< the same
  /// From an integer, nothing, or {class_name: "SeedGenerator", config: {seed, name}}. Throws
  /// ValueError for anything else.
  static SeedOption from_config(const Value& config);
  /// What from_config takes; a SeedGenerator as it was described.
  Value get_config() const;
  /// Whether it describes a SeedGenerator, which begins with the number that this holds, if any.
  bool is_generator() const { return !generator_.is_null(); }

 private:
  Value generator_;  // as described; null for none
};

/// Base of random initializers. Every call of one object draws the same values, unless its seed is
/// a SeedGenerator; without a seed the object chooses one when it is made.
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
  void set_seed(const SeedOption& seed);
  /// What to draw with now: the seed, or the next key of a SeedGenerator.
  Seed draw_seed();
  /// A config in Keras's order: the seed, then the other options.
  static Value::Dict seed_first(Value::Dict dict);

 private:
  int64_t seed_ = 0;
  std::optional<SeedGenerator> generator_;  // instead of the seed
  bool described_ = false;  // chose its seed when it was made from a name or a config
};

}  // namespace cornu::initializers

namespace cornu::detail {
template <>
struct OptionCodec<initializers::SeedOption> {
  static Value encode(const initializers::SeedOption& seed) { return seed.get_config(); }
  static initializers::SeedOption decode(const Value& v) {
    return initializers::SeedOption::from_config(v);
  }
};
}  // namespace cornu::detail
