// Cache: elements that are made once and kept, in memory or in a file.
#pragma once
#include <map>
#include <typeinfo>

#include "cache_file.h"
#include "stage.h"
#include "stored.h"

namespace cornu::data {

/// Options of Pipeline::cache in a file.
struct CacheOptions {
  /// The cache: a folder of shards (docs/data.md), whose parent folder is there.
  std::filesystem::path file = {};
  /// What else the elements follow from, and Cornu cannot see: what the functions before the cache
  /// do, or what the files hold that they read. A cache of another version is an error.
  std::string version = {};
};

namespace detail {

/// Where a cache keeps elements, by their numbers. Any thread may call.
template <class T>
class Kept {
 public:
  virtual ~Kept() = default;
  /// Comes before all others in a walk.
  virtual void open(const Pass&, const Stage&) {}
  virtual std::optional<T> find(int64_t index) const = 0;  ///< an element, if it is there
  /// Takes an element of `count`, or of an unknown number, and gives what is there for it.
  virtual T keep(int64_t index, T element, int64_t count) = 0;
  virtual void finish(int64_t count) = 0;  ///< a walk came to its end behind so many
  /// How many there are, once all of `count`, or of an unknown number, are there.
  virtual std::optional<int64_t> whole(int64_t count) const = 0;
};

/// Elements in memory.
template <class T>
class KeptInMemory final : public Kept<T> {
 public:
  std::optional<T> find(int64_t index) const override {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(index);
    return found == kept_.end() ? std::nullopt : std::optional<T>(found->second);
  }
  // What came first stays, so that all see the same.
  T keep(int64_t index, T element, int64_t) override {
    const std::lock_guard lock(mutex_);
    return kept_.emplace(index, std::move(element)).first->second;
  }
  void finish(int64_t count) override {
    const std::lock_guard lock(mutex_);
    whole_ = static_cast<int64_t>(kept_.size()) == count;
  }
  std::optional<int64_t> whole(int64_t count) const override {
    const std::lock_guard lock(mutex_);
    const auto size = static_cast<int64_t>(kept_.size());
    return whole_ || size == count ? std::optional(size) : std::nullopt;
  }

 private:
  mutable std::mutex mutex_;
  std::map<int64_t, T> kept_;
  bool whole_ = false;
};

/// Elements in a file.
template <class T>
class KeptInFile final : public Kept<T> {
 public:
  explicit KeptInFile(CacheOptions options)
      : version_(std::move(options.version)), file_(std::move(options.file)) {}
  void open(const Pass& pass, const Stage& cache) override {
    // All that may differ from walk to walk are seeds, which follow from each other.
    const int64_t seed = pass.runtime().record(&cache).seed;
    if (opened_.load(std::memory_order_acquire) && seed_.load(std::memory_order_relaxed) == seed)
      return;
    file_.open(origin_of(pass, cache, typeid(T).name(), version_));
    seed_.store(seed, std::memory_order_relaxed);
    opened_.store(true, std::memory_order_release);
  }
  std::optional<T> find(int64_t index) const override {
    std::optional<T> element;
    file_.find(index, [&](std::span<const std::byte> bytes) {
      ElementReader reader(bytes);
      restore(reader, element.emplace());
      reader.finish();
    });
    return element;
  }
  T keep(int64_t index, T element, int64_t count) override {
    ElementWriter writer;
    store(writer, element);
    file_.keep(index, writer.written(), count);
    return element;
  }
  void finish(int64_t count) override { file_.finish(count); }
  std::optional<int64_t> whole(int64_t) const override { return file_.whole(); }

 private:
  std::string version_;
  CacheFile file_;
  std::atomic<bool> opened_{false};
  std::atomic<int64_t> seed_{0};  // of a walk for which it was opened
};

/// Elements that are made for the first who asks. Whoever that is, they are those of epoch 0, so
/// that what comes out does not depend on when that was, or whether a run was resumed in between.
template <class T>
class CacheStage final : public Node<T> {
 public:
  CacheStage(NodePtr<T> source, std::unique_ptr<Kept<T>> kept)
      : source_(std::move(source)), kept_(std::move(kept)) {}
  std::string name() const override { return "cache"; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override { return source_->size() >= 0 ? source_->size() : whole_or_not(); }
  bool indexed() const override { return source_->indexed() && source_->size() >= 0; }

  T at(const Pass& pass, const Where& where) const override {
    open_kept(pass, where);
    if (std::optional<T> known = find(pass, where)) return std::move(*known);
    return keep(pass, where, source_->at(pass, first(where)));
  }
  void ancestors(const Pass&, const Where& where, Ancestors& out) const override {
    out.push_back(OfStage{source_.get(), first(where)});
  }
  CursorPtr<T> walk(const PassPtr& pass, Walk order, int64_t k) const override {
    open_kept(*pass, {pass->epoch(), 0});
    if (!source_->threaded() || is_whole()) return Node<T>::walk(pass, std::move(order), k);
    Walk made{[at = order.at](int64_t n) { return first(at(n)); }, order.size};
    CursorPtr<T> source = source_->walk(pass, std::move(made), k);
    return std::make_unique<KeepingCursor>(*this, pass, std::move(order), k, std::move(source));
  }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    if (indexed()) return Node<T>::open(pass, epoch, from);
    // Until all elements are known they come from the source, whichever walk is the first to end.
    const int64_t count = from.take();
    open_kept(*pass, {epoch, count});
    const Position start;
    PositionReader beginning(start);
    auto cursor = std::make_unique<SequenceCursor>(
        *this, pass, epoch, is_whole() ? nullptr : source_->open(pass, 0, beginning));
    cursor->skip(count);
    return cursor;
  }

