// Gathering what the checks look at.
#include "evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "../../ops/core/cast.h"
#include "../../ops/numpy/indexing.h"

namespace cornu::diagnose {
namespace {

constexpr int64_t most_rows = 2048;
constexpr int64_t most_numbers = 1 << 22;

int64_t width_of(const Tensor& t) {
  return t.rank() == 0 || t.shape(0) == 0 ? 1 : t.size() / t.shape(0);
}

Nest pick(const Nest& nest, const Tensor& indices) {
  if (nest.empty()) return nest;
  return nest.map([&](const Tensor& t) { return t ? ops::take(t, indices, 0) : t; });
}

const Value* option_of(const Configurable& object, Value::Dict& config, const char* name) {
  try {
    config = object.get_config();
  } catch (const Error&) {
    return nullptr;
  }
  return detail::find(config, name);
}

bool keeps_states(const Layer& layer) {
  Value::Dict config;
  const Value* option = option_of(layer, config, "stateful");
  if (option && option->is<bool>() && option->get<bool>()) return true;
  const auto inside = layer.sublayers();
  return std::any_of(inside.begin(), inside.end(),
                     [](const auto& sublayer) { return keeps_states(*sublayer); });
}

}  // namespace

std::string short_path(const std::string& path) {
  const size_t slash = path.find('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

bool Rows::equal(int64_t a, int64_t b) const {
  const auto* first = values.data();
  return std::equal(first + a * width, first + (a + 1) * width, first + b * width);
}

bool Rows::constant() const {
  for (int64_t row = 1; row < count; ++row)
    if (!equal(0, row)) return false;
  return true;
}

std::pair<double, double> Rows::range() const {
  if (values.empty()) return {0, 0};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, *most};
}

Rows rows_of(const Tensor& tensor, int64_t limit) {
  Rows rows;
  if (!is_number(tensor) || tensor.rank() == 0) return rows;
  rows.width = width_of(tensor);
  const int64_t fitting = std::max<int64_t>(most_numbers / std::max<int64_t>(rows.width, 1), 16);
  rows.count = std::min({tensor.shape(0), limit, fitting});
  rows.values = take_rows(tensor, 0, rows.count).tensor().to_vector<double>();
  return rows;
}

// --- outputs ---

bool OutputFacts::class_numbers() const {
  if (!targets || units() < 2) return false;
  const int rank = targets.rank();
  return rank + 1 == prediction.rank() || (rank == prediction.rank() && targets.shape(-1) == 1);
}

bool OutputFacts::one_hot() const {
  const int64_t units = targets && targets.rank() > 1 ? targets.shape(-1) : 1;
  if (units < 2 || rows.values.empty()) return false;
  for (size_t i = 0; i < rows.values.size(); i += static_cast<size_t>(units)) {
    double sum = 0;
    for (size_t k = i; k < i + static_cast<size_t>(units); ++k) {
      if (rows.values[k] != 0 && rows.values[k] != 1) return false;
      sum += rows.values[k];
    }
    if (sum != 1) return false;
  }
  return true;
}

bool OutputFacts::probabilities() const {
  const size_t n = static_cast<size_t>(units());
  if (n < 2 || predicted.values.empty()) return false;
  for (size_t i = 0; i < predicted.values.size(); i += n) {
    double sum = 0;
    for (size_t k = i; k < i + n; ++k) {
      if (!(predicted.values[k] >= 0)) return false;
      sum += predicted.values[k];
    }
    if (std::fabs(sum - 1) > 1e-2) return false;
  }
  return true;
}

bool OutputFacts::categorical() const {
  return loss_class == "CategoricalCrossentropy" || loss_class == "CategoricalFocalCrossentropy";
}
bool OutputFacts::sparse() const {
  return loss_class == "SparseCategoricalCrossentropy" ||
         loss_class == "CategoricalGeneralizedCrossEntropy";
}
bool OutputFacts::binary() const { return loss_class.rfind("Binary", 0) == 0; }
bool OutputFacts::regression() const {
  static const char* names[] = {"MeanSquaredError", "MeanAbsoluteError", "Huber", "LogCosh",
                                "MeanAbsolutePercentageError"};
  return std::any_of(std::begin(names), std::end(names),
                     [&](const char* name) { return loss_class == name; });
}

std::optional<std::vector<int64_t>> OutputFacts::classes() const {
  if (rows.values.empty()) return {};
  std::vector<int64_t> found;
  if (one_hot() && rows.width == targets.shape(-1) && (!loss || categorical() || binary())) {
    for (int64_t row = 0; row < rows.count; ++row) {
      int64_t k = 0;
      while (rows.at(row, k) != 1) ++k;
      found.push_back(k);
    }
    return found;
  }
  const bool single = rows.width == 1 &&
                      (loss ? sparse() || (binary() && units() == 1) : !is_float(targets.dtype()));
  if (!single) return {};
  for (double v : rows.values) {
    if (v != std::round(v)) return {};
    found.push_back(std::llround(v));
  }
  return found;
}

// --- evidence ---

Evidence::Evidence(Model& m, const Nest& all_x, const Nest& all_y, const DiagnoseOptions& o)
    : model(m),
      options(o),
      x(all_x),
      y(all_y),
      sample_weight(o.sample_weight),
      validation_x(o.validation_x) {
  samples = count_samples(x, y, sample_weight);
  if (validation_x.empty()) hold_out(options.validation_split);
  epoch_batches = batches();
  order_.resize(static_cast<size_t>(samples));
  std::iota(order_.begin(), order_.end(), 0);
  // A stream of its own: the user's seeds stay where they are.
  if (options.shuffle) std::shuffle(order_.begin(), order_.end(), std::mt19937_64(20260101));
  name_inputs();
  call();
}

// As fit does: the last samples validate, and are not trained on.
void Evidence::hold_out(double share) {
  const auto cut = static_cast<int64_t>(std::floor(static_cast<double>(samples) * (1 - share)));
  if (!(share > 0) || cut < 1 || cut >= samples) return;
  validation_x = take_rows(x, cut, samples);
  for (Nest* part : {&x, &y, &sample_weight}) *part = take_rows(*part, 0, cut);
  samples = cut;
}

int64_t Evidence::batches() const {
  return std::max<int64_t>(1, samples / std::max<int64_t>(options.batch_size, 1));
}

Batch Evidence::batch(int64_t begin, int64_t end) const {
  std::vector<int64_t> rows(order_.begin() + begin, order_.begin() + std::min(end, samples));
  const Tensor indices(rows);
  return {pick(x, indices), pick(y, indices), pick(sample_weight, indices)};
}

void Evidence::name_inputs() {
  const std::vector<Tensor> tensors = x.flatten();
  std::vector<std::string> names = model.input_names();
  if (x.is_dict()) {
    names.clear();
    for (const auto& [key, part] : x.entries()) names.push_back(key);
    std::sort(names.begin(), names.end());
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string name = tensors.size() == 1              ? ""
                             : names.size() == tensors.size() ? names[i]
                                                              : std::to_string(i);
    inputs.push_back({name, tensors[i], rows_of(tensors[i], most_rows)});
  }
}

void Evidence::call() {
  int64_t width = 1;
  for (const InputFacts& input : inputs) width += width_of(input.data);
  const int64_t fitting = std::max<int64_t>(most_numbers / width, 8);
  // States are made for the size of the first batch, which is to be that of the training.
  stateful = keeps_states(model);
  const int64_t wanted =
      stateful ? options.batch_size
               : std::min(fitting, std::max<int64_t>(options.batch_size, int64_t{256}));
  const Batch probe_batch = batch(0, std::min(samples, wanted));
  const LossScope losses;
  try {
    probe = detail::ModelState::standardize(model, probe_batch.x);
    // Building draws initial weights, which is no part of the forward pass.
    model.ensure_built(probe);
    const detail::Trial trial(model);
    auto following = std::make_unique<ForwardTrace>(probe);
    const Nest y_pred = model(probe, {.training = false});
    following->stop();
    trace = std::move(following);
    read_outputs(y_pred, probe_batch);
  } catch (const StateError&) {
    // A model with a train_step alone: its data and its steps can still be looked at.
    trace.reset();
    outputs.clear();
  }
}

void Evidence::read_outputs(const Nest& y_pred, const Batch& probe_batch) {
  const std::vector<Tensor> predictions = y_pred.flatten();
  const CompileOptions& compile = model.compile_options();
  CompiledLoss loss(model.compiled() ? compile.loss : LossOption(), compile.loss_weights);
  CompiledMetrics metrics(model.compiled() ? compile.metrics : MetricOption(),
                          model.compiled() ? compile.weighted_metrics : MetricOption());
  std::vector<Tensor> targets(predictions.size()), probe_targets(predictions.size());
  if (!loss.empty()) loss.resolve(y_pred, model.output_names());
  if (!y.empty() && !loss.empty()) {
    targets = loss.targets(y, y_pred);
    probe_targets = loss.targets(probe_batch.y, y_pred);
  } else if (!y.empty()) {
    targets = y.flatten();
    probe_targets = probe_batch.y.flatten();
  }
  targets.resize(predictions.size());
  probe_targets.resize(predictions.size());
  for (size_t i = 0; i < predictions.size(); ++i) {
    OutputFacts& facts = outputs.emplace_back();
    facts.prediction = predictions[i];
    facts.predicted = rows_of(predictions[i], 256);
    facts.targets = targets[i];
    facts.probe_targets = probe_targets[i];
    facts.rows = targets[i] ? rows_of(targets[i], 1 << 16) : Rows();
    facts.form = trace->form_of(predictions[i]);
    facts.name = predictions.size() > 1 && !loss.empty()
                     ? loss.names()[i]
                     : short_path(trace->maker_of(predictions[i]));
    if (loss.empty() || !loss.losses()[i]) continue;
    facts.loss = loss.losses()[i];
    facts.factor = loss.factors()[i];
    if (const ClassInfo* info = catalog().find_class(*facts.loss))
      facts.loss_class = info->class_name;
    Value::Dict config;
    if (const Value* v = option_of(*facts.loss, config, "from_logits"); v && v->is<bool>())
      facts.from_logits = v->get<bool>();
  }
  if (metrics.empty() || y.empty()) return;
  for (const auto& entry : metrics.resolved(probe_targets, y_pred, model.output_names()))
    outputs[entry.output].metrics.push_back(entry);
}

}  // namespace cornu::diagnose
