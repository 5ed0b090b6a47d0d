// Integers whose scale comes from the largest number.
#include "abs_max_quantizer.h"

#include <cmath>

#include "../ops/operators.h"
#include "../ops/quantization.h"

namespace cornu::quantizers {

AbsMaxQuantization::AbsMaxQuantization(AbsMaxQuantizerConfig c) : Configured(std::move(c)) {
  const auto& range = config.value_range;
  if (range.size() != 2 || !(range[0] < range[1]))
    throw ValueError("AbsMaxQuantizer: value_range must be two numbers, the lesser first.");
  if (config.output_dtype == DType::int8 && (range[0] < -128 || range[1] > 127))
    throw ValueError(
        "AbsMaxQuantizer: with output_dtype int8, value_range must lie in [-128, 127].");
}

std::pair<Tensor, Tensor> AbsMaxQuantization::operator()(const Tensor& x,
                                                         const std::optional<Axes>& axis) const {
  const Axes own = config.axis ? Axes(*config.axis) : Axes(-1);
  const std::vector<Tensor> result = ops::abs_max_quantize(
      x, axis.value_or(own), config.value_range, config.output_dtype, config.epsilon);
  return {result[0], result[1]};
}

std::pair<double, double> AbsMaxQuantization::value_range() const {
  return {config.value_range[0], config.value_range[1]};
}

Value::Dict AbsMaxQuantization::get_config() const {
  Value::List range;
  for (double v : config.value_range)
    range.push_back(v == std::floor(v) ? Value(static_cast<int64_t>(v)) : Value(v));
  Value::Dict dict = {
      {"value_range", range}, {"epsilon", config.epsilon}, {"output_dtype", config.output_dtype}};
  if (config.axis) dict.emplace_back("axis", *config.axis);
  return dict;
}

void register_abs_max_quantizer(Catalog& c) {
  c.add<AbsMaxQuantization>("keras.quantizers.AbsMaxQuantizer");
}

}  // namespace cornu::quantizers

namespace cornu {
template class Configured<quantizers::AbsMaxQuantization, quantizers::AbsMaxQuantizerConfig,
                          Quantizer>;
}
