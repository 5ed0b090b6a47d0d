// A penalty on what passes.
#include "activity_regularization.h"

#include "../../framework/regularizers/l1_l2.h"

namespace cornu::layers {

ActivityRegularizationLayer::ActivityRegularizationLayer(ActivityRegularizationConfig c)
    : LayerOf(std::move(c)) {
  set_activity_regularizer(regularizers::L1L2({.l1 = config.l1, .l2 = config.l2}));
  supports_masking_ = true;
}

Value::Dict ActivityRegularizationLayer::get_config() const {
  Value::Dict dict = LayerOf::get_config();
  std::erase_if(dict, [](const auto& entry) { return entry.first == "activity_regularizer"; });
  // Without the penalty, files say so by factors of 0: the option itself is not theirs.
  if (!activity_regularizer())
    for (auto& [key, value] : dict)
      if (key == "l1" || key == "l2") value = 0.0;
  return dict;
}

void register_activity_regularization(Catalog& c) {
  c.add<ActivityRegularizationLayer>("keras.layers.ActivityRegularization");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ActivityRegularizationLayer,
                              cornu::layers::ActivityRegularizationConfig>;
