// Kernels of spectral norm 1.
#include "spectral_normalization.h"

#include <fmt/core.h>

#include "../../framework/base/class_of.h"
#include "../../framework/initializers/truncated_normal.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/products.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

namespace {

// v over its length, or over 1e-12 if that is longer.
Tensor unit(const Tensor& v) {
  return fused([](Expr v, Expr squares) { return v * expr::rsqrt(expr::maximum(squares, 1e-24)); },
               v, ops::sum(ops::square(v)));
}

}  // namespace

SpectralNormalizationLayer::SpectralNormalizationLayer(SpectralNormalizationConfig c)
    : WrapperOf(std::move(c)) {
  check_positive("power_iterations", config.power_iterations);
}

void SpectralNormalizationLayer::build_many(const Nest& inputs) {
  WrapperOf::build_many(inputs);
  for (const char* name : {"kernel", "embeddings"})
    for (const Variable& v : layer->own_weights())
      if (!kernel && v.name() == name) kernel = v;
  if (!kernel)
    throw ValueError(
        fmt::format("the layer '{}' ({}) has no weight 'kernel' or 'embeddings' to normalize.",
                    layer->name(), class_of(*layer)));
  if (!is_float(kernel.dtype()))
    throw UnsupportedError(fmt::format("the layer '{}' is quantized: its kernel has dtype {}.",
                                       layer->name(), dtype_name(kernel.dtype())));
  share_weight(kernel);
  vector_u = add_weight({.name = "vector_u",
                         .shape = {1, kernel.shape().back()},
                         .initializer = initializers::TruncatedNormal({.stddev = 0.02}),
                         .dtype = kernel.dtype(),
                         .trainable = false});
}

void SpectralNormalizationLayer::normalize_kernel() {
  const Tensor value = kernel.value();
  const Tensor matrix = ops::reshape(value, {-1, value.shape().back()});
  Tensor u = vector_u.value(), v;
  for (int64_t i = 0; i < config.power_iterations; ++i) {
    v = unit(ops::matmul_transposed(u, matrix, false, true));
    u = unit(ops::matmul(v, matrix));
  }
  const Tensor sigma = ops::reshape(ops::matmul_transposed(ops::matmul(v, matrix), u, false, true),
                                    Shape(std::vector<int64_t>(value.shape().rank(), 1)));
  const Tensor zero = ops::equal(ops::max(ops::absolute(value)), Tensor(0));
  vector_u.assign(ops::where(zero, vector_u.value(), u));
  kernel.assign(ops::where(zero, value, value / sigma));
}

Tensor SpectralNormalizationLayer::call(const Tensor& x, const Call& call) {
  if (call.is_training()) normalize_kernel();
  return ops::cast((*layer)(x), x.dtype());
}

void register_spectral_normalization(Catalog& c) {
  c.add<SpectralNormalizationLayer>("keras.layers.SpectralNormalization");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SpectralNormalizationLayer,
                              cornu::layers::SpectralNormalizationConfig>;
