// Where tests find the files that come with the sources.
#pragma once
#include <string>

namespace cornu::test {

/// The absolute path of a file in the source tree: source_path("tests/data/dense.h5").
std::string source_path(const std::string& relative);

}  // namespace cornu::test
