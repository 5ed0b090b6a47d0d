// Crossings of features.
#include "hashed_crossing.h"

#include <fmt/core.h>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/operators.h"
#include "encoding.h"
#include "fingerprint.h"

namespace cornu::layers {
namespace {

constexpr uint64_t first_hash = 0xDECAFCAFFE;

HashedCrossingConfig tidy(HashedCrossingConfig c) {
  if (!c.dtype && c.output_mode == "int") c.dtype = DType::int64;
  return c;
}

// Text counts as its fingerprint, an integer as itself.
uint64_t feature(const Tensor& x, int64_t i) {
  if (x.dtype() == DType::int64)
    return static_cast<uint64_t>(static_cast<const int64_t*>(x.data())[i]);
  const int32_t index = static_cast<const int32_t*>(x.data())[i];
  return fingerprint64((*x.string_table())[static_cast<size_t>(index)]);
}

std::vector<Tensor> features_of(const Nest& inputs) {
  if (!inputs.is_list() || inputs.list().size() < 2)
    throw ValueError("takes a list of at least two tensors, found the structure " +
                     inputs.structure() + ".");
  std::vector<Tensor> features;
  for (const Nest& input : inputs.list()) {
    Tensor x = stacked(input);
    if (x.rank() > 2 || (x.rank() == 2 && x.shape()[1] != 1))
      throw ShapeError("inputs have shape (), (batch) or (batch, 1), found " + x.shape().str() +
                       ".");
    if (!features.empty() && x.shape() != features[0].shape())
      throw ShapeError(fmt::format("all inputs must have one shape, found {} and {}.",
                                   features[0].shape().str(), x.shape().str()));
    if (x.dtype() != DType::string && !is_int(x.dtype()))
      throw ValueError(
          fmt::format("inputs are integers or strings, found {}.", dtype_name(x.dtype())));
    features.push_back(x.dtype() == DType::string ? x : ops::cast(x, DType::int64));
  }
  return features;
}

}  // namespace

HashedCrossingLayer::HashedCrossingLayer(HashedCrossingConfig c) : LayerOf(tidy(std::move(c))) {
  check_positive("num_bins", *config.num_bins);
  check_output_mode(config.output_mode, {"int", "one_hot"}, config.sparse);
  autocast_ = false;
}

Nest HashedCrossingLayer::call_many(const Nest& inputs, const Call&) {
  const std::vector<Tensor> features = features_of(inputs);
  const TensorSpec spec{features[0].shape(), DType::int64};
  const auto count = static_cast<uint64_t>(*config.num_bins);
  const Tensor bins = apply_host(
      [count](std::span<const Tensor> in, std::span<const Tensor> out) {
        auto* bin = out[0].mutable_data<int64_t>();
        for (int64_t i = 0; i < out[0].size(); ++i) {
          uint64_t hash = first_hash;
          for (const Tensor& x : in) hash = combine_fingerprints(hash, feature(x, i));
          bin[i] = static_cast<int64_t>(hash % count);
        }
      },
      features, {&spec, 1}, "hash a crossing")[0];
  const Tensor result =
      encode_categories(bins, config.output_mode, *config.num_bins, compute_dtype());
  // Keras infers (bins) for a batch of the fixed size 1.
  if (!result.is_eager() && config.output_mode == "one_hot" && bins.shape() == Shape{1})
    return Tensor::abstract({*config.num_bins}, result.dtype());
  return result;
}

void register_hashed_crossing(Catalog& c) {
  c.add<HashedCrossingLayer>("keras.layers.HashedCrossing");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::HashedCrossingLayer,
                              cornu::layers::HashedCrossingConfig>;
