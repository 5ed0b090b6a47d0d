// What the layers that merge several tensors into one share.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of the merging layers that have none of their own.
struct MergeConfig {
  CORNU_LAYER_OPTIONS;
};

/// The tensors of a list, for which `what` (a class's name) is meant. Throws ShapeError unless
/// there are at least `least`.
std::vector<Tensor> merge_inputs(const Nest& inputs, const char* what, size_t least);
/// Tensors of fewer axes get axes of size 1 behind the batch. Throws ShapeError when the batches
/// differ, or the other axes do not broadcast.
std::vector<Tensor> merge_aligned(const Nest& inputs, const char* what);
/// The masks that the inputs carry; empty where there is none.
std::vector<Tensor> carried_masks(const Nest& inputs);
/// Throws ValueError unless there is a mask, or an empty tensor, for each input, or none at all.
void check_masks(const Nest& inputs, const std::vector<Tensor>& masks, const char* what);
/// Where any of the masks holds, if all are there; else none.
Tensor merge_masks(const std::vector<Tensor>& masks);
/// The mask of x along its axes, or nothing.
Tensor wide_mask(const Tensor& x);
/// The same for this mask, or nothing for none.
Tensor wide_mask(const Tensor& x, const Tensor& mask);

/// Base of merges of elements: tensors that broadcast -> one of their common shape. A subclass has
/// `static Tensor merge(const std::vector<Tensor>&)` and `static constexpr const char* title`.
/// Where all inputs carry masks, the output's holds where any of theirs does. Throws ShapeError
/// when the inputs do not broadcast.
template <class Self>
class MergeLayer : public LayerOf<Self, MergeConfig> {
 public:
  /// Accepts inputs with masks.
  explicit MergeLayer(MergeConfig c) : LayerOf<Self, MergeConfig>(std::move(c)) {
    this->supports_masking_ = true;
  }
  /// The merge of the aligned inputs; see merge_aligned.
  Nest call_many(const Nest& inputs, const Call&) override {
    return Self::merge(merge_aligned(inputs, Self::title));
  }
  /// Of the masks that the inputs carry; see merge_masks.
  Tensor compute_mask(const Nest& inputs, const Tensor&) override {
    return merge_masks(carried_masks(inputs));
  }
  /// Of these masks. Throws ValueError unless there are as many as inputs, or none.
  std::vector<Tensor> compute_masks(const Nest& inputs, const std::vector<Tensor>& masks) override {
    check_masks(inputs, masks, Self::title);
    return {merge_masks(masks)};
  }
};

}  // namespace cornu::layers
