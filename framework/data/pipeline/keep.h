// Prefetch and cache: elements made ahead, or kept.
#pragma once
#include <map>

#include "queue.h"

namespace cornu::data {

/// Options of Pipeline::prefetch.
struct PrefetchOptions {
  /// Threads that make elements; more than one where the elements can be asked for by their numbers
  /// and no stage before has workers.
  int64_t workers = 1;
};

namespace detail {

/// Elements made by other threads before anybody asks for them.
template <class T>
class PrefetchStage final : public Node<T> {
 public:
  PrefetchStage(NodePtr<T> source, int64_t room, PrefetchOptions options)
      : source_(std::move(source)), options_{std::max<int64_t>(options.workers, 1), room} {}
  std::string name() const override { return "prefetch"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override { return source_->size(); }
  bool indexed() const override { return source_->indexed(); }
  bool threaded() const override { return true; }
  int64_t workers() const override {
    return source_->indexed() && !source_->threaded() ? options_.workers : 1;
  }

  T at(const Pass& pass, const Where& where) const override { return source_->at(pass, where); }
  CursorPtr<T> walk(const PassPtr& pass, Walk order, int64_t k) const override {
    StageRecord& record = pass->runtime().record(this);
    if (source_->threaded())
      return from_cursor(pass, record, source_->walk(pass, std::move(order), k), {});
    return make_by_number<T>(pass, record, options_, std::move(order), k,
                             [source = source_.get(), pass = pass.get(), &record](Where where) {
                               std::optional<T> made(source->at(*pass, where));
                               record.items.fetch_add(1, std::memory_order_relaxed);
                               return made;
                             });
  }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    if (indexed()) return Node<T>::open(pass, epoch, from);
    CursorPtr<T> source = source_->open(pass, epoch, from);
    Position start;
    source->save(start);
    return from_cursor(pass, pass->runtime().record(this), std::move(source), std::move(start));
  }

 private:
  CursorPtr<T> from_cursor(const PassPtr& pass, StageRecord& record, CursorPtr<T> source,
                           Position start) const {
    const bool positions = !start.empty();
    auto pull = [source = std::shared_ptr<Cursor<T>>(std::move(source)), positions,
                 &record](Position& position) {
      std::optional<T> element = source->next();
      if (!element) return element;
      record.items.fetch_add(1, std::memory_order_relaxed);
      if (positions) source->save(position);
      return element;
    };
    return std::make_unique<Queue<T, T>>(
        pass, record, QueueOptions{1, options_.room}, std::move(start), std::move(pull),
        [](T&& element) { return std::optional<T>(std::move(element)); });
  }

  NodePtr<T> source_;
  QueueOptions options_;
};

/// Elements kept in memory when they are made for the first time.
template <class T>
class CacheStage final : public Node<T> {
 public:
  explicit CacheStage(NodePtr<T> source) : source_(std::move(source)) {}
  std::string name() const override { return "cache"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override {
    if (source_->size() >= 0) return source_->size();
    const std::lock_guard lock(mutex_);
    return whole_ ? static_cast<int64_t>(kept_.size()) : source_->size();
  }
  bool indexed() const override { return source_->indexed() && source_->size() >= 0; }

  T at(const Pass& pass, const Where& where) const override {
    if (std::optional<T> known = find(where.index)) return std::move(*known);
    return keep(where.index, source_->at(pass, where));
  }
  CursorPtr<T> walk(const PassPtr& pass, Walk order, int64_t k) const override {
    if (!source_->threaded() || is_whole()) return Node<T>::walk(pass, std::move(order), k);
    CursorPtr<T> source = source_->walk(pass, order, k);
    return std::make_unique<KeepingCursor>(*this, std::move(order), k, std::move(source));
  }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    if (indexed()) return Node<T>::open(pass, epoch, from);
    // Until all elements are known they come from the source, whichever walk is the first to end.
    const int64_t count = from.take();
    const bool whole = is_whole();
    const Position start;
    PositionReader beginning(start);
    auto cursor = std::make_unique<SequenceCursor>(
        *this, whole ? nullptr : source_->open(pass, epoch, beginning));
    if (count > 0) cursor->skip(count);
    return cursor;
  }

 private:
  class KeepingCursor final : public Cursor<T> {
   public:
    KeepingCursor(const CacheStage& stage, Walk order, int64_t k, CursorPtr<T> source)
        : stage_(stage), order_(std::move(order)), k_(k), source_(std::move(source)) {}
    std::optional<T> next() override {
      std::optional<T> element = source_->next();
      if (!element) return {};
      Where where{0, -1};
      while (where.index < 0) where = order_.at(k_++);
      if (std::optional<T> known = stage_.find(where.index)) return known;
      return stage_.keep(where.index, std::move(*element));
    }
    void save(Position& out) const override { out.push_back(k_); }

   private:
    const CacheStage& stage_;
    Walk order_;
    int64_t k_;
    CursorPtr<T> source_;
  };

  // The elements of a source that has no numbers for them: its own count.
  class SequenceCursor final : public Cursor<T> {
   public:
    SequenceCursor(const CacheStage& stage, CursorPtr<T> source)
        : stage_(stage), source_(std::move(source)) {}
    void skip(int64_t count) {
      if (!source_)
        count_ = count;
      else
        while (count_ < count && next()) {
        }
    }
    std::optional<T> next() override {
      if (!source_) return stage_.find(count_) ? stage_.find(count_++) : std::nullopt;
      std::optional<T> element = source_->next();
      if (!element) {
        stage_.finish(count_);
        return {};
      }
      return stage_.keep(count_++, std::move(*element));
    }
    void save(Position& out) const override { out.push_back(count_); }

   private:
    const CacheStage& stage_;
    CursorPtr<T> source_;  // null when all is kept
    int64_t count_ = 0;
  };

  std::optional<T> find(int64_t index) const {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(index);
    return found == kept_.end() ? std::nullopt : std::optional<T>(found->second);
  }
  // What came first stays, so that all see the same.
  T keep(int64_t index, T element) const {
    const std::lock_guard lock(mutex_);
    return kept_.emplace(index, std::move(element)).first->second;
  }
  void finish(int64_t count) const {
    const std::lock_guard lock(mutex_);
    whole_ = static_cast<int64_t>(kept_.size()) == count;
  }
  bool is_whole() const {
    const std::lock_guard lock(mutex_);
    return whole_ ||
           (source_->size() >= 0 && static_cast<int64_t>(kept_.size()) == source_->size());
  }

  NodePtr<T> source_;
  mutable std::mutex mutex_;
  mutable std::map<int64_t, T> kept_;
  mutable bool whole_ = false;
};

}  // namespace detail
}  // namespace cornu::data
