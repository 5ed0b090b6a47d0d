// Matchers that read alike in version 2 and 3 of Catch2.
#pragma once
#include <string>

#include "catch.h"

namespace cornu::test {

/// Matches text with `part` in it.
inline auto contains(const std::string& part) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Contains(part);
#endif
}

}  // namespace cornu::test
