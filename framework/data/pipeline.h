// Pipelines: data from their source to batches, stage by stage.
#pragma once
#include "pipeline/batch.h"
#include "pipeline/cache.h"
#include "pipeline/combine.h"
#include "pipeline/explain.h"
#include "pipeline/interleave.h"
#include "pipeline/prefetch.h"
#include "pipeline/sequence.h"
#include "pipeline/sources.h"
#include "pipeline/stream.h"
#include "sample.h"
#include "show_options.h"

namespace cornu::data {

template <class T>
class Pipeline;

namespace detail {

/// See Pipeline::show.
void show_first(const Pipeline<Sample>& samples, int64_t count, const std::string& path,
                const ShowOptions& options);
void show_first(const Pipeline<Batch>& batches, int64_t count, const std::string& path,
                const ShowOptions& options);
/// A pipeline of batches as fit, evaluate and predict take it.
std::shared_ptr<Dataset> dataset_of(const Pipeline<Batch>& pipeline);
/// Throws ValueError unless `value` is at least `least`.
void check_least(const char* stage, const char* option, int64_t value, int64_t least);
/// Throws ValueError for data without an end, of which `what` would not end either.
void check_end(const char* what, const Stage& source);
/// Throws ValueError for a shuffle of all elements of a source that cannot give them by number.
void check_full_shuffle(const Stage& source);
/// The samples of a batch, one by one.
Pipeline<Batch> samples_of_batch(const Batch& batch);
/// Throws ValueError unless 0 <= rank < size.
void check_rank(int64_t rank, int64_t size);
/// Throws ValueError for options that ask for padding where `what` makes the batches, which does
/// none.
void check_no_padding(const char* what, const BatchOptions& options);

}  // namespace detail

/// The elements of one epoch, as a range.
template <class T>
class Epoch {
 public:
  /// Of the epoch with this number, from 0.
  Epoch(const Pipeline<T>& pipeline, int64_t epoch) : pipeline_(pipeline), epoch_(epoch) {}
  detail::StreamIterator<T> begin() const;                               ///< opens the pipeline
  std::default_sentinel_t end() const { return std::default_sentinel; }  ///< of the range

 private:
  Pipeline<T> pipeline_;
  int64_t epoch_;
};

/// A source of elements and the stages that they go through, as a value: stages give a new
/// pipeline, and copies share what they have in common. Nothing happens before somebody takes
/// elements, by a loop, by `open`, or by fit, evaluate and predict, which take a Pipeline<Batch>.
///
///   auto train = data::from(x, y).shuffle().map(augment, {.workers = 4}).batch(64).prefetch(4);
///   model.fit(train, {.epochs = 3});
///   for (const Batch& batch : train) ...
///
/// What comes out is a function of the seed, the epoch and the element's number alone: not of the
/// number of workers, nor of where a run was interrupted. Elements are in the host's memory until
/// they leave the pipeline. Functions of stages with workers are called by several threads at a
/// time. An exception in one of them ends the walk with a DataError.
template <class T>
class Pipeline {
 public:
  using value_type = T;  ///< of the elements

  /// For sources: a pipeline of one stage.
  explicit Pipeline(detail::NodePtr<T> node, const PipelineOptions& options = {})
      : node_(std::move(node)), runtime_(std::make_shared<detail::Runtime>(node_, options)) {}

  // --- stages
  // ----------------------------------------------------------------------------------------------

  /// f(element) or f(element, place) instead of each element; `place.random()` has the random
  /// numbers to use.
  template <class F>
  auto map(F f, MapOptions options = {}) const {
    static_assert(detail::ElementFunction<F, T> || !std::same_as<T, Batch>,
                  "map: the elements are of type cornu::Batch. Write [](Batch b) { b.x = "
                  "b.x.tensor() * 2; return b; }, with a const data::Place& behind it if you want. "
                  "Several threads call it, so a lambda must not be mutable.");
    static_assert(detail::ElementFunction<F, T> || std::same_as<T, Batch>,
                  "map: the function must be callable with an element, or an element and a "
                  "data::Place. Several threads call it, so a lambda must not be mutable.");
    detail::check_least("map", "workers", options.workers, 0);
    detail::check_least("map", "buffer", options.buffer, 0);
    using U = typename detail::MapResult<T, F>::type;
    return then(std::make_shared<detail::MapStage<T, U>>(
        node_, detail::element_call<U, T&&>(std::move(f)), std::move(options)));
  }

