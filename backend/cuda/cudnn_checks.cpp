// Plans for devices that are only described.
#include <fmt/core.h>

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
                          const Shape& q, const Shape& k, const Shape& mask, DType mask_dtype,
                          bool same_bits) {
  return attempt(json, [&](const cudnn::Target& target, std::string& why) {
    std::optional<cudnn::MaskPlan> masked;
    if (attention.mask) masked.emplace(attention, dtype, q, k[1], mask, mask_dtype);
    const auto [plan, sums_dq] = cudnn::plan_attention(
        target, attention, dtype, q, k, masked ? &*masked : nullptr, workspace, same_bits, &why);
    if (!plan) return std::string();
    return plan->engine() + ", workspace " + std::to_string(plan->workspace()) +
           (sums_dq ? ", sums of dq " + std::to_string(q.numel() * 4) : "");
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

std::vector<DescribedDevice> described_devices() {
  struct Facts {
    const char* name;
    int architecture, multiprocessors, threads, blocks, shared;
    size_t memory;
    int clock, memory_clock, cache;
  };
  // From the tables of the CUDA programming guide and NVIDIA's data sheets.
  constexpr Facts all[] = {
      {"NVIDIA H100 80GB HBM3", 900, 132, 2048, 32, 232448, 85029158912, 1980000, 2619000,
       52428800},
      {"NVIDIA A100-SXM4-80GB", 800, 108, 2048, 32, 166912, 85031714816, 1410000, 1593000,
       41943040},
      {"NVIDIA B200", 1000, 148, 2048, 32, 232448, 191503400960, 1965000, 3996000, 132644864},
      {"NVIDIA GeForce RTX 5090", 1200, 170, 1536, 24, 101376, 33672134656, 2407000, 14001000,
       100663296}};
  std::vector<DescribedDevice> devices;
  for (const Facts& f : all)
    devices.push_back(
        {f.name,
         fmt::format(
             R"({{"maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],
    "regsPerBlock": 65536, "multiProcessorCount": {}, "warpSize": 32,
    "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": {},
    "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536, "maxCtasPerSM": {},
    "maxThreadsPerBlock": 1024, "maxThreadsPerSM": {}, "pciDeviceId": 0, "isTccDriver": 0,
    "supportCoopLaunch": 1, "totalGlobalMem": {}, "smClockRateKHz": {},
    "memClockRateKHz": {}, "l2CacheSize": {}, "cudaDeviceId": 0, "deviceVer": {},
    "driverVer": 13000, "deviceName": "{}"}})",
             f.multiprocessors, f.shared, f.blocks, f.threads, f.memory, f.clock, f.memory_clock,
             f.cache, f.architecture, f.name)});
  return devices;
}

std::string described_h100() { return described_devices().front().json; }

}  // namespace cornu::backend::cuda
