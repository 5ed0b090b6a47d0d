// Graphs of launches: what is launched once by many calls is launched again by one.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "../error.h"
#include "device.h"
#include "settings.h"

namespace cornu::backend::cuda {

class Device::Graph final : public Executable {
 public:
  Graph(Device& device, CUgraph_st* graph, std::shared_ptr<void> reserve,
        std::vector<std::shared_ptr<void>> kept)
      : device_(device), reserve_(std::move(reserve)), kept_(std::move(kept)) {
    device.driver().check(device.driver().graph_instantiate(&handle_, graph, 0),
                          "making a graph of launches");
  }
  ~Graph() override {
    const Session session(device_, std::nothrow);
    device_.driver().graph_exec_destroy(handle_);
    // After the graph, whose launches use what is kept, and before the reserve, where its memory
    // is.
    kept_.clear();
    reserve_.reset();
  }

  void run(void* const*) override {
    const Session session(device_);
    device_.refuse_capture("graphs of launches");
    device_.driver().check(device_.driver().graph_launch(handle_, device_.compute_.handle()),
                           "the launch of a graph");
    device_.count_work();
    device_.add_milestone();
  }

 private:
  Device& device_;
  CUgraphExec_st* handle_ = nullptr;
  std::shared_ptr<void> reserve_;
  std::vector<std::shared_ptr<void>> kept_;
};

std::unique_ptr<Executable> Device::capture(const std::function<void()>& work) {
  early_used_ = false;
  try {
    return capture_once(work);
  } catch (const StateError&) {
    // Some drivers take early kernels, but not in graphs.
    if (!early_used_) throw;
    early_refused_ = true;
  }
  return capture_once(work);
}

std::unique_ptr<Executable> Device::capture_once(const std::function<void()>& work) {
  refuse_capture("captures");
  constexpr int relaxed = 2;  // kernels may be compiled and memory taken meanwhile
  // Memory that the captured launches use must not be handed to others between two runs of the
  // graph.
  allocator_.begin_reserve();
  {
    const std::lock_guard lock(capture_mutex_);
    capturing_ = true;
  }
  int result = driver().capture_begin(compute_.handle(), relaxed);
  if (result != 0) {
    capturing_ = false;
    allocator_.end_reserve();
  }
  driver().check(result, "the begin of a capture");
  const auto end = [this](CUgraph_st*& graph) {
    end_branches();
    const int result = driver().capture_end(compute_.handle(), &graph);
    capturing_ = false;
    return result;
  };
  CUgraph_st* graph = nullptr;
  try {
    begin_branches();
    work();
    if (branches_ && !branches_->valid())
      throw StateError(name_ + ": the driver does not order the launches of a graph.");
  } catch (...) {
    // A stream that is left in capture mode refuses all later work.
    end(graph);
    if (graph) driver().graph_destroy(graph);
    allocator_.end_reserve();
    captured_.clear();
    throw;
  }
  result = end(graph);
  std::shared_ptr<void> reserve = allocator_.end_reserve();
  std::vector<std::shared_ptr<void>> kept = std::exchange(captured_, {});
  driver().check(result, "the capture of a graph");
  const std::unique_ptr<CUgraph_st, int (*)(CUgraph_st*)> owner(graph, driver().graph_destroy);
  return std::make_unique<Graph>(*this, graph, std::move(reserve), std::move(kept));
}

// Programmatic dependent launch: a kernel of a graph is put in place while the one before it ends,
// and waits there by an instruction that only some devices have; see begin_kernel in prelude.cpp.
bool Device::may_begin_early() {
  if (!capturing_ || early_refused_ || !early_kernels() || facts_.architecture < 90) return false;
  const Driver& d = driver();
  if (!d.launch_with || !d.node_type || !d.capture_info) return false;
  int status = 0, type = -1;
  unsigned long long id = 0;
  CUgraph_st* graph = nullptr;
  CUgraphNode_st* const* nodes = nullptr;
  size_t count = 0;
  if (d.capture_info(compute_.handle(), &status, &id, &graph, &nodes, &count) != 0 || count == 0)
    return false;
  const bool kernels = std::all_of(nodes, nodes + count, [&](CUgraphNode_st* node) {
    return d.node_type(node, &type) == 0 && type == graph_node_is_kernel;
  });
  early_used_ |= kernels;
  return kernels;
}

void Device::begin_branches() {
  captured_by_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  if (!branches() || !Branches::supported(driver())) return;
  branches_.emplace(driver(), compute_.handle());
  step_scratch_ = std::make_shared<StepScratch>(allocator_);
  keep_for_graph(step_scratch_);
}

void Device::end_branches() {
  branches_.reset();
  step_scratch_.reset();
  captured_by_.store({}, std::memory_order_relaxed);
}

void Device::begin_step(std::span<const MemoryRange> reads, std::span<const MemoryRange> writes) {
  if (!branches_) return;
  branches_->begin_step(reads, writes);
  step_scratch_->begin_step();
}

void Device::keep_for_graph(const std::shared_ptr<void>& what) {
  if (capturing_ && std::find(captured_.begin(), captured_.end(), what) == captured_.end())
    captured_.push_back(what);
}

void Device::refuse_capture(const char* what) const {
  if (capturing_)
    throw StateError(fmt::format(
        "{}: expected only work of the device while a graph is captured, found {}. Do that before "
        "or after the capture.",
        name_, what));
}

}  // namespace cornu::backend::cuda
