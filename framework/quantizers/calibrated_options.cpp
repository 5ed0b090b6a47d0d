// What GPTQ and AWQ share.
#include "calibrated_options.h"

#include <fmt/core.h>

namespace cornu::quantizers {

void check_calibrated_options(const char* who, int64_t num_samples, int64_t sequence_length,
                              int64_t group_size) {
  const auto refuse = [&](const char* option, const char* expected, int64_t found) {
    throw ValueError(fmt::format("{}: {} must be {}, found {}.", who, option, expected, found));
  };
  if (num_samples < 1) refuse("num_samples", "positive", num_samples);
  if (sequence_length < 1) refuse("sequence_length", "positive", sequence_length);
  if (group_size < -1 || group_size == 0) refuse("group_size", "positive or -1", group_size);
}

void GroupParameters::add(const AffineParameters& group) { groups_.push_back(group); }

Tensor GroupParameters::scale() const {
  std::vector<float> values;
  for (size_t c = 0; c < channels_; ++c)
    for (const AffineParameters& group : groups_) values.push_back(group.scale[c]);
  return Tensor::from(values,
                      {static_cast<int64_t>(channels_), static_cast<int64_t>(groups_.size())});
}

Tensor GroupParameters::zero() const {
  std::vector<uint8_t> values;
  for (size_t c = 0; c < channels_; ++c)
    for (const AffineParameters& group : groups_)
      values.push_back(static_cast<uint8_t>(group.zero[c]));
  return Tensor::from(values,
                      {static_cast<int64_t>(channels_), static_cast<int64_t>(groups_.size())});
}

}  // namespace cornu::quantizers
