// Checks of a layer's inputs against what it says of them.
#include "input_spec.h"

#include <fmt/core.h>

#include <algorithm>

namespace cornu {
namespace {

bool all_named(const std::vector<InputSpec>& specs) {
  return std::all_of(specs.begin(), specs.end(),
                     [](const auto& spec) { return !spec.name.empty(); });
}

// The inputs in the order of the specs.
std::vector<Tensor> inputs_of(const std::vector<InputSpec>& specs, const Nest& inputs) {
  if (!inputs.is_dict() || !all_named(specs)) return inputs.flatten();
  std::vector<Tensor> result;
  for (const InputSpec& spec : specs)
    for (const Tensor& t : inputs[spec.name].flatten()) result.push_back(t);
  return result;
}

// Sizes that are known differ.
bool differ(int64_t a, int64_t b) { return a != b && a != Shape::unknown && b != Shape::unknown; }

Shape without_last_of_one(const Shape& shape) {
  return shape.rank() > 0 && shape.back() == 1 ? shape.slice(0, shape.rank() - 1) : shape;
}

void check_ranks(const InputSpec& spec, const Shape& shape, const std::string& input) {
  const auto check = [&](bool fits, const char* what, int count) {
    if (!fits)
      throw ShapeError(
          fmt::format("{} must have {}{} axes, found shape {}.", input, what, count, shape.str()));
  };
  const std::optional<int> ndim = spec.shape ? std::optional(spec.shape->rank()) : spec.ndim;
  if (ndim && !spec.allow_last_axis_squeeze) check(shape.rank() == *ndim, "", *ndim);
  if (spec.max_ndim) check(shape.rank() <= *spec.max_ndim, "at most ", *spec.max_ndim);
  if (spec.min_ndim) check(shape.rank() >= *spec.min_ndim, "at least ", *spec.min_ndim);
}

void check_sizes(const InputSpec& spec, const Shape& shape, const std::string& input) {
  for (const auto& [axis, size] : spec.axes) {
    const int place = axis < 0 ? axis + shape.rank() : axis;
    if (place < 0 || place >= shape.rank() || differ(shape[place], size))
      throw ShapeError(fmt::format("{} must have size {} along axis {}, found shape {}.", input,
                                   size, axis, shape.str()));
  }
  if (!spec.shape) return;
  const Shape wanted =
      spec.allow_last_axis_squeeze ? without_last_of_one(*spec.shape) : *spec.shape;
  const Shape found = spec.allow_last_axis_squeeze ? without_last_of_one(shape) : shape;
  bool fits = wanted.rank() == found.rank();
  for (int i = 0; fits && i < wanted.rank(); ++i) fits = !differ(wanted[i], found[i]);
  if (!fits)
    throw ShapeError(
        fmt::format("{} must have shape {}, found {}.", input, spec.shape->str(), shape.str()));
}

}  // namespace

void check_input_spec(const std::vector<InputSpec>& specs, const Nest& inputs) {
  const std::vector<Tensor> tensors = inputs_of(specs, inputs);
  if (tensors.size() != specs.size())
    throw ValueError(
        fmt::format("expected {} inputs, found {}.", specs.size(), inputs.structure()));
  for (size_t i = 0; i < specs.size(); ++i) {
    const InputSpec& spec = specs[i];
    const Tensor& x = tensors[i];
    const std::string input =
        spec.name.empty() ? fmt::format("input {}", i) : fmt::format("input '{}'", spec.name);
    if (!x) {
      if (spec.optional) continue;
      throw ValueError(fmt::format("{} is missing.", input));
    }
    check_ranks(spec, x.shape(), input);
    if (spec.dtype && x.dtype() != *spec.dtype)
      throw ValueError(fmt::format("{} must be {}, found {}.", input, dtype_name(*spec.dtype),
                                   dtype_name(x.dtype())));
    check_sizes(spec, x.shape(), input);
  }
}

}  // namespace cornu
