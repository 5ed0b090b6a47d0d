// What TensorBoard's plugins expect of the values in an event file.
#include "summary_writer.h"

#include <events.pb.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "../../../backend/error.h"
#include "../images/png.h"
#include "event_file.h"

namespace cornu {
namespace {

// A message of TensorBoard's plugin for hyperparameters carries no values.
constexpr int data_class_tensor = 2;

void set_shape(events::TensorShape& message, const Shape& shape) {
  for (int i = 0; i < shape.rank(); ++i)
    message.add_dim()->set_size(shape[i] == Shape::unknown ? -1 : shape[i]);
}

template <class T>
void set_values(events::Tensor& tensor, events::DataType dtype, const Shape& shape,
                const std::vector<T>& values) {
  tensor.set_dtype(dtype);
  set_shape(*tensor.mutable_tensor_shape(), shape);
  tensor.set_tensor_content(values.data(), values.size() * sizeof(T));
}

std::vector<double> finite(const Tensor& tensor) {
  std::vector<double> values = tensor.to_vector<double>();
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  return values;
}

// Rows (left edge, right edge, count), computed as tensorboard's histogram summary does.
std::vector<double> histogram_rows(const std::vector<double>& values, int64_t buckets) {
  std::vector<double> rows(static_cast<size_t>(3 * buckets));
  if (values.empty()) return rows;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double range = *high - *low, width = range / static_cast<double>(buckets);
  for (int64_t i = 0; i < buckets; ++i) {
    const size_t row = static_cast<size_t>(3 * i);
    rows[row] = *low + static_cast<double>(i) * width;
    rows[row + 1] = i + 1 < buckets ? *low + static_cast<double>(i + 1) * width : *high;
  }
  for (double v : values) {
    // Where all are equal, they are in the last.
    const double place = range > 0 ? std::floor((v - *low) / width) : INFINITY;
    const auto bucket = static_cast<size_t>(std::min(place, static_cast<double>(buckets - 1)));
    ++rows[3 * bucket + 2];
  }
  return rows;
}

// The pixels as tf.image.convert_image_dtype(..., saturate=True) makes them.
std::vector<uint8_t> pixels_of(const Tensor& images) {
  if (images.dtype() == DType::uint8) return images.to_vector<uint8_t>();
  if (!is_float(images.dtype()))
    throw ValueError(fmt::format(
        "SummaryWriter: images are floats in [0, 1] or uint8 in [0, 255], found {}. Cast them.",
        dtype_name(images.dtype())));
  std::vector<uint8_t> pixels;
  pixels.reserve(static_cast<size_t>(images.size()));
  for (float v : images.to_vector<float>())
    // NaN is black.
    pixels.push_back(v > 0 ? static_cast<uint8_t>(std::min(v * 255.5f, 255.0f)) : 0);
  return pixels;
}

std::string text_of(const HParam& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<int64_t>(&value)) return std::to_string(*whole);
  return fmt::format("{}", std::get<double>(value));
}

void set_hparam(events::HparamValue& message, const HParam& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    message.set_string_value(*text);
  else if (const auto* flag = std::get_if<bool>(&value))
    message.set_bool_value(*flag);
  else if (const auto* whole = std::get_if<int64_t>(&value))
    message.set_number_value(static_cast<double>(*whole));
  else
    message.set_number_value(std::get<double>(value));
}

void set_node(events::NodeDef& message, const GraphNode& node) {
  message.set_name(node.name);
  message.set_op(node.op);
  for (const std::string& input : node.inputs) message.add_input(input);
  if (!node.shapes.empty()) {
    events::NodeDef::AttrEntry& entry = *message.add_attr();
    // TensorBoard writes these sizes at the edges.
    entry.set_key("_output_shapes");
    for (const Shape& shape : node.shapes)
      set_shape(*entry.mutable_value()->mutable_list()->add_shape(), shape);
  }
  for (const auto& [key, text] : node.attributes) {
    events::NodeDef::AttrEntry& entry = *message.add_attr();
    entry.set_key(key);
    entry.mutable_value()->set_s(text);
  }
}

}  // namespace

SummaryWriter::SummaryWriter(const std::string& folder) : SummaryWriter(folder, beginning()) {}

SummaryWriter::SummaryWriter(const std::string& folder, const Position& position)
    : file_(std::make_unique<EventFile>(std::filesystem::path(folder) / position.file,
                                        position.bytes)) {}

SummaryWriter::~SummaryWriter() = default;
SummaryWriter::SummaryWriter(SummaryWriter&&) noexcept = default;
SummaryWriter& SummaryWriter::operator=(SummaryWriter&&) noexcept = default;

