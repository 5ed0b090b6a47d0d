// A Python with Keras for tests: CORNU_PYTHON, or python3. Without one, they say so and pass.
#pragma once
#include <paths.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

namespace cornu::test {

inline std::string quote(const std::string& text) { return "'" + text + "'"; }

/// CORNU_PYTHON, or python3, if `script` of tests/support can be used with it; else "", and says
/// that it lacks `what`.
inline std::string python_for(const char* script, const char* what) {
  const char* wanted = std::getenv("CORNU_PYTHON");
  const std::string python = wanted ? wanted : "python3";
  const std::string probe = quote(python) + " " +
                            quote(source_path(std::string("tests/support/") + script)) +
                            " --probe >/dev/null 2>&1";
  if (std::system(probe.c_str()) == 0) return python;
  std::cout << "skipped, no Python with " << what << " (set CORNU_PYTHON to one).\n";
  return "";
}

/// The Python's name, or "" when it has no Keras.
inline std::string keras_python() { return python_for("check_keras.py", "Keras"); }

/// The same with Keras on TensorFlow, and TensorBoard.
inline std::string tensorboard_python() {
  return python_for("check_tensorboard.py", "Keras, TensorFlow and TensorBoard");
}

/// Runs a script of tests/support; its output goes to `log`. Returns its status.
inline int run_script(const std::string& python, const std::string& script,
                      const std::string& arguments, const std::filesystem::path& log) {
  return std::system((quote(python) + " " + quote(source_path("tests/support/" + script)) + " " +
                      arguments + " >" + quote(log.string()) + " 2>&1")
                         .c_str());
}

}  // namespace cornu::test
