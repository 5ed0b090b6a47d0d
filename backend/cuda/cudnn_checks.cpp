// Plans for devices that are only described.
#include <optional>

#include "../error.h"
#include "cudnn_attention.h"
#include "cudnn_convolution.h"
#include "cudnn_rnn.h"
#include "library_checks.h"

namespace cornu::backend::cuda {
namespace {

constexpr size_t workspace = size_t{256} << 20;

// `plan(target, why)` gives the engine's name, or "".
template <class F>
std::string attempt(const std::string& json, F&& plan) {
  std::string why;
  if (cudnn::version(&why).empty()) return "absent: " + why;
  try {
    const std::string engine = plan(cudnn::Target::described(json), why);
    return engine.empty() ? "refused: " + why : engine;
  } catch (const UnsupportedError& error) {
    return std::string("absent: ") + error.what();
  }
}

}  // namespace

std::string try_convolution(const std::string& json, const Conv& conv, DType dtype, const Shape& x,
                            const Shape& kernel, const Shape& y, bool tf32, size_t most) {
  return attempt(json, [&](const cudnn::Target& target, std::string& why) {
    std::string text;
    for (const cudnn::ConvolutionPlan& found :
         cudnn::plan_convolution(target, conv, dtype, x, kernel, y, workspace, tf32, most, &why))
      text += (text.empty() ? "" : "; ") + found.plan->engine() + (found.padded ? ", padded" : "") +
              (found.fused ? ", fused" : "");
    return text;
  });
}

std::string try_attention(const std::string& json, const Attention& attention, DType dtype,
                          const Shape& q, const Shape& k, const Shape& mask, DType mask_dtype) {
  return attempt(json, [&](const cudnn::Target& target, std::string& why) {
    std::optional<cudnn::MaskPlan> masked;
    if (attention.mask) masked.emplace(attention, dtype, q, k[1], mask, mask_dtype);
    const auto plan = cudnn::plan_attention(target, attention, dtype, q, k,
                                            masked ? &*masked : nullptr, workspace, &why);
    return plan ? plan->engine() : std::string();
  });
}

std::string try_rnn(const Rnn& rnn, DType dtype, const Shape& x, const Shape& kernel) {
  std::string why;
  if (cudnn::version(&why).empty()) return "absent: " + why;
  try {
    why = cudnn::try_rnn_descriptors(rnn, cudnn::rnn_sizes(rnn.cell, x, kernel), dtype, false);
    return why.empty() ? "descriptors made" : "refused: " + why;
  } catch (const UnsupportedError& error) {
    return std::string("absent: ") + error.what();
  }
}

std::string described_h100() {
  return R"({"maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],
    "regsPerBlock": 65536, "multiProcessorCount": 132, "warpSize": 32,
    "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448,
    "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32,
    "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0,
    "supportCoopLaunch": 1, "totalGlobalMem": 85029158912, "smClockRateKHz": 1980000,
    "memClockRateKHz": 2619000, "l2CacheSize": 52428800, "cudaDeviceId": 0, "deviceVer": 900,
    "driverVer": 13000, "deviceName": "NVIDIA H100 80GB HBM3"})";
}

}  // namespace cornu::backend::cuda
