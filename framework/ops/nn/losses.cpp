// Softmax, encodings and crossentropies.
#include "losses.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../dispatch/complex.h"
#include "../bounding_boxes.h"
#include "../catalog.h"
#include "../numpy/creation.h"
#include "ctc.h"
#include "../image/color.h"
#include "../numpy/indexing.h"
#include "patches.h"
#include "../quantization.h"
#include "../numpy/manipulation.h"

namespace cornu::ops {
namespace {

// f on the last axis, for the kernels that only know that one.
template <class F>
Tensor along_last(const Tensor& x, int64_t axis, F f) {
  const int a = normalize_axis(axis, x.rank());
  if (a == x.rank() - 1) return f(x);
  return swapaxes(f(swapaxes(x, a, -1)), a, -1);
}

Tensor softmax_kernel(const Tensor& x, const Axes& axes, bool log) {
  if (is_complex(x.dtype())) refuse_complex(log ? "log_softmax" : "softmax");
  const Tensor real = is_float(x.dtype()) ? x : cast(x, DType::float32);
  const auto kernel = [log](const Tensor& t) {
    return apply(backend::Softmax{log}, {t}, t.spec());
  };
  const auto which = axes.resolve(x.rank());
  if (which.size() == 1) return along_last(real, which[0], kernel);
  if (which.size() == static_cast<size_t>(x.rank()))
    return reshape(kernel(reshape(real, {-1})), x.shape());
  // Several axes together: brought to the end they are one.
  std::vector<int64_t> order, back(x.rank());
  Shape kept;
  for (int i = 0; i < x.rank(); ++i)
    if (std::find(which.begin(), which.end(), i) == which.end()) {
      order.push_back(i);
      kept.push_back(x.shape()[i]);
    }
  order.insert(order.end(), which.begin(), which.end());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  const Tensor moved = transpose(real, order);
  return transpose(reshape(kernel(reshape(moved, concat(kept, {-1}))), moved.shape()), back);
}

constexpr double epsilon = 1e-7;

void check_target(const Tensor& target, const Tensor& output, const char* name) {
  if (target.shape() != output.shape())
    throw ShapeError(fmt::format(
        "{}: target of shape {} and output of shape {} must be equal. For class numbers "
        "use sparse_categorical_crossentropy.",
        name, target.shape().str(), output.shape().str()));
}

}  // namespace

Tensor softmax(const Tensor& x, const Axes& axis) {
  return op(
      &softmax, [](const Tensor& x, const Axes& axis) { return softmax_kernel(x, axis, false); }, x,
      axis);
}

Tensor log_softmax(const Tensor& x, const Axes& axis) {
  return op(
      &log_softmax, [](const Tensor& x, const Axes& axis) { return softmax_kernel(x, axis, true); },
      x, axis);
}

Tensor sparsemax(const Tensor& x, int64_t axis) {
  return op(
      &sparsemax,
      [](const Tensor& x, int64_t axis) {
        const int a = normalize_axis(axis, x.rank(), "sparsemax: axis");
        const int64_t n = x.shape()[a];
        const Tensor descending = -sort(-x, a), sums = cumsum(descending, a);
        Shape along;
        for (int i = 0; i < x.rank(); ++i) along.push_back(i == a ? n : 1);
        const Tensor ranks = reshape(arange(1, n + 1, 1, x.dtype()), along);
        const Tensor support = greater(descending - (sums - 1) / ranks, 0);
        const Tensor count = sum(cast(support, x.dtype()), a, true);
        const Tensor threshold = (sum(where(support, sums, zeros_like(sums)), a, true) - 1) / count;
        return fused([](Expr x, Expr t) { return expr::relu(x - t); }, x, threshold);
      },
      x, axis);
}

Tensor glu(const Tensor& x, int64_t axis) {
  return op(
      &glu,
      [](const Tensor& x, int64_t axis) {
        const int a = normalize_axis(axis, x.rank(), "glu: axis");
        if (x.shape()[a] % 2 != 0)
          throw ShapeError(fmt::format("glu: axis {} of shape {} must have an even size.", axis,
                                       x.shape().str()));
        const auto halves = split(x, {2}, a);
        return fused([](Expr x, Expr gate) { return x * expr::sigmoid(gate); }, halves[0],
                     halves[1]);
      },
      x, axis);
}

Tensor one_hot(const Tensor& x, int64_t num_classes, int64_t axis, std::optional<DType> dtype,
               bool sparse) {
  return op(
      &one_hot,
      [](const Tensor& x, int64_t num_classes, int64_t axis, std::optional<DType> dtype,
         bool sparse) {
        if (sparse)
          throw UnsupportedError(
              "one_hot: sparse tensors are not supported; leave out sparse=True.");
        const int a = normalize_axis(axis, x.rank() + 1, "one_hot: axis");
        Shape shape;
        for (int i = 0; i <= x.rank(); ++i) shape.push_back(i == a ? num_classes : 1);
        const Tensor classes = reshape(arange(0, num_classes), shape);
        return cast(equal(expand_dims(cast(x, DType::int32), {a}), classes),
                    dtype.value_or(DType::float32));
      },
      x, num_classes, axis, dtype, sparse);
}

Tensor multi_hot(const Tensor& inputs, std::optional<int64_t> num_classes, int64_t axis,
                 std::optional<DType> dtype, bool sparse) {
  return op(
      &multi_hot,
      [](const Tensor& inputs, std::optional<int64_t> num_classes, int64_t axis,
         std::optional<DType> dtype, bool sparse) {
        if (!num_classes) throw ValueError("multi_hot: num_classes must be given.");
        return max(one_hot(inputs, *num_classes, axis, dtype, sparse), inputs.rank() > 1 ? 1 : 0);
      },
      inputs, num_classes, axis, dtype, sparse);
}

Tensor psnr(const Tensor& x1, const Tensor& x2, const Tensor& max_val) {
  return op(
      &psnr,
      [](const Tensor& x1, const Tensor& x2, const Tensor& max_val) {
        if (x1.shape() != x2.shape())
          throw ShapeError(fmt::format("psnr: shapes {} and {} must be equal.", x1.shape().str(),
                                       x2.shape().str()));
        if (is_complex(x1.dtype()) || is_complex(x2.dtype())) refuse_complex("psnr");
        return 20 * log10(cast(max_val, x2.dtype())) - 10 * log10(mean(square(x1 - x2)));
      },
      x1, x2, max_val);
}

Tensor categorical_crossentropy(const Tensor& target, const Tensor& output, bool from_logits,
                                int64_t axis) {
  return op(
      &categorical_crossentropy,
      [](const Tensor& target, const Tensor& output, bool from_logits, int64_t axis) {
        check_target(target, output, "categorical_crossentropy");
        if (from_logits) return -sum(target * log_softmax(output, axis), axis);
        const Tensor normalised = output / sum(output, axis, true);
        return -sum(fused(
                        [](Expr t, Expr p) {
                          return t *
                                 expr::log(expr::minimum(expr::maximum(p, epsilon), 1.0 - epsilon));
                        },
                        target, normalised),
                    axis);
      },
      target, output, from_logits, axis);
}

Tensor sparse_categorical_crossentropy(const Tensor& target, const Tensor& output, bool from_logits,
                                       int64_t axis) {
  return op(
      &sparse_categorical_crossentropy,
      [](const Tensor& target, const Tensor& output, bool from_logits, int64_t axis) {
        const int a = normalize_axis(axis, output.rank(), "sparse_categorical_crossentropy: axis");
        Tensor labels = cast(target, DType::int32);
        if (labels.rank() == output.rank() && labels.shape()[a] == 1) labels = squeeze(labels, a);
        Shape expected = output.shape();
        expected.erase(a);
        if (labels.shape() != expected)
          throw ShapeError(fmt::format(
              "sparse_categorical_crossentropy: labels of shape {} for output of shape {}: "
              "expected {} or {}.",
              target.shape().str(), output.shape().str(), expected.str(), [&] {
                Shape s = output.shape();
                s[a] = 1;
                return s.str();
              }()));
        const Tensor logp =
            from_logits
                ? log_softmax(output, a)
                : fused(
                      [](Expr p) {
                        return expr::log(expr::minimum(expr::maximum(p, epsilon), 1.0 - epsilon));
                      },
                      output / sum(output, a, true));
        const Tensor column = expand_dims(labels, {a});
        const Tensor picked = squeeze(take_along_axis(logp, column, a), a);
        // A label out of range has no class: Keras's one-hot row of it is all zeros.
        const int64_t classes = output.shape()[a];
        const Tensor inside = logical_and(labels >= 0, labels < classes);
        return -where(inside, picked, zeros_like(picked));
      },
      target, output, from_logits, axis);
}

Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits) {
  return op(
      &binary_crossentropy,
      [](const Tensor& target, const Tensor& output, bool from_logits) {
        check_target(target, output, "binary_crossentropy");
        if (from_logits)
          return fused(
              [](Expr t, Expr x) { return t * expr::softplus(-x) + (1.0 - t) * expr::softplus(x); },
              target, output);
        return fused(
            [](Expr t, Expr p) {
              Expr q = expr::minimum(expr::maximum(p, epsilon), 1.0 - epsilon);
              return -(t * expr::log(q) + (1.0 - t) * expr::log(1.0 - q));
            },
            target, output);
      },
      target, output, from_logits);
}

