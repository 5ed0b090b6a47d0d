// labels_shifted: targets that belong to the samples before or behind. They are found by how well
// simple models (a linear one, and the nearest neighbors) predict the targets of sample i from the
// inputs of sample i + lag.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "checks.h"

namespace cornu::diagnose {
namespace {

constexpr int64_t most_samples = 768, most_columns = 24, neighbors = 5;
// Lags up to which both models are tried, and those up to which the fast linear one is.
constexpr int64_t farthest = 5, farthest_linear = 24;

// Columns of numbers, by row.
struct Table {
  int64_t rows = 0, columns = 0;
  std::vector<double> values;
  const double* row(int64_t i) const { return values.data() + i * columns; }
  double& at(int64_t i, int64_t k) { return values[static_cast<size_t>(i * columns + k)]; }
  double at(int64_t i, int64_t k) const { return values[static_cast<size_t>(i * columns + k)]; }
};

void standardize(Table& t) {
  for (int64_t k = 0; k < t.columns; ++k) {
    double mean = 0, square = 0;
    for (int64_t i = 0; i < t.rows; ++i) mean += t.at(i, k) / static_cast<double>(t.rows);
    for (int64_t i = 0; i < t.rows; ++i)
      square += (t.at(i, k) - mean) * (t.at(i, k) - mean) / static_cast<double>(t.rows);
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (int64_t i = 0; i < t.rows; ++i) t.at(i, k) = (t.at(i, k) - mean) * scale;
  }
}

// What is far out must not count for all.
void limit(Table& t) {
  for (double& v : t.values) v = std::clamp(v, -3.0, 3.0);
  standardize(t);
}

// Whether enough samples differ from the most frequent class to tell anything.
bool varied(const OutputFacts& output, int64_t rows) {
  const auto classes = output.classes();
  if (!classes) return true;
  std::map<int64_t, int64_t> counts;
  int64_t most = 0;
  for (int64_t i = 0; i < rows; ++i)
    most = std::max(most, ++counts[(*classes)[static_cast<size_t>(i)]]);
  return rows - most >= 24;
}

// Many columns as few random mixtures of them.
Table condensed(const std::vector<const Rows*>& parts, int64_t rows) {
  Table all{rows, 0, {}};
  for (const Rows* part : parts) all.columns += part->width;
  all.values.resize(static_cast<size_t>(rows * all.columns));
  for (int64_t i = 0, begin = 0; i < rows; ++i, begin = 0)
    for (const Rows* part : parts)
      for (int64_t k = 0; k < part->width; ++k) all.at(i, begin++) = part->at(i, k);
  standardize(all);
  if (all.columns <= most_columns) return all;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> mix(static_cast<size_t>(all.columns * most_columns));
  for (double& m : mix) m = normal(random);
  Table few{rows, most_columns, std::vector<double>(static_cast<size_t>(rows * most_columns))};
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < all.columns; ++k)
      for (int64_t j = 0; j < most_columns; ++j)
        few.at(i, j) += all.at(i, k) * mix[static_cast<size_t>(k * most_columns + j)];
  standardize(few);
  return few;
}

// The targets as standardized columns; classes as zeros and ones.
Table targets_of(const OutputFacts& output, int64_t rows) {
  const auto classes = output.classes();
  if (!classes) {
    Table numbers = condensed({&output.rows}, rows);
    limit(numbers);
    return numbers;
  }
  const int64_t count =
      std::min<int64_t>(most_columns, *std::max_element(classes->begin(), classes->end()) + 1);
  Table t{rows, std::max<int64_t>(count, 1), {}};
  t.values.resize(static_cast<size_t>(rows * t.columns));
  for (int64_t i = 0; i < rows; ++i)
    if (const int64_t c = (*classes)[static_cast<size_t>(i)]; c >= 0 && c < t.columns)
      t.at(i, c) = 1;
  standardize(t);
  return t;
}

// The samples that both have, when sample i of y meets i + lag of x.
struct Meeting {
  const Table &x, &y;
  int64_t lag;
  int64_t begin() const { return std::max<int64_t>(0, -lag); }
  int64_t end() const { return y.rows - std::max<int64_t>(0, lag); }
  const double* x_of(int64_t i) const { return x.row(i + lag); }
};

// 1 - error / variance of predictions.
double score(const Meeting& m, const std::function<void(int64_t, double*)>& predict) {
  double error = 0, variance = 0;
  std::vector<double> guess(static_cast<size_t>(m.y.columns));
  for (int64_t i = m.begin(); i < m.end(); ++i) {
    predict(i, guess.data());
    for (int64_t k = 0; k < m.y.columns; ++k) {
      const double d = m.y.at(i, k) - guess[static_cast<size_t>(k)];
      error += d * d;
      variance += m.y.at(i, k) * m.y.at(i, k);
    }
  }
  return variance > 0 ? 1 - error / variance : 0;
}

double neighbor_score(const Meeting& m) {
  return score(m, [&](int64_t i, double* guess) {
    std::pair<double, int64_t> nearest[neighbors];
    std::fill(nearest, nearest + neighbors, std::pair<double, int64_t>(HUGE_VAL, i));
    for (int64_t j = m.begin(); j < m.end(); ++j) {
      if (j == i) continue;
      double distance = 0;
      for (int64_t k = 0; k < m.x.columns && distance < nearest[neighbors - 1].first; ++k)
        distance += (m.x_of(i)[k] - m.x_of(j)[k]) * (m.x_of(i)[k] - m.x_of(j)[k]);
      if (distance >= nearest[neighbors - 1].first) continue;
      nearest[neighbors - 1] = {distance, j};
      std::sort(nearest, nearest + neighbors);
    }
    for (int64_t k = 0; k < m.y.columns; ++k) {
      guess[k] = 0;
      for (const auto& [distance, j] : nearest) guess[k] += m.y.at(j, k) / neighbors;
    }
  });
}

// Solves a symmetric positive system in place (Cholesky); `b` has `columns` right sides.
void solve(std::vector<double>& a, std::vector<double>& b, int64_t n, int64_t columns) {
  const auto at = [&](int64_t i, int64_t j) -> double& {
    return a[static_cast<size_t>(i * n + j)];
  };
  const auto right = [&](int64_t i, int64_t k) -> double& {
    return b[static_cast<size_t>(i * columns + k)];
  };
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t k = 0; k < j; ++k)
      for (int64_t i = j; i < n; ++i) at(i, j) -= at(i, k) * at(j, k);
    const double root = std::sqrt(at(j, j));
    for (int64_t i = j; i < n; ++i) at(i, j) /= root;
  }
  for (int64_t k = 0; k < columns; ++k) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) right(i, k) -= at(i, j) * right(j, k);
      right(i, k) /= at(i, i);
    }
    for (int64_t i = n; i-- > 0;) {
      for (int64_t j = i + 1; j < n; ++j) right(i, k) -= at(j, i) * right(j, k);
      right(i, k) /= at(i, i);
    }
  }
}

