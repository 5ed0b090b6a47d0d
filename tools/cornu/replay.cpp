// The command replay: a step of a run, taken again and shown.
#include <cornu/framework/model/journal.h>
#include <cornu/framework/model/progress_bar.h>
#include <cornu/framework/model/step_replay.h>
#include <cornu/framework/tensor/plain_nan.h>
#include <fmt/format.h>

#include <cstdio>

#include "commands.h"
#include "models.h"
#include "training_setup.h"

namespace cornu::cli {
namespace {

namespace fs = std::filesystem;

// The run is the same only on the same data.
void check_files(const Value::Dict& run) {
  const Value* files = detail::find(run, "files");
  if (!files || !files->is<Value::List>()) return;
  for (const Value& entry : files->get<Value::List>()) {
    if (!entry.is<Value::Dict>()) continue;
    const auto& dict = entry.get<Value::Dict>();
    const std::string file = text_in(dict, "file");
    const double bytes = number_in(dict, "bytes");
    if (fs::exists(file) && static_cast<double>(bytes_in(file)) != bytes)
      throw FileError(
          fmt::format("'{}' has changed since the run: it has {} bytes now, and had {:.0f}.", file,
                      bytes_in(file), bytes));
  }
}

void print(const char* title, const StepReplay::Named& list) {
  fmt::print("{}\n", title);
  for (const auto& [name, tensor] : list) {
    const Statistics s = statistics_of(tensor);
    fmt::print("  {:<36} {} {:<16} min {:<11.4g} max {:<11.4g} mean {:<11.4g}{}\n", name,
               dtype_name(tensor.dtype()), tensor.shape().str(), s.least, s.most, s.mean,
               s.not_finite ? fmt::format(" {} not finite", s.not_finite) : "");
  }
}

}  // namespace

bool replay(const ReplayOptions& options) {
  const RunFolder folder(options.run, true, false);
  if (!folder.earlier())
    throw FileError(fmt::format("'{}' holds no run: it has no run.json.", options.run));
  const JournalReader journal(folder.journal());
  const int64_t number =
      options.epoch ? journal.find(*options.epoch - 1, options.step) : options.step;
  const JournalStep step = journal[number];  // a wrong one is said before the data are read
  check_files(*folder.earlier());

  TrainOptions training = options_from(*folder.earlier());
  training.run.quiet = true;
  training.run.device = options.machine.device;
  training.run.threads = options.machine.threads;
  training.journal = true;
  const TrainingSetup setup(training, folder);
  const StepReplay again =
      setup.model->replay(number, setup.train.x, setup.train.y, setup.fit_options({}));

  fmt::print("step {} of epoch {} (step {} of the run): loss {} on this batch of {}\n", step.step,
             step.epoch + 1, number, format_figure(again.loss),
             count_samples(again.batch.x, again.batch.y));
  fmt::print("the run reported {:.9g} (mean of the epoch so far), the replay {:.9g}: {}\n",
             detail::plain_nan(again.recorded), detail::plain_nan(again.repeated),
             again.exact() ? "the same bits" : "not the same bits");
  if (!again.same_update)
    fmt::print(
        "watching the step changed its last bits: activations and gradients are close to, "
        "but not those of, the run\n");
  print("activations", again.activations);
  print("gradients", again.gradients);
  if (!options.out.empty()) {
    again.save(options.out);
    fmt::print("wrote {}\n", options.out);
  }
  if (!again.exact())
    fmt::print(
        "Another machine, device or version of Cornu, or other data, give other bits; "
        "run.json tells those of the run.\n");
  std::fflush(stdout);
  return again.exact();
}

}  // namespace cornu::cli
