// Decompositions of matrices by LAPACK, in double precision. It is loaded when the first one is
// wanted: its start costs more than all else that a small program does.
#include <dlfcn.h>
#include <fmt/core.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../eigen.h"
#include "../error.h"
#include "kernels.h"

namespace cornu::backend::cpu {
namespace {

struct Lapack {
  decltype(&LAPACKE_dgetrf) getrf;
  decltype(&LAPACKE_dgetrs) getrs;
  decltype(&LAPACKE_dpotrf) potrf;
  decltype(&LAPACKE_dgeqrf) geqrf;
  decltype(&LAPACKE_dorgqr) orgqr;
  decltype(&LAPACKE_dsyevd) syevd;
  decltype(&LAPACKE_dgesdd) gesdd;
  decltype(&LAPACKE_dgeev) geev;
  decltype(&LAPACKE_zgeev) complex_geev;
};

Lapack load() {
  constexpr const char* file = "liblapacke.so.3";
  // RTLD_LOCAL: the BLAS that it brings along must not serve libraries that are loaded later.
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw UnsupportedError(
        fmt::format("decompositions of matrices need LAPACK, and {} cannot be loaded: {}. On "
                    "Debian and Ubuntu: apt install liblapacke.",
                    file, dlerror()));
  const auto find = [&](auto& function, const char* name) {
    void* const address = dlsym(library, name);
    if (!address) throw UnsupportedError(fmt::format("{} has no function {}.", file, name));
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
  };
  Lapack found{};
  find(found.getrf, "LAPACKE_dgetrf");
  find(found.getrs, "LAPACKE_dgetrs");
  find(found.potrf, "LAPACKE_dpotrf");
  find(found.geqrf, "LAPACKE_dgeqrf");
  find(found.orgqr, "LAPACKE_dorgqr");
  find(found.syevd, "LAPACKE_dsyevd");
  find(found.gesdd, "LAPACKE_dgesdd");
  find(found.geev, "LAPACKE_dgeev");
  find(found.complex_geev, "LAPACKE_zgeev");
  return found;
}

const Lapack& lapack() {
  static const Lapack functions = load();
  return functions;
}

constexpr int rows_first = LAPACK_ROW_MAJOR;

int size(int64_t n) {
  if (n > std::numeric_limits<int>::max())
    throw ValueError("decompositions of matrices: LAPACK takes at most 2^31 - 1 rows and columns.");
  return static_cast<int>(n);
}

/// A row-major matrix of doubles.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<double> v;

  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), v(static_cast<size_t>(rows * columns), 0.0) {}
  double& operator()(int64_t i, int64_t j) { return v[static_cast<size_t>(i * columns + j)]; }
  double operator()(int64_t i, int64_t j) const { return v[static_cast<size_t>(i * columns + j)]; }

  /// The distance from row to row, which LAPACK wants to be positive.
  int row_step() const { return std::max(size(columns), 1); }
  bool has_nan() const {
    return std::any_of(v.begin(), v.end(), [](double x) { return std::isnan(x); });
  }
  /// What LAPACK finds no answer for, or refuses to look at.
  void make_nan() { std::fill(v.begin(), v.end(), std::nan("")); }
  /// The first columns of the first rows.
  Matrix corner(int64_t m, int64_t n) const {
    Matrix part(m, n);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) part(i, j) = (*this)(i, j);
    return part;
  }
  static Matrix identity(int64_t n) {
    Matrix m(n, n);
    for (int64_t i = 0; i < n; ++i) m(i, i) = 1;
    return m;
  }
};

using Matrices = std::vector<Matrix>;

/// `info`, once it is no refusal: LAPACKE's wrappers have negative numbers for too little memory
/// and for arguments that they do not take.
int checked(int info, const char* function) {
  if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
    throw MemoryError(fmt::format(
        "LAPACK's {} found no memory to work in. Decompose smaller matrices, or free memory.",
        function));
  if (info < 0)
    throw StateError(fmt::format("LAPACK's {} does not take its argument {}.", function, -info));
  return info;
}

Matrices cholesky_of(Matrix l) {
  for (int64_t i = 0; i < l.rows; ++i)
    for (int64_t j = i + 1; j < l.columns; ++j) l(i, j) = 0;
  if (l.v.empty()) return {l};
  const int minor =
      l.has_nan() ? 1
                  : checked(lapack().potrf(rows_first, 'L', size(l.rows), l.v.data(), l.row_step()),
                            "dpotrf");
  if (minor > 0)
    throw ValueError(
        fmt::format("cholesky: the matrix is not positive definite (its leading minor of order {} "
                    "is not positive).",
                    minor));
  return {std::move(l)};
}

