// ShuffledBatches: a dataset's batches in another order in each epoch.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "dataset.h"

namespace cornu {

/// The batches of a dataset of known size, in an order that follows from a seed and the epoch.
class ShuffledBatches : public Dataset {
 public:
  /// Throws ValueError for a dataset whose size is not known.
  ShuffledBatches(std::shared_ptr<Dataset> dataset, int64_t seed);
  int64_t size() const override { return dataset_->size(); }
  bool has_own_order() const override { return true; }
  Batch batch(int64_t index) override;
  std::string advice(double waited, double total) const override {
    return dataset_->advice(waited, total);
  }
  void on_epoch_begin(int64_t epoch) override;
  void on_epoch_end(int64_t epoch) override { dataset_->on_epoch_end(epoch); }
  Value::Dict get_state() const override;             ///< the seed, and the dataset's own
  void set_state(const Value::Dict& state) override;  ///< throws ValueError without a seed

 private:
  std::shared_ptr<Dataset> dataset_;
  int64_t seed_;
  std::optional<RandomOrder> order_;
};

}  // namespace cornu
