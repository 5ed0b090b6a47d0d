// StringLookup: strings as their numbers in a vocabulary, and back.
#pragma once
#include "index_lookup_layer.h"

namespace cornu::layers {

struct StringLookupConfig {
  std::optional<int64_t> max_tokens = {};
  int64_t num_oov_indices = 1;
  std::optional<std::string> mask_token = {};
  std::optional<std::string> oov_token = "[UNK]";
  Vocabulary<std::string> vocabulary = {};
  std::optional<std::vector<double>> idf_weights = {};
  bool invert = false;
  std::string output_mode = "int";
  bool pad_to_max_tokens = false;
  bool sparse = false;
  std::string encoding = "utf-8";  ///< kept for files; strings are bytes here
  std::string name = "";
  std::optional<std::vector<int64_t>> salt = {};  ///< one or two numbers; see num_oov_indices
  std::string oov_method = "floormod";            ///< of no effect on strings
  std::optional<int64_t> vocabulary_size = {};    ///< what files know of it; leave it out
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Strings as int64 numbers in a vocabulary, or their encoding ("one_hot", "multi_hot", "count",
/// "tf_idf"); with `invert` numbers as strings. The first number is mask_token's, if there is one;
/// then come num_oov_indices numbers for strings that are not in the vocabulary, of which a hash
/// (SipHash with a `salt`) chooses one; with none of them such strings are errors.
class StringLookupLayer final
    : public IndexLookupLayer<StringLookupLayer, StringLookupConfig, std::string> {
 public:
  explicit StringLookupLayer(StringLookupConfig config);
};

using StringLookup = Ref<StringLookupLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::StringLookupLayer, layers::StringLookupConfig>;
namespace layers {
extern template class IndexLookupLayer<StringLookupLayer, StringLookupConfig, std::string>;
}
}  // namespace cornu
