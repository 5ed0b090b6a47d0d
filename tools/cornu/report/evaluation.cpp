// Classes or numbers: what the targets are, and how predictions differ from them.
#include "evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cornu::cli {
namespace {

constexpr size_t bins = 40;

bool all_of(const std::vector<double>& values, bool (*f)(double)) {
  return std::all_of(values.begin(), values.end(), f);
}

bool is_bit(double v) { return v == 0 || v == 1; }

size_t largest(const std::vector<double>& values, size_t row, size_t width) {
  const auto begin = values.begin() + static_cast<int64_t>(row * width);
  return static_cast<size_t>(std::max_element(begin, begin + static_cast<int64_t>(width)) - begin);
}

bool is_one_hot(const std::vector<double>& y, size_t width) {
  if (width < 2 || !all_of(y, is_bit)) return false;
  for (size_t row = 0; row * width < y.size(); ++row) {
    const auto begin = y.begin() + static_cast<int64_t>(row * width);
    if (std::accumulate(begin, begin + static_cast<int64_t>(width), 0.0) != 1) return false;
  }
  return true;
}

// Whether a prediction of the row is no number.
bool has_nan(const std::vector<double>& values, size_t row, size_t width) {
  const auto begin = values.begin() + static_cast<int64_t>(row * width);
  return std::any_of(begin, begin + static_cast<int64_t>(width),
                     [](double v) { return std::isnan(v); });
}

Confusion confusion_of(const std::vector<double>& predictions, const std::vector<double>& y,
                       size_t rows, size_t width) {
  const bool binary = width == 1, one_hot = !binary && y.size() == predictions.size();
  Confusion result;
  result.classes = binary ? 2 : static_cast<int64_t>(width);
  result.counts.resize(static_cast<size_t>(result.classes * result.classes));
  for (size_t row = 0; row < rows; ++row) {
    const double truth = one_hot ? static_cast<double>(largest(y, row, width)) : y[row];
    if (!(truth >= 0 && truth < static_cast<double>(result.classes)) || truth != std::floor(truth))
      throw ValueError("sample " + std::to_string(row) + " has the class " + std::to_string(truth) +
                       ", but the model has the classes 0 to " +
                       std::to_string(result.classes - 1) + ".");
    if (has_nan(predictions, row, width)) {
      ++result.unpredicted;
      continue;
    }
    const size_t predicted = binary ? predictions[row] > 0.5 : largest(predictions, row, width);
    ++result.counts[static_cast<size_t>(truth) * static_cast<size_t>(result.classes) + predicted];
  }
  return result;
}

// Halves and fractions of the largest: nothing overflows that is finite itself.
void count_bins(const std::vector<double>& errors, Errors& result) {
  const auto [least, most] = std::minmax_element(errors.begin(), errors.end());
  result.from = *least;
  result.to = *most > *least ? *most : *least + std::max(1.0, std::abs(*least) * 1e-6);
  result.counts.resize(bins);
  for (const double e : errors) {
    const double place =
        (e / 2 - result.from / 2) / (result.to / 2 - result.from / 2) * static_cast<double>(bins);
    ++result.counts[std::min(static_cast<size_t>(place), bins - 1)];
  }
}

Errors errors_of(const std::vector<double>& predictions, const std::vector<double>& y) {
  Errors result;
  std::vector<double> errors;
  double largest = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    const double e = predictions[i] - y[i];
    if (std::isfinite(e)) errors.push_back(e);
    if (std::isfinite(e)) largest = std::max(largest, std::abs(e));
  }
  result.not_finite = static_cast<int64_t>(y.size() - errors.size());
  if (errors.empty()) throw ValueError("no prediction is a finite number.");
  const auto count = static_cast<double>(errors.size());
  for (const double e : errors) {
    result.mean += e / count;
    result.mean_absolute += std::abs(e) / count;
    if (largest > 0) result.root_mean_square += (e / largest) * (e / largest) / count;
  }
  result.root_mean_square = largest * std::sqrt(result.root_mean_square);
  count_bins(errors, result);
  return result;
}

// How the predictions of one output differ from its targets.
Evaluation compare(const Tensor& p, const Tensor& y) {
  const std::vector<double> predictions = p.to_vector<double>(), targets = y.to_vector<double>();
  const auto rows = static_cast<size_t>(p.rank() > 0 ? p.shape()[0] : 1);
  const size_t width = rows == 0 ? 0 : predictions.size() / rows;
  if (rows == 0) throw ValueError("there is no sample.");
  Evaluation result;
  const bool one_each = targets.size() == rows;
  const bool classes =
      (p.rank() == 2 && width > 1 && one_each) ||
      (p.rank() == 2 && targets.size() == predictions.size() && is_one_hot(targets, width)) ||
      (width == 1 && one_each && all_of(targets, is_bit) &&
       all_of(predictions, [](double v) { return std::isnan(v) || (v >= 0 && v <= 1); }));
  if (classes)
    result.confusion = confusion_of(predictions, targets, rows, width);
  else if (targets.size() == predictions.size())
    result.errors = errors_of(predictions, targets);
  else
    throw ValueError("targets of shape " + y.shape().str() + " do not fit outputs of shape " +
                     p.shape().str() + ".");
  return result;
}

// The targets of the output, or null.
const Tensor* targets_of(const Nest& y, const std::string& output) {
  if (y.is_tensor()) return &y.tensor();
  for (const auto& [key, nest] : y.entries())
    if (key == output && nest.is_tensor()) return &nest.tensor();
  return nullptr;
}

}  // namespace

int64_t Confusion::samples() const {
  return std::accumulate(counts.begin(), counts.end(), unpredicted);
}

double Confusion::accuracy() const {
  int64_t right = 0;
  for (int64_t c = 0; c < classes; ++c) right += count(c, c);
  return static_cast<double>(right) / static_cast<double>(std::max<int64_t>(samples(), 1));
}

std::vector<Evaluation> evaluate_on(Model& model, const Samples& samples, int64_t batch_size) {
  const Arrays outputs = model_outputs(
      model, model.predict(samples.x, {.batch_size = batch_size, .verbose = Verbose::silent}));
  std::vector<Evaluation> result;
  if (samples.y.is_tensor() && outputs.size() > 1)
    throw ValueError("the model has several outputs (" + describe(outputs) +
                     "), but there is only one array of targets. Name one after each output.");
  for (const auto& [name, predictions] : outputs) {
    const Tensor* targets = targets_of(samples.y, name);
    if (!targets) continue;
    try {
      result.push_back(compare(predictions, *targets));
    } catch (Error& e) {
      if (outputs.size() > 1) e.prepend("output '" + name + "'");
      throw;
    }
    if (outputs.size() > 1) result.back().output = name;
  }
  if (result.empty())
    throw ValueError("no targets are named as an output; the outputs are " + describe(outputs) +
                     ".");
  return result;
}

}  // namespace cornu::cli
