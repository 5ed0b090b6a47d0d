// Class numbers as vectors, by comparison.
#include "one_hot.h"

#include <fmt/core.h>

#include "../../dispatch/complex.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/creation.h"
#include "../numpy/manipulation.h"
#include "../numpy/reduction.h"
#include "../operators.h"

namespace cornu::ops {

namespace {
constexpr Tensor (*one_hot_of_tensor)(const Tensor&, int64_t, int64_t, OptionalDType,
                                      bool) = &one_hot;
}

Tensor one_hot(const Tensor& x, int64_t num_classes, int64_t axis, OptionalDType dtype,
               bool sparse) {
  if (is_symbolic(x)) return symbolic_call(one_hot_of_tensor, x, num_classes, axis, dtype, sparse);
  if (sparse)
    throw UnsupportedError("one_hot: sparse tensors are not supported; leave out sparse=True.");
  if (num_classes < 0)
    throw ValueError(
        fmt::format("one_hot: num_classes must be at least 0, found {}.", num_classes));
  const int a = normalize_axis(axis, x.rank() + 1, "one_hot: axis");
  Shape shape;
  for (int i = 0; i <= x.rank(); ++i) shape.push_back(i == a ? num_classes : 1);
  const Tensor classes = reshape(arange(0, num_classes), shape);
  return cast(equal(expand_dims(cast(x, DType::int32), {a}), classes),
              dtype.value_or(config::default_dtype()));
}

Tensor multi_hot(const Tensor& inputs, std::optional<int64_t> num_classes, int64_t axis,
                 OptionalDType dtype, bool sparse) {
  if (is_symbolic(inputs))
    return symbolic_call(&multi_hot, inputs, num_classes, axis, dtype, sparse);
  if (!num_classes) throw ValueError("multi_hot: num_classes must be given.");
  return max(one_hot(inputs, *num_classes, axis, dtype, sparse), inputs.rank() > 1 ? 1 : 0);
}

void list_nn_one_hot(OpCatalog& catalog) {
  catalog.add("nn.OneHot", {"x", "num_classes", "axis=-1", "dtype=None", "sparse=False"},
              one_hot_of_tensor);
  catalog.add("nn.MultiHot",
              {"inputs", "num_classes=None", "axis=-1", "dtype=None", "sparse=False"}, &multi_hot);
}

}  // namespace cornu::ops