 private:
  class KeepingCursor final : public Cursor<T> {
   public:
    KeepingCursor(const CacheStage& stage, PassPtr pass, Walk order, int64_t k, CursorPtr<T> source)
        : stage_(stage),
          pass_(std::move(pass)),
          order_(std::move(order)),
          k_(k),
          source_(std::move(source)) {}
    std::optional<T> next() override {
      std::optional<T> element = source_->next();
      if (!element) return {};
      last_.index = -1;
      while (last_.index < 0) last_ = order_.at(k_++);
      if (std::optional<T> known = stage_.find(*pass_, last_)) return known;
      return stage_.keep(*pass_, last_, std::move(*element));
    }
    void save(Position& out) const override { out.push_back(k_); }
    void ancestors(Ancestors& out) const override { out.push_back(OfStage{&stage_, last_}); }

   private:
    const CacheStage& stage_;
    PassPtr pass_;
    Walk order_;
    int64_t k_;
    CursorPtr<T> source_;
    Where last_;
  };

  // The elements of a source that has no numbers for them: its own count.
  class SequenceCursor final : public Cursor<T> {
   public:
    SequenceCursor(const CacheStage& stage, PassPtr pass, int64_t epoch, CursorPtr<T> source)
        : stage_(stage), pass_(std::move(pass)), where_{epoch, 0}, source_(std::move(source)) {}
    void skip(int64_t count) {
      if (!source_) where_.index = count;
      while (where_.index < count && next()) {
      }
    }
    std::optional<T> next() override {
      if (!source_) return kept();
      std::optional<T> element = source_->next();
      if (!element) {
        stage_.finish(*pass_, where_);
        return {};
      }
      T given = stage_.keep(*pass_, where_, std::move(*element));
      ++where_.index;
      return given;
    }
    void save(Position& out) const override { out.push_back(where_.index); }
    // What is kept does not know what it was made of.
    void ancestors(Ancestors& out) const override {
      if (source_) source_->ancestors(out);
    }

   private:
    std::optional<T> kept() {
      if (where_.index >= stage_.whole_or_not()) return {};
      std::optional<T> element = stage_.find(*pass_, where_);
      ++where_.index;
      return element;
    }

    const CacheStage& stage_;
    PassPtr pass_;
    Where where_;
    CursorPtr<T> source_;  // null when all is kept
  };

  static Where first(const Where& where) { return {0, where.index}; }

  // What was kept may be damaged, or a disk be full.
  template <class F>
  auto guarded(const Pass& pass, const Where& where, const F& f) const {
    StageRecord& record = pass.runtime().record(this);
    try {
      const Work work(record, where.index);
      return f(record);
    } catch (...) {
      throw_data_error(*this, where, "");
    }
  }
  void open_kept(const Pass& pass, const Where& where) const {
    guarded(pass, where, [&](StageRecord&) { kept_->open(pass, *this); });
  }
  std::optional<T> find(const Pass& pass, const Where& where) const {
    return guarded(pass, where, [&](StageRecord& record) {
      std::optional<T> known = kept_->find(where.index);
      record.items.fetch_add(known.has_value(), std::memory_order_relaxed);
      return known;
    });
  }
  T keep(const Pass& pass, const Where& where, T element) const {
    return guarded(pass, where, [&](StageRecord& record) {
      record.items.fetch_add(1, std::memory_order_relaxed);
      return kept_->keep(where.index, std::move(element), source_->size());
    });
  }
  void finish(const Pass& pass, const Where& where) const {
    guarded(pass, where, [&](StageRecord&) { kept_->finish(where.index); });
  }
  bool is_whole() const { return kept_->whole(source_->size()).has_value(); }
  int64_t whole_or_not() const { return kept_->whole(source_->size()).value_or(source_->size()); }

  NodePtr<T> source_;
  std::unique_ptr<Kept<T>> kept_;
};

}  // namespace detail
}  // namespace cornu::data
