// Quantization by calibration data: they go through a model block by block.
#pragma once
#include "../quantizers/calibration.h"
#include "layer_filter.h"

namespace cornu {

/// The layers inside of `layer` that hold no others, or itself, each once.
std::vector<Layer*> leaf_layers(Layer& layer);

/// Quantizes the kernels in the blocks by the inputs that come to them, and returns the layers with
/// a kernel that the filter takes and that keep it. Inputs of a block come from blocks that are
/// quantized. Throws ValueError for data that are no samples, StateError for a layer that is not
/// built or quantized already, both before anything changes.
std::vector<Layer*> calibrate_blocks(const Choice<QuantizationConfig>& config,
                                     const CalibratedConfig& calibrated,
                                     const QuantizationLayerStructure& structure,
                                     const LayerFilter& filter);

}  // namespace cornu
