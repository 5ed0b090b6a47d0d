// Stages that choose elements by their numbers: take, skip, shard, repeat, shuffle.
#pragma once
#include "../permutation.h"
#include "stage.h"

namespace cornu::data {

/// Options of Pipeline::shuffle.
struct ShuffleOptions {
  /// Elements that are shuffled among themselves: of so many that follow each other; 0: of all,
  /// which needs a source whose elements can be asked for by their numbers.
  int64_t window = 0;
  std::optional<int64_t> seed = {};  ///< default: follows from the pipeline's seed
};

namespace detail {

/// Which elements of a source a stage has, and in which order.
struct Order {
  virtual ~Order() = default;
  /// Elements, of a source with so many; Dataset::endless goes in and out.
  virtual int64_t size(int64_t source) const = 0;
  /// Replaces places in the order by places in the source, which has `size` elements.
  virtual void map(std::span<Where> places, int64_t size, int64_t seed) const = 0;
  virtual bool draws() const { return false; }  ///< whether the order follows from the seed
};

/// The first elements.
struct TakeOrder final : Order {
  explicit TakeOrder(int64_t n) : count(n) {}
  int64_t size(int64_t source) const override {
    return source < 0 ? count : std::min(count, source);
  }
  void map(std::span<Where>, int64_t, int64_t) const override {}
  int64_t count;
};

/// All but the first.
struct SkipOrder final : Order {
  explicit SkipOrder(int64_t n) : count(n) {}
  int64_t size(int64_t source) const override {
    return source < 0 ? source : std::max<int64_t>(source - count, 0);
  }
  void map(std::span<Where> places, int64_t, int64_t) const override {
    for (Where& where : places) where.index += count;
  }
  int64_t count;
};

/// Every n-th, the same number for each rank.
struct ShardOrder final : Order {
  ShardOrder(int64_t r, int64_t n) : rank(r), count(n) {}
  int64_t size(int64_t source) const override { return source < 0 ? source : source / count; }
  void map(std::span<Where> places, int64_t, int64_t) const override {
    for (Where& where : places) where.index = where.index * count + rank;
  }
  int64_t rank, count;
};

/// Passes one after the other, each of them an epoch to what comes before.
struct RepeatOrder final : Order {
  explicit RepeatOrder(int64_t n) : count(n) {}
  int64_t size(int64_t source) const override {
    if (source <= 0) return source;
    return count < 0 ? Dataset::endless : source * count;
  }
  void map(std::span<Where> places, int64_t size, int64_t) const override {
    for (Where& where : places)
      where = {epoch_of(where.epoch, where.index / size), where.index % size};
  }
  /// The epoch of a repetition. An endless pass has no end behind which another could begin.
  int64_t epoch_of(int64_t epoch, int64_t repetition) const {
    return (count < 0 ? epoch : epoch * count) + repetition;
  }
  int64_t count;  // -1: endless
};

/// Another order in each epoch.
struct ShuffleOrder final : Order {
  explicit ShuffleOrder(int64_t n) : window(n) {}
  int64_t size(int64_t source) const override { return source; }
  void map(std::span<Where> places, int64_t size, int64_t seed) const override;
  bool draws() const override { return true; }
  int64_t window;  // 0: all
  mutable RecentOrders orders = {};
};

/// The seed of a window's order; each window, by its first element, has one of its own.
int64_t window_seed(int64_t seed, int64_t first);

/// A stage on an indexed source that is an order of its elements.
template <class T>
class OrderStage final : public Node<T> {
 public:
  OrderStage(NodePtr<T> source, std::string name, std::shared_ptr<const Order> order,
             std::optional<int64_t> seed = {})
      : source_(std::move(source)), name_(std::move(name)), order_(std::move(order)), seed_(seed) {}

  std::string name() const override { return name_; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override { return order_->size(source_->size()); }
  bool indexed() const override { return true; }
  std::optional<int64_t> seed() const override { return seed_; }
  bool draws() const override { return order_->draws(); }

  T at(const Pass& pass, const Where& where) const override {
    Where place = where;
    order_->map(std::span(&place, 1), source_->size(), seed_in(pass));
    return source_->at(pass, place);
  }
  void ancestors(const Pass& pass, const Where& where, Ancestors& out) const override {
    Where place = where;
    order_->map(std::span(&place, 1), source_->size(), seed_in(pass));
    out.push_back(OfStage{source_.get(), place});
  }
  std::optional<Batch> gather(const Pass& pass, std::span<const Where> places) const override {
    std::vector<Where> mapped(places.begin(), places.end());
    order_->map(mapped, source_->size(), seed_in(pass));
    return source_->gather(pass, mapped);
  }
  CursorPtr<T> walk(const PassPtr& pass, Walk order, int64_t k) const override {
    auto mapped = [inner = std::move(order.at), mine = order_, size = source_->size(),
                   seed = seed_in(*pass)](int64_t n) {
      Where where = inner(n);
      if (where.index >= 0) mine->map(std::span(&where, 1), size, seed);
      return where;
    };
    return source_->walk(pass, Walk{std::move(mapped), order.size}, k);
  }

 private:
  int64_t seed_in(const Pass& pass) const { return pass.runtime().record(this).seed; }

  NodePtr<T> source_;
  std::string name_;
  std::shared_ptr<const Order> order_;
  std::optional<int64_t> seed_;
};

}  // namespace detail
}  // namespace cornu::data
