// Batching rules: a function of one element, done for all elements at once.
#pragma once
#include <functional>
#include <optional>

#include "../tensor/nest.h"

namespace cornu::ops::control {

/// f of each slice of xs along the first axis, stacked, where every kernel of `f` is done once for
/// all `count` slices. Empty, with nothing done, when one cannot be, `f` assigns variables or looks
/// at values. Only while a function is recorded, and under no tape.
std::optional<Nest> batched(const std::function<Nest(const Nest&)>& f, const Nest& xs,
                            int64_t count);

}  // namespace cornu::ops::control
