// Decompositions of single matrices by textbook loops: Golub and Van Loan, Matrix Computations.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "decompositions.h"

namespace cornu::detail {

Matrix Matrix::transposed() const {
  Matrix t(columns, rows);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) t(j, i) = (*this)(i, j);
  return t;
}

Matrix Matrix::identity(int64_t n) {
  Matrix m(n, n);
  for (int64_t i = 0; i < n; ++i) m(i, i) = 1;
  return m;
}

int lu_in_place(Matrix& a, std::vector<int64_t>& pivots) {
  const int64_t n = std::min(a.rows, a.columns);
  pivots.assign(static_cast<size_t>(n), 0);
  int sign = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < a.rows; ++i)
      if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
    pivots[static_cast<size_t>(k)] = best;
    if (best != k) {
      sign = -sign;
      for (int64_t j = 0; j < a.columns; ++j) std::swap(a(k, j), a(best, j));
    }
    if (a(k, k) == 0) continue;
    for (int64_t i = k + 1; i < a.rows; ++i) {
      const double factor = a(i, k) /= a(k, k);
      for (int64_t j = k + 1; j < a.columns; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return sign;
}

Matrix cholesky_of(const Matrix& a) {
  Matrix l(a.rows, a.rows);
  for (int64_t j = 0; j < a.rows; ++j) {
    double diagonal = a(j, j);
    for (int64_t k = 0; k < j; ++k) diagonal -= l(j, k) * l(j, k);
    if (!(diagonal > 0))
      throw ValueError(
          fmt::format("cholesky: the matrix is not positive definite (its leading minor "
                      "of order {} is not positive).",
                      j + 1));
    l(j, j) = std::sqrt(diagonal);
    for (int64_t i = j + 1; i < a.rows; ++i) {
      double sum = a(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      l(i, j) = sum / l(j, j);
    }
  }
  return l;
}

Matrix solve_triangle(const Matrix& a, Matrix b, bool lower, bool unit) {
  const int64_t n = a.rows;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    for (int64_t c = 0; c < b.columns; ++c) {
      double sum = b(i, c);
      for (int64_t k = lower ? 0 : i + 1; k < (lower ? i : n); ++k) sum -= a(i, k) * b(k, c);
      b(i, c) = unit ? sum : sum / a(i, i);
    }
  }
  return b;
}

std::pair<Matrix, Matrix> qr_of(Matrix a) {
  const int64_t m = a.rows, n = a.columns;
  Matrix q = Matrix::identity(m);
  std::vector<double> w(static_cast<size_t>(m));
  for (int64_t k = 0; k < std::min(m - 1, n); ++k) {
    double norm = 0, below = 0, square = 0;
    for (int64_t i = k; i < m; ++i) norm = std::hypot(norm, a(i, k));
    for (int64_t i = k + 1; i < m; ++i) below = std::max(below, std::abs(a(i, k)));
    if (below == 0) continue;
    for (int64_t i = k; i < m; ++i) w[static_cast<size_t>(i)] = a(i, k);
    w[static_cast<size_t>(k)] += a(k, k) > 0 ? norm : -norm;
    for (int64_t i = k; i < m; ++i) square += w[static_cast<size_t>(i)] * w[static_cast<size_t>(i)];
    for (int64_t j = k; j < n; ++j) {
      double dot = 0;
      for (int64_t i = k; i < m; ++i) dot += w[static_cast<size_t>(i)] * a(i, j);
      dot *= 2 / square;
      for (int64_t i = k; i < m; ++i) a(i, j) -= dot * w[static_cast<size_t>(i)];
    }
    for (int64_t i = k + 1; i < m; ++i) a(i, k) = 0;
    // q gathers the reflections from the right.
    for (int64_t i = 0; i < m; ++i) {
      double dot = 0;
      for (int64_t j = k; j < m; ++j) dot += q(i, j) * w[static_cast<size_t>(j)];
      dot *= 2 / square;
      for (int64_t j = k; j < m; ++j) q(i, j) -= dot * w[static_cast<size_t>(j)];
    }
  }
  return {std::move(q), std::move(a)};
}

namespace {

// cos and sin of the rotation that makes the off-diagonal element of ((p, o), (o, q)) zero.
std::pair<double, double> rotation(double p, double q, double o) {
  const double ratio = (q - p) / (2 * o);
  const double t = (ratio >= 0 ? 1 : -1) / (std::abs(ratio) + std::hypot(ratio, 1.0));
  const double c = 1 / std::hypot(t, 1.0);
  return {c, t * c};
}

void rotate_columns(Matrix& x, int64_t p, int64_t q, double c, double s) {
  for (int64_t i = 0; i < x.rows; ++i) {
    const double y = x(i, p), z = x(i, q);
    x(i, p) = c * y - s * z;
    x(i, q) = s * y + c * z;
  }
}

void rotate_rows(Matrix& x, int64_t p, int64_t q, double c, double s) {
  for (int64_t i = 0; i < x.columns; ++i) {
    const double y = x(p, i), z = x(q, i);
    x(p, i) = c * y - s * z;
    x(q, i) = s * y + c * z;
  }
}

constexpr int most_sweeps = 60;

}  // namespace

std::pair<Matrix, Matrix> eigh_of(Matrix a) {
  const int64_t n = a.rows;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j) a(i, j) = a(j, i) = (a(i, j) + a(j, i)) / 2;
  Matrix v = Matrix::identity(n);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double off = 0, all = 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        all += a(i, j) * a(i, j);
        if (i != j) off += a(i, j) * a(i, j);
      }
    if (!(off > 1e-32 * all)) break;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        if (a(p, q) == 0) continue;
        const auto [c, s] = rotation(a(p, p), a(q, q), a(p, q));
        rotate_columns(a, p, q, c, s);
        rotate_rows(a, p, q, c, s);
        rotate_columns(v, p, q, c, s);
      }
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return a(i, i) < a(j, j); });
  Matrix values(1, n), vectors(n, n);
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<size_t>(j)];
    values(0, j) = a(from, from);
    for (int64_t i = 0; i < n; ++i) vectors(i, j) = v(i, from);
  }
  return {std::move(values), std::move(vectors)};
}

