// Map and filter: functions of the user's on each element.
#pragma once
#include <array>

#include "queue.h"

namespace cornu::data {

/// Options of Pipeline::map.
struct MapOptions {
  /// Threads that call the function; 0: the caller's own, where breakpoints stop it.
  int64_t workers = 0;
  std::string name = "map";  ///< in errors, warnings and statistics
  /// Elements that are made ahead, at most; 0: four for each worker.
  int64_t buffer = 0;
  OnError on_error = OnError::raise;  ///< what to do about an element whose function throws
  std::optional<int64_t> seed = {};   ///< of Place; default: follows from the pipeline's seed
};

/// Options of Pipeline::filter.
struct FilterOptions {
  std::string name = "filter";  ///< in errors, warnings and statistics
};

namespace detail {

/// Whether F can be called with a T, and perhaps its Place, from several threads.
template <class F, class T>
concept ElementFunction = std::invocable<const F&, T, const Place&> || std::invocable<const F&, T>;

/// f of an element, and of its place if it wants that.
template <class F, class T>
decltype(auto) call_with_place(const F& f, T&& element, const Pass& pass, StageRecord& record,
                               const Where& where) {
  if constexpr (std::invocable<const F&, T, const Place&>)
    return std::invoke(f, std::forward<T>(element),
                       Place{record.seed, where.epoch, where.index, pass.token()});
  else
    return std::invoke(f, std::forward<T>(element));
}

template <class T, class F>
struct MapResult {
  using type = std::remove_cvref_t<decltype(call_with_place(
      std::declval<const F&>(), std::declval<T>(), std::declval<const Pass&>(),
      std::declval<StageRecord&>(), Where{}))>;
};

/// A user's function of an element of type T as stages keep it: they are compiled for the types of
/// elements, not once more for each function.
template <class U, class T>
using ElementCall = std::function<U(T, const Pass&, StageRecord&, const Where&)>;

/// Shares the function, so one that cannot be copied serves as well.
template <class U, class T, class F>
ElementCall<U, T> element_call(F f) {
  return [f = std::make_shared<const F>(std::move(f))](
             T element, const Pass& pass, StageRecord& record, const Where& where) -> U {
    return static_cast<U>(call_with_place(*f, std::forward<T>(element), pass, record, where));
  };
}

/// Elements of type U that a function makes of those of a source, of type T.
template <class T, class U>
class MapStage final : public Node<U> {
 public:
  using Call = ElementCall<U, T&&>;  ///< makes an element

  MapStage(NodePtr<T> source, Call f, MapOptions options)
      : source_(std::move(source)), f_(std::move(f)), options_(std::move(options)) {}

  std::string name() const override { return options_.name; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override { return skips() ? unknown_if_any() : source_->size(); }
  bool indexed() const override { return source_->indexed() && !skips(); }
  bool calls_user() const override { return true; }
  int64_t workers() const override { return options_.workers; }
  bool takes_workers() const override { return true; }
  std::optional<int64_t> seed() const override { return options_.seed; }

  U at(const Pass& pass, const Where& where) const override {
    return *call(pass, pass.runtime().record(this), source_->at(pass, where), where, Clock::now(),
                 [&] {
                   return std::array<Ancestor, 1>{OfStage{source_.get(), where}};
                 });
  }

  void ancestors(const Pass&, const Where& where, Ancestors& out) const override {
    out.push_back(OfStage{source_.get(), where});
  }

  CursorPtr<U> walk(const PassPtr& pass, Walk order, int64_t k) const override {
    StageRecord& record = pass->runtime().record(this);
    if (source_->threaded()) {
      // The numbers go along with what comes from other threads.
      auto numbers = [order, k]() mutable {
        Where where{0, -1};
        while (where.index < 0 && (order.size == Dataset::endless || k < order.size))
          where = order.at(k++);
        return where;
      };
      return from_cursor(pass, record, source_->walk(pass, order, k), std::move(numbers), {});
    }
    if (options_.workers == 0) return Node<U>::walk(pass, std::move(order), k);
    return make_by_number<U>(
        pass, record, queue_options(), std::move(order), k,
        [this, pass = pass.get()](Where where) { return std::optional<U>(at(*pass, where)); });
  }

  CursorPtr<U> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    if (indexed()) return Node<U>::open(pass, epoch, from);
    int64_t count = from.take();
    CursorPtr<T> source = source_->open(pass, epoch, from);
    Position start{count};
    source->save(start);
    auto numbers = [epoch, count]() mutable { return Where{epoch, count++}; };
    return from_cursor(pass, pass->runtime().record(this), std::move(source), std::move(numbers),
                       std::move(start));
  }

 private:
  struct Task {
    T element;
    Where where;
  };
  // Draws from a cursor and numbers what comes.
  struct Pull {
    std::shared_ptr<Cursor<T>> source;
    std::function<Where()> number;
    bool positions;  // whether they are kept: not where the walk's own count serves
    std::optional<Task> operator()(Position& position) {
      std::optional<T> element = source->next();
      if (!element) return {};
      const Where where = number();
      if (positions) {
        position = {where.index + 1};
        source->save(position);
      }
      return Task{std::move(*element), where};
    }
    // For a queue, whose work follows when the cursor has gone on.
    std::optional<Task> operator()(Mark& mark) {
      std::optional<Task> task = (*this)(mark.position);
      if (task) source->ancestors(mark.ancestors);
      return task;
    }
  };

