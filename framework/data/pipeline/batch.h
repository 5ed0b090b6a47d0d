// Batches of samples: batch, and the sorted batches of bucket_by_length.
#pragma once
#include <array>
#include <limits>
#include <numeric>

#include "collate.h"
#include "map.h"
#include "order.h"

namespace cornu::data {

/// Options of Pipeline::bucket_by_length.
struct BucketOptions {
  /// Samples that are sorted by their lengths at a time; 0: a hundred batches.
  int64_t window = 0;
  bool drop_remainder = false;       ///< leaves out the last batch of a window if it is not full
  double pad_value = 0;              ///< what stands behind shorter samples
  std::optional<int64_t> seed = {};  ///< default: follows from the pipeline's seed
};

namespace detail {

/// How many batches of `count` elements so many elements make.
inline int64_t batches_of(int64_t elements, int64_t count, bool drop_remainder) {
  return elements / count + (!drop_remainder && elements % count != 0);
}

/// How a stage makes batches of elements unless it is given a function.
template <class T>
struct DefaultCollate {
  BatchOptions options;
  Batch operator()(std::vector<T> elements) const { return collated(std::move(elements), options); }
};

/// Groups of `count` elements, made one by `f`.
template <class T, class F>
class BatchStage final
    : public Node<std::remove_cvref_t<std::invoke_result_t<const F&, std::vector<T>>>> {
 public:
  using U = std::remove_cvref_t<std::invoke_result_t<const F&, std::vector<T>>>;
  static constexpr bool may_gather = std::same_as<F, DefaultCollate<Batch>>;

  BatchStage(NodePtr<T> source, int64_t count, bool drop_remainder, F f)
      : source_(std::move(source)), count_(count), drop_(drop_remainder), f_(std::move(f)) {}

  std::string name() const override { return "batch"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override {
    const int64_t size = source_->size();
    return size < 0 ? size : batches_of(size, count_, drop_);
  }
  bool indexed() const override { return source_->indexed(); }
  bool batched() const override { return true; }
  bool calls_user() const override { return !std::same_as<F, DefaultCollate<T>>; }

  U at(const Pass& pass, const Where& where) const override {
    const int64_t first = where.index * count_, count = count_at(where);
    if constexpr (may_gather) {
      std::vector<Where> places(static_cast<size_t>(count));
      for (int64_t i = 0; i < count; ++i) places[static_cast<size_t>(i)] = {where.epoch, first + i};
      if (std::optional<Batch> batch = source_->gather(pass, places)) {
        pass.runtime().record(this).items.fetch_add(1, std::memory_order_relaxed);
        return std::move(*batch);
      }
    }
    std::vector<T> elements;
    elements.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(source_->at(pass, {where.epoch, first + i}));
    return make(pass, std::move(elements), where, by_number(where));
  }
  void ancestors(const Pass&, const Where& where, Ancestors& out) const override {
    for (int64_t i = 0; i < count_at(where); ++i)
      out.push_back(OfStage{source_.get(), {where.epoch, where.index * count_ + i}});
  }

  CursorPtr<U> walk(const PassPtr& pass, Walk order, int64_t k) const override {
    if (!source_->threaded()) return Node<U>::walk(pass, std::move(order), k);
    // The elements of all batches, one after the other; a batch that is not full has gaps, of which
    // the only batch of all elements needs none.
    const int64_t all = source_->size();
    const int64_t count = all < 0 ? count_ : std::min(count_, std::max<int64_t>(all, 1));
    auto elements = [at = order.at, count, all](int64_t n) {
      Where where = at(n / count);
      where.index = where.index < 0 ? -1 : where.index * count + n % count;
      return all >= 0 && where.index >= all ? Where{where.epoch, -1} : where;
    };
    const int64_t size = order.size < 0 ? order.size : order.size * count;
    return std::make_unique<WalkCursor>(
        *this, pass, order, k, source_->walk(pass, Walk{std::move(elements), size}, k * count));
  }

  CursorPtr<U> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    if (indexed()) return Node<U>::open(pass, epoch, from);
    const int64_t count = from.take();
    return std::make_unique<SequenceCursor>(*this, pass, epoch, count,
                                            source_->open(pass, epoch, from));
  }

 private:
  // Batches of an indexed source whose elements other threads make.
  class WalkCursor final : public Cursor<U> {
   public:
    WalkCursor(const BatchStage& stage, PassPtr pass, Walk order, int64_t k, CursorPtr<T> source)
        : stage_(stage),
          pass_(std::move(pass)),
          order_(std::move(order)),
          k_(k),
          source_(std::move(source)) {}
    std::optional<U> next() override {
      while (order_.size == Dataset::endless || k_ < order_.size) {
        last_ = order_.at(k_++);
        if (last_.index < 0) continue;
        std::vector<T> elements = take(*source_, stage_.count_at(last_), nullptr);
        return stage_.make(*pass_, std::move(elements), last_, stage_.by_number(last_));
      }
      return {};
    }
    void save(Position& out) const override { out.push_back(k_); }
    void ancestors(Ancestors& out) const override { out.push_back(OfStage{&stage_, last_}); }

   private:
    const BatchStage& stage_;
    PassPtr pass_;
    Walk order_;
    int64_t k_;
    CursorPtr<T> source_;
    Where last_;
  };

  class SequenceCursor final : public Cursor<U> {
   public:
    SequenceCursor(const BatchStage& stage, PassPtr pass, int64_t epoch, int64_t count,
                   CursorPtr<T> source)
        : stage_(stage), pass_(std::move(pass)), where_{epoch, count}, source_(std::move(source)) {}
    std::optional<U> next() override {
      rows_.clear();
      std::vector<T> elements = take(*source_, stage_.count_, &rows_);
      if (elements.empty() ||
          (stage_.drop_ && static_cast<int64_t>(elements.size()) < stage_.count_))
        return {};
      const Where where = where_;
      ++where_.index;
      return stage_.make(*pass_, std::move(elements), where,
                         [&](size_t row) { return rows_[row]; });
    }
    void save(Position& out) const override {
      out.push_back(where_.index);
      source_->save(out);
    }
    void ancestors(Ancestors& out) const override {
      out.insert(out.end(), rows_.all().begin(), rows_.all().end());
    }

   private:
    const BatchStage& stage_;
    PassPtr pass_;
    Where where_;
    CursorPtr<T> source_;
    AncestorsOfEach rows_;  // what those of the last batch were made of
  };

  // So many elements, and what they were made of where that is asked for.
  static std::vector<T> take(Cursor<T>& source, int64_t count, AncestorsOfEach* ancestors) {
    std::vector<T> elements;
    elements.reserve(static_cast<size_t>(std::min<int64_t>(count, 1 << 16)));
    while (static_cast<int64_t>(elements.size()) < count) {
      std::optional<T> element = source.next();
      if (!element) break;
      elements.push_back(std::move(*element));
      if (ancestors) ancestors->add(source);
    }
    return elements;
  }

  // What a row of a batch of an indexed source was made of.
  auto by_number(const Where& where) const {
    return [this, where](size_t row) {
      return std::array<Ancestor, 1>{
          OfStage{source_.get(), {where.epoch, where.index * count_ + static_cast<int64_t>(row)}}};
    };
  }

  int64_t count_at(const Where& where) const {
    const int64_t all = source_->size();
    return all < 0 ? count_ : std::min(count_, all - where.index * count_);
  }

  // `ancestors(row)` is what the element of a row was made of, for errors.
  template <class A>
  U make(const Pass& pass, std::vector<T> elements, const Where& where, const A& ancestors) const {
    StageRecord& record = pass.runtime().record(this);
    const size_t rows = elements.size();
    const auto row_failed = [&](size_t row) {
      return Failed{*this,
                    {where.epoch, where.index * count_ + static_cast<int64_t>(row)},
                    "",
                    source_elements(pass, ancestors(row))};
    };
    try {
      const Work work(record, where.index);
      U made = f_(std::move(elements));
      record.items.fetch_add(1, std::memory_order_relaxed);
      return made;
    } catch (const RowError& error) {
      throw_row_error(row_failed(error.row), error);
    } catch (const RowsDiffer& error) {
      throw_rows_differ({*this, where}, error, row_failed);
    } catch (...) {
      Ancestors all;
      for (size_t row = 0; row < rows; ++row)
        for (const auto& made_of = ancestors(row); const Ancestor& one : made_of)
          all.push_back(one);
      throw_data_error({*this, where, "", source_elements(pass, all)});
    }
  }

  NodePtr<T> source_;
  int64_t count_;
  bool drop_;
  F f_;
};

/// The order in which bucket_by_length gives the samples of a window: sorted by length, cut into
/// batches, which are shuffled among themselves. Gives the indices of each batch.
std::vector<std::vector<size_t>> bucket_window(const std::vector<int64_t>& lengths, int64_t count,
                                               bool drop_remainder, int64_t seed, int64_t epoch,
                                               int64_t first);

/// Padded batches of samples of about equal length. A position is that of the window's start, and
/// how many of its batches have come.
template <class T>
class BucketStage final : public Node<Batch> {
 public:
  using Length = std::function<int64_t(const T&)>;  ///< of an element

