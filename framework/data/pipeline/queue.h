// Queue: elements that threads make ahead of who takes them, in order.
#pragma once
#include <utility>

#include "stage.h"

namespace cornu::data::detail {

/// What goes along with an element in a queue.
struct Mark {
  Position position = {};    ///< where a walk stands behind it
  Ancestors ancestors = {};  ///< what it is made of
};

/// What a queue is made of.
struct QueueOptions {
  int64_t workers = 1;  ///< threads
  int64_t room = 2;     ///< elements that are begun and not yet taken, at most
};

/// Gives what `work` makes of what `pull` gives, in the order of the pulls. `pull(mark)` is called
/// by one thread at a time, and says what goes along with what it gave; at the end it gives
/// nothing. `work` runs on several threads; it gives nothing for what is to be left out. An error
/// comes when its turn does, and nothing is begun behind it.
template <class In, class T>
class Queue final : public Cursor<T> {
 public:
  using Pull = std::function<std::optional<In>(Mark&)>;  ///< the next task
  /// An element of it, beside which goes what the pull said.
  using Do = std::function<std::optional<T>(In&&, const Mark&)>;

  /// `source` is what `pull` draws from, if it has to live as long as the threads.
  Queue(PassPtr pass, StageRecord& record, const QueueOptions& options, Position start, Pull pull,
        Do work)
      : state_(std::make_shared<State>(std::move(pass), record, options, std::move(pull),
                                       std::move(work))),
        last_{std::move(start)},
        on_stop_(state_->pass->token(), Wake{state_.get()}) {
    record.room = options.room;
    try {
      for (int64_t i = 0; i < options.workers; ++i)
        jobs_.push_back(crew().start([state = state_] { state->live(); }));
    } catch (...) {
      join();  // no further thread could be started
      throw;
    }
  }

  ~Queue() override { join(); }

  void join() {
    state_->close();
    for (const int64_t job : jobs_) {
      // A function that goes on for long is waited for, and named by the watchdog; only one that
      // has gone on for longer than the timeout is left alone.
      while (!crew().wait(job, patience)) {
        if (!state_->pass->timed_out()) continue;
        crew().abandon(job);
        break;
      }
    }
  }

  std::optional<T> next() override {
    State& s = *state_;
    Search search(*s.pass, *s.record.stage, s.number_of_next());
    std::unique_lock lock(s.mutex);
    while (true) {
      if (!s.due() && !s.closed) {
        const Clock::time_point began = Clock::now();
        s.taker.wait(lock, [&] { return s.due() || s.closed; });
        s.record.waited.fetch_add(nanoseconds(Clock::now() - began), std::memory_order_relaxed);
      }
      if (s.closed) {
        lock.unlock();
        s.pass->check();
        throw StateError("The walk over this pipeline was closed.");
      }
      if (s.taken == s.begun) return {};
      if (s.entry(s.taken).error) std::rethrow_exception(s.entry(s.taken).error);
      Entry entry = std::exchange(s.entry(s.taken), Entry());
      last_ = std::move(entry.mark);
      s.bytes -= entry.bytes;
      s.ready -= 1;
      ++s.taken;
      s.maker.notify_one();
      if (!entry.element) {
        lock.unlock();
        search.missed();
        lock.lock();
        continue;
      }
      s.record.filled.fetch_add(s.ready, std::memory_order_relaxed);
      return std::move(entry.element);
    }
  }

  void save(Position& out) const override {
    out.insert(out.end(), last_.position.begin(), last_.position.end());
  }
  void ancestors(Ancestors& out) const override {
    out.insert(out.end(), last_.ancestors.begin(), last_.ancestors.end());
  }

 private:
  static constexpr double patience = 0.1;  // seconds

  struct Entry {
    bool done = false;
    std::optional<T> element = {};
    std::exception_ptr error = {};
    Mark mark = {};
    int64_t bytes = 0;
  };

