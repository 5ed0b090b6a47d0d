// Functions without a name inside of what is copied by its config: a file could not hold them, but
// a copy in the same program can share them.
#pragma once
#include <any>
#include <optional>

#include "../dispatch/value.h"

namespace cornu::detail {

/// While one lives, configs that this thread makes may hold functions without a name. Inside
/// another one it is that one.
class CopyScope {
 public:
  CopyScope();
  ~CopyScope();
  CopyScope(const CopyScope&) = delete;

 private:
  bool outermost_;
};

/// What a config holds in place of the function inside a CopyScope; nothing outside of one.
std::optional<Value> describe_copied(std::any function);
/// The function that the value stands for; empty for any other value, and outside of a CopyScope.
std::any copied_function(const Value& value);

}  // namespace cornu::detail
