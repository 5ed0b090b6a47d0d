// The devices that the driver shows, as backends.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuda_backend.h"

namespace cornu::backend::cuda {

/// A backend for each device that can be used, none of them opened. Of the others `note` says why;
/// they leave gaps in the numbers, so that each device has the driver's. `check` throws for an
/// architecture that kernels cannot be compiled for.
std::vector<std::unique_ptr<CudaBackend>> list_devices(
    const Services& services, const std::function<void(int architecture)>& check,
    const std::function<std::string()>& versions, std::string& note);

}  // namespace cornu::backend::cuda
