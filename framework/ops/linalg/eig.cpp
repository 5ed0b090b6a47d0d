// Eigenvalues and eigenvectors of matrices that are not symmetric: LAPACK's work, on the host.
#include <fmt/core.h>

#include "../../../backend/eigen.h"
#include "../../dispatch/complex.h"
#include "../core/cast.h"
#include "decompositions.h"

namespace cornu::ops {
namespace {

template <class T, class Number>
void eigen_of(const Tensor& x, int64_t n, const Tensor& values, const Tensor& vectors) {
  constexpr int64_t width = sizeof(Number) / sizeof(double);
  const T* from = static_cast<const T*>(x.data());
  T *to_values = values.mutable_data<T>(), *to_vectors = vectors.mutable_data<T>();
  const int64_t count = n == 0 ? 0 : x.size() / (n * n * width);
  std::vector<Number> a(static_cast<size_t>(n * n));
  std::vector<std::complex<double>> w(static_cast<size_t>(n)), v(a.size());
  const auto put = [](const std::vector<std::complex<double>>& numbers, T*& to) {
    for (const auto& z : numbers) {
      *to++ = static_cast<T>(z.real());
      *to++ = static_cast<T>(z.imag());
    }
  };
  for (int64_t i = 0; i < count; ++i) {
    for (Number& number : a) {
      if constexpr (width == 2) {
        number = {static_cast<double>(from[0]), static_cast<double>(from[1])};
      } else {
        number = static_cast<double>(*from);
      }
      from += width;
    }
    backend::eigen(a.data(), n, w.data(), v.data());
    put(w, to_values);
    put(v, to_vectors);
  }
}

void eigen_all(const Tensor& x, int64_t n, bool complex, const Tensor& values,
               const Tensor& vectors) {
  using Complex = std::complex<double>;
  const bool wide = x.dtype() == DType::float64;
  if (complex)
    return (wide ? eigen_of<double, Complex> : eigen_of<float, Complex>)(x, n, values, vectors);
  (wide ? eigen_of<double, double> : eigen_of<float, double>)(x, n, values, vectors);
}

}  // namespace

std::vector<Tensor> eig(const Tensor& x) {
  return op(
      &eig,
      [](const Tensor& given) -> std::vector<Tensor> {
        if (given.rank() < 2 || given.shape(-1) != given.shape(-2))
          throw ShapeError(
              fmt::format("eig: expected a square matrix in the last two axes, found shape {}.",
                          given.shape().str()));
        const bool complex = is_complex(given.dtype());
        const Tensor x = complex                           ? as_pairs(given)
                         : given.dtype() == DType::float64 ? given
                                                           : cast(given, DType::float32);
        const int64_t n = given.shape(-1);
        const Shape batch = given.shape().slice(0, given.rank() - 2);
        const Shape values = concat(batch, {n, 2}), vectors = concat(batch, {n, n, 2});
        const TensorSpec outputs[] = {{values, x.dtype()}, {vectors, x.dtype()}};
        const Tensors pairs = apply_host(
            [n, complex](std::span<const Tensor> in, std::span<const Tensor> out) {
              eigen_all(in[0], n, complex, out[0], out[1]);
            },
            {&x, 1}, outputs, "eig");
        apply_custom({&x, 1}, pairs, [](std::span<const Tensor>) -> Tensors {
          throw UnsupportedError("eig: has no gradient. For symmetric matrices use eigh.");
        });
        return {from_pairs(pairs[0]), from_pairs(pairs[1])};
      },
      x);
}

}  // namespace cornu::ops