  /// The elements for which f(element) or f(element, place) is true. Their number is not known.
  template <class F>
  Pipeline filter(F f, FilterOptions options = {}) const {
    static_assert(detail::ElementFunction<F, const T&> || !std::same_as<T, Batch>,
                  "filter: the elements are of type cornu::Batch. Write [](const Batch& b) { "
                  "return ...; }, with a const data::Place& behind it if you want.");
    static_assert(detail::ElementFunction<F, const T&> || std::same_as<T, Batch>,
                  "filter: the function must be callable with a const element, or an element and "
                  "a data::Place.");
    return then(std::make_shared<detail::FilterStage<T>>(
        node_, detail::element_call<bool, const T&>(std::move(f)), std::move(options)));
  }

  /// Batches of `count` elements, whose tensors get an axis in front; the last one may be smaller.
  /// Elements are Batch, tensors, numbers, strings, vectors of numbers, pairs and tuples {x, y,
  /// sample_weight} of such or of Batch, whose x count, structs that `Batch as_batch(const
  /// Struct&)` turns into one sample, or types with a function `Batch collate(std::vector<Type>,
  /// const BatchOptions&)` beside them.
  Pipeline<Batch> batch(int64_t count, BatchOptions options = {}) const {
    static_assert(
        detail::Batchable<T>,
        "batch: elements of this type do not become tensors by themselves. Put a function beside "
        "the struct, `cornu::Batch as_batch(const YourStruct& s) { return {s.x, s.y}; }`, or map "
        "to cornu::Batch{x, y} before batch, or give batch a function of std::vector<YourStruct>.");
    detail::check_least("batch", "the number of elements", count, 1);
    using F = detail::DefaultCollate<T>;
    return then(std::make_shared<detail::BatchStage<T, F>>(node_, count, options.drop_remainder,
                                                           F{options}));
  }
  /// The same as in tf.data: `batch(64, true)` leaves a last batch out that is not full.
  template <std::same_as<bool> Bool>
  Pipeline<Batch> batch(int64_t count, Bool drop_remainder) const {
    return batch(count, BatchOptions{.drop_remainder = drop_remainder});
  }
  /// f(std::vector<T>) of groups of `count` elements. Throws ValueError for padding, which is then
  /// up to f.
  template <class F>
  requires std::invocable<const F&, std::vector<T>>
  auto batch(int64_t count, F f, BatchOptions options = {}) const {
    detail::check_least("batch", "the number of elements", count, 1);
    detail::check_no_padding("batch with a function of one's own", options);
    return then(std::make_shared<detail::BatchStage<T, F>>(node_, count, options.drop_remainder,
                                                           std::move(f)));
  }

  /// Padded batches of elements of about equal length: windows of elements are sorted by
  /// length(element) and cut into batches, which come in a random order.
  template <class F>
  Pipeline<Batch> bucket_by_length(F length, int64_t batch_size, BucketOptions options = {}) const {
    static_assert(std::invocable<const F&, const T&>,
                  "bucket_by_length: length must be callable with a const element.");
    detail::check_least("bucket_by_length", "batch_size", batch_size, 1);
    detail::check_least("bucket_by_length", "window", options.window, 0);
    auto as_count = [f = std::make_shared<const F>(std::move(length))](const T& element) {
      return static_cast<int64_t>(std::invoke(*f, element));
    };
    return then(
        std::make_shared<detail::BucketStage<T>>(node_, std::move(as_count), batch_size, options));
  }

  /// The samples of batches, one by one. Their number is not known.
  Pipeline<Batch> unbatch() const requires std::same_as<T, Batch> {
    return then(std::make_shared<detail::FlatStage<Batch, Batch>>(
        node_, detail::element_call<Pipeline, Batch&&>(detail::samples_of_batch),
        InterleaveOptions{.cycle = 1, .name = "unbatch"}, true));
  }

  /// Batches of `count` samples made of batches of other sizes. Throws ValueError for padding.
  Pipeline<Batch> rebatch(int64_t count,
                          BatchOptions options = {}) const requires std::same_as<T, Batch> {
    detail::check_least("rebatch", "the number of samples", count, 1);
    detail::check_no_padding("rebatch", options);
    return then(std::make_shared<detail::RebatchStage>(node_, count, options.drop_remainder));
  }

