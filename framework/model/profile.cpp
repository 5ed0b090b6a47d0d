// Model::profile: the steps of a plan, put back to the layers that asked for them.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>

#include "../compile/function.h"
#include "../io/atomic_file.h"
#include "../ops/elementwise.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/products.h"
#include "../ops/operators.h"
#include "model.h"
#include "standardize.h"

namespace cornu {
namespace {

double seconds_of(const std::function<void()>& f) {
  double best = 1e9;
  for (int i = 0; i < 4; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

// What this machine reaches with the threads at hand: a large matrix product, and a pass over
// memory.
struct Machine {
  double flops, bandwidth;

  static const Machine& here() {
    static const Machine machine = [] {
      const Tensor a = ops::ones({1024, 1024}), long_row = ops::ones({1 << 23});
      const double product = seconds_of([&] { ops::matmul(a, a); });
      const double pass = seconds_of([&] { ops::negative(long_row); });
      return Machine{2.0 * 1024 * 1024 * 1024 / product, 8.0 * (1 << 23) / pass};
    }();
    return machine;
  }
};

std::string bytes_text(double bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

// Free memory of the system, in bytes; 0 when it is not known.
double free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  double kilobytes = 0;
  while (file >> key >> kilobytes) {
    if (key == "MemAvailable:") return kilobytes * 1024;
    file.ignore(100, '\n');
  }
  return 0;
}

struct Row {
  double seconds = 0, flops = 0, bytes = 0;
  int steps = 0;
  void add(const Function::Timing& t) {
    seconds += t.seconds;
    flops += t.flops;
    bytes += t.bytes;
    ++steps;
  }
};

std::string line(const std::string& name, const Row& row, double total) {
  const Machine& machine = Machine::here();
  const double time = std::max(row.seconds, 1e-12);
  return fmt::format("{:<44} {:>5} {:>9.3f} {:>5.1f}% {:>9.2f} {:>5.0f}% {:>8.2f} {:>5.0f}%\n",
                     name.substr(0, 44), row.steps, row.seconds * 1e3, 100 * row.seconds / total,
                     row.flops / time / 1e9, 100 * row.flops / time / machine.flops,
                     row.bytes / time / 1e9, 100 * row.bytes / time / machine.bandwidth);
}

std::string table(const char* title, const std::map<std::string, Row>& rows, double total) {
  std::vector<std::pair<std::string, Row>> sorted(rows.begin(), rows.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.seconds > b.second.seconds;
  });
  std::string text = fmt::format("{:<44} {:>5} {:>9} {:>6} {:>9} {:>6} {:>8} {:>6}\n", title,
                                 "steps", "ms", "share", "GFLOP/s", "peak", "GB/s", "peak");
  for (const auto& [name, row] : sorted) text += line(name, row, total);
  return text + "\n";
}

void write_trace(const std::string& path, const Function::Profile& profile) {
  std::string text = "[\n";
  for (const Function::Timing& t : profile.steps)
    text += fmt::format(
        R"({}{{"name": "{}", "cat": "{}", "ph": "X", "pid": 1, "tid": 1, "ts": {:.3f}, "dur": {:.3f}, "args": {{"flops": {:.0f}, "bytes": {:.0f}}}}})",
        text.size() > 2 ? ",\n" : "", t.where.empty() ? t.kernel : t.where + ": " + t.kernel,
        t.kernel, t.start * 1e6, t.seconds * 1e6, t.flops, t.bytes);
  text += "\n]\n";
  io::write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace

std::string Model::profile(const Nest& x, const Nest& y, const ProfileOptions& options) {
  const bool train = options.train && !y.empty();
  if (train) require_compiled("profile");
  const Function::Profile profile =
      train ? train_function_->profile(Nest(Nest::List{x, y, Nest()}), options.repetitions)
            : predict_function_->profile(x, options.repetitions);
  std::map<std::string, Row> layers, kernels;
  Row all;
  for (const Function::Timing& t : profile.steps) {
    layers[t.where.empty() ? (train ? "(loss, metrics, optimizer)" : "(no layer)") : t.where].add(
        t);
    kernels[t.kernel].add(t);
    all.add(t);
  }
  const double total = std::max(all.seconds, 1e-12);
  const double batch = batch_size_of(x);
  std::string text = table("layer", layers, total) + table("kernel", kernels, total) +
                     line("whole step", all, total);
  text += fmt::format(
      "\nPeaks of this machine: {:.0f} GFLOP/s (matrix product), {:.1f} GB/s (one pass over "
      "memory)\n",
      Machine::here().flops / 1e9, Machine::here().bandwidth / 1e9);
  const double arena = static_cast<double>(profile.arena_bytes),
               variables = static_cast<double>(profile.variable_bytes);
  text += fmt::format("Memory: {} for variables, {} for a batch of {:.0f} ({} without planning)\n",
                      bytes_text(variables), bytes_text(arena), batch,
                      bytes_text(static_cast<double>(profile.unplanned_bytes)));
  if (const double free = free_memory(); free > 0 && arena > 0)
    text += fmt::format("About {:.0f} samples a batch would fit into the {} that are free\n",
                        free / (arena / batch), bytes_text(free));
  if (!options.trace.empty()) write_trace(options.trace, profile);
  return text;
}

}  // namespace cornu
