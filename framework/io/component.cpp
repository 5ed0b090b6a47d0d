// The error of a build that lacks a library.
#include "component.h"

#include <fmt/core.h>

#include "../../backend/error.h"

namespace cornu::io {

void throw_without(const std::string& format, const std::string& library,
                   const std::string& package, const std::string& source) {
  throw UnsupportedError(fmt::format(
      "{}{} files need {}, which Cornu was built without. Install it (on Debian and Ubuntu: "
      "apt-get install {}) and build Cornu again.",
      source.empty() ? "" : fmt::format("'{}': ", source), format, library, package));
}

}  // namespace cornu::io
