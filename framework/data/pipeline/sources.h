// Where pipelines begin: tensors, containers, numbers, functions, datasets.
#pragma once
#include "map.h"

namespace cornu::data {

/// Options of generate.
struct GenerateOptions {
  std::string name = "generate";     ///< in errors, warnings and statistics
  std::optional<int64_t> seed = {};  ///< of Place; default: follows from the pipeline's seed
};

/// Options of from for a Dataset.
struct DatasetOptions {
  /// Threads that call Dataset::batch, which must then be able to run several times at once; 0: the
  /// caller's own.
  int64_t workers = 0;
  int64_t max_queue_size = 10;   ///< batches made ahead, at most
  std::string name = "dataset";  ///< in errors, warnings and statistics
};

namespace detail {

/// The rows of an array in the host's memory, such as a tensor's or a mapped file's.
struct Rows {
  const std::byte* data = nullptr;
  Shape row = {};  ///< of one
  DType dtype = DType::float32;
  int64_t count = 0;
  std::shared_ptr<const void> owner = {};  ///< keeps the memory
  StringTable strings = {};                ///< of string tensors
  size_t bytes() const { return static_cast<size_t>(row.numel()) * size_of(dtype); }  ///< of one
};

/// Rows of a tensor, which goes to the host if it is not there. Throws ShapeError for a scalar.
Rows rows_of_tensor(const Tensor& tensor);

/// Samples whose tensors are rows of arrays.
class RowSource final : public Node<Batch> {
 public:
  /// The nests have a tensor, of which nothing but its place counts, for each of the arrays. Throws
  /// ShapeError when the arrays have different numbers of rows.
  RowSource(std::string name, Nest x, Nest y, Nest sample_weight, std::vector<Rows> columns);
  std::string name() const override { return name_; }
  int64_t size() const override { return count_; }
  bool indexed() const override { return true; }
  bool batched() const override { return false; }
  Batch at(const Pass& pass, const Where& where) const override;
  std::optional<Batch> gather(const Pass& pass, std::span<const Where> places) const override;

 private:
  Batch packed(const std::vector<Tensor>& tensors) const;

  std::string name_;
  Nest x_, y_, sample_weight_;
  std::vector<Rows> columns_;
  int64_t count_ = 0;
};

/// Copies of the elements of a vector.
template <class T>
class VectorSource final : public Node<T> {
 public:
  explicit VectorSource(std::vector<T> elements) : elements_(std::move(elements)) {}
  std::string name() const override { return "from"; }
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }
  bool indexed() const override { return true; }
  bool batched() const override { return false; }
  T at(const Pass& pass, const Where& where) const override {
    return worked(pass, this, where.index, 1,
                  [&] { return T(elements_[static_cast<size_t>(where.index)]); });
  }
  std::string file_of(const Where& where) const override {
    return source_of(elements_[static_cast<size_t>(where.index)]);
  }

 private:
  std::vector<T> elements_;
};

/// Numbers at equal distances.
class RangeSource final : public Node<int64_t> {
 public:
  RangeSource(int64_t begin, int64_t end, int64_t step);
  /// begin, begin + 1, ... without an end.
  explicit RangeSource(int64_t begin) : begin_(begin), step_(1), count_(Dataset::endless) {}
  std::string name() const override { return "range"; }
  int64_t size() const override { return count_; }
  bool indexed() const override { return true; }
  bool batched() const override { return false; }
  int64_t at(const Pass& pass, const Where& where) const override {
    return worked(pass, this, where.index, 1, [&] { return begin_ + where.index * step_; });
  }

 private:
  int64_t begin_, step_, count_;
};

template <class F>
concept PlaceFunction = std::invocable<const F&, const Place&>;
/// Whether F makes an element of its number.
template <class F>
concept IndexFunction = !PlaceFunction<F> && std::invocable<const F&, int64_t>;
/// Whether generate takes it.
template <class F>
concept GeneratorFunction = PlaceFunction<F> || IndexFunction<F> || std::invocable<F&>;

template <class F>
struct GeneratedBy : std::invoke_result<F&> {};
template <PlaceFunction F>
struct GeneratedBy<F> : std::invoke_result<const F&, const Place&> {};
template <IndexFunction F>
struct GeneratedBy<F> : std::invoke_result<const F&, int64_t> {};

template <class R>
struct ElementOf {
  using type = R;
};
template <class R>
struct ElementOf<std::optional<R>> {
  using type = R;
};

/// What a function of generate gives.
template <class F>
struct Generated {
  using raw = std::remove_cvref_t<typename GeneratedBy<F>::type>;  ///< its result
  using type = typename ElementOf<raw>::type;                      ///< an element
  /// Whether it says when there is no more.
  static constexpr bool ends = !std::same_as<raw, type>;
};

/// Elements that a function of their place makes.
template <class T>
class PlaceSource final : public Node<T> {
 public:
  using Call =
      std::function<std::optional<T>(const Place&)>;  ///< makes an element, if there is one

  PlaceSource(Call f, int64_t size, GenerateOptions options)
      : f_(std::move(f)), size_(size), options_(std::move(options)) {}
  std::string name() const override { return options_.name; }
  int64_t size() const override { return size_; }
  bool indexed() const override { return size_ != Dataset::unknown; }
  bool batched() const override { return std::same_as<T, Batch>; }
  bool calls_user() const override { return true; }
  std::optional<int64_t> seed() const override { return options_.seed; }

