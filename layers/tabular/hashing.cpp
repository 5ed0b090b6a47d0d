// Bins by hashes.
#include "hashing.h"

#include <fmt/core.h>

#include "../../framework/ops/convert.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../text/index_lookup_layer.h"
#include "encoding.h"
#include "fingerprint.h"

namespace cornu::layers {
namespace {

HashingConfig tidy(HashingConfig c) {
  if (!c.dtype) c.dtype = c.output_mode == "int" ? DType::int64 : DType::float32;
  c.salt = two_salts(c.salt);
  return c;
}

struct Hash {
  uint64_t bins;
  std::optional<std::array<uint64_t, 2>> key;
  std::optional<std::string> mask;  // a string that bin 0 is for

  int64_t operator()(const std::string& text) const {
    if (mask && text == *mask) return 0;
    const uint64_t hash = key ? sip_hash(*key, text) : fingerprint64(text);
    return static_cast<int64_t>(hash % bins) + (mask ? 1 : 0);
  }
};

void hash_strings(const Hash& hash, const Tensor& x, int64_t* bins) {
  const std::vector<std::string>& strings = *x.string_table();
  const auto* index = static_cast<const int32_t*>(x.data());
  for (int64_t i = 0; i < x.size(); ++i) bins[i] = hash(strings[static_cast<size_t>(index[i])]);
}

void hash_numbers(const Hash& hash, const Tensor& x, int64_t* bins) {
  dispatch(x.dtype(), [&]<class T>() {
    const T* values = static_cast<const T*>(x.data());
    for (int64_t i = 0; i < x.size(); ++i)
      if constexpr (std::is_same_v<T, bool>)
        bins[i] = hash(values[i] ? "true" : "false");
      else if constexpr (std::is_integral_v<T>)
        bins[i] = hash(std::to_string(values[i]));
  });
}

}  // namespace

HashingLayer::HashingLayer(HashingConfig c) : LayerOf(tidy(std::move(c))) {
  check_positive("num_bins", *config.num_bins);
  check_output_mode(config.output_mode, {"int", "one_hot", "multi_hot", "count"}, config.sparse);
  if (config.output_mode == "int" && variable_dtype() != DType::int32 &&
      variable_dtype() != DType::int64)
    throw ValueError(fmt::format("dtype: with output_mode 'int' it is int32 or int64, found {}.",
                                 dtype_name(variable_dtype())));
  autocast_ = false;
}

Tensor HashingLayer::call(const Tensor& given, const Call&) {
  Tensor x = given;
  if (config.output_mode == "one_hot" && x.rank() > 0 && x.shape().back() == 1)
    x = ops::squeeze(x, -1);
  const bool masked = !config.mask_value.is_null() && *config.num_bins > 1;
  Hash hash{static_cast<uint64_t>(*config.num_bins - (masked ? 1 : 0)), salt_key(config.salt), {}};
  const bool strings = x.dtype() == DType::string;
  if (masked && strings != config.mask_value.is<std::string>())
    throw ValueError(fmt::format("mask_value: {} does not fit inputs of dtype {}.",
                                 config.mask_value.kind(), dtype_name(x.dtype())));
  Tensor hidden;
  if (masked && strings) hash.mask = config.mask_value.get<std::string>();
  if (masked && !strings) hidden = ops::equal(x, detail::from_value<Tensor>(config.mask_value));
  if (is_float(x.dtype())) x = ops::cast(x, DType::int64);
  const TensorSpec spec{x.shape(), DType::int64};
  Tensor bins = apply_host(
      [hash](std::span<const Tensor> in, std::span<const Tensor> out) {
        (in[0].dtype() == DType::string ? hash_strings : hash_numbers)(
            hash, in[0], out[0].mutable_data<int64_t>());
      },
      {&x, 1}, {&spec, 1}, "hash")[0];
  if (hidden) bins = ops::where(hidden, Tensor(0), bins + Tensor(1));
  return encode_categories(bins, config.output_mode, *config.num_bins, variable_dtype());
}

Nest HashingLayer::call_many(const Nest& inputs, const Call& call) {
  return this->call(stacked(inputs), call);
}

void register_hashing(Catalog& c) { c.add<HashingLayer>("keras.layers.Hashing"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::HashingLayer, cornu::layers::HashingConfig>;
