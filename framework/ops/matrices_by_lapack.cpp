// Decompositions of single matrices by LAPACK, which is loaded when the first one is wanted: its
// start costs more than all else that a small program does.
#include <dlfcn.h>
#include <fmt/core.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "decompositions.h"

namespace cornu::detail {
namespace {

struct Lapack {
  decltype(&LAPACKE_dgetrf) getrf;
  decltype(&LAPACKE_dgetrs) getrs;
  decltype(&LAPACKE_dpotrf) potrf;
  decltype(&LAPACKE_dgeqrf) geqrf;
  decltype(&LAPACKE_dorgqr) orgqr;
  decltype(&LAPACKE_dsyevd) syevd;
  decltype(&LAPACKE_dgesdd) gesdd;
};

Lapack load() {
  constexpr const char* file = "liblapacke.so.3";
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw UnsupportedError(
        fmt::format("decompositions of matrices need LAPACK, and {} cannot be loaded: {}. On "
                    "Debian and Ubuntu: "
                    "apt install liblapacke.",
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

// The distance from row to row, which LAPACK wants to be positive.
int row_step(const Matrix& m) { return std::max(size(m.columns), 1); }

bool has_nan(const Matrix& m) {
  return std::any_of(m.v.begin(), m.v.end(), [](double v) { return std::isnan(v); });
}

// What LAPACK finds no answer for, or refuses to look at.
void make_nan(Matrix& m) { std::fill(m.v.begin(), m.v.end(), std::nan("")); }

// The first columns of the first rows.
Matrix corner(const Matrix& m, int64_t rows, int64_t columns) {
  Matrix part(rows, columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) part(i, j) = m(i, j);
  return part;
}

}  // namespace

Matrix Matrix::identity(int64_t n) {
  Matrix m(n, n);
  for (int64_t i = 0; i < n; ++i) m(i, i) = 1;
  return m;
}

int lu_in_place(Matrix& a, std::vector<int64_t>& pivots) {
  const auto n = static_cast<size_t>(std::min(a.rows, a.columns));
  std::vector<int> exchanged(n);
  pivots.resize(n);
  if (n == 0) return 1;
  if (has_nan(a)) {
    make_nan(a);
    for (size_t i = 0; i < n; ++i) pivots[i] = static_cast<int64_t>(i);
    return 1;
  }
  lapack().getrf(rows_first, size(a.rows), size(a.columns), a.v.data(), row_step(a),
                 exchanged.data());
  int sign = 1;
  for (size_t i = 0; i < n; ++i) {
    pivots[i] = exchanged[i] - 1;
    if (pivots[i] != static_cast<int64_t>(i)) sign = -sign;
  }
  return sign;
}

Matrix solution_of(const Matrix& a, Matrix b) {
  if (b.v.empty()) return b;
  if (has_nan(a) || has_nan(b)) {
    make_nan(b);
    return b;
  }
  Matrix lu = a;
  std::vector<int> exchanged(static_cast<size_t>(a.rows));
  const int n = size(a.rows);
  lapack().getrf(rows_first, n, n, lu.v.data(), n, exchanged.data());
  // A singular matrix gives infinities, as division by its pivots does.
  lapack().getrs(rows_first, 'N', n, size(b.columns), lu.v.data(), n, exchanged.data(), b.v.data(),
                 row_step(b));
  return b;
}

Matrix cholesky_of(const Matrix& a) {
  Matrix l = a;
  for (int64_t i = 0; i < l.rows; ++i)
    for (int64_t j = i + 1; j < l.columns; ++j) l(i, j) = 0;
  if (l.v.empty()) return l;
  const int minor =
      has_nan(l) ? 1 : lapack().potrf(rows_first, 'L', size(l.rows), l.v.data(), row_step(l));
  if (minor > 0)
    throw ValueError(
        fmt::format("cholesky: the matrix is not positive definite (its leading minor "
                    "of order {} is not positive).",
                    minor));
  return l;
}

Matrix solve_triangle(const Matrix& a, Matrix b, bool lower) {
  const int64_t n = a.rows;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    for (int64_t k = lower ? 0 : i + 1; k < (lower ? i : n); ++k)
      for (int64_t c = 0; c < b.columns; ++c) b(i, c) -= a(i, k) * b(k, c);
    for (int64_t c = 0; c < b.columns; ++c) b(i, c) /= a(i, i);
  }
  return b;
}

std::pair<Matrix, Matrix> qr_of(const Matrix& a, bool complete) {
  const int64_t m = a.rows, n = a.columns, reflections = std::min(m, n),
                k = complete ? m : reflections;
  Matrix q(m, std::max(n, k)), r(k, n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) q(i, j) = a(i, j);
  if (reflections == 0) return {corner(Matrix::identity(m), m, k), r};
  if (has_nan(a)) {
    q = Matrix(m, k);
    make_nan(q);
    make_nan(r);
    return {q, r};
  }
  std::vector<double> factors(static_cast<size_t>(reflections));
  lapack().geqrf(rows_first, size(m), size(n), q.v.data(), row_step(q), factors.data());
  for (int64_t i = 0; i < reflections; ++i)
    for (int64_t j = i; j < n; ++j) r(i, j) = q(i, j);
  lapack().orgqr(rows_first, size(m), size(k), size(reflections), q.v.data(), row_step(q),
                 factors.data());
  return {corner(q, m, k), r};
}

std::pair<Matrix, Matrix> eigh_of(Matrix a) {
  const int64_t n = a.rows;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j) a(i, j) = a(j, i) = (a(i, j) + a(j, i)) / 2;
  Matrix values(1, n);
  if (n == 0) return {values, a};
  if (has_nan(a) || lapack().syevd(rows_first, 'V', 'L', size(n), a.v.data(), row_step(a),
                                   values.v.data()) != 0) {
    make_nan(values);
    make_nan(a);
  }
  return {std::move(values), std::move(a)};
}

SingularValues svd_of(Matrix a, bool full) {
  const int64_t m = a.rows, n = a.columns, k = std::min(m, n);
  SingularValues r{Matrix(m, full ? m : k), Matrix(1, k), Matrix(full ? n : k, n)};
  if (k == 0) {
    r.u = corner(Matrix::identity(m), m, r.u.columns);
    r.vt = corner(Matrix::identity(n), r.vt.rows, n);
  } else if (has_nan(a) || lapack().gesdd(rows_first, full ? 'A' : 'S', size(m), size(n),
                                          a.v.data(), row_step(a), r.s.v.data(), r.u.v.data(),
                                          row_step(r.u), r.vt.v.data(), row_step(r.vt)) != 0) {
    make_nan(r.u);
    make_nan(r.s);
    make_nan(r.vt);
  }
  return r;
}

}  // namespace cornu::detail
