// Threads of the CPU kernels: how many there are, and loops split over an OpenMP team.
#include "parallel.h"

#include <omp.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "../error.h"

#if defined(__linux__)
#include <sched.h>
#endif

namespace cornu::backend {
namespace {

// Waking a team costs some microseconds; below this many scalar operations per thread it does not
// pay.
constexpr int64_t work_per_thread = cpu::least_parallel_work / 2;

int available_cores() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

// The processor time that a container grants, in cores; 0 when there is no such limit.
double core_quota() {
  std::string quota;
  double period = 0;
  if (std::ifstream file("/sys/fs/cgroup/cpu.max"); file >> quota >> period)
    return quota == "max" || period <= 0 ? 0 : std::atof(quota.c_str()) / period;
  std::ifstream quota_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream period_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double microseconds = 0;
  if (quota_file >> microseconds && period_file >> period && microseconds > 0 && period > 0)
    return microseconds / period;
  return 0;
}

int default_threads() {
  if (const char* text = std::getenv("OMP_NUM_THREADS")) {
    const int count = std::atoi(text);  // of a list like "4,2" the outer level
    if (count > 0) return count;
  }
  const int cores = available_cores();
  const double quota = core_quota();
  const int granted = quota > 0 ? std::min(cores, static_cast<int>(std::ceil(quota))) : cores;
  return std::max(granted, 1);
}

std::atomic<int>& thread_count() {
  static std::atomic<int> count{default_threads()};
  return count;
}

}  // namespace

void set_threads(int count) {
  if (count < 1)
    throw ValueError("set_threads: expected at least 1 thread, found " + std::to_string(count) +
                     ".");
  thread_count().store(count, std::memory_order_relaxed);
}

int threads() { return thread_count().load(std::memory_order_relaxed); }

namespace cpu {

int threads_for(int64_t work) {
  if (work < least_parallel_work) return 1;
  return static_cast<int>(std::min<int64_t>(threads(), work / work_per_thread));
}

namespace {

// When other processes want the cores as well, members of a team wait at its barrier, spinning, for
// one that does not get to run: whole time slices of the scheduler, so that a loop of microseconds
// takes tens of milliseconds. So teams that took far longer than their work could explain are
// halved, down to the caller alone, and larger ones are tried again from time to time. How a loop
// is split stays the same.
class Crowding {
 public:
  using Clock = std::chrono::steady_clock;

  /// Size of the next team, of at most `threads`.
  int team(int threads) const {
    const int halvings = halvings_.load(std::memory_order_relaxed);
    if (halvings == 0) return threads;
    const bool retry = now() >= retry_at_.load(std::memory_order_relaxed);
    return std::max(1, threads >> (retry ? halvings - 1 : halvings));
  }

  /// A team of `team` of `threads` has done `work` in `time` nanoseconds.
  void report(int team, int threads, int64_t work, int64_t time) {
    const bool slow = time > too_long + 2 * work;
    const int halvings = halvings_.load(std::memory_order_relaxed);
    if (!slow) {
      if (doubts_.load(std::memory_order_relaxed) != 0) doubts_.store(0, std::memory_order_relaxed);
      if (halvings == 0) return;
      if (team > std::max(1, threads >> halvings)) {  // larger, and all went well
        halvings_.store(halvings - 1, std::memory_order_relaxed);
        if (halvings == 1) pause_.store(first_pause, std::memory_order_relaxed);
      }
      return;
    }
    // Once may be chance: memory touched first, a file read.
    if (halvings == 0 && doubts_.fetch_add(1, std::memory_order_relaxed) == 0) return;
    const int64_t pause = pause_.load(std::memory_order_relaxed);
    if (team == std::max(1, threads >> halvings))
      halvings_.store(halvings + 1, std::memory_order_relaxed);
    pause_.store(std::min(2 * pause, longest_pause), std::memory_order_relaxed);
    retry_at_.store(now() + pause, std::memory_order_relaxed);
  }

  static int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
        .count();
  }

 private:
  static constexpr int64_t millisecond = 1000 * 1000;
  static constexpr int64_t too_long = 2 * millisecond;
  static constexpr int64_t first_pause = 50 * millisecond, longest_pause = 1600 * millisecond;

  std::atomic<int> halvings_{0}, doubts_{0};
  std::atomic<int64_t> pause_{first_pause}, retry_at_{0};
};

Crowding crowding;

}  // namespace

namespace detail {

void parallel(int64_t count, int64_t work, int threads, Body body, void* context) {
  const auto run = [&](int part) {
    const int64_t share = count / threads, extra = count % threads;
    const int64_t begin = part * share + std::min<int64_t>(part, extra);
    body(context, begin, begin + share + (part < extra ? 1 : 0), part);
  };
  const int wanted = crowding.team(threads);
  if (wanted == 1) {
    for (int part = 0; part < threads; ++part) run(part);
    return;
  }
  const int64_t start = Crowding::now();
  // Every part is run by some thread even when the team is smaller than asked for (inside another
  // parallel region, or under OMP_THREAD_LIMIT), so that the split is always the same.
#pragma omp parallel num_threads(wanted)
  {
    const int team = omp_get_num_threads(), member = omp_get_thread_num();
    for (int part = member; part < threads; part += team) run(part);
  }
  crowding.report(wanted, threads, work, Crowding::now() - start);
}

}  // namespace detail
}  // namespace cpu
}  // namespace cornu::backend
