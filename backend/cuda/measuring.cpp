// Trial runs against the clock.
#include "measuring.h"

#include <chrono>
#include <cstdlib>
#include <string>

#include "../error.h"

namespace cornu::backend::cuda {
namespace {

constexpr size_t most_bytes = size_t{1} << 30;

size_t bytes_of(const Operand& operand) {
  return static_cast<size_t>(operand.shape->numel()) * size_of(operand.dtype);
}

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
    for (const Operand& operand : list) all += bytes_of(operand);
  if (all > most_bytes) return;
  try {
    for (const auto& list : {inputs, outputs})
      for (const Operand& operand : list) {
        const size_t bytes = bytes_of(operand);
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

size_t fastest(Context& context, size_t count, const std::function<bool(size_t)>& launch,
               const Driver& driver) {
  using Clock = std::chrono::steady_clock;
  constexpr int rounds = 3, repeats = 4;  // the first round loads the kernel
  const auto wait = [&] {
    driver.check(driver.stream_synchronize(context.stream()), "a trial of kernels");
  };
  size_t best = 0;
  double best_seconds = 0;
  for (size_t i = 0; i < count; ++i) {
    double seconds = 0;
    bool launched = true;
    for (int round = 0; round < rounds && launched; ++round) {
      wait();
      const Clock::time_point start = Clock::now();
      for (int r = 0; r < repeats && launched; ++r) launched = launch(i);
      wait();
      const double took = std::chrono::duration<double>(Clock::now() - start).count();
      if (round == 1 || (round > 1 && took < seconds)) seconds = took;
    }
    if (launched && (best_seconds == 0 || seconds < 0.97 * best_seconds)) {
      best = i;
      best_seconds = seconds;
    }
  }
  return best;
}

}  // namespace cornu::backend::cuda
