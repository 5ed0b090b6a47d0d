// Walking over data to learn from it.
#include "adapt.h"

#include <algorithm>

#include "dataset.h"

namespace cornu {

void Adaptable::adapt(const Tensor& data) {
  reset_state();
  update_state(data);
  finalize_state();
}

void Adaptable::adapt(Dataset& data, std::optional<int64_t> steps) {
  reset_state();
  data.on_epoch_begin(0);
  const int64_t count = std::min(data.size(), steps.value_or(data.size()));
  for (int64_t i = 0; i < count; ++i) update_state(data.batch(i).x.tensor());
  data.on_epoch_end(0);
  finalize_state();
}

}  // namespace cornu
