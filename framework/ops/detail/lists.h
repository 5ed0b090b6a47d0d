// The lists that fill the catalog of ops: one in each file of ops, beside the functions that it
// lists.
#pragma once

namespace cornu {
class OpCatalog;
namespace ops {

void list_elementwise(OpCatalog& catalog);
void list_core_cast(OpCatalog& catalog);
void list_core_slices(OpCatalog& catalog);
void list_numpy_arithmetic(OpCatalog& catalog);
void list_numpy_bits(OpCatalog& catalog);
void list_numpy_complex(OpCatalog& catalog);
void list_numpy_creation(OpCatalog& catalog);
void list_numpy_einsum(OpCatalog& catalog);
void list_numpy_indexing(OpCatalog& catalog);
void list_numpy_joining(OpCatalog& catalog);
void list_numpy_logic(OpCatalog& catalog);
void list_numpy_manipulation(OpCatalog& catalog);
void list_numpy_matrices(OpCatalog& catalog);
void list_numpy_nan_statistics(OpCatalog& catalog);
void list_numpy_products(OpCatalog& catalog);
void list_numpy_reduction(OpCatalog& catalog);
void list_numpy_sets(OpCatalog& catalog);
void list_numpy_sorting(OpCatalog& catalog);
void list_numpy_statistics(OpCatalog& catalog);
void list_numpy_windows(OpCatalog& catalog);
void list_math_complex(OpCatalog& catalog);
void list_math_distances(OpCatalog& catalog);
void list_math_fft(OpCatalog& catalog);
void list_math_segment(OpCatalog& catalog);
void list_math_special(OpCatalog& catalog);
void list_math_top_k(OpCatalog& catalog);
void list_linalg_decompositions(OpCatalog& catalog);
void list_linalg_norm(OpCatalog& catalog);
void list_linalg_solvers(OpCatalog& catalog);
void list_nn_activations(OpCatalog& catalog);
void list_nn_attention(OpCatalog& catalog);
void list_nn_convolution(OpCatalog& catalog);
void list_nn_ctc(OpCatalog& catalog);
void list_nn_losses(OpCatalog& catalog);
void list_nn_normalization(OpCatalog& catalog);
void list_nn_one_hot(OpCatalog& catalog);
void list_nn_patches(OpCatalog& catalog);
void list_nn_polar(OpCatalog& catalog);
void list_nn_pooling(OpCatalog& catalog);
void list_nn_softmax(OpCatalog& catalog);
void list_image_color(OpCatalog& catalog);
void list_image_filters(OpCatalog& catalog);
void list_image_padding(OpCatalog& catalog);
void list_image_patches(OpCatalog& catalog);
void list_image_resize(OpCatalog& catalog);
void list_image_transform(OpCatalog& catalog);
void list_bounding_box_transforms(OpCatalog& catalog);
void list_bounding_boxes(OpCatalog& catalog);
void list_float8(OpCatalog& catalog);
void list_quantization(OpCatalog& catalog);
void list_rearrange(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
