// Rows and batches: how the elements of a pipeline become one batch.
#pragma once
#include <array>
#include <exception>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "../dataset.h"

namespace cornu::data {

/// Options of Pipeline::batch.
struct BatchOptions {
  bool drop_remainder = false;  ///< leaves out a last batch that is not full
  /// Makes tensors of one batch as large along each axis as the largest of them, instead of
  /// throwing ShapeError when they differ.
  bool pad = false;
  double pad_value = 0;  ///< what stands behind the ends
};

namespace detail {

/// An element that could not become a row of its batch.
struct RowError {
  size_t row = 0;                 ///< of the batch
  std::string source = {};        ///< the file that the element came from, if it is known
  std::exception_ptr cause = {};  ///< what was thrown
};

/// Two rows that do not fit together into one batch. A stage says which elements they were.
class RowsDiffer : public ShapeError {
 public:
  /// The text is `pieces` with the names of the rows between them.
  RowsDiffer(std::array<size_t, 2> differing, std::array<std::string, 3> pieces);
  /// The text with other names of the rows.
  std::string text(const std::string& first, const std::string& second) const;
  std::array<size_t, 2> rows;             ///< of the batch
  std::array<std::string, 2> files = {};  ///< that they came from, if they are known

 private:
  std::array<std::string, 3> pieces_;
};

/// One batch of rows, whose tensors get an axis in front. Throws RowsDiffer for the first row that
/// has another shape, dtype or structure than row 0.
Batch stack(std::vector<Batch> rows, const BatchOptions& options);
/// One batch of batches, whose samples follow each other. Throws RowsDiffer likewise.
Batch concatenate(const std::vector<Batch>& batches);
/// Number of samples of a batch. Throws ShapeError.
int64_t samples_of(const Batch& batch);
/// Samples [begin, end) of a batch.
Batch rows_of(const Batch& batch, int64_t begin, int64_t end);
/// The batch on the default device.
Batch to_default_device(Batch batch);

template <class T>
concept HasAsBatch = requires(const T& element) {
  { as_batch(element) } -> std::convertible_to<Batch>;
};
template <class T>
concept Collates = requires(std::vector<T> elements, const BatchOptions& options) {
  { collate(std::move(elements), options) } -> std::convertible_to<Batch>;
};
/// What becomes a tensor by itself.
template <class T>
concept TensorLike =
    std::is_arithmetic_v<T> || std::same_as<T, std::string> || std::convertible_to<T, Nest>;

/// Whether T is a pair or a tuple {x, y, sample_weight} of what become tensors.
template <class T>
concept Part = TensorLike<T> || std::same_as<T, Batch>;
template <class T>
struct IsTuple : std::false_type {};
template <Part... A>
struct IsTuple<std::tuple<A...>> : std::bool_constant<(sizeof...(A) <= 3)> {};
template <Part A, Part B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

/// The inputs of a sample that is a part of a pair. Throws ValueError when it has targets or
/// weights, which would have no place.
Nest inputs_of(Batch part);

/// The tensors of one element.
template <class T>
Nest nest_of(T&& element) {
  using D = std::remove_cvref_t<T>;
  if constexpr (std::same_as<D, std::string>)
    return Tensor::strings({std::forward<T>(element)}, Shape{});
  else if constexpr (std::is_arithmetic_v<D>)
    return Tensor::from_host(&element, Shape{});
  else if constexpr (std::same_as<D, Batch>)
    return inputs_of(std::forward<T>(element));
  else
    return Nest(std::forward<T>(element));
}

template <class T>
concept Batchable =
    std::same_as<T, Batch> || Collates<T> || HasAsBatch<T> || TensorLike<T> || IsTuple<T>::value;

/// An element as a row: a Batch whose tensors have no axis of samples.
template <class T>
Batch row_of(T&& element) {
  using D = std::remove_cvref_t<T>;
  static_assert(
      Batchable<D>,
      "batch: elements of this type do not become tensors by themselves. Give it a function beside "
      "the struct, `cornu::Batch as_batch(const YourStruct& s) { return {s.x, s.y}; }`, or map to "
      "cornu::Batch{x, y} before batch.");
  if constexpr (std::same_as<D, Batch>) {
    return std::forward<T>(element);
  } else if constexpr (HasAsBatch<D>) {
    return as_batch(element);
  } else if constexpr (TensorLike<D>) {
    return Batch{nest_of(std::forward<T>(element))};
  } else {
    return std::apply(
        [](auto&&... parts) { return Batch{nest_of(std::forward<decltype(parts)>(parts))...}; },
        std::forward<T>(element));
  }
}

/// The file that an element came from, of types that know it.
template <class T>
std::string source_of(const T& element) {
  if constexpr (requires { std::string(element.source); })
    return std::string(element.source);
  else if constexpr (requires { std::string(element.sample.source); })
    return std::string(element.sample.source);
  else
    return {};
}

/// A batch of elements. Throws RowError for one that cannot become a row.
template <class T>
Batch collated(std::vector<T> elements, const BatchOptions& options) {
  if constexpr (Collates<T>) {
    return collate(std::move(elements), options);
  } else if constexpr (std::same_as<T, Batch>) {
    return stack(std::move(elements), options);
  } else {
    std::vector<Batch> rows;
    std::vector<std::string> sources;
    rows.reserve(elements.size());
    sources.reserve(elements.size());
    for (size_t i = 0; i < elements.size(); ++i) {
      sources.push_back(source_of(elements[i]));
      try {
        rows.push_back(row_of(T(std::move(elements[i]))));
      } catch (...) {
        throw RowError{i, sources[i], std::current_exception()};
      }
    }
    try {
      return stack(std::move(rows), options);
    } catch (RowsDiffer& error) {
      error.files = {sources[error.rows[0]], sources[error.rows[1]]};
      throw;
    }
  }
}

}  // namespace detail
}  // namespace cornu::data
