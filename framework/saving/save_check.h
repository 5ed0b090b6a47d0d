// The end of a save: whether what was written can be read.
#pragma once
#include <functional>

#include "../model/model.h"

namespace cornu::saving {

/// Runs `load`, which makes the model that was written again and looks for its weights in the file.
/// The copy has no memory for weights of its own, its state is that of a model that is loaded, and
/// it is thrown away. Throws StateError that says why the model cannot be loaded.
void check_loads(const Model& model, const std::function<void()>& load);

}  // namespace cornu::saving
