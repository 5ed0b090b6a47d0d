// Crew: threads that wait for work and are used again.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace cornu::data::detail {

/// How many forks lie between the first process that asked and this one. Threads stay in the
/// process that started them, so what has some remembers the number.
int64_t forks();

/// Threads that are started when there is work for them, and sleep in between. Kernels that they
/// run stay on their own thread, and tensors that they make are in the host's memory. After a
/// fork() the child has a crew without threads, which knows none of the jobs before.
class Crew {
 public:
  Crew();
  /// Joins all threads but those whose job was abandoned.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Runs a job, which must not throw, on a thread that sleeps or else on a new one; its number.
  int64_t start(std::function<void()> job);
  /// Waits until a job is over and what it held is gone; with a time at most so many seconds. False
  /// when it is still at work then.
  bool wait(int64_t job, std::optional<double> seconds = {});
  /// Gives up on a job that does not end: its thread is no longer waited for.
  void abandon(int64_t job);
  /// Threads that there are, those that sleep included.
  int64_t threads() const;

 private:
  struct Member {
    std::thread thread;
    std::function<void()> job;
    int64_t number = 0;  // of the job; 0: it sleeps
    std::condition_variable wake;
  };
  struct State {
    const int64_t of_process = forks();
    mutable std::mutex mutex;
    std::condition_variable ended;  // some job
    std::list<Member> members;
    int64_t jobs = 0;
    bool closing = false;
  };
  using StatePtr = std::shared_ptr<State>;  // which abandoned threads share
  static void live(const StatePtr& state, Member& member);
  const StatePtr& state() const;

  // What it points to is replaced in a child of fork(), perhaps by several threads at once.
  mutable std::atomic<StatePtr*> state_;
};

}  // namespace cornu::data::detail
