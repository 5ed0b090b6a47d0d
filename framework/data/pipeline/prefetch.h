// Prefetch: elements made ahead.
#pragma once
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
                 &record](Mark& mark) {
      std::optional<T> element = source->next();
      if (!element) return element;
      record.items.fetch_add(1, std::memory_order_relaxed);
      source->ancestors(mark.ancestors);
      if (positions) source->save(mark.position);
      return element;
    };
    return std::make_unique<Queue<T, T>>(
        pass, record, QueueOptions{1, options_.room}, std::move(start), std::move(pull),
        [](T&& element, const Mark&) { return std::optional<T>(std::move(element)); });
  }

  NodePtr<T> source_;
  QueueOptions options_;
};

}  // namespace detail
}  // namespace cornu::data
