// The text of an error.
#pragma once
#include <exception>
#include <string>
#include <utility>

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

}  // namespace cornu::test