SingularValues svd_of(const Matrix& given) {
  if (given.rows < given.columns) {
    SingularValues t = svd_of(given.transposed());
    return {std::move(t.v), std::move(t.s), std::move(t.u)};
  }
  const int64_t m = given.rows, n = given.columns;
  Matrix a = given, v = Matrix::identity(n);
  bool turned = true;
  for (int sweep = 0; turned && sweep < most_sweeps; ++sweep) {
    turned = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        double pp = 0, qq = 0, pq = 0;
        for (int64_t i = 0; i < m; ++i) {
          pp += a(i, p) * a(i, p);
          qq += a(i, q) * a(i, q);
          pq += a(i, p) * a(i, q);
        }
        if (pq == 0 || !(std::abs(pq) > 1e-15 * std::sqrt(pp * qq))) continue;
        turned = true;
        const auto [c, s] = rotation(pp, qq, pq);
        rotate_columns(a, p, q, c, s);
        rotate_columns(v, p, q, c, s);
      }
  }
  std::vector<double> lengths(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j) {
    double square = 0;
    for (int64_t i = 0; i < m; ++i) square += a(i, j) * a(i, j);
    lengths[static_cast<size_t>(j)] = std::sqrt(square);
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    return lengths[static_cast<size_t>(i)] > lengths[static_cast<size_t>(j)];
  });
  SingularValues r{Matrix(m, n), Matrix(1, n), Matrix(n, n)};
  const double least = n ? lengths[static_cast<size_t>(order[0])] * 1e-15 : 0;
  int64_t rank = 0;
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<size_t>(j)];
    const double length = lengths[static_cast<size_t>(from)];
    r.s(0, j) = length;
    if (length > least) ++rank;
    for (int64_t i = 0; i < m && length > least; ++i) r.u(i, j) = a(i, from) / length;
    for (int64_t i = 0; i < n; ++i) r.v(i, j) = v(i, from);
  }
  if (rank < n) {
    // Columns of no length get any direction that is orthogonal to the others.
    Matrix found(m, rank);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < rank; ++j) found(i, j) = r.u(i, j);
    const Matrix whole = completed(found);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = rank; j < n; ++j) r.u(i, j) = whole(i, j);
  }
  return r;
}

Matrix completed(const Matrix& q) {
  if (q.rows == q.columns) return q;
  Matrix whole = qr_of(q).first;
  for (int64_t i = 0; i < q.rows; ++i)
    for (int64_t j = 0; j < q.columns; ++j) whole(i, j) = q(i, j);
  return whole;
}

}  // namespace cornu::detail
