// What TensorBoard writes, and when.
#include "tensorboard.h"

#include <fmt/core.h>

#include <filesystem>

#include "../backend/log.h"
#include "../framework/model/call_graph.h"
#include "../framework/ops/numpy/manipulation.h"
#include "callback_state.h"
#include "embedding_files.h"

namespace cornu::callbacks {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void check_frequency(const char* name, int64_t epochs) {
  if (epochs < 0)
    throw ValueError(fmt::format(
        "TensorBoard: {} is a number of epochs, or 0 for never; found {}.", name, epochs));
}

// How far a writer has got, for a backup; null without one.
Value state_of(std::optional<SummaryWriter>& writer) {
  if (!writer) return {};
  const SummaryWriter::Position position = writer->position();
  return Value::Dict{{"file", position.file}, {"bytes", position.bytes}};
}

// The writer goes on where the backup was made.
void restore(std::optional<SummaryWriter>& writer, const std::string& folder,
             const Value::Dict& state, const char* name) {
  // Closed before it is cut, so that nothing is written after.
  writer.reset();
  const Value* place = detail::find(state, name);
  if (!place || !place->is<Value::Dict>()) return;
  const auto& dict = place->get<Value::Dict>();
  writer.emplace(folder, SummaryWriter::Position{state_entry<std::string>(dict, "file"),
                                                 state_entry<int64_t>(dict, "bytes")});
}

std::string folder(const std::string& log_dir, const char* name) {
  return (std::filesystem::path(log_dir) / name).string();
}

}  // namespace

UpdateFreq::UpdateFreq(const std::string& text) {
  if (text != "epoch" && text != "batch")
    throw ValueError(fmt::format(
        "update_freq is \"epoch\", \"batch\" or a number of batches, found \"{}\".", text));
  if (text == "batch") batches_ = 1;
}

UpdateFreq::UpdateFreq(int64_t batches, bool) : batches_(batches) {
  if (batches < 1)
    throw ValueError(
        fmt::format("update_freq is \"epoch\", \"batch\" or at least 1, found {}.", batches));
}

ProfileBatch::ProfileBatch(int64_t first, int64_t last) : first_(first), last_(last) {
  if (first < 0 || last < first)
    throw ValueError(fmt::format(
        "profile_batch is the number of a batch from 1, the first and the last, or 0 for none; "
        "found {{{}, {}}}.",
        first, last));
}

std::string EmbeddingsMetadata::of(const std::string& layer) const {
  const auto found = by_layer_.find(layer);
  return found == by_layer_.end() ? all_ : found->second;
}

TensorBoardCallback::TensorBoardCallback(Config c) : config(std::move(c)) {
  check_frequency("histogram_freq", config.histogram_freq);
  check_frequency("embeddings_freq", config.embeddings_freq);
}

SummaryWriter& TensorBoardCallback::train() {
  if (!train_) train_.emplace(folder(config.log_dir, "train"));
  return *train_;
}

SummaryWriter& TensorBoardCallback::validation() {
  if (!validation_) validation_.emplace(folder(config.log_dir, "validation"));
  return *validation_;
}

double TensorBoardCallback::iterations() const {
  return model()->optimizer() ? model()->optimizer()->iterations().item() : 0;
}

// --- training
// -----------------------------------------------------------------------------------------------

void TensorBoardCallback::on_train_begin(Logs&) {
  train_.reset();
  validation_.reset();
  trace_.reset();  // of a run that an error ended
  train_batch_ = 0;
  graph_written_ = false;
  if (config.embeddings_freq > 0) check_metadata(*model(), config.embeddings_metadata);
}

void TensorBoardCallback::on_train_batch_begin(int64_t, Logs&) {
  ++train_batch_;
  batch_start_ = Clock::now();
  if (train_batch_ == config.profile_batch.first()) trace_ = std::make_unique<StepTrace>();
}

void TensorBoardCallback::on_train_batch_end(int64_t, Logs& logs) {
  const double seconds = seconds_since(batch_start_);
  if (trace_ && train_batch_ >= config.profile_batch.last()) end_profile();
  // After a step, which has built what is built by the first call.
  if (config.write_graph && !graph_written_) write_graph();
  const std::optional<int64_t> every = config.update_freq.batches();
  if (!every || train_batch_ % *every != 0) return;
  if (config.write_steps_per_second)
    train().scalar("batch_steps_per_second", 1 / seconds, train_batch_);
  for (const auto& [name, value] : logs) train().scalar("batch_" + name, value, train_batch_);
}

