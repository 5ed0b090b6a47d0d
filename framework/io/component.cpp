// The error of a build that lacks a library.
#include "component.h"

#include <fmt/core.h>

#include "../../backend/error.h"

namespace cornu::io {

void throw_without(const std::string& what, const std::string& library, const std::string& package,
                   const std::string& source) {
  throw UnsupportedError(
      fmt::format("{}{} need {}, which Cornu was built without. Install it (on Debian and Ubuntu: "
                  "apt-get install {}) and build Cornu again.",
                  source.empty() ? "" : fmt::format("'{}': ", source), what, library, package));
}

}  // namespace cornu::io
