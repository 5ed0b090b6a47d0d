// What a build of Cornu says that lacks the library of a file format.
#pragma once
#include <string>

namespace cornu::io {

/// Throws UnsupportedError that names the library, its package and the file.
[[noreturn]] void throw_without(const std::string& format, const std::string& library,
                                const std::string& package, const std::string& source);

}  // namespace cornu::io
