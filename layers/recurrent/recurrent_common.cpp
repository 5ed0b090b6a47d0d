// Pieces, states and masks. The gradient of a plain slice fills a tensor of the full size with
// zeros, so that of many slices would cost their number times the whole; joining the pieces costs
// the whole once.
#include "recurrent_common.h"

#include "../../framework/autodiff/tape.h"
#include "../../framework/ops/core.h"
#include "../../framework/ops/creation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/shaping.h"

namespace cornu::layers {

namespace {

template <class Cut, class Join>
std::vector<Tensor> cut(const Tensor& x, Cut pieces, Join join) {
  const Tensor inputs[] = {x};
  const Tensors outputs = custom_gradient(inputs, [&](std::span<const Tensor> in) {
    const std::vector<Tensor> made = pieces(in[0]);
    std::vector<TensorSpec> specs;
    for (const Tensor& t : made) specs.push_back(t.spec());
    GradientFunction gradient = [specs, join](std::span<const Tensor> given) -> Tensors {
      std::vector<Tensor> all(given.begin(), given.end());
      for (size_t i = 0; i < all.size(); ++i)
        if (!all[i]) all[i] = ops::zeros(specs[i].shape, specs[i].dtype);
      return {join(all)};
    };
    return WithGradient{Tensors(made.begin(), made.end()), std::move(gradient)};
  });
  return {outputs.begin(), outputs.end()};
}

}  // namespace

std::vector<Tensor> steps_of(const Tensor& x) {
  return cut(
      x, [](const Tensor& t) { return ops::unstack(t, {}, 1); },
      [](const std::vector<Tensor>& pieces) { return ops::stack(pieces, 1); });
}

std::vector<Tensor> sections_of(const Tensor& x, int64_t count, int64_t axis) {
  return cut(
      x, [=](const Tensor& t) { return ops::split(t, {count}, axis); },
      [=](const std::vector<Tensor>& pieces) { return ops::concatenate(pieces, axis); });
}

std::vector<Tensor> draw_masks(SeedGenerator& seeds, double rate, int count, const Shape& shape,
                               DType dtype, bool training) {
  std::vector<Tensor> masks;
  for (int i = 0; rate > 0 && i < count; ++i) {
    const Seed seed(seeds);
    if (training) masks.push_back(random::dropout(ops::ones(shape, dtype), rate, seed));
  }
  return masks;
}

void KeptStates::make(const States& first, DType dtype) {
  variables_.clear();
  for (const Tensor& state : first)
    variables_.push_back(
        Variable(ops::cast(state, dtype), {.name = "rnn_state", .trainable = false}));
}

States KeptStates::values() const {
  States values;
  for (const Variable& v : variables_) values.push_back(v.value());
  return values;
}

void KeptStates::assign(const States& states) {
  PauseRecording pause;
  for (size_t i = 0; i < variables_.size(); ++i) variables_[i].assign(states[i]);
}

void KeptStates::reset() {
  for (Variable& v : variables_) v.assign(ops::zeros(v.shape(), v.dtype()));
}

Tensor drop(const Tensor& x, const Tensor& mask) {
  return x * (x.rank() > mask.rank() ? ops::expand_dims(mask, {1}) : mask);
}

Value::Dict without_ways_to_compute(const Value::Dict& dict) {
  Value::Dict used;
  for (const auto& [key, value] : dict)
    if (key != "implementation" && key != "use_cudnn") used.emplace_back(key, value);
  return without_unused(used, {"time_major"});
}

}  // namespace cornu::layers
