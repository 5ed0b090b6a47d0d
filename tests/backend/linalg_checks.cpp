// Reconstructions in double precision.
#include "linalg_checks.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace cornu::backend::testing {
namespace {

struct Dense {
  int64_t rows, columns;
  std::vector<double> v;

  Dense(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), v(static_cast<size_t>(rows * columns), 0.0) {}
  double& operator()(int64_t i, int64_t j) { return v[static_cast<size_t>(i * columns + j)]; }
  double operator()(int64_t i, int64_t j) const { return v[static_cast<size_t>(i * columns + j)]; }

  Dense turned() const {
    Dense t(columns, rows);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) t(j, i) = (*this)(i, j);
    return t;
  }
  /// Those (i, j) of which keep(i, j); zeros else.
  template <class F>
  Dense masked(F keep) const {
    Dense part(rows, columns);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        if (keep(i, j)) part(i, j) = (*this)(i, j);
    return part;
  }
  Dense first(int64_t m, int64_t n) const {
    Dense part(m, n);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) part(i, j) = (*this)(i, j);
    return part;
  }
};

Dense operator*(const Dense& a, const Dense& b) {
  Dense c(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t k = 0; k < a.columns; ++k)
      for (int64_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

Dense diagonal(const Dense& row) {
  Dense d(row.columns, row.columns);
  for (int64_t i = 0; i < row.columns; ++i) d(i, i) = row(0, i);
  return d;
}

Dense identity(int64_t n) {
  Dense d(n, n);
  for (int64_t i = 0; i < n; ++i) d(i, i) = 1;
  return d;
}

/// Matrix `index` of a batch whose shape has `batch_axes` axes; a vector is a row.
Dense matrix_of(const Array& array, int batch_axes, int64_t index) {
  const Shape rest = array.shape().slice(batch_axes);
  Dense m(rest.rank() == 2 ? rest[0] : 1, rest.back());
  for (size_t i = 0; i < m.v.size(); ++i)
    m.v[i] = array[index * rest.numel() + static_cast<int64_t>(i)];
  return m;
}

/// Of what is to be equal to what, and how exactly.
class Faults {
 public:
  explicit Faults(double tolerance) : tolerance_(tolerance) {}
  /// Relative to what is expected, or to `scale`, the size of what was multiplied.
  void compare(const std::string& what, const Dense& got, const Dense& expected, double scale = 1) {
    double most = 0;
    for (size_t i = 0; i < got.v.size(); ++i) {
      const double difference = std::fabs(got.v[i] - expected.v[i]);
      most = std::isnan(difference) || difference > most ? difference : most;
      scale = std::max(scale, std::fabs(expected.v[i]));
    }
    if (!(most <= tolerance_ * scale)) say(what + " is wrong by " + std::to_string(most));
  }
  void holds(const std::string& what, bool condition) {
    if (!condition) say("not " + what);
  }
  void orthonormal(const std::string& what, const Dense& columns) {
    compare(what + "' " + what, columns.turned() * columns, identity(columns.columns));
  }
  const std::string& text() const { return text_; }

 private:
  void say(const std::string& what) {
    if (text_.empty()) text_ = what;
  }
  double tolerance_;
  std::string text_;
};

double largest(const Dense& m) {
  double most = 0;
  for (double v : m.v) most = std::max(most, std::fabs(v));
  return most;
}

bool below(int64_t i, int64_t j) { return j < i; }
bool above(int64_t i, int64_t j) { return j > i; }

void check(const Linalg& kernel, const std::vector<Dense>& in, const std::vector<Dense>& out,
           Faults& faults) {
  const Dense& a = in[0];
  switch (kernel.op) {
    case LinalgOp::cholesky: {
      faults.holds("lower", out[0].v == out[0].masked(std::not_fn(above)).v);
      const Dense whole = out[0] * out[0].turned();
      faults.compare("l l'", whole.masked(std::not_fn(above)), a.masked(std::not_fn(above)));
      break;
    }
    case LinalgOp::lu: {
      const int64_t k = std::min(a.rows, a.columns);
      Dense permuted = a, l = out[0].masked(below).first(a.rows, k);
      for (int64_t i = 0; i < k; ++i) {
        const auto other = static_cast<int64_t>(out[1](0, i));
        faults.holds("a later row", other >= i && other < a.rows);
        for (int64_t j = 0; j < a.columns; ++j) std::swap(permuted(i, j), permuted(other, j));
        l(i, i) = 1;
      }
      for (double v : l.v) faults.holds("partial pivoting", std::fabs(v) <= 1);
      faults.compare("l u", l * out[0].masked(std::not_fn(below)).first(k, a.columns), permuted);
      break;
    }
    case LinalgOp::qr:
      faults.holds("upper", out[1].v == out[1].masked(std::not_fn(below)).v);
      faults.orthonormal("q", out[0]);
      faults.compare("q r", out[0] * out[1], a);
      break;
    case LinalgOp::eigh: {
      faults.holds("ascending", std::is_sorted(out[0].v.begin(), out[0].v.end()));
      faults.orthonormal("v", out[1]);
      Dense symmetric = a;
      for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.rows; ++j) symmetric(i, j) = (a(i, j) + a(j, i)) / 2;
      faults.compare("v w v'", out[1] * diagonal(out[0]) * out[1].turned(), symmetric);
      break;
    }
    case LinalgOp::svd: {
      const int64_t k = std::min(a.rows, a.columns);
      faults.holds("descending", std::is_sorted(out[1].v.rbegin(), out[1].v.rend()));
      faults.orthonormal("u", out[0]);
      faults.orthonormal("v", out[2].turned());
      faults.compare(
          "u s v'",
          out[0].first(a.rows, k) * diagonal(out[1].first(1, k)) * out[2].first(k, a.columns), a);
      break;
    }
    case LinalgOp::solve:
      faults.compare("a y", a * out[0], in[1], largest(out[0]));
      break;
    case LinalgOp::solve_triangular:
      faults.compare(
          "a y",
          (kernel.lower ? a.masked(std::not_fn(above)) : a.masked(std::not_fn(below))) * out[0],
          in[1]);
      break;
  }
}

}  // namespace

