// The same stages as in order.h on sources whose elements come one after the other.
#pragma once
#include "order.h"

namespace cornu::data::detail {

/// The first elements.
template <class T>
class TakeStage final : public Node<T> {
 public:
  TakeStage(NodePtr<T> source, int64_t count) : source_(std::move(source)), count_(count) {}
  std::string name() const override { return "take"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override {
    const int64_t size = source_->size();
    if (size == Dataset::endless) return count_;
    return size == Dataset::unknown ? size : std::min(size, count_);
  }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    const int64_t count = from.take();
    return std::make_unique<TakeCursor>(source_->open(pass, epoch, from), count, count_);
  }

 private:
  class TakeCursor final : public Cursor<T> {
   public:
    TakeCursor(CursorPtr<T> source, int64_t count, int64_t end)
        : source_(std::move(source)), count_(count), end_(end) {}
    std::optional<T> next() override {
      if (count_ >= end_) return {};
      std::optional<T> element = source_->next();
      count_ += element.has_value();
      return element;
    }
    void save(Position& out) const override {
      out.push_back(count_);
      source_->save(out);
    }
    void ancestors(Ancestors& out) const override { source_->ancestors(out); }

   private:
    CursorPtr<T> source_;
    int64_t count_, end_;
  };

  NodePtr<T> source_;
  int64_t count_;
};

/// All but the first elements, which are made all the same.
template <class T>
class SkipStage final : public Node<T> {
 public:
  SkipStage(NodePtr<T> source, int64_t count) : source_(std::move(source)), count_(count) {}
  std::string name() const override { return "skip"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override {
    const int64_t size = source_->size();
    return size < 0 ? size : std::max<int64_t>(size - count_, 0);
  }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    const int64_t skipped = from.take();
    return std::make_unique<SkipCursor>(pass, source_->open(pass, epoch, from), skipped, count_);
  }

 private:
  class SkipCursor final : public Cursor<T> {
   public:
    SkipCursor(PassPtr pass, CursorPtr<T> source, int64_t skipped, int64_t count)
        : pass_(std::move(pass)), source_(std::move(source)), skipped_(skipped), count_(count) {}
    std::optional<T> next() override {
      for (; skipped_ < count_; ++skipped_) {
        if (!source_->next()) return {};
        pass_->check_stop();
      }
      return source_->next();
    }
    void save(Position& out) const override {
      out.push_back(skipped_);
      source_->save(out);
    }
    void ancestors(Ancestors& out) const override { source_->ancestors(out); }

   private:
    PassPtr pass_;
    CursorPtr<T> source_;
    int64_t skipped_, count_;
  };

  NodePtr<T> source_;
  int64_t count_;
};

/// One of each group of elements; an incomplete group at the end is left out.
template <class T>
class ShardStage final : public Node<T> {
 public:
  ShardStage(NodePtr<T> source, int64_t rank, int64_t count)
      : source_(std::move(source)), rank_(rank), count_(count) {}
  std::string name() const override { return "shard"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override {
    const int64_t size = source_->size();
    return size < 0 ? size : size / count_;
  }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    return std::make_unique<ShardCursor>(pass, source_->open(pass, epoch, from), rank_, count_);
  }

 private:
  class ShardCursor final : public Cursor<T> {
   public:
    ShardCursor(PassPtr pass, CursorPtr<T> source, int64_t rank, int64_t count)
        : pass_(std::move(pass)), source_(std::move(source)), rank_(rank), count_(count) {}
    std::optional<T> next() override {
      std::optional<T> mine;
      for (int64_t i = 0; i < count_; ++i) {
        std::optional<T> element = source_->next();
        if (!element) return {};
        if (i == rank_) {
          mine = std::move(element);
          ancestors_.clear();
          source_->ancestors(ancestors_);
        }
        pass_->check_stop();
      }
      return mine;
    }
    void save(Position& out) const override { source_->save(out); }
    void ancestors(Ancestors& out) const override {
      out.insert(out.end(), ancestors_.begin(), ancestors_.end());
    }

   private:
    PassPtr pass_;
    CursorPtr<T> source_;
    int64_t rank_, count_;
    Ancestors ancestors_;  // of the element that came last
  };

  NodePtr<T> source_;
  int64_t rank_, count_;
};

/// Passes one after the other.
template <class T>
class RepeatStage final : public Node<T> {
 public:
  RepeatStage(NodePtr<T> source, int64_t count) : source_(std::move(source)), order_(count) {}
  std::string name() const override { return "repeat"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override {
    const int64_t size = source_->size();
    return size == Dataset::unknown && order_.count < 0 ? Dataset::endless : order_.size(size);
  }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    const int64_t repetition = from.take();
    return std::make_unique<RepeatCursor>(
        source_, order_, pass, epoch, repetition,
        source_->open(pass, order_.epoch_of(epoch, repetition), from));
  }

