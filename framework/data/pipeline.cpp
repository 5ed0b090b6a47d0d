// Sources of tensors, and the checks of options.
#include "pipeline.h"

#include <fmt/core.h>

namespace cornu::data {
namespace detail {

void check_least(const char* stage, const char* option, int64_t value, int64_t least) {
  if (value < least)
    throw ValueError(
        fmt::format("{}: {} must be at least {}, found {}.", stage, option, least, value));
}

void check_full_shuffle(const Stage& source) {
  if (source.indexed() && source.size() >= 0) return;
  throw ValueError(fmt::format(
      "shuffle: stage '{}' before it {}, so not all elements can be shuffled among themselves. "
      "Shuffle before it, or give shuffle a window: .shuffle({{.window = 10000}}).",
      source.name(),
      source.size() == Dataset::endless ? "has no end" : "gives its elements one after the other"));
}

void check_end(const char* what, const Stage& source) {
  if (source.size() == Dataset::endless)
    throw ValueError(fmt::format("{}: the data have no end. Take a part of them: .take(n).", what));
}

Pipeline<Batch> samples_of_batch(const Batch& batch) {
  return from(batch.x, batch.y, batch.sample_weight);
}

void check_no_padding(const char* what, const BatchOptions& options) {
  if (options.pad || options.pad_value != 0)
    throw ValueError(fmt::format(
        "{}: options 'pad' and 'pad_value' have no effect. Pad where batches are made of elements: "
        ".batch(n, {{.pad = true}}).",
        what));
}

void check_rank(int64_t rank, int64_t size) {
  if (size < 1 || rank < 0 || rank >= size)
    throw ValueError(fmt::format(
        "shard: rank {} of {} does not exist; ranks go from 0 to size - 1.", rank, size));
}

namespace {

void add_columns(const Nest& nest, std::vector<Rows>& columns) {
  if (nest.empty()) return;
  if (nest.is_tensor()) {
    columns.push_back(rows_of_tensor(nest.tensor()));
    return;
  }
  for (const Tensor& tensor : nest.flatten()) columns.push_back(rows_of_tensor(tensor));
}

}  // namespace
}  // namespace detail

Pipeline<Batch> from(const Nest& x, const Nest& y, const Nest& sample_weight) {
  count_samples(x, y, sample_weight);
  std::vector<detail::Rows> columns;
  for (const Nest* nest : {&x, &y, &sample_weight}) detail::add_columns(*nest, columns);
  return Pipeline<Batch>(
      std::make_shared<detail::RowSource>("from", x, y, sample_weight, std::move(columns)));
}

Pipeline<Batch> from(std::shared_ptr<Dataset> dataset, DatasetOptions options) {
  detail::check_least("from", "workers", options.workers, 0);
  detail::check_least("from", "max_queue_size", options.max_queue_size, 1);
  return Pipeline<Batch>(
      std::make_shared<detail::DatasetSource>(std::move(dataset), std::move(options)));
}

Pipeline<int64_t> range(int64_t n) { return range(0, n); }

Pipeline<int64_t> range(int64_t begin, int64_t end, int64_t step) {
  return Pipeline<int64_t>(std::make_shared<detail::RangeSource>(begin, end, step));
}

}  // namespace cornu::data
