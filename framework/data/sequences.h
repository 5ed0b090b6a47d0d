// Lists of different lengths as one tensor, labels as vectors: keras.utils' small functions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "../tensor/tensor.h"

namespace cornu::utils {

/// How pad_sequences pads.
struct PadOptions {
  std::optional<int64_t> maxlen = {};  ///< length of the result; none: that of the longest
  DTypeName dtype = DType::int32;      ///< of the result
  std::string padding = "pre";         ///< "pre" or "post": where padding goes
  std::string truncating = "pre";      ///< "pre" or "post": where longer sequences lose steps
  double value = 0;                    ///< of the padding; cut off to a whole number for integers
};

/// One tensor (sequences, maxlen, ...) of tensors (length, ...) whose other axes are equal. Empty
/// sequences may have any shape. Throws ShapeError that names the first sequence whose shape
/// differs, ValueError for other words than "pre" and "post" and for a negative maxlen.
Tensor pad_sequences(const std::vector<Tensor>& sequences, const PadOptions& options = {});

/// The same of lists of numbers.
template <class T>
Tensor pad_sequences(const std::vector<std::vector<T>>& sequences, const PadOptions& options = {}) {
  std::vector<Tensor> tensors;
  tensors.reserve(sequences.size());
  for (const std::vector<T>& sequence : sequences)
    tensors.push_back(Tensor::from(sequence, {static_cast<int64_t>(sequence.size())}));
  return pad_sequences(tensors, options);
}

/// The same of lists in braces: `pad_sequences({{1, 2}, {3}})`.
template <class T>
requires std::is_arithmetic_v<T> Tensor pad_sequences(
    std::initializer_list<std::initializer_list<T>> sequences, const PadOptions& options = {}) {
  return pad_sequences(std::vector<std::vector<T>>(sequences.begin(), sequences.end()), options);
}

/// Options of to_categorical.
struct ToCategoricalOptions {
  std::optional<int64_t> num_classes = {};  ///< none: the largest class and one more
};

/// Classes as vectors: float32 (..., num_classes), 1 at the class and 0 elsewhere. A last axis of
/// size 1 is left out first. Without num_classes: the largest class and one more. Throws ValueError
/// for classes that are not in [0, num_classes).
Tensor to_categorical(const Tensor& x, const ToCategoricalOptions& options = {});
/// The same by a number. A template, so that braces are options.
template <std::convertible_to<std::optional<int64_t>> Number>
Tensor to_categorical(const Tensor& x, const Number& num_classes) {
  return to_categorical(x, ToCategoricalOptions{num_classes});
}
/// @{
/// The same of classes in braces: `to_categorical({0, 2, 1}, 3)`.
template <std::integral T>
Tensor to_categorical(std::initializer_list<T> x, const ToCategoricalOptions& options = {}) {
  return to_categorical(Tensor(std::vector<T>(x)), options);
}
template <std::integral T, std::convertible_to<std::optional<int64_t>> Number>
Tensor to_categorical(std::initializer_list<T> x, const Number& num_classes) {
  return to_categorical(Tensor(std::vector<T>(x)), num_classes);
}
/// @}

/// x divided by its norm along an axis (2: Euclid's), where that is not 0. Throws ValueError unless
/// the order is positive.
Tensor normalize(const Tensor& x, int64_t axis = -1, int64_t order = 2);

}  // namespace cornu::utils