void SummaryWriter::write(const std::string& tag, const std::string& plugin, int64_t step,
                          events::Summary_Value& value) {
  value.set_tag(tag);
  value.mutable_metadata()->mutable_plugin_data()->set_plugin_name(plugin);
  events::Event event;
  event.set_step(step);
  *event.mutable_summary()->add_value() = std::move(value);
  file_->write(event);
}

void SummaryWriter::scalar(const std::string& tag, double value, int64_t step) {
  events::Summary::Value summary;
  set_values<float>(*summary.mutable_tensor(), events::DT_FLOAT, {}, {static_cast<float>(value)});
  write(tag, "scalars", step, summary);
}

void SummaryWriter::histogram(const std::string& tag, const Tensor& values, int64_t step,
                              int64_t buckets) {
  if (buckets < 1)
    throw ValueError(fmt::format(
        "SummaryWriter: a histogram needs at least one bucket, found buckets = {}.", buckets));
  events::Summary::Value summary;
  set_values(*summary.mutable_tensor(), events::DT_DOUBLE, {buckets, 3},
             histogram_rows(finite(values), buckets));
  write(tag, "histograms", step, summary);
}

void SummaryWriter::image(const std::string& tag, const Tensor& images, int64_t step,
                          int64_t max_outputs) {
  const Shape& shape = images.shape();
  if (shape.rank() != 4 || shape[3] < 1 || shape[3] > 4 || shape[1] < 1 || shape[2] < 1)
    throw ShapeError(fmt::format(
        "SummaryWriter: images have the shape (n, height, width, channels) with 1 to 4 channels, "
        "found {}.",
        shape.str()));
  const std::vector<uint8_t> pixels = pixels_of(images);
  events::Summary::Value summary;
  events::Tensor& tensor = *summary.mutable_tensor();
  tensor.set_dtype(events::DT_STRING);
  tensor.add_string_val(std::to_string(shape[2]));
  tensor.add_string_val(std::to_string(shape[1]));
  const auto size = static_cast<size_t>(shape[1] * shape[2] * shape[3]);
  const auto count = static_cast<size_t>(std::clamp<int64_t>(max_outputs, 0, shape[0]));
  for (size_t i = 0; i < count; ++i)
    tensor.add_string_val(
        io::encode_png(std::span(pixels).subspan(i * size, size), shape[1], shape[2], shape[3]));
  tensor.mutable_tensor_shape()->add_dim()->set_size(tensor.string_val_size());
  write(tag, "images", step, summary);
}

void SummaryWriter::text(const std::string& tag, const std::string& text, int64_t step) {
  events::Summary::Value summary;
  summary.mutable_tensor()->set_dtype(events::DT_STRING);
  summary.mutable_tensor()->mutable_tensor_shape();
  summary.mutable_tensor()->add_string_val(text);
  write(tag, "text", step, summary);
}

void SummaryWriter::hparams(const HParams& hparams, const std::string& trial) {
  using namespace std::chrono;
  events::HParamsPluginData data;
  events::SessionStartInfo& session = *data.mutable_session_start_info();
  std::string group;
  for (const auto& [name, value] : hparams) {
    events::SessionStartInfo::HparamsEntry& entry = *session.add_hparams();
    entry.set_key(name);
    set_hparam(*entry.mutable_value(), value);
    group += fmt::format("{}{}={}", group.empty() ? "" : ",", name, text_of(value));
  }
  session.set_group_name(trial.empty() ? group : trial);
  session.set_start_time_secs(duration<double>(system_clock::now().time_since_epoch()).count());
  events::Summary::Value summary;
  summary.mutable_metadata()->mutable_plugin_data()->set_content(data.SerializeAsString());
  summary.mutable_metadata()->set_data_class(data_class_tensor);
  set_values<float>(*summary.mutable_tensor(), events::DT_FLOAT, {0}, {});
  write("_hparams_/session_start_info", "hparams", 0, summary);
}

void SummaryWriter::graph(const std::vector<GraphNode>& nodes) {
  events::GraphDef graph;
  for (const GraphNode& node : nodes) set_node(*graph.add_node(), node);
  events::Event event;
  event.set_graph_def(graph.SerializeAsString());
  file_->write(event);
}

void SummaryWriter::keras_model(const std::string& json) {
  events::Summary::Value summary;
  summary.mutable_metadata()->mutable_plugin_data()->set_content("1");  // a version
  summary.mutable_tensor()->set_dtype(events::DT_STRING);
  summary.mutable_tensor()->mutable_tensor_shape();
  summary.mutable_tensor()->add_string_val(json);
  write("keras", "graph_keras_model", 0, summary);
}

void SummaryWriter::flush() { file_->flush(); }

SummaryWriter::Position SummaryWriter::beginning() { return {EventFile::new_name(), 0}; }

SummaryWriter::Position SummaryWriter::position() {
  file_->flush();
  return {file_->path().filename().string(), file_->bytes()};
}

}  // namespace cornu