 private:
  class RepeatCursor final : public Cursor<T> {
   public:
    RepeatCursor(NodePtr<T> source, RepeatOrder order, PassPtr pass, int64_t epoch,
                 int64_t repetition, CursorPtr<T> cursor)
        : source_(std::move(source)),
          order_(order),
          pass_(std::move(pass)),
          epoch_(epoch),
          repetition_(repetition),
          cursor_(std::move(cursor)) {}
    std::optional<T> next() override {
      while (true) {
        if (std::optional<T> element = cursor_->next()) {
          gave_any_ = true;
          return element;
        }
        // A source without elements would be asked for ever.
        if (repetition_ + 1 == order_.count || !gave_any_) return {};
        ++repetition_;
        gave_any_ = false;
        const Position start;
        PositionReader from(start);
        cursor_ = source_->open(pass_, order_.epoch_of(epoch_, repetition_), from);
      }
    }
    void save(Position& out) const override {
      out.push_back(repetition_);
      cursor_->save(out);
    }
    void ancestors(Ancestors& out) const override { cursor_->ancestors(out); }

   private:
    NodePtr<T> source_;
    RepeatOrder order_;
    PassPtr pass_;
    int64_t epoch_, repetition_;
    CursorPtr<T> cursor_;
    // A walk that goes on from a position may be at the end of a repetition.
    bool gave_any_ = true;
  };

  NodePtr<T> source_;
  RepeatOrder order_;
};

/// Windows of elements, each shuffled in itself. A position is that of the window's start, and how
/// many of the window have come.
template <class T>
class WindowShuffleStage final : public Node<T> {
 public:
  WindowShuffleStage(NodePtr<T> source, ShuffleOptions options)
      : source_(std::move(source)), options_(options) {}
  std::string name() const override { return "shuffle"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override { return source_->size(); }
  std::optional<int64_t> seed() const override { return options_.seed; }
  bool draws() const override { return true; }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    const int64_t first = from.take(), given = from.take();
    return std::make_unique<WindowCursor>(pass, pass->runtime().record(this).seed, options_.window,
                                          epoch, first, given, source_->open(pass, epoch, from));
  }

 private:
  class WindowCursor final : public Cursor<T> {
   public:
    WindowCursor(PassPtr pass, int64_t seed, int64_t window, int64_t epoch, int64_t first,
                 int64_t given, CursorPtr<T> source)
        : pass_(std::move(pass)),
          seed_(seed),
          size_(window),
          epoch_(epoch),
          first_(first),
          given_(given),
          source_(std::move(source)) {
      source_->save(start_);
    }
    std::optional<T> next() override {
      if (window_.empty()) fill();
      if (given_ == static_cast<int64_t>(window_.size()) && !window_.empty()) {
        first_ += given_;
        given_ = 0;
        start_.clear();
        source_->save(start_);
        fill();
      }
      if (window_.empty()) return {};
      last_ = static_cast<size_t>((*order_)[given_++]);
      return std::exchange(window_[last_], std::nullopt);
    }
    void save(Position& out) const override {
      out.push_back(first_);
      out.push_back(given_);
      out.insert(out.end(), start_.begin(), start_.end());
    }
    void ancestors(Ancestors& out) const override {
      if (last_ >= ancestors_.size()) return;
      const std::span<const Ancestor> made_of = ancestors_[last_];
      out.insert(out.end(), made_of.begin(), made_of.end());
    }

   private:
    void fill() {
      window_.clear();
      ancestors_.clear();
      while (static_cast<int64_t>(window_.size()) < size_) {
        std::optional<T> element = source_->next();
        if (!element) break;
        window_.push_back(std::move(element));
        ancestors_.add(*source_);
        pass_->check_stop();
      }
      if (!window_.empty())
        order_.emplace(static_cast<int64_t>(window_.size()), window_seed(seed_, first_), epoch_);
    }

    PassPtr pass_;
    int64_t seed_, size_, epoch_, first_, given_;
    CursorPtr<T> source_;
    Position start_;  // of the window in the source
    std::vector<std::optional<T>> window_;
    AncestorsOfEach ancestors_;  // of the window's elements
    size_t last_ = 0;            // place in the window of the element that came last
    std::optional<RandomOrder> order_;
  };

  NodePtr<T> source_;
  ShuffleOptions options_;
};

}  // namespace cornu::data::detail
