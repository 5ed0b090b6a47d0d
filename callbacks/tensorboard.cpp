// What TensorBoard writes, and when.
#include "tensorboard.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "../backend/log.h"
#include "../framework/model/call_graph.h"
#include "../framework/model/functional.h"
#include "../framework/model/model_state.h"
#include "../framework/ops/numpy/manipulation.h"
#include "callback_state.h"
#include "embedding_files.h"
#include "learning_rates.h"

namespace cornu::callbacks {
namespace {

void check_frequency(const char* name, int64_t epochs) {
  if (epochs < 0)
    throw ValueError(fmt::format("TensorBoard: {} is a number of epochs, or 0 for never; found {}.",
                                 name, epochs));
}

// The weights of a layer and of those inside of it, each once, under Keras's paths: the layers
// around a weight, but not those around a functional model, whose layers are built outside of it.
void collect_weights(const Layer& layer, std::string path,
                     std::vector<std::pair<std::string, Variable>>& found) {
  path = dynamic_cast<const Functional*>(&layer) ? "" : path + layer.name() + "/";
  for (const Variable& weight : layer.own_weights())
    if (std::none_of(found.begin(), found.end(),
                     [&](const auto& known) { return known.second == weight; }))
      found.emplace_back(path + weight.name(), weight);
  for (const auto& inner : layer.sublayers()) collect_weights(*inner, path, found);
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

SummaryWriter& TensorBoardCallback::Run::in(const std::string& log_dir) {
  if (!writer) writer.emplace((std::filesystem::path(log_dir) / name).string(), start);
  return *writer;
}

void TensorBoardCallback::Run::flush() {
  if (writer) writer->flush();
}

double TensorBoardCallback::iterations() const {
  return model()->optimizer() ? model()->optimizer()->iterations().item() : 0;
}

// --- training
// -----------------------------------------------------------------------------------------------

void TensorBoardCallback::on_train_begin(Logs&) {
  train_ = {"train"};
  validation_ = {"validation"};
  trace_.reset();  // of a run that an error ended
  train_batch_ = 0;
  last_batch_.reset();
  graph_written_ = false;
  if (config.embeddings_freq > 0) check_metadata(*model(), config.embeddings_metadata);
}

void TensorBoardCallback::on_train_batch_begin(int64_t, Logs&) {
  ++train_batch_;
  batch_time_ = {};
  if (train_batch_ == config.profile_batch.first()) trace_ = std::make_unique<StepTrace>();
}

void TensorBoardCallback::before_step(Model&, const Batch& batch, int64_t) { last_batch_ = batch; }

void TensorBoardCallback::on_train_batch_end(int64_t, Logs& logs) {
  const double seconds = batch_time_.seconds();
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
  epoch_time_ = {};
}

void TensorBoardCallback::on_epoch_end(int64_t epoch, Logs& logs) {
  write_epoch(epoch, logs);
  if (config.histogram_freq > 0 && epoch % config.histogram_freq == 0) {
    write_weights(epoch);
    if (last_batch_) write_gradients(epoch);
  }
  if (config.embeddings_freq > 0 && epoch % config.embeddings_freq == 0)
    write_embedding_files(*model(), config.log_dir, config.embeddings_metadata);
  train_.flush();
  validation_.flush();
}

void TensorBoardCallback::on_train_end(Logs&) {
  if (trace_) end_profile();
  train_.flush();
  validation_.flush();
  train_ = {"train"};
  validation_ = {"validation"};
  last_batch_.reset();
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
  Logs rates;
  log_learning_rates(*model(), rates);
  for (const auto& [name, rate] : rates) train().scalar("epoch_" + name, rate, epoch);
  if (config.write_steps_per_second)
    train().scalar("epoch_steps_per_second",
                   (iterations() - epoch_iterations_) / epoch_time_.seconds(), epoch);
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
  std::vector<std::pair<std::string, Variable>> weights;
  collect_weights(*model(), "", weights);
  for (const auto& [path, weight] : weights) {
    train().histogram(path + "/histogram", weight.value(), epoch);
    if (config.write_images) write_image(path + "/image", weight.value(), epoch);
  }
}

// Models whose loss is known to their train_step alone train all the same.
void TensorBoardCallback::write_gradients(int64_t epoch) {
  std::vector<std::pair<std::string, Variable>> weights;
  collect_weights(*model(), "", weights);
  detail::LossGradients gradients;
  try {
    gradients = detail::loss_gradients(*model(), *last_batch_);
  } catch (const Error& error) {
    warn_once(fmt::format("TensorBoard: the gradients are left out: {}", error.what()));
    return;
  }
  for (const auto& [path, weight] : weights)
    for (size_t i = 0; i < gradients.variables.size(); ++i)
      if (gradients.variables[i] == weight && gradients.values[i])
        train().histogram(path + "/gradient", gradients.values[i], epoch);
}

// Weights of one or two axes are one image, of three one for each of the last; others are shown
// where they happen to have the axes of images, as in Keras.
void TensorBoardCallback::write_image(const std::string& tag, const Tensor& weight, int64_t epoch) {
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
  write_profile((std::filesystem::path(config.log_dir) / train_.name).string(), trace_->events());
  trace_.reset();
}

// --- resuming
// -----------------------------------------------------------------------------------------------

Value::Dict TensorBoardCallback::Run::get_state() {
  const SummaryWriter::Position at = writer ? writer->position() : start;
  return {{"file", at.file}, {"bytes", at.bytes}};
}

void TensorBoardCallback::Run::set_state(const Value& state) {
  if (!state.is<Value::Dict>()) throw ValueError("the state of a backup has no event file.");
  const auto& dict = state.get<Value::Dict>();
  // Closed before the file is cut, so that nothing is written after.
  writer.reset();
  start = {state_entry<std::string>(dict, "file"), state_entry<int64_t>(dict, "bytes")};
}

Value::Dict TensorBoardCallback::get_state() const {
  return {{"batches", train_batch_},
          {"graph_written", graph_written_},
          {"train", train_.get_state()},
          {"validation", validation_.get_state()}};
}

void TensorBoardCallback::set_state(const Value::Dict& state) {
  train_batch_ = state_entry<int64_t>(state, "batches");
  graph_written_ = state_entry<bool>(state, "graph_written");
  for (Run* run : {&train_, &validation_}) {
    const Value* place = detail::find(state, run->name);
    run->set_state(place ? *place : Value());
    // What was written after the backup goes at once.
    if (run->start.bytes > 0) run->in(config.log_dir);
  }
}

}  // namespace cornu::callbacks
