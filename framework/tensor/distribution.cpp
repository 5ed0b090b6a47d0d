// keras.distribution for one device.
#include "distribution.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <regex>

#include "../../backend/error.h"

namespace cornu::distribution {

namespace {

constexpr const char* default_batch_axis = "batch";

std::vector<Device> devices_of(const std::string& type) {
  if (!type.empty() && type != "cpu" && type != "gpu")
    throw ValueError(
        fmt::format("list_devices: expected the type 'cpu' or 'gpu', found '{}'.", type));
  std::vector<Device> gpus = cornu::devices();
  gpus.erase(gpus.begin());
  if (type == "cpu" || (type.empty() && gpus.empty())) return {Device::cpu()};
  return gpus;
}

Device device_named(const std::string& name) { return Device(name == "cpu:0" ? "cpu" : name); }

// The one device of a mesh.
Device only_device(const std::vector<std::string>& names) {
  if (names.size() != 1)
    throw UnsupportedError(fmt::format(
        "DeviceMesh: a model runs on one device, found {}. Name one of them, as in .devices = "
        "{{\"{}\"}}.",
        fmt::join(names, ", "), names.empty() ? "cpu:0" : names[0]));
  return device_named(names[0]);
}

const DeviceMeshOptions& checked(const DeviceMeshOptions& options) {
  if (options.shape.empty() || options.shape.size() != options.axis_names.size())
    throw ValueError(fmt::format(
        "DeviceMesh: expected as many axis_names as shape has axes, at least one; found shape [{}] "
        "and names [{}].",
        fmt::join(options.shape, ", "), fmt::join(options.axis_names, ", ")));
  int64_t places = 1;
  for (int64_t size : options.shape) places *= size;
  const size_t count = options.devices.empty() ? list_devices().size() : options.devices.size();
  if (places != static_cast<int64_t>(count))
    throw ValueError(fmt::format("DeviceMesh: the shape [{}] has {} places, for {} devices.",
                                 fmt::join(options.shape, ", "), places, count));
  return options;
}

void check_axes(const std::vector<std::optional<std::string>>& axes, const DeviceMesh& mesh) {
  for (const auto& axis : axes)
    if (axis && std::ranges::find(mesh.axis_names(), *axis) == mesh.axis_names().end())
      throw ValueError(fmt::format("TensorLayout: the mesh has the axes {}, and no '{}'.",
                                   fmt::join(mesh.axis_names(), ", "), *axis));
}

DeviceMesh mesh_of(const DataParallelOptions& options) {
  if (options.device_mesh) return *options.device_mesh;
  const auto devices = options.devices.empty() ? list_devices() : options.devices;
  return DeviceMesh({.shape = {static_cast<int64_t>(devices.size())},
                     .axis_names = {default_batch_axis},
                     .devices = devices});
}

std::string batch_axis(const ModelParallelOptions& options) {
  const auto& names = options.layout_map.device_mesh().axis_names();
  if (!options.batch_dim_name) return names[0];
  if (std::ranges::find(names, *options.batch_dim_name) == names.end())
    throw ValueError(fmt::format("ModelParallel: the mesh has the axes {}, and no '{}'.",
                                 fmt::join(names, ", "), *options.batch_dim_name));
  return *options.batch_dim_name;
}

struct Current {
  std::mutex mutex;
  std::optional<Distribution> value;
};

Current& current() {
  static auto* current = new Current;
  return *current;
}

}  // namespace

std::vector<std::string> list_devices(const std::string& device_type) {
  const std::vector<Device> devices = devices_of(device_type);
  std::vector<std::string> names;
  for (size_t i = 0; i < devices.size(); ++i)
    names.push_back(fmt::format("{}:{}", devices[i].is_cpu() ? "cpu" : "gpu", i));
  return names;
}

int64_t get_device_count(const std::string& device_type) {
  return static_cast<int64_t>(devices_of(device_type).size());
}

void initialize(const std::optional<std::string>& job_addresses,
                std::optional<int64_t> num_processes, std::optional<int64_t> process_id) {
  const auto from_environment = [](const char* name) {
    const char* text = std::getenv(name);
    return text ? std::optional<std::string>(text) : std::nullopt;
  };
  const auto addresses =
      job_addresses ? job_addresses : from_environment("KERAS_DISTRIBUTION_JOB_ADDRESSES");
  if (const auto count = from_environment("KERAS_DISTRIBUTION_NUM_PROCESSES");
      !num_processes && count)
    num_processes = std::atoll(count->c_str());
  if (const auto id = from_environment("KERAS_DISTRIBUTION_PROCESS_ID"); !process_id && id)
    process_id = std::atoll(id->c_str());
  if (num_processes.value_or(1) != 1 || process_id.value_or(0) != 0 ||
      (addresses && addresses->find(',') != std::string::npos))
    throw UnsupportedError(fmt::format(
        "distribution::initialize: a model runs in one process on one device, found {} processes "
        "(this one number {}, addresses '{}').",
        num_processes.value_or(1), process_id.value_or(0), addresses.value_or("")));
}

DeviceMesh::DeviceMesh(const DeviceMeshOptions& options)
    : shape_(checked(options).shape),
      axis_names_(options.axis_names),
      devices_(options.devices.empty() ? list_devices() : options.devices),
      device_(only_device(devices_)) {}

TensorLayout::TensorLayout(TensorLayoutOptions options)
    : axes_(std::move(options.axes)), device_mesh_(std::move(options.device_mesh)) {
  if (device_mesh_) check_axes(axes_, *device_mesh_);
}

void TensorLayout::set_device_mesh(const DeviceMesh& mesh) {
  if (device_mesh_) throw ValueError("TensorLayout: it has a device_mesh already.");
  check_axes(axes_, mesh);
  device_mesh_ = mesh;
}

void LayoutMap::set(const std::string& key, TensorLayout layout) {
  for (const auto& [other, there] : entries_)
    if (other == key) throw ValueError(fmt::format("LayoutMap: there is a '{}' already.", key));
  try {
    const std::regex pattern(key);
  } catch (const std::regex_error&) {
    throw ValueError(fmt::format("LayoutMap: '{}' is no regular expression.", key));
  }
  if (!layout.device_mesh()) layout.set_device_mesh(device_mesh_);
  entries_.emplace_back(key, std::move(layout));
}

std::optional<TensorLayout> LayoutMap::get(const std::string& path) const {
  std::vector<std::string> matching;
  std::optional<TensorLayout> found;
  for (const auto& [key, layout] : entries_) {
    if (key == path) return layout;
    if (!std::regex_match(path, std::regex(key))) continue;
    matching.push_back(key);
    found = layout;
  }
  if (matching.size() > 1)
    throw ValueError(fmt::format("LayoutMap: the path '{}' matches the keys {}. Let it match one.",
                                 path, fmt::join(matching, ", ")));
  return found;
}

DataParallel::DataParallel(const DataParallelOptions& options)
    : Distribution(mesh_of(options), options.device_mesh ? options.device_mesh->axis_names()[0]
                                                         : default_batch_axis) {}

ModelParallel::ModelParallel(const ModelParallelOptions& options)
    : Distribution(options.layout_map.device_mesh(), batch_axis(options)) {}

std::optional<Distribution> distribution() {
  const std::lock_guard lock(current().mutex);
  return current().value;
}

void set_distribution(const std::optional<Distribution>& value) {
  const std::lock_guard lock(current().mutex);
  current().value = value;
  if (value) set_default_device(value->device_mesh().device());
}

Tensor distribute_tensor(const Tensor& tensor, const TensorLayout& layout) {
  if (!layout.device_mesh()) throw ValueError("distribute_tensor: the layout has no device_mesh.");
  if (static_cast<int>(layout.axes().size()) != tensor.rank())
    throw ValueError(
        fmt::format("distribute_tensor: a layout of {} axes does not fit a tensor of shape {}.",
                    layout.axes().size(), tensor.shape().str()));
  return tensor.is_symbolic() ? tensor : tensor.to(layout.device_mesh()->device());
}

}  // namespace cornu::distribution
