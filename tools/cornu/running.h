// What the commands that run a model have in common.
#pragma once
#include <string>

#include "commands.h"

namespace cornu::cli {

/// Sets the device and the number of threads. Throws ValueError with the devices that there are.
void use_machine(const RunOptions& options);

}  // namespace cornu::cli
