// Drawings of confusions and of errors.
#pragma once
#include <cornu/framework/model/plot/svg.h>

#include <string>

#include "evaluation.h"

namespace cornu::cli {

/// The most classes that a drawing of a confusion has.
constexpr int64_t most_drawn_classes = 40;

/// A square for each pair of classes, darker the larger its fraction of the true class.
plot::Svg draw_confusion(const Confusion& confusion, const std::string& title);
/// A bar for each bin.
plot::Svg draw_errors(const Errors& errors, const std::string& title);

}  // namespace cornu::cli
