// Stages of a pipeline, and the cursors that walk over their elements.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../dataset.h"
#include "ancestors.h"
#include "collate.h"
#include "pass.h"

namespace cornu::data {

/// Where a walk over a pipeline stands: a few integers. Opening the pipeline there goes on behind
/// the element after which they were taken.
using Position = std::vector<int64_t>;

namespace detail {

/// An order in which to take elements of a stage.
struct Walk {
  std::function<Where(int64_t)> at;  ///< of the k-th element
  int64_t size = 0;                  ///< how many, or Dataset::endless
};

/// The integers of a position, one after the other; without any, a walk begins at the start.
class PositionReader {
 public:
  explicit PositionReader(const Position& position) : position_(position) {}
  bool given() const { return !position_.empty(); }  ///< whether a walk goes on
  /// The next integer, 0 at the start. Throws StateError when there are no more, or it is negative.
  int64_t take();
  /// Throws StateError when not all were taken: the position is another pipeline's.
  void finish() const;

 private:
  const Position& position_;
  size_t next_ = 0;
};

/// Elements one after the other, on one thread at a time.
template <class T>
class Cursor {
 public:
  virtual ~Cursor() = default;
  /// The next element; nothing at the end.
  virtual std::optional<T> next() = 0;
  /// Adds where it stands, behind the last element that `next` gave.
  virtual void save(Position& out) const = 0;
  /// Adds what the last element that `next` gave was made of; nothing where nobody knows.
  virtual void ancestors(Ancestors& out) const = 0;
};

template <class T>
using CursorPtr = std::unique_ptr<Cursor<T>>;

/// What the last element of a cursor was made of.
template <class T>
Ancestors last_ancestors(const Cursor<T>& cursor) {
  Ancestors all;
  cursor.ancestors(all);
  return all;
}

/// What stages of all types are: names, sizes, and where they stand. Stages do not change.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual std::string name() const = 0;  ///< for errors and statistics
  virtual std::vector<std::shared_ptr<const Stage>> sources() const { return {}; }  ///< before it
  /// Elements of a pass, Dataset::unknown or Dataset::endless.
  virtual int64_t size() const = 0;
  /// Whether any element can be made by itself, from several threads at a time.
  virtual bool indexed() const { return false; }
  /// Whether other threads work for it or a stage before it.
  virtual bool threaded() const;
  /// Whether its elements are batches rather than samples.
  virtual bool batched() const;
  virtual bool calls_user() const { return false; }  ///< whether it calls functions of the user's
  virtual int64_t workers() const { return 0; }      ///< threads of its own
  virtual bool takes_workers() const { return false; }  ///< whether it could have more of them
  virtual std::optional<int64_t> seed() const { return {}; }  ///< if it was given one
  /// Whether what it gives may follow from its seed.
  virtual bool draws() const { return calls_user(); }
  /// Adds the elements of the stages before that an element of an indexed stage is made of.
  virtual void ancestors(const Pass& pass, const Where& where, Ancestors& out) const;
  /// The file that an element of a source comes from, if the source has its name.
  virtual std::string file_of(const Where&) const { return {}; }
  /// Tells what wants to know of passes; from the source on.
  virtual void begin_pass(int64_t epoch) const;
  virtual void end_pass(int64_t epoch) const;
};

/// A stage of elements of one type.
template <class T>
class Node : public Stage {
 public:
  /// One element of an indexed stage, made on the calling thread.
  virtual T at(const Pass& pass, const Where& where) const;
  /// Several elements as one batch, if the stage has their rows in memory; nothing otherwise.
  virtual std::optional<Batch> gather(const Pass&, std::span<const Where>) const { return {}; }
  /// Elements of an indexed stage in some order, from the k-th on.
  virtual CursorPtr<T> walk(const PassPtr& pass, Walk order, int64_t k) const;
  /// All elements in order.
  virtual CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const;
};

template <class T>
using NodePtr = std::shared_ptr<const Node<T>>;

/// The elements of an indexed stage, made one by one by whoever asks.
template <class T>
class IndexCursor final : public Cursor<T> {
 public:
  IndexCursor(const Node<T>& node, PassPtr pass, Walk order, int64_t k)
      : node_(node), pass_(std::move(pass)), order_(std::move(order)), k_(k) {}
  std::optional<T> next() override {
    while (order_.size == Dataset::endless || k_ < order_.size) {
      last_ = order_.at(k_++);
      if (last_.index >= 0) return node_.at(*pass_, last_);
    }
    return {};
  }
  void save(Position& out) const override { out.push_back(k_); }
  void ancestors(Ancestors& out) const override { out.push_back(OfStage{&node_, last_}); }

