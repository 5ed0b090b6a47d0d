// The tensors of a sample, one after the other.
#pragma once
#include "sample.h"

namespace cornu::data {

/// Calls f(name, tensor) for the tensors that a Sample has as members, there or not; those that
/// were attached are in Sample::more.
template <class S, class F>
void for_each_tensor(S& sample, const F& f) {
  f("image", sample.image);
  f("points", sample.points);
  f("visible", sample.visible);
  f("boxes", sample.boxes);
  f("box_labels", sample.box_labels);
  f("mask", sample.mask);
  f("depth", sample.depth);
  f("label", sample.label);
  f("weight", sample.weight);
}

}  // namespace cornu::data
