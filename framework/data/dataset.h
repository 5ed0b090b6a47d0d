// Dataset: where batches come from. Users subclass it; tensors in memory become one.
#pragma once
#include <concepts>
#include <memory>
#include <optional>
#include <string>

#include "../dispatch/value.h"
#include "permutation.h"

namespace cornu {

/// Inputs, targets and sample weights of one batch; the last two may be empty.
struct Batch {
  Nest x;                   ///< inputs
  Nest y = {};              ///< targets
  Nest sample_weight = {};  ///< broadcasts to the samples' losses
};

/// Batches by number. on_epoch_begin and on_epoch_end are called around every pass: each epoch of
/// training, each validation, each evaluate and predict. On GPUs a batch is asked for one step
/// ahead: as soon as the step before it was launched, within its pass, and before the callbacks of
/// that step's end.
class Dataset {
 public:
  static constexpr int64_t unknown = -1;  ///< size of data that end, nobody knows when
  static constexpr int64_t endless = -2;  ///< size of data without an end

  virtual ~Dataset() = default;
  /// Number of batches of one pass, or `unknown` or `endless`.
  virtual int64_t size() const = 0;
  /// Batch `index` in [0, size()).
  virtual Batch batch(int64_t index) = 0;
  /// The same, or nothing behind the last batch. What has no known size overrides it; it is asked
  /// for 0, 1, 2, ... within a pass, from the last index before the backup on in a run that is
  /// resumed.
  virtual std::optional<Batch> next(int64_t index) {
    if (size() >= 0 && index >= size()) return {};
    return batch(index);
  }
  /// Whether the order of the batches is the dataset's own business, as a pipeline's is. Where it
  /// is not, and the size is known, `fit` with `shuffle` asks for the batches of each epoch in
  /// another order.
  virtual bool has_own_order() const { return false; }
  /// One sentence for a user whose run waited `waited` of `total` seconds for the batches: what
  /// took the time, and what would help. Empty when there is nothing to say.
  virtual std::string advice(double /*waited*/, double /*total*/) const { return {}; }
  /// Before a pass; the number of the epoch in fit, from 0.
  virtual void on_epoch_begin(int64_t /*epoch*/) {}
  /// After a pass.
  virtual void on_epoch_end(int64_t /*epoch*/) {}
  /// What the batches of all epochs follow from besides their numbers, such as a seed; a run that
  /// is resumed gives it back before its first pass. A dataset whose `batch` depends on the index
  /// and the epoch alone needs none.
  virtual Value::Dict get_state() const { return {}; }
  /// Takes what get_state of an earlier run gave.
  virtual void set_state(const Value::Dict&) {}
};

/// A dataset as fit, evaluate and predict take it: made from a shared pointer, from a dataset of
/// the user's by value or by reference (which must then outlive the call), and from what converts
/// to a shared pointer, such as a data::Pipeline<Batch>.
class AnyDataset {
 public:
  AnyDataset() = default;  ///< none
  /// Shares the dataset.
  template <std::convertible_to<std::shared_ptr<Dataset>> D>
  AnyDataset(const D& data) : dataset_(data) {}
  /// Refers to the dataset.
  template <std::derived_from<Dataset> D>
  AnyDataset(D& data) : dataset_(std::shared_ptr<void>(), &data) {}
  /// Takes the dataset over.
  template <std::derived_from<Dataset> D>
  AnyDataset(D&& data) : dataset_(std::make_shared<D>(std::move(data))) {}

  const std::shared_ptr<Dataset>& shared() const { return dataset_; }  ///< null for none
  Dataset* operator->() const { return dataset_.get(); }               ///< null for none
  Dataset& operator*() const { return *dataset_; }                     ///< there must be one
  explicit operator bool() const { return dataset_ != nullptr; }       ///< whether there is one

 private:
  std::shared_ptr<Dataset> dataset_;
};

/// Batches of tensors whose first axes are samples.
class TensorDataset : public Dataset {
 public:
  /// How samples become batches.
  struct Options {
    int64_t batch_size = 32;  ///< samples of a batch; the last one may have fewer
    bool shuffle = false;     ///< a new order of the samples in each epoch
    /// Order of the epochs' shuffles; each epoch has another.
    int64_t seed = 0;
  };
  /// Throws ShapeError when the numbers of samples differ.
  TensorDataset(Nest x, Nest y, Nest sample_weight, Options options);
  int64_t size() const override;
  /// Throws ValueError when `index` is not in [0, size()).
  Batch batch(int64_t index) override;
  bool has_own_order() const override { return true; }  ///< see Options
  /// Shuffles, if asked to, by the seed and the epoch's number alone.
  void on_epoch_begin(int64_t epoch) override;
  Value::Dict get_state() const override;             ///< the seed
  void set_state(const Value::Dict& state) override;  ///< throws ValueError without a seed
  int64_t samples() const { return samples_; }        ///< of one pass

 private:
  Tensor indices(int64_t begin, int64_t end) const;

  Nest x_, y_, sample_weight_;
  Options options_;
  int64_t samples_ = 0;
  std::optional<RandomOrder> order_;  // of the samples in this epoch when they are shuffled
  Tensor indices_;                    // the order as a tensor, where it is sorted out
};

/// Number of samples: the first axis, which all tensors share. Throws ShapeError naming both sizes.
int64_t count_samples(const Nest& x, const Nest& y = {}, const Nest& sample_weight = {});
/// Rows [begin, end) of every tensor.
Nest take_rows(const Nest& nest, int64_t begin, int64_t end);

}  // namespace cornu
