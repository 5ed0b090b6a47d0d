// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_ops_abs() { (void)ops::abs(x); }
void keras_ops_absolute() { (void)ops::absolute(x); }
void keras_ops_adaptive_average_pool() { (void)ops::adaptive_average_pool(inputs, output_size); }
void keras_ops_adaptive_max_pool() { (void)ops::adaptive_max_pool(inputs, output_size); }
void keras_ops_add() { (void)ops::add(x1, x2); }
void keras_ops_all() { (void)ops::all(x); }
void keras_ops_allclose() { (void)ops::allclose(x1, x2); }
void keras_ops_amax() { (void)ops::amax(x); }
void keras_ops_amin() { (void)ops::amin(x); }
void keras_ops_angle() { (void)ops::angle(x); }
void keras_ops_any() { (void)ops::any(x); }
void keras_ops_append() { (void)ops::append(x1, x2); }
void keras_ops_arange() { (void)ops::arange(start); }
void keras_ops_arccos() { (void)ops::arccos(x); }
void keras_ops_arccosh() { (void)ops::arccosh(x); }
void keras_ops_arcsin() { (void)ops::arcsin(x); }
void keras_ops_arcsinh() { (void)ops::arcsinh(x); }
void keras_ops_arctan() { (void)ops::arctan(x); }
void keras_ops_arctan2() { (void)ops::arctan2(x1, x2); }
void keras_ops_arctanh() { (void)ops::arctanh(x); }
void keras_ops_argmax() { (void)ops::argmax(x); }
void keras_ops_argmin() { (void)ops::argmin(x); }
void keras_ops_argpartition() { (void)ops::argpartition(x, kth); }
void keras_ops_argsort() { (void)ops::argsort(x); }
void keras_ops_array() { (void)ops::array(x); }
void keras_ops_array_split() { (void)ops::array_split(x, 2); }
void keras_ops_associative_scan() { (void)ops::associative_scan([](const Nest& a, const Nest&) { return a; }, x); }
void keras_ops_average() { (void)ops::average(x); }
void keras_ops_average_pool() { (void)ops::average_pool(inputs, pool_size); }
void keras_ops_bartlett() { (void)ops::bartlett(5); }
void keras_ops_batch_normalization() { (void)ops::batch_normalization(x, mean, variance, axis); }
void keras_ops_binary_crossentropy() { (void)ops::binary_crossentropy(target, output); }
void keras_ops_bincount() { (void)ops::bincount(x); }
void keras_ops_bitwise_and() { (void)ops::bitwise_and(x, y); }
void keras_ops_bitwise_invert() { (void)ops::bitwise_invert(x); }
void keras_ops_bitwise_left_shift() { (void)ops::bitwise_left_shift(x, y); }
void keras_ops_bitwise_not() { (void)ops::bitwise_not(x); }
void keras_ops_bitwise_or() { (void)ops::bitwise_or(x, y); }
void keras_ops_bitwise_right_shift() { (void)ops::bitwise_right_shift(x, y); }
void keras_ops_bitwise_xor() { (void)ops::bitwise_xor(x, y); }
void keras_ops_blackman() { (void)ops::blackman(5); }
void keras_ops_broadcast_to() { (void)ops::broadcast_to(x, shape); }
void keras_ops_cast() { (void)ops::cast(x, dtype); }
void keras_ops_categorical_crossentropy() { (void)ops::categorical_crossentropy(target, output); }
void keras_ops_cbrt() { (void)ops::cbrt(x); }
void keras_ops_cdist() { (void)ops::cdist(x, y); }
void keras_ops_ceil() { (void)ops::ceil(x); }
void keras_ops_celu() { (void)ops::celu(x); }
void keras_ops_cholesky() { (void)ops::cholesky(x); }
void keras_ops_cholesky_inverse() { (void)ops::cholesky_inverse(x); }
void keras_ops_clip() { (void)ops::clip(x, x_min, x_max); }
void keras_ops_concatenate() { (void)ops::concatenate(xs); }
void keras_ops_cond() { (void)ops::cond(pred, [] { return Nest(); }, [] { return Nest(); }); }
void keras_ops_conj() { (void)ops::conj(x); }
void keras_ops_conjugate() { (void)ops::conjugate(x); }
void keras_ops_conv() { (void)ops::conv(inputs, kernel); }
void keras_ops_conv_transpose() { (void)ops::conv_transpose(inputs, kernel); }
void keras_ops_convert_to_numpy() { (void)x.to_vector<float>(); }
void keras_ops_convert_to_tensor() { (void)ops::convert_to_tensor(x); }
void keras_ops_copy() { (void)ops::copy(x); }
void keras_ops_corrcoef() { (void)ops::corrcoef(x); }
void keras_ops_correlate() { (void)ops::correlate(x1, x2); }
void keras_ops_cos() { (void)ops::cos(x); }
void keras_ops_cosh() { (void)ops::cosh(x); }
void keras_ops_count_nonzero() { (void)ops::count_nonzero(x); }
void keras_ops_cross() { (void)ops::cross(x1, x2); }
void keras_ops_ctc_decode() { (void)ops::ctc_decode(inputs, sequence_lengths); }
void keras_ops_ctc_loss() { (void)ops::ctc_loss(target, output, target_length, output_length); }
void keras_ops_cumprod() { (void)ops::cumprod(x); }
void keras_ops_cumsum() { (void)ops::cumsum(x); }
void keras_ops_custom_gradient() { (void)custom_gradient(x, [](const Tensor& x) { return std::pair(x, std::function<Tensor(const Tensor&)>([](const Tensor& dy) { return dy; })); }); }
void keras_ops_deg2rad() { (void)ops::deg2rad(x); }
void keras_ops_depth_to_space() { (void)ops::depth_to_space(x, block_size); }
void keras_ops_depthwise_conv() { (void)ops::depthwise_conv(inputs, kernel); }
void keras_ops_det() { (void)ops::det(x); }
void keras_ops_diag() { (void)ops::diag(x); }
void keras_ops_diagflat() { (void)ops::diagflat(x); }
void keras_ops_diagonal() { (void)ops::diagonal(x); }
void keras_ops_diff() { (void)ops::diff(a); }
void keras_ops_digitize() { (void)ops::digitize(x, bins); }
void keras_ops_divide() { (void)ops::divide(x1, x2); }
void keras_ops_divide_no_nan() { (void)ops::divide_no_nan(x1, x2); }
void keras_ops_dot() { (void)ops::dot(x1, x2); }
void keras_ops_dot_product_attention() { (void)ops::dot_product_attention(query, key, value); }
void keras_ops_dsplit() { (void)ops::dsplit(x, 2); }
void keras_ops_dstack() { (void)ops::dstack(xs); }
void keras_ops_dtype() { (void)ops::dtype(x); }
void keras_ops_eig() { (void)ops::eig(x); }
void keras_ops_eigh() { (void)ops::eigh(x); }
void keras_ops_einsum() { (void)ops::einsum("ij,jk->ik", {a, b}); }
void keras_ops_elu() { (void)ops::elu(x); }
void keras_ops_empty() { (void)ops::empty(shape); }
void keras_ops_empty_like() { (void)ops::empty_like(x); }
void keras_ops_equal() { (void)ops::equal(x1, x2); }
void keras_ops_erf() { (void)ops::erf(x); }
void keras_ops_erfc() { (void)ops::erfc(x); }
void keras_ops_erfinv() { (void)ops::erfinv(x); }
void keras_ops_exp() { (void)ops::exp(x); }
void keras_ops_exp2() { (void)ops::exp2(x); }
void keras_ops_expand_dims() { (void)ops::expand_dims(x, axis); }
void keras_ops_expm1() { (void)ops::expm1(x); }
void keras_ops_extract_sequences() { (void)ops::extract_sequences(x, sequence_length, sequence_stride); }
void keras_ops_eye() { (void)ops::eye(N); }
void keras_ops_fabs() { (void)ops::fabs(x); }
void keras_ops_fft() { (void)ops::fft({x, xi}); }
void keras_ops_fft2() { (void)ops::fft2({x, xi}); }
void keras_ops_flip() { (void)ops::flip(x); }
void keras_ops_fliplr() { (void)ops::fliplr(x); }
void keras_ops_flipud() { (void)ops::flipud(x); }
void keras_ops_floor() { (void)ops::floor(x); }
void keras_ops_floor_divide() { (void)ops::floor_divide(x1, x2); }
void keras_ops_fmax() { (void)ops::fmax(x1, x2); }
void keras_ops_fmin() { (void)ops::fmin(x1, x2); }
void keras_ops_fmod() { (void)ops::fmod(x1, x2); }
void keras_ops_fold() { (void)ops::fold(x, {4, 4}, {2, 2}); }
void keras_ops_fori_loop() { (void)ops::fori_loop(lower, upper, [](const Tensor&, const Nest& value) { return value; }, x); }
void keras_ops_full() { (void)ops::full(shape, fill_value); }
void keras_ops_full_like() { (void)ops::full_like(x, fill_value); }
void keras_ops_gcd() { (void)ops::gcd(x1, x2); }
void keras_ops_gelu() { (void)ops::gelu(x); }
void keras_ops_geomspace() { (void)ops::geomspace(start, stop); }
void keras_ops_get_item() { (void)ops::get_item(x, key); }
void keras_ops_glu() { (void)ops::glu(x); }
void keras_ops_greater() { (void)ops::greater(x1, x2); }
void keras_ops_greater_equal() { (void)ops::greater_equal(x1, x2); }
void keras_ops_hamming() { (void)ops::hamming(5); }
void keras_ops_hanning() { (void)ops::hanning(5); }
void keras_ops_hard_shrink() { (void)ops::hard_shrink(x); }
void keras_ops_hard_sigmoid() { (void)ops::hard_sigmoid(x); }
void keras_ops_hard_silu() { (void)ops::hard_silu(x); }
void keras_ops_hard_swish() { (void)ops::hard_swish(x); }
void keras_ops_hard_tanh() { (void)ops::hard_tanh(x); }
void keras_ops_heaviside() { (void)ops::heaviside(x1, x2); }
void keras_ops_histogram() { (void)ops::histogram(x); }
void keras_ops_hsplit() { (void)ops::hsplit(x, 2); }
void keras_ops_hstack() { (void)ops::hstack(xs); }
void keras_ops_hypot() { (void)ops::hypot(x1, x2); }
void keras_ops_i0() { (void)ops::i0(x); }
void keras_ops_identity() { (void)ops::identity(n); }
void keras_ops_ifft2() { (void)ops::ifft2({x, xi}); }
void keras_ops_imag() { (void)ops::imag(x); }
void keras_ops_in_top_k() { (void)ops::in_top_k(targets, predictions, k); }
void keras_ops_inner() { (void)ops::inner(x1, x2); }
void keras_ops_inv() { (void)ops::inv(x); }
void keras_ops_irfft() { (void)ops::irfft({x, xi}); }
void keras_ops_is_tensor() { (void)ops::is_tensor(x); }
void keras_ops_isclose() { (void)ops::isclose(x1, x2); }
void keras_ops_isfinite() { (void)ops::isfinite(x); }
void keras_ops_isin() { (void)ops::isin(x1, x2); }
void keras_ops_isinf() { (void)ops::isinf(x); }
void keras_ops_isnan() { (void)ops::isnan(x); }
void keras_ops_isneginf() { (void)ops::isneginf(x); }
void keras_ops_isposinf() { (void)ops::isposinf(x); }
void keras_ops_isreal() { (void)ops::isreal(x); }
void keras_ops_istft() { (void)ops::istft({x, xi}, sequence_length, sequence_stride, fft_length); }
void keras_ops_jvp() { (void)ops::jvp([](const std::vector<Tensor>& x) { return x; }, {x}, {x}); }
void keras_ops_kaiser() { (void)ops::kaiser(5, 14); }
void keras_ops_kron() { (void)ops::kron(x1, x2); }
void keras_ops_layer_normalization() { (void)ops::layer_normalization(x); }
void keras_ops_lcm() { (void)ops::lcm(x1, x2); }
void keras_ops_ldexp() { (void)ops::ldexp(x1, x2); }
void keras_ops_leaky_relu() { (void)ops::leaky_relu(x); }
void keras_ops_left_shift() { (void)ops::left_shift(x, y); }
void keras_ops_less() { (void)ops::less(x1, x2); }
void keras_ops_less_equal() { (void)ops::less_equal(x1, x2); }
void keras_ops_linspace() { (void)ops::linspace(start, stop); }
void keras_ops_log() { (void)ops::log(x); }
void keras_ops_log10() { (void)ops::log10(x); }
void keras_ops_log1p() { (void)ops::log1p(x); }
void keras_ops_log2() { (void)ops::log2(x); }
void keras_ops_log_sigmoid() { (void)ops::log_sigmoid(x); }
void keras_ops_log_softmax() { (void)ops::log_softmax(x); }
void keras_ops_logaddexp() { (void)ops::logaddexp(x1, x2); }
void keras_ops_logaddexp2() { (void)ops::logaddexp2(x1, x2); }
void keras_ops_logdet() { (void)ops::logdet(x); }
void keras_ops_logical_and() { (void)ops::logical_and(x1, x2); }
void keras_ops_logical_not() { (void)ops::logical_not(x); }
void keras_ops_logical_or() { (void)ops::logical_or(x1, x2); }
void keras_ops_logical_xor() { (void)ops::logical_xor(x1, x2); }
void keras_ops_logspace() { (void)ops::logspace(start, stop); }
void keras_ops_logsumexp() { (void)ops::logsumexp(x); }
void keras_ops_lstsq() { (void)ops::lstsq(a, b); }
void keras_ops_lu_factor() { (void)ops::lu_factor(x); }
void keras_ops_map() { (void)ops::map([](const Nest& x) { return x; }, x); }
void keras_ops_matmul() { (void)ops::matmul(x1, x2); }
void keras_ops_matrix_rank() { (void)ops::matrix_rank(x); }
void keras_ops_max() { (void)ops::max(x); }
void keras_ops_max_pool() { (void)ops::max_pool(inputs, pool_size); }
void keras_ops_maximum() { (void)ops::maximum(x1, x2); }
void keras_ops_mean() { (void)ops::mean(x); }
void keras_ops_median() { (void)ops::median(x); }
void keras_ops_meshgrid() { (void)ops::meshgrid({x, y}); }
void keras_ops_min() { (void)ops::min(x); }
void keras_ops_minimum() { (void)ops::minimum(x1, x2); }
void keras_ops_mod() { (void)ops::mod(x1, x2); }
void keras_ops_moments() { (void)ops::moments(x, {0}); }
void keras_ops_moveaxis() { (void)ops::moveaxis(x, source, destination); }
void keras_ops_multi_hot() { (void)ops::multi_hot(inputs); }
void keras_ops_multiply() { (void)ops::multiply(x1, x2); }
void keras_ops_nan_to_num() { (void)ops::nan_to_num(x); }
void keras_ops_nanargmax() { (void)ops::nanargmax(x); }
void keras_ops_nanargmin() { (void)ops::nanargmin(x); }
void keras_ops_nancumprod() { (void)ops::nancumprod(x); }
void keras_ops_nancumsum() { (void)ops::nancumsum(x); }
void keras_ops_nanmax() { (void)ops::nanmax(x); }
void keras_ops_nanmean() { (void)ops::nanmean(x); }
void keras_ops_nanmedian() { (void)ops::nanmedian(x); }
void keras_ops_nanmin() { (void)ops::nanmin(x); }
void keras_ops_nanpercentile() { (void)ops::nanpercentile(x, q); }
void keras_ops_nanprod() { (void)ops::nanprod(x); }
void keras_ops_nanquantile() { (void)ops::nanquantile(x, q); }
void keras_ops_nanstd() { (void)ops::nanstd(x); }
void keras_ops_nansum() { (void)ops::nansum(x); }
void keras_ops_nanvar() { (void)ops::nanvar(x); }
void keras_ops_ndim() { (void)ops::ndim(x); }
void keras_ops_negative() { (void)ops::negative(x); }
void keras_ops_nextafter() { (void)ops::nextafter(x1, x2); }
void keras_ops_nonzero() { (void)ops::nonzero(x); }
void keras_ops_norm() { (void)ops::norm(x); }
void keras_ops_normalize() { (void)ops::normalize(x); }
void keras_ops_not_equal() { (void)ops::not_equal(x1, x2); }
void keras_ops_one_hot() { (void)ops::one_hot(x, num_classes); }
void keras_ops_ones() { (void)ops::ones(shape); }
void keras_ops_ones_like() { (void)ops::ones_like(x); }
void keras_ops_outer() { (void)ops::outer(x1, x2); }
void keras_ops_pad() { (void)ops::pad(x, {{1, 1}, {0, 0}}); }
void keras_ops_percentile() { (void)ops::percentile(x, q); }
void keras_ops_pinv() { (void)ops::pinv(x); }
void keras_ops_polar() { (void)ops::polar(abs_, angle); }
void keras_ops_power() { (void)ops::power(x1, x2); }
void keras_ops_prod() { (void)ops::prod(x); }
void keras_ops_psnr() { (void)ops::psnr(x1, x2, max_val); }
void keras_ops_ptp() { (void)ops::ptp(x); }
void keras_ops_qr() { (void)ops::qr(x); }
void keras_ops_quantile() { (void)ops::quantile(x, q); }
void keras_ops_rad2deg() { (void)ops::rad2deg(x); }
void keras_ops_ravel() { (void)ops::ravel(x); }
void keras_ops_real() { (void)ops::real(x); }
void keras_ops_rearrange() { (void)ops::rearrange(tensor, pattern); }
void keras_ops_reciprocal() { (void)ops::reciprocal(x); }
void keras_ops_relu() { (void)ops::relu(x); }
void keras_ops_relu6() { (void)ops::relu6(x); }
void keras_ops_repeat() { (void)ops::repeat(x, repeats); }
void keras_ops_reshape() { (void)ops::reshape(x, {2, 2}); }
void keras_ops_rfft() { (void)ops::rfft(x); }
void keras_ops_right_shift() { (void)ops::right_shift(x, y); }
void keras_ops_rms_normalization() { (void)ops::rms_normalization(x); }
void keras_ops_roll() { (void)ops::roll(x, shift); }
void keras_ops_rot90() { (void)ops::rot90(array); }
void keras_ops_round() { (void)ops::round(x); }
void keras_ops_rsqrt() { (void)ops::rsqrt(x); }
void keras_ops_saturate_cast() { (void)ops::saturate_cast(x, dtype); }
void keras_ops_scan() { (void)ops::scan([](const Nest& carry, const Nest& x) { return ops::Scanned{carry, x}; }, x, x); }
void keras_ops_scatter() { (void)ops::scatter(indices, values, shape); }
void keras_ops_scatter_update() { (void)ops::scatter_update(inputs, indices, updates); }
void keras_ops_searchsorted() { (void)ops::searchsorted(sorted_sequence, values); }
void keras_ops_segment_max() { (void)ops::segment_max(data, segment_ids); }
void keras_ops_segment_min() { (void)ops::segment_min(data, segment_ids); }
void keras_ops_segment_prod() { (void)ops::segment_prod(data, segment_ids); }
void keras_ops_segment_sum() { (void)ops::segment_sum(data, segment_ids); }
void keras_ops_select() { (void)ops::select({condition}, {x}); }
void keras_ops_selu() { (void)ops::selu(x); }
void keras_ops_separable_conv() { (void)ops::separable_conv(inputs, depthwise_kernel, pointwise_kernel); }
void keras_ops_shape() { (void)ops::shape(x); }
void keras_ops_sigmoid() { (void)ops::sigmoid(x); }
void keras_ops_sign() { (void)ops::sign(x); }
void keras_ops_signbit() { (void)ops::signbit(x); }
void keras_ops_silu() { (void)ops::silu(x); }
void keras_ops_swish() { (void)ops::swish(x); }
void keras_ops_sin() { (void)ops::sin(x); }
void keras_ops_sinc() { (void)ops::sinc(x); }
void keras_ops_sinh() { (void)ops::sinh(x); }
void keras_ops_size() { (void)ops::size(x); }
void keras_ops_slice() { (void)ops::slice(inputs, {0, 0}, {1, 1}); }
void keras_ops_slice_update() { (void)ops::slice_update(inputs, start_indices, updates); }
void keras_ops_slogdet() { (void)ops::slogdet(x); }
void keras_ops_soft_shrink() { (void)ops::soft_shrink(x); }
void keras_ops_softmax() { (void)ops::softmax(x); }
void keras_ops_softplus() { (void)ops::softplus(x); }
void keras_ops_softsign() { (void)ops::softsign(x); }
void keras_ops_solve() { (void)ops::solve(a, b); }
void keras_ops_solve_triangular() { (void)ops::solve_triangular(a, b); }
void keras_ops_sort() { (void)ops::sort(x); }
void keras_ops_space_to_depth() { (void)ops::space_to_depth(x, block_size); }
void keras_ops_sparse_categorical_crossentropy() { (void)ops::sparse_categorical_crossentropy(target, output); }
void keras_ops_sparse_plus() { (void)ops::sparse_plus(x); }
void keras_ops_sparse_sigmoid() { (void)ops::sparse_sigmoid(x); }
void keras_ops_sparsemax() { (void)ops::sparsemax(x); }
void keras_ops_split() { (void)ops::split(x, 2); }
void keras_ops_sqrt() { (void)ops::sqrt(x); }
void keras_ops_square() { (void)ops::square(x); }
void keras_ops_squareplus() { (void)ops::squareplus(x); }
void keras_ops_squeeze() { (void)ops::squeeze(x); }
void keras_ops_stack() { (void)ops::stack({x, y}); }
void keras_ops_std() { (void)ops::std(x); }
void keras_ops_stft() { (void)ops::stft(x, sequence_length, sequence_stride, fft_length); }
void keras_ops_stop_gradient() { (void)ops::stop_gradient(variable); }
void keras_ops_subtract() { (void)ops::subtract(x1, x2); }
void keras_ops_sum() { (void)ops::sum(x); }
void keras_ops_svd() { (void)ops::svd(x); }
void keras_ops_swapaxes() { (void)ops::swapaxes(x, axis1, axis2); }
void keras_ops_switch() { (void)ops::switch_case(index, {[](const Nest& x) { return x; }}, x); }
void keras_ops_take() { (void)ops::take(x, indices); }
void keras_ops_take_along_axis() { (void)ops::take_along_axis(x, indices); }
void keras_ops_tan() { (void)ops::tan(x); }
void keras_ops_tanh() { (void)ops::tanh(x); }
void keras_ops_tanh_shrink() { (void)ops::tanh_shrink(x); }
void keras_ops_tensordot() { (void)ops::tensordot(x1, x2); }
void keras_ops_threshold() { (void)ops::threshold(x, threshold, default_value); }
void keras_ops_tile() { (void)ops::tile(x, repeats); }
void keras_ops_top_k() { (void)ops::top_k(x, k); }
void keras_ops_trace() { (void)ops::trace(x); }
void keras_ops_transpose() { (void)ops::transpose(x); }
void keras_ops_trapezoid() { (void)ops::trapezoid(y); }
void keras_ops_tri() { (void)ops::tri(N); }
void keras_ops_tril() { (void)ops::tril(x); }
void keras_ops_triu() { (void)ops::triu(x); }
void keras_ops_true_divide() { (void)ops::true_divide(x1, x2); }
void keras_ops_trunc() { (void)ops::trunc(x); }
void keras_ops_unfold() { (void)ops::unfold(x, {2, 2}); }
void keras_ops_unique() { (void)ops::unique(x); }
void keras_ops_unravel_index() { (void)ops::unravel_index(indices, shape); }
void keras_ops_unstack() { (void)ops::unstack(x); }
void keras_ops_vander() { (void)ops::vander(x); }
void keras_ops_var() { (void)ops::var(x); }
void keras_ops_vdot() { (void)ops::vdot(x1, x2); }
void keras_ops_vectorize() { (void)ops::vectorize([](const Tensor& x) { return x; }); }
void keras_ops_vectorized_map() { (void)ops::vectorized_map([](const Nest& x) { return x; }, x); }
void keras_ops_view() { (void)ops::view(x); }
void keras_ops_view_as_complex() { (void)ops::view_as_complex(x); }
void keras_ops_view_as_real() { (void)ops::view_as_real(x); }
void keras_ops_vsplit() { (void)ops::vsplit(x, 2); }
void keras_ops_vstack() { (void)ops::vstack(xs); }
void keras_ops_where() { (void)ops::where(condition); }
void keras_ops_while_loop() { (void)ops::while_loop([](const Nest&) { return Tensor(false); }, [](const Nest& state) { return state; }, x); }
void keras_ops_zeros() { (void)ops::zeros(shape); }
void keras_ops_zeros_like() { (void)ops::zeros_like(x); }
void keras_ops_image_affine_transform() { (void)ops::image::affine_transform(images, transform); }
void keras_ops_image_crop_images() { (void)ops::image::crop_images(images); }
void keras_ops_image_elastic_transform() { (void)ops::image::elastic_transform(images); }
void keras_ops_image_extract_patches() { (void)ops::image::extract_patches(images, 2); }
void keras_ops_image_extract_patches_3d() { (void)ops::image::extract_patches_3d(volumes, 2); }
void keras_ops_image_gaussian_blur() { (void)ops::image::gaussian_blur(images); }
void keras_ops_image_hsv_to_rgb() { (void)ops::image::hsv_to_rgb(images); }
void keras_ops_image_map_coordinates() { (void)ops::image::map_coordinates(inputs, coordinates, order); }
void keras_ops_image_pad_images() { (void)ops::image::pad_images(images); }
void keras_ops_image_perspective_transform() { (void)ops::image::perspective_transform(images, start_points, end_points); }
void keras_ops_image_resize() { (void)ops::image::resize(images, {8, 8}); }
void keras_ops_image_rgb_to_grayscale() { (void)ops::image::rgb_to_grayscale(images); }
void keras_ops_image_rgb_to_hsv() { (void)ops::image::rgb_to_hsv(images); }
void keras_ops_image_scale_and_translate() { (void)ops::image::scale_and_translate(images, {8, 8, 3}, a, b, {0, 1}, method); }
void keras_ops_image_sobel_edges() { (void)ops::image::sobel_edges(images); }
void keras_ops_image_ssim() { (void)ops::image::ssim(image1, image2); }

}  // namespace cornu::test::coverage
