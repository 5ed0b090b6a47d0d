// What measurements share: clocks, repetitions, memory, and lines of JSON.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace cornu::bench {

double now_seconds();
/// Seconds since the system started this process: to a hundredth of a second, or exactly where the
/// variable CORNU_BENCH_START says when that was (CLOCK_BOOTTIME).
double process_age();
/// Resident memory in MB (10^6 bytes), now and at its largest.
double resident_mb();
double peak_resident_mb();

/// How often and how long to measure.
struct Effort {
  int reps = 5;        ///< at most, and three at least
  double seconds = 8;  ///< after which no further repetition starts
};

/// Waits until the default device has done what it was asked for: a GPU's calls return before.
void wait_for_device();

/// Seconds of one call of `f` in each repetition, which makes `inner` calls and waits for the
/// device at its end. What is to be a latency has to wait in `f`.
std::vector<double> repeat(const std::function<void()>& f, const Effort& effort, int64_t inner = 1);
/// The same with as many calls in a repetition as take half a second, after a warm-up.
std::vector<double> calibrated(const std::function<void()>& f, const Effort& effort);

/// Prints measurements, one JSON object a line: {workload, peer, mode, metric, value, unit, min,
/// median, reps, batch, version}. `min` and `median` are seconds for one unit of work (a training
/// step, a call); the value follows from `min`.
class Report {
 public:
  Report(std::string workload, std::string mode, int64_t batch);

  /// `amount` samples (or tokens) were done in each of these times.
  void rate(const std::string& metric, std::vector<double> times, double amount,
            const std::string& unit);
  /// Times as they are; unit "s", "ms" or "us".
  void latency(const std::string& metric, std::vector<double> times, const std::string& unit);
  void value(const std::string& metric, double value, const std::string& unit);
  /// What one unit of work costs, for the rates and latencies that follow; they tell GFLOP/s.
  void set_work(double flops, double bytes);
  void set_batch(int64_t batch) { batch_ = batch; }

  /// Call it right after the first trained step, or the first result, for which it waits; later
  /// calls do nothing.
  void first_step();
  /// time_to_first_step, if there was one, and peak_rss.
  void finish();

 private:
  void line(const std::string& metric, double value, const std::string& unit,
            std::vector<double> times);

  std::string workload_, mode_;
  int64_t batch_;
  double first_ = -1, flops_ = 0, bytes_ = 0;
};

}  // namespace cornu::bench