  BucketStage(NodePtr<T> source, Length length, int64_t count, BucketOptions options)
      : source_(std::move(source)), length_(std::move(length)), count_(count), options_(options) {}

  std::string name() const override { return "bucket_by_length"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override {
    const int64_t size = source_->size();
    if (size < 0) return size;
    const int64_t whole = size / window(), rest = size % window();
    const bool drop = options_.drop_remainder;
    return whole * batches_of(window(), count_, drop) + batches_of(rest, count_, drop);
  }
  bool batched() const override { return true; }
  bool calls_user() const override { return true; }
  std::optional<int64_t> seed() const override { return options_.seed; }

  CursorPtr<Batch> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    const int64_t first = from.take(), given = from.take();
    return std::make_unique<BucketCursor>(*this, pass, epoch, first, given,
                                          source_->open(pass, epoch, from));
  }

 private:
  class BucketCursor final : public Cursor<Batch> {
   public:
    BucketCursor(const BucketStage& stage, PassPtr pass, int64_t epoch, int64_t first,
                 int64_t given, CursorPtr<T> source)
        : stage_(stage),
          pass_(std::move(pass)),
          record_(pass_->runtime().record(&stage)),
          epoch_(epoch),
          first_(first),
          given_(given),
          source_(std::move(source)) {
      source_->save(start_);
    }
    std::optional<Batch> next() override {
      if (!filled_) fill();
      while (given_ == static_cast<int64_t>(batches_.size())) {
        if (window_.empty()) return {};
        first_ += static_cast<int64_t>(window_.size());
        given_ = 0;
        start_.clear();
        source_->save(start_);
        fill();
      }
      const Where where{epoch_, first_ / stage_.count_ + given_};
      const std::vector<size_t>& chosen = batches_[static_cast<size_t>(given_++)];
      const auto row_failed = [&](size_t row) { return failed(chosen[row], ""); };
      try {
        const Work work(record_, where.index);
        std::vector<T> elements;
        for (const size_t i : chosen) elements.push_back(std::move(window_[i]));
        Batch batch = collated(std::move(elements), {false, true, stage_.options_.pad_value});
        record_.items.fetch_add(1, std::memory_order_relaxed);
        return batch;
      } catch (const RowError& error) {
        throw_row_error(row_failed(error.row), error);
      } catch (const RowsDiffer& error) {
        throw_rows_differ({stage_, where}, error, row_failed);
      } catch (...) {
        throw_data_error({stage_, where, "", source_elements(*pass_, last_ancestors(*this))});
      }
    }
    void save(Position& out) const override {
      out.push_back(first_);
      out.push_back(given_);
      out.insert(out.end(), start_.begin(), start_.end());
    }
    void ancestors(Ancestors& out) const override {
      if (given_ == 0 || given_ > static_cast<int64_t>(batches_.size())) return;
      for (const size_t i : batches_[static_cast<size_t>(given_ - 1)]) {
        const std::span<const Ancestor> made_of = ancestors_[i];
        out.insert(out.end(), made_of.begin(), made_of.end());
      }
    }

