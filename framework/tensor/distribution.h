// keras.distribution for one device: programs that set a distribution run as they are, on the
// device of their mesh. A model runs on one device, so a mesh of several is an error.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "device.h"
#include "tensor.h"

namespace cornu::distribution {

/// The devices of a type, "cpu" or "gpu", as "gpu:0"; by default the GPUs if there are any, else
/// the CPU. Throws ValueError for another type.
std::vector<std::string> list_devices(const std::string& device_type = "");
/// How many list_devices has.
int64_t get_device_count(const std::string& device_type = "");

/// Prepares for several processes: there is one. Does nothing for one process, as arguments or
/// Keras's environment variables (KERAS_DISTRIBUTION_NUM_PROCESSES, ...) say. Throws
/// UnsupportedError for more.
void initialize(const std::optional<std::string>& job_addresses = {},
                std::optional<int64_t> num_processes = {}, std::optional<int64_t> process_id = {});

/// Options of DeviceMesh, as in Keras.
struct DeviceMeshOptions {
  std::vector<int64_t> shape;             ///< of the mesh: 1 along each axis
  std::vector<std::string> axis_names;    ///< one for each axis
  std::vector<std::string> devices = {};  ///< as list_devices names them, and as Device does
};

/// A grid of devices, of which there is one.
class DeviceMesh {
 public:
  /// Throws ValueError where shape, names and devices are not equally many, UnsupportedError for
  /// more than one device.
  explicit DeviceMesh(const DeviceMeshOptions& options);
  const std::vector<int64_t>& shape() const { return shape_; }                ///< ones
  const std::vector<std::string>& axis_names() const { return axis_names_; }  ///< as given
  const std::vector<std::string>& devices() const { return devices_; }        ///< one name
  Device device() const { return device_; }                                   ///< that device

 private:
  std::vector<int64_t> shape_;
  std::vector<std::string> axis_names_, devices_;
  Device device_;
};

/// Options of TensorLayout, as in Keras.
struct TensorLayoutOptions {
  std::vector<std::optional<std::string>> axes;  ///< of the mesh by those of the tensor, or none
  std::optional<DeviceMesh> device_mesh = {};    ///< the devices
};

/// Along which axes of a mesh a tensor is cut.
class TensorLayout {
 public:
  /// Throws ValueError for a name that the mesh does not have.
  explicit TensorLayout(TensorLayoutOptions options);
  const std::vector<std::optional<std::string>>& axes() const { return axes_; }  ///< as given
  const std::optional<DeviceMesh>& device_mesh() const { return device_mesh_; }  ///< if known
  /// Gives the layout its mesh. Throws ValueError when it has one, or for axes that are not there.
  void set_device_mesh(const DeviceMesh& mesh);

 private:
  std::vector<std::optional<std::string>> axes_;
  std::optional<DeviceMesh> device_mesh_;
};

/// Layouts by the paths of variables, which are keys or match them as regular expressions
/// (ECMAScript).
class LayoutMap {
 public:
  explicit LayoutMap(DeviceMesh mesh) : device_mesh_(std::move(mesh)) {}  ///< without entries
  /// Adds an entry, on the map's mesh if the layout has none. Throws ValueError for a key that is
  /// there or is no regular expression, and for axes that the mesh does not have.
  void set(const std::string& key, TensorLayout layout);
  /// The layout of a path, or none. Throws ValueError when several keys match.
  std::optional<TensorLayout> get(const std::string& path) const;
  size_t size() const { return entries_.size(); }                 ///< number of entries
  const DeviceMesh& device_mesh() const { return device_mesh_; }  ///< as given

 private:
  DeviceMesh device_mesh_;
  std::vector<std::pair<std::string, TensorLayout>> entries_;
};

/// How data and variables lie on devices. Keras's are DataParallel and ModelParallel, which on one
/// device mean the same: all of it is there.
class Distribution {
 public:
  const DeviceMesh& device_mesh() const { return device_mesh_; }         ///< its one device
  const std::string& batch_dim_name() const { return batch_dim_name_; }  ///< axis of the batch
  int64_t num_model_replicas() const { return 1; }                       ///< one

 protected:
  /// Over the devices of `mesh`, whose axis of that name batches are split along.
  Distribution(DeviceMesh mesh, std::string batch_dim_name)
      : device_mesh_(std::move(mesh)), batch_dim_name_(std::move(batch_dim_name)) {}

 private:
  DeviceMesh device_mesh_;
  std::string batch_dim_name_;
};

/// Options of DataParallel, as in Keras.
struct DataParallelOptions {
  std::optional<DeviceMesh> device_mesh = {};  ///< its first axis is the batch's
  std::vector<std::string> devices = {};       ///< without a mesh; none: list_devices
  bool auto_shard_dataset = true;              ///< changes nothing in one process
};

/// The batch cut among devices, of which there is one.
class DataParallel : public Distribution {
 public:
  /// Throws UnsupportedError for more than one device.
  explicit DataParallel(const DataParallelOptions& options = {});
};

/// Options of ModelParallel, as in Keras.
struct ModelParallelOptions {
  LayoutMap layout_map;                            ///< layouts of variables
  std::optional<std::string> batch_dim_name = {};  ///< none: the mesh's first axis
  bool auto_shard_dataset = true;                  ///< changes nothing in one process
};

/// Variables cut among devices, of which there is one.
class ModelParallel : public Distribution {
 public:
  /// Throws ValueError for a batch_dim_name that the mesh does not have.
  explicit ModelParallel(const ModelParallelOptions& options);
};

/// The distribution of the process; none before set_distribution.
std::optional<Distribution> distribution();
/// Sets it: its device becomes the process's default device, as set_default_device makes it. None
/// takes the distribution back, and leaves the device.
void set_distribution(const std::optional<Distribution>& value);

/// The tensor on the device of the layout's mesh. Throws ValueError for a layout without a mesh, or
/// of another number of axes.
Tensor distribute_tensor(const Tensor& tensor, const TensorLayout& layout);

}  // namespace cornu::distribution
