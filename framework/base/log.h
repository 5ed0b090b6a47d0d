// What Cornu says to its user besides errors: warnings, each once. Quiet otherwise.
#pragma once
#include <string>

namespace cornu {

/// Writes a warning through spdlog's logger "cornu" (standard error). A text that was said before is not said again.
/// Silence them with `spdlog::get("cornu")->set_level(spdlog::level::off)` or the environment's CORNU_LOG=off.
void warn_once(const std::string& text);

}  // namespace cornu
