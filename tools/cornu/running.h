// What the commands that run a model have in common.
#pragma once
#include <string>

#include "commands.h"

namespace cornu::cli {

/// Sets the device and the number of threads. Throws ValueError with the devices that there are.
void use_machine(const RunOptions& options);
/// "850 ms", "12.3 s", "5 min 10 s", "2 h 5 min".
std::string duration_text(double seconds);

}  // namespace cornu::cli
