// Finding the shapes of a call's outputs by running it on stand-ins.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node.h"

namespace cornu {

InferenceScope::InferenceScope() { ++graph_context().inference_depth; }
InferenceScope::~InferenceScope() { --graph_context().inference_depth; }

namespace {

Tensor stand_in(const Tensor& t, Shape shape, int64_t fill) {
  if (t.is_eager()) return t;
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] == Shape::unknown) shape[i] = fill;
  Tensor result = Tensor::abstract(shape, t.dtype());
  if (const Tensor mask = t.mask()) {
    Shape of_mask = mask.shape();
    for (int i = 0; i < of_mask.rank() && i < shape.rank(); ++i)
      if (of_mask[i] == Shape::unknown) of_mask[i] = shape[i];
    result.set_mask(stand_in(mask, of_mask, fill));
  }
  return result;
}

// The tensors of a call in their order, and the shape of each.
using Shapes = std::vector<std::pair<const detail::TensorImpl*, Shape>>;

const Shape& shape_of(const Tensor& t, const Shapes& shapes) {
  return std::find_if(shapes.begin(), shapes.end(),
                      [&](const auto& s) { return s.first == t.impl(); })
      ->second;
}

// The shapes with sizes that are not known taken from other tensors, where one has a size for the
// same axis counted from the last, as where they broadcast. The same shapes where none has.
Shapes aligned(const Shapes& given) {
  Shapes result = given;
  for (auto& [tensor, shape] : result)
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] != Shape::unknown) continue;
      for (const auto& [other, known] : given) {
        const int place = known.rank() - shape.rank() + i;
        if (place < 0 || known[place] <= 1) continue;
        shape[i] = known[place];
        break;
      }
    }
  return result;
}

void add_constant_sizes(const Value& value, std::vector<int64_t>& sizes) {
  const auto add = [&](int64_t size) {
    if (size > 1 && sizes.size() < 8 && std::find(sizes.begin(), sizes.end(), size) == sizes.end())
      sizes.push_back(size);
  };
  if (value.is<Tensor>()) {
    const Tensor& t = value.get<Tensor>();
    if (t.is_eager() && t.shape().rank() > 0) add(t.shape()[0]);
  } else if (value.is<Value::List>()) {
    const Value::List& list = value.get<Value::List>();
    for (const Value& one : list)
      if (one.is<int64_t>()) add(one.get<int64_t>());
    add(static_cast<int64_t>(list.size()));
  }
}

// Sizes that constants among the arguments have, or name as those of a shape do.
std::vector<int64_t> constant_sizes(const Arguments& arguments) {
  std::vector<int64_t> sizes;
  for (const Value& value : arguments.positional) add_constant_sizes(value, sizes);
  for (const auto& [name, value] : arguments.named) add_constant_sizes(value, sizes);
  return sizes;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number that begins at a place of a text and is no part of a longer word; else nothing.
std::string_view number_at(std::string_view text, size_t place) {
  const char before = place > 0 ? text[place - 1] : ' ';
  const bool inside =
      std::isalnum(static_cast<unsigned char>(before)) || before == '_' || before == '.';
  if (inside || !is_digit(text[place])) return {};
  size_t end = place;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(place, end - place);
}

// A message with None in the place of a stand-in's size wherever it prints a shape, "(83, 2)",
// unless there is a known size of that number too. What is left of it, alone or in a product such
// as a number of elements, a remark explains.
std::string with_none(std::string_view text, int64_t size, bool known) {
  std::string result;
  bool in_shape = false, left = false;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '(') {
      const std::string_view inside = text.substr(i + 1, text.find(')', i) - i - 1);
      in_shape = inside.find(',') != std::string_view::npos &&
                 inside.find_first_not_of("0123456789-., None") == std::string_view::npos;
    } else if (text[i] == ')') {
      in_shape = false;
    }
    const std::string_view number = number_at(text, i);
    if (number.empty()) {
      result += text[i++];
      continue;
    }
    // Longer numbers are no sizes.
    const int64_t value = number.size() < 18 ? std::stoll(std::string(number)) : 0;
    if (in_shape && value == size && !known) {
      result += "None";
    } else {
      result += number;
      left |= value > 0 && value % size == 0;
    }
    i += number.size();
  }
  if (left) result += fmt::format(" ({} stands for a size that is not known yet.)", size);
  return result;
}