  /// Another order in each epoch: of all elements, which needs a source that can give them by
  /// number (tensors, containers, files) and no memory, or of windows of so many. Throws ValueError
  /// where the source cannot.
  Pipeline shuffle(ShuffleOptions options = {}) const {
    detail::check_least("shuffle", "window", options.window, 0);
    if (options.window == 0) detail::check_full_shuffle(*node_);
    if (!node_->indexed())
      return then(std::make_shared<detail::WindowShuffleStage<T>>(node_, options));
    return ordered("shuffle", std::make_shared<detail::ShuffleOrder>(options.window), options.seed);
  }

  /// Windows of `window` elements, as `shuffle({.window = window})`.
  template <std::integral Int>
  Pipeline shuffle(Int window, std::optional<int64_t> seed = {}) const {
    detail::check_least("shuffle", "window", static_cast<int64_t>(window), 1);
    return shuffle(ShuffleOptions{.window = static_cast<int64_t>(window), .seed = seed});
  }

  /// Pairs of numbers that count from `start` on, and elements.
  Pipeline<std::pair<int64_t, T>> enumerate(int64_t start = 0) const {
    return then(std::make_shared<detail::ZipStage<int64_t, T>>(
        std::make_shared<detail::RangeSource>(start), node_));
  }

  /// The elements, and then those of another pipeline; with the options of this one.
  Pipeline concatenate(const Pipeline& other) const {
    return then(std::make_shared<detail::ConcatenateStage<T>>(node_, other.node()));
  }

  /// `count` passes one after the other, without an end by default. Each is an epoch to the stages
  /// before: shuffle before repeat gives each its own order.
  Pipeline repeat(int64_t count = -1) const {
    if (count != -1) detail::check_least("repeat", "the number of passes", count, 1);
    if (node_->indexed() && node_->size() >= 0)
      return ordered("repeat", std::make_shared<detail::RepeatOrder>(count));
    return then(std::make_shared<detail::RepeatStage<T>>(node_, count));
  }

  /// The first `count` elements.
  Pipeline take(int64_t count) const {
    detail::check_least("take", "the number of elements", count, 0);
    if (node_->indexed()) return ordered("take", std::make_shared<detail::TakeOrder>(count));
    return then(std::make_shared<detail::TakeStage<T>>(node_, count));
  }

  /// All but the first `count` elements.
  Pipeline skip(int64_t count) const {
    detail::check_least("skip", "the number of elements", count, 0);
    if (node_->indexed()) return ordered("skip", std::make_shared<detail::SkipOrder>(count));
    return then(std::make_shared<detail::SkipStage<T>>(node_, count));
  }

  /// The part of process `rank` of `size`: every size-th element, for all ranks the same number (at
  /// most size - 1 are left out).
  Pipeline shard(int64_t rank, int64_t size) const {
    detail::check_rank(rank, size);
    if (node_->indexed()) return ordered("shard", std::make_shared<detail::ShardOrder>(rank, size));
    return then(std::make_shared<detail::ShardStage<T>>(node_, rank, size));
  }

  /// Elements of the pipelines f(element): `cycle` of them at a time, `block` elements of each in
  /// turn.
  template <class F>
  auto interleave(F f, InterleaveOptions options = {}) const {
    static_assert(detail::ElementFunction<F, T>,
                  "interleave: the function must be callable with an element, or an element and "
                  "a data::Place, and give a pipeline.");
    detail::check_least("interleave", "cycle", options.cycle, 1);
    detail::check_least("interleave", "block", options.block, 1);
    using U = typename detail::MapResult<T, F>::type::value_type;
    return then(std::make_shared<detail::FlatStage<T, U>>(
        node_, detail::element_call<Pipeline<U>, T&&>(std::move(f)), options));
  }

  /// Makes each element once and keeps it in memory. Elements are those of epoch 0, whichever epoch
  /// asks for them first: stages before draw once, so random ones belong behind.
  Pipeline cache() const { return kept(std::make_unique<detail::KeptInMemory<T>>()); }
  /// The same in a file: the first pass that has all elements writes it, and passes and programs
  /// after it read them from there, with the same bits. It appears whole or not at all, so an epoch
  /// that stops early leaves none. The walk throws DataError for a file that is damaged, no cache,
  /// or one of other elements: of another type or number, or made by stages of other names or
  /// seeds. Throws ValueError without a file.
  Pipeline cache(CacheOptions options) const {
    static_assert(
        Storable<T>,
        "cache: elements of this type cannot be written to a file by themselves. Put two functions "
        "beside the struct, `void store(cornu::data::ElementWriter&, const YourStruct&)` and "
        "`void restore(cornu::data::ElementReader&, YourStruct&)`, which call those of its "
        "members.");
    return kept(std::make_unique<detail::KeptInFile<T>>(std::move(options)));
  }
  /// The same as in tf.data: `cache("decoded.cache")`.
  template <std::convertible_to<std::filesystem::path> Path>
  Pipeline cache(const Path& file) const {
    return cache(CacheOptions{.file = file});
  }

