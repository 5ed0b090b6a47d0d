// The peak of resident memory, as Linux keeps it for a process.
#include "memory_peak.h"

#include <fstream>
#include <string>

namespace cornu::test {
namespace {

// Of /proc/self/status.
long kibibytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stol(line.substr(key.size() + 1));
  return 0;
}

}  // namespace

MemoryPeak::MemoryPeak() {
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak is what there is now
  before_ = kibibytes("VmHWM");
}

long MemoryPeak::megabytes() const { return (kibibytes("VmHWM") - before_) / 1024; }

}  // namespace cornu::test
