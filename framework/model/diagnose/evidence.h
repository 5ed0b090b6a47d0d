// Evidence: what the checks of a diagnosis look at, gathered once.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../model_state.h"
#include "forward_trace.h"

namespace cornu::diagnose {

/// Whether a tensor is there, and no text.
inline bool is_number(const Tensor& t) { return t && t.dtype() < DType::string; }

/// Rows of a tensor as numbers on the host.
struct Rows {
  int64_t count = 0;           ///< how many rows
  int64_t width = 0;           ///< numbers in each
  std::vector<double> values;  ///< row by row
  double at(int64_t row, int64_t column) const {
    return values[static_cast<size_t>(row * width + column)];
  }  ///< one number
  /// Whether two rows are the same.
  bool equal(int64_t a, int64_t b) const;
  bool constant() const;                    ///< whether all rows are the same
  std::pair<double, double> range() const;  ///< least and largest
};

/// The first `limit` rows of a tensor of numbers.
Rows rows_of(const Tensor& tensor, int64_t limit);

/// One input of the model, with all its samples.
struct InputFacts {
  std::string name;  ///< of the input; empty for a single one
  Tensor data;       ///< all samples
  Rows rows;         ///< the first ones; none for text
};

/// One output of the model, with its targets and its loss.
struct OutputFacts {
  std::string name;                     ///< of the output, or of the layer that makes it
  Tensor targets;                       ///< all samples; none where there are none
  Tensor probe_targets;                 ///< of the probe
  Tensor prediction;                    ///< of the probe
  Rows predicted;                       ///< the same as numbers, a sample in each row
  Rows rows;                            ///< the first targets
  OutputForm form = OutputForm::other;  ///< how it is computed
  std::shared_ptr<Loss> loss;           ///< none before compile
  std::string loss_class;               ///< "BinaryCrossentropy"; empty for a function
  double factor = 1;                    ///< of loss_weights
  bool from_logits = false;             ///< as the loss says
  std::vector<CompiledMetrics::Entry> metrics = {};  ///< of this output

  std::string place() const { return name.empty() ? "output" : name; }  ///< for findings
  int64_t units() const { return prediction.rank() > 1 ? prediction.shape(-1) : 1; }  ///< last axis
  /// Whether the targets are class numbers for several units: one number where the output has many.
  bool class_numbers() const;
  /// Whether each target is a row of zeros with a single one.
  bool one_hot() const;
  bool probabilities() const;  ///< whether each prediction has numbers in [0, 1] with sum 1
  bool categorical() const;  ///< whether the loss is a crossentropy over classes, with one-hot rows
  bool sparse() const;       ///< the same with class numbers
  bool binary() const;       ///< whether it is a crossentropy of each unit
  bool regression() const;   ///< whether the loss measures how far predictions are from numbers
  /// The class of each of the first samples, where targets are classes (0 and 1 for one unit).
  std::optional<std::vector<int64_t>> classes() const;
};

/// Data, model and the results of a forward pass on a probe of the samples.
struct Evidence {
  /// Runs the model on the probe, which builds it. Throws what the model throws for data that do
  /// not fit it.
  Evidence(Model& model, const Nest& x, const Nest& y, const DiagnoseOptions& options);

  /// Samples `begin` to `end` in the order in which fit would take them: shuffled, or as they are.
  Batch batch(int64_t begin, int64_t end) const;
  int64_t batches() const;  ///< whole ones, of these samples

  Model& model;                         ///< which is looked at
  const DiagnoseOptions& options;       ///< as given
  Nest x;                               ///< all samples to train on
  Nest y;                               ///< their targets; may be empty
  Nest sample_weight;                   ///< their weights; may be empty
  Nest validation_x;                    ///< what is not trained on; may be empty
  int64_t samples = 0;                  ///< how many there are to train on
  int64_t epoch_batches = 0;            ///< of an epoch; those of a dataset may be more than these
  std::vector<InputFacts> inputs;       ///< in the order of flattening
  std::vector<OutputFacts> outputs;     ///< none when the model cannot be called
  Nest probe;                           ///< some samples, drawn at random, as the layers take them
  bool stateful = false;                ///< whether a layer keeps a state for each place in a batch
  std::unique_ptr<ForwardTrace> trace;  ///< of the probe; null when the model cannot be called

 private:
  void hold_out(double share);
  void call();
  void name_inputs();
  void read_outputs(const Nest& y_pred, const Batch& probe_batch);
  std::vector<int64_t> order_;
};

/// "functional/dense" without the model in front.
std::string short_path(const std::string& path);

}  // namespace cornu::diagnose
