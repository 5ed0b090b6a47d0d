// Walking over data to learn from it.
#include "adapt.h"

namespace cornu {

void Adaptable::adapt(const Tensor& data) {
  reset_state();
  update_state(data);
  finalize_state();
}

void Adaptable::adapt(AnyDataset data, std::optional<int64_t> steps) {
  if (!data) throw ValueError("adapt: there are no data.");
  if (!steps && data->size() == Dataset::endless)
    throw ValueError("adapt: the data have no end. Say how many batches to take, by steps.");
  reset_state();
  data->on_epoch_begin(0);
  for (int64_t i = 0; !steps || i < *steps; ++i) {
    const std::optional<Batch> batch = data->next(i);
    if (!batch) break;
    update_state(batch->x.tensor());
  }
  data->on_epoch_end(0);
  finalize_state();
}

}  // namespace cornu
