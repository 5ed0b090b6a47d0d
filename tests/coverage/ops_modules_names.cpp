// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_ops_numpy_abs() { (void)ops::numpy::abs(x); }
void keras_ops_numpy_absolute() { (void)ops::numpy::absolute(x); }
void keras_ops_nn_adaptive_average_pool() { (void)ops::nn::adaptive_average_pool(inputs, output_size); }
void keras_ops_nn_adaptive_max_pool() { (void)ops::nn::adaptive_max_pool(inputs, output_size); }
void keras_ops_numpy_add() { (void)ops::numpy::add(x1, x2); }
void keras_ops_numpy_all() { (void)ops::numpy::all(x); }
void keras_ops_numpy_allclose() { (void)ops::numpy::allclose(x1, x2); }
void keras_ops_numpy_amax() { (void)ops::numpy::amax(x); }
void keras_ops_numpy_amin() { (void)ops::numpy::amin(x); }
void keras_ops_numpy_angle() { (void)ops::numpy::angle(x); }
void keras_ops_numpy_any() { (void)ops::numpy::any(x); }
void keras_ops_numpy_append() { (void)ops::numpy::append(x1, x2); }
void keras_ops_numpy_arange() { (void)ops::numpy::arange(start); }
void keras_ops_numpy_arccos() { (void)ops::numpy::arccos(x); }
void keras_ops_numpy_arccosh() { (void)ops::numpy::arccosh(x); }
void keras_ops_numpy_arcsin() { (void)ops::numpy::arcsin(x); }
void keras_ops_numpy_arcsinh() { (void)ops::numpy::arcsinh(x); }
void keras_ops_numpy_arctan() { (void)ops::numpy::arctan(x); }
void keras_ops_numpy_arctan2() { (void)ops::numpy::arctan2(x1, x2); }
void keras_ops_numpy_arctanh() { (void)ops::numpy::arctanh(x); }
void keras_ops_numpy_argmax() { (void)ops::numpy::argmax(x); }
void keras_ops_numpy_argmin() { (void)ops::numpy::argmin(x); }
void keras_ops_numpy_argpartition() { (void)ops::numpy::argpartition(x, kth); }
void keras_ops_numpy_argsort() { (void)ops::numpy::argsort(x); }
void keras_ops_numpy_array() { (void)ops::numpy::array(x); }
void keras_ops_numpy_array_split() { (void)ops::numpy::array_split(x, 2); }
void keras_ops_numpy_average() { (void)ops::numpy::average(x); }
void keras_ops_nn_average_pool() { (void)ops::nn::average_pool(inputs, pool_size); }
void keras_ops_numpy_bartlett() { (void)ops::numpy::bartlett(5); }
void keras_ops_nn_batch_normalization() { (void)ops::nn::batch_normalization(x, mean, variance, axis); }
void keras_ops_nn_binary_crossentropy() { (void)ops::nn::binary_crossentropy(target, output); }
void keras_ops_numpy_bincount() { (void)ops::numpy::bincount(x); }
void keras_ops_numpy_bitwise_and() { (void)ops::numpy::bitwise_and(x, y); }
void keras_ops_numpy_bitwise_invert() { (void)ops::numpy::bitwise_invert(x); }
void keras_ops_numpy_bitwise_left_shift() { (void)ops::numpy::bitwise_left_shift(x, y); }
void keras_ops_numpy_bitwise_not() { (void)ops::numpy::bitwise_not(x); }
void keras_ops_numpy_bitwise_or() { (void)ops::numpy::bitwise_or(x, y); }
void keras_ops_numpy_bitwise_right_shift() { (void)ops::numpy::bitwise_right_shift(x, y); }
void keras_ops_numpy_bitwise_xor() { (void)ops::numpy::bitwise_xor(x, y); }
void keras_ops_numpy_blackman() { (void)ops::numpy::blackman(5); }
void keras_ops_numpy_broadcast_to() { (void)ops::numpy::broadcast_to(x, shape); }
void keras_ops_nn_categorical_crossentropy() { (void)ops::nn::categorical_crossentropy(target, output); }
void keras_ops_numpy_cbrt() { (void)ops::numpy::cbrt(x); }
void keras_ops_numpy_ceil() { (void)ops::numpy::ceil(x); }
void keras_ops_nn_celu() { (void)ops::nn::celu(x); }
void keras_ops_linalg_cholesky() { (void)ops::linalg::cholesky(x); }
void keras_ops_linalg_cholesky_inverse() { (void)ops::linalg::cholesky_inverse(x); }
void keras_ops_numpy_clip() { (void)ops::numpy::clip(x, x_min, x_max); }
void keras_ops_numpy_concatenate() { (void)ops::numpy::concatenate(xs); }
void keras_ops_numpy_conj() { (void)ops::numpy::conj(x); }
void keras_ops_numpy_conjugate() { (void)ops::numpy::conjugate(x); }
void keras_ops_nn_conv() { (void)ops::nn::conv(inputs, kernel); }
void keras_ops_nn_conv_transpose() { (void)ops::nn::conv_transpose(inputs, kernel); }
void keras_ops_numpy_copy() { (void)ops::numpy::copy(x); }
void keras_ops_numpy_corrcoef() { (void)ops::numpy::corrcoef(x); }
void keras_ops_numpy_correlate() { (void)ops::numpy::correlate(x1, x2); }
void keras_ops_numpy_cos() { (void)ops::numpy::cos(x); }
void keras_ops_numpy_cosh() { (void)ops::numpy::cosh(x); }
void keras_ops_numpy_count_nonzero() { (void)ops::numpy::count_nonzero(x); }
void keras_ops_numpy_cross() { (void)ops::numpy::cross(x1, x2); }
void keras_ops_nn_ctc_decode() { (void)ops::nn::ctc_decode(inputs, sequence_lengths); }
void keras_ops_nn_ctc_loss() { (void)ops::nn::ctc_loss(target, output, target_length, output_length); }
void keras_ops_numpy_cumprod() { (void)ops::numpy::cumprod(x); }
void keras_ops_numpy_cumsum() { (void)ops::numpy::cumsum(x); }
void keras_ops_numpy_deg2rad() { (void)ops::numpy::deg2rad(x); }
void keras_ops_nn_depth_to_space() { (void)ops::nn::depth_to_space(x, block_size); }
void keras_ops_nn_depthwise_conv() { (void)ops::nn::depthwise_conv(inputs, kernel); }
void keras_ops_linalg_det() { (void)ops::linalg::det(x); }
void keras_ops_numpy_diag() { (void)ops::numpy::diag(x); }
void keras_ops_numpy_diagflat() { (void)ops::numpy::diagflat(x); }
void keras_ops_numpy_diagonal() { (void)ops::numpy::diagonal(x); }
void keras_ops_numpy_diff() { (void)ops::numpy::diff(a); }
void keras_ops_numpy_digitize() { (void)ops::numpy::digitize(x, bins); }
void keras_ops_numpy_divide() { (void)ops::numpy::divide(x1, x2); }
void keras_ops_numpy_divide_no_nan() { (void)ops::numpy::divide_no_nan(x1, x2); }
void keras_ops_numpy_dot() { (void)ops::numpy::dot(x1, x2); }
void keras_ops_nn_dot_product_attention() { (void)ops::nn::dot_product_attention(query, key, value); }
void keras_ops_numpy_dsplit() { (void)ops::numpy::dsplit(x, 2); }
void keras_ops_numpy_dstack() { (void)ops::numpy::dstack(xs); }
void keras_ops_linalg_eig() { (void)ops::linalg::eig(x); }
void keras_ops_linalg_eigh() { (void)ops::linalg::eigh(x); }
void keras_ops_numpy_einsum() { (void)ops::numpy::einsum("ij,jk->ik", {a, b}); }
void keras_ops_nn_elu() { (void)ops::nn::elu(x); }
void keras_ops_numpy_empty() { (void)ops::numpy::empty(shape); }
void keras_ops_numpy_empty_like() { (void)ops::numpy::empty_like(x); }
void keras_ops_numpy_equal() { (void)ops::numpy::equal(x1, x2); }
void keras_ops_numpy_exp() { (void)ops::numpy::exp(x); }
void keras_ops_numpy_exp2() { (void)ops::numpy::exp2(x); }
void keras_ops_numpy_expand_dims() { (void)ops::numpy::expand_dims(x, axis); }
void keras_ops_numpy_expm1() { (void)ops::numpy::expm1(x); }
void keras_ops_numpy_eye() { (void)ops::numpy::eye(N); }
void keras_ops_numpy_fabs() { (void)ops::numpy::fabs(x); }
void keras_ops_numpy_flip() { (void)ops::numpy::flip(x); }
void keras_ops_numpy_fliplr() { (void)ops::numpy::fliplr(x); }
void keras_ops_numpy_flipud() { (void)ops::numpy::flipud(x); }
void keras_ops_numpy_floor() { (void)ops::numpy::floor(x); }
void keras_ops_numpy_floor_divide() { (void)ops::numpy::floor_divide(x1, x2); }
void keras_ops_numpy_fmax() { (void)ops::numpy::fmax(x1, x2); }
void keras_ops_numpy_fmin() { (void)ops::numpy::fmin(x1, x2); }
void keras_ops_numpy_fmod() { (void)ops::numpy::fmod(x1, x2); }
void keras_ops_nn_fold() { (void)ops::nn::fold(x, {4, 4}, {2, 2}); }
void keras_ops_numpy_full() { (void)ops::numpy::full(shape, fill_value); }
void keras_ops_numpy_full_like() { (void)ops::numpy::full_like(x, fill_value); }
void keras_ops_numpy_gcd() { (void)ops::numpy::gcd(x1, x2); }
void keras_ops_nn_gelu() { (void)ops::nn::gelu(x); }
void keras_ops_numpy_geomspace() { (void)ops::numpy::geomspace(start, stop); }
void keras_ops_numpy_get_item() { (void)ops::numpy::get_item(x, key); }
void keras_ops_nn_glu() { (void)ops::nn::glu(x); }
void keras_ops_numpy_greater() { (void)ops::numpy::greater(x1, x2); }
void keras_ops_numpy_greater_equal() { (void)ops::numpy::greater_equal(x1, x2); }
void keras_ops_numpy_hamming() { (void)ops::numpy::hamming(5); }
void keras_ops_numpy_hanning() { (void)ops::numpy::hanning(5); }
void keras_ops_nn_hard_shrink() { (void)ops::nn::hard_shrink(x); }
void keras_ops_nn_hard_sigmoid() { (void)ops::nn::hard_sigmoid(x); }
void keras_ops_nn_hard_silu() { (void)ops::nn::hard_silu(x); }
void keras_ops_nn_hard_swish() { (void)ops::nn::hard_swish(x); }
void keras_ops_nn_hard_tanh() { (void)ops::nn::hard_tanh(x); }
void keras_ops_numpy_heaviside() { (void)ops::numpy::heaviside(x1, x2); }
void keras_ops_numpy_histogram() { (void)ops::numpy::histogram(x); }
void keras_ops_numpy_hsplit() { (void)ops::numpy::hsplit(x, 2); }
void keras_ops_numpy_hstack() { (void)ops::numpy::hstack(xs); }
void keras_ops_numpy_hypot() { (void)ops::numpy::hypot(x1, x2); }
void keras_ops_numpy_i0() { (void)ops::numpy::i0(x); }
void keras_ops_numpy_identity() { (void)ops::numpy::identity(n); }
void keras_ops_numpy_imag() { (void)ops::numpy::imag(x); }
void keras_ops_numpy_inner() { (void)ops::numpy::inner(x1, x2); }
void keras_ops_linalg_inv() { (void)ops::linalg::inv(x); }
void keras_ops_numpy_isclose() { (void)ops::numpy::isclose(x1, x2); }
void keras_ops_numpy_isfinite() { (void)ops::numpy::isfinite(x); }
void keras_ops_numpy_isin() { (void)ops::numpy::isin(x1, x2); }
void keras_ops_numpy_isinf() { (void)ops::numpy::isinf(x); }
void keras_ops_numpy_isnan() { (void)ops::numpy::isnan(x); }
void keras_ops_numpy_isneginf() { (void)ops::numpy::isneginf(x); }
void keras_ops_numpy_isposinf() { (void)ops::numpy::isposinf(x); }
void keras_ops_numpy_isreal() { (void)ops::numpy::isreal(x); }
void keras_ops_linalg_jvp() { (void)ops::linalg::jvp([](const std::vector<Tensor>& x) { return x; }, {x}, {x}); }
void keras_ops_numpy_kaiser() { (void)ops::numpy::kaiser(5, 14); }
void keras_ops_numpy_kron() { (void)ops::numpy::kron(x1, x2); }
void keras_ops_nn_layer_normalization() { (void)ops::nn::layer_normalization(x); }
void keras_ops_numpy_lcm() { (void)ops::numpy::lcm(x1, x2); }
void keras_ops_numpy_ldexp() { (void)ops::numpy::ldexp(x1, x2); }
void keras_ops_nn_leaky_relu() { (void)ops::nn::leaky_relu(x); }
void keras_ops_numpy_left_shift() { (void)ops::numpy::left_shift(x, y); }
void keras_ops_numpy_less() { (void)ops::numpy::less(x1, x2); }
void keras_ops_numpy_less_equal() { (void)ops::numpy::less_equal(x1, x2); }
void keras_ops_numpy_linspace() { (void)ops::numpy::linspace(start, stop); }
void keras_ops_numpy_log() { (void)ops::numpy::log(x); }
void keras_ops_numpy_log10() { (void)ops::numpy::log10(x); }
void keras_ops_numpy_log1p() { (void)ops::numpy::log1p(x); }
void keras_ops_numpy_log2() { (void)ops::numpy::log2(x); }
void keras_ops_nn_log_sigmoid() { (void)ops::nn::log_sigmoid(x); }
void keras_ops_nn_log_softmax() { (void)ops::nn::log_softmax(x); }
void keras_ops_numpy_logaddexp() { (void)ops::numpy::logaddexp(x1, x2); }
void keras_ops_numpy_logaddexp2() { (void)ops::numpy::logaddexp2(x1, x2); }
void keras_ops_numpy_logical_and() { (void)ops::numpy::logical_and(x1, x2); }
void keras_ops_numpy_logical_not() { (void)ops::numpy::logical_not(x); }
void keras_ops_numpy_logical_or() { (void)ops::numpy::logical_or(x1, x2); }
void keras_ops_numpy_logical_xor() { (void)ops::numpy::logical_xor(x1, x2); }
void keras_ops_numpy_logspace() { (void)ops::numpy::logspace(start, stop); }
void keras_ops_linalg_lstsq() { (void)ops::linalg::lstsq(a, b); }
void keras_ops_linalg_lu_factor() { (void)ops::linalg::lu_factor(x); }
void keras_ops_numpy_matmul() { (void)ops::numpy::matmul(x1, x2); }
void keras_ops_linalg_matrix_rank() { (void)ops::linalg::matrix_rank(x); }
void keras_ops_numpy_max() { (void)ops::numpy::max(x); }
void keras_ops_nn_max_pool() { (void)ops::nn::max_pool(inputs, pool_size); }
void keras_ops_numpy_maximum() { (void)ops::numpy::maximum(x1, x2); }
void keras_ops_numpy_mean() { (void)ops::numpy::mean(x); }
void keras_ops_numpy_median() { (void)ops::numpy::median(x); }
void keras_ops_numpy_meshgrid() { (void)ops::numpy::meshgrid({x, y}); }
void keras_ops_numpy_min() { (void)ops::numpy::min(x); }
void keras_ops_numpy_minimum() { (void)ops::numpy::minimum(x1, x2); }
void keras_ops_numpy_mod() { (void)ops::numpy::mod(x1, x2); }
void keras_ops_nn_moments() { (void)ops::nn::moments(x, {0}); }
void keras_ops_numpy_moveaxis() { (void)ops::numpy::moveaxis(x, source, destination); }
void keras_ops_nn_multi_hot() { (void)ops::nn::multi_hot(inputs); }
void keras_ops_numpy_multiply() { (void)ops::numpy::multiply(x1, x2); }
void keras_ops_numpy_nan_to_num() { (void)ops::numpy::nan_to_num(x); }
void keras_ops_numpy_nanargmax() { (void)ops::numpy::nanargmax(x); }
void keras_ops_numpy_nanargmin() { (void)ops::numpy::nanargmin(x); }
void keras_ops_numpy_nancumprod() { (void)ops::numpy::nancumprod(x); }
void keras_ops_numpy_nancumsum() { (void)ops::numpy::nancumsum(x); }
void keras_ops_numpy_nanmax() { (void)ops::numpy::nanmax(x); }
void keras_ops_numpy_nanmean() { (void)ops::numpy::nanmean(x); }
void keras_ops_numpy_nanmedian() { (void)ops::numpy::nanmedian(x); }
void keras_ops_numpy_nanmin() { (void)ops::numpy::nanmin(x); }
void keras_ops_numpy_nanpercentile() { (void)ops::numpy::nanpercentile(x, q); }
void keras_ops_numpy_nanprod() { (void)ops::numpy::nanprod(x); }
void keras_ops_numpy_nanquantile() { (void)ops::numpy::nanquantile(x, q); }
void keras_ops_numpy_nanstd() { (void)ops::numpy::nanstd(x); }
void keras_ops_numpy_nansum() { (void)ops::numpy::nansum(x); }
void keras_ops_numpy_nanvar() { (void)ops::numpy::nanvar(x); }
void keras_ops_numpy_ndim() { (void)ops::numpy::ndim(x); }
void keras_ops_numpy_negative() { (void)ops::numpy::negative(x); }
void keras_ops_numpy_nextafter() { (void)ops::numpy::nextafter(x1, x2); }
void keras_ops_numpy_nonzero() { (void)ops::numpy::nonzero(x); }
void keras_ops_linalg_norm() { (void)ops::linalg::norm(x); }
void keras_ops_nn_normalize() { (void)ops::nn::normalize(x); }
void keras_ops_numpy_not_equal() { (void)ops::numpy::not_equal(x1, x2); }
void keras_ops_nn_one_hot() { (void)ops::nn::one_hot(x, num_classes); }
void keras_ops_numpy_ones() { (void)ops::numpy::ones(shape); }
void keras_ops_numpy_ones_like() { (void)ops::numpy::ones_like(x); }
void keras_ops_numpy_outer() { (void)ops::numpy::outer(x1, x2); }
void keras_ops_numpy_pad() { (void)ops::numpy::pad(x, {{1, 1}, {0, 0}}); }
void keras_ops_numpy_percentile() { (void)ops::numpy::percentile(x, q); }
void keras_ops_linalg_pinv() { (void)ops::linalg::pinv(x); }
void keras_ops_nn_polar() { (void)ops::nn::polar(abs_, angle); }
void keras_ops_numpy_power() { (void)ops::numpy::power(x1, x2); }
void keras_ops_numpy_prod() { (void)ops::numpy::prod(x); }
void keras_ops_nn_psnr() { (void)ops::nn::psnr(x1, x2, max_val); }
void keras_ops_numpy_ptp() { (void)ops::numpy::ptp(x); }
void keras_ops_linalg_qr() { (void)ops::linalg::qr(x); }
void keras_ops_numpy_quantile() { (void)ops::numpy::quantile(x, q); }
void keras_ops_numpy_rad2deg() { (void)ops::numpy::rad2deg(x); }
void keras_ops_numpy_ravel() { (void)ops::numpy::ravel(x); }
void keras_ops_numpy_real() { (void)ops::numpy::real(x); }
void keras_ops_numpy_reciprocal() { (void)ops::numpy::reciprocal(x); }
void keras_ops_nn_relu() { (void)ops::nn::relu(x); }
void keras_ops_nn_relu6() { (void)ops::nn::relu6(x); }
void keras_ops_numpy_repeat() { (void)ops::numpy::repeat(x, repeats); }
void keras_ops_numpy_reshape() { (void)ops::numpy::reshape(x, {2, 2}); }
void keras_ops_numpy_right_shift() { (void)ops::numpy::right_shift(x, y); }
void keras_ops_nn_rms_normalization() { (void)ops::nn::rms_normalization(x); }
void keras_ops_numpy_roll() { (void)ops::numpy::roll(x, shift); }
void keras_ops_numpy_rot90() { (void)ops::numpy::rot90(array); }
void keras_ops_numpy_round() { (void)ops::numpy::round(x); }
void keras_ops_numpy_searchsorted() { (void)ops::numpy::searchsorted(sorted_sequence, values); }
void keras_ops_numpy_select() { (void)ops::numpy::select({condition}, {x}); }
void keras_ops_nn_selu() { (void)ops::nn::selu(x); }
void keras_ops_nn_separable_conv() { (void)ops::nn::separable_conv(inputs, depthwise_kernel, pointwise_kernel); }
void keras_ops_nn_sigmoid() { (void)ops::nn::sigmoid(x); }
void keras_ops_numpy_sign() { (void)ops::numpy::sign(x); }
void keras_ops_numpy_signbit() { (void)ops::numpy::signbit(x); }
void keras_ops_nn_silu() { (void)ops::nn::silu(x); }
void keras_ops_nn_swish() { (void)ops::nn::swish(x); }
void keras_ops_numpy_sin() { (void)ops::numpy::sin(x); }
void keras_ops_numpy_sinc() { (void)ops::numpy::sinc(x); }
void keras_ops_numpy_sinh() { (void)ops::numpy::sinh(x); }
void keras_ops_numpy_size() { (void)ops::numpy::size(x); }
void keras_ops_numpy_slogdet() { (void)ops::numpy::slogdet(x); }
void keras_ops_nn_soft_shrink() { (void)ops::nn::soft_shrink(x); }
void keras_ops_nn_softmax() { (void)ops::nn::softmax(x); }
void keras_ops_nn_softplus() { (void)ops::nn::softplus(x); }
void keras_ops_nn_softsign() { (void)ops::nn::softsign(x); }
void keras_ops_linalg_solve() { (void)ops::linalg::solve(a, b); }
void keras_ops_linalg_solve_triangular() { (void)ops::linalg::solve_triangular(a, b); }
void keras_ops_numpy_sort() { (void)ops::numpy::sort(x); }
void keras_ops_nn_space_to_depth() { (void)ops::nn::space_to_depth(x, block_size); }
void keras_ops_nn_sparse_categorical_crossentropy() { (void)ops::nn::sparse_categorical_crossentropy(target, output); }
void keras_ops_nn_sparse_plus() { (void)ops::nn::sparse_plus(x); }
void keras_ops_nn_sparse_sigmoid() { (void)ops::nn::sparse_sigmoid(x); }
void keras_ops_nn_sparsemax() { (void)ops::nn::sparsemax(x); }
void keras_ops_numpy_split() { (void)ops::numpy::split(x, 2); }
void keras_ops_numpy_sqrt() { (void)ops::numpy::sqrt(x); }
void keras_ops_numpy_square() { (void)ops::numpy::square(x); }
void keras_ops_nn_squareplus() { (void)ops::nn::squareplus(x); }
void keras_ops_numpy_squeeze() { (void)ops::numpy::squeeze(x); }
void keras_ops_numpy_stack() { (void)ops::numpy::stack({x, y}); }
void keras_ops_numpy_std() { (void)ops::numpy::std(x); }
void keras_ops_numpy_subtract() { (void)ops::numpy::subtract(x1, x2); }
void keras_ops_numpy_sum() { (void)ops::numpy::sum(x); }
void keras_ops_linalg_svd() { (void)ops::linalg::svd(x); }
void keras_ops_numpy_swapaxes() { (void)ops::numpy::swapaxes(x, axis1, axis2); }
void keras_ops_numpy_take() { (void)ops::numpy::take(x, indices); }
void keras_ops_numpy_take_along_axis() { (void)ops::numpy::take_along_axis(x, indices); }
void keras_ops_numpy_tan() { (void)ops::numpy::tan(x); }
void keras_ops_numpy_tanh() { (void)ops::numpy::tanh(x); }
void keras_ops_nn_tanh_shrink() { (void)ops::nn::tanh_shrink(x); }
void keras_ops_numpy_tensordot() { (void)ops::numpy::tensordot(x1, x2); }
void keras_ops_nn_threshold() { (void)ops::nn::threshold(x, threshold, default_value); }
void keras_ops_numpy_tile() { (void)ops::numpy::tile(x, repeats); }
void keras_ops_numpy_trace() { (void)ops::numpy::trace(x); }
void keras_ops_numpy_transpose() { (void)ops::numpy::transpose(x); }
void keras_ops_numpy_trapezoid() { (void)ops::numpy::trapezoid(y); }
void keras_ops_numpy_tri() { (void)ops::numpy::tri(N); }
void keras_ops_numpy_tril() { (void)ops::numpy::tril(x); }
void keras_ops_numpy_triu() { (void)ops::numpy::triu(x); }
void keras_ops_numpy_true_divide() { (void)ops::numpy::true_divide(x1, x2); }
void keras_ops_numpy_trunc() { (void)ops::numpy::trunc(x); }
void keras_ops_nn_unfold() { (void)ops::nn::unfold(x, {2, 2}); }
void keras_ops_numpy_unique() { (void)ops::numpy::unique(x); }
void keras_ops_numpy_unravel_index() { (void)ops::numpy::unravel_index(indices, shape); }
void keras_ops_numpy_vander() { (void)ops::numpy::vander(x); }
void keras_ops_numpy_var() { (void)ops::numpy::var(x); }
void keras_ops_numpy_vdot() { (void)ops::numpy::vdot(x1, x2); }
void keras_ops_numpy_vectorize() { (void)ops::numpy::vectorize([](const Tensor& x) { return x; }); }
void keras_ops_numpy_view() { (void)ops::numpy::view(x); }
void keras_ops_numpy_vsplit() { (void)ops::numpy::vsplit(x, 2); }
void keras_ops_numpy_vstack() { (void)ops::numpy::vstack(xs); }
void keras_ops_numpy_where() { (void)ops::numpy::where(condition); }
void keras_ops_numpy_zeros() { (void)ops::numpy::zeros(shape); }
void keras_ops_numpy_zeros_like() { (void)ops::numpy::zeros_like(x); }

}  // namespace cornu::test::coverage
