// The lists that fill the catalog of ops: one in each file of ops, beside the functions that it
// lists.
#pragma once

namespace cornu {
class OpCatalog;
namespace ops {

// Each lists in the catalog:
void list_elementwise(OpCatalog& catalog);              ///< the ops of elementwise.h
void list_core_cast(OpCatalog& catalog);                ///< the ops of core/cast.h
void list_core_slices(OpCatalog& catalog);              ///< the ops of core/slices.h
void list_numpy_arithmetic(OpCatalog& catalog);         ///< the ops of numpy/arithmetic.h
void list_numpy_bits(OpCatalog& catalog);               ///< the ops of numpy/bits.h
void list_numpy_complex(OpCatalog& catalog);            ///< the ops of numpy/complex.h
void list_numpy_creation(OpCatalog& catalog);           ///< the ops of numpy/creation.h
void list_numpy_einsum(OpCatalog& catalog);             ///< the ops of numpy/einsum.h
void list_numpy_indexing(OpCatalog& catalog);           ///< the ops of numpy/indexing.h
void list_numpy_joining(OpCatalog& catalog);            ///< the ops of numpy/joining.h
void list_numpy_logic(OpCatalog& catalog);              ///< the ops of numpy/logic.h
void list_numpy_manipulation(OpCatalog& catalog);       ///< the ops of numpy/manipulation.h
void list_numpy_matrices(OpCatalog& catalog);           ///< the ops of numpy/matrices.h
void list_numpy_nan_statistics(OpCatalog& catalog);     ///< the ops of numpy/nan_statistics.h
void list_numpy_products(OpCatalog& catalog);           ///< the ops of numpy/products.h
void list_numpy_reduction(OpCatalog& catalog);          ///< the ops of numpy/reduction.h
void list_numpy_sets(OpCatalog& catalog);               ///< the ops of numpy/sets.h
void list_numpy_sorting(OpCatalog& catalog);            ///< the ops of numpy/sorting.h
void list_numpy_statistics(OpCatalog& catalog);         ///< the ops of numpy/statistics.h
void list_numpy_windows(OpCatalog& catalog);            ///< the ops of numpy/windows.h
void list_math_complex(OpCatalog& catalog);             ///< the ops of math/complex.h
void list_math_distances(OpCatalog& catalog);           ///< the ops of math/distances.h
void list_math_fft(OpCatalog& catalog);                 ///< the ops of math/fft.h
void list_math_segment(OpCatalog& catalog);             ///< the ops of math/segment.h
void list_math_special(OpCatalog& catalog);             ///< the ops of math/special.h
void list_math_top_k(OpCatalog& catalog);               ///< the ops of math/top_k.h
void list_linalg_decompositions(OpCatalog& catalog);    ///< the ops of linalg/decompositions.h
void list_linalg_norm(OpCatalog& catalog);              ///< the ops of linalg/norm.h
void list_linalg_solvers(OpCatalog& catalog);           ///< the ops of linalg/solvers.h
void list_nn_activations(OpCatalog& catalog);           ///< the ops of nn/activations.h
void list_nn_attention(OpCatalog& catalog);             ///< the ops of nn/attention.h
void list_nn_convolution(OpCatalog& catalog);           ///< the ops of nn/convolution.h
void list_nn_ctc(OpCatalog& catalog);                   ///< the ops of nn/ctc.h
void list_nn_losses(OpCatalog& catalog);                ///< the ops of nn/losses.h
void list_nn_normalization(OpCatalog& catalog);         ///< the ops of nn/normalization.h
void list_nn_one_hot(OpCatalog& catalog);               ///< the ops of nn/one_hot.h
void list_nn_patches(OpCatalog& catalog);               ///< the ops of nn/patches.h
void list_nn_polar(OpCatalog& catalog);                 ///< the ops of nn/polar.h
void list_nn_pooling(OpCatalog& catalog);               ///< the ops of nn/pooling.h
void list_nn_softmax(OpCatalog& catalog);               ///< the ops of nn/softmax.h
void list_image_color(OpCatalog& catalog);              ///< the ops of image/color.h
void list_image_filters(OpCatalog& catalog);            ///< the ops of image/filters.h
void list_image_padding(OpCatalog& catalog);            ///< the ops of image/padding.h
void list_image_patches(OpCatalog& catalog);            ///< the ops of image/patches.h
void list_image_resize(OpCatalog& catalog);             ///< the ops of image/resize.h
void list_image_transform(OpCatalog& catalog);          ///< the ops of image/transform.h
void list_bounding_box_transforms(OpCatalog& catalog);  ///< the further ops of bounding_boxes.h
void list_bounding_boxes(OpCatalog& catalog);           ///< the ops of bounding_boxes.h
void list_float8(OpCatalog& catalog);                   ///< the ops of float8.h
void list_quantization(OpCatalog& catalog);             ///< the ops of quantization.h
void list_rearrange(OpCatalog& catalog);                ///< the ops of rearrange.h

}  // namespace ops
}  // namespace cornu