std::pair<Tensor, Tensor> moments(const Tensor& x, const Axes& axes, bool keepdims) {
  if (is_complex(x.dtype())) refuse_complex("moments");
  const bool narrow = is_float(x.dtype()) && size_of(x.dtype()) < 4;
  const Tensor wide = narrow ? cast(x, DType::float32) : x;
  const Tensor average = mean(wide, axes, true);
  Tensor variance = mean(square(wide - average), axes, keepdims);
  Tensor result = keepdims ? average : reshape(average, variance.shape());
  if (!narrow) return {result, variance};
  // Statistics beyond float16's range stay finite, for bfloat16 too.
  auto narrowed = [&](const Tensor& y) {
    constexpr double most = 65504;
    return cast(
        fused([](Expr y, Expr most) { return expr::maximum(expr::minimum(y, most), -most); }, y,
              Tensor(most)),
        x.dtype());
  };
  return {narrowed(result), narrowed(variance)};
}

void list_nn(OpCatalog& catalog) {
  catalog.add("nn.Softmax", {"x", "axis=-1"}, &softmax);
  catalog.add("nn.LogSoftmax", {"x", "axis=-1"}, &log_softmax);
  catalog.add("nn.Sparsemax", {"x", "axis=-1"}, &sparsemax);
  catalog.add("nn.Glu", {"x", "axis=-1"}, &glu);
  catalog.add("nn.OneHot", {"x", "num_classes", "axis=-1", "dtype=None", "sparse=False"}, &one_hot);
  catalog.add("nn.MultiHot",
              {"inputs", "num_classes=None", "axis=-1", "dtype=None", "sparse=False"}, &multi_hot);
  catalog.add("nn.PSNR", {"x1", "x2", "max_val"}, &psnr);
  catalog.add("nn.Conv",
              {"inputs", "kernel", "strides=1", "padding='valid'", "data_format='channels_last'",
               "dilation_rate=1"},
              &conv);
  catalog.add(
      "nn.MaxPool",
      {"inputs", "pool_size", "strides=None", "padding='valid'", "data_format='channels_last'"},
      &max_pool);
  catalog.add(
      "nn.AveragePool",
      {"inputs", "pool_size", "strides=None", "padding='valid'", "data_format='channels_last'"},
      &average_pool);
  catalog.add("nn.CategoricalCrossentropy", {"target", "output", "from_logits=False", "axis=-1"},
              &categorical_crossentropy);
  catalog.add("nn.SparseCategoricalCrossentropy",
              {"target", "output", "from_logits=False", "axis=-1"},
              &sparse_categorical_crossentropy);
  catalog.add("nn.BinaryCrossentropy", {"target", "output", "from_logits=False"},
              &binary_crossentropy);
  list_patches(catalog);
  list_ctc(catalog);
  list_image(catalog);
  list_quantization(catalog);
  list_bounding_boxes(catalog);
}

}  // namespace cornu::ops
