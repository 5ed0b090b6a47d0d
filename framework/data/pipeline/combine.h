// Stages on several pipelines: zip and concatenate.
#pragma once
#include <tuple>
#include <utility>

#include "stage.h"

namespace cornu::data::detail {

/// What zip makes of elements: a pair, or a tuple of more.
template <class... A>
struct Zipped {
  using type = std::tuple<A...>;
};
template <class A, class B>
struct Zipped<A, B> {
  using type = std::pair<A, B>;
};

/// Elements of several pipelines together, as many as the shortest has.
template <class... A>
class ZipStage final : public Node<typename Zipped<A...>::type> {
 public:
  using T = typename Zipped<A...>::type;

  explicit ZipStage(NodePtr<A>... nodes) : nodes_(std::move(nodes)...) {}
  std::string name() const override { return "zip"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override {
    return std::apply(
        [](const auto&... node) { return std::vector<std::shared_ptr<const Stage>>{node...}; },
        nodes_);
  }
  int64_t size() const override {
    int64_t least = Dataset::endless;
    bool unknown = false;
    for (const auto& node : sources()) {
      const int64_t size = node->size();
      if (size == 0) return 0;
      unknown = unknown || size == Dataset::unknown;
      if (size > 0) least = least < 0 ? size : std::min(least, size);
    }
    return unknown ? Dataset::unknown : least;
  }
  bool indexed() const override {
    return std::apply([](const auto&... node) { return (node->indexed() && ...); }, nodes_);
  }

  T at(const Pass& pass, const Where& where) const override {
    return std::apply([&](const auto&... node) { return T{node->at(pass, where)...}; }, nodes_);
  }
  CursorPtr<T> walk(const PassPtr& pass, Walk order, int64_t k) const override {
    if (!this->threaded()) return Node<T>::walk(pass, std::move(order), k);
    return std::apply(
        [&](const auto&... node) -> CursorPtr<T> {
          return std::make_unique<ZipCursor>(Cursors{node->walk(pass, order, k)...});
        },
        nodes_);
  }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    if (indexed()) return Node<T>::open(pass, epoch, from);
    // In braces, where the order is that of the pipelines, as their positions were saved.
    return std::apply(
        [&](const auto&... node) -> CursorPtr<T> {
          return std::make_unique<ZipCursor>(Cursors{node->open(pass, epoch, from)...});
        },
        nodes_);
  }

 private:
  using Cursors = std::tuple<CursorPtr<A>...>;

  class ZipCursor final : public Cursor<T> {
   public:
    explicit ZipCursor(Cursors cursors) : cursors_(std::move(cursors)) {}
    std::optional<T> next() override { return next_of(std::index_sequence_for<A...>()); }
    void save(Position& out) const override {
      std::apply([&](const auto&... cursor) { (cursor->save(out), ...); }, cursors_);
    }
    void ancestors(Ancestors& out) const override {
      std::apply([&](const auto&... cursor) { (cursor->ancestors(out), ...); }, cursors_);
    }

   private:
    template <size_t... I>
    std::optional<T> next_of(std::index_sequence<I...>) {
      std::tuple<std::optional<A>...> next;
      // The first that has ended ends all, and those behind it are not asked.
      const bool all = ((std::get<I>(next) = std::get<I>(cursors_)->next()).has_value() && ...);
      if (!all) return {};
      return T(std::move(*std::get<I>(next))...);
    }

    Cursors cursors_;
  };

  std::tuple<NodePtr<A>...> nodes_;
};

/// The elements of one pipeline, and then those of another.
template <class T>
class ConcatenateStage final : public Node<T> {
 public:
  ConcatenateStage(NodePtr<T> a, NodePtr<T> b) : a_(std::move(a)), b_(std::move(b)) {}
  std::string name() const override { return "concatenate"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {a_, b_}; }
  int64_t size() const override {
    const int64_t a = a_->size(), b = b_->size();
    if (a == Dataset::endless || b == Dataset::endless) return Dataset::endless;
    return a < 0 || b < 0 ? Dataset::unknown : a + b;
  }
  // A walk over one that looks for elements which never come would not end.
  bool indexed() const override {
    return a_->indexed() && b_->indexed() && a_->size() > 0 && b_->size() > 0;
  }

