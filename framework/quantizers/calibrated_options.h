// What GPTQ and AWQ share: checks of their options, and the scales of a kernel's groups.
#pragma once
#include "affine.h"
#include "calibration.h"

namespace cornu::quantizers {

/// Throws ValueError for numbers that are not positive, but -1 as group_size.
void check_calibrated_options(const char* who, int64_t num_samples, int64_t sequence_length,
                              int64_t group_size);

/// Scales and zero points, group by group.
class GroupParameters {
 public:
  explicit GroupParameters(size_t channels) : channels_(channels) {}  ///< of no group yet
  void add(const AffineParameters& group);                            ///< one for each channel
  const AffineParameters& operator[](size_t group) const { return groups_[group]; }  ///< as added
  Tensor scale() const;  ///< (channels, groups), float32
  Tensor zero() const;   ///< (channels, groups), uint8

 private:
  size_t channels_;
  std::vector<AffineParameters> groups_;
};

}  // namespace cornu::quantizers
