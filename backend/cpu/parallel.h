// Splits loops over the threads that CPU kernels may use.
#pragma once
#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <type_traits>

#include "../backend.h"

namespace cornu::backend::cpu {

/// Scalar operations below which a loop is never split, whatever the number of threads.
inline constexpr int64_t least_parallel_work = 64 * 1024;
/// Multiplications of a product or a convolution that take as long as one of these operations.
inline constexpr int64_t multiplications_per_operation = 5;

/// Number of threads that a loop of `work` scalar operations should use: 1 when it is too short to
/// be worth waking others. Only for partitions that no result depends on.
int threads_for(int64_t work);

/// Number of pieces that a loop of `work` scalar operations is cut into: several for each thread
/// of most machines, but the same for any number of threads.
int64_t pieces_for(int64_t work);

namespace detail {
using Body = void (*)(void* context, int64_t begin, int64_t end);
void parallel(int64_t count, int64_t work, int64_t pieces, Body body, void* context);
}  // namespace detail

/// Calls f(begin, end) on disjoint ranges that cover [0, count). `work` is the number of scalar
/// operations of the whole loop. The ranges depend on the arguments alone, so results are the same
/// bits for any number of threads; which thread takes which range is left to chance, so that none
/// waits for one that does not get to run. A loop inside of f runs on its thread. Exceptions must
/// not leave f.
template <class F>
void parallel_for(int64_t count, int64_t work, F&& f) {
  const int64_t pieces = std::min(pieces_for(work), count);
  if (pieces <= 1) {
    if (count > 0) f(int64_t{0}, count);
    return;
  }
  detail::parallel(
      count, work, pieces,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<std::remove_reference_t<F>*>(context))(begin, end);
      },
      &f);
}

/// parallel_for for an f that may fail for want of memory.
template <class F>
void parallel_or_throw(int64_t count, int64_t work, F&& f) {
  std::mutex mutex;
  std::exception_ptr error;
  parallel_for(count, work, [&](int64_t begin, int64_t end) {
    try {
      f(begin, end);
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace cornu::backend::cpu
