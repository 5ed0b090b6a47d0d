// Orthogonal.
#include "orthogonal.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "../ops/core/cast.h"
#include "../ops/operators.h"
#include "../ops/random/draws.h"

namespace cornu::initializers {

namespace {

// The matrix Q of a = Q R, where R has a positive diagonal; rows >= columns. By Householder
// reflections, row by row so that loops run along memory.
class Orthonormal {
 public:
  Orthonormal(std::vector<double> a, int64_t rows, int64_t columns)
      : a_(std::move(a)), rows_(rows), columns_(columns), signs_(static_cast<size_t>(columns)) {}

  const std::vector<double>& compute() {
    std::vector<std::vector<double>> reflections;
    for (int64_t j = 0; j < columns_; ++j) reflections.push_back(reflect_column(j));
    std::fill(a_.begin(), a_.end(), 0.0);
    for (int64_t j = 0; j < columns_; ++j) at(j, j) = signs_[static_cast<size_t>(j)];
    for (int64_t j = columns_ - 1; j >= 0; --j) apply(reflections[static_cast<size_t>(j)], j, j);
    return a_;
  }

 private:
  double& at(int64_t i, int64_t j) { return a_[static_cast<size_t>(i * columns_ + j)]; }

  // The unit vector v (from row j on) whose reflection 1 - 2 v v' clears column j below row j.
  std::vector<double> reflect_column(int64_t j) {
    std::vector<double> v;
    double squares = 0;
    for (int64_t i = j; i < rows_; ++i) {
      v.push_back(at(i, j));
      squares += v.back() * v.back();
    }
    const double norm = std::copysign(std::sqrt(squares), v[0]);
    signs_[static_cast<size_t>(j)] = norm > 0 ? -1 : 1;  // of the diagonal of R, which is -norm
    squares += norm * (norm + 2 * v[0]);
    v[0] += norm;
    if (squares > 0)
      for (double& x : v) x /= std::sqrt(squares);
    apply(v, j, j);
    return v;
  }

  // Reflects the columns from `column` on in the rows from `row` on.
  void apply(const std::vector<double>& v, int64_t row, int64_t column) {
    std::vector<double> products(static_cast<size_t>(columns_ - column));
    for (size_t i = 0; i < v.size(); ++i) {
      const double* a = &at(row + static_cast<int64_t>(i), column);
      for (size_t j = 0; j < products.size(); ++j) products[j] += v[i] * a[j];
    }
    for (size_t i = 0; i < v.size(); ++i) {
      double* a = &at(row + static_cast<int64_t>(i), column);
      const double twice = 2 * v[i];
      for (size_t j = 0; j < products.size(); ++j) a[j] -= twice * products[j];
    }
  }

  std::vector<double> a_;
  int64_t rows_, columns_;
  std::vector<double> signs_;
};

}  // namespace

OrthogonalInitializer::OrthogonalInitializer(OrthogonalConfig c) : Configured(std::move(c)) {
  set_seed(config.seed);
}

Tensor OrthogonalInitializer::operator()(const Shape& shape, DType dtype) {
  if (shape.rank() < 2)
    throw ShapeError(
        fmt::format("Orthogonal: a weight of shape {} has fewer than two axes. Use another "
                    "initializer.",
                    shape.str()));
  const int64_t columns = shape.back(), rows = columns == 0 ? 0 : shape.numel() / columns;
  const int64_t longer = std::max(rows, columns), shorter = std::min(rows, columns);
  const DType draw = dtype == DType::float64 ? dtype : DType::float32;
  Orthonormal matrix(random::normal({longer, shorter}, 0, 1, draw_seed(), draw).to_vector<double>(),
                     longer, shorter);
  const std::vector<double>& q = matrix.compute();
  std::vector<double> result(q.size());
  for (int64_t i = 0; i < longer; ++i)
    for (int64_t j = 0; j < shorter; ++j)
      result[static_cast<size_t>(rows < columns ? j * columns + i : i * columns + j)] =
          config.gain * q[static_cast<size_t>(i * shorter + j)];
  return ops::cast(Tensor::from(result, shape), dtype);
}

Value::Dict OrthogonalInitializer::get_config() const { return seed_first(to_dict(config)); }

void register_orthogonal(Catalog& c) {
  c.add<OrthogonalInitializer>("keras.initializers.Orthogonal");
  c.add_alias("keras.initializers", "OrthogonalInitializer", "Orthogonal");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::OrthogonalInitializer, initializers::OrthogonalConfig,
                          initializers::RandomInitializer>;
}
