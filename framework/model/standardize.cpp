// Checks of a model's inputs.
#include "standardize.h"

#include <fmt/core.h>

#include <algorithm>

#include "../config/quoted_names.h"
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

std::string shape_text(const Tensor& t) { return t ? t.shape().str() : "empty"; }

// "'a' (None, 4), 'b' (None, 3)"
std::string names_with_shapes(const std::vector<std::string>& names,
                              const std::vector<Tensor>& tensors) {
  std::string text;
  for (size_t i = 0; i < tensors.size(); ++i)
    text += fmt::format("{}'{}' {}", i > 0 ? ", " : "", i < names.size() ? names[i] : "?",
                        shape_text(tensors[i]));
  return text;
}

// ", of shapes (2, 4), (2, 3)"
std::string shapes_text(const std::vector<Tensor>& tensors) {
  std::string text;
  for (const Tensor& t : tensors) text += (text.empty() ? " " : ", ") + shape_text(t);
  if (text.empty()) return text;
  return (tensors.size() == 1 ? ", of shape" : ", of shapes") + text;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> keys_of(const Nest& dict) {
  std::vector<std::string> keys;
  for (const auto& [key, nest] : dict.entries()) keys.push_back(key);
  return keys;
}

// Which entries a model's dictionary has to have; what else `dict` holds is not looked at.
void check_keys(const Nest& dict, const std::vector<std::string>& known,
                const std::vector<bool>& optional, const std::string& model) {
  const std::vector<std::string> given = keys_of(dict);
  std::vector<std::string> missing, left_out, extra;
  for (size_t i = 0; i < known.size(); ++i)
    if (!contains(given, known[i])) (optional[i] ? left_out : missing).push_back(known[i]);
  for (const std::string& key : given)
    if (!contains(known, key)) extra.push_back(key);
  // An input that may be missing and a name that the model does not have are a misspelt one.
  if (missing.empty() && (left_out.empty() || extra.empty())) return;
  std::string advice;
  for (const std::string& key : extra)
    if (advice.empty()) {
      if (const std::string meant = did_you_mean(key, missing.empty() ? left_out : missing);
          !meant.empty())
        advice = fmt::format(" '{}' is no input.{}", key, meant);
    }
  if (missing.empty())
    throw ValueError(fmt::format("Model '{}': there is no input '{}'.{} Expected {}; given {}.",
                                 model, extra[0], did_you_mean(extra[0], known),
                                 detail::quoted_names(known), detail::quoted_names(given)));
  throw ValueError(
      fmt::format("Model '{}': nothing was given for the input{} {}. Expected {}; "
                  "given {}.{}",
                  model, missing.size() == 1 ? "" : "s", detail::quoted_names(missing),
                  detail::quoted_names(known),
                  given.empty() ? "nothing" : detail::quoted_names(given), advice));
}

// The entry of a dictionary, or nothing where there is none.
Nest entry(const Nest& dict, const std::string& key) {
  for (const auto& [name, nest] : dict.entries())
    if (name == key) return nest;
  return {};
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
    std::vector<bool> may;
    for (size_t i = 0; i < names.size(); ++i) may.push_back(may_miss(i));
    check_keys(in, names, may, model);
    std::vector<Tensor> list;
    for (const std::string& name : names) list.push_back(entry(in, name).tensor());
    in = spec.pack(list);
  }
  const std::vector<Tensor> expected = spec.flatten();
  std::vector<Tensor> given;
  if (spec.is_dict() && in.is_dict()) {
    std::vector<bool> may;
    for (const auto& [key, n] : spec.entries())
      may.push_back(n.is_tensor() && may_miss(place_of(spec, key)));
    check_keys(in, keys_of(spec), may, model);
    Nest::Dict picked;
    for (const auto& [key, n] : spec.entries()) picked.emplace_back(key, entry(in, key));
    given = Nest::dict(std::move(picked)).flatten();
  } else {
    given = in.flatten();
  }
  if (given.size() != expected.size())
    throw ShapeError(fmt::format("Model '{}': {} input{} given{}; expected {}: {}.", model,
                                 given.size(), given.size() == 1 ? " was" : "s were",
                                 shapes_text(given), expected.size(),
                                 names_with_shapes(names, expected)));
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
