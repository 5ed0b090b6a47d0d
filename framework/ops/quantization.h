// Numbers in 8 and 4 bits: what keras.quantizers has as functions.
#pragma once
#include "op.h"

namespace cornu::ops {

/// {integers, scale}: inputs * scale, rounded and limited to value_range, with scale =
/// value_range[1] / (largest |inputs| over `axis` + epsilon), which keeps those axes with size 1.
/// `to_numpy` changes no result.
TensorTuple<2> abs_max_quantize(const Tensor& inputs, const Axes& axis,
                                const std::vector<double>& value_range = {-127, 127},
                                DTypeName dtype = DType::int8, double epsilon = 1e-7,
                                bool to_numpy = false);
/// {integers, scale, zero point}: each column of inputs (rows, columns) in blocks of `block_size`
/// rows, which are spread over value_range from their least to their greatest number: scale and
/// zero point are (blocks, columns).
TensorTuple<3> abs_max_quantize_grouped_with_zero_point(
    const Tensor& inputs, int64_t block_size, const std::vector<double>& value_range = {-8, 7},
    DTypeName dtype = DType::int8, double epsilon = 1e-7, bool to_numpy = false);
/// {packed, its shape, the size of the axis before}: pairs of 4-bit numbers along `axis` in one
/// byte each, the first in the lower half; the last two as constants.
Nest pack_int4(const Tensor& arr, int64_t axis = 0, DTypeName dtype = DType::int8);
/// The reverse: `orig_len` is the size of the axis before packing.
Tensor unpack_int4(const Tensor& packed, int64_t orig_len, int64_t axis = 0,
                   DTypeName dtype = DType::int8);

/// (weights_matrix - zero) * scale, where the scale and the zero point of each place along
/// `group_axis` are those of its group: `g_idx` has a number for each place, scale and zero one for
/// each group.
Tensor dequantize_with_sz_map(const Tensor& weights_matrix, const Tensor& scale, const Tensor& zero,
                              const Tensor& g_idx, int64_t group_axis = -1);

/// inputs as 2^num_bits steps between min_vals and max_vals would keep them, as floats: limited to
/// that range, which is first moved a little so that 0 is a step, and rounded to the nearest step.
/// narrow_range leaves out the lowest step. Without `axis` there is one range, and min_vals and
/// max_vals have one element; else each place along `axis` has its own, and they are (places). The
/// arithmetic is that of float32 or wider, and the result has the dtype of inputs.
///
/// The gradient of inputs passes where they are inside of the range; that of min_vals is the sum
/// over inputs at or below it, of max_vals over inputs at or above it. Throws ShapeError for other
/// shapes, ValueError for an `inputs` of no float type and for less than two steps or more than 24
/// bits. Jacob et al., https://arxiv.org/abs/1712.05877.
Tensor fake_quant_with_min_max_vars(const Tensor& inputs, const Tensor& min_vals,
                                    const Tensor& max_vals, int64_t num_bits = 8,
                                    bool narrow_range = false, std::optional<int64_t> axis = {});

}  // namespace cornu::ops
