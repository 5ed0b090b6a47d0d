// Seeds of initializers.
#include "random_initializer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "../config/description_scope.h"
#include "../ops/operators.h"
#include "../ops/random/seed.h"

namespace cornu::initializers {

SeedOption SeedOption::from_config(const Value& config) {
  if (!config.is<Value::Dict>()) return detail::OptionCodec<std::optional<int64_t>>::decode(config);
  const auto& dict = config.get<Value::Dict>();
  const Value* kind = detail::find(dict, "class_name");
  const Value* options = detail::find(dict, "config");
  if (!kind || !kind->is<std::string>() || kind->get<std::string>() != "SeedGenerator" ||
      !options || !options->is<Value::Dict>())
    throw ValueError(
        "expected an integer, or a SeedGenerator with class_name and config, found " +
        (kind && kind->is<std::string>() ? "'" + kind->get<std::string>() + "'" : config.kind()));
  const Value* number = detail::find(options->get<Value::Dict>(), "seed");
  SeedOption seed = detail::OptionCodec<std::optional<int64_t>>::decode(number ? *number : Value());
  seed.generator_ = config;
  return seed;
}

Value SeedOption::get_config() const {
  if (is_generator()) return generator_;
  return *this ? Value(**this) : Value();
}

void RandomInitializer::set_seed(const SeedOption& seed) {
  seed_ = seed ? *seed : random::default_seed();
  if (seed.is_generator()) generator_.emplace(seed_);
  described_ = !seed && !generator_ && detail::making_from_description();
}

Seed RandomInitializer::draw_seed() { return generator_ ? Seed(*generator_) : Seed(seed_); }

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
