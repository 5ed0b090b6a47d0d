// Numbers in 8 and 4 bits: what keras.quantizers has as functions.
#pragma once
#include "op.h"

namespace cornu::ops {

/// {integers, scale}: inputs * scale, rounded and limited to value_range, with scale =
/// value_range[1] / (largest |inputs| over `axis` + epsilon), which keeps those axes with size 1.
/// `to_numpy` changes no result.
std::vector<Tensor> abs_max_quantize(const Tensor& inputs, const Axes& axis,
                                     const std::vector<double>& value_range = {-127, 127},
                                     DType dtype = DType::int8, double epsilon = 1e-7,
                                     bool to_numpy = false);
/// {integers, scale, zero point}: each column of inputs (rows, columns) in blocks of `block_size`
/// rows, which are spread over value_range from their least to their greatest number: scale and
/// zero point are (blocks, columns).
std::vector<Tensor> abs_max_quantize_grouped_with_zero_point(
    const Tensor& inputs, int64_t block_size, const std::vector<double>& value_range = {-8, 7},
    DType dtype = DType::int8, double epsilon = 1e-7, bool to_numpy = false);
/// {packed, its shape, the size of the axis before}: pairs of 4-bit numbers along `axis` in one
/// byte each, the first in the lower half; the last two as constants.
Nest pack_int4(const Tensor& arr, int64_t axis = 0, DType dtype = DType::int8);
/// The reverse: `orig_len` is the size of the axis before packing.
Tensor unpack_int4(const Tensor& packed, int64_t orig_len, int64_t axis = 0,
                   DType dtype = DType::int8);

/// (weights_matrix - zero) * scale, where the scale and the zero point of each place along
/// `group_axis` are those of its group: `g_idx` has a number for each place, scale and zero one for
/// each group.
Tensor dequantize_with_sz_map(const Tensor& weights_matrix, const Tensor& scale, const Tensor& zero,
                              const Tensor& g_idx, int64_t group_axis = -1);

}  // namespace cornu::ops
