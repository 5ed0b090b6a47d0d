// Crossentropies of unnormalized scores (logits), which both crossentropy losses rest on: nothing
// as large as the logits is written but their gradient.
#pragma once
#include "../framework/tensor/tensor.h"

namespace cornu::losses {

/// logsumexp(logits) - logits[label] along `axis`: labels (int32) have the logits' shape with size
/// 1 there, and so has the result. The gradient, softmax(logits) - onehot(label), is one pass.
Tensor crossentropy_of_labels(const Tensor& labels, const Tensor& logits, int axis);

/// sum(targets * (logsumexp(logits) - logits)) along `axis`, which stays with size 1; targets have
/// the logits' shape.
Tensor crossentropy_of_targets(const Tensor& targets, const Tensor& logits, int axis);

}  // namespace cornu::losses
