// The commands that run a model: predict and evaluate.
#include <cornu/framework/tensor/device.h>
#include <cornu/framework/tensor/plain_nan.h>
#include <cornu/framework/tensor/threads.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "arrays.h"
#include "commands.h"
#include "compiling.h"
#include "csv_arrays.h"
#include "data_files.h"
#include "models.h"
#include "running.h"

namespace cornu::cli {
namespace {

// Results may be read by another program: a bar is for people.
Verbose verbosity(const RunOptions& options) {
  return !options.quiet && ::isatty(STDOUT_FILENO) ? Verbose::bar : Verbose::silent;
}

}  // namespace

void use_machine(const RunOptions& options) {
  if (!options.device.empty()) set_default_device(Device(options.device));
  if (options.threads > 0) set_threads(options.threads);
}

void predict(const std::string& model_file, const std::string& weights, const DataOptions& data,
             const std::string& out, const RunOptions& options) {
  check_output_name(out);
  use_machine(options);
  const auto model = open_to_run(model_file, weights, FreshWeights::refused, false);
  const DataFiles files(data.files, data, options.quiet);
  const Samples samples = files.samples(files.held_out(*model), *model, false);
  const Nest y =
      model->predict(samples.x, {.batch_size = options.batch_size, .verbose = verbosity(options)});
  const Arrays arrays = model_outputs(*model, y);
  if (out.ends_with(".csv"))
    write_table(out, arrays, data.classes, samples.files);
  else
    write_arrays(out, arrays);
  if (!options.quiet) std::printf("wrote %s: %s\n", out.c_str(), describe(arrays).c_str());
}

void evaluate(const std::string& model_file, const std::string& weights, const DataOptions& data,
              const CompileChanges& compile, const RunOptions& options) {
  use_machine(options);
  const auto model = open_to_run(model_file, weights, FreshWeights::refused, true);
  compile_with(*model, compile, false, model_file);
  const DataFiles files(data.files, data, options.quiet);
  const Samples samples = files.samples(files.held_out(*model), *model, true);
  const Logs logs = model->evaluate(samples.x, samples.y,
                                    {.batch_size = options.batch_size,
                                     .verbose = verbosity(options),
                                     .sample_weight = samples.sample_weight});
  for (const auto& [name, value] : logs)
    std::printf("%s: %.9g\n", name.c_str(), detail::plain_nan(value));
}

}  // namespace cornu::cli
