// Threads of the CPU kernels: how many there are, and loops split over a TBB arena.
//
// TBB and not OpenMP: a loop of OpenMP ends when all members of its team have come, also those that
// had nothing to do and do not get to run, for which the others wait spinning; and libgomp ends and
// starts threads whenever two teams differ in size. TBB's loops end with their last piece, its
// threads stay and sleep, and all callers share them.
#include "parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "../denormals.h"
#include "../error.h"
#include "../thread_scope.h"

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

namespace cornu::backend {
namespace {

// Waking a thread costs some microseconds; for fewer scalar operations it does not pay.
constexpr int64_t work_per_piece = cpu::least_parallel_work / 2;
// More would only cost: 256 pieces leave 64 threads waiting for the last for a hundredth of a loop.
constexpr int64_t most_pieces = 256;

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

// Threads of a ThreadScope; 0 outside of one.
thread_local int scope_threads = 0;
// Inside of a loop's pieces, whose own loops run on their thread.
thread_local bool in_loop = false;

struct InLoop {
  InLoop() { in_loop = true; }
  ~InLoop() { in_loop = false; }
  InLoop(const InLoop&) = delete;
};

// In a child that fork() made there is one thread, whatever TBB believes.
std::atomic<bool> is_forked{false};

// Lets TBB have `count` threads, callers included: by itself it starts no more than the machine has
// cores.
void allow_threads(int count) {
  static std::mutex& mutex = *new std::mutex;
  static std::atomic<int> allowed{0};
  if (count <= allowed.load(std::memory_order_acquire)) return;
  using Control = tbb::global_control;
  static std::optional<Control>& control = *new std::optional<Control>;
  const std::lock_guard lock(mutex);
  if (count <= allowed.load(std::memory_order_relaxed)) return;
  control.reset();  // the least of all controls counts
  control.emplace(Control::max_allowed_parallelism,
                  static_cast<size_t>(std::max(count, available_cores())));
  allowed.store(std::max(count, available_cores()), std::memory_order_release);
}

// The calling thread's arena.
tbb::task_arena& arena_of(int threads) {
  static thread_local std::optional<tbb::task_arena> arena;
  if (!arena || arena->max_concurrency() != threads) {
    static const int watches_forks = pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
    static_cast<void>(watches_forks);
    allow_threads(threads);
    arena.emplace(threads);
  }
  return *arena;
}

}  // namespace

void set_threads(int count) {
  if (count < 1)
    throw ValueError("set_threads: expected at least 1 thread, found " + std::to_string(count) +
                     ".");
  thread_count().store(count, std::memory_order_relaxed);
}

int threads() {
  if (in_loop || is_forked.load(std::memory_order_relaxed)) return 1;
  return scope_threads > 0 ? scope_threads : thread_count().load(std::memory_order_relaxed);
}

ThreadScope::ThreadScope(int count) : before_(scope_threads) {
  if (count < 1)
    throw ValueError("ThreadScope: expected at least 1 thread, found " + std::to_string(count) +
                     ".");
  scope_threads = count;
}

ThreadScope::~ThreadScope() { scope_threads = before_; }

namespace cpu {

int64_t pieces_for(int64_t work) {
  if (work < least_parallel_work) return 1;
  return std::min(work / work_per_piece, most_pieces);
}

namespace {

int64_t now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// When a thread that calls loops was last in one. Each has a cache line of its own, which others
// read now and then: a count of all callers would travel between their cores at every loop.
struct alignas(64) Caller {
  static constexpr int64_t in_a_loop = std::numeric_limits<int64_t>::max();
  std::atomic<int64_t> seen{0};
  std::atomic<bool> taken{true};
  Caller* next = nullptr;

  static std::atomic<Caller*>& first() {
    static std::atomic<Caller*> head{nullptr};
    return head;
  }
  // One that a thread has left, or a new one; none is ever freed.
  static Caller& take() {
    for (Caller* c = first().load(std::memory_order_acquire); c; c = c->next)
      if (bool taken = false; c->taken.compare_exchange_strong(taken, true)) return *c;
    Caller& mine = *new Caller;
    mine.next = first().load(std::memory_order_relaxed);
    while (!first().compare_exchange_weak(mine.next, &mine, std::memory_order_release)) {
    }
    return mine;
  }
};

// A caller's loop while it runs, which the loops of other callers see.
class LoopCall {
 public:
  LoopCall() { self().caller.seen.store(Caller::in_a_loop, std::memory_order_relaxed); }
  ~LoopCall() { self().caller.seen.store(now(), std::memory_order_relaxed); }
  LoopCall(const LoopCall&) = delete;

  // Whether as many callers as there are threads are in loops, or were just now. Then each computes
  // alone: threads that could help are callers themselves, and to offer them pieces only costs.
  static bool crowded() {
    Self& me = self();
    const int64_t time = now();
    if (time < me.crowded_until || time < me.free_until) return time < me.crowded_until;
    int callers = 1;
    for (const Caller* c = Caller::first().load(std::memory_order_acquire); c; c = c->next)
      if (c != &me.caller && c->seen.load(std::memory_order_relaxed) > time - recent) ++callers;
    const bool crowd = callers > 1 && callers >= threads();
    (crowd ? me.crowded_until : me.free_until) = time + decision;
    return crowd;
  }

 private:
  static constexpr int64_t recent = 100'000;   // ns: callers are outside of loops for a while, too
  static constexpr int64_t decision = 50'000;  // ns for which a look around holds
  struct Self {
    Caller& caller = Caller::take();
    int64_t crowded_until = 0, free_until = 0;
    ~Self() {
      caller.seen.store(0, std::memory_order_relaxed);
      caller.taken.store(false, std::memory_order_release);
    }
  };
  static Self& self() {
    static thread_local Self mine;
    return mine;
  }
};

}  // namespace

int threads_for(int64_t work) {
  if (work < least_parallel_work || threads() == 1 || LoopCall::crowded()) return 1;
  return static_cast<int>(std::min<int64_t>(threads(), work / work_per_piece));
}

namespace detail {

void parallel(int64_t count, int64_t work, int64_t pieces, Body body, void* context) {
  const int64_t size = count / pieces, extra = count % pieces;
  const auto run = [&](int64_t piece) {
    const int64_t begin = piece * size + std::min(piece, extra);
    body(context, begin, begin + size + (piece < extra ? 1 : 0));
  };
  const auto run_all = [&] {
    for (int64_t piece = 0; piece < pieces; ++piece) run(piece);
  };
  if (work < least_parallel_work || threads() == 1) return run_all();
  const LoopCall call;
  if (LoopCall::crowded()) {
    const InLoop inside;
    return run_all();
  }
  // The arena is that of all threads also where fewer would do: idle ones cost nothing.
  arena_of(threads()).execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int64_t>(0, pieces),
        [&](const tbb::blocked_range<int64_t>& range) {
          const DenormalsAsZero scope;
          const InLoop inside;
          for (int64_t piece = range.begin(); piece < range.end(); ++piece) run(piece);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace detail
}  // namespace cpu
}  // namespace cornu::backend
