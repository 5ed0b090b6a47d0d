// cornu devices.
#include <cornu/framework/tensor/device.h>
#include <fmt/core.h>

#include "commands.h"

namespace cornu::cli {

void devices() {
  const Device usual = default_device();
  for (const Device& device : cornu::devices()) {
    const backend::MemoryStats memory = device.backend().allocator().stats();
    fmt::print("{:<8} {}{}\n", device.name(), device.description(),
               device == usual ? "  (default)" : "");
    if (memory.limit > 0) fmt::print("         limited to {} MiB\n", memory.limit >> 20);
  }
  for (const std::string& note : backend::plugin_notes()) fmt::print("plugin: {}\n", note);
}

}  // namespace cornu::cli