// Both triangles, and the exchanged rows as numbers.
Matrices lu_of(Matrix a) {
  Matrix rows(1, std::min(a.rows, a.columns));
  std::vector<int> exchanged(rows.v.size());
  if (a.has_nan()) {
    a.make_nan();
    for (size_t i = 0; i < exchanged.size(); ++i) exchanged[i] = static_cast<int>(i) + 1;
  } else if (!exchanged.empty()) {
    // A pivot of 0 is for the reader of the diagonal to see.
    checked(lapack().getrf(rows_first, size(a.rows), size(a.columns), a.v.data(), a.row_step(),
                           exchanged.data()),
            "dgetrf");
  }
  // LAPACK counts rows from 1.
  for (size_t i = 0; i < exchanged.size(); ++i) rows.v[i] = exchanged[i] - 1;
  return {std::move(a), std::move(rows)};
}

Matrices qr_of(const Matrix& a, bool complete) {
  const int64_t m = a.rows, n = a.columns, reflections = std::min(m, n),
                k = complete ? m : reflections;
  Matrix q(m, std::max(n, k)), r(k, n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) q(i, j) = a(i, j);
  if (reflections == 0) return {Matrix::identity(m).corner(m, k), std::move(r)};
  if (a.has_nan()) {
    q = Matrix(m, k);
    q.make_nan();
    r.make_nan();
    return {std::move(q), std::move(r)};
  }
  std::vector<double> factors(static_cast<size_t>(reflections));
  checked(lapack().geqrf(rows_first, size(m), size(n), q.v.data(), q.row_step(), factors.data()),
          "dgeqrf");
  for (int64_t i = 0; i < reflections; ++i)
    for (int64_t j = i; j < n; ++j) r(i, j) = q(i, j);
  checked(lapack().orgqr(rows_first, size(m), size(k), size(reflections), q.v.data(), q.row_step(),
                         factors.data()),
          "dorgqr");
  return {q.corner(m, k), std::move(r)};
}

Matrices eigh_of(Matrix a) {
  const int64_t n = a.rows;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j) a(i, j) = a(j, i) = (a(i, j) + a(j, i)) / 2;
  Matrix values(1, n);
  if (n > 0 && (a.has_nan() || lapack().syevd(rows_first, 'V', 'L', size(n), a.v.data(),
                                              a.row_step(), values.v.data()) != 0)) {
    values.make_nan();
    a.make_nan();
  }
  return {std::move(values), std::move(a)};
}

Matrices svd_of(Matrix a, bool full) {
  const int64_t m = a.rows, n = a.columns, k = std::min(m, n);
  Matrix u(m, full ? m : k), s(1, k), vt(full ? n : k, n);
  if (k == 0) {
    u = Matrix::identity(m).corner(m, u.columns);
    vt = Matrix::identity(n).corner(vt.rows, n);
  } else if (a.has_nan() || lapack().gesdd(rows_first, full ? 'A' : 'S', size(m), size(n),
                                           a.v.data(), a.row_step(), s.v.data(), u.v.data(),
                                           u.row_step(), vt.v.data(), vt.row_step()) != 0) {
    u.make_nan();
    s.make_nan();
    vt.make_nan();
  }
  return {std::move(u), std::move(s), std::move(vt)};
}

Matrices solve(Matrix a, Matrix b) {
  if (b.v.empty()) return {b};
  if (a.has_nan() || b.has_nan()) {
    b.make_nan();
    return {b};
  }
  std::vector<int> exchanged(static_cast<size_t>(a.rows));
  const int n = size(a.rows);
  // A singular matrix gives infinities, as division by its pivots does.
  checked(lapack().getrf(rows_first, n, n, a.v.data(), n, exchanged.data()), "dgetrf");
  checked(lapack().getrs(rows_first, 'N', n, size(b.columns), a.v.data(), n, exchanged.data(),
                         b.v.data(), b.row_step()),
          "dgetrs");
  return {std::move(b)};
}

Matrices solve_triangle(const Matrix& a, Matrix b, bool lower) {
  const int64_t n = a.rows;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    for (int64_t k = lower ? 0 : i + 1; k < (lower ? i : n); ++k)
      for (int64_t c = 0; c < b.columns; ++c) b(i, c) -= a(i, k) * b(k, c);
    for (int64_t c = 0; c < b.columns; ++c) b(i, c) /= a(i, i);
  }
  return {std::move(b)};
}

