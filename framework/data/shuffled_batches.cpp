// Batches in another order.
#include "shuffled_batches.h"

#include "../../backend/error.h"

namespace cornu {

ShuffledBatches::ShuffledBatches(std::shared_ptr<Dataset> dataset, int64_t seed)
    : dataset_(std::move(dataset)), seed_(seed) {
  if (dataset_->size() < 1)
    throw ValueError("ShuffledBatches: batches of an unknown number cannot be shuffled.");
}

Batch ShuffledBatches::batch(int64_t index) {
  // The dataset itself says what is wrong with an index.
  const bool within = order_ && index >= 0 && index < size();
  return dataset_->batch(within ? (*order_)[index] : index);
}

void ShuffledBatches::on_epoch_begin(int64_t epoch) {
  dataset_->on_epoch_begin(epoch);
  // Which may have changed its size.
  order_.reset();
  if (size() > 0) order_.emplace(size(), seed_, epoch);
}

Value::Dict ShuffledBatches::get_state() const {
  return {{"seed", seed_}, {"data", dataset_->get_state()}};
}

void ShuffledBatches::set_state(const Value::Dict& state) {
  bool found = false;
  for (const auto& [name, value] : state) {
    if (name == "seed" && value.is<int64_t>()) {
      seed_ = value.get<int64_t>();
      found = true;
    }
    if (name == "data" && value.is<Value::Dict>()) dataset_->set_state(value.get<Value::Dict>());
  }
  if (!found) throw ValueError("ShuffledBatches: the state has no seed.");
}

}  // namespace cornu
