// Reading and printing complex tensors.
#include "complex.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "plain_nan.h"

namespace cornu {
namespace {

template <class To, class From>
std::vector<std::complex<To>> copied(const void* values, size_t count) {
  const auto* from = static_cast<const std::complex<From>*>(values);
  std::vector<std::complex<To>> result(count);
  for (size_t i = 0; i < count; ++i)
    result[i] = {static_cast<To>(from[i].real()), static_cast<To>(from[i].imag())};
  return result;
}

template <class T>
std::vector<std::complex<T>> numbers(const Tensor& t, SourceLine at) {
  const size_t count = static_cast<size_t>(t.size());
  if (t.dtype() == DType::complex64) return copied<T, float>(t.host_data(at), count);
  if (t.dtype() == DType::complex128) return copied<T, double>(t.host_data(at), count);
  const std::vector<double> real = t.to_vector<double>(at);
  std::vector<std::complex<T>> result(count);
  for (size_t i = 0; i < count; ++i) result[i] = static_cast<T>(real[i]);
  return result;
}

}  // namespace

template <>
std::vector<std::complex<float>> Tensor::to_vector<std::complex<float>>(SourceLine at) const {
  return numbers<float>(*this, at);
}

template <>
std::vector<std::complex<double>> Tensor::to_vector<std::complex<double>>(SourceLine at) const {
  return numbers<double>(*this, at);
}

namespace detail {

std::string complex_text(const Tensor& tensor) {
  const auto values = tensor.to_vector<std::complex<double>>();
  const size_t shown = std::min<size_t>(values.size(), 10);
  std::string text = ": [";
  for (size_t i = 0; i < shown; ++i)
    text += fmt::format("{}{:.6g}{:+.6g}i", i ? ", " : "", plain_nan(values[i].real()),
                        plain_nan(values[i].imag()));
  return text + (shown < values.size() ? ", ...]>" : "]>");
}

}  // namespace detail
}  // namespace cornu