 private:
  const Node<T>& node_;
  PassPtr pass_;
  Walk order_;
  int64_t k_;
  Where last_;
};

/// A walk over all elements of an indexed stage, whose position is how many have come.
template <class T>
class CountingCursor final : public Cursor<T> {
 public:
  CountingCursor(CursorPtr<T> inner, int64_t count) : inner_(std::move(inner)), count_(count) {}
  std::optional<T> next() override {
    std::optional<T> element = inner_->next();
    count_ += element.has_value();
    return element;
  }
  void save(Position& out) const override { out.push_back(count_); }
  void ancestors(Ancestors& out) const override { inner_->ancestors(out); }

 private:
  CursorPtr<T> inner_;
  int64_t count_;
};

[[noreturn]] void throw_not_indexed(const Stage& stage);

/// Throws StateError for a position behind more elements than an indexed stage has.
void check_position(const Stage& stage, int64_t count);

/// An element of a stage as errors name it.
struct Failed {
  const Stage& stage;
  Where where;                              ///< which of its elements
  std::string file = {};                    ///< that it came from, if the element knows it
  std::vector<SourceElement> made_of = {};  ///< if anybody knows
};

/// Throws what became of an error in a stage's function: a DataError, which is passed on as it is.
[[noreturn]] void throw_data_error(const Failed& failed);
/// The same of an element whose number is all that is known of it, or its file as well.
[[noreturn]] void throw_data_error(const Stage& stage, const Where& where, const std::string& file);
/// Throws what became of an error in a pipeline that a stage made of an element, which it names.
[[noreturn]] void throw_inside(const Failed& around, const DataError& error);
/// Throws what became of the error of an element that could not become a row of its batch.
[[noreturn]] void throw_row_error(Failed row, const RowError& error);
/// Throws the DataError of rows that do not fit together in a batch, whose error is being handled.
/// `row(i)` is the element that became row i of it.
[[noreturn]] void throw_rows_differ(const Failed& batch, const RowsDiffer& error,
                                    const std::function<Failed(size_t)>& row);
/// Warns that a stage leaves out an element for the error that is being handled.
void warn_skipped(const Failed& failed);

template <class T>
T Node<T>::at(const Pass&, const Where&) const {
  throw_not_indexed(*this);
}

template <class T>
CursorPtr<T> Node<T>::walk(const PassPtr& pass, Walk order, int64_t k) const {
  return std::make_unique<IndexCursor<T>>(*this, pass, std::move(order), k);
}

template <class T>
CursorPtr<T> Node<T>::open(const PassPtr& pass, int64_t epoch, PositionReader& from) const {
  if (!indexed()) throw_not_indexed(*this);
  const int64_t count = from.take();
  check_position(*this, count);
  Walk order{[epoch](int64_t k) { return Where{epoch, k}; }, size()};
  return std::make_unique<CountingCursor<T>>(walk(pass, std::move(order), count), count);
}

/// Bytes that an element holds on to, roughly.
template <class T>
int64_t bytes_of(const T& element);
int64_t bytes_of(const Tensor& tensor);
int64_t bytes_of(const Nest& nest);
int64_t bytes_of(const Batch& batch);

template <class T>
int64_t bytes_of(const T& element) {
  if constexpr (
      requires {
        element.image;
        element.source;
      } ||
      requires {
        { element.bytes() } -> std::convertible_to<int64_t>;
      }) {
    if constexpr (requires {
                    { element.bytes() } -> std::convertible_to<int64_t>;
                  })
      return static_cast<int64_t>(element.bytes());
    else if constexpr (requires { bytes_in(element); })
      return bytes_in(element);
    else
      return static_cast<int64_t>(sizeof(T)) + bytes_of(element.image);
  } else if constexpr (requires {
                         element.first;
                         element.second;
                       }) {
    return bytes_of(element.first) + bytes_of(element.second);
  } else if constexpr (requires {
                         element.size();
                         *element.data();
                       }) {
    using E = std::remove_cvref_t<decltype(*element.data())>;
    if constexpr (std::is_trivially_copyable_v<E>) {
      return static_cast<int64_t>(element.size() * sizeof(E) + sizeof(T));
    } else {
      int64_t sum = sizeof(T);
      for (const auto& one : element) sum += bytes_of(one);
      return sum;
    }
  } else {
    return sizeof(T);
  }
}

}  // namespace detail
}  // namespace cornu::data