void TensorBoardCallback::on_epoch_begin(int64_t, Logs&) {
  if (!config.write_steps_per_second) return;
  epoch_iterations_ = iterations();
  epoch_start_ = Clock::now();
}

void TensorBoardCallback::on_epoch_end(int64_t epoch, Logs& logs) {
  write_epoch(epoch, logs);
  if (config.histogram_freq > 0 && epoch % config.histogram_freq == 0) write_weights(epoch);
  if (config.embeddings_freq > 0 && epoch % config.embeddings_freq == 0)
    write_embedding_files(*model(), config.log_dir, config.embeddings_metadata);
  if (train_) train_->flush();
  if (validation_) validation_->flush();
}

void TensorBoardCallback::on_train_end(Logs&) {
  if (trace_) end_profile();
  if (train_) train_->flush();
  if (validation_) validation_->flush();
  train_.reset();
  validation_.reset();
}

void TensorBoardCallback::on_test_end(Logs& logs) {
  if (!model()->optimizer()) return;
  const auto step = static_cast<int64_t>(iterations());
  for (const auto& [name, value] : logs)
    validation().scalar(fmt::format("evaluation_{}_vs_iterations", name), value, step);
  validation().flush();
}

// --- what is written
// ----------------------------------------------------------------------------------------

void TensorBoardCallback::write_epoch(int64_t epoch, const Logs& logs) {
  for (const auto& [name, value] : logs)
    if (name.starts_with("val_"))
      validation().scalar("epoch_" + name.substr(4), value, epoch);
    else
      train().scalar("epoch_" + name, value, epoch);
  if (model()->optimizer())
    train().scalar("epoch_learning_rate", model()->optimizer()->learning_rate(), epoch);
  if (config.write_steps_per_second)
    train().scalar("epoch_steps_per_second",
                   (iterations() - epoch_iterations_) / seconds_since(epoch_start_), epoch);
}

// Models that have no graph train all the same.
void TensorBoardCallback::write_graph() {
  graph_written_ = true;
  try {
    const std::string kind = model()->base_name();
    if (kind == "functional" || kind == "sequential") train().keras_model(model()->to_json());
    train().graph(call_graph(*model()));
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    warn_once(fmt::format("TensorBoard: the graph is left out: {}", error.what()));
  }
}

void TensorBoardCallback::write_weights(int64_t epoch) {
  for (const auto& layer : model()->sublayers())
    for (const Variable& weight : layer->weights()) {
      train().histogram(weight.path() + "/histogram", weight.value(), epoch);
      if (config.write_images) write_image(weight.path() + "/image", weight.value(), epoch);
    }
}

// Weights of one or two axes are one image, of three one for each of the last; others are shown
// where they happen to have the axes of images, as in Keras.
void TensorBoardCallback::write_image(const std::string& tag, const Tensor& weight,
                                      int64_t epoch) {
  if (!is_float(weight.dtype())) return;
  Tensor image = ops::squeeze(weight);
  if (image.rank() == 2 && image.shape(0) > image.shape(1)) image = ops::transpose(image);
  if (image.rank() == 3) image = ops::transpose(image, std::vector<int64_t>{2, 0, 1});
  const Shape& shape = image.shape();
  if (shape.rank() == 1)
    image = image.with_shape({1, shape[0], 1, 1});
  else if (shape.rank() == 2)
    image = image.with_shape({1, shape[0], shape[1], 1});
  else if (shape.rank() == 3)
    image = image.with_shape({shape[0], shape[1], shape[2], 1});
  const int64_t channels = image.rank() == 4 ? image.shape(3) : 0;
  if (channels == 1 || channels == 3 || channels == 4) train().image(tag, image, epoch);
}

void TensorBoardCallback::end_profile() {
  write_profile(folder(config.log_dir, "train"), trace_->events());
  trace_.reset();
}

// --- resuming
// -----------------------------------------------------------------------------------------------

Value::Dict TensorBoardCallback::get_state() const {
  return {{"batches", train_batch_},
          {"graph_written", graph_written_},
          {"train", state_of(train_)},
          {"validation", state_of(validation_)}};
}

void TensorBoardCallback::set_state(const Value::Dict& state) {
  train_batch_ = state_entry<int64_t>(state, "batches");
  graph_written_ = state_entry<bool>(state, "graph_written");
  restore(train_, folder(config.log_dir, "train"), state, "train");
  restore(validation_, folder(config.log_dir, "validation"), state, "validation");
}

}  // namespace cornu::callbacks
