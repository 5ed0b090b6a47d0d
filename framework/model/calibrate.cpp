// Quantization by calibration data.
#include "calibrate.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "../base/call_scope.h"
#include "../base/serialization.h"
#include "../ops/numpy/indexing.h"
#include "../ops/numpy/manipulation.h"

namespace cornu {

namespace {

void collect_leaves(Layer& layer, std::vector<Layer*>& leaves, std::set<Layer*>& seen) {
  if (!seen.insert(&layer).second) return;
  const auto inside = layer.sublayers();
  if (inside.empty()) leaves.push_back(&layer);
  for (const auto& part : inside) collect_leaves(*part, leaves, seen);
}

// What the layers of a block are given while it lives on this thread.
class InputWatcher : public LayerObserver {
 public:
  explicit InputWatcher(const CalibratedConfig& config)
      : config_(config), outer_(std::exchange(call_context().observer, this)) {}
  ~InputWatcher() override { call_context().observer = outer_; }
  InputWatcher(const InputWatcher&) = delete;

  void watch(Layer& layer, int64_t features) {
    watched_[&layer] = {features, config_.statistics(features)};
  }
  void before(Layer& layer, const Nest& inputs) override {
    if (outer_) outer_->before(layer, inputs);
    const auto found = watched_.find(&layer);
    if (found == watched_.end()) return;
    found->second.statistics->add(
        ops::reshape(inputs.flatten().at(0), {-1, found->second.features}));
  }
  void after(Layer& layer, const Nest& outputs) override {
    if (outer_) outer_->after(layer, outputs);
  }
  const CalibrationStatistics& of(Layer& layer) const { return *watched_.at(&layer).statistics; }

 private:
  struct Watched {
    int64_t features = 0;
    std::unique_ptr<CalibrationStatistics> statistics;
  };
  const CalibratedConfig& config_;
  LayerObserver* outer_;
  std::map<Layer*, Watched> watched_;
};

// The layers of a block that can be quantized, with the others' kernels in `kept`.
std::vector<Layer*> kernels_of(Layer& block, const CalibratedConfig& config,
                               const LayerFilter& filter, std::set<Layer*>& seen,
                               std::vector<Layer*>& kept) {
  std::vector<Layer*> targets;
  for (Layer* layer : leaf_layers(block)) {
    const auto* quantizable = dynamic_cast<const Quantizable*>(layer);
    if (!quantizable || !filter.takes(*layer) || !seen.insert(layer).second) continue;
    if (!layer->built())
      throw StateError(fmt::format(
          "quantize: layer '{}' is not built yet. Call the model on data or build it before.",
          layer->name()));
    if (const DTypePolicy& policy = layer->own_dtype_policy(); policy.is_quantized())
      throw StateError(
          fmt::format("quantize: layer '{}' is quantized already, with policy '{}', and cannot be "
                      "by '{}'.",
                      layer->name(), policy.name(), config.mode()));
    try {
      quantizable->calibration_matrix();
      targets.push_back(layer);
    } catch (const UnsupportedError&) {
      kept.push_back(layer);
    }
  }
  return targets;
}

// Blocks take a batch of one sample, and give one back.
Nest call_block(Layer& block, const Tensor& x) {
  const InferenceScope inference;
  return block(Nest(x.rank() == 2 ? ops::expand_dims(x, {0}) : x));
}

Tensor next_sample(const Nest& outputs) {
  if (!outputs.is_tensor()) return outputs.flatten().at(0);
  return ops::get_item(outputs.tensor(), Value::List{0});
}

}  // namespace

std::vector<Layer*> leaf_layers(Layer& layer) {
  std::vector<Layer*> leaves;
  std::set<Layer*> seen;
  collect_leaves(layer, leaves, seen);
  return leaves;
}

std::vector<Layer*> calibrate_blocks(const Choice<QuantizationConfig>& config,
                                     const CalibratedConfig& calibrated,
                                     const QuantizationLayerStructure& structure,
                                     const LayerFilter& filter) {
  std::vector<Layer*> kept;
  std::vector<std::vector<Layer*>> targets;
  std::set<Layer*> seen;
  for (const auto& block : structure.sequential_blocks)
    targets.push_back(kernels_of(*block, calibrated, filter, seen, kept));
  std::vector<Tensor> samples = calibration_samples(calibrated);
  for (Tensor& sample : samples) {
    const InferenceScope inference;
    for (const auto& layer : structure.pre_block_layers) sample = (*layer)(sample);
  }

  for (size_t i = 0; i < targets.size(); ++i) {
    Layer& block = *structure.sequential_blocks[i];
    {
      InputWatcher watcher(calibrated);
      for (Layer* layer : targets[i])
        watcher.watch(*layer,
                      dynamic_cast<const Quantizable&>(*layer).calibration_matrix().shape()[0]);
      if (!targets[i].empty())
        for (const Tensor& sample : samples) call_block(block, sample);
      for (Layer* layer : targets[i]) {
        const Tensor matrix = dynamic_cast<const Quantizable&>(*layer).calibration_matrix();
        layer->quantize(config, calibrated.quantize(matrix, watcher.of(*layer)));
      }
    }
    if (i + 1 < targets.size())
      for (Tensor& sample : samples) sample = next_sample(call_block(block, sample));
  }
  return kept;
}

}  // namespace cornu
