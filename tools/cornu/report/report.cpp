// The command report: reads runs, looks at their models, writes the page.
#include <cornu/backend/devices.h>
#include <cornu/framework/io/atomic_file.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/indexing.h>
#include <cornu/framework/tensor/device.h>
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "../commands.h"
#include "../data_files.h"
#include "../models.h"
#include "page.h"

namespace cornu::cli {
namespace {

// A report says what it could not find out, and the rest.
template <class F>
void attempt(ReportRun& run, const char* what, F&& f) {
  try {
    f();
  } catch (const Error& e) {
    run.folder.notes.push_back(fmt::format("{}: {}", what, e.what()));
  }
}

Nest first_rows(const Nest& inputs, int64_t count) {
  return inputs.map([count](const Tensor& t) {
    if (t.rank() == 0 || t.shape()[0] <= count) return t;
    return ops::take(t, ops::arange(count), 0);
  });
}

void check_weights(ReportRun& run) {
  for (const PlacedLayer& placed : layers_of(*run.model))
    for (const Variable& v : placed.layer->own_weights())
      if (is_float(v.dtype()) && statistics_of(v.value()).not_finite > 0)
        run.folder.notes.push_back(fmt::format(
            "the weight {} of layer {} is not finite everywhere.", v.name(), placed.path));
}

// Inputs of one batch, for the measurement of time.
Nest batch_inputs(const Model& model, const DataFiles* files, int64_t batch_size) {
  if (!files) return probe_inputs(model, batch_size, 1);
  return first_rows(files->samples(files->held_out(model), model, false).x, batch_size);
}

void look_at_model(ReportRun& run, const DataFiles* files, const ReportOptions& options) {
  attempt(run, "the model cannot be shown", [&] { run.model = open_model(run.folder.model_file); });
  if (!run.model) return;
  attempt(run, "the weights cannot be checked", [&] { check_weights(run); });
  if (files)
    attempt(run, "the model cannot be evaluated", [&] {
      const Samples samples = files->samples(files->held_out(*run.model), *run.model, true);
      try {
        run.evaluations = evaluate_on(*run.model, samples, options.batch_size);
      } catch (Error& e) {
        e.prepend(files->source());
        throw;
      }
    });
  attempt(run, "time and memory are not known", [&] {
    const Nest inputs = batch_inputs(*run.model, files, options.batch_size);
    if (inputs.empty())
      throw ValueError("the model's code alone knows its inputs; --data gives some.");
    run.cost = cost_of(*run.model, inputs);
  });
}

std::string time_text() {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
}

// Folders of one name are told apart by those that they are in.
void make_names_differ(std::vector<ReportRun>& runs, const std::vector<std::string>& paths) {
  for (size_t r = 0; r < runs.size(); ++r)
    for (size_t other = 0; other < runs.size(); ++other)
      if (r != other && runs[r].folder.name == runs[other].folder.name) {
        for (size_t same : {r, other}) {
          const auto whole = std::filesystem::weakly_canonical(paths[same]);
          runs[same].folder.name = (whole.parent_path().filename() / whole.filename()).string();
        }
      }
}

}  // namespace

void report(const ReportOptions& options) {
  const std::vector<std::string>& names = options.data.files;
  std::optional<DataFiles> files;
  if (!names.empty()) files.emplace(names, options.data, true);
  std::vector<ReportRun> runs;
  for (const std::string& path : options.runs) runs.push_back({.folder = read_run(path)});
  make_names_differ(runs, options.runs);
  if (!options.model.empty()) {
    if (runs.size() > 1)
      throw ValueError("--model names the model of one run, but there are " +
                       std::to_string(runs.size()) +
                       ". Put each run's model into its folder as model.keras.");
    runs[0].folder.model_file = options.model;
  }
  if (files && std::none_of(runs.begin(), runs.end(),
                            [](const ReportRun& run) { return !run.folder.model_file.empty(); }))
    throw ValueError("--data is for predictions, but no run has a model. Give one with --model.");
  for (ReportRun& run : runs)
    if (!run.folder.model_file.empty()) look_at_model(run, files ? &*files : nullptr, options);
  std::string data;
  for (const std::string& name : names)
    data += (data.empty() ? "" : " and ") + std::filesystem::path(name).filename().string();
  const std::string page =
      report_page(runs, {.data = data,
                         .when = time_text(),
                         .made = fmt::format("cornu {} on {}", backend::plugin_version(),
                                             default_device().description())});
  io::write_file(options.out, std::as_bytes(std::span(page)));
  std::printf("wrote %s\n", options.out.c_str());
}

}  // namespace cornu::cli