  /// Makes `count` elements ahead, in a thread of its own.
  Pipeline prefetch(int64_t count, PrefetchOptions options = {}) const {
    detail::check_least("prefetch", "the number of elements", count, 1);
    detail::check_least("prefetch", "workers", options.workers, 1);
    return then(std::make_shared<detail::PrefetchStage<T>>(node_, count, options));
  }

  /// The same stages with other options.
  Pipeline with(const PipelineOptions& options) const { return Pipeline(node_, options); }

  // --- elements
  // --------------------------------------------------------------------------------------------

  /// Elements of a pass, Dataset::unknown or Dataset::endless.
  int64_t size() const { return node_->size(); }
  /// Begins a walk, or goes on behind a position. Throws StateError for a position of another
  /// pipeline, ValueError for a negative epoch.
  std::unique_ptr<Stream<T>> open(int64_t epoch = 0, const Position& from = {}) const {
    detail::check_least("open", "the epoch", epoch, 0);
    return std::make_unique<Stream<T>>(node_, runtime_, epoch, from);
  }
  /// The elements of an epoch: `for (const Batch& batch : train.epoch(3))`. Throws ValueError for a
  /// negative number.
  Epoch<T> epoch(int64_t number) const {
    detail::check_least("epoch", "the number", number, 0);
    return Epoch<T>(*this, number);
  }
  detail::StreamIterator<T> begin() const { return epoch(0).begin(); }   ///< of epoch 0
  std::default_sentinel_t end() const { return std::default_sentinel; }  ///< of the range

  /// f(f(state, first), second) and so on: what f makes of all elements of epoch 0. Throws
  /// ValueError for data without an end.
  template <class State, class F>
  State reduce(State state, F f) const {
    static_assert(std::is_invocable_r_v<State, F&, State, const T&>,
                  "reduce: the function must be callable with a state and a const element, and "
                  "give a state.");
    detail::check_end("reduce", *node_);
    for (const T& element : *this) state = f(std::move(state), element);
    return state;
  }

  /// What fit, evaluate and predict take. Throws ValueError where elements are single samples.
  operator std::shared_ptr<Dataset>() const requires std::same_as<T, Batch> {
    return detail::dataset_of(*this);
  }

  /// Draws the first `count` samples of epoch 0 into a file that ends in ".png", as a grid with
  /// labels, boxes, points and masks: of samples, or of batches whose x are images (n, h, w, c),
  /// with y where it is a tensor of classes or probabilities. Throws as data::draw, FileError.
  void show(int64_t count, const std::string& path, const ShowOptions& options = {}) const
      requires(std::same_as<T, Sample> || std::same_as<T, Batch>) {
    detail::show_first(*this, count, path, options);
  }

  /// A table of the stages: threads, elements, the time of one, how full queues were and how long
  /// they were waited for, of all walks so far, and what would make the slowest stage faster.
  std::string explain() const { return detail::explain(*runtime_); }

  const PipelineOptions& options() const { return runtime_->options; }  ///< as given
  const detail::NodePtr<T>& node() const { return node_; }              ///< the last stage
  const std::shared_ptr<detail::Runtime>& runtime() const {
    return runtime_;
  }  ///< what walks share

 private:
  Pipeline kept(std::unique_ptr<detail::Kept<T>> in) const {
    return then(std::make_shared<detail::CacheStage<T>>(node_, std::move(in)));
  }
  template <class N>
  auto then(std::shared_ptr<N> stage) const {
    using U =
        typename decltype(stage->open(detail::PassPtr(), 0, std::declval<detail::PositionReader&>())
                              ->next())::value_type;
    return Pipeline<U>(std::move(stage), runtime_->options);
  }
  Pipeline ordered(const char* name, std::shared_ptr<const detail::Order> order,
                   std::optional<int64_t> seed = {}) const {
    return then(std::make_shared<detail::OrderStage<T>>(node_, name, std::move(order), seed));
  }

