// What a build of Cornu says that lacks an optional library.
#pragma once
#include <string>

namespace cornu::io {

/// Throws UnsupportedError that names what needs the library ("JPEG files"), its package and the
/// file.
[[noreturn]] void throw_without(const std::string& what, const std::string& library,
                                const std::string& package, const std::string& source);

}  // namespace cornu::io
