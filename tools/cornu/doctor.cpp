// The command doctor: what looks wrong about training a model on data.
#include <cstdio>

#include "commands.h"
#include "compiling.h"
#include "data_files.h"
#include "models.h"

namespace cornu::cli {
namespace {

// A part with its targets where it has them: the inputs alone tell of a split.
Samples part_of(const DataFiles& files, Part part, const Model& model) {
  return files.samples(part, model, files.has_targets(part, model));
}

// What the training holds out: the file to validate on or, unless it is a fraction of the samples,
// the validation or test part of the data; or nothing.
Samples held_out(const DataFiles& files, const Model& model, const DataOptions& data,
                 const DoctorOptions& given) {
  if (!given.validation_files.empty()) {
    const DataFiles others(given.validation_files, data, false);
    const bool ended = others.has(Part::validation, model);
    return part_of(others, ended ? Part::validation : Part::main, model);
  }
  if (given.validation_split > 0) return {};
  for (const Part part : {Part::validation, Part::test})
    if (files.has(part, model)) return part_of(files, part, model);
  return {};
}

}  // namespace

size_t doctor(const std::string& model_file, const DataOptions& data, const DoctorOptions& given) {
  const auto model = open_to_run(model_file, given.weights, FreshWeights::drawn, true);
  const CompileChanges& changes = given.compile;
  if (!changes.optimizer.empty() || !changes.loss.empty() || !changes.metrics.empty())
    compile_with(*model, changes, !given.weights.empty(), model_file);
  const DataFiles files(data.files, data, false, FileOrder::shuffled);
  const Samples training = files.samples(Part::main, *model, true);
  const Samples validation = held_out(files, *model, data, given);
  DiagnoseOptions options{.batch_size = given.batch_size,
                          .steps = given.steps,
                          .silence = given.silence,
                          .validation_x = validation.x,
                          .validation_y = validation.y,
                          .validation_split = given.validation_split,
                          .shuffle = given.shuffle,
                          .class_weight = given.class_weight,
                          .sample_weight = training.sample_weight};
  if (given.learning_rate > 0) options.learning_rate = given.learning_rate;
  if (given.steps_per_epoch > 0) options.steps_per_epoch = given.steps_per_epoch;
  const std::vector<Finding> findings = model->diagnose(training.x, training.y, options);
  for (const Finding& finding : findings) std::printf("%s\n", finding.str().c_str());
  if (findings.empty())
    std::printf(
        "nothing found%s\n",
        model->compiled() ? "" : " (the model has no loss: data and layers only; --loss says one)");
  return findings.size();
}

}  // namespace cornu::cli
