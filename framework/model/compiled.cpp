// Matching losses and metrics with outputs.
#include "compiled.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "../dispatch/custom_gradient.h"
#include "../dispatch/stateless_scope.h"
#include "../ops/core/cast.h"
#include "../ops/elementwise.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"

namespace cornu {

RunningMean::RunningMean(std::string name)
    : Metric(std::move(name)),
      total_(add_variable(ops::zeros({}), "total")),
      weight_(add_variable(ops::zeros({}), "count")) {}

void RunningMean::update_state(const Tensor& values, const Tensor&, const Tensor& sample_weight) {
  const Tensor numbers = is_float(values.dtype()) ? values : ops::cast(values, DType::float32);
  if (!sample_weight) return add(ops::mean(numbers), 1);
  const Tensor weights = ops::cast(sample_weight, DType::float32) * ops::ones(numbers.shape());
  total_.assign_add(stop_gradient(ops::sum(numbers * weights)));
  weight_.assign_add(ops::sum(weights));
}

void RunningMean::add(const Tensor& value, double weight) {
  // Both sums in one kernel, and as tensors: nothing is read from the device.
  const Tensors sums = fused_many(
      DType::float32,
      [](Expr total, Expr sum, Expr v, Expr w) {
        return std::vector<Expr>{total + v * w, sum + w};
      },
      total_.value(), weight_.value(), stop_gradient(value), Tensor(weight));
  total_.assign(sums[0]);
  weight_.assign(sums[1]);
}

std::optional<float> RunningMean::at_hand() const {
  if (graph_context().observed() || StatelessScope::active()) return {};
  const Tensor& total = total_.stored();
  if (total.is_meta() || !total.device().backend().on_host()) return {};
  return peek();
}

float RunningMean::peek() const {
  const float t = *static_cast<const float*>(total_.stored().data());
  const float n = *static_cast<const float*>(weight_.stored().data());
  return n == 0 ? 0 : t / n;
}

bool RunningMean::has_values() const { return weight_.value().item() != 0; }

Tensor RunningMean::result() {
  // Asked for after every step when somebody looks at the figures: too small for a kernel.
  if (const std::optional<float> mean = at_hand()) return Tensor::from_host(&*mean, Shape{});
  const Tensor &total = total_.value(), &weight = weight_.value();
  // 0 rather than NaN before the first batch, as in Keras.
  return fused([](Expr t, Expr n) { return expr::select(expr::equal(n, 0.0), 0.0, t / n); }, total,
               weight);
}

namespace {

std::vector<std::string> keys_of(const Nest& nest) {
  std::vector<std::string> keys;
  if (nest.is_dict())
    for (const auto& [key, n] : nest.entries()) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

// What outputs may be called in options: the keys of a dictionary, else the model's names, else
// numbers.
std::vector<std::string> names_of(const Nest& y_pred, const std::vector<std::string>& output_names,
                                  size_t count) {
  std::vector<std::string> keys = keys_of(y_pred);
  // A model that returns a dictionary names its outputs itself.
  if (keys.size() == count) return keys;
  if (output_names.size() == count) return output_names;
  keys.clear();
  for (size_t i = 0; i < count; ++i) keys.push_back(fmt::format("output_{}", i));
  return keys;
}

// Appends the names of the outputs in `nest`, whose own place is `path`.
void add_figure_names(const Nest& nest, const std::string& path,
                      const std::vector<std::string>& names, std::vector<std::string>& found) {
  const auto add = [&](const Nest& part, const std::string& place, bool has_key) {
    if (!part.is_tensor())
      add_figure_names(part, path + place + "/", names, found);
    else
      found.push_back(path + (has_key ? place : names[found.size()]));
  };
  if (nest.is_list())
    for (size_t i = 0; i < nest.list().size(); ++i) add(nest.list()[i], std::to_string(i), false);
  else
    for (const std::string& key : keys_of(nest)) add(nest[key], key, true);
}

// What the figures of outputs are called: as in Keras, those of nested outputs begin with their
// place, "0/dense".
std::vector<std::string> figure_names(const Nest& y_pred, const std::vector<std::string>& names) {
  if (y_pred.is_tensor()) return names;
  std::vector<std::string> found;
  add_figure_names(y_pred, "", names, found);
  return found;
}

size_t index_of(const std::vector<std::string>& names, const std::string& name, const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw ValueError(
        fmt::format("compile: {} names the output '{}', which the model does not have.{}", what,
                    name, did_you_mean(name, names)));
  return static_cast<size_t>(found - names.begin());
}

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

// Throws ValueError unless a dictionary of `what` has an entry for each output.
template <class Dict>
void expect_all(const Dict& dict, const std::vector<std::string>& names, const char* what,
                const char* nothing) {
  std::vector<std::string> found;
  for (const auto& [name, entry] : dict) found.push_back(name);
  for (const std::string& name : names)
    if (std::find(found.begin(), found.end(), name) == found.end())
      throw ValueError(
          fmt::format("compile: {} has {}, but the model's outputs are {}. Give '{}' an entry, {}.",
                      what, quoted(found), quoted(names), name, nothing));
}

// Tensors in the order of y_pred's flattening; a dictionary goes by the outputs' names.
std::vector<Tensor> aligned(const Nest& nest, const Nest& y_pred,
                            const std::vector<std::string>& names, const char* what) {
  // Outputs in dictionaries within dictionaries have paths instead of names.
  if (!nest.is_dict() || (y_pred.is_dict() && keys_of(y_pred).size() != names.size()))
    return nest.flatten();
  std::vector<Tensor> result(names.size());
  for (const auto& [key, n] : nest.entries()) {
    const auto found = std::find(names.begin(), names.end(), key);
    if (found == names.end())
      throw ValueError(
          fmt::format("fit/evaluate: {} names the output '{}', but the model's outputs are {}.",
                      what, key, quoted(names)));
    result[static_cast<size_t>(found - names.begin())] = n.tensor();
  }
  return result;
}

}  // namespace

void expect_weights(const char* what, const Nest& y, const Nest& sample_weight, size_t outputs) {
  if (y.empty() || sample_weight.empty() || sample_weight.is_tensor() || sample_weight.is_dict())
    return;
  if (y.is_tensor() && outputs == 0) return;
  const size_t targets = y.flatten().size(), found = sample_weight.flatten().size();
  if (found == targets || found == outputs) return;
  throw ValueError(
      fmt::format("{}: sample_weight is a list of {} for {} target{}, expected one for each, as in "
                  "y. To weight the samples of all outputs alike, give a tensor without a list.",
                  what, found, targets, targets == 1 ? "" : "s"));
}

namespace {

// Empty for an output without a target, which metrics leave out, as in Keras.
Tensor target_of(const std::vector<Tensor>& targets, size_t output) {
  return output < targets.size() ? targets[output] : Tensor();
}

Tensor at(const std::vector<Tensor>& list, size_t i) {
  // One tensor of weights serves all outputs.
  if (list.size() == 1) return list[0];
  return i < list.size() ? list[i] : Tensor();
}

}  // namespace

namespace {

// The loss of one output: Keras takes a list of one for it as well.
const LossOption& single(const LossOption& option) {
  return option.list().size() == 1 ? single(option.list()[0]) : option;
}

// f(), whose errors say which output's loss or metric it was.
template <class F>
auto of_output(const char* what, const std::string& output, F f) {
  try {
    return f();
  } catch (ShapeError& e) {
    e.prepend(fmt::format("{} of output '{}'", what, output));
    throw;
  }
}

// The targets of an output with a loss.
const Tensor& numbers(const Tensor& y) {
  if (y.dtype() == DType::string)
    throw ShapeError(
        fmt::format("y, of shape {}, holds strings, and losses take numbers. Make "
                    "numbers of them first, for instance with StringLookup.",
                    y.shape().str()));
  return y;
}

}  // namespace

CompiledLoss::CompiledLoss(const LossOption& loss, const LossWeights& weights)
    : option_(loss), weights_(weights) {
  // Made and dropped: an unknown name is an error of compile, not of the first batch.
  if (option_.list().empty() && option_.dict().empty() && !option_.empty()) (void)option_.make();
  for (const auto& entry : option_.list())
    if (!entry.empty()) (void)single(entry).make();
  for (const auto& [name, entry] : option_.dict())
    if (!entry.empty()) (void)single(entry).make();
}

void CompiledLoss::resolve(const Nest& y_pred, const std::vector<std::string>& output_names) {
  const ComputeNow now;  // their means begin at zero, whatever is recorded around
  const size_t count = y_pred.flatten().size();
  names_ = names_of(y_pred, output_names, count);
  losses_.assign(count, nullptr);
  factors_.assign(count, 1.0);
  if (!option_.dict().empty()) {
    for (const auto& [name, option] : option_.dict()) {
      const size_t output = index_of(names_, name, "loss");
      if (!option.empty()) losses_[output] = single(option).make();
    }
    // As in Keras, a model that returns a dictionary may leave some out.
    if (!y_pred.is_dict()) expect_all(option_.dict(), names_, "loss", "nullptr for no loss");
  } else if (!option_.list().empty()) {
    if (option_.list().size() != count)
      throw ValueError(
          fmt::format("compile: {} losses for {} outputs.", option_.list().size(), count));
    for (size_t i = 0; i < count; ++i)
      if (!option_.list()[i].empty()) losses_[i] = single(option_.list()[i]).make();
  } else {
    const auto loss = option_.make();
    // One loss is meant for every output.
    std::fill(losses_.begin(), losses_.end(), loss);
  }
  const bool one_loss = option_.dict().empty() && option_.list().empty();
  if (one_loss && weights_.list.size() == 1) {
    // One weight goes with the one loss of all outputs.
    factors_.assign(count, weights_.list[0]);
  } else if (!weights_.list.empty()) {
    if (weights_.list.size() != count)
      throw ValueError(
          fmt::format("compile: {} loss_weights for {} outputs.", weights_.list.size(), count));
    factors_ = weights_.list;
  }
  for (const auto& [name, weight] : weights_.dict)
    factors_[index_of(names_, name, "loss_weights")] = weight;
  if (!weights_.dict.empty())
    expect_all(weights_.dict, names_, "loss_weights", "1 for an unchanged loss");
  // One loss alone is "loss", whichever output it is of.
  const auto used = std::count_if(losses_.begin(), losses_.end(),
                                  [](const auto& loss) { return loss != nullptr; });
  means_.clear();
  if (used > 1)
    for (const std::string& name : figure_names(y_pred, names_))
      means_.push_back(std::make_shared<RunningMean>(name + "_loss"));
  resolved_ = true;
}

Tensor CompiledLoss::operator()(const Nest& y, const Nest& y_pred, const Nest& sample_weight,
                                const std::vector<std::string>& output_names) {
  if (!resolved_) resolve(y_pred, output_names);
  if (losses_.size() == 1 && losses_[0] && y.is_tensor() && y_pred.is_tensor() &&
      (sample_weight.empty() || sample_weight.is_tensor())) {
    if (!y.tensor()) throw ValueError("fit: the loss needs targets, but y is empty.");
    const Tensor value = of_output("loss", names_[0], [&] {
      return (*losses_[0])(numbers(y.tensor()), y_pred.tensor(),
                           sample_weight.empty() ? Tensor() : sample_weight.tensor());
    });
    return factors_[0] == 1 ? value : value * Tensor(factors_[0]);
  }
  expect_weights("fit/evaluate", y, sample_weight, losses_.size());
  const std::vector<Tensor> predictions = y_pred.flatten(), targets = this->targets(y, y_pred);
  const std::vector<Tensor> weights =
      sample_weight.empty() ? std::vector<Tensor>{}
                            : aligned(for_all(sample_weight), y_pred, names_, "sample_weight");
  if (targets.size() != predictions.size())
    throw ValueError(fmt::format("fit: {} targets (structure {}) for {} outputs (structure {}).",
                                 targets.size(), y.structure(), predictions.size(),
                                 y_pred.structure()));
  if (y.is_dict())
    for (size_t i = 0; i < targets.size(); ++i)
      if (losses_[i] && !targets[i])
        throw ValueError(fmt::format(
            "fit/evaluate: y has {}, but nothing for the output '{}', which has a loss.",
            quoted(keys_of(y)), names_[i]));
  Tensor total;
  for (size_t i = 0; i < predictions.size(); ++i) {
    // An output without a loss, or with an empty tensor as its target, is not trained.
    if (!losses_[i] || !targets[i]) continue;
    const Tensor value = of_output("loss", names_[i], [&] {
      return (*losses_[i])(numbers(targets[i]), predictions[i], at(weights, i));
    });
    if (!means_.empty())
      means_[i]->add(
          value, static_cast<double>(predictions[i].rank() > 0 ? predictions[i].shape()[0] : 1));
    const Tensor weighted = factors_[i] == 1 ? value : value * Tensor(factors_[i]);
    total = total ? total + weighted : weighted;
  }
  return total;
}

std::vector<Tensor> CompiledLoss::targets(const Nest& y, const Nest& y_pred) const {
  return aligned(for_all(y), y_pred, names_, "y");
}

Nest CompiledLoss::for_all(const Nest& nest) const {
  const size_t outputs = losses_.size();
  if (outputs < 2 || nest.empty() || nest.is_dict()) return nest;
  std::vector<Tensor> given = nest.flatten();
  const auto trained = std::count_if(losses_.begin(), losses_.end(),
                                     [](const auto& loss) { return loss != nullptr; });
  if (given.size() == outputs || static_cast<int64_t>(given.size()) != trained) return nest;
  // As in Keras, the outputs that have no loss may be left out.
  std::vector<Tensor> all(outputs);
  for (size_t i = 0, next = 0; i < outputs; ++i)
    if (losses_[i]) all[i] = std::move(given[next++]);
  return Nest(all);
}

std::vector<std::shared_ptr<Metric>> CompiledLoss::metrics() const {
  std::vector<std::shared_ptr<Metric>> result;
  for (size_t i = 0; i < means_.size(); ++i)
    if (losses_[i]) result.push_back(means_[i]);
  return result;
}

CompiledMetrics::CompiledMetrics(const MetricOption& metrics, const MetricOption& weighted_metrics,
                                 std::vector<std::string> output_names)
    : Metric("compile_metrics"),
      plain_(metrics),
      weighted_(weighted_metrics),
      output_names_(std::move(output_names)) {
  // Unknown names are reported by compile, not in the first batch.
  const std::function<void(const MetricOption&)> check = [&](const MetricOption& option) {
    for (const auto& entry : option.list()) check(entry);
    for (const auto& [name, entry] : option.dict()) check(entry);
    const std::string& name = option.name();
    if (!name.empty() && !detail::fitting_kind(name)) (void)option.make();
  };
  check(plain_);
  check(weighted_);
}

namespace {

// "accuracy" and "crossentropy" mean the one that fits the shapes, as in Keras.
std::shared_ptr<Metric> make_metric(const MetricOption& option, const Tensor& y,
                                    const Tensor& y_pred) {
  const std::string& name = option.name();
  if (option.function()) return std::make_shared<FunctionMetric>(option.function());
  std::shared_ptr<Metric> metric;
  if (const char* kind = detail::fitting_kind(name)) {
    metric = std::dynamic_pointer_cast<Metric>(
        make_by_name(Metric::module, detail::fitting_class(kind, y, y_pred)));
  } else {
    metric = option.make();
  }
  if (!name.empty() && metric->function_name().empty()) metric->set_name(name);
  return metric;
}

}  // namespace

void CompiledMetrics::resolve(const MetricOption& option, bool weighted,
                              const std::vector<Tensor>& y, const Nest& y_pred,
                              const std::vector<std::string>& names) {
  if (option.empty()) return;
  const std::vector<Tensor> predictions = y_pred.flatten();
  auto add = [&](const MetricOption& single, size_t output) {
    if (single.empty() || !target_of(y, output)) return;
    auto metric = make_metric(single, y[output], predictions[output]);
    const auto taken = [&](const std::string& name) {
      return std::any_of(entries_.begin(), entries_.end(),
                         [&](const Entry& e) { return e.name == name; });
    };
    const std::string prefix = predictions.size() > 1 ? names[output] + "_" : "";
    std::string name = prefix + metric->name();
    // A second metric of one name is told apart: by "weighted" if it is, then by a number.
    // Keys of the logs must differ, since they are keys of a dictionary.
    if (weighted && taken(name)) name = prefix + "weighted_" + metric->name();
    const std::string base = name;
    for (int i = 1; taken(name); ++i) name = fmt::format("{}_{}", base, i);
    entries_.push_back({std::move(metric), name, output, weighted});
  };
  auto add_all = [&](const MetricOption& options, size_t output) {
    if (options.is_list())
      for (const auto& single : options.list()) add(single, output);
    else
      add(options, output);
  };
  if (!option.dict().empty()) {
    for (const auto& [name, options] : option.dict())
      add_all(options, index_of(names, name, "metrics"));
  } else if (option.is_list()) {
    const bool per_output = std::any_of(option.list().begin(), option.list().end(),
                                        [](const MetricOption& o) { return o.is_list(); });
    if (per_output || (predictions.size() > 1 && option.list().size() == predictions.size())) {
      if (option.list().size() != predictions.size())
        throw ValueError(fmt::format("compile: {} lists of metrics for {} outputs.",
                                     option.list().size(), predictions.size()));
      for (size_t i = 0; i < predictions.size(); ++i) add_all(option.list()[i], i);
    } else {
      if (predictions.size() > 1)
        throw ValueError(fmt::format(
            "compile: a model with {} outputs needs metrics for each, as a list of lists or by "
            "output name.",
            predictions.size()));
      add_all(option, 0);
    }
  } else {
    for (size_t i = 0; i < predictions.size(); ++i) add(option, i);
  }
}

void CompiledMetrics::resolve(const std::vector<Tensor>& y, const Nest& y_pred,
                              const std::vector<std::string>& output_names) {
  const std::vector<std::string> names = names_of(y_pred, output_names, y_pred.flatten().size());
  entries_.clear();  // of an attempt that failed
  resolve(plain_.by_name(names), false, y, y_pred, names);
  resolve(weighted_.by_name(names), true, y, y_pred, names);
  resolved_ = true;
}

const std::vector<CompiledMetrics::Entry>& CompiledMetrics::resolved(
    const std::vector<Tensor>& y, const Nest& y_pred,
    const std::vector<std::string>& output_names) {
  if (!resolved_) resolve(y, y_pred, output_names);
  return entries_;
}

void CompiledMetrics::update(const Nest& y, const Nest& y_pred, const Nest& sample_weight,
                             const std::vector<std::string>& output_names) {
  if (empty() || y.empty()) return;
  const std::vector<Tensor> predictions = y_pred.flatten();
  expect_weights("fit/evaluate", y, sample_weight, predictions.size());
  const std::vector<std::string> names = names_of(y_pred, output_names, predictions.size());
  const std::vector<Tensor> targets = aligned(y, y_pred, names, "y");
  const std::vector<Tensor> weights = sample_weight.empty()
                                          ? std::vector<Tensor>{}
                                          : aligned(sample_weight, y_pred, names, "sample_weight");
  if (!resolved_) {
    const ComputeNow now;
    resolve(targets, y_pred, output_names);
  }
  for (Entry& e : entries_) {
    const Tensor target = target_of(targets, e.output);
    if (!target) continue;
    of_output("metric", names[e.output], [&] {
      try {
        e.metric->update_state(target, predictions[e.output],
                               e.weighted ? at(weights, e.output) : Tensor());
      } catch (const ShapeError& error) {
        rethrow_unfit(error, e.metric->name(), target, predictions[e.output]);
      }
    });
  }
}

void CompiledMetrics::update_state(const Tensor& y_true, const Tensor& y_pred,
                                   const Tensor& sample_weight) {
  update(y_true, y_pred, sample_weight ? Nest(sample_weight) : Nest(), output_names_);
}

Tensor CompiledMetrics::result() {
  if (entries_.empty())
    throw StateError(
        "compile_metrics has no result yet: its metrics are made with the first batch that has "
        "targets. Call update_state or compute_metrics before.");
  return Metric::result();
}

std::vector<std::pair<std::string, Tensor>> CompiledMetrics::results() {
  std::vector<std::pair<std::string, Tensor>> figures;
  for (const Entry& e : entries_) {
    std::vector<std::pair<std::string, Tensor>> named = e.metric->results();
    if (named.empty()) figures.emplace_back(e.name, e.metric->result());
    std::move(named.begin(), named.end(), std::back_inserter(figures));
  }
  return figures;
}

void CompiledMetrics::reset_state() {
  for (Entry& e : entries_) e.metric->reset_state();
}

std::vector<Variable> CompiledMetrics::variables() const {
  std::vector<Variable> all;
  for (const Entry& e : entries_)
    for (const Variable& v : e.metric->variables()) all.push_back(v);
  return all;
}

std::vector<std::shared_ptr<Metric>> CompiledMetrics::metrics() const {
  std::vector<std::shared_ptr<Metric>> result;
  for (const Entry& e : entries_) result.push_back(e.metric);
  return result;
}

}  // namespace cornu
