// cornu devices.
#include <cornu/backend/kernel_paths.h>
#include <cornu/framework/tensor/device.h>
#include <fmt/core.h>

#include "commands.h"

namespace cornu::cli {

namespace {

// How the device runs each kind of kernel. False when one failed.
bool print_paths(const Device& device) {
  auto* const paths = dynamic_cast<backend::KernelPaths*>(&device.backend());
  if (!paths) {
    fmt::print("         runs all kernels in one way\n");
    return true;
  }
  bool all = true;
  for (const backend::KernelPath& each : paths->kernel_paths()) {
    fmt::print("         {:<34} {}{}\n", each.kernel, each.path,
               each.error.empty() ? "" : "  FAILED: " + each.error);
    all = all && each.error.empty();
  }
  return all;
}

}  // namespace

bool devices(bool check) {
  const Device usual = default_device();
  bool all = true;
  for (const Device& device : cornu::devices()) {
    fmt::print("{:<8} {}{}\n", device.name(), device.description(),
               device == usual ? "  (default)" : "");
    if (check) all = print_paths(device) && all;
  }
  for (const std::string& note : backend::plugin_notes()) fmt::print("plugin: {}\n", note);
  return all;
}

}  // namespace cornu::cli
