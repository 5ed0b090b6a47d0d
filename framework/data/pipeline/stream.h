// Stream: one walk over a pipeline, as whoever takes the elements sees it.
#pragma once
#include <iterator>

#include "collate.h"
#include "stage.h"

namespace cornu::data {

namespace detail {

/// What a walk needs to begin and to end; the same for all types of elements.
class Walker {
 public:
  Walker(std::shared_ptr<Runtime> runtime, std::shared_ptr<const Stage> last, int64_t epoch);
  /// Ends the pass, and tells what wants to know; in a child of fork() it leaves the pass to the
  /// parent.
  ~Walker();
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  const PassPtr& pass() const { return pass_; }  ///< of the walk
  /// Whether the walk was begun by a process that has forked into this one, where its threads are.
  bool is_of_parent() const { return of_process_ != forks(); }
  /// Throws StateError when that is so.
  void check_process() const;

  /// The time of one call of `next`, beside that between calls.
  class Call {
   public:
    explicit Call(Walker& walker);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    void delivered() { delivered_ = true; }  ///< an element came of it

   private:
    Walker& walker_;
    Pass::Member member_;
    const DeviceScope host_{Device::cpu()};
    Clock::time_point start_;
    bool delivered_ = false;
  };

 private:
  std::shared_ptr<Runtime> runtime_;
  std::shared_ptr<const Stage> last_;
  PassPtr pass_;
  std::optional<Clock::time_point> left_;  // when the last call ended
  const int64_t of_process_ = forks();
};

}  // namespace detail

/// One walk over a pipeline. Destroying it stops the threads that work ahead, each when its element
/// is done. In a child of fork() a walk that the parent began gives no elements.
template <class T>
class Stream {
 public:
  /// Begins at a position, or at the start when it is empty. Throws StateError for a position of
  /// another pipeline.
  Stream(detail::NodePtr<T> node, std::shared_ptr<detail::Runtime> runtime, int64_t epoch,
         const Position& from)
      : node_(std::move(node)), walker_(std::move(runtime), node_, epoch) {
    const detail::Walker::Call call(walker_);
    detail::PositionReader reader(from);
    cursor_ = node_->open(walker_.pass(), epoch, reader);
    reader.finish();
  }
  ~Stream() {
    // Threads of the parent may hold its locks for ever in this process.
    if (walker_.is_of_parent()) static_cast<void>(cursor_.release());
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// The next element; nothing at the end. Batches are on the default device. Throws DataError when
  /// a stage failed at this element; the stream is of no use after. Throws StateError in a child of
  /// fork() for a walk of the parent.
  std::optional<T> next() {
    walker_.check_process();
    std::optional<T> element;
    {
      detail::Walker::Call call(walker_);
      element = cursor_->next();
      walker_.pass()->check();
      if (!element) return {};
      call.delivered();
    }
    if constexpr (std::same_as<T, Batch>) return detail::to_default_device(std::move(*element));
    return element;
  }

  /// Where it stands: Pipeline::open goes on there.
  Position position() const {
    Position out;
    cursor_->save(out);
    return out;
  }

 private:
  // Stops the work of other threads before the cursors are destroyed.
  struct Stopper {
    detail::Walker& walker;
    ~Stopper() {
      if (!walker.is_of_parent()) walker.pass()->stop();
    }
  };

  detail::NodePtr<T> node_;
  detail::Walker walker_;
  detail::CursorPtr<T> cursor_;
  Stopper stopper_{walker_};
};

namespace detail {

/// The iterator of a pipeline's range.
template <class T>
class StreamIterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  StreamIterator() = default;
  explicit StreamIterator(std::shared_ptr<Stream<T>> stream) : stream_(std::move(stream)) {
    ++*this;
  }
  const T& operator*() const { return **current_; }
  const T* operator->() const { return &**current_; }
  StreamIterator& operator++() {
    current_->reset();
    *current_ = stream_->next();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const StreamIterator& i, std::default_sentinel_t) {
    return !i.current_ || !i.current_->has_value();
  }

 private:
  std::shared_ptr<Stream<T>> stream_;
  std::shared_ptr<std::optional<T>> current_ = std::make_shared<std::optional<T>>();
};

}  // namespace detail
}  // namespace cornu::data
