// Pass and Runtime: what all stages of one walk over a pipeline share, and what its walks share.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "../place.h"
#include "crew.h"
#include "data_error.h"

namespace cornu::data {

/// What holds for a whole pipeline.
struct PipelineOptions {
  /// Of all random draws in stages that have no seed of their own.
  int64_t seed = 0;
  /// Seconds after which a warning names the stage that works on one element without an end.
  double stall_after = 60;
  /// Seconds after which such a stage becomes an error; none: never. A function that does not look
  /// at Place::stop goes on in a thread of its own when the error has ended the run, so it must own
  /// what it uses. One on the caller's own thread, with workers = 0, is waited for first.
  std::optional<double> timeout = {};
  /// Bytes of elements that each queue of a stage with workers, or of prefetch, may hold.
  int64_t queue_bytes = int64_t{1} << 30;
};

namespace detail {

class Stage;

using Clock = std::chrono::steady_clock;
/// As the counters below keep times.
inline int64_t nanoseconds(Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

/// What a stage did so far.
struct StageRecord {
  const Stage* stage = nullptr;  ///< whose
  /// Its name, which stays to the end of the process.
  const std::string* name = nullptr;
  int64_t seed = 0;                 ///< of its draws
  std::atomic<int64_t> items{0};    ///< elements that it gave
  std::atomic<int64_t> skipped{0};  ///< elements that it left out for an error
  std::atomic<int64_t> busy{0};     ///< nanoseconds of work, of all its threads
  std::atomic<int64_t> waited{0};   ///< nanoseconds that others waited for an element of its queue
  std::atomic<int64_t> filled{0};   ///< sum over its items of the elements that were ready
  std::atomic<int64_t> room{0};     ///< places of its queue
};

/// What one thread is at; the watchdog looks at it.
struct Activity {
  /// A name rather than the stage, whose pipeline may be gone before the watchdog has read it; null
  /// while the thread waits.
  std::atomic<const std::string*> stage{nullptr};
  std::atomic<int64_t> index{0};  ///< of the element
  std::atomic<int64_t> since{0};  ///< of Clock, in nanoseconds
  int64_t warn_at = 0;            ///< the watchdog's: the next time to warn, from `since` on
  int64_t warned_since = 0;       ///< the watchdog's: what it warned of
};

/// Lives as long as a pipeline and its copies: the statistics and the threads of all its passes.
class Runtime {
 public:
  Runtime(std::shared_ptr<const Stage> last, const PipelineOptions& options);

  const PipelineOptions options;  ///< as given
  Crew crew;                      ///< threads that passes borrow
  /// Of a stage. Throws StateError for one that is not in the pipeline.
  StageRecord& record(const Stage* stage) const;
  /// Of all stages, sources first.
  const std::list<StageRecord>& records() const { return records_; }
  bool threaded() const;  ///< whether threads of its own work for a stage

  std::atomic<int64_t> delivered{0};  ///< elements that left the pipeline
  std::atomic<int64_t> waited{0};     ///< nanoseconds of the caller's in the pipeline
  std::atomic<int64_t> elsewhere{0};  ///< nanoseconds of the caller's between its elements

 private:
  void enlist(const std::shared_ptr<const Stage>& stage);

  std::shared_ptr<const Stage> last_;  // keeps all stages
  mutable std::list<StageRecord> records_;
};

/// One walk over a pipeline. Its watchdog looks after the threads that take part.
class Pass {
 public:
  /// One that a thread makes which takes part in an `outer` one is seen by the watchdog of that,
  /// and has its own for threads of its own alone.
  Pass(std::shared_ptr<Runtime> runtime, int64_t epoch, std::shared_ptr<const Pass> outer = {});
  ~Pass();
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  Runtime& runtime() const { return *runtime_; }               ///< of the pipeline
  int64_t epoch() const { return epoch_; }                     ///< as asked for
  std::stop_token token() const { return stop_.get_token(); }  ///< see stop
  void stop() { stop_.request_stop(); }                        ///< nobody wants elements any more
  /// Whether a stage was without progress for longer than the timeout.
  bool timed_out() const { return timed_out_.load(std::memory_order_acquire); }
  /// Throws DataError when that is so.
  void check() const;
  /// For loops that may go on without giving an element: throws where nobody wants one any more,
  /// DataError after the timeout and else StateError.
  void check_stop() const;

  /// Makes the calling thread take part until the end of the scope.
  class Member {
   public:
    explicit Member(Pass& pass);
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

   private:
    Pass& pass_;
    std::list<Activity>::iterator mine_;
    Activity* before_;
  };

 private:
  void watch();
  void look(int64_t now);

  std::shared_ptr<Runtime> runtime_;
  const int64_t epoch_;
  const std::shared_ptr<const Pass> outer_;
  std::stop_source stop_;
  std::atomic<bool> timed_out_{false};
  std::string timeout_text_, timeout_stage_;  // written before timed_out_
  int64_t timeout_index_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Activity> activities_;
  bool closing_ = false;
  std::optional<int64_t> watchdog_;  // the crew's number of its job
};

using PassPtr = std::shared_ptr<Pass>;

/// A loop of a stage that may go on without giving an element. Each of its turns may be short, so
/// that no watchdog would see it: it looks at the clock itself.
class Search {
 public:
  /// For the element with that number; from now on.
  Search(const Pass& pass, const Stage& stage, int64_t index);
  /// After a turn that gave nothing. Warns as the watchdog does. Throws where nobody wants an
  /// element any more, and DataError after the timeout.
  void missed();
  Clock::time_point began() const { return began_; }  ///< when it did

 private:
  const Pass& pass_;
  const Stage& stage_;
  const int64_t index_;
  const Clock::time_point began_ = Clock::now();
  int64_t warn_at_;  // nanoseconds of search
};

/// Work of a stage on the calling thread: counts its time, and shows it to the watchdog.
class Work {
 public:
  Work(StageRecord& record, int64_t index) : Work(record, index, Clock::now()) {}
  /// The same as a part of a search for an element that began at `since`, for the watchdog.
  Work(StageRecord& record, int64_t index, Clock::time_point since);
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

 private:
  StageRecord& record_;
  Clock::time_point start_;
  const std::string* outer_ = nullptr;
  int64_t outer_index_ = 0, outer_since_ = 0;
};

/// f() as the work of a source on `count` elements from a number on.
template <class F>
auto worked(const Pass& pass, const Stage* source, int64_t index, int64_t count, const F& f) {
  StageRecord& record = pass.runtime().record(source);
  const Work work(record, index);
  auto made = f();
  record.items.fetch_add(count, std::memory_order_relaxed);
  return made;
}

}  // namespace detail
}  // namespace cornu::data
