// Rows put together in the host's memory.
#include "collate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "../../ops/core/cast.h"

namespace cornu::data::detail {
namespace {

Tensor host_empty(const Shape& shape, DType dtype) {
  return Tensor::empty(shape, dtype, backend::cpu_backend());
}

Shape with_axis(int64_t count, const Shape& row) {
  Shape shape{count};
  for (int axis = 0; axis < row.rank(); ++axis) shape.push_back(row[axis]);
  return shape;
}

[[noreturn]] void throw_different(const char* part, size_t row, const std::string& found,
                                  const std::string& expected, const std::string& advice) {
  throw RowsDiffer({row, 0}, {fmt::format("{} of ", part), fmt::format(" is {}, that of ", found),
                              fmt::format(" is {}: {}", expected, advice)});
}

[[noreturn]] void throw_different(const char* part, size_t row, const Tensor& found,
                                  const Tensor& expected, const char* advice) {
  throw_different(part, row, found.spec().str(), expected.spec().str(), advice);
}

Tensor merge_strings(const std::vector<Tensor>& rows, const Shape& shape) {
  std::vector<std::string> all;
  for (const Tensor& row : rows) {
    std::vector<std::string> texts = row.to_strings();
    std::move(texts.begin(), texts.end(), std::back_inserter(all));
  }
  return Tensor::strings(all, shape);
}

// Elements of `row` into the corner of `shape` at `to`, whose other elements are there already.
void copy_into_corner(std::byte* to, const Shape& shape, const std::byte* from, const Shape& row,
                      size_t item, int axis) {
  size_t inner = item, outer = item;
  for (int i = axis + 1; i < row.rank(); ++i) {
    inner *= static_cast<size_t>(row[i]);
    outer *= static_cast<size_t>(shape[i]);
  }
  if (axis + 1 >= row.rank()) {
    std::memcpy(to, from, item * static_cast<size_t>(row.rank() > axis ? row[axis] : 1));
    return;
  }
  for (int64_t i = 0; i < row[axis]; ++i)
    copy_into_corner(to + static_cast<size_t>(i) * outer, shape,
                     from + static_cast<size_t>(i) * inner, row, item, axis + 1);
}

Tensor stack_padded(const std::vector<Tensor>& rows, const char* part, double pad_value) {
  Shape largest = rows[0].shape();
  bool equal = true;
  for (size_t i = 1; i < rows.size(); ++i) {
    const Shape& shape = rows[i].shape();
    if (shape.rank() != largest.rank())
      throw_different(part, i, rows[i], rows[0], "rows of other ranks cannot be padded.");
    equal &= shape == rows[0].shape();
    for (int axis = 0; axis < shape.rank(); ++axis)
      largest[axis] = std::max(largest[axis], shape[axis]);
  }
  const DType dtype = rows[0].dtype();
  Tensor result = host_empty(with_axis(static_cast<int64_t>(rows.size()), largest), dtype);
  const size_t item = size_of(dtype), room = item * static_cast<size_t>(largest.numel());
  auto* to = static_cast<std::byte*>(result.data());
  if (!equal) {
    const Tensor value = ops::cast(Tensor::from<double>({pad_value}, Shape{}), dtype);
    for (size_t i = 0; i < result.bytes(); i += item) std::memcpy(to + i, value.data(), item);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto* from = static_cast<const std::byte*>(rows[i].data());
    if (rows[i].bytes() == 0) continue;
    if (rows[i].shape() == largest)
      std::memcpy(to + i * room, from, room);
    else
      copy_into_corner(to + i * room, largest, from, rows[i].shape(), item, 0);
  }
  return result;
}

Tensor stack_tensors(std::vector<Tensor> rows, const char* part, const BatchOptions& options) {
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i] = rows[i].to(Device::cpu());
    if (rows[i].dtype() != rows[0].dtype())
      throw_different(part, i, rows[i], rows[0], "cast them to one dtype before batch.");
    if (!options.pad && rows[i].shape() != rows[0].shape())
      throw_different(part, i, rows[i], rows[0],
                      "rows of a batch have one shape. Make them so before batch, or give batch "
                      "the option .pad = true.");
  }
  if (rows[0].dtype() == DType::string) {
    for (size_t i = 1; i < rows.size(); ++i)
      if (rows[i].shape() != rows[0].shape())
        throw_different(part, i, rows[i], rows[0], "strings cannot be padded.");
    return merge_strings(rows, with_axis(static_cast<int64_t>(rows.size()), rows[0].shape()));
  }
  return stack_padded(rows, part, options.pad_value);
}

