// Whether a tool's work may land on a GPU, told without asking the devices: what a process has
// begun on a GPU is of no use to its children.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace cornu::tools {

inline bool perhaps_on_gpu() {
  const char* const device = std::getenv("CORNU_DEVICE");
  if (device != nullptr && *device != '\0') return std::string(device) != "cpu";
  return std::filesystem::exists("/dev/nvidiactl");
}

}  // namespace cornu::tools
