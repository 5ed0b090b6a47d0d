// Factors of matrices as Linalg kernels.
#include "decompositions.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../../backend/eigen.h"
#include "../../dispatch/apply.h"
#include "../../dispatch/complex.h"
#include "../../dispatch/custom_gradient.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/factors.h"
#include "../numpy/complex.h"
#include "../numpy/products.h"
#include "../operators.h"

namespace cornu::ops {

namespace {

using backend::Linalg;

using backend::LinalgOp;

}  // namespace

Tensor cholesky(const Tensor& x, bool upper) {
  if (is_symbolic(x)) return symbolic_call(&cholesky, x, upper);
  detail::check_matrix(x, "cholesky", true);
  const Tensor real = detail::real_of(x);
  const Tensor l = apply(Linalg{LinalgOp::cholesky}, {real}, real.spec());
  return upper ? detail::transposed(l) : l;
}

Tensor cholesky_inverse(const Tensor& x, bool upper) {
  if (is_symbolic(x)) return symbolic_call(&cholesky_inverse, x, upper);
  detail::check_matrix(x, "cholesky_inverse", true);
  const Tensor factor = detail::real_of(x);
  const Tensor inverted =
      detail::triangular_solution(factor, detail::identity_like(factor), !upper);
  return upper ? matmul(inverted, detail::transposed(inverted))
               : matmul(detail::transposed(inverted), inverted);
}

TensorTuple<2> qr(const Tensor& x, const std::string& mode) {
  if (is_symbolic(x)) return symbolic_call(&qr, x, mode);
  detail::check_matrix(x, "qr", false);
  const bool complete = mode == "complete";
  if (mode != "reduced" && !complete)
    throw ValueError(
        fmt::format("qr: mode must be \"reduced\" or \"complete\", found \"{}\".", mode));
  const int64_t m = x.shape(-2), n = x.shape(-1), k = complete ? m : std::min(m, n);
  return detail::parts_of(detail::real_of(x), {LinalgOp::qr, complete}, {{m, k}, {k, n}});
}

TensorTuple<2> lu_factor(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&lu_factor, x);
  detail::check_matrix(x, "lu_factor", false);
  return detail::lu_parts(detail::real_of(x));
}

TensorTuple<2> eigh(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&eigh, x);
  detail::check_matrix(x, "eigh", true);
  const int64_t n = x.shape(-1);
  return detail::parts_of(detail::real_of(x), {LinalgOp::eigh}, {{n}, {n, n}});
}

Parts<Nest, 3> svd(const Tensor& x, bool full_matrices, bool compute_uv) {
  if (is_symbolic(x)) return symbolic_call(&svd, x, full_matrices, compute_uv);
  detail::check_matrix(x, "svd", false);
  const std::vector<Tensor> r = detail::svd_parts(detail::real_of(x), full_matrices && compute_uv);
  return compute_uv ? Nest(r) : Nest(r[1]);
}

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

TensorTuple<2> eig(const Tensor& given) {
  if (is_symbolic(given)) return symbolic_call(&eig, given);
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
}

void list_linalg_decompositions(OpCatalog& catalog) {
  catalog.add("linalg.Cholesky", {"x", "upper=False"}, &cholesky);
  catalog.add("linalg.CholeskyInverse", {"x", "upper=False"}, &cholesky_inverse);
  catalog.add("linalg.Qr", {"x", "mode='reduced'"}, &qr);
  catalog.add("linalg.LuFactor", {"x"}, &lu_factor);
  catalog.add("linalg.Eigh", {"x"}, &eigh);
  catalog.add("linalg.Eig", {"x"}, &eig);
  catalog.add("linalg.SVD", {"x", "full_matrices=True", "compute_uv=True"}, &svd);
}

}  // namespace cornu::ops
