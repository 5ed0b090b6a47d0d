// What cuDNN keeps for one device: its handle, and the plans that were made.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bounded_cache.h"
#include "context.h"
#include "cudnn_convolution.h"
#include "cudnn_graph.h"
#include "operands_text.h"

namespace cornu::backend::cuda::cudnn {

using PlanRef = std::shared_ptr<const Plan>;

/// Context::part of a device.
class Device {
 public:
  explicit Device(Context& context);
  /// Null when there is no cuDNN, or it cannot use the device.
  const Target* target() const { return target_ ? &*target_ : nullptr; }
  /// The plan of that key, which is none when no engine took what `make` tried, now or before.
  const ConvolutionPlan& convolution(const std::string& key,
                                     const std::function<ConvolutionPlan()>& make) {
    return convolutions_.get(key, make);
  }
  const PlanRef& plan(const std::string& key, const std::function<PlanRef()>& make) {
    return plans_.get(key, make);
  }

 private:
  std::optional<Target> target_;
  BoundedCache<ConvolutionPlan> convolutions_{1024};
  BoundedCache<PlanRef> plans_{256};
};

/// Why cuDNN could not use a device, the last time; "" when it could.
std::string device_note();

}  // namespace cornu::backend::cuda::cudnn
