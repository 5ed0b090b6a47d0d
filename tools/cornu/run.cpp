// The commands that run a model: predict and evaluate.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "arrays.h"
#include "commands.h"

namespace cornu::cli {
namespace {

// Results may be read by another program: a bar is for people.
Verbose verbosity(const RunOptions& options) {
  return !options.quiet && ::isatty(STDOUT_FILENO) ? Verbose::bar : Verbose::silent;
}

Arrays model_outputs(const Model& model, const Nest& y) {
  Arrays arrays;
  if (y.is_tensor()) {
    const std::vector<std::string> names = model.output_names();
    arrays.emplace_back(names.size() == 1 ? names[0] : "output", y.tensor());
    return arrays;
  }
  std::vector<std::string> names = model.output_names();
  if (y.is_dict()) {
    names.clear();
    for (const auto& [key, nest] : y.entries()) names.push_back(key);
    std::sort(names.begin(), names.end());  // the order of flatten
  }
  const std::vector<Tensor> tensors = y.flatten();
  for (size_t i = 0; i < tensors.size(); ++i)
    arrays.emplace_back(names.size() == tensors.size() ? names[i] : "output_" + std::to_string(i),
                        tensors[i]);
  return arrays;
}

// The targets: "y", or an array for each output.
Nest model_targets(const Model& model, const Arrays& arrays) {
  if (const Tensor* y = find(arrays, "y")) return *y;
  Nest::Dict targets;
  for (const std::string& name : model.output_names())
    if (const Tensor* tensor = find(arrays, name)) targets.emplace_back(name, *tensor);
  if (targets.empty()) {
    std::string names;
    for (const std::string& name : model.output_names()) names += ", '" + name + "'";
    throw ValueError("There are no targets: no array is named 'y'" + names +
                     ". The file holds: " + describe(arrays) + ".");
  }
  return targets.size() == 1 && model.output_names().size() == 1 ? targets[0].second
                                                                 : Nest::dict(targets);
}

}  // namespace

void predict(const std::string& model_file, const std::string& in, const std::string& out,
             const RunOptions& options) {
  const auto model = load_model(model_file, false);
  const Nest x = model_inputs(*model, read_arrays(in), "x");
  const Nest y =
      model->predict(x, {.batch_size = options.batch_size, .verbose = verbosity(options)});
  const Arrays arrays = model_outputs(*model, y);
  write_arrays(out, arrays);
  if (!options.quiet) std::printf("wrote %s: %s\n", out.c_str(), describe(arrays).c_str());
}

void evaluate(const std::string& model_file, const std::string& data, const RunOptions& options) {
  const auto model = load_model(model_file);
  if (!model->compiled())
    throw ValueError("'" + model_file +
                     "' was saved without being compiled, so it has no loss to evaluate.");
  Arrays arrays = read_arrays(data);
  const Nest y = model_targets(*model, arrays);
  Nest sample_weight;
  if (const Tensor* weight = find(arrays, "sample_weight")) sample_weight = *weight;
  const std::vector<std::string> outputs = model->output_names();
  std::erase_if(arrays, [&](const auto& entry) {
    return entry.first == "y" || entry.first == "sample_weight" ||
           std::find(outputs.begin(), outputs.end(), entry.first) != outputs.end();
  });
  if (arrays.empty()) throw ValueError("There are no inputs beside the targets in '" + data + "'.");
  const Nest x = model_inputs(*model, arrays, "x");
  const Logs logs = model->evaluate(x, y,
                                    {.batch_size = options.batch_size,
                                     .verbose = verbosity(options),
                                     .sample_weight = sample_weight});
  for (const auto& [name, value] : logs) std::printf("%s: %.9g\n", name.c_str(), value);
}

}  // namespace cornu::cli
