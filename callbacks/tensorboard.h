// TensorBoard: writes what happens in training for TensorBoard's pages.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../framework/base/callback.h"
#include "../framework/compile/step_trace.h"
#include "../framework/config/configurable.h"
#include "../framework/io/events/summary_writer.h"
#include "../framework/model/run_time.h"
#include "../framework/model/step_witness.h"

namespace cornu::callbacks {

/// When TensorBoard writes the figures: "epoch", "batch", or every so many batches.
class UpdateFreq {
 public:
  /// The same for a literal.
  UpdateFreq(const char* text) : UpdateFreq(std::string(text)) {}
  /// Throws ValueError unless the text is "epoch" or "batch", which is 1.
  UpdateFreq(const std::string& text);
  /// Throws ValueError unless it is at least 1.
  template <std::integral T>
  UpdateFreq(T batches) : UpdateFreq(static_cast<int64_t>(batches), true) {}
  /// Nothing for "epoch".
  std::optional<int64_t> batches() const { return batches_; }

 private:
  UpdateFreq(int64_t batches, bool);
  std::optional<int64_t> batches_;
};

/// The training batches that are profiled, counted from 1 over all epochs: one, or the first and
/// the last: `.profile_batch = {10, 20}`. 0 for none.
class ProfileBatch {
 public:
  /// One batch, or none. Throws ValueError when it is negative.
  template <std::integral T>
  ProfileBatch(T batch) : ProfileBatch(static_cast<int64_t>(batch), static_cast<int64_t>(batch)) {}
  /// Throws ValueError unless 0 <= first <= last.
  ProfileBatch(int64_t first, int64_t last);

  int64_t first() const { return first_; }  ///< 0 for none
  int64_t last() const { return last_; }    ///< not before the first

 private:
  int64_t first_, last_;
};

/// Files with the labels of embeddings' rows: one for all Embedding layers, or by their names:
/// `.embeddings_metadata = {{"words", "words.tsv"}}`. Paths are relative to log_dir.
class EmbeddingsMetadata {
 public:
  EmbeddingsMetadata() = default;  ///< none
  /// One file for all.
  EmbeddingsMetadata(const char* path) : all_(path) {}
  /// The same for a string.
  EmbeddingsMetadata(std::string path) : all_(std::move(path)) {}
  /// By the layers' names.
  EmbeddingsMetadata(std::initializer_list<std::pair<const std::string, std::string>> files)
      : by_layer_(files) {}
  /// The same for a map.
  EmbeddingsMetadata(std::map<std::string, std::string> files) : by_layer_(std::move(files)) {}

  /// The file of this layer; empty for none.
  std::string of(const std::string& layer) const;
  /// The files by the layers' names; empty where one is for all.
  const std::map<std::string, std::string>& by_layer() const { return by_layer_; }

 private:
  std::string all_;
  std::map<std::string, std::string> by_layer_;
};

/// Options of TensorBoard, as in Keras.
struct TensorBoardConfig {
  std::string log_dir = "logs";  ///< folder of the run; missing folders are made
  /// Epochs from one histogram of each weight to the next; 0: none.
  int64_t histogram_freq = 0;
  bool write_graph = true;    ///< the model's graph, after the first batch
  bool write_images = false;  ///< weights as images too, whenever their histograms are written
  /// Histograms of the gradients of the epoch's last batch too, whenever those of weights are
  /// written: one more pass through the network for each. Keras has no such option.
  bool write_gradients = false;
  /// Training steps per second, at each update.
  bool write_steps_per_second = false;
  UpdateFreq update_freq = "epoch";  ///< "epoch", "batch" or a number of batches
  ProfileBatch profile_batch = 0;    ///< batches whose steps are timed; 0: none
  /// Epochs from one state of the Embedding layers to the next, which replaces it; 0: none.
  int64_t embeddings_freq = 0;
  EmbeddingsMetadata embeddings_metadata = {};  ///< labels of the embeddings' rows
};

/// As keras.callbacks.TensorBoard, with its tags: in log_dir/train the figures of training
/// ("epoch_loss", "batch_loss", "epoch_learning_rate"), weights ("dense/kernel/histogram"), the
/// graph and profiles; in log_dir/validation those of validation, and those of evaluate by the
/// number of updates done ("evaluation_loss_vs_iterations"). Every epoch is on disk when it ends.
/// Show them with `tensorboard --logdir LOG_DIR`.
///
/// A metric of several figures is written as their mean. docs/tensorboard.md tells where it differs
/// from Keras.
class TensorBoardCallback : public Callback, public StepWitness {
 public:
  using Config = TensorBoardConfig;  ///< the options
  /// Files are opened when there is something to write. Throws ValueError for negative frequencies.
  explicit TensorBoardCallback(Config c);

  /// Throws ValueError when embeddings_metadata names a layer that is no Embedding of the model.
  void on_train_begin(Logs&) override;
  /// The hooks that write throw FileError when a file cannot be written.
  void on_train_batch_begin(int64_t batch, Logs&) override;
  bool watches_steps() const override {
    return config.write_gradients && config.histogram_freq > 0;
  }
  void before_step(Model& model, const Batch& batch, int64_t step) override;
  void on_train_batch_end(int64_t batch, Logs& logs) override;
  void on_epoch_begin(int64_t epoch, Logs&) override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  void on_train_end(Logs&) override;
  void on_test_end(Logs& logs) override;
  bool wants_batch_logs() const override { return config.update_freq.batches().has_value(); }
  /// The batches so far, and how far the files were written: later events go when a run is resumed.
  Value::Dict get_state() const override;
  void set_state(const Value::Dict& state) override;
  /// The folder of the run.
  std::vector<std::string> files() const override { return {config.log_dir}; }
  bool looks_on() const override { return true; }

  const Config config;  ///< as given

 private:
  // An event file that is made when there is something to write. Its name is known before, so that
  // a run that is resumed writes over what was begun after the backup.
  struct Run {
    std::string name;  // of its folder in log_dir
    SummaryWriter::Position start = SummaryWriter::beginning();
    std::optional<SummaryWriter> writer = {};

    SummaryWriter& in(const std::string& log_dir);
    void flush();
    Value::Dict get_state();
    void set_state(const Value& state);
  };
  SummaryWriter& train() { return train_.in(config.log_dir); }
  SummaryWriter& validation() { return validation_.in(config.log_dir); }
  void write_graph();
  void write_epoch(int64_t epoch, const Logs& logs);
  void write_weights(int64_t epoch);
  void write_gradients(int64_t epoch);
  void write_image(const std::string& tag, const Tensor& weight, int64_t epoch);
  void end_profile();
  double iterations() const;

  mutable Run train_{"train"}, validation_{"validation"};
  std::unique_ptr<StepTrace> trace_;  // while batches are profiled
  int64_t train_batch_ = 0;
  std::optional<Batch> last_batch_;  // for gradients
  bool graph_written_ = false;
  double epoch_iterations_ = 0;  // when the epoch began
  Stopwatch batch_time_, epoch_time_;
};

using TensorBoard =
    Ref<TensorBoardCallback>;  ///< a shared TensorBoardCallback, made from its options

}  // namespace cornu::callbacks
