// The loop of each thread.
#include "crew.h"

#include <pthread.h>

#include <chrono>

#include "../../../backend/thread_scope.h"
#include "../../tensor/device.h"

namespace cornu::data::detail {

namespace {

std::atomic<int64_t> forks_before{0};

}  // namespace

int64_t forks() {
  static const int watches = pthread_atfork(nullptr, nullptr, [] { ++forks_before; });
  static_cast<void>(watches);
  return forks_before.load(std::memory_order_relaxed);
}

Crew::Crew() : state_(new StatePtr(std::make_shared<State>())) {}

Crew::~Crew() {
  StatePtr* const mine = state_.load(std::memory_order_acquire);
  State& state = **mine;
  if (state.of_process != forks()) return;  // see state()
  std::list<std::thread> joined;
  {
    const std::lock_guard lock(state.mutex);
    state.closing = true;
    for (Member& member : state.members) {
      member.wake.notify_one();
      if (member.thread.joinable()) joined.push_back(std::move(member.thread));
    }
  }
  for (std::thread& thread : joined) thread.join();
  delete mine;
}

// A parent's state is never freed in its child: threads that do not exist there may for ever hold
// its lock and wait for its conditions, and can neither be joined nor destroyed.
const Crew::StatePtr& Crew::state() const {
  StatePtr* found = state_.load(std::memory_order_acquire);
  if ((*found)->of_process == forks()) return *found;
  auto fresh = std::make_unique<StatePtr>(std::make_shared<State>());
  if (!state_.compare_exchange_strong(found, fresh.get())) return *found;
  return *fresh.release();
}

int64_t Crew::start(std::function<void()> job) {
  const StatePtr& state = this->state();
  const std::lock_guard lock(state->mutex);
  const int64_t number = ++state->jobs;
  for (Member& member : state->members)
    if (member.number == 0) {
      member.job = std::move(job);
      member.number = number;
      member.wake.notify_one();
      return number;
    }
  Member& member = state->members.emplace_back();
  member.job = std::move(job);
  member.number = number;
  try {
    member.thread = std::thread([state, &member] { live(state, member); });
  } catch (...) {
    state->members.pop_back();
    throw;
  }
  return number;
}

bool Crew::wait(int64_t job, std::optional<double> seconds) {
  State& state = *this->state();
  std::unique_lock lock(state.mutex);
  const auto over = [&] {
    for (const Member& member : state.members)
      if (member.number == job) return false;
    return true;
  };
  if (!seconds) {
    state.ended.wait(lock, over);
    return true;
  }
  return state.ended.wait_for(lock, std::chrono::duration<double>(*seconds), over);
}

void Crew::abandon(int64_t job) {
  State& state = *this->state();
  const std::lock_guard lock(state.mutex);
  for (Member& member : state.members)
    if (member.number == job && member.thread.joinable()) member.thread.detach();
}

int64_t Crew::threads() const {
  const State& state = *this->state();
  const std::lock_guard lock(state.mutex);
  return static_cast<int64_t>(state.members.size());
}

void Crew::live(const StatePtr& state, Member& member) {
  const backend::ThreadScope alone(1);
  const DeviceScope host(Device::cpu());
  std::unique_lock lock(state->mutex);
  while (true) {
    member.wake.wait(lock, [&] { return member.number != 0 || state->closing; });
    if (member.number == 0) return;
    lock.unlock();
    member.job();
    // What the job holds goes before anybody may think that it is over.
    member.job = nullptr;
    lock.lock();
    member.number = 0;
    state->ended.notify_all();
    // A thread that was given up belongs to nobody.
    if (!member.thread.joinable()) {
      if (!state->closing) state->members.remove_if([&](const Member& m) { return &m == &member; });
      return;
    }
  }
}

}  // namespace cornu::data::detail
