// What a training step asks of a device: its plan on one that computes nothing, so that networks of
// any size are recorded at once, and on machines without a GPU.
#include <cornu/framework/compile/function.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>

#include "workloads.h"

namespace cornu::bench {
namespace {

// Memory that nobody touches costs nothing.
class IdleDevice final : public backend::Backend {
 public:
  const std::string& name() const override { return name_; }
  backend::Allocator& allocator() override { return backend::cpu_backend().allocator(); }
  backend::Fusions fusions() const override { return {.softmax_sums = true}; }  // as GPUs
  void run(const backend::Kernel&, std::span<const backend::Operand>,
           std::span<const backend::Operand>) override {}
  void copy_from_host(void*, const void*, size_t) override {}
  void copy_to_host(void* host, const void*, size_t bytes) override { std::memset(host, 0, bytes); }
  void copy(void*, const void*, size_t) override {}

 private:
  std::string name_ = "idle:0";
};

}  // namespace

void print_traffic(const std::string& workload, bool steps) {
  static IdleDevice device;  // tensors that outlive this function are on it
  set_default_device(Device(device));
  const Task task = make_task(workload, 1);
  const StepFunction eager = training_step(task);
  Function step([&](const Nest& batch) -> Nest {
    const std::vector<Tensor> x = batch.flatten();
    return eager(x[0], x[1]);
  });
  const Function::Profile profile = step.profile(std::vector<Tensor>{task.x, task.y}, 1);
  struct Sum {
    int64_t count = 0;
    double bytes = 0, flops = 0;
  };
  Sum all;
  std::map<std::string, Sum> kinds;
  for (const Function::Timing& each : profile.steps) {
    for (Sum* sum : {&all, &kinds[each.kernel]}) {
      ++sum->count;
      sum->bytes += each.bytes;
      sum->flops += each.flops;
    }
    if (steps)
      std::printf("%-12s %10.2f MB %10.3f GFLOP  %s\n", each.kernel.c_str(), each.bytes * 1e-6,
                  each.flops * 1e-9, each.where.c_str());
  }
  const auto line = [](const std::string& name, const Sum& sum) {
    std::printf("%-12s %6lld steps %12.1f MB %12.2f GFLOP\n", name.c_str(),
                static_cast<long long>(sum.count), sum.bytes * 1e-6, sum.flops * 1e-9);
  };
  for (const auto& [name, sum] : kinds) line(name, sum);
  line("all", all);
  std::printf("%-12s %12.1f MB besides variables, arguments and results\n", "memory",
              static_cast<double>(profile.arena_bytes) * 1e-6);
}

}  // namespace cornu::bench