  T at(const Pass& pass, const Where& where) const override {
    return is_first(where) ? a_->at(pass, where) : b_->at(pass, in_second(where));
  }
  void ancestors(const Pass&, const Where& where, Ancestors& out) const override {
    if (is_first(where))
      out.push_back(OfStage{a_.get(), where});
    else
      out.push_back(OfStage{b_.get(), in_second(where)});
  }
  CursorPtr<T> walk(const PassPtr& pass, Walk order, int64_t k) const override {
    if (!this->threaded()) return Node<T>::walk(pass, std::move(order), k);
    // Each has gaps where it is the other one's turn.
    auto first = [at = order.at, n = a_->size()](int64_t i) {
      const Where where = at(i);
      return where.index < n ? where : Where{where.epoch, -1};
    };
    auto second = [at = order.at, n = a_->size()](int64_t i) {
      const Where where = at(i);
      return Where{where.epoch, where.index < n ? -1 : where.index - n};
    };
    return std::make_unique<WalkCursor>(*this, order, k,
                                        a_->walk(pass, Walk{std::move(first), order.size}, k),
                                        b_->walk(pass, Walk{std::move(second), order.size}, k));
  }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    if (indexed()) return Node<T>::open(pass, epoch, from);
    const bool second = from.take() != 0;
    CursorPtr<T> cursor = (second ? b_ : a_)->open(pass, epoch, from);
    return std::make_unique<SequenceCursor>(*this, pass, epoch, second, std::move(cursor));
  }

 private:
  class WalkCursor final : public Cursor<T> {
   public:
    WalkCursor(const ConcatenateStage& stage, Walk order, int64_t k, CursorPtr<T> a, CursorPtr<T> b)
        : stage_(stage), order_(std::move(order)), k_(k), a_(std::move(a)), b_(std::move(b)) {}
    std::optional<T> next() override {
      while (order_.size == Dataset::endless || k_ < order_.size) {
        last_ = order_.at(k_++);
        if (last_.index >= 0) return (stage_.is_first(last_) ? a_ : b_)->next();
      }
      return {};
    }
    void save(Position& out) const override { out.push_back(k_); }
    void ancestors(Ancestors& out) const override { out.push_back(OfStage{&stage_, last_}); }

   private:
    const ConcatenateStage& stage_;
    Walk order_;
    int64_t k_;
    CursorPtr<T> a_, b_;
    Where last_;
  };

  class SequenceCursor final : public Cursor<T> {
   public:
    SequenceCursor(const ConcatenateStage& stage, PassPtr pass, int64_t epoch, bool second,
                   CursorPtr<T> cursor)
        : stage_(stage),
          pass_(std::move(pass)),
          epoch_(epoch),
          second_(second),
          cursor_(std::move(cursor)) {}
    std::optional<T> next() override {
      std::optional<T> element = cursor_->next();
      if (element || second_) return element;
      second_ = true;
      const Position start;
      PositionReader from(start);
      cursor_ = stage_.b_->open(pass_, epoch_, from);
      return cursor_->next();
    }
    void save(Position& out) const override {
      out.push_back(second_);
      cursor_->save(out);
    }
    void ancestors(Ancestors& out) const override { cursor_->ancestors(out); }

   private:
    const ConcatenateStage& stage_;
    PassPtr pass_;
    int64_t epoch_;
    bool second_;
    CursorPtr<T> cursor_;
  };

  bool is_first(const Where& where) const { return where.index < a_->size(); }
  Where in_second(const Where& where) const { return {where.epoch, where.index - a_->size()}; }

  NodePtr<T> a_, b_;
};

}  // namespace cornu::data::detail
