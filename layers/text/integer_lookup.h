// IntegerLookup: integers as their numbers in a vocabulary, and back.
#pragma once
#include "index_lookup_layer.h"

namespace cornu::layers {

struct IntegerLookupConfig {
  std::optional<int64_t> max_tokens = {};
  int64_t num_oov_indices = 1;
  std::optional<int64_t> mask_token = {};
  std::optional<int64_t> oov_token = -1;
  Vocabulary<int64_t> vocabulary = {};
  std::string vocabulary_dtype = "int64";  ///< there is no other
  std::optional<std::vector<double>> idf_weights = {};
  bool invert = false;
  std::string output_mode = "int";
  bool sparse = false;
  bool pad_to_max_tokens = false;
  std::string oov_method = "floormod";            ///< or "farmhash"
  std::optional<std::vector<int64_t>> salt = {};  ///< one or two numbers; with "farmhash" only
  std::string name = "";
  std::optional<int64_t> vocabulary_size = {};  ///< what files know of it; leave it out
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Integers as int64 numbers in a vocabulary, or their encoding ("one_hot", "multi_hot", "count",
/// "tf_idf"); with `invert` the reverse. The first number is mask_token's, if there is one; then
/// come num_oov_indices numbers for integers that are not in the vocabulary, chosen by the
/// remainder (or, with oov_method "farmhash", by a hash of the decimal digits); with none of them
/// such integers are errors.
class IntegerLookupLayer final
    : public IndexLookupLayer<IntegerLookupLayer, IntegerLookupConfig, int64_t> {
 public:
  explicit IntegerLookupLayer(IntegerLookupConfig config);
};

using IntegerLookup = Ref<IntegerLookupLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::IntegerLookupLayer, layers::IntegerLookupConfig>;
namespace layers {
extern template class IndexLookupLayer<IntegerLookupLayer, IntegerLookupConfig, int64_t>;
}
}  // namespace cornu
