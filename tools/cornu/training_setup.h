// TrainingSetup: what a run of training is made of, from its options.
#pragma once
#include <cornu/framework/model/model.h>

#include <memory>
#include <optional>
#include <string>

#include "data_files.h"
#include "run_folder.h"

namespace cornu::cli {

/// The model, the data and the options of fit that TrainOptions stand for; equal options give the
/// same run.
struct TrainingSetup {
  /// Chooses the machine's part, sets the seed, opens the model and reads the data. Throws Error,
  /// UsageError also for a --monitor that no figure is called.
  TrainingSetup(const TrainOptions& options, const RunFolder& folder);

  /// What fit is given, with `first` before the run's own callbacks.
  FitOptions fit_options(Callbacks first) const;
  bool validates() const { return validation || options.validation_split > 0; }
  /// The table of the epochs' figures.
  std::string history_file() const;

  TrainOptions options;
  const RunFolder& folder;
  std::shared_ptr<Model> model;
  Samples train = {};
  std::optional<Samples> validation = {}, test = {};
  std::string monitor = "", checkpoint = "";

 private:
  void open();
  void read();
  void check_monitor() const;
  Callbacks callbacks() const;
};

}  // namespace cornu::cli