// Ridge regression, each half predicted by the other.
double linear_score(const Meeting& m) {
  const int64_t n = m.x.columns, columns = m.y.columns;
  std::vector<double> weights[2];
  for (int64_t half : {0, 1}) {
    std::vector<double> gram(static_cast<size_t>(n * n));
    weights[half].assign(static_cast<size_t>(n * columns), 0);
    for (int64_t i = m.begin(); i < m.end(); ++i) {
      if (i % 2 == half) continue;
      const double* x = m.x_of(i);
      for (int64_t a = 0; a < n; ++a) {
        for (int64_t b = 0; b < n; ++b) gram[static_cast<size_t>(a * n + b)] += x[a] * x[b];
        for (int64_t k = 0; k < columns; ++k)
          weights[half][static_cast<size_t>(a * columns + k)] += x[a] * m.y.at(i, k);
      }
    }
    for (int64_t a = 0; a < n; ++a) gram[static_cast<size_t>(a * n + a)] += 3;
    solve(gram, weights[half], n, columns);
  }
  return score(m, [&](int64_t i, double* guess) {
    const auto& w = weights[i % 2];
    for (int64_t k = 0; k < columns; ++k) {
      guess[k] = 0;
      for (int64_t a = 0; a < n; ++a)
        guess[k] += m.x_of(i)[a] * w[static_cast<size_t>(a * columns + k)];
    }
  });
}

