// What Cornu says to its user besides errors: warnings, each once. Quiet otherwise.
#pragma once
#include <string>

namespace cornu {

/// Writes a warning through spdlog's logger "cornu" (standard error). A text that was said before
/// is not said again.
void warn_once(const std::string& text);

/// Whether warnings are written; they are, unless the environment has CORNU_LOG=off.
void show_warnings(bool show);

}  // namespace cornu