Tensor merge(const Tensor& a, const Tensor& b) {
  if (!a) return a;
  Shape shape = a.shape();
  for (int i = 0; i < shape.rank(); ++i)
    if (b.shape()[i] != shape[i]) shape[i] = Shape::unknown;
  Tensor result = Tensor::abstract(shape, a.dtype());
  if (a.mask() && b.mask()) result.set_mask(merge(a.mask(), b.mask()));
  return result;
}

InferencePass& current_pass() {
  thread_local InferencePass pass = InferencePass::none;
  return pass;
}

class PassScope {
 public:
  explicit PassScope(InferencePass pass) : before_(current_pass()) { current_pass() = pass; }
  ~PassScope() { current_pass() = before_; }
  PassScope(const PassScope&) = delete;

 private:
  InferencePass before_;
};

}  // namespace

InferencePass inference_pass() { return current_pass(); }

Nest infer_outputs(const Arguments& arguments, const std::function<Nest(const Arguments&)>& f) {
  // For both runs: a layer that is built in the first must find the same variables in the second.
  InferenceScope scope;
  Shapes shapes;
  bool known = true;
  for (const Tensor& t : arguments.tensors()) {
    shapes.emplace_back(t.impl(), t.shape());
    known &= t.shape().known();
  }
  if (known)
    return f(arguments.map([](const Tensor& t) { return stand_in(t, t.shape(), 83); }))
        // Merged with itself, so that results lose what only the inference knew, such as values.
        .map([](const Tensor& t) { return t ? merge(t, t) : t; });
  // Two numbers: sizes derived from them differ whenever they depend on the unknown size.
  const auto run = [&](InferencePass which, const Shapes& of, int64_t fill) {
    const PassScope pass(which);
    try {
      return f(arguments.map([&](const Tensor& t) { return stand_in(t, shape_of(t, of), fill); }));
    } catch (Error& error) {
      const bool known = std::any_of(of.begin(), of.end(), [&](const auto& s) {
        return std::find(s.second.begin(), s.second.end(), fill) != s.second.end();
      });
      error.replace(with_none(error.what(), fill, known));
      throw;
    }
  };
  const auto run_both = [&](const Shapes& of, int64_t fill, int64_t other) {
    const Nest first = run(InferencePass::first, of, fill);
    return std::pair(first, run(InferencePass::second, of, other));
  };
  const auto both = [&] {
    try {
      // Larger than common sizes of kernels and pools, so that valid padding leaves something over.
      return run_both(shapes, 83, 89);
    } catch (const ShapeError&) {
      const std::exception_ptr error = std::current_exception();
      const auto tried = [&](const Shapes& of, int64_t fill,
                             int64_t other) -> std::optional<std::pair<Nest, Nest>> {
        try {
          return run_both(of, fill, other);
        } catch (const Error&) {
          return {};
        }
      };
      // An option may divide the size, which no number divides above.
      if (auto result = tried(shapes, 5040, 10080)) return *result;
      // Or one tensor tells what another leaves open.
      if (const Shapes told = aligned(shapes); told != shapes)
        if (auto result = tried(told, 83, 89)) return *result;
      // Or a constant beside them fixes it, such as a matrix for each image of a batch.
      for (const int64_t size : constant_sizes(arguments))
        if (auto result = tried(shapes, size, size)) return *result;
      std::rethrow_exception(error);
    }
  }();
  const auto& [first, second] = both;
  std::vector<Tensor> a = first.flatten(), b = second.flatten();
  for (size_t i = 0; i < a.size(); ++i) a[i] = merge(a[i], b[i]);
  return first.pack(a);
}

}  // namespace cornu