Matrices results_of(const Linalg& kernel, Matrices in) {
  switch (kernel.op) {
    case LinalgOp::cholesky:
      return cholesky_of(std::move(in[0]));
    case LinalgOp::lu:
      return lu_of(std::move(in[0]));
    case LinalgOp::qr:
      return qr_of(in[0], kernel.complete);
    case LinalgOp::eigh:
      return eigh_of(std::move(in[0]));
    case LinalgOp::svd:
      return svd_of(std::move(in[0]), kernel.complete);
    case LinalgOp::solve:
      return solve(std::move(in[0]), std::move(in[1]));
    case LinalgOp::solve_triangular:
      return solve_triangle(in[0], std::move(in[1]), kernel.lower);
  }
  return {};
}

Matrix load(const Operand& operand, int64_t index) {
  const Shape& shape = *operand.shape;
  Matrix m(shape.at(-2), shape.at(-1));
  const auto take = [&](const auto* from) {
    from += index * static_cast<int64_t>(m.v.size());
    std::copy(from, from + m.v.size(), m.v.begin());
  };
  if (operand.dtype == DType::float64)
    take(static_cast<const double*>(operand.data));
  else
    take(static_cast<const float*>(operand.data));
  return m;
}

void store(const Matrix& m, const Operand& operand, int64_t index) {
  const auto put = [&](auto* to) {
    to += index * static_cast<int64_t>(m.v.size());
    for (double v : m.v) *to++ = static_cast<std::remove_reference_t<decltype(*to)>>(v);
  };
  if (operand.dtype == DType::int32)
    put(static_cast<int32_t*>(operand.data));
  else if (operand.dtype == DType::float64)
    put(static_cast<double*>(operand.data));
  else
    put(static_cast<float*>(operand.data));
}

using Complex = std::complex<double>;

bool all_finite(const double* values, int64_t count) {
  return std::all_of(values, values + count, [](double x) { return std::isfinite(x); });
}

void no_eigen(int64_t n, Complex* values, Complex* vectors) {
  const Complex nan(std::nan(""), std::nan(""));
  std::fill(values, values + n, nan);
  std::fill(vectors, vectors + n * n, nan);
}

void real_eigen(const double* matrix, int64_t n, Complex* values, Complex* vectors) {
  if (n == 0) return;
  Matrix a(n, n), v(n, n);
  std::copy(matrix, matrix + n * n, a.v.begin());
  std::vector<double> re(static_cast<size_t>(n)), im(re.size());
  if (!all_finite(matrix, n * n) ||
      lapack().geev(rows_first, 'N', 'V', size(n), a.v.data(), size(n), re.data(), im.data(),
                    nullptr, size(n), v.v.data(), size(n)) != 0)
    return no_eigen(n, values, vectors);
  for (int64_t j = 0; j < n; ++j) {
    const auto at = static_cast<size_t>(j);
    values[j] = {re[at], im[at]};
    // Of a pair of conjugate vectors, one column is the real part and the next the imaginary one.
    for (int64_t i = 0; i < n; ++i)
      vectors[i * n + j] = im[at] == 0  ? Complex(v(i, j))
                           : im[at] > 0 ? Complex(v(i, j), v(i, j + 1))
                                        : Complex(v(i, j - 1), -v(i, j));
  }
}

void complex_eigen(const Complex* matrix, int64_t n, Complex* values, Complex* vectors) {
  if (n == 0) return;
  std::vector<Complex> a(matrix, matrix + n * n);
  const auto given = [](Complex* p) { return reinterpret_cast<lapack_complex_double*>(p); };
  if (!all_finite(reinterpret_cast<const double*>(matrix), 2 * n * n) ||
      lapack().complex_geev(rows_first, 'N', 'V', size(n), given(a.data()), size(n), given(values),
                            nullptr, size(n), given(vectors), size(n)) != 0)
    no_eigen(n, values, vectors);
}

}  // namespace

void run(const Linalg& kernel, Operands inputs, Operands outputs) {
  const Shape& shape = *inputs[0].shape;
  const int64_t count = shape.slice(0, shape.rank() - 2).numel();
  for (int64_t index = 0; index < count; ++index) {
    Matrices given;
    for (const Operand& input : inputs) given.push_back(load(input, index));
    const Matrices found = results_of(kernel, std::move(given));
    for (size_t i = 0; i < outputs.size(); ++i) store(found[i], outputs[i], index);
  }
}

}  // namespace cornu::backend::cpu

namespace cornu::backend {

void eigen(const double* matrix, int64_t n, std::complex<double>* values,
           std::complex<double>* vectors) {
  cpu::real_eigen(matrix, n, values, vectors);
}

void eigen(const std::complex<double>* matrix, int64_t n, std::complex<double>* values,
           std::complex<double>* vectors) {
  cpu::complex_eigen(matrix, n, values, vectors);
}

}  // namespace cornu::backend
