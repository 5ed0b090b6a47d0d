// Running a program as a child process with limits of time and memory.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cornu::zoo {

struct Limits {
  std::chrono::seconds time{300};
  uint64_t memory = 8ull << 30;  ///< bytes of address space; 0 for no limit
};

/// Children that run at the same time, in the order in which they were started.
class Children {
 public:
  /// Starts `arguments[0]`; its output goes to the file `log`. Throws StateError.
  void start(const std::vector<std::string>& arguments, const std::filesystem::path& log,
             const Limits& limits, size_t tag);
  size_t size() const { return children_.size(); }

  struct Ended {
    size_t tag;
    std::string trouble;  ///< empty when the child ended by itself with status 0
  };
  /// Waits for the next child to end.
  Ended wait();

 private:
  struct Child {
    int id;
    size_t tag;
    std::chrono::steady_clock::time_point end;
    bool killed = false;
    std::chrono::seconds limit;
  };
  std::vector<Child> children_;
};

}  // namespace cornu::zoo