   private:
    // An element of the window.
    Failed failed(size_t i, std::string source) const {
      return {stage_,
              {epoch_, first_ + static_cast<int64_t>(i)},
              std::move(source),
              source_elements(*pass_, ancestors_[i])};
    }
    void fill() {
      filled_ = true;
      window_.clear();
      ancestors_.clear();
      std::vector<int64_t> lengths;
      while (static_cast<int64_t>(window_.size()) < stage_.window()) {
        std::optional<T> element = source_->next();
        if (!element) break;
        ancestors_.add(*source_);
        try {
          lengths.push_back(stage_.length_(*element));
        } catch (...) {
          throw_data_error(failed(window_.size(), source_of(*element)));
        }
        window_.push_back(std::move(*element));
        pass_->check_stop();
      }
      batches_ = bucket_window(lengths, stage_.count_, stage_.options_.drop_remainder, record_.seed,
                               epoch_, first_);
    }

    const BucketStage& stage_;
    PassPtr pass_;
    StageRecord& record_;
    int64_t epoch_, first_, given_;
    CursorPtr<T> source_;
    bool filled_ = false;
    Position start_;  // of the window in the source
    std::vector<T> window_;
    AncestorsOfEach ancestors_;  // of the window's elements
    std::vector<std::vector<size_t>> batches_;
  };

  int64_t window() const {
    if (options_.window > 0) return options_.window;
    return count_ > std::numeric_limits<int64_t>::max() / 100 ? count_ : 100 * count_;
  }

  NodePtr<T> source_;
  Length length_;
  int64_t count_;
  BucketOptions options_;
};

/// Batches of another number of samples.
class RebatchStage final : public Node<Batch> {
 public:
  RebatchStage(NodePtr<Batch> source, int64_t count, bool drop_remainder);
  std::string name() const override { return "rebatch"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override;
  bool batched() const override { return true; }
  CursorPtr<Batch> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override;

 private:
  class RebatchCursor;

  NodePtr<Batch> source_;
  int64_t count_;
  bool drop_;
};

}  // namespace detail
}  // namespace cornu::data
