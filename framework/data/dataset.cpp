// Batches of tensors in memory.
#include "dataset.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "../ops/numpy/indexing.h"
#include "../ops/operators.h"

namespace cornu {

int64_t count_samples(const Nest& x, const Nest& y, const Nest& sample_weight) {
  int64_t samples = -1;
  auto check = [&](const Nest& nest, const char* what) {
    if (nest.empty()) return;
    for (const Tensor& t : nest.flatten()) {
      if (!t) continue;
      if (t.rank() == 0)
        throw ShapeError(
            fmt::format("{}: a scalar has no samples; the first axis must be the samples.", what));
      if (samples >= 0 && t.shape()[0] != samples)
        throw ShapeError(fmt::format("{} has {} samples (shape {}), the tensors before it have {}.",
                                     what, t.shape()[0], t.shape().str(), samples));
      samples = t.shape()[0];
    }
  };
  check(x, "x");
  if (samples < 0) throw ValueError("x: no tensor was given.");
  check(y, "y");
  check(sample_weight, "sample_weight");
  return samples;
}

namespace {

// Rows lie side by side, so a range of them is a tensor in the same memory.
Tensor rows_of(const Tensor& t, int64_t begin, int64_t end) {
  if (!t) return t;
  // A tensor of a recording has no memory to point into yet.
  if (t.is_weak() || !t.is_eager()) return ops::get_item(t, Slice{begin, end});
  Shape shape = t.shape();
  begin = std::clamp<int64_t>(begin, 0, shape[0]);
  end = std::clamp(end, begin, shape[0]);
  // No copy: the part holds on to the memory of the whole.
  const size_t row = shape[0] == 0 ? 0 : t.bytes() / static_cast<size_t>(shape[0]);
  shape[0] = end - begin;
  return Tensor::part_of(t, static_cast<char*>(t.data()) + static_cast<size_t>(begin) * row, shape,
                         t.dtype());
}

}  // namespace

Nest take_rows(const Nest& nest, int64_t begin, int64_t end) {
  if (nest.empty()) return {};
  if (nest.is_tensor()) return rows_of(nest.tensor(), begin, end);
  return nest.map([&](const Tensor& t) { return rows_of(t, begin, end); });
}

TensorDataset::TensorDataset(Nest x, Nest y, Nest sample_weight, Options options)
    : x_(std::move(x)),
      y_(std::move(y)),
      sample_weight_(std::move(sample_weight)),
      options_(options) {
  if (options_.batch_size < 1)
    throw ValueError(fmt::format("batch_size must be at least 1, found {}.", options_.batch_size));
  samples_ = count_samples(x_, y_, sample_weight_);
}

int64_t TensorDataset::size() const {
  return samples_ / options_.batch_size + (samples_ % options_.batch_size != 0);
}

void TensorDataset::on_epoch_begin(int64_t epoch) {
  if (!options_.shuffle) return;
  order_.emplace(samples_, options_.seed, epoch);
  if (order_->sorted().empty()) return;
  // Beside the data, or where tensors are made now if there are several places.
  const DeviceScope scope(x_.is_tensor() ? x_.tensor().device() : default_device());
  indices_ = Tensor(order_->sorted());
}

// Which samples stand at the places [begin, end) of the epoch's order.
Tensor TensorDataset::indices(int64_t begin, int64_t end) const {
  if (!order_->sorted().empty()) return rows_of(indices_, begin, end);
  const DeviceScope scope(x_.is_tensor() ? x_.tensor().device() : default_device());
  if (samples_ > std::numeric_limits<int32_t>::max()) {
    std::vector<int64_t> rows;
    for (int64_t i = begin; i < end; ++i) rows.push_back((*order_)[i]);
    return Tensor(rows);
  }
  std::vector<int32_t> rows;
  for (int64_t i = begin; i < end; ++i) rows.push_back(static_cast<int32_t>((*order_)[i]));
  return Tensor(rows);
}

Batch TensorDataset::batch(int64_t index) {
  if (index < 0 || index >= size())
    throw ValueError(
        fmt::format("batch {} does not exist; there are {}, counted from 0.", index, size()));
  int64_t begin = index * options_.batch_size,
          end = std::min(begin + options_.batch_size, samples_);
  if (order_ && end - begin > 1) {
    const Tensor places = indices(begin, end);
    // Strings are in the host's memory, whatever device the rest is on.
    const auto rows = [&](const Tensor& t) {
      return t ? ops::take(t, places.to(t.device()), 0) : t;
    };
    const auto gather = [&](const Nest& nest) -> Nest {
      if (nest.empty()) return {};
      return nest.is_tensor() ? Nest(rows(nest.tensor())) : nest.map(rows);
    };
    return {gather(x_), gather(y_), gather(sample_weight_)};
  }
  // A single row is a place in memory, wherever the order puts it.
  if (order_) {
    begin = (*order_)[begin];
    end = begin + 1;
  }
  return {take_rows(x_, begin, end), take_rows(y_, begin, end),
          take_rows(sample_weight_, begin, end)};
}

Value::Dict TensorDataset::get_state() const { return {{"seed", options_.seed}}; }

void TensorDataset::set_state(const Value::Dict& state) {
  for (const auto& [name, value] : state)
    if (name == "seed" && value.is<int64_t>()) {
      options_.seed = value.get<int64_t>();
      return;
    }
  throw ValueError("TensorDataset: the state has no seed.");
}

}  // namespace cornu
