// A CUDA driver made of host functions: memory is the host's, streams are queues that run when
// somebody waits for them, launches are recorded.
#pragma once
#include <cornu/backend/cuda/codegen/kernel_plan.h>
#include <cornu/backend/cuda/driver.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cornu::backend::testing {

/// One at a time in a process. Whatever uses it must be gone before it is. Calls as a device's lock
/// orders them; a thread may wait for an event beside them.
class FakeDriver {
 public:
  FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  ~FakeDriver();

  cuda::Driver& table() { return table_; }

  /// What a launch of the function `name` does with its argument block, which is copied at the
  /// launch. The compiled image of a kernel is its name.
  struct Kernel {
    size_t words = 0;
    std::function<void(const std::vector<uint64_t>& block)> run;
  };
  std::map<std::string, Kernel> kernels;
  struct Launch {
    std::string name;
    unsigned grid_x, grid_y, threads;
    std::vector<uint64_t> block;
    bool early;  // before what it follows has ended
  };
  std::vector<Launch> launches;

  /// What was put on streams, and what has run, in order: "copy_in", "copy_within", "copy_across",
  /// "wait" (for an event), a kernel's name, "graph", "work" (see enqueue).
  struct Step {
    std::string what;
    CUstream_st* stream;
  };
  std::vector<Step> put, ran;

  /// Of the graph that was made last, by the order of its launches: what each waits for. Graphs run
  /// in an order that these allow and that differs most from that of the launches.
  std::vector<std::set<size_t>> edges;

  /// How often each function was called: "memory_allocate", "copy_in", ...
  std::map<std::string, int> calls;
  /// Results that calls of a function give instead of doing anything.
  std::map<std::string, int> faults;
  size_t capacity = size_t{256} << 20;  ///< of the device's memory
  size_t allocated() const;
  int devices = 1;
  std::map<int, int> architectures;     ///< of devices; 90 where none is named
  int double_ratio = 2;                 ///< of all devices, see DeviceFacts
  std::set<std::pair<int, int>> reach;  ///< devices, and whose memory they can use
  bool damages = false;                 ///< whether copies between devices do not arrive whole
  /// How often memory was given back while work waited, which may use it. (Real drivers may wait.)
  int early_frees = 0;

  /// Runs what is on one stream, and what that waits for.
  void run(CUstream_st* stream);
  /// Runs all that was launched.
  void run_all();
  /// Puts work on a stream, as a library would.
  void enqueue(CUstream_st* stream, std::function<void()> work);
  /// Objects that were made and not destroyed: streams, events, modules, graphs, pinned blocks.
  int objects() const;

 private:
  struct State;
  friend struct Calls;
  std::unique_ptr<State> state_;
  cuda::Driver table_;
};

}  // namespace cornu::backend::testing
