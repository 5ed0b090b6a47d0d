// Runs the programs that the build puts beside the tests; and files for them.
#pragma once
#include <catch.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "../support/temporary.h"

namespace cornu::test {

struct Outcome {
  int status = -1;
  std::string text;  // standard output and errors together
};

inline bool has(const Outcome& outcome, const std::string& part) {
  return outcome.text.find(part) != std::string::npos;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A program that the build puts beside the tests.
inline std::filesystem::path program(const std::string& name = "cornu") {
  const std::filesystem::path path =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  REQUIRE(std::filesystem::exists(path));
  return path;
}

// A command of the shell, and all that it prints.
inline Outcome run_shell(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  Outcome outcome;
  char buffer[4096];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, pipe))
    outcome.text.append(buffer, count);
  const int status = ::pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  UNSCOPED_INFO(command << "\n" << outcome.text);
  return outcome;
}

inline Outcome run(const std::string& arguments, const std::string& name = "cornu") {
  return run_shell("'" + program(name).string() + "' " + arguments);
}

inline Outcome run_in(const std::filesystem::path& folder, const std::string& arguments) {
  return run_shell("cd '" + folder.string() + "' && '" + program().string() + "' " + arguments);
}

// A folder whose paths are strings, as arguments of a command are.
struct Folder : TemporaryFolder {
  std::string operator/(const std::string& name) const {
    return TemporaryFolder::operator/(name).string();
  }
};

}  // namespace cornu::test
