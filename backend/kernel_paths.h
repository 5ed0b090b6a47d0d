// How a device runs each kind of kernel: for people who want to know whether a library is used.
#pragma once
#include <string>
#include <vector>

namespace cornu::backend {

/// One kernel that was run on a device.
struct KernelPath {
  std::string kernel;  ///< "conv bfloat16 float32...": which, and with what
  std::string path;    ///< who ran it: "cuDNN 9.19.0, engine 12", "a generated kernel"
  std::string error;   ///< what went wrong; empty: nothing
};

/// What a device that has several ways offers besides Backend.
class KernelPaths {
 public:
  virtual ~KernelPaths() = default;
  /// Runs one or more kernels of each kind, of sizes as models have them, and waits for each.
  virtual std::vector<KernelPath> kernel_paths() = 0;
};

}  // namespace cornu::backend
