// Threads of the CPU kernels: how many there are, and loops split over an OpenMP team.
#include "parallel.h"

#include <omp.h>

#include <atomic>
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
constexpr int64_t work_per_thread = 32 * 1024;

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
  if (work < 2 * work_per_thread) return 1;
  return static_cast<int>(std::min<int64_t>(threads(), work / work_per_thread));
}

namespace detail {

void parallel(int64_t count, int threads, Body body, void* context) {
  // Every part is run by some thread even when the team is smaller than asked for (inside another
  // parallel region, or under OMP_THREAD_LIMIT), so that the split is always the same.
#pragma omp parallel num_threads(threads)
  {
    const int team = omp_get_num_threads();
    for (int part = omp_get_thread_num(); part < threads; part += team) {
      const int64_t share = count / threads, extra = count % threads;
      const int64_t begin = part * share + std::min<int64_t>(part, extra);
      body(context, begin, begin + share + (part < extra ? 1 : 0), part);
    }
  }
}

}  // namespace detail
}  // namespace cpu
}  // namespace cornu::backend
