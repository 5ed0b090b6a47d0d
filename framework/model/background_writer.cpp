// The thread of a BackgroundWriter.
#include "background_writer.h"

#include <utility>

namespace cornu {

BackgroundWriter::~BackgroundWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BackgroundWriter::rethrow() {
  if (const std::exception_ptr failure = std::exchange(failure_, nullptr))
    std::rethrow_exception(failure);
}

void BackgroundWriter::start(std::function<void()> task) {
  // Whose memory goes outside of the lock.
  std::optional<std::function<void()>> skipped;
  {
    const std::lock_guard lock(mutex_);
    rethrow();
    skipped = std::exchange(next_, std::move(task));
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  }
  changed_.notify_all();
}

void BackgroundWriter::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !next_ && !working_; });
  rethrow();
}

bool BackgroundWriter::busy() const {
  const std::lock_guard lock(mutex_);
  return next_ || working_;
}

void BackgroundWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return next_ || stopping_; });
    if (!next_) return;
    std::optional<std::function<void()>> task = std::exchange(next_, std::nullopt);
    working_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*task)();
    } catch (...) {
      failure = std::current_exception();
    }
    task.reset();
    lock.lock();
    working_ = false;
    if (failure) failure_ = failure;
    changed_.notify_all();
  }
}

}  // namespace cornu
