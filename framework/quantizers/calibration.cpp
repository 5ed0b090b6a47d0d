// The samples that calibration data are cut into.
#include "calibration.h"

#include <fmt/core.h>

#include <algorithm>

namespace cornu {

namespace {

std::vector<int32_t> all_tokens(const CalibratedConfig& config) {
  const CalibrationData& data = config.dataset();
  if (data.empty())
    throw ValueError(fmt::format(
        "quantize: '{}' needs calibration data. Give them as the dataset of its config.",
        config.mode()));
  if (!data.texts().empty() && !config.tokenizer())
    throw ValueError(fmt::format(
        "quantize: the dataset for '{}' has texts. Give the config a tokenizer, or tokens.",
        config.mode()));
  std::vector<int32_t> tokens;
  for (const std::string& text : data.texts())
    for (int64_t token : config.tokenizer()(text)) tokens.push_back(static_cast<int32_t>(token));
  for (const Tensor& sequence : data.tokens())
    for (int64_t token : sequence.to_vector<int64_t>())
      tokens.push_back(static_cast<int32_t>(token));
  if (tokens.empty())
    throw ValueError(
        fmt::format("quantize: the dataset for '{}' has no tokens at all.", config.mode()));
  return tokens;
}

}  // namespace

std::vector<Tensor> calibration_samples(const CalibratedConfig& config) {
  std::vector<int32_t> tokens = all_tokens(config);
  const int64_t count = config.num_samples(), length = config.sequence_length();
  const auto once = static_cast<int64_t>(tokens.size());
  const int64_t repeats = std::max<int64_t>(1, (count * length + once - 1) / once);
  const auto token = [&](int64_t i) { return tokens[static_cast<size_t>(i % once)]; };
  const int64_t starts = once * repeats - length + 1, stride = std::max<int64_t>(1, starts / count);
  std::vector<Tensor> samples;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int32_t> sample;
    for (int64_t k = 0; k < length; ++k) sample.push_back(token(i * stride % starts + k));
    samples.push_back(Tensor::from(sample, {1, length}));
  }
  return samples;
}

}  // namespace cornu
