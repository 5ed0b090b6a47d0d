// A Python with Keras for tests: CORNU_PYTHON, or python3. Without one, they say so and pass.
#pragma once
#include <paths.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

namespace cornu::test {

inline std::string quote(const std::string& text) { return "'" + text + "'"; }

/// The Python's name, or "" when it has no Keras.
inline std::string keras_python() {
  const char* wanted = std::getenv("CORNU_PYTHON");
  const std::string python = wanted ? wanted : "python3";
  const std::string probe = quote(python) + " " +
                            quote(source_path("tests/support/check_keras.py")) +
                            " --probe >/dev/null 2>&1";
  if (std::system(probe.c_str()) == 0) return python;
  std::cout << "skipped, no Python with Keras (set CORNU_PYTHON to one).\n";
  return "";
}

/// Runs a script of tests/support; its output goes to `log`. Returns its status.
inline int run_script(const std::string& python, const std::string& script,
                      const std::string& arguments, const std::filesystem::path& log) {
  return std::system((quote(python) + " " + quote(source_path("tests/support/" + script)) + " " +
                      arguments + " >" + quote(log.string()) + " 2>&1")
                         .c_str());
}

}  // namespace cornu::test
