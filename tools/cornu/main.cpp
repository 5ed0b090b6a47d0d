// The program cornu: looks at, trains and runs model files.
#include <cornu/backend/error.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "command_options.h"
#include "commands.h"

namespace {

constexpr int failure = 1;
constexpr int usage_error = 2;

// What is wrong with the command's name, or nothing.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(command->get_name());
  const std::string name = argv[1];
  if (std::find(known.begin(), known.end(), name) != known.end()) return "";
  return "there is no command '" + name + "'." + cornu::did_you_mean(name, known) +
         " cornu --help lists all of them.";
}

// What is wrong with the name of the first option that no command has, or nothing.
std::string unknown_option(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen[0];
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const std::string& word : command.remaining()) {
    if (!word.starts_with("--") || word == "--") continue;
    const std::string name = word.substr(0, word.find('='));
    return "there is no option '" + name + "'." + cornu::did_you_mean(name, known) + " " +
           (chosen.empty() ? "cornu" : "cornu " + command.get_name()) +
           " --help lists all of them.";
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cornu::cli;
  CLI::App app("Looks at, converts, trains and runs Keras model files.", "cornu");
  app.require_subcommand(1);
  std::string file, in, out, model_file, weights;
  double shard_size = 0;
  RunOptions options;
  DataOptions data;
  CompileChanges compile;
  TrainOptions train_options;

  auto add = [&](const char* name, const char* text) {
    CLI::App* command = app.add_subcommand(name, text);
    command->add_option("FILE", file, "A model file (.keras, .h5, .json, a folder)")->required();
    return command;
  };
  CLI::App* summary_command = add("summary", "Print a table of the layers");
  CLI::App* predict_command = add("predict", "Compute the outputs for files of data");
  add_data_options(predict_command, data);
  add_weights_option(predict_command, weights);
  predict_command->add_option("-o,--out", out, "Where the outputs go (.npy, .npz, .h5, .csv)")
      ->required();
  add_run_options(predict_command, options);
  CLI::App* evaluate_command = add("evaluate", "Compute the loss and metrics over files of data");
  add_data_options(evaluate_command, data);
  add_weights_option(evaluate_command, weights);
  add_loss_options(evaluate_command, compile);
  add_run_options(evaluate_command, options);
  CLI::App* train_command = add_train(app, train_options);
  auto add_model_option = [&](CLI::App* command) {
    command->add_option(
        "-m,--model", model_file,
        "The model, where a file holds weights alone (.weights.h5, .weights.json, .h5)");
  };
  CLI::App* check_command =
      add("check", "Say whether the file loads, and why not; the exit status tells too");
  add_model_option(check_command);
  CLI::App* inspect_command = add("inspect", "List layers and weights, with shapes and statistics");
  add_model_option(inspect_command);
  CLI::App* diff_command = app.add_subcommand(
      "diff", "Compare two models' configs, weights and outputs; the exit status tells too");
  diff_command->add_option("A", in, "A model file, or one of weights")->required();
  diff_command->add_option("B", out, "Another")->required();
  add_model_option(diff_command);
  CLI::App* devices_command =
      app.add_subcommand("devices", "List the devices, and say why others cannot be used");
  bool check_kernels = false;
  devices_command->add_flag("--check", check_kernels,
                            "Run kernels of each kind, and say which library runs them");
  ParityOptions parity_options;
  CLI::App* parity_command =
      add("parity", "Run the model here and in Python's Keras, layer by layer");
  parity_command->add_option("--python", parity_options.python, "A Python with Keras 3")
      ->capture_default_str();
  parity_command->add_option("-b,--batch-size", parity_options.batch_size, "Samples of the probe")
      ->check(positive_number())
      ->capture_default_str();
  parity_command->add_option("--seed", parity_options.seed, "Of the probe")->capture_default_str();
  parity_command
      ->add_option("--tolerance", parity_options.tolerance,
                   "Largest error that is still equal, relative to an output's largest value")
      ->check(number_from_zero())
      ->capture_default_str();
  DoctorOptions doctor_options;
  CLI::App* doctor_command = add_doctor(app, file, data, doctor_options);
  PackOptions pack_options;
  CLI::App* pack_command = add_pack(app, pack_options);
  ReplayOptions replay_options;
  CLI::App* replay_command = add_replay(app, replay_options);
  ReportOptions report_options;
  CLI::App* report_command = add_report(app, report_options);
  CLI::App* convert_command = add("convert", "Write a model in another form");
  convert_command
      ->add_option("OUT", out,
                   "Where it goes: .keras, .h5, .weights.h5, .weights.json, .json, or a folder")
      ->required();
  convert_command
      ->add_option("--shard-size", shard_size, "Gigabytes in a file, for .weights.json (5)")
      ->check(positive_number());

  if (const std::string error = unknown_command(app, argc, argv); !error.empty()) {
    std::fprintf(stderr, "cornu: %s\n", error.c_str());
    return usage_error;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const std::string error = e.get_exit_code() == 0 ? "" : unknown_option(app);
    if (!error.empty()) {
      std::fprintf(stderr, "cornu: %s\n", error.c_str());
      return usage_error;
    }
    return app.exit(e) == 0 ? 0 : usage_error;
  }
  try {
    if (*summary_command) summary(file);
    if (*devices_command) return devices(check_kernels) ? 0 : failure;
    if (*train_command) return train(std::move(train_options));
    if (*predict_command) predict(file, weights, data, out, options);
    if (*evaluate_command) evaluate(file, weights, data, compile, options);
    if (*check_command) return check(file, model_file) ? 0 : failure;
    if (*inspect_command) inspect(file, model_file);
    if (*diff_command) return diff(in, out, model_file) ? 0 : failure;
    if (*parity_command) return parity(file, parity_options) ? 0 : failure;
    if (*doctor_command) return doctor(file, data, doctor_options) == 0 ? 0 : failure;
    if (*pack_command) pack(pack_options);
    if (*replay_command) return replay(replay_options) ? 0 : failure;
    if (*report_command) report(report_options);
    if (*convert_command) convert(file, out, shard_size);
    return 0;
  } catch (const UsageError& e) {
    std::fprintf(stderr, "cornu: %s\n", e.what());
    return usage_error;
  } catch (const std::exception& e) {
    std::fflush(stdout);
    std::fprintf(stderr, "cornu: %s\n", e.what());
    // Its failures are findings.
    return *doctor_command ? usage_error : failure;
  }
}
