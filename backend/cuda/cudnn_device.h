// What cuDNN keeps for one device: its handle, and the plans that were made.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bounded_cache.h"
#include "context.h"
#include "cudnn_attention.h"
#include "cudnn_convolution.h"
#include "cudnn_graph.h"
#include "cudnn_rnn.h"
#include "operands_text.h"

namespace cornu::backend::cuda::cudnn {

/// Context::part of a device.
class Device {
 public:
  explicit Device(Context& context);
  /// Null when there is no cuDNN, or it cannot use the device.
  const Target* target() const { return target_ ? &*target_ : nullptr; }
  /// Why there is no target.
  const std::string& why() const { return why_; }
  /// The plan of that key, which is none when no engine took what `make` tried, now or before.
  const ConvolutionPlan& convolution(const std::string& key,
                                     const std::function<ConvolutionPlan()>& make) {
    return convolutions_.get(key, make);
  }
  const AttentionPlan& attention(const std::string& key,
                                 const std::function<AttentionPlan()>& make) {
    return attentions_.get(key, make);
  }
  const RnnChoice& rnn(const std::string& key, const std::function<RnnChoice()>& make) {
    return rnns_.get(key, make);
  }

 private:
  std::optional<Target> target_;
  std::string why_;
  BoundedCache<ConvolutionPlan> convolutions_{1024};
  BoundedCache<AttentionPlan> attentions_{256};
  BoundedCache<RnnChoice> rnns_{256};
};

/// Why cuDNN could not use a device, the last time; "" when it could.
std::string device_note();

}  // namespace cornu::backend::cuda::cudnn
