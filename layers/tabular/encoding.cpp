// Encodings of class numbers.
#include "encoding.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/nn/one_hot.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

Tensor encode_categories(const Tensor& given, const std::string& output_mode, int64_t depth,
                         DType dtype, const Tensor& weights) {
  if (output_mode == "int") return ops::cast(given, dtype);
  const Tensor x = given.rank() == 0 ? ops::expand_dims(given, {0}) : given;
  // Of no categories there is no largest; they count 0 times.
  if (output_mode == "multi_hot" && x.shape()[x.rank() > 1 ? 1 : 0] != 0)
    return ops::multi_hot(x, depth, -1, dtype);
  if (output_mode == "one_hot")
    return ops::one_hot(x.rank() > 1 && x.shape().back() == 1 ? ops::squeeze(x, -1) : x, depth, -1,
                        dtype);
  Tensor occurrences = ops::one_hot(x, depth, -1, weights ? weights.dtype() : dtype);
  if (weights) occurrences = occurrences * ops::expand_dims(weights, {-1});
  return ops::sum(occurrences, x.rank() > 1 ? 1 : 0);
}

Tensor stacked(const Nest& inputs) {
  if (inputs.is_tensor()) return inputs.tensor();
  if (!inputs.is_list())
    throw ShapeError("takes a tensor or a list, found the structure " + inputs.structure() + ".");
  std::vector<Tensor> parts;
  for (const Nest& part : inputs.list()) parts.push_back(stacked(part));
  return ops::stack(parts);
}

void check_one_of(const char* option, const std::string& value,
                  std::initializer_list<const char*> choices) {
  const std::vector<std::string> known(choices.begin(), choices.end());
  if (std::find(known.begin(), known.end(), value) == known.end())
    throw ValueError(
        fmt::format("{}: '{}' is not known.{}", option, value, did_you_mean(value, known)));
}

void check_output_mode(const std::string& output_mode, std::initializer_list<const char*> modes,
                       bool sparse) {
  if (sparse)
    throw UnsupportedError("sparse: sparse tensors are not supported; leave out sparse=True.");
  check_one_of("output_mode", output_mode, modes);
}

}  // namespace cornu::layers
