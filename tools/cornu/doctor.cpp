// The command doctor: what looks wrong about training a model on data.
#include <cstdio>

#include "commands.h"
#include "data_files.h"

namespace cornu::cli {
namespace {

// The inputs of the held-out part that the file has, or nothing. Its targets, which a file may
// leave out, tell nothing about a split.
Nest held_out(const DataFiles& files, const Model& model) {
  for (const Part part : {Part::validation, Part::test})
    if (files.has(part, model)) return files.samples(part, model, false).x;
  return {};
}

}  // namespace

size_t doctor(const std::string& model_file, const DataOptions& data, const DoctorOptions& given) {
  const auto model = load_model(model_file);
  const DataFiles files(data.files, data, false);
  const Samples training = files.samples(Part::main, *model, true);
  DiagnoseOptions options{.batch_size = given.batch_size,
                          .steps = given.steps,
                          .silence = given.silence,
                          .validation_x = held_out(files, *model),
                          .validation_split = given.validation_split,
                          .shuffle = given.shuffle,
                          .sample_weight = training.sample_weight};
  if (given.learning_rate > 0) options.learning_rate = given.learning_rate;
  if (given.steps_per_epoch > 0) options.steps_per_epoch = given.steps_per_epoch;
  const std::vector<Finding> findings = model->diagnose(training.x, training.y, options);
  for (const Finding& finding : findings) std::printf("%s\n", finding.str().c_str());
  if (findings.empty())
    std::printf("nothing found%s\n",
                model->compiled() ? "" : " (the model is not compiled: data and layers only)");
  return findings.size();
}

}  // namespace cornu::cli
