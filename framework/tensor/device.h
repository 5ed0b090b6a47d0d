// Device: where tensors are and computations run.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "../../backend/devices.h"

namespace cornu {

/// The CPU or a GPU. Tensors are made on the default device, the first GPU if there is one, and
/// computations run where their inputs are; nothing moves by itself (Tensor::to does it).
class Device {
 public:
  /// "cpu", "cuda:0", or "gpu" and "gpu:1" for the first and the second GPU. Throws ValueError with
  /// the names that there are, and the reason when a plugin could not be used.
  explicit Device(const std::string& name) : backend_(&backend::find_device(name)) {}
  /// The same for a literal.
  explicit Device(const char* name) : Device(std::string(name)) {}
  /// The device of a backend, which lives as long as the process.
  explicit Device(backend::Backend& backend) : backend_(&backend) {}
  static Device cpu() { return Device(backend::cpu_backend()); }  ///< the host, always there

  const std::string& name() const { return backend_->name(); }  ///< "cpu", "cuda:0"
  /// Model and memory, for people.
  std::string description() const { return backend_->description(); }
  bool is_cpu() const { return backend_ == &backend::cpu_backend(); }  ///< whether it is the host
  backend::Backend& backend() const { return *backend_; }              ///< what runs its kernels
  /// Whether float32 matrix products and convolutions may round their operands to TF32 (10 bits of
  /// mantissa), which tensor cores multiply several times faster. Default: false, or what the
  /// environment variable CORNU_TF32 says. Setting it does nothing on devices that have no TF32,
  /// and holds for all GPUs and for what is compiled after it.
  bool tf32() const { return backend_->tf32(); }
  void allow_tf32(bool allowed) const { backend_->set_tf32(allowed); }  ///< see tf32
  /// Waits for all work that was begun on it; for measuring times.
  void synchronize() const { backend_->synchronize(); }
  friend bool operator==(const Device&, const Device&) = default;

 private:
  backend::Backend* backend_;
};

/// All devices, the CPU first.
std::vector<Device> devices();

/// Where tensors are made in this thread: the innermost scope's device, else the process's default:
/// what the environment variable CORNU_DEVICE names, else the first GPU, else the CPU.
Device default_device();
/// Sets the process's default; scopes of threads go before it.
void set_default_device(const Device& device);

/// While it lives, tensors of this thread are made on `device`.
class DeviceScope {
 public:
  /// Scopes nest; the innermost counts.
  explicit DeviceScope(const Device& device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;

 private:
  backend::Backend* outer_;
};

namespace detail {
/// default_device(), quickly.
backend::Backend& current_backend();
}  // namespace detail

}  // namespace cornu
