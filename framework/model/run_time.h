// RunTime and StepClock: where the time of a training run goes.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

namespace cornu {

/// Seconds that parts of a run took. When steps are shorter than 50 microseconds, the first three
/// are estimated from some of them.
struct RunTime {
  double data = 0;        ///< waiting for batches
  double step = 0;        ///< training steps
  double callbacks = 0;   ///< hooks of callbacks, and backups
  double validation = 0;  ///< validations
  double total = 0;       ///< the whole call of fit
};

/// The parts that are worth a reader's time, such as " - data 38%": data and callbacks when they
/// take at least a tenth of the sum of all parts. Empty when there is none.
std::string slow_parts(const RunTime& time);

/// Seconds since it was made.
class Stopwatch {
 public:
  /// Since the construction.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Measures the parts of steps: begin() before each, lap(part) behind each part. The clock is left
/// alone in most steps that are shorter than it is worth to look at it.
class StepClock {
 public:
  /// Begins a step.
  void begin() {
    measures_ = --skip_ < 0;
    if (!measures_) return;
    weight_ = next_weight_;
    first_ = last_ = Clock::now();
  }
  /// Adds the time since the last call to `part`.
  void lap(double& part) {
    if (measures_) add(part);
  }
  /// Ends a step.
  void end() {
    if (measures_) plan();
  }

 private:
  using Clock = std::chrono::steady_clock;
  void add(double& part) {
    const Clock::time_point now = Clock::now();
    part += static_cast<double>(weight_) * std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  void plan() {
    const double seconds = std::chrono::duration<double>(last_ - first_).count();
    next_weight_ = std::clamp<int64_t>(static_cast<int64_t>(worth_ / (seconds + 1e-9)), 1, 64);
    skip_ = next_weight_ - 1;
  }

  static constexpr double worth_ = 50e-6;  // seconds of work between two measured steps
  bool measures_ = false;
  int64_t skip_ = 0;
  int64_t weight_ = 1, next_weight_ = 1;
  Clock::time_point first_, last_;
};

}  // namespace cornu