  // What the threads share with who takes, and keep when they are abandoned.
  struct State {
    State(PassPtr p, StageRecord& r, const QueueOptions& options, Pull from, Do task)
        : pass(std::move(p)),
          record(r),
          most_bytes(pass->runtime().options.queue_bytes),
          entries(static_cast<size_t>(options.room)),
          pull(std::move(from)),
          work(std::move(task)) {}

    // By the thread that takes, which alone changes it.
    int64_t number_of_next() const { return taken; }
    Entry& entry(int64_t ticket) { return entries[static_cast<size_t>(ticket) % entries.size()]; }
    // Whether the next element, or the end, can be taken.
    bool due() { return taken < begun ? entry(taken).done : ended; }
    bool has_room() const {
      const int64_t waiting = begun - taken;
      return waiting == 0 || (waiting < static_cast<int64_t>(entries.size()) && bytes < most_bytes);
    }

    void close() {
      const std::lock_guard lock(mutex);
      closed = true;
      taker.notify_all();
      maker.notify_all();
    }

    void live() {
      const Pass::Member member(*pass);
      while (step()) {
      }
    }

    // One element; false when there is nothing more to do.
    bool step() {
      std::unique_lock turn(pulling);
      int64_t ticket = 0;
      {
        std::unique_lock lock(mutex);
        maker.wait(lock, [&] { return closed || ended || has_room(); });
        if (closed || ended) return false;
        ticket = begun++;
      }
      std::optional<In> task;
      Entry made;
      try {
        task = pull(made.mark);
      } catch (...) {
        made.error = std::current_exception();
      }
      if (!task && !made.error) {
        const std::lock_guard lock(mutex);
        ended = true;
        --begun;
        taker.notify_all();
        return false;
      }
      turn.unlock();
      if (task) try {
          made.element = work(std::move(*task), made.mark);
          if (made.element) made.bytes = bytes_of(*made.element);
        } catch (...) {
          made.error = std::current_exception();
        }
      const std::lock_guard lock(mutex);
      made.done = true;
      if (made.error) ended = true;
      bytes += made.bytes;
      ready += 1;
      entry(ticket) = std::move(made);
      if (ticket == taken) taker.notify_one();
      return true;
    }

    PassPtr pass;
    StageRecord& record;
    const int64_t most_bytes;
    std::mutex pulling;  // held by the thread whose turn it is to pull
    std::mutex mutex;    // of all below
    std::condition_variable taker, maker;
    std::vector<Entry> entries;
    int64_t begun = 0, taken = 0;  // numbers of elements; those between are in `entries`
    int64_t bytes = 0, ready = 0;
    bool ended = false, closed = false;
    Pull pull;
    Do work;
  };

  struct Wake {
    State* state;
    void operator()() const { state->close(); }
  };

  Crew& crew() const { return state_->pass->runtime().crew; }

  std::shared_ptr<State> state_;
  Mark last_;  // of the element that came last
  std::vector<int64_t> jobs_;
  std::stop_callback<Wake> on_stop_;
};

/// A queue whose threads make elements of an indexed stage by their numbers.
template <class T>
CursorPtr<T> make_by_number(const PassPtr& pass, StageRecord& record, const QueueOptions& options,
                            Walk order, int64_t k, std::function<std::optional<T>(Where)> make) {
  auto pull = [stage = record.stage, order = std::move(order),
               k](Mark& mark) mutable -> std::optional<Where> {
    while (order.size == Dataset::endless || k < order.size) {
      const Where where = order.at(k++);
      if (where.index < 0) continue;
      mark.ancestors.push_back(OfStage{stage, where});
      return where;
    }
    return {};
  };
  return std::make_unique<Queue<Where, T>>(
      pass, record, options, Position(), std::move(pull),
      [make = std::move(make)](Where&& where, const Mark&) { return make(where); });
}

}  // namespace cornu::data::detail
