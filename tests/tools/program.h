// Runs the program cornu, which the build puts beside the tests; and files for it.
#pragma once
#include <catch.h>
#include <cornu/framework/io/npy.h>
#include <cornu/framework/tensor/tensor.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace cornu::test {

struct Outcome {
  int status = -1;
  std::string text;  // standard output and errors together
};

inline bool has(const Outcome& outcome, const std::string& part) {
  return outcome.text.find(part) != std::string::npos;
}

inline std::filesystem::path program() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cornu";
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

inline Outcome run(const std::string& arguments) {
  REQUIRE(std::filesystem::exists(program()));
  return run_shell("'" + program().string() + "' " + arguments);
}

// A folder of its own, removed at the end.
struct Folder {
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cornu-test-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::filesystem::path path;
};

inline saving::NpyArray array(const std::string& name, const Tensor& tensor) {
  saving::NpyArray result{name, tensor.dtype(), tensor.shape(),
                          std::vector<std::byte>(tensor.bytes())};
  std::memcpy(result.data.data(), tensor.host_data(), result.data.size());
  return result;
}

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace cornu::test
