// Discrete Fourier transforms, of whole axes and of short pieces of signals. Complex numbers are
// pairs of real tensors {real, imaginary}.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// Sums x_j exp(-2 pi i j k / n) along the last axis, of any size n. `x` and the result are {real,
/// imaginary}. A product of matrices for small n, several for larger ones. Throws ShapeError unless
/// the two parts agree.
TensorTuple<2> fft(const std::vector<Tensor>& x);
/// The same over the last two axes.
TensorTuple<2> fft2(const std::vector<Tensor>& x);
/// The inverse of fft2.
TensorTuple<2> ifft2(const std::vector<Tensor>& x);
/// fft of real x, cut or padded with zeros to fft_length: the first fft_length / 2 + 1 terms.
TensorTuple<2> rfft(const Tensor& x, std::optional<int64_t> fft_length = {});
/// The inverse of rfft; fft_length is 2 * (terms - 1) by default.
Tensor irfft(const std::vector<Tensor>& x, std::optional<int64_t> fft_length = {});

/// Pieces of `sequence_length` that start every `sequence_stride`: (..., n) -> (..., pieces,
/// sequence_length).
Tensor extract_sequences(const Tensor& x, int64_t sequence_length, int64_t sequence_stride);
/// rfft of windowed pieces: (..., n) -> {real, imaginary} (..., pieces, fft_length / 2 + 1). The
/// window is "hann", "hamming", none (null) or a tensor of size sequence_length; `center` mirrors
/// the signal at its ends so that piece t is centerd on step t * sequence_stride.
TensorTuple<2> stft(const Tensor& x, int64_t sequence_length, int64_t sequence_stride,
                    int64_t fft_length, const Value& window = "hann", bool center = true);
/// The signal that has this stft, cut to `length` if given.
Tensor istft(const std::vector<Tensor>& x, int64_t sequence_length, int64_t sequence_stride,
             int64_t fft_length, std::optional<int64_t> length = {}, const Value& window = "hann",
             bool center = true);

}  // namespace cornu::ops