// f of the tensors of one place in all nests.
template <class F>
Nest merge(const std::vector<const Nest*>& nests, const char* part, F&& f) {
  if (nests[0]->empty()) {
    for (size_t i = 1; i < nests.size(); ++i)
      if (!nests[i]->empty())
        throw RowsDiffer({i, 0},
                         {fmt::format("{}: some elements have it and others do not: ", part),
                          " has it, ", " has none."});
    return {};
  }
  std::vector<std::vector<Tensor>> columns;
  for (size_t i = 0; i < nests.size(); ++i) {
    if (nests[i]->empty() || !nests[i]->same_structure(*nests[0]))
      throw_different(part, i, nests[i]->structure(), nests[0]->structure(),
                      "they must be nested alike.");
    const std::vector<Tensor> tensors =
        nests[i]->is_tensor() ? std::vector<Tensor>{nests[i]->tensor()} : nests[i]->flatten();
    columns.resize(tensors.size());
    for (size_t c = 0; c < tensors.size(); ++c) columns[c].push_back(tensors[c]);
  }
  std::vector<Tensor> merged;
  for (std::vector<Tensor>& column : columns) merged.push_back(f(std::move(column), part));
  return nests[0]->is_tensor() ? Nest(merged[0]) : nests[0]->pack(merged);
}

template <class F>
Batch merge_batches(const std::vector<Batch>& batches, F&& f) {
  const auto part = [&](Nest Batch::*member, const char* name) {
    std::vector<const Nest*> nests;
    for (const Batch& batch : batches) nests.push_back(&(batch.*member));
    return merge(nests, name, f);
  };
  return {part(&Batch::x, "x"), part(&Batch::y, "y"), part(&Batch::sample_weight, "sample_weight")};
}

Tensor concatenate_tensors(std::vector<Tensor> parts, const char* part) {
  int64_t count = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i] = parts[i].to(Device::cpu());
    if (parts[i].dtype() != parts[0].dtype() || parts[i].rank() != parts[0].rank() ||
        !std::equal(parts[i].shape().begin() + 1, parts[i].shape().end(),
                    parts[0].shape().begin() + 1))
      throw_different(part, i, parts[i], parts[0], "batches differ in more than their samples.");
    count += parts[i].shape()[0];
  }
  Shape shape = parts[0].shape();
  shape[0] = count;
  if (parts[0].dtype() == DType::string) return merge_strings(parts, shape);
  Tensor result = host_empty(shape, parts[0].dtype());
  auto* to = static_cast<std::byte*>(result.data());
  for (const Tensor& one : parts) {
    if (one.bytes() > 0) std::memcpy(to, one.data(), one.bytes());
    to += one.bytes();
  }
  return result;
}

std::string joined(const std::array<std::string, 3>& pieces, const std::string& first,
                   const std::string& second) {
  return pieces[0] + first + pieces[1] + second + pieces[2];
}

}  // namespace

RowsDiffer::RowsDiffer(std::array<size_t, 2> differing, std::array<std::string, 3> pieces)
    : ShapeError(
          joined(pieces, fmt::format("row {}", differing[0]), fmt::format("row {}", differing[1]))),
      rows(differing),
      pieces_(std::move(pieces)) {}

std::string RowsDiffer::text(const std::string& first, const std::string& second) const {
  return joined(pieces_, first, second);
}

Nest inputs_of(Batch part) {
  if (!part.y.empty() || !part.sample_weight.empty())
    throw ValueError(
        "batch: in a pair or a tuple {x, y, sample_weight} of samples each one's inputs count, but "
        "one of them has targets or weights of its own. Say what becomes of them before batch, "
        "such as .map([](std::pair<Batch, Batch> p) { return Batch{p.first.x, p.second.y}; }).");
  return std::move(part.x);
}

Batch stack(std::vector<Batch> rows, const BatchOptions& options) {
  return merge_batches(rows, [&](std::vector<Tensor> column, const char* part) {
    return stack_tensors(std::move(column), part, options);
  });
}

Batch concatenate(const std::vector<Batch>& batches) {
  return merge_batches(batches, [](std::vector<Tensor> column, const char* part) {
    return concatenate_tensors(std::move(column), part);
  });
}

int64_t samples_of(const Batch& batch) {
  return count_samples(batch.x, batch.y, batch.sample_weight);
}

Batch rows_of(const Batch& batch, int64_t begin, int64_t end) {
  return {take_rows(batch.x, begin, end), take_rows(batch.y, begin, end),
          take_rows(batch.sample_weight, begin, end)};
}

Batch to_default_device(Batch batch) {
  const Device device = default_device();
  if (device.is_cpu()) return batch;
  const auto moved = [&](const Nest& nest) -> Nest {
    if (nest.empty()) return {};
    return nest.is_tensor() ? Nest(nest.tensor().to(device))
                            : nest.map([&](const Tensor& t) { return t.to(device); });
  };
  return {moved(batch.x), moved(batch.y), moved(batch.sample_weight)};
}

}  // namespace cornu::data::detail
