// Calling a function along leading axes, by a signature.
#include "vectorize.h"

#include <fmt/core.h>

#include <cctype>
#include <map>
#include <optional>

#include "../../backend/error.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/manipulation.h"
#include "control_flow.h"

namespace cornu::detail {

void throw_argument_count(size_t expected, size_t found) {
  throw ValueError(
      fmt::format("vectorize: the function takes {} arguments, found {}.", expected, found));
}

}  // namespace cornu::detail

namespace cornu::ops {

namespace {

using AxisNames = std::vector<std::string>;
using AxisSizes = std::map<std::string, int64_t>;

[[noreturn]] void throw_signature(const std::string& signature) {
  throw ValueError(fmt::format(
      "vectorize: expected a signature such as '(m,n),(n)->(m)', found '{}'.", signature));
}

// "(m,n),(n)" as {{"m", "n"}, {"n"}}; nothing where the text is something else.
std::optional<std::vector<AxisNames>> parse_side(const std::string& side) {
  std::vector<AxisNames> all;
  size_t i = 0;
  const auto take = [&](char c) { return i < side.size() && side[i] == c && ++i; };
  do {
    if (!take('(')) return {};
    AxisNames names;
    while (!take(')')) {
      if (!names.empty() && !take(',')) return {};
      std::string name;
      while (i < side.size() &&
             (std::isalnum(static_cast<unsigned char>(side[i])) || side[i] == '_'))
        name += side[i++];
      if (name.empty()) return {};
      names.push_back(name);
    }
    all.push_back(names);
  } while (take(','));
  if (i != side.size()) return {};
  return all;
}

std::string list(const AxisNames& names) {
  std::string text = "(";
  for (size_t i = 0; i < names.size(); ++i) text += (i ? "," : "") + names[i];
  return text + ")";
}

// Notes the sizes of a tensor's own axes, which are its last ones.
void note_sizes(const AxisNames& names, const Shape& shape, AxisSizes& sizes, const char* what) {
  const int own = static_cast<int>(names.size()), first = shape.rank() - own;
  if (first < 0)
    throw ShapeError(fmt::format("vectorize: {} with the axes {} cannot have the shape {}.", what,
                                 list(names), shape.str()));
  for (int i = 0; i < own; ++i) {
    const std::string& name = names[static_cast<size_t>(i)];
    const int64_t size = shape[first + i], known = sizes.try_emplace(name, size).first->second;
    if (size != known)
      throw ShapeError(
          fmt::format("vectorize: axis {} has size {} before, and {} in {} of shape {}.", name,
                      known, size, what, shape.str()));
  }
}

// Throws for a result that is not what the signature says.
void check_results(const std::vector<Tensor>& results, const std::vector<AxisNames>& names,
                   bool has_signature, AxisSizes sizes) {
  if (has_signature && results.size() != names.size())
    throw ValueError(
        fmt::format("vectorize: the signature has {} results, the function returned {}.",
                    names.size(), results.size()));
  for (size_t i = 0; i < results.size(); ++i) {
    const AxisNames own = has_signature ? names[i] : AxisNames();
    const Shape& shape = results[i].shape();
    if (shape.rank() != static_cast<int>(own.size()))
      throw ShapeError(fmt::format("vectorize: expected a result with the axes {}, found shape {}.",
                                   list(own), shape.str()));
    note_sizes(own, shape, sizes, "a result");
  }
}

Shape joined(const Shape& a, const Shape& b) {
  Shape shape = a;
  for (const int64_t size : b) shape.push_back(size);
  return shape;
}

// What the function gives for no place at all: the shapes of its results, from a call on zeros.
Nest none_of(const std::function<Nest(const std::vector<Tensor>&)>& f,
             const std::vector<Tensor>& arguments, const std::vector<Shape>& own,
             const Shape& leading) {
  std::vector<Tensor> one;
  for (size_t i = 0; i < arguments.size(); ++i) one.push_back(zeros(own[i], arguments[i].dtype()));
  return f(one).map([&](const Tensor& y) { return zeros(joined(leading, y.shape()), y.dtype()); });
}

// f of the arguments at each place of the leading axes, which broadcast.
Nest map_places(const std::function<Nest(const std::vector<Tensor>&)>& f,
                std::vector<Tensor> arguments, const std::vector<AxisNames>& names) {
  Shape leading;
  std::vector<Shape> own;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = arguments[i].shape();
    const int first = shape.rank() - static_cast<int>(names[i].size());
    leading = broadcast(leading, shape.slice(0, first));
    own.push_back(shape.slice(first));
  }
  if (leading.empty()) return f(arguments);
  if (leading.numel() == 0) return none_of(f, arguments, own, leading);
  // Arguments that are the same at all places are given as they are.
  std::vector<Tensor> mapped;
  std::vector<size_t> places;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Tensor& x = arguments[i];
    if (x.size() == own[i].numel()) {
      x = reshape(x, own[i]);
      continue;
    }
    mapped.push_back(
        reshape(broadcast_to(x, joined(leading, own[i])), joined(Shape{leading.numel()}, own[i])));
    places.push_back(i);
  }
  const auto at_place = [&](const Nest& parts) {
    std::vector<Tensor> all = arguments;
    for (size_t i = 0; i < places.size(); ++i) all[places[i]] = parts[i].tensor();
    return f(all);
  };
  const Nest::List elements(mapped.begin(), mapped.end());
  return (places.empty() ? at_place({}) : vectorized_map(at_place, elements))
      .map([&](const Tensor& y) {
        return reshape(y, joined(leading, y.shape().slice(places.empty() ? 0 : 1)));
      });
}

}  // namespace

Vectorized::Vectorized(detail::FunctionOfList function, VectorizeOptions options)
    : function_(std::move(function)),
      excluded_(std::move(options.excluded)),
      has_signature_(!options.signature.empty()) {
  if (!has_signature_) return;
  std::string text = options.signature;
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  if (arrow == std::string::npos) throw_signature(options.signature);
  const auto taken = parse_side(text.substr(0, arrow)), given = parse_side(text.substr(arrow + 2));
  if (!taken || !given) throw_signature(options.signature);
  arguments_ = *taken;
  results_ = *given;
}

Nest Vectorized::call(const std::vector<Tensor>& arguments) const {
  std::vector<Tensor> mapped;
  std::vector<size_t> places;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!excluded_.contains(static_cast<int64_t>(i))) {
      mapped.push_back(arguments[i]);
      places.push_back(i);
    }
  const std::vector<AxisNames> names =
      has_signature_ ? arguments_ : std::vector<AxisNames>(mapped.size());
  if (names.size() != mapped.size())
    throw ValueError(fmt::format("vectorize: the signature has {} arguments, found {}.",
                                 names.size(), mapped.size()));
  AxisSizes sizes;
  for (size_t i = 0; i < mapped.size(); ++i)
    note_sizes(names[i], mapped[i].shape(), sizes, "an argument");
  const auto with_excluded = [&](const std::vector<Tensor>& parts) {
    std::vector<Tensor> all = arguments;
    for (size_t i = 0; i < places.size(); ++i) all[places[i]] = parts[i];
    Nest results = function_(all);
    check_results(results.flatten(), results_, has_signature_, sizes);
    return results;
  };
  return map_places(with_excluded, std::move(mapped), names);
}

}  // namespace cornu::ops
