// The loop of each thread.
#include "crew.h"

#include <chrono>

#include "../../../backend/thread_scope.h"
#include "../../tensor/device.h"

namespace cornu::data::detail {

Crew::Crew() : state_(std::make_shared<State>()) {}

Crew::~Crew() {
  std::list<std::thread> joined;
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
    for (Member& member : state_->members) {
      member.wake.notify_one();
      if (member.thread.joinable()) joined.push_back(std::move(member.thread));
    }
  }
  for (std::thread& thread : joined) thread.join();
}

int64_t Crew::start(std::function<void()> job) {
  const std::lock_guard lock(state_->mutex);
  const int64_t number = ++state_->jobs;
  for (Member& member : state_->members)
    if (member.number == 0) {
      member.job = std::move(job);
      member.number = number;
      member.wake.notify_one();
      return number;
    }
  Member& member = state_->members.emplace_back();
  member.job = std::move(job);
  member.number = number;
  try {
    member.thread = std::thread([state = state_, &member] { live(state, member); });
  } catch (...) {
    state_->members.pop_back();
    throw;
  }
  return number;
}

bool Crew::wait(int64_t job, std::optional<double> seconds) {
  std::unique_lock lock(state_->mutex);
  const auto over = [&] {
    for (const Member& member : state_->members)
      if (member.number == job) return false;
    return true;
  };
  if (!seconds) {
    state_->ended.wait(lock, over);
    return true;
  }
  return state_->ended.wait_for(lock, std::chrono::duration<double>(*seconds), over);
}

void Crew::abandon(int64_t job) {
  const std::lock_guard lock(state_->mutex);
  for (Member& member : state_->members)
    if (member.number == job && member.thread.joinable()) member.thread.detach();
}

int64_t Crew::threads() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<int64_t>(state_->members.size());
}

void Crew::live(const std::shared_ptr<State>& state, Member& member) {
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
