// Names, groups and checks of the options of train, evaluate and predict.
#include "command_options.h"

#include <stdexcept>

namespace cornu::cli {
namespace {

constexpr const char* data_group = "Data";
constexpr const char* training_group = "Training";
constexpr const char* output_group = "Output";
constexpr const char* machine_group = "Machine";

// Words with commas between them; the option may be given several times.
CLI::Option* add_words(CLI::App* command, const char* name, std::vector<std::string>& words,
                       const char* text) {
  return command->add_option(name, words, text)->delimiter(',')->allow_extra_args(false);
}

// "0=1,1=2.5"
void read_class_weight(const std::vector<std::string>& words, std::map<int64_t, double>& weights) {
  for (const std::string& word : words) {
    size_t number_end = 0, weight_end = 0;
    try {
      const int64_t number = std::stoll(word, &number_end);
      const std::string rest = word.substr(number_end);
      if (rest.empty() || rest[0] != '=') throw std::invalid_argument(word);
      weights[number] = std::stod(rest.substr(1), &weight_end);
      if (weight_end != rest.size() - 1) throw std::invalid_argument(word);
    } catch (const std::logic_error&) {
      throw CLI::ValidationError("--class-weight",
                                 "'" + word + "' is not CLASS=WEIGHT, such as 1=2.5");
    }
  }
}

void add_class_weight(CLI::App* command, std::map<int64_t, double>& weights) {
  command
      ->add_option_function<std::vector<std::string>>(
          "--class-weight",
          [&weights](const std::vector<std::string>& words) { read_class_weight(words, weights); },
          "How much samples of a class count: 0=1,1=2.5")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(training_group);
}

void add_epoch_options(CLI::App* command, TrainOptions& o) {
  command->add_option("-e,--epochs", o.epochs, "Times that all samples are gone through")
      ->check(positive_number())
      ->capture_default_str()
      ->group(training_group);
  command
      ->add_option("--steps-per-epoch", o.steps_per_epoch,
                   "Batches of an epoch (all of them); the next epoch goes on behind them")
      ->check(positive_number())
      ->group(training_group);
  command
      ->add_option("--patience", o.patience,
                   "End after so many epochs without a better figure to --monitor")
      ->check(number_from_zero())
      ->group(training_group);
  command
      ->add_option("--monitor", o.monitor,
                   "The figure that tells which epoch is the best (val_loss; loss without "
                   "validation data)")
      ->group(training_group);
}

void add_optimizer_option(CLI::App* command, CompileChanges& changes) {
  command
      ->add_option("--optimizer", changes.optimizer,
                   "As in Keras: adam, sgd, ... (the file's; rmsprop for one without)")
      ->group(training_group);
}

void add_training_options(CLI::App* command, TrainOptions& o) {
  add_optimizer_option(command, o.compile);
  command->add_option("--learning-rate", o.compile.learning_rate, "Of the optimizer")
      ->check(number_from_zero())
      ->group(training_group);
  add_words(command, "--freeze", o.freeze,
            "Layers that are not trained: regular expressions of their names, such as '^conv' or "
            "'base/'")
      ->group(training_group);
  add_class_weight(command, o.class_weight);
  command
      ->add_option("--seed", o.seed,
                   "Of initial weights, shuffles and dropout; run.json has the one that was drawn")
      ->check(number_from_zero())
      ->group(training_group);
  command
      ->add_flag("--shuffle,!--no-shuffle", o.shuffle,
                 "A new order of the samples in each epoch (yes)")
      ->group(training_group);
}

void add_validation_options(CLI::App* command, double& share, std::vector<std::string>& files) {
  CLI::Option* split = command
                           ->add_option("--validation-split", share,
                                        "Share of the samples, from the end, to validate on")
                           ->check(CLI::Range(0.0, 0.999))
                           ->group(data_group);
  add_words(command, "--validation-data", files,
            "File to validate on, or X.npy,Y.npy (x_val and y_val of DATA)")
      ->group(data_group)
      ->excludes(split);
}

void add_output_options(CLI::App* command, TrainOptions& o) {
  command->add_option("-o,--out", o.out, "Folder for the model and all else; must be new")
      ->required()
      ->group(output_group);
  command
      ->add_option("--checkpoint", o.checkpoint,
                   "Which model is kept: best (with validation data), last (without), or all: the "
                   "best, and each epoch's in OUT/checkpoints")
      ->check(CLI::IsMember({"best", "last", "all"}))
      ->group(output_group);
  command->add_option("--csv", o.csv, "Table of the epochs' figures (OUT/history.csv)")
      ->group(output_group);
  command->add_option("--tensorboard", o.tensorboard, "Folder of files for TensorBoard (none)")
      ->group(output_group);
  command
      ->add_option("--backup-every", o.backup_every,
                   "Batches between two states to resume from (each epoch)")
      ->check(positive_number())
      ->group(output_group);
  command
      ->add_flag("--journal", o.journal,
                 "Keep what `cornu replay OUT --step K` needs to take any step again, in "
                 "OUT/journal")
      ->group(output_group);
  CLI::Option* resume =
      command
          ->add_flag("--resume", o.resume,
                     "Go on with the run in OUT, which was killed; begin it if there is none")
          ->group(output_group);
  command->add_flag("--overwrite", o.overwrite, "Replace the run in OUT")
      ->group(output_group)
      ->excludes(resume);
}

CLI::Validator number_that(bool (*holds)(double), const char* expected, const char* name) {
  return CLI::Validator(
      [holds, expected](const std::string& text) -> std::string {
        size_t end = 0;
        try {
          if (holds(std::stod(text, &end)) && end == text.size()) return "";
        } catch (const std::logic_error&) {
        }
        return "expected " + std::string(expected) + ", found '" + text + "'";
      },
      name);
}

}  // namespace

CLI::Validator positive_number() {
  return number_that([](double value) { return value > 0; }, "a number above 0", "POSITIVE");
}

CLI::Validator number_from_zero() {
  return number_that([](double value) { return value >= 0; }, "a number from 0 on", "NONNEGATIVE");
}

void add_data_options(CLI::App* command, DataOptions& data) {
  command
      ->add_option(
          "DATA", data.files,
          "A .npz, .h5 or .csv file, a folder with a subfolder for each class of images or "
          "texts, or two .npy files: inputs and targets")
      ->required()
      ->expected(1, 2);
  add_data_names(command, data);
}

void add_data_names(CLI::App* command, DataOptions& data) {
  command->add_option("--x", data.x, "Name of the array of inputs (x, x_train, the input's name)")
      ->group(data_group);
  command->add_option("--y", data.y, "Name of the array of targets (y, y_train, the output's name)")
      ->group(data_group);
  add_words(command, "--target", data.target, "Columns of a .csv that are targets")
      ->group(data_group);
  add_words(
      command, "--features", data.features,
      "Columns of a .csv that are the input, in this order (all others of numbers, or of text "
      "where the model takes text)")
      ->group(data_group);
  add_words(command, "--classes", data.classes,
            "Texts of the target in the order of their class numbers, from 0")
      ->group(data_group);
  command
      ->add_option("--labels", data.label_mode,
                   "What a folder's classes become: int, categorical (one-hot) or binary")
      ->check(CLI::IsMember({"int", "categorical", "binary"}))
      ->capture_default_str()
      ->group(data_group);
}

void add_run_options(CLI::App* command, RunOptions& options) {
  command->add_option("-b,--batch-size", options.batch_size, "Samples that are computed at once")
      ->check(positive_number())
      ->capture_default_str()
      ->group(machine_group);
  command
      ->add_option("--device", options.device, "cpu, gpu, gpu:1, ... (`cornu devices` lists them)")
      ->group(machine_group);
  command->add_option("--threads", options.threads, "Of the CPU (all)")
      ->check(positive_number())
      ->group(machine_group);
  command->add_flag("-q,--quiet", options.quiet, "Print errors and warnings only")
      ->group(machine_group);
}

void add_loss_options(CLI::App* command, CompileChanges& changes) {
  add_words(command, "--loss", changes.loss,
            "As in Keras: mse, sparse_categorical_crossentropy, ...; of several outputs: one for "
            "all, or first=mse,second=mae (the file's)")
      ->group(training_group);
  add_words(command, "--metrics", changes.metrics, "Likewise: accuracy,auc (the file's)")
      ->group(training_group);
}

void add_weights_option(CLI::App* command, std::string& weights) {
  command->add_option("--weights", weights,
                      "File of the model's weights, which a .json does not have, or in place of "
                      "its own (.weights.h5, .weights.json, .h5, .keras)");
}

CLI::App* add_train(CLI::App& app, TrainOptions& options) {
  CLI::App* command = app.add_subcommand("train", "Train a model on files of data");
  command
      ->add_option(
          "MODEL", options.model_file,
          "A .keras or .h5 file to train further, or a model's .json, whose weights are new "
          "without --weights")
      ->required();
  add_data_options(command, options.data);
  add_weights_option(command, options.weights);
  add_validation_options(command, options.validation_split, options.validation_files);
  add_epoch_options(command, options);
  add_loss_options(command, options.compile);
  add_training_options(command, options);
  add_output_options(command, options);
  add_run_options(command, options.run);
  command->footer(
      "Example:\n"
      "  cornu train model.keras flowers.csv --target species --classes setosa,virginica \\\n"
      "    --validation-split 0.2 --epochs 50 --patience 5 -o runs/first\n"
      "writes runs/first/model.keras, history.csv and run.json. A run that was killed goes on "
      "with\n"
      "the same command and --resume.\n"
      "Exit status: 0 done, 1 failed, 2 wrong command line, 130 stopped by Ctrl-C and saved.");
  return command;
}

CLI::App* add_doctor(CLI::App& app, std::string& file, DataOptions& data, DoctorOptions& options) {
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Say what looks wrong about training a model on data; the exit status tells too: "
      "0 nothing, 1 something, 2 an error");
  command->add_option("FILE", file, "A model file (.keras, .h5, .json, a folder)")->required();
  add_data_options(command, data);
  add_weights_option(command, options.weights);
  add_loss_options(command, options.compile);
  add_optimizer_option(command, options.compile);
  command->add_option("-b,--batch-size", options.batch_size, "Samples of a training batch")
      ->check(positive_number())
      ->capture_default_str();
  command->add_option("--steps", options.steps, "Trial steps; 0: train nothing")
      ->check(number_from_zero())
      ->capture_default_str();
  command->add_flag("!--no-shuffle", options.shuffle, "The training will not shuffle");
  command->add_option("--learning-rate", options.learning_rate, "Instead of the model's")
      ->check(positive_number());
  command->add_option("--steps-per-epoch", options.steps_per_epoch, "Of the training")
      ->check(positive_number());
  add_validation_options(command, options.validation_split, options.validation_files);
  add_class_weight(command, options.class_weight);
  command->add_option("--silence", options.silence, "Ids of findings to leave out")->delimiter(',');
  return command;
}

