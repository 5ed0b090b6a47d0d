// What is written to standard error.
#pragma once
#include <unistd.h>

#include <cstdio>
#include <string>

namespace cornu::test {

// What f writes to standard error.
template <class F>
std::string standard_error_of(F f) {
  std::FILE* file = std::tmpfile();
  std::fflush(stderr);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(::fileno(file), STDERR_FILENO);
  f();
  std::fflush(stderr);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  std::string text;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

}  // namespace cornu::test
