// Classes or numbers: what the targets are, and how predictions differ from them.
#include "evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cornu::cli {
namespace {

constexpr size_t bins = 40;

bool is_target(const Model& model, const std::string& name) {
  const std::vector<std::string> outputs = model.output_names();
  return name == "y" || std::find(outputs.begin(), outputs.end(), name) != outputs.end();
}

const Tensor& targets_among(const Model& model, const Arrays& arrays) {
  for (const auto& [name, tensor] : arrays)
    if (is_target(model, name)) return tensor;
  throw ValueError(
      "there are no targets: no array is named 'y'. The file holds: " + describe(arrays) + ".");
}

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

Confusion confusion_of(const std::vector<double>& predictions, const std::vector<double>& y,
                       size_t rows, size_t width) {
  const bool binary = width == 1, one_hot = !binary && y.size() == predictions.size();
  Confusion result;
  result.classes = binary ? 2 : static_cast<int64_t>(width);
  result.counts.resize(static_cast<size_t>(result.classes * result.classes));
  for (size_t row = 0; row < rows; ++row) {
    const double truth = one_hot ? static_cast<double>(largest(y, row, width)) : y[row];
    const size_t predicted = binary ? predictions[row] > 0.5 : largest(predictions, row, width);
    if (!(truth >= 0 && truth < static_cast<double>(result.classes)) || truth != std::floor(truth))
      throw ValueError("sample " + std::to_string(row) + " has the class " + std::to_string(truth) +
                       ", but the model has the classes 0 to " +
                       std::to_string(result.classes - 1) + ".");
    ++result.counts[static_cast<size_t>(truth) * static_cast<size_t>(result.classes) + predicted];
  }
  return result;
}

Errors errors_of(const std::vector<double>& predictions, const std::vector<double>& y) {
  Errors result;
  std::vector<double> errors;
  for (size_t i = 0; i < y.size(); ++i)
    if (const double e = predictions[i] - y[i]; std::isfinite(e)) errors.push_back(e);
  if (errors.empty()) throw ValueError("no prediction is a finite number.");
  const auto count = static_cast<double>(errors.size());
  for (const double e : errors) {
    result.mean += e / count;
    result.mean_absolute += std::abs(e) / count;
    result.root_mean_square += e * e / count;
  }
  result.root_mean_square = std::sqrt(result.root_mean_square);
  const auto [least, most] = std::minmax_element(errors.begin(), errors.end());
  result.from = *least;
  result.to = *most > *least ? *most : *least + 1;
  result.counts.resize(bins);
  for (const double e : errors) {
    const double place = (e - result.from) / (result.to - result.from) * bins;
    ++result.counts[std::min(static_cast<size_t>(place), bins - 1)];
  }
  return result;
}

}  // namespace

int64_t Confusion::samples() const {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

double Confusion::accuracy() const {
  int64_t right = 0;
  for (int64_t c = 0; c < classes; ++c) right += count(c, c);
  return static_cast<double>(right) / static_cast<double>(std::max<int64_t>(samples(), 1));
}

Nest inputs_among(const Model& model, const Arrays& arrays) {
  Arrays inputs = arrays;
  std::erase_if(inputs, [&](const auto& entry) {
    return entry.first == "sample_weight" || is_target(model, entry.first);
  });
  if (inputs.empty())
    throw ValueError("there are no inputs. The file holds: " + describe(arrays) + ".");
  return model_inputs(model, inputs, "x");
}

Evaluation evaluate_on(Model& model, const Arrays& arrays, int64_t batch_size) {
  const Tensor& y = targets_among(model, arrays);
  const Nest outputs = model.predict(inputs_among(model, arrays),
                                     {.batch_size = batch_size, .verbose = Verbose::silent});
  if (!outputs.is_tensor() && outputs.flatten().size() != 1)
    throw ValueError("the model has several outputs; a report compares one with its targets.");
  const Tensor p = outputs.flatten().at(0);
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
       all_of(predictions, [](double v) { return v >= 0 && v <= 1; }));
  if (classes)
    result.confusion = confusion_of(predictions, targets, rows, width);
  else if (targets.size() == predictions.size())
    result.errors = errors_of(predictions, targets);
  else
    throw ValueError("targets of shape " + y.shape().str() + " do not fit outputs of shape " +
                     p.shape().str() + ".");
  return result;
}

}  // namespace cornu::cli
