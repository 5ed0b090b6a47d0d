// BackgroundWriter: writes files beside the training, one after the other.
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace cornu {

/// Runs tasks on a thread of its own, which begins with the first one. When tasks come faster than
/// they are done, those in between are left out.
class BackgroundWriter {
 public:
  BackgroundWriter() = default;
  ~BackgroundWriter();  ///< waits for what was begun and for the latest task
  BackgroundWriter(const BackgroundWriter&) = delete;

  /// Begins a task, or lets it wait in the place of an earlier one. Throws what the last task
  /// threw.
  void start(std::function<void()> task);
  void wait();        ///< until all is done; throws what a task threw
  bool busy() const;  ///< whether something is under way or waits

 private:
  void work();
  void rethrow();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::function<void()>> next_;
  bool working_ = false;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace cornu
