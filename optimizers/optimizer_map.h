// OptimizerMap: which variables go to which optimizer.
#pragma once
#include "../framework/base/optimizer.h"

namespace cornu::optimizers {

/// Optimizers by paths of variables, in order.
class OptimizersByPath : public std::vector<std::pair<std::string, Choice<Optimizer>>> {
 public:
  using vector::vector;
};

/// Options of OptimizerMap.
struct OptimizerMapConfig {
  Required<Choice<Optimizer>> default_optimizer;  ///< of variables that no key matches
  /// Paths, or regular expressions that match whole paths.
  OptimizersByPath optimizer_map = {};
};

/// The optimizer of a variable by its path: `OptimizerMap({.default_optimizer = "sgd",
/// .optimizer_map = {{"encoder/.*", "adam"}}})`.
class PathMap : public Configured<PathMap, OptimizerMapConfig, Configurable> {
 public:
  static constexpr const char* module = "keras.optimizers";  ///< where names are looked up

  /// Throws ValueError for a malformed expression, an empty optimizer, or a key that occurs twice.
  explicit PathMap(OptimizerMapConfig c);
  /// The optimizer whose key is the path; else the one whose expression matches it; else the
  /// default. Throws ValueError when several match.
  const std::shared_ptr<Optimizer>& find(const std::string& path) const;
};

using OptimizerMap = Ref<PathMap>;  ///< a shared PathMap, made from its options

}  // namespace cornu::optimizers

namespace cornu::detail {
template <>
struct OptionCodec<optimizers::OptimizersByPath> {
  static Value encode(const optimizers::OptimizersByPath& v);
  static optimizers::OptimizersByPath decode(const Value& v);
};
}  // namespace cornu::detail

namespace cornu {
extern template class Configured<optimizers::PathMap, optimizers::OptimizerMapConfig, Configurable>;
}
