// Runs many small jobs in child processes, so that one that crashes, hangs or grows harms no other.
#pragma once
#include <cstddef>
#include <functional>
#include <string>

namespace cornu::conformance {

struct WorkerLimits {
  int workers = 2;
  double seconds = 10;             ///< of one job
  size_t bytes = size_t{2} << 30;  ///< of memory that a process may hold
  int jobs_per_process = 64;       ///< after which a fresh process goes on
};

/// Runs `job(i)` for each i below `count` and gives what it returned to `done(i, text)`, in any
/// order. A job that ends its process gets a text that says how. Nothing else may use threads while
/// processes are forked.
void run_jobs(size_t count, const std::function<std::string(size_t)>& job,
              const std::function<void(size_t, const std::string&)>& done,
              const WorkerLimits& limits);

}  // namespace cornu::conformance
