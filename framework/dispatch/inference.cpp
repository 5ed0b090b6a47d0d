// Finding the shapes of a call's outputs by running it on stand-ins.
#include <algorithm>
#include <optional>
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
      const std::string number = std::to_string(fill);
      if (std::string_view(error.what()).find(number) != std::string_view::npos)
        error.append("(" + number + " stands for a size that is not known yet.)");
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
      std::rethrow_exception(error);
    }
  }();
  const auto& [first, second] = both;
  std::vector<Tensor> a = first.flatten(), b = second.flatten();
  for (size_t i = 0; i < a.size(); ++i) a[i] = merge(a[i], b[i]);
  return first.pack(a);
}

}  // namespace cornu
