// How many threads one caller's kernels use, where set_threads speaks for all.
#pragma once

namespace cornu::backend {

/// The number of threads for CPU kernels that the calling thread runs, until the end of the scope.
/// Scopes nest; threads that the caller starts do not inherit it. A server that gives each of its
/// threads `ThreadScope one(1);` has requests share the cores; without it all callers share one
/// pool of threads, which never holds more than the largest number that was asked for. No result
/// depends on the number.
class ThreadScope {
 public:
  /// Throws ValueError below 1.
  explicit ThreadScope(int count);
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;
  ~ThreadScope();

 private:
  int before_;
};

}  // namespace cornu::backend
