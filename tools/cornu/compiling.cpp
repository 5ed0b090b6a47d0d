// Loss, metrics, optimizer and frozen layers from the command line.
#include "compiling.h"

#include <cornu/framework/model/compiled.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "arrays.h"
#include "models.h"

namespace cornu::cli {
namespace {

std::regex expression(const std::string& pattern) {
  try {
    return std::regex(pattern);
  } catch (const std::regex_error& e) {
    throw UsageError(fmt::format("--freeze '{}' is no regular expression: {}.", pattern, e.what()));
  }
}

int64_t trainable_numbers(const Model& model) {
  int64_t count = 0;
  for (const Variable& v : model.trainable_variables()) count += v.shape().numel();
  return count;
}

// What the model gives for any batch; empty where its code alone knows.
Nest output_spec(Model& model) {
  try {
    return model.compute_output_spec(model.input_spec());
  } catch (const Error&) {
    return {};
  }
}

// What options call the outputs; nothing where that is not known.
std::vector<std::string> output_names(Model& model) {
  const Nest spec = output_spec(model);
  if (spec.empty()) return model.output_names();
  std::vector<std::string> names;
  for (const auto& [name, tensor] : model_outputs(model, spec)) names.push_back(name);
  return names;
}

// "mse" for all outputs, "mse,mae" for two, or "first=mse,second=mae". Metrics of a single output
// may be several.
template <class Option>
Option option_of(const std::vector<std::string>& words, const char* name,
                 const std::vector<std::string>& outputs) {
  typename Option::List list;
  typename Option::Dict dict;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) {
      list.emplace_back(word);
      continue;
    }
    const std::string output = word.substr(0, equals);
    const Option one(word.substr(equals + 1));
    const auto found = std::find_if(dict.begin(), dict.end(),
                                    [&](const auto& entry) { return entry.first == output; });
    if (found == dict.end()) {
      dict.emplace_back(output, typename Option::List{one});
    } else {
      typename Option::List both = found->second.list();
      both.push_back(one);
      found->second = Option(both);
    }
  }
  if (!dict.empty() && !list.empty())
    throw UsageError(fmt::format("{} {}: either all are 'output=name' or none is.", name,
                                 fmt::join(words, ",")));
  for (const auto& [output, option] : dict)
    if (!outputs.empty() && std::find(outputs.begin(), outputs.end(), output) == outputs.end())
      throw UsageError(fmt::format("{} {}: there is no output '{}'.{} The model's outputs are {}.",
                                   name, fmt::join(words, ","), output,
                                   did_you_mean(output, outputs), fmt::join(outputs, ", ")));
  if (!dict.empty()) return Option(dict);
  constexpr bool is_loss = std::is_same_v<Option, LossOption>;
  if (is_loss && list.size() == 1) return list[0];
  if (list.size() == 1 && outputs.size() > 1) list.resize(outputs.size(), list[0]);
  if (list.size() != outputs.size() && (is_loss ? !outputs.empty() : outputs.size() > 1))
    throw UsageError(
        fmt::format("{} {}: these are {} for {} ({}). Give one for all, one for each, or "
                    "output=name.",
                    name, fmt::join(words, ","), list.size(),
                    outputs.size() == 1 ? "1 output" : fmt::format("{} outputs", outputs.size()),
                    fmt::join(outputs, ", ")));
  return Option(list);
}

// What fits the model's output.
std::string suggested_loss(Model& model) {
  const std::string numbers = "--loss mse for numbers";
  const std::string two = "--loss binary_crossentropy for classes 0 and 1";
  const std::string many =
      "--loss sparse_categorical_crossentropy for numbers of classes, categorical_crossentropy for "
      "one-hot rows";
  const Nest output = output_spec(model);
  if (!output.empty() && output.is_tensor())
    return output.tensor().shape().back() == 1 ? numbers + ", " + two : many + ", mse for numbers";
  return numbers + ", " + two + ", " + many;
}

std::shared_ptr<Optimizer> copy_of(const Optimizer& optimizer) {
  return std::dynamic_pointer_cast<Optimizer>(deserialize(serialize(optimizer)));
}

void set_rate(Model& model, const CompileChanges& changes) {
  try {
    model.optimizer()->set_learning_rate(*changes.learning_rate);
  } catch (StateError& e) {
    throw UsageError(std::string(e.what()) +
                     " Name an optimizer with --optimizer to train without the schedule.");
  }
}

}  // namespace

int64_t freeze(Model& model, const std::vector<std::string>& patterns) {
  const std::vector<PlacedLayer> layers = layers_of(model);
  for (const std::string& pattern : patterns) {
    const std::regex wanted = expression(pattern);
    bool found = false;
    std::vector<std::string> paths;
    for (const PlacedLayer& placed : layers) {
      paths.push_back(placed.path);
      if (!std::regex_search(placed.path, wanted)) continue;
      placed.layer->set_trainable(false);
      found = true;
    }
    if (!found)
      throw UsageError(
          fmt::format("--freeze '{}' is found in no layer's name.{} The layers are {}.", pattern,
                      did_you_mean(pattern, paths), fmt::join(paths, ", ")));
  }
  const int64_t left = trainable_numbers(model);
  // Layers that are built by the first batch have no weights to count yet.
  if (left == 0 && model.built())
    throw UsageError(
        fmt::format("--freeze {} leaves no weight to train.", fmt::join(patterns, ",")));
  return left;
}

void compile_with(Model& model, const CompileChanges& changes, bool fresh_optimizer,
                  const std::string& file) {
  if (!model.compiled() && changes.loss.empty())
    throw UsageError(
        fmt::format("'{}' was saved without being compiled, so it has no loss. Give "
                    "{}.",
                    file, suggested_loss(model)));
  const bool changed = !changes.optimizer.empty() || !changes.loss.empty() ||
                       !changes.metrics.empty() || fresh_optimizer;
  if (changed) {
    CompileOptions options = model.compiled() ? model.compile_options() : CompileOptions{};
    const std::vector<std::string> outputs = output_names(model);
    try {
      if (!changes.optimizer.empty())
        options.optimizer = Choice<Optimizer>(changes.optimizer);
      else if (fresh_optimizer && options.optimizer)
        options.optimizer = copy_of(*options.optimizer);
      if (!changes.loss.empty())
        options.loss = option_of<LossOption>(changes.loss, "--loss", outputs);
      if (!changes.metrics.empty())
        options.metrics = option_of<MetricOption>(changes.metrics, "--metrics", outputs);
      model.compile(options);
    } catch (const UsageError&) {
      throw;
    } catch (const ValueError& e) {
      throw UsageError(e.what());
    }
  }
  if (changes.learning_rate) set_rate(model, changes);
}

std::vector<std::string> figure_names(Model& model, const Nest& y) {
  const Nest y_pred = model.built() ? output_spec(model) : Nest();
  if (y_pred.empty()) return {};
  const CompileOptions& options = model.compile_options();
  const std::vector<std::string> outputs = model.output_names();
  std::vector<std::string> names;
  for (const auto& metric : model.metrics())
    if (!dynamic_cast<const CompiledMetrics*>(metric.get())) names.push_back(metric->name());
  CompiledLoss loss(options.loss, options.loss_weights);
  loss.resolve(y_pred, outputs);
  for (const auto& mean : loss.metrics()) names.push_back(mean->name());
  CompiledMetrics metrics(options.metrics, options.weighted_metrics, outputs);
  for (const auto& entry : metrics.resolved(loss.targets(y, y_pred), y_pred, outputs))
    names.push_back(entry.name);
  return names;
}

}  // namespace cornu::cli
