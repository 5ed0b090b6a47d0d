// The text of an error, and what it has in it.
#pragma once
#include <exception>
#include <string>
#include <utility>

#include "../catch.h"

namespace cornu::test {

/// The message of the error that `f` throws, or "no error".
template <class F>
std::string error_of(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

/// Whether `text` has `part` in it; the text goes into the report of a failed check.
inline bool has(const std::string& text, const std::string& part) {
  UNSCOPED_INFO("looking for '" << part << "' in: " << text);
  return text.find(part) != std::string::npos;
}

}  // namespace cornu::test
