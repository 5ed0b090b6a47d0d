// Tables of vectors.
#include "table_layer.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "../../framework/dispatch/apply.h"
#include "../../framework/dispatch/node.h"

namespace cornu::layers {

namespace {

template <class T>
void check_rows(std::span<const T> indices, int64_t rows, const std::string& layer) {
  bool fit = true;
  for (T i : indices) fit &= i >= 0 && i < rows;
  if (fit) return;
  const auto wrong =
      std::find_if(indices.begin(), indices.end(), [&](T i) { return i < 0 || i >= rows; });
  throw ValueError(
      fmt::format("Layer '{}': index {} (element {}) is not in [0, {}): input_dim is {}.", layer,
                  *wrong, wrong - indices.begin(), rows, rows));
}

}  // namespace

WeightForm table_form(int64_t input_dim, int64_t output_dim) {
  return {.name = "embeddings",
          .shape = {input_dim, output_dim},
          .summed = {1},
          .scale_shape = {input_dim},
          .matrix = {input_dim, output_dim},
          .summed_side = 1};
}

void check_table_mode(const std::string& mode) {
  if (mode != "int8" && mode != "int4")
    throw UnsupportedError(fmt::format(
        "quantize: embeddings cannot be quantized to '{}'. Use 'int8' or 'int4'.", mode));
}

Tensor as_indices(const Tensor& x) {
  return x.dtype() == DType::int32 || x.dtype() == DType::int64 ? x : ops::cast(x, DType::int32);
}

void check_rows_each_time(const Tensor& indices, int64_t rows, const std::string& layer) {
  // Indices made of a size, as those of places are, have values here, but the size is a stand-in.
  if (inference_pass() != InferencePass::none) return;
  if (!indices.is_eager() || indices.is_weak() || !indices.device().is_cpu()) return;
  apply_host(
      [=](std::span<const Tensor> in, std::span<const Tensor>) {
        const auto count = static_cast<size_t>(in[0].size());
        if (in[0].dtype() == DType::int32)
          check_rows(std::span(static_cast<const int32_t*>(in[0].data()), count), rows, layer);
        else
          check_rows(std::span(static_cast<const int64_t*>(in[0].data()), count), rows, layer);
      },
      {&indices, 1}, {}, fmt::format("check rows {}", rows));
}

}  // namespace cornu::layers
