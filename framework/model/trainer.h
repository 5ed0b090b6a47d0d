// Trainer: the loops over batches behind fit, evaluate and predict.
#pragma once
#include <future>
#include <optional>

#include "backup.h"
#include "callback_list.h"
#include "interrupt.h"
#include "journal.h"
#include "model.h"
#include "progress_bar.h"
#include "step_replay.h"

namespace cornu {

class StepWitness;

/// Runs passes over a dataset for one model.
class Trainer {
 public:
  explicit Trainer(Model& model) : model_(model) {}  ///< the model outlives it

  /// All epochs, with validations on `validation` unless it is null.
  History fit(Dataset& data, FitOptions& options, Dataset* validation);
  /// The step of this number of the run that kept options.journal, taken again: see Model::replay.
  StepReplay replay(int64_t step, Dataset& data, FitOptions& options, Dataset* validation);
  /// One pass without training, which the dataset is told to be of `epoch`.
  Logs evaluate(Dataset& data, std::optional<int64_t> steps, CallbackList& callbacks,
                ProgressBar* bar, int64_t epoch = 0);
  /// The outputs of one pass.
  Nest predict(Dataset& data, std::optional<int64_t> steps, CallbackList& callbacks,
               ProgressBar* bar);

 private:
  // A run of fit.
  struct Run {
    Dataset& data;
    Dataset* validation;
    FitOptions& options;
    int64_t steps;      // of an epoch, -1 where only the data tell
    int64_t seen = -1;  // steps of the last epoch
    CallbackList callbacks;
    ProgressBar bar;
    History history = {};
    StepLogs last = {};  // figures of the last step
    Logs logs = {};      // of the last epoch
    int64_t epoch = 0, step = 0;
    bool begun = false;  // whether the epoch that it goes on in had begun
    std::optional<Backup> backup = {};
    std::optional<Journal> journal = {};
    bool loss_at_hand = false;              // whether the journal may peek at it
    std::optional<JournalStep> until = {};  // the step that a replay ends before
    std::vector<Variable> variables = {};   // that a state keeps; found before the first step
    StepClock clock = {};
    std::vector<StepWitness*> witnesses = {};  // among the callbacks
  };
  Run start(Dataset& data, FitOptions& options, Dataset* validation);
  bool going_on() const { return !model_.stop_training && !interrupt_->requested(); }
  static bool at_target(const Run& run) {
    return run.until && run.epoch == run.until->epoch && run.step == run.until->step;
  }
  // `folder` is where the state is from.
  bool begin(Run& run, const std::optional<RunState>& state, const std::string& folder);
  void restore_variables(Run& run, const RunState& state, const std::string& folder);
  void give_states(Run& run, const RunState& state, const std::string& folder);
  static void keep(Run& run, RunState state);
  void keep_first(Run& run);
  void note_state(Run& run);
  void note_step(Run& run);
  RunState state_of(const Run& run, bool within, bool finished = false) const;
  void show_witnesses(const Run& run, const Batch& batch);
  Tensor loss_of(const StepLogs& figures) const;
  void watch(StepReplay& replay, const std::vector<Tensor>& before,
             const std::vector<Variable>& variables);
  void train_epoch(Run& run);
  void train_group(Run& run, bool logs_each_batch);
  static bool validates(const Run& run, int64_t epoch) {
    return run.validation && run.options.validation_freq.due(epoch);
  }
  bool validate(Run& run);
  bool end_epoch(Run& run);
  void end(Run& run);
  std::string summary(const Run& run) const;
  static std::string advice(const Run& run);

  StepLogs train_on(Batch batch, const FitOptions& options);
  Batch weighted(Batch batch, const FitOptions& options) const;
  Batch next(Dataset& data, int64_t epoch);
  Batch peek(Dataset& data, int64_t epoch);
  void fetch_ahead(Dataset& data);
  bool at_end(Dataset& data);
  bool ran_out(Dataset& data, const char* what, bool asked);
  void look_ahead(Dataset& data);
  void begin_pass(Dataset& data, int64_t epoch);
  void begin_unknown(Dataset& data, int64_t epoch);
  void end_pass(Dataset& data, int64_t epoch);

  Model& model_;
  std::optional<Interrupt> interrupt_ = {};
  int64_t position_ = 0;      // of the next step's batch; passes go on where the last epoch stopped
  bool ended_ = false;        // whether data of unknown size were seen to have no batch there
  bool open_ = false;         // whether on_epoch_begin of the dataset's pass was called
  int64_t pass_epoch_ = 0;    // its argument
  bool beside_ = false;       // whether the last batch is on a device, which works beside the host
  std::future<Batch> ahead_;  // batch `position_` of the open pass, or its fault, if it was fetched
};

/// Batches of a pass: as many as were asked for, or the size of the data; -1 where only the data
/// tell. Throws ValueError when there are none, or no end; `what` and `option` are for its text.
int64_t steps_of(const Dataset& data, std::optional<int64_t> asked, const char* what,
                 const char* option);
/// The figures of a step as numbers.
Logs read_figures(const StepLogs& logs);
/// The batch's weights times those of its samples' classes. Throws ValueError for several outputs.
Nest class_weighted(const Nest& sample_weight, const std::map<int64_t, double>& weights,
                    const Nest& y);
/// Throws ValueError where no tensor of a batch's x has a sample; `what` names the call, `index` is
/// the batch's place in the data.
void expect_samples(const char* what, const Nest& x, std::optional<int64_t> index = {});

}  // namespace cornu
