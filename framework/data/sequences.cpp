// Padding, one-hot labels, normalizing.
#include "sequences.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "../../backend/error.h"
#include "../io/convert_elements.h"
#include "../ops/nn/normalization.h"

namespace cornu::utils {
namespace {

bool is_pre(const std::string& word, const char* option) {
  if (word == "pre") return true;
  if (word == "post") return false;
  throw ValueError(
      fmt::format("option '{}': expected \"pre\" or \"post\", found \"{}\".", option, word));
}

// The shape of a step, which all sequences share that are not empty.
Shape step_shape(const std::vector<Tensor>& sequences) {
  std::optional<Shape> step;
  for (size_t i = 0; i < sequences.size(); ++i) {
    const Tensor& x = sequences[i];
    if (x.rank() < 1) throw ShapeError(fmt::format("pad_sequences: sequence {} is a scalar.", i));
    if (x.dtype() == DType::string)
      throw ValueError(fmt::format("pad_sequences: sequence {} has texts; expected numbers.", i));
    if (x.shape(0) == 0) continue;
    const Shape own = x.shape().slice(1, x.rank());
    if (!step) step = own;
    if (own != *step)
      throw ShapeError(
          fmt::format("pad_sequences: the steps of sequence {} have shape {}, those before {}.", i,
                      own.str(), step->str()));
  }
  return step.value_or(Shape{});
}

}  // namespace

Tensor pad_sequences(const std::vector<Tensor>& sequences, const PadOptions& options) {
  const bool pad_front = is_pre(options.padding, "padding");
  const bool cut_front = is_pre(options.truncating, "truncating");
  const Shape step = step_shape(sequences);
  int64_t length = 0;
  for (const Tensor& x : sequences) length = std::max(length, x.shape(0));
  if (options.maxlen) length = *options.maxlen;
  if (length < 0)
    throw ValueError(fmt::format("option 'maxlen': expected 0 or more, found {}.", length));
  Shape shape{static_cast<int64_t>(sequences.size()), length};
  for (int axis = 0; axis < step.rank(); ++axis) shape.push_back(step[axis]);
  return Tensor::written(shape, options.dtype, [&](void* memory) {
    auto* const target = static_cast<std::byte*>(memory);
    const auto values = static_cast<size_t>(step.numel());
    const size_t size = size_of(options.dtype), bytes = values * size;
    std::vector<std::byte> padding(bytes);
    for (size_t i = 0; i < values; ++i)
      io::convert_elements(&options.value, DType::float64, padding.data() + i * size, options.dtype,
                           1);
    for (size_t n = 0; n < sequences.size(); ++n) {
      const Tensor& x = sequences[n];
      const int64_t kept = std::min(x.shape(0), length);
      std::byte* const row = target + n * static_cast<size_t>(length) * bytes;
      const int64_t start = pad_front ? length - kept : 0;
      for (int64_t t = 0; t < length; ++t)
        if ((t < start || t >= start + kept) && bytes > 0)
          std::memcpy(row + static_cast<size_t>(t) * bytes, padding.data(), bytes);
      if (kept == 0) continue;
      const auto skipped = static_cast<size_t>(cut_front ? x.shape(0) - kept : 0);
      const auto* from = static_cast<const std::byte*>(x.host_data());
      io::convert_elements(from + skipped * values * size_of(x.dtype()), x.dtype(),
                           row + static_cast<size_t>(start) * bytes, options.dtype,
                           static_cast<size_t>(kept) * values);
    }
  });
}

Tensor to_categorical(const Tensor& x, const ToCategoricalOptions& options) {
  const std::vector<int64_t> classes = x.to_vector<int64_t>();
  int64_t count = options.num_classes.value_or(0);
  if (count == 0) {
    if (classes.empty())
      throw ValueError("to_categorical: without classes, option 'num_classes' must be given.");
    count = *std::max_element(classes.begin(), classes.end()) + 1;
  }
  Shape shape = x.shape();
  if (shape.rank() > 1 && shape[shape.rank() - 1] == 1) shape = shape.slice(0, shape.rank() - 1);
  for (const int64_t c : classes)
    if (c < 0 || c >= count)
      throw ValueError(
          fmt::format("to_categorical: class {} is not among the {} classes from 0 on.", c, count));
  shape.push_back(count);
  return Tensor::written(shape, DType::float32, [&](void* memory) {
    auto* row = static_cast<float*>(memory);
    std::fill_n(row, classes.size() * static_cast<size_t>(count), 0.0f);
    for (const int64_t c : classes) {
      row[c] = 1;
      row += count;
    }
  });
}

Tensor normalize(const Tensor& x, int64_t axis, int64_t order) {
  return ops::normalize(x, axis, order);
}

}  // namespace cornu::utils