Array random_matrices(std::mt19937& generator, DType dtype, const Shape& shape, double diagonal) {
  Array x(dtype, shape);
  const int64_t n = shape.back(), m = shape[shape.rank() - 2];
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int64_t i = 0; i < x.numel(); ++i)
    x.set(i, uniform(generator) + (i / n % m == i % n ? diagonal : 0));
  return x;
}

std::vector<LinalgCase> linalg_cases() {
  std::vector<LinalgCase> cases;
  std::mt19937 generator(7);
  const auto add = [&](const char* name, const Linalg& kernel, std::vector<Array> inputs) {
    cases.push_back({std::string(name) + (kernel.complete ? " complete " : " ") +
                         std::string(dtype_name(inputs[0].dtype())) + " " + inputs[0].shape().str(),
                     kernel, std::move(inputs)});
  };
  // `upper` or lower triangle NaN.
  const auto half = [](Array x, bool upper) {
    const int64_t n = x.shape().back();
    for (int64_t i = 0; i < x.numel(); ++i)
      if (upper ? i % n > i / n % n : i % n < i / n % n) x.set(i, std::nan(""));
    return x;
  };
  for (DType dtype : {DType::float32, DType::float64}) {
    const auto random = [&](const Shape& shape, double diagonal = 0) {
      return random_matrices(generator, dtype, shape, diagonal);
    };
    for (const Shape& batch : {Shape{}, Shape{3}, Shape{2, 2}}) {
      for (const int64_t n : {1, 4, 33}) {
        const Shape square = concat(batch, {n, n});
        const double large = 2 * static_cast<double>(n);
        add("cholesky", {LinalgOp::cholesky}, {half(random(square, large), true)});
        add("eigh", {LinalgOp::eigh}, {random(square)});
        for (const int64_t k : {1, 5}) {
          const Shape right = concat(batch, {n, k});
          add("solve", {LinalgOp::solve}, {random(square, 2), random(right)});
          for (const bool lower : {false, true})
            add(lower ? "solve lower" : "solve upper", {LinalgOp::solve_triangular, false, lower},
                {half(random(square, large), lower), random(right)});
        }
      }
      for (const Shape& sizes : {Shape{1, 1}, Shape{4, 4}, Shape{5, 3}, Shape{3, 5}, Shape{40, 17},
                                 Shape{17, 40}, Shape{6, 1}, Shape{1, 6}}) {
        const Shape shape = concat(batch, sizes);
        add("lu", {LinalgOp::lu}, {random(shape)});
        for (const bool complete : {false, true}) {
          add("qr", {LinalgOp::qr, complete}, {random(shape)});
          add("svd", {LinalgOp::svd, complete}, {random(shape)});
        }
      }
    }
  }
  return cases;
}

std::vector<Array> linalg_outputs(const Linalg& kernel, const std::vector<Array>& inputs) {
  const Shape& shape = inputs[0].shape();
  const Shape batch = shape.slice(0, shape.rank() - 2);
  const int64_t m = shape[shape.rank() - 2], n = shape.back(), least = std::min(m, n);
  const bool complete = kernel.complete;
  std::vector<Array> outputs;
  const auto add = [&](const Shape& rest, bool integers = false) {
    outputs.emplace_back(integers ? DType::int32 : inputs[0].dtype(), concat(batch, rest));
  };
  switch (kernel.op) {
    case LinalgOp::cholesky:
      add({n, n});
      break;
    case LinalgOp::lu:
      add({m, n});
      add({least}, true);
      break;
    case LinalgOp::qr:
      add({m, complete ? m : least});
      add({complete ? m : least, n});
      break;
    case LinalgOp::eigh:
      add({n});
      add({n, n});
      break;
    case LinalgOp::svd:
      add({m, complete ? m : least});
      add({least});
      add({complete ? n : least, n});
      break;
    default:
      outputs.emplace_back(inputs[1].dtype(), inputs[1].shape());
  }
  return outputs;
}

std::string linalg_fault(const Linalg& kernel, const std::vector<Array>& inputs,
                         const std::vector<Array>& outputs) {
  const Shape& shape = inputs[0].shape();
  const int batch_axes = shape.rank() - 2;
  const double n = static_cast<double>(std::max(shape.back(), shape[batch_axes]));
  Faults faults((inputs[0].dtype() == DType::float64 ? 1e-13 : 1e-5) * (4 + n));
  for (int64_t i = 0; i < shape.slice(0, batch_axes).numel(); ++i) {
    std::vector<Dense> in, out;
    for (const Array& array : inputs) in.push_back(matrix_of(array, batch_axes, i));
    for (const Array& array : outputs) out.push_back(matrix_of(array, batch_axes, i));
    check(kernel, in, out, faults);
  }
  return faults.text();
}

}  // namespace cornu::backend::testing
