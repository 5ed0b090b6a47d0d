// Lists of tensors, their shapes and their masks.
#include "merge_layer.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

std::vector<Tensor> merge_inputs(const Nest& inputs, const char* what, size_t least) {
  if (inputs.is_tensor())
    throw ShapeError(fmt::format(
        "{} takes a list of tensors, found a single one: write {}()({{x, y}}).", what, what));
  std::vector<Tensor> list = inputs.flatten();
  if (list.size() < least)
    throw ShapeError(
        fmt::format("{} takes a list of {} or more tensors, found {}.", what, least, list.size()));
  return list;
}

std::vector<Tensor> merge_aligned(const Nest& inputs, const char* what) {
  std::vector<Tensor> list = merge_inputs(inputs, what, 1);
  int rank = 0;
  for (const Tensor& t : list) rank = std::max(rank, t.rank());
  Shape common;
  for (Tensor& t : list) {
    if (t.rank() < rank && t.rank() > 0) {
      std::vector<int64_t> places;
      for (int i = t.rank(); i < rank; ++i) places.push_back(1 + i - t.rank());
      const Tensor mask = t.mask();
      t = ops::expand_dims(t, places);
      if (mask) t.set_mask(mask);
    }
    const bool same_batch =
        t.rank() == 0 || list[0].rank() == 0 || t.shape()[0] == list[0].shape()[0];
    bool fits = same_batch;
    try {
      if (fits) common = common.empty() ? t.shape() : broadcast(common, t.shape());
    } catch (const ShapeError&) {
      fits = false;
    }
    if (fits) continue;
    std::vector<std::string> shapes;
    for (const Tensor& x : inputs.flatten()) shapes.push_back(x.shape().str());
    throw ShapeError(
        fmt::format("the inputs' shapes {} do not fit: {}.", fmt::join(shapes, ", "),
                    same_batch ? "axes must be equal or 1" : "the batch sizes must be equal"));
  }
  return list;
}

std::vector<Tensor> carried_masks(const Nest& inputs) {
  std::vector<Tensor> masks;
  for (const Tensor& x : inputs.flatten()) masks.push_back(x ? x.mask() : Tensor());
  return masks;
}

void check_masks(const Nest& inputs, const std::vector<Tensor>& masks, const char* what) {
  const size_t count = inputs.flatten().size();
  if (masks.empty() || masks.size() == count) return;
  throw ValueError(fmt::format(
      "{}: expected a mask for each of {} inputs, found {}. Give an empty tensor for an input "
      "without one.",
      what, count, masks.size()));
}

Tensor merge_masks(const std::vector<Tensor>& masks) {
  Tensor merged;
  for (const Tensor& mask : masks) {
    if (!mask) return {};
    merged = merged ? ops::logical_or(merged, mask) : mask;
  }
  return merged;
}

Tensor wide_mask(const Tensor& x) { return wide_mask(x, x.mask()); }

Tensor wide_mask(const Tensor& x, const Tensor& mask) {
  if (!mask) return {};
  std::vector<int64_t> places;
  for (int i = mask.rank(); i < x.rank(); ++i) places.push_back(i);
  return places.empty() ? mask : ops::expand_dims(mask, places);
}

}  // namespace cornu::layers
