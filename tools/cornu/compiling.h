// What a model is trained and evaluated with: the file's own, or what the command line says.
#pragma once
#include <cornu/framework/model/model.h>

#include <string>
#include <vector>

#include "commands.h"

namespace cornu::cli {

/// Freezes the layers in whose paths ("base/conv1") one of the regular expressions is found; the
/// number of parameters that are left to train. Throws UsageError when an expression is malformed,
/// finds none or leaves nothing.
int64_t freeze(Model& model, const std::vector<std::string>& patterns);

/// Compiles the model with the changes; what they leave out stays as the file has it, the
/// optimizer's state too, unless `fresh_optimizer`. A single loss or metric is for all outputs.
/// Throws UsageError without any loss, for unknown names, and for more or fewer losses and metrics
/// than outputs. `file` is the model's, for messages.
void compile_with(Model& model, const CompileChanges& changes, bool fresh_optimizer,
                  const std::string& file);

/// The names of the figures of training the compiled model on targets `y`, without those of
/// validation. Empty for a model that the first batch builds: only that tells.
std::vector<std::string> figure_names(Model& model, const Nest& y);

}  // namespace cornu::cli