// Whether each sample is the one before, moved on by a step: windows of one series.
bool sliding(const InputFacts& input) {
  const Rows& rows = input.rows;
  if (input.data.rank() < 2 || rows.count < 3) return false;
  const int64_t step = rows.width / std::max<int64_t>(input.data.shape(1), 1);
  if (step < 1 || rows.width <= step) return false;
  int64_t moved = 0;
  const int64_t count = std::min<int64_t>(rows.count, 64);
  for (int64_t i = 1; i < count; ++i) {
    const double* now = rows.values.data() + i * rows.width;
    moved += std::equal(now, now + rows.width - step, now - rows.width + step);
  }
  return moved * 2 > count;
}

// Whether a target is an input of the sample `lag` further on: what a forecast is to find.
bool is_next_input(const std::vector<const Rows*>& inputs, const Rows& y, int64_t rows,
                   int64_t lag) {
  for (const Rows* x : inputs) {
    // Whole samples, as an autoencoder has them, are no forecast.
    if (x->width == y.width && y.width > 1) continue;
    for (int64_t k = 0; k < std::min<int64_t>(x->width, 256); ++k) {
      int64_t equal = 0, count = 0;
      for (int64_t i = std::max<int64_t>(0, -lag); i < rows - std::max<int64_t>(0, lag);
           ++i, ++count)
        equal += x->at(i + lag, k) == y.at(i, 0);
      if (equal * 10 > count * 9) return true;
    }
  }
  return false;
}

}  // namespace

void check_alignment(const Evidence& evidence, Findings& findings) {
  std::vector<const Rows*> inputs;
  int64_t rows = std::min(most_samples, evidence.samples);
  for (const InputFacts& input : evidence.inputs) {
    if (input.rows.values.empty() || input.rows.constant()) continue;
    if (sliding(input)) return;
    inputs.push_back(&input.rows);
    rows = std::min(rows, input.rows.count);
  }
  if (inputs.empty() || rows < 48) return;
  const Table x = condensed(inputs, rows);
  for (const OutputFacts& output : evidence.outputs) {
    if (output.rows.count < rows || output.rows.width > 4096 || !varied(output, rows)) continue;
    const Table y = targets_of(output, rows);
    const auto fit = [&](int64_t lag) {
      const Meeting meeting{x, y, lag};
      const double linear = linear_score(meeting);
      return std::abs(lag) > farthest ? linear : std::max(linear, neighbor_score(meeting));
    };
    const double here = fit(0);
    if (here > 0.3) continue;
    double best = 0;
    int64_t best_lag = 0;
    for (int64_t lag = -farthest_linear; lag <= farthest_linear; ++lag) {
      if (lag == 0) continue;
      if (const double there = fit(lag); there > best) best = there, best_lag = lag;
    }
    if (best < 0.3 || best < 3 * here || is_next_input(inputs, output.rows, rows, best_lag))
      continue;
    findings.add(
        "labels_shifted", output.place(),
        fmt::format("a simple model explains {:.0f}% of y[i] from x[i{:+}], but {:.0f}% from x[i]",
                    100 * best, best_lag, 100 * std::max(here, 0.0)),
        "Align x and y: one of them was moved by a row, or lost one, on the way.");
  }
}

}  // namespace cornu::diagnose
