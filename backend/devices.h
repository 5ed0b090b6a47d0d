// The devices of this machine: the CPU, and those of plugins that are found at run time.
#pragma once
#include <string>
#include <vector>

#include "backend.h"

namespace cornu::backend {

/// All devices, the CPU first. The first call looks for plugins, unless the environment variable
/// CORNU_DEVICE is "cpu": libcornu_cuda.so in the folders of CORNU_PLUGIN_PATH, beside the library
/// or program that holds this code, in
/// ../lib from there, and where the system looks. Thread-safe; devices live as long as the process.
std::vector<Backend*> devices();

/// The device of that name: "cpu", "cuda:0", or "gpu" and "gpu:1" for the first and second that is
/// no CPU. Throws ValueError with the names that there are.
Backend& find_device(const std::string& name);

/// The device on which tensors are made when nobody says where: the one that the environment
/// variable CORNU_DEVICE names, else the first GPU, else the CPU.
Backend& default_device();
/// Replaces that device, for all threads.
void set_default_device(Backend& device);

/// Adds a device, which must live as long as the process. For tests.
void add_device(Backend& device);

/// What was found of each plugin, or why it cannot be used: one line each.
const std::vector<std::string>& plugin_notes();

/// What a plugin library exports under the name `cornu_plugin`.
struct Plugin {
  /// Must be that of the program: interfaces are those of C++, and change.
  const char* version;
  /// The devices that it can serve; otherwise none, and `note` says why.
  std::vector<Backend*> (*open)(std::string& note);
};

/// The version that plugins are compared by.
const char* plugin_version();

}  // namespace cornu::backend
