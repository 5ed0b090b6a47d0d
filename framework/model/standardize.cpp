// Checks of a model's inputs.
#include "standardize.h"

#include <fmt/core.h>

#include <algorithm>

#include "../ops/core/cast.h"
#include "../ops/numpy/manipulation.h"
#include "../ops/operators.h"

namespace cornu {
namespace {

bool fits(const Shape& found, const Shape& expected) {
  if (found.rank() != expected.rank()) return false;
  for (int i = 0; i < found.rank(); ++i)
    if (expected[i] != Shape::unknown && found[i] != Shape::unknown && found[i] != expected[i])
      return false;
  return true;
}

// The entry of a dictionary, or nothing where it may be missing. A missing one and a name that the
// model does not have are a misspelt one.
Nest entry(const Nest& dict, const std::string& key, bool optional,
           const std::vector<std::string>& known, const std::string& model) {
  const auto& entries = dict.entries();
  if (!optional ||
      std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.first == key; }))
    return dict[key];
  for (const auto& [name, nest] : entries)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw ValueError(fmt::format("Model '{}': there is no input '{}'.{}", model, name,
                                   did_you_mean(name, known)));
  return {};
}

std::vector<std::string> keys_of(const Nest& dict) {
  std::vector<std::string> keys;
  for (const auto& [key, nest] : dict.entries()) keys.push_back(key);
  return keys;
}

// Number of the tensors before this key's.
size_t place_of(const Nest& dict, const std::string& key) {
  size_t place = 0;
  for (const auto& [other, nest] : dict.entries())
    if (other < key) place += nest.flatten().size();
  return place;
}

Tensor fit(const Tensor& x, const Tensor& spec, const std::string& name, const std::string& model) {
  if (!x) throw ValueError(fmt::format("Model '{}': input '{}' is an empty tensor.", model, name));
  const Shape& expected = spec.shape();
  Tensor y = x;
  if (!fits(y.shape(), expected)) {
    // As Keras: (n,) stands for (n, 1), and the reverse.
    if (y.rank() + 1 == expected.rank() &&
        (expected.back() == 1 || expected.back() == Shape::unknown))
      y = ops::expand_dims(y, {-1});
    else if (y.rank() == expected.rank() + 1 && y.rank() > 0 && y.shape().back() == 1)
      y = ops::squeeze(y, -1);
    if (!fits(y.shape(), expected))
      throw ShapeError(fmt::format(
          "Model '{}': input '{}' has shape {}, expected {}.{}", model, name, x.shape().str(),
          expected.str(),
          x.rank() + 1 == expected.rank() ? " The first axis must be the samples." : ""));
  }
  return y.dtype() == spec.dtype() ? y : ops::cast(y, spec.dtype());
}

}  // namespace

Nest standardize_inputs(const Nest& x, const Nest& spec, const std::vector<std::string>& names,
                        const std::string& model, const std::vector<bool>& optional) {
  const auto may_miss = [&](size_t i) { return i < optional.size() && optional[i]; };
  Nest in = x;
  if (in.is_dict() && !spec.is_dict()) {
    // Inputs of a list model by their names.
    std::vector<Tensor> list;
    for (size_t i = 0; i < names.size(); ++i)
      list.push_back(entry(in, names[i], may_miss(i), names, model).tensor());
    in = spec.pack(list);
  }
  const std::vector<Tensor> expected = spec.flatten();
  std::vector<Tensor> given;
  if (spec.is_dict() && in.is_dict()) {
    Nest::Dict picked;
    const std::vector<std::string> known = keys_of(spec);
    for (const auto& [key, n] : spec.entries())
      picked.emplace_back(
          key, entry(in, key, n.is_tensor() && may_miss(place_of(spec, key)), known, model));
    given = Nest::dict(std::move(picked)).flatten();
  } else {
    given = in.flatten();
  }
  if (given.size() != expected.size())
    throw ShapeError(fmt::format("Model '{}': {} inputs were given ({}), expected {} ({}).", model,
                                 given.size(), in.structure(), expected.size(), spec.structure()));
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i] || !may_miss(i))
      given[i] = fit(given[i], expected[i], i < names.size() ? names[i] : std::to_string(i), model);
  return spec.pack(given);
}

double batch_size_of(const Nest& x) {
  const auto size = [](const Tensor& t) {
    return t.rank() > 0 ? static_cast<double>(t.shape()[0]) : 1.0;
  };
  // The usual case, of each step, makes no list.
  if (x.is_tensor() && x.tensor()) return size(x.tensor());
  for (const Tensor& t : x.flatten())
    if (t) return size(t);
  return 1.0;
}

}  // namespace cornu
