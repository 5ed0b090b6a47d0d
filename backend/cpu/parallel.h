// Splits loops over the threads that CPU kernels may use.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "../backend.h"

namespace cornu::backend::cpu {

/// Scalar operations below which a loop is never split, whatever the number of threads.
inline constexpr int64_t least_parallel_work = 64 * 1024;

/// Number of threads that a loop of `work` scalar operations should use: 1 when it is too short to
/// be worth waking others.
int threads_for(int64_t work);

namespace detail {
using Body = void (*)(void* context, int64_t begin, int64_t end, int thread);
void parallel(int64_t count, int64_t work, int threads, Body body, void* context);
}  // namespace detail

/// Calls f(begin, end) on disjoint ranges that cover [0, count), at most one per thread. `work` is
/// the number of scalar operations of the whole loop. The split depends only on the arguments and
/// the number of threads, so results repeat bit for bit. Exceptions must not leave f.
template <class F>
void parallel_for(int64_t count, int64_t work, F&& f) {
  const int threads = static_cast<int>(std::min<int64_t>(threads_for(work), count));
  if (threads <= 1) {
    if (count > 0) f(int64_t{0}, count);
    return;
  }
  detail::parallel(
      count, work, threads,
      [](void* context, int64_t begin, int64_t end, int) {
        (*static_cast<std::remove_reference_t<F>*>(context))(begin, end);
      },
      &f);
}

}  // namespace cornu::backend::cpu
