// Operations of neural networks: softmax, convolution, pooling, encodings, losses on logits;
// activations are in activations.h.
#pragma once
#include "activations.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/products.h"
#include "../operators.h"
#include "../numpy/reduction.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// exp(x) / sum(exp(x)) over one axis, several together, or (std::nullopt) all.
Tensor softmax(const Tensor& x, const Axes& axis = -1);
/// log(softmax(x)) without loss of precision.
Tensor log_softmax(const Tensor& x, const Axes& axis = -1);
/// The point of the simplex that is nearest to x along an axis, by the rule that Keras uses.
/// https://arxiv.org/abs/1602.02068
Tensor sparsemax(const Tensor& x, int64_t axis = -1);
/// The first half of x along an axis, gated by the sigmoid of the second:
/// https://arxiv.org/abs/1612.08083. Throws ShapeError when the axis cannot be halved.
Tensor glu(const Tensor& x, int64_t axis = -1);
/// A new last axis (or `axis`) of size num_classes with a one at x's value; all zeros where x is
/// out of range. float32 by default. Throws UnsupportedError for sparse results.
Tensor one_hot(const Tensor& x, int64_t num_classes, int64_t axis = -1,
               std::optional<DType> dtype = {}, bool sparse = false);
/// Which of num_classes occur in each row of class numbers: (n, k) -> (n, num_classes), (k) ->
/// (num_classes).
Tensor multi_hot(const Tensor& inputs, std::optional<int64_t> num_classes = {}, int64_t axis = -1,
                 std::optional<DType> dtype = {}, bool sparse = false);
/// The peak signal-to-noise ratio of two signals in decibels, a scalar.
Tensor psnr(const Tensor& x1, const Tensor& x2, const Tensor& max_val);

/// "valid": none; "same": as many outputs as inputs / stride, rounded up.
enum class Padding : uint8_t { valid, same };
Padding padding_of(const std::string& name);

/// x (n, spatial..., ci), kernel (spatial..., ci / groups, co) -> (n, spatial..., co), 1 to 3
/// spatial axes. With data_format "channels_first" x and the result are (n, c, spatial...).
Tensor conv(const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides = {1},
            const std::string& padding = "valid", const std::string& data_format = "channels_last",
            const std::vector<int64_t>& dilation_rate = {1});
/// Maximum (or mean, padding not counted) of windows; shapes as conv.
Tensor max_pool(const Tensor& x, const std::vector<int64_t>& pool_size,
                const std::optional<std::vector<int64_t>>& strides = {},
                const std::string& padding = "valid",
                const std::string& data_format = "channels_last");
Tensor average_pool(const Tensor& x, const std::vector<int64_t>& pool_size,
                    const std::optional<std::vector<int64_t>>& strides = {},
                    const std::string& padding = "valid",
                    const std::string& data_format = "channels_last");

/// Crossentropies of rows. `target` are probabilities of `output`'s shape, or class numbers
/// (sparse); `output` are probabilities (normalised and clipped by 1e-7 as in Keras) or, with
/// from_logits, unnormalised.
Tensor categorical_crossentropy(const Tensor& target, const Tensor& output,
                                bool from_logits = false, int64_t axis = -1);
Tensor sparse_categorical_crossentropy(const Tensor& target, const Tensor& output,
                                       bool from_logits = false, int64_t axis = -1);
/// Elementwise.
Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits = false);

/// Mean and variance over axes; float16 and bfloat16 are computed in float32.
std::pair<Tensor, Tensor> moments(const Tensor& x, const Axes& axes, bool keepdims = false);

/// Sizes of padding before and after each spatial axis for "same".
std::pair<int64_t, int64_t> same_padding(int64_t size, int64_t window, int64_t stride,
                                         int64_t dilation);

void list_nn(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