  class DirectCursor final : public Cursor<U> {
   public:
    DirectCursor(const MapStage& stage, PassPtr pass, StageRecord& record, Pull pull,
                 Position start)
        : stage_(stage),
          pass_(std::move(pass)),
          record_(record),
          pull_(std::move(pull)),
          position_(std::move(start)) {}
    std::optional<U> next() override {
      std::optional<Search> search;
      while (std::optional<Task> task = pull_(position_)) {
        if (!search) search.emplace(*pass_, stage_, task->where.index);
        if (std::optional<U> made =
                stage_.call(*pass_, record_, std::move(task->element), task->where, search->began(),
                            [&] { return last_ancestors(*pull_.source); }))
          return made;
        search->missed();
      }
      return {};
    }
    void save(Position& out) const override {
      out.insert(out.end(), position_.begin(), position_.end());
    }
    void ancestors(Ancestors& out) const override { pull_.source->ancestors(out); }

   private:
    const MapStage& stage_;
    PassPtr pass_;
    StageRecord& record_;
    Pull pull_;
    Position position_;
  };

  CursorPtr<U> from_cursor(const PassPtr& pass, StageRecord& record, CursorPtr<T> source,
                           std::function<Where()> number, Position start) const {
    Pull pull{std::move(source), std::move(number), !start.empty()};
    if (options_.workers == 0)
      return std::make_unique<DirectCursor>(*this, pass, record, std::move(pull), std::move(start));
    return std::make_unique<Queue<Task, U>>(
        pass, record, queue_options(), std::move(start), std::move(pull),
        [this, &record, pass = pass.get()](Task&& task, const Mark& mark) {
          return call(*pass, record, std::move(task.element), task.where, Clock::now(),
                      [&]() -> const Ancestors& { return mark.ancestors; });
        });
  }

  // `ancestors()` is what the element was made of, for errors.
  template <class A>
  std::optional<U> call(const Pass& pass, StageRecord& record, T&& element, const Where& where,
                        Clock::time_point began, const A& ancestors) const {
    const std::string source = source_of(element);
    try {
      const Work work(record, where.index, began);
      std::optional<U> made(f_(std::move(element), pass, record, where));
      record.items.fetch_add(1, std::memory_order_relaxed);
      return made;
    } catch (...) {
      const auto failed = [&] {
        return Failed{*this, where, source, source_elements(pass, ancestors())};
      };
      if (!skips()) throw_data_error(failed());
      if (record.skipped.fetch_add(1, std::memory_order_relaxed) == 0) warn_skipped(failed());
      return {};
    }
  }

  bool skips() const { return options_.on_error == OnError::skip; }
  int64_t unknown_if_any() const {
    const int64_t size = source_->size();
    return size > 0 ? Dataset::unknown : size;
  }
  QueueOptions queue_options() const {
    const int64_t buffer = options_.buffer > 0 ? options_.buffer : 4 * options_.workers;
    return {options_.workers, std::max(buffer, options_.workers)};
  }

  NodePtr<T> source_;
  Call f_;
  MapOptions options_;
};

/// The elements for which a function is true.
template <class T>
class FilterStage final : public Node<T> {
 public:
  using Call = ElementCall<bool, const T&>;  ///< whether to keep an element

  FilterStage(NodePtr<T> source, Call f, FilterOptions options)
      : source_(std::move(source)), f_(std::move(f)), options_(std::move(options)) {}

  std::string name() const override { return options_.name; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override {
    const int64_t size = source_->size();
    return size == 0 ? 0 : Dataset::unknown;
  }
  bool calls_user() const override { return true; }

  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    const int64_t count = from.take();
    return std::make_unique<FilterCursor>(*this, pass, epoch, count,
                                          source_->open(pass, epoch, from));
  }

 private:
  class FilterCursor final : public Cursor<T> {
   public:
    FilterCursor(const FilterStage& stage, PassPtr pass, int64_t epoch, int64_t count,
                 CursorPtr<T> source)
        : stage_(stage),
          pass_(std::move(pass)),
          record_(pass_->runtime().record(&stage)),
          where_{epoch, count},
          source_(std::move(source)) {}
    std::optional<T> next() override {
      // For the watchdog a search without an end is one element: none may ever be kept.
      Search search(*pass_, stage_, where_.index);
      while (std::optional<T> element = source_->next()) {
        const Where where = where_;
        ++where_.index;
        if (!stage_.keeps(*pass_, record_, *element, where, search.began(), *source_)) {
          search.missed();
          continue;
        }
        record_.items.fetch_add(1, std::memory_order_relaxed);
        return element;
      }
      return {};
    }
    void save(Position& out) const override {
      out.push_back(where_.index);
      source_->save(out);
    }
    void ancestors(Ancestors& out) const override { source_->ancestors(out); }

   private:
    const FilterStage& stage_;
    PassPtr pass_;
    StageRecord& record_;
    Where where_;
    CursorPtr<T> source_;
  };

  // The element is the last one that the cursor gave.
  bool keeps(const Pass& pass, StageRecord& record, const T& element, const Where& where,
             Clock::time_point began, const Cursor<T>& from) const {
    try {
      const Work work(record, where.index, began);
      return f_(element, pass, record, where);
    } catch (...) {
      throw_data_error(
          {*this, where, source_of(element), source_elements(pass, last_ancestors(from))});
    }
  }

  NodePtr<T> source_;
  Call f_;
  FilterOptions options_;
};

}  // namespace detail
}  // namespace cornu::data
