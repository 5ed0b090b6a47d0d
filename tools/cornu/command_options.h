// The options of the commands that run a model, as CLI11 reads them.
#pragma once
#include <CLI/CLI.hpp>

#include "commands.h"

namespace cornu::cli {

/// Checks that the text is a number above 0.
CLI::Validator positive_number();
/// Checks that the text is a number that is not negative.
CLI::Validator number_from_zero();
/// DATA, and what in it is what.
void add_data_options(CLI::App* command, DataOptions& data);
/// What in files of data is what.
void add_data_names(CLI::App* command, DataOptions& data);
/// Batch size, device, threads, quiet.
void add_run_options(CLI::App* command, RunOptions& options);
/// Loss and metrics.
void add_loss_options(CLI::App* command, CompileChanges& changes);
/// A file of weights for the model.
void add_weights_option(CLI::App* command, std::string& weights);
/// The command train.
CLI::App* add_train(CLI::App& app, TrainOptions& options);
/// The command doctor of a model file.
CLI::App* add_doctor(CLI::App& app, std::string& file, DataOptions& data, DoctorOptions& options);
/// The command pack.
CLI::App* add_pack(CLI::App& app, PackOptions& options);
/// The command replay.
CLI::App* add_replay(CLI::App& app, ReplayOptions& options);
/// The command report.
CLI::App* add_report(CLI::App& app, ReportOptions& options);

}  // namespace cornu::cli