  T at(const Pass& pass, const Where& where) const override {
    std::optional<T> made = call(pass, where);
    if (made) return std::move(*made);
    throw DataError(fewer(where), name(), where.epoch, where.index);
  }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    if (indexed()) return Node<T>::open(pass, epoch, from);
    return std::make_unique<PlaceCursor>(*this, pass, Where{epoch, from.take()});
  }

 private:
  class PlaceCursor final : public Cursor<T> {
   public:
    PlaceCursor(const PlaceSource& source, PassPtr pass, Where where)
        : source_(source), pass_(std::move(pass)), where_(where) {}
    std::optional<T> next() override {
      std::optional<T> made = source_.call(*pass_, where_);
      where_.index += made.has_value();
      return made;
    }
    void save(Position& out) const override { out.push_back(where_.index); }
    void ancestors(Ancestors& out) const override {
      out.push_back(OfStage{&source_, {where_.epoch, where_.index - 1}});
    }

   private:
    const PlaceSource& source_;
    PassPtr pass_;
    Where where_;
  };

  std::optional<T> call(const Pass& pass, const Where& where) const {
    StageRecord& record = pass.runtime().record(this);
    try {
      const Work work(record, where.index);
      std::optional<T> made = f_(Place{record.seed, where.epoch, where.index, pass.token()});
      record.items.fetch_add(made.has_value(), std::memory_order_relaxed);
      return made;
    } catch (...) {
      throw_data_error(*this, where, "");
    }
  }
  std::string fewer(const Where& where) const {
    return "Stage '" + name() + "' has no element " + std::to_string(where.index) + " though " +
           std::to_string(size_) + " were announced.";
  }

  Call f_;
  int64_t size_;
  GenerateOptions options_;
};

/// Elements that a function with a state gives one after the other; each pass has a fresh copy of
/// it. Going on from a position runs through what comes before.
template <class T>
class CallSource final : public Node<T> {
 public:
  using Call = std::function<std::optional<T>()>;  ///< makes the next element, if there is one

  CallSource(Call f, int64_t size, GenerateOptions options)
      : f_(std::move(f)), size_(size), options_(std::move(options)) {}
  std::string name() const override { return options_.name; }
  int64_t size() const override { return size_; }
  bool batched() const override { return std::same_as<T, Batch>; }
  bool calls_user() const override { return true; }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    auto cursor = std::make_unique<CallCursor>(*this, pass, epoch);
    const int64_t count = from.take();
    for (int64_t i = 0; i < count; ++i) cursor->next();
    return cursor;
  }

 private:
  class CallCursor final : public Cursor<T> {
   public:
    CallCursor(const CallSource& source, PassPtr pass, int64_t epoch)
        : source_(source), pass_(std::move(pass)), f_(source.f_), where_{epoch, 0} {}
    std::optional<T> next() override {
      if (ended_ || where_.index == source_.size_) return {};
      StageRecord& record = pass_->runtime().record(&source_);
      try {
        const Work work(record, where_.index);
        std::optional<T> made = f_();
        ended_ = !made;
        where_.index += made.has_value();
        record.items.fetch_add(made.has_value(), std::memory_order_relaxed);
        return made;
      } catch (...) {
        throw_data_error(source_, where_, "");
      }
    }
    void save(Position& out) const override { out.push_back(where_.index); }
    void ancestors(Ancestors& out) const override {
      out.push_back(OfStage{&source_, {where_.epoch, where_.index - 1}});
    }

   private:
    const CallSource& source_;
    PassPtr pass_;
    Call f_;
    Where where_;
    bool ended_ = false;
  };

  Call f_;
  int64_t size_;
  GenerateOptions options_;
};

/// The source of generate.
template <GeneratorFunction F>
NodePtr<typename Generated<F>::type> generated(F f, int64_t size, GenerateOptions options) {
  using T = typename Generated<F>::type;
  if constexpr (PlaceFunction<F> || IndexFunction<F>) {
    // Shared, so one that cannot be copied serves as well.
    auto call =
        [f = std::make_shared<const F>(std::move(f))](const Place& place) -> std::optional<T> {
      if constexpr (PlaceFunction<F>)
        return std::invoke(*f, place);
      else
        return std::invoke(*f, place.index);
    };
    return std::make_shared<PlaceSource<T>>(std::move(call), size, std::move(options));
  } else {
    return std::make_shared<CallSource<T>>(std::move(f), size, std::move(options));
  }
}

/// Batches of a user's own Dataset, which is told of passes.
class DatasetSource final : public Node<Batch> {
 public:
  DatasetSource(std::shared_ptr<Dataset> dataset, DatasetOptions options);
  std::string name() const override { return options_.name; }
  int64_t size() const override { return dataset_->size(); }
  bool indexed() const override { return size() >= 0; }
  bool calls_user() const override { return true; }
  int64_t workers() const override { return indexed() ? options_.workers : 0; }
  bool takes_workers() const override { return indexed(); }
  void begin_pass(int64_t epoch) const override { dataset_->on_epoch_begin(epoch); }
  void end_pass(int64_t epoch) const override { dataset_->on_epoch_end(epoch); }
  Batch at(const Pass& pass, const Where& where) const override;
  CursorPtr<Batch> walk(const PassPtr& pass, Walk order, int64_t k) const override;
  CursorPtr<Batch> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override;

 private:
  class NextCursor;
  std::optional<Batch> call(const Pass& pass, const Where& where) const;

  std::shared_ptr<Dataset> dataset_;
  DatasetOptions options_;
};

}  // namespace detail
}  // namespace cornu::data
