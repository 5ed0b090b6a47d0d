// Trial runs against the clock.
#include "measuring.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "../error.h"
#include "trial_choices.h"

namespace cornu::backend::cuda {
namespace {

constexpr size_t most_bytes = size_t{1} << 30;

}  // namespace

bool may_measure() {
  static const bool may = [] {
    const char* text = std::getenv("CORNU_CUDA_MEASURE");
    return text == nullptr || std::string(text) != "0";
  }();
  return may;
}

TrialOperands::TrialOperands(Context& context, std::span<const Operand> inputs,
                             std::span<const Operand> outputs)
    : context_(context) {
  size_t all = 0;
  for (const auto& list : {inputs, outputs})
    for (const Operand& operand : list) all += operand.bytes();
  if (all > most_bytes) return;
  try {
    for (const auto& list : {inputs, outputs})
      for (const Operand& operand : list) {
        const size_t bytes = operand.bytes();
        bytes_.push_back(bytes);
        addresses_.push_back(bytes == 0 ? nullptr : context.allocator().allocate(bytes));
      }
  } catch (const MemoryError&) {
    release();
  }
}

TrialOperands::~TrialOperands() { release(); }

void TrialOperands::release() {
  for (size_t i = 0; i < addresses_.size(); ++i)
    if (addresses_[i] != nullptr) context_.allocator().deallocate(addresses_[i], bytes_[i]);
  addresses_.clear();
}

namespace {

// One way to run a kernel, while it is tried.
class Way {
 public:
  Way(Context& context, const Driver& driver, std::function<bool()> launch)
      : context_(context), driver_(driver), launch_(std::move(launch)) {}

  // The seconds of one launch on the device, or nothing where it cannot be launched.
  std::optional<double> seconds() {
    constexpr double wanted = 4e-4;  // of a measurement: the wait for the device is a tenth of it
    constexpr int rounds = 2, least = 2, most = 16;
    // The first launch loads the kernel.
    if (!time(1, nullptr)) return std::nullopt;
    const std::optional<double> once = time(1, nullptr);
    if (!once) return std::nullopt;
    const int repeats = std::clamp(static_cast<int>(wanted / *once), least, most);
    const std::unique_ptr<Executable> graph = capture(repeats);
    std::optional<double> best;
    for (int round = 0; round < rounds; ++round) {
      const std::optional<double> took = time(repeats, graph.get());
      if (took && (!best || *took < *best)) best = took;
    }
    return best;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void wait() const {
    driver_.check(driver_.stream_synchronize(context_.stream()), "a trial of kernels");
  }
  std::optional<double> time(int repeats, Executable* graph) {
    wait();
    const Clock::time_point start = Clock::now();
    bool launched = true;
    if (graph != nullptr)
      graph->run(nullptr);
    else
      for (int i = 0; i < repeats && launched; ++i) launched = launch_();
    wait();
    if (!launched) return std::nullopt;
    return std::chrono::duration<double>(Clock::now() - start).count() / repeats;
  }
  std::unique_ptr<Executable> capture(int repeats) {
    try {
      bool launched = true;
      auto graph = context_.capture([&] {
        for (int i = 0; i < repeats && launched; ++i) launched = launch_();
      });
      return launched ? std::move(graph) : nullptr;
    } catch (const StateError&) {  // it is timed as it is
      return nullptr;
    } catch (const MemoryError&) {
      return nullptr;
    }
  }

  Context& context_;
  const Driver& driver_;
  std::function<bool()> launch_;
};

}  // namespace

TrialResult fastest(Context& context, size_t count, const std::function<bool(size_t)>& launch,
                    const Driver& driver) {
  TrialResult result;
  std::optional<double> least;
  for (size_t i = 0; i < count; ++i) {
    try {
      const auto seconds = Way(context, driver, [&] { return launch(i); }).seconds();
      if (!seconds || (least && *seconds >= 0.97 * *least)) continue;
      result.best = i;
      least = seconds;
    } catch (const MemoryError&) {
      result.certain = false;
    }
  }
  result.certain = result.certain && least.has_value();
  return result;
}

size_t fastest(const std::string& key, Context& context, size_t count,
               const std::function<bool(size_t)>& launch) {
  if (count < 2) return 0;
  int driver = 0;
  Driver::get().version(&driver);
  const std::string all = context.model() + "\ndriver " + std::to_string(driver) + "\n" + key;
  const TrialChoices& choices = context.part<TrialChoices>();
  if (const auto known = choices.find(all, count)) return *known;
  const TrialResult found = fastest(context, count, launch);
  return found.certain ? choices.keep(all, count, found.best) : found.best;
}

}  // namespace cornu::backend::cuda