  detail::NodePtr<T> node_;
  std::shared_ptr<detail::Runtime> runtime_;
};

template <class T>
detail::StreamIterator<T> Epoch<T>::begin() const {
  return detail::StreamIterator<T>(pipeline_.open(epoch_));
}

// --- sources
// -----------------------------------------------------------------------------------------------

/// Samples of tensors, whose first axes are samples: each element is a Batch whose tensors have no
/// such axis. Throws ShapeError when the numbers of samples differ.
Pipeline<Batch> from(const Nest& x, const Nest& y = {}, const Nest& sample_weight = {});
/// The elements of a vector.
template <class T>
Pipeline<T> from(std::vector<T> elements) {
  return Pipeline<T>(std::make_shared<detail::VectorSource<T>>(std::move(elements)));
}
/// The batches of a dataset of one's own, perhaps made by other threads (Keras's PyDataset with
/// workers and max_queue_size).
Pipeline<Batch> from(std::shared_ptr<Dataset> dataset, DatasetOptions options = {});

/// 0, 1, ..., n - 1.
Pipeline<int64_t> range(int64_t n);
/// begin, begin + step, ... before end. Throws ValueError for a step of 0.
Pipeline<int64_t> range(int64_t begin, int64_t end, int64_t step = 1);

/// `size` elements f(place) or f(index), each of which can be made by itself, or f(), one after the
/// other.
template <class F>
auto generate(int64_t size, F f, GenerateOptions options = {}) {
  static_assert(detail::GeneratorFunction<F>,
                "generate: the function must be callable with a const data::Place&, with the "
                "element's number, an int64_t, or without arguments. Several threads call one with "
                "an argument, so that lambda must not be mutable.");
  detail::check_least("generate", "size", size, 0);
  return Pipeline<typename detail::Generated<F>::type>(
      detail::generated(std::move(f), size, std::move(options)));
}

/// Elements f(place), f(index) or f(), which end with the first std::nullopt if f gives
/// std::optional, and never otherwise. Each pass calls a copy of f(), so what it counts begins
/// anew.
template <class F>
requires(!std::integral<F>) auto generate(F f, GenerateOptions options = {}) {
  static_assert(detail::GeneratorFunction<F>,
                "generate: the function must be callable with a const data::Place&, with the "
                "element's number, an int64_t, or without arguments. Several threads call one with "
                "an argument, so that lambda must not be mutable.");
  using G = detail::Generated<F>;
  return Pipeline<typename G::type>(detail::generated(
      std::move(f), G::ends ? Dataset::unknown : Dataset::endless, std::move(options)));
}

/// Pairs of elements, or tuples of those of more pipelines, as many as the shortest has; with the
/// first one's options.
template <class A, class B, class... More>
auto zip(const Pipeline<A>& a, const Pipeline<B>& b, const Pipeline<More>&... more) {
  using Stage = detail::ZipStage<A, B, More...>;
  return Pipeline<typename Stage::T>(std::make_shared<Stage>(a.node(), b.node(), more.node()...),
                                     a.options());
}

/// `block` elements of each pipeline in turn, until all have ended; with the first one's options.
template <class T>
Pipeline<T> interleave(const std::vector<Pipeline<T>>& pipelines, InterleaveOptions options = {}) {
  detail::check_least("interleave", "the number of pipelines",
                      static_cast<int64_t>(pipelines.size()), 1);
  detail::check_least("interleave", "block", options.block, 1);
  std::vector<detail::NodePtr<T>> nodes;
  for (const auto& one : pipelines) nodes.push_back(one.node());
  return Pipeline<T>(
      std::make_shared<detail::InterleaveStage<T>>(std::move(nodes), std::move(options)),
      pipelines[0].options());
}

/// The same of pipelines in braces.
template <class T>
Pipeline<T> interleave(std::initializer_list<Pipeline<T>> pipelines,
                       InterleaveOptions options = {}) {
  return interleave(std::vector<Pipeline<T>>(pipelines), std::move(options));
}

/// The same of two or more, by default options.
template <class T, std::derived_from<Pipeline<T>>... More>
Pipeline<T> interleave(const Pipeline<T>& a, const Pipeline<T>& b, const More&... more) {
  return interleave(std::vector<Pipeline<T>>{a, b, more...});
}

}  // namespace cornu::data
