// Rows of arrays, numbers, and batches of datasets.
#include "sources.h"

#include <fmt/core.h>

#include <cstring>

namespace cornu::data::detail {
namespace {

// Lines of a row that are asked for ahead of its copy: what hides the way to memory of random rows.
constexpr size_t cache_line = 64;
constexpr size_t most_ahead = 4096;

void ask_for(const std::byte* data, size_t bytes) {
  for (size_t at = 0; at < std::min(bytes, most_ahead); at += cache_line)
    __builtin_prefetch(data + at, 0, 0);
}

Tensor host_rows(const Rows& rows, int64_t count, bool axis) {
  Shape shape = rows.row;
  if (axis) shape.insert(0, count);
  Tensor result = Tensor::empty(shape, rows.dtype, backend::cpu_backend());
  if (rows.strings) result.set_string_table(rows.strings);
  return result;
}

Tensor copy_rows(const Rows& rows, std::span<const Where> places) {
  Tensor result = host_rows(rows, static_cast<int64_t>(places.size()), true);
  const size_t bytes = rows.bytes();
  auto* to = static_cast<std::byte*>(result.data());
  const auto row_at = [&](size_t i) {
    return rows.data + static_cast<size_t>(places[i].index) * bytes;
  };
  // Small rows come several to a line, and are hidden by asking for those farther ahead.
  const size_t ahead = bytes >= 1024 ? 2 : 8;
  for (size_t i = 0; i < std::min(ahead, places.size()); ++i) ask_for(row_at(i), bytes);
  for (size_t i = 0; i < places.size(); ++i) {
    if (i + ahead < places.size()) ask_for(row_at(i + ahead), bytes);
    std::memcpy(to + i * bytes, row_at(i), bytes);
  }
  return result;
}

}  // namespace

Rows rows_of_tensor(const Tensor& tensor) {
  if (!tensor)
    throw ValueError(
        "Data has rows in each of its tensors, found an empty tensor among them. Leave it out.");
  if (!tensor.is_eager())
    throw StateError(fmt::format("A pipeline needs values; this tensor of shape {} has none.",
                                 tensor.shape().str()));
  if (tensor.rank() == 0)
    throw ShapeError("A scalar has no samples; the first axis must be the samples.");
  const auto owner = std::make_shared<const Tensor>(tensor.to(Device::cpu()));
  Rows rows{static_cast<const std::byte*>(owner->data()),
            tensor.shape().slice(1),
            tensor.dtype(),
            tensor.shape()[0],
            owner,
            {}};
  if (tensor.dtype() == DType::string) rows.strings = owner->string_table();
  return rows;
}

RowSource::RowSource(std::string name, Nest x, Nest y, Nest sample_weight,
                     std::vector<Rows> columns)
    : name_(std::move(name)),
      x_(std::move(x)),
      y_(std::move(y)),
      sample_weight_(std::move(sample_weight)),
      columns_(std::move(columns)) {
  if (columns_.empty()) throw ValueError(fmt::format("{}: no tensor was given.", name_));
  count_ = columns_[0].count;
  for (size_t i = 1; i < columns_.size(); ++i)
    if (columns_[i].count != count_)
      throw ShapeError(fmt::format("{}: array {} has {} samples, those before it have {}.", name_,
                                   i, columns_[i].count, count_));
}

Batch RowSource::packed(const std::vector<Tensor>& tensors) const {
  size_t next = 0;
  const auto fill = [&](const Nest& nest) -> Nest {
    if (nest.empty()) return {};
    if (nest.is_tensor()) return tensors[next++];
    const size_t count = nest.flatten().size();
    const auto first = tensors.begin() + static_cast<ptrdiff_t>(next);
    next += count;
    return nest.pack({first, first + static_cast<ptrdiff_t>(count)});
  };
  Batch batch;
  batch.x = fill(x_);
  batch.y = fill(y_);
  batch.sample_weight = fill(sample_weight_);
  return batch;
}

Batch RowSource::at(const Pass& pass, const Where& where) const {
  return worked(pass, this, where.index, 1, [&] {
    std::vector<Tensor> tensors;
    for (const Rows& rows : columns_) {
      Tensor one = host_rows(rows, 1, false);
      if (const size_t bytes = rows.bytes())
        std::memcpy(one.data(), rows.data + static_cast<size_t>(where.index) * bytes, bytes);
      tensors.push_back(std::move(one));
    }
    return packed(tensors);
  });
}

std::optional<Batch> RowSource::gather(const Pass& pass, std::span<const Where> places) const {
  const int64_t first = places.empty() ? 0 : places[0].index;
  return worked(pass, this, first, static_cast<int64_t>(places.size()), [&] {
    std::vector<Tensor> tensors;
    for (const Rows& rows : columns_) tensors.push_back(copy_rows(rows, places));
    return packed(tensors);
  });
}

RangeSource::RangeSource(int64_t begin, int64_t end, int64_t step) : begin_(begin), step_(step) {
  if (step == 0) throw ValueError("range: the step must not be 0.");
  const int64_t up = step > 0 ? step - 1 : step + 1;
  count_ = std::max<int64_t>((end - begin + up) / step, 0);
}

DatasetSource::DatasetSource(std::shared_ptr<Dataset> dataset, DatasetOptions options)
    : dataset_(std::move(dataset)), options_(std::move(options)) {
  if (!dataset_) throw ValueError("from: the dataset is empty.");
}

std::optional<Batch> DatasetSource::call(const Pass& pass, const Where& where) const {
  StageRecord& record = pass.runtime().record(this);
  try {
    const Work work(record, where.index);
    std::optional<Batch> batch = dataset_->next(where.index);
    record.items.fetch_add(batch.has_value(), std::memory_order_relaxed);
    return batch;
  } catch (...) {
    throw_data_error(*this, where, "");
  }
}

Batch DatasetSource::at(const Pass& pass, const Where& where) const {
  std::optional<Batch> batch = call(pass, where);
  if (batch) return std::move(*batch);
  throw DataError(fmt::format("Stage '{}' has no batch {} though {} were announced.", name(),
                              where.index, size()),
                  name(), where.epoch, where.index);
}

CursorPtr<Batch> DatasetSource::walk(const PassPtr& pass, Walk order, int64_t k) const {
  if (options_.workers == 0) return Node<Batch>::walk(pass, std::move(order), k);
  const QueueOptions queue{options_.workers, std::max(options_.max_queue_size, options_.workers)};
  return make_by_number<Batch>(
      pass, pass->runtime().record(this), queue, std::move(order), k,
      [this, pass = pass.get()](Where where) { return std::optional<Batch>(at(*pass, where)); });
}

// Of a dataset that does not know its length.
class DatasetSource::NextCursor final : public Cursor<Batch> {
 public:
  NextCursor(const DatasetSource& source, PassPtr pass, Where where)
      : source_(source), pass_(std::move(pass)), where_(where) {}
  std::optional<Batch> next() override {
    std::optional<Batch> batch = source_.call(*pass_, where_);
    where_.index += batch.has_value();
    return batch;
  }
  void save(Position& out) const override { out.push_back(where_.index); }
  void ancestors(Ancestors& out) const override {
    out.push_back(OfStage{&source_, {where_.epoch, where_.index - 1}});
  }

 private:
  const DatasetSource& source_;
  PassPtr pass_;
  Where where_;
};

CursorPtr<Batch> DatasetSource::open(const PassPtr& pass, int64_t epoch,
                                     PositionReader& from) const {
  if (indexed()) return Node<Batch>::open(pass, epoch, from);
  return std::make_unique<NextCursor>(*this, pass, Where{epoch, from.take()});
}

}  // namespace cornu::data::detail