CLI::App* add_pack(CLI::App& app, PackOptions& options) {
  CLI::App* command = app.add_subcommand(
      "pack", "Pack a folder of images into shards, which are read at the speed of memory");
  command
      ->add_option("FOLDER", options.folder,
                   "JPEG, PNG, BMP and GIF files; a subfolder for each class")
      ->required();
  command->add_option("OUT", options.out, "Where the shards go, such as flowers.shards")
      ->required();
  CLI::Option* decode = command->add_flag(
      "--decode", options.decode, "Keep pixels instead of files: larger, and nothing to decode");
  command
      ->add_option("--size", options.size,
                   "With --decode: pixels that the shorter side is resized to (as it is)")
      ->check(positive_number())
      ->needs(decode);
  command->add_flag("--append", options.append, "Add to the shards that are there");
  command->add_flag("--skip-errors", options.skip_errors,
                    "Leave out files that cannot be read, and say how many");
  command->add_option("--shard-megabytes", options.shard_megabytes, "About the size of a file")
      ->check(positive_number())
      ->capture_default_str();
  return command;
}

CLI::App* add_replay(CLI::App& app, ReplayOptions& options) {
  CLI::App* command =
      app.add_subcommand("replay", "Take a step of a run again, bit for bit, and show all of it");
  command->add_option("RUN", options.run, "The folder of a run of `cornu train --journal`")
      ->required();
  command->add_option("--step", options.step, "Of the run, or of --epoch, from 0")
      ->required()
      ->check(number_from_zero());
  command->add_option("--epoch", options.epoch, "From 1, as training shows them")
      ->check(positive_number());
  command->add_option("-o,--output", options.out,
                      "File for the batch, activations, gradients and weights (.npz)");
  command->add_option("--device", options.machine.device, "cpu, gpu, ... (that of the run)")
      ->group(machine_group);
  command->add_option("--threads", options.machine.threads, "Of the CPU (all)")
      ->check(positive_number())
      ->group(machine_group);
  command->footer("Exit status: 0 the bits are those of the run, 1 they are not, or it failed.");
  return command;
}

CLI::App* add_report(CLI::App& app, ReportOptions& options) {
  CLI::App* command =
      app.add_subcommand("report", "Write a page with curves, models and figures of trainings");
  command
      ->add_option("RUN", options.runs,
                   "A training's folder (history.csv, model.keras, run.json), or one of its files")
      ->required();
  command->add_option("-o,--output", options.out, "Where the page goes")->capture_default_str();
  add_words(command, "--data", options.data.files,
            "File to evaluate the models on (.npz, .h5, .csv), folder, or X.npy,Y.npy");
  add_data_names(command, options.data);
  command->add_option("-m,--model", options.model,
                      "The model, where there is one run and its folder has none");
  command->add_option("-b,--batch-size", options.batch_size, "Samples that are computed at once")
      ->check(positive_number())
      ->capture_default_str();
  return command;
}

}  // namespace cornu::cli
