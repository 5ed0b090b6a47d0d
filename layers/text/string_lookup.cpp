// Strings and their numbers.
#include "string_lookup.h"

#include "../tabular/encoding.h"

namespace cornu::layers {
namespace {

StringLookupConfig tidy(StringLookupConfig config) {
  config.salt = two_salts(config.salt);
  return config;
}

LookupRules<std::string> rules_of(const StringLookupConfig& c) {
  return {.max_tokens = c.max_tokens,
          .num_oov_indices = c.num_oov_indices,
          .mask_token = c.mask_token,
          .oov_token = c.oov_token,
          .invert = c.invert,
          .output_mode = canonical_output_mode(c.output_mode),
          .pad_to_max_tokens = c.pad_to_max_tokens,
          .farmhash = true,
          .salt = salt_key(c.salt)};
}

}  // namespace

StringLookupLayer::StringLookupLayer(StringLookupConfig c)
    : IndexLookupLayer(tidy(c), rules_of(c)) {
  check_one_of("oov_method", config.oov_method, {"floormod", "farmhash"});
}

void register_string_lookup(Catalog& c) { c.add<StringLookupLayer>("keras.layers.StringLookup"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::StringLookupLayer, cornu::layers::StringLookupConfig>;
