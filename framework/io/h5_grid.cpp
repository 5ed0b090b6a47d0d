// Chunks over rows.
#include "h5_grid.h"

#include <algorithm>
#include <cstring>

namespace cornu::io::h5 {

Grid::Grid(const Shape& shape, std::vector<int64_t> chunk, size_t item) : chunk_(std::move(chunk)) {
  for (int i = 0; i < shape.rank(); ++i) sizes_.push_back(static_cast<uint64_t>(shape[i]));
  row_bytes_ = slice_bytes_ = item;
  for (size_t i = sizes_.size(); i-- > 1;) {
    const auto along = static_cast<uint64_t>(chunk_[i]);
    axes_.insert(axes_.begin(), {sizes_[i], along, row_bytes_, slice_bytes_});
    across_ *= static_cast<int64_t>((sizes_[i] + along - 1) / along);
    row_bytes_ *= sizes_[i];
    slice_bytes_ *= along;
  }
  for (const int64_t along : chunk_) chunk_elements_ *= static_cast<uint64_t>(along);
  // The last axes are copied in one go where chunks have the whole of them.
  while (!axes_.empty() && axes_.back().size == axes_.back().chunk) axes_.pop_back();
}

std::vector<uint64_t> Grid::origin(uint64_t number) const {
  std::vector<uint64_t> origin(sizes_.size());
  for (size_t i = sizes_.size(); i-- > 1;) {
    const auto along = static_cast<uint64_t>(chunk_[i]), count = (sizes_[i] + along - 1) / along;
    origin[i] = number % count * along;
    number /= count;
  }
  origin[0] = number * static_cast<uint64_t>(chunk_[0]);
  return origin;
}

std::vector<uint64_t> Grid::extent(const std::vector<uint64_t>& origin) const {
  std::vector<uint64_t> extent(sizes_.size());
  for (size_t i = 0; i < extent.size(); ++i)
    extent[i] = std::min(static_cast<uint64_t>(chunk_[i]), sizes_[i] - origin[i]);
  return extent;
}

void Grid::copy(const std::byte* chunk, const std::vector<uint64_t>& origin, int64_t row_in_band,
                size_t count, std::byte* rows) const {
  const std::byte* const from = chunk + static_cast<size_t>(row_in_band) * slice_bytes_;
  if (axes_.empty()) {
    std::memcpy(rows, from, count * row_bytes_);
    return;
  }
  for (size_t i = 0; i < count; ++i)
    copy_axes(0, from + i * slice_bytes_, rows + i * row_bytes_, origin);
}

void Grid::copy_axes(size_t axis, const std::byte* from, std::byte* to,
                     const std::vector<uint64_t>& origin) const {
  const Axis& along = axes_[axis];
  const uint64_t begin = origin[axis + 1], count = std::min(along.chunk, along.size - begin);
  to += begin * along.row_step;
  if (axis + 1 == axes_.size()) {
    std::memcpy(to, from, count * along.row_step);
    return;
  }
  for (uint64_t i = 0; i < count; ++i)
    copy_axes(axis + 1, from + i * along.chunk_step, to + i * along.row_step, origin);
}

}  // namespace cornu::io::h5
