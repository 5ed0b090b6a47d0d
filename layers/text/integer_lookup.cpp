// Integers and their numbers.
#include "integer_lookup.h"

#include "../tabular/encoding.h"

namespace cornu::layers {
namespace {

IntegerLookupConfig tidy(IntegerLookupConfig config) {
  check_one_of("oov_method", config.oov_method, {"floormod", "farmhash"});
  if (config.vocabulary_dtype != "int64")
    throw ValueError("vocabulary_dtype: only 'int64' is supported, found '" +
                     config.vocabulary_dtype + "'.");
  if (config.salt && config.oov_method != "farmhash")
    throw ValueError("salt: only counts with oov_method 'farmhash', found '" + config.oov_method +
                     "'.");
  config.salt = two_salts(config.salt);
  return config;
}

LookupRules<int64_t> rules_of(const IntegerLookupConfig& c) {
  return {.max_tokens = c.max_tokens,
          .num_oov_indices = c.num_oov_indices,
          .mask_token = c.mask_token,
          .oov_token = c.oov_token,
          .invert = c.invert,
          .output_mode = canonical_output_mode(c.output_mode),
          .pad_to_max_tokens = c.pad_to_max_tokens,
          .farmhash = c.oov_method == "farmhash",
          .salt = salt_key(c.salt)};
}

}  // namespace

IntegerLookupLayer::IntegerLookupLayer(IntegerLookupConfig c)
    : IndexLookupLayer(tidy(c), rules_of(c)) {}

void register_integer_lookup(Catalog& c) {
  c.add<IntegerLookupLayer>("keras.layers.IntegerLookup");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::IntegerLookupLayer,
                              cornu::layers::IntegerLookupConfig>;
