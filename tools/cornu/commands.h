// The commands of the program cornu. Each prints its result and throws cornu::Error when it cannot.
#pragma once
#include <cornu/backend/error.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cornu::cli {

/// The command line asks for something that needs another option; the exit status is 2.
class UsageError : public ValueError {
 public:
  using ValueError::ValueError;
};

/// What in the files of data is what.
struct DataOptions {
  std::vector<std::string> files;     ///< one, or two .npy files: inputs and targets
  std::string x, y;                   ///< names of arrays; empty: x and y, or as the model's own
  std::vector<std::string> target;    ///< columns of a .csv
  std::vector<std::string> features;  ///< columns of a .csv; empty: all others of the right kind
  std::vector<std::string> classes;   ///< what texts of the target stand for, from class 0 on
  std::string label_mode = "int";     ///< of a folder's classes: int, categorical or binary
};

/// How a model is run.
struct RunOptions {
  int64_t batch_size = 32;
  bool quiet = false;
  std::string device;  ///< empty: the default one
  int threads = 0;     ///< 0: as many as there are cores
};

/// What is compiled in place of what the file says.
struct CompileChanges {
  std::string optimizer;
  std::optional<double> learning_rate;
  std::vector<std::string> loss;     ///< one, one for each output, or "output=loss"
  std::vector<std::string> metrics;  ///< the same for metrics
};

struct TrainOptions {
  std::string model_file;
  std::string weights;  ///< file of weights to begin with; empty: the model's own
  std::string out;
  DataOptions data;
  std::vector<std::string> validation_files;
  double validation_split = 0;
  CompileChanges compile;
  int64_t epochs = 10;
  std::optional<int64_t> steps_per_epoch;
  std::optional<int64_t> seed;
  bool shuffle = true;
  std::map<int64_t, double> class_weight;
  std::vector<std::string> freeze;  ///< regular expressions of layers' paths
  std::optional<int64_t> patience;
  std::string monitor;      ///< empty: val_loss, or loss without validation data
  std::string checkpoint;   ///< best, last, all; empty: best with validation data, else last
  std::string csv;          ///< empty: history.csv in `out`
  std::string tensorboard;  ///< folder of event files; empty: none
  std::optional<int64_t> backup_every;
  bool journal = false;  ///< whether `out` gets one, for the command replay
  bool resume = false;
  bool overwrite = false;
  RunOptions run;
};

/// Trains and writes a run's folder. The exit status: 0, or 130 when Ctrl-C ended it.
int train(TrainOptions options);
struct ReplayOptions {
  std::string run;               ///< the folder of a run with a journal
  int64_t step = 0;              ///< from 0: of the run, or of `epoch`
  std::optional<int64_t> epoch;  ///< from 1, as training shows them
  std::string out;               ///< where the arrays go (.npz); empty: nowhere
  RunOptions machine;
};
/// Takes a step of a run again and prints it. Whether it has the bits of the run.
bool replay(const ReplayOptions& options);
/// `weights` is a file of weights for the model, or empty.
void predict(const std::string& model_file, const std::string& weights, const DataOptions& data,
             const std::string& out, const RunOptions& options);
/// `weights` is a file of weights for the model, or empty.
void evaluate(const std::string& model_file, const std::string& weights, const DataOptions& data,
              const CompileChanges& compile, const RunOptions& options);

void summary(const std::string& model_file);
/// Whether the file loads; the reasons are printed. `model_file` is the model of a file of weights,
/// or empty.
bool check(const std::string& file, const std::string& model_file);
/// Layers, and weights with shapes and statistics. Also of a file of weights whose model is given.
void inspect(const std::string& file, const std::string& model_file);
/// Whether two models are equal in config, weights and outputs; what differs is printed.
/// `model_file` is the model of files of weights, or empty.
bool diff(const std::string& a, const std::string& b, const std::string& model_file);
struct ParityOptions {
  std::string python = "python3";
  int64_t batch_size = 2;
  uint64_t seed = 1;
  double tolerance = 1e-4;  ///< relative to the largest value of an output
};
/// Whether the model's layers compute here what they compute in Python's Keras; a table is printed,
/// and the first layer that does not.
bool parity(const std::string& model_file, const ParityOptions& options);
/// What the command doctor is told of the training that is to come.
struct DoctorOptions {
  std::string weights;  ///< file of weights to begin with; empty: the model's own
  CompileChanges compile;
  int64_t batch_size = 32;
  int64_t steps = 24;  ///< trial steps
  bool shuffle = true;
  double learning_rate = 0;     ///< 0: the model's own
  int64_t steps_per_epoch = 0;  ///< 0: all
  double validation_split = 0;
  std::vector<std::string> validation_files;
  std::map<int64_t, double> class_weight;
  std::vector<std::string> silence;
};
/// How many faults of the training Model::diagnose finds in the model and the data; they are
/// printed.
size_t doctor(const std::string& model_file, const DataOptions& data, const DoctorOptions& options);
/// Writes a model in the form that the name of `out` stands for; `shard_size` is in gigabytes, 0
/// for none.
void convert(const std::string& in, const std::string& out, double shard_size);

struct ReportOptions {
  std::vector<std::string> runs;    ///< folders, or files of runs
  std::string out = "report.html";  ///< where the page goes
  DataOptions data = {};            ///< what to evaluate the models on; no files: nothing
  std::string model = "";           ///< the model of a single run that has none, or ""
  int64_t batch_size = 32;
};
/// Writes a page about one or several trainings; see docs/reports.md.
void report(const ReportOptions& options);

struct PackOptions {
  std::string folder;   ///< of images; its subfolders are the classes
  std::string out;      ///< where the shards go
  bool decode = false;  ///< whether pixels are kept instead of the files
  int64_t size = 0;     ///< with `decode`: pixels of the shorter side; 0: those of the file
  bool append = false;
  bool skip_errors = false;  ///< whether files that cannot be read are left out
  int64_t shard_megabytes = 256;
};
/// Packs the images of a folder into shards (docs/shards.md).
void pack(const PackOptions& options);

/// Prints the devices of this machine, and why others cannot be used. With `check`, runs kernels of
/// each kind on each device and prints who ran them: libraries, or what takes their place. False
/// when one failed.
bool devices(bool check);

}  // namespace cornu::cli
