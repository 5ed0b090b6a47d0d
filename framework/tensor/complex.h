// std::complex as an element of tensors: makes complex64 and complex128 tensors, and reads them.
//   Tensor z = Tensor::from<std::complex<float>>({{1, 2}, {0, -1}}, {2});
//   std::vector<std::complex<float>> values = z.to_vector<std::complex<float>>();
#pragma once
#include <complex>

#include "tensor.h"

namespace cornu {

template <>
struct dtype_for<std::complex<float>> {
  static constexpr DType value = DType::complex64;
};
template <>
struct dtype_for<std::complex<double>> {
  static constexpr DType value = DType::complex128;
};

/// @{
/// All elements; those of real tensors have imaginary parts of 0. Other types than these throw
/// ValueError for a complex tensor.
template <>
std::vector<std::complex<float>> Tensor::to_vector<std::complex<float>>(SourceLine) const;
template <>
std::vector<std::complex<double>> Tensor::to_vector<std::complex<double>>(SourceLine) const;
/// @}

namespace detail {

/// `: [1+2i, -1i]>`: how a tensor's text ends.
std::string complex_text(const Tensor& tensor);

}  // namespace detail
}  // namespace cornu
