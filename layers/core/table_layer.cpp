// Tables of vectors.
#include "table_layer.h"

#include <fmt/core.h>

namespace cornu::layers {

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

}  // namespace cornu::layers
