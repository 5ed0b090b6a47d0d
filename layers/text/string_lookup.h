// StringLookup: strings as their numbers in a vocabulary, and back.
#pragma once
#include "index_lookup_layer.h"

namespace cornu::layers {

/// Options of StringLookup.
struct StringLookupConfig {
  /// Largest size of the vocabulary, special tokens included; none: no limit.
  std::optional<int64_t> max_tokens = {};
  /// Indices for tokens outside of the vocabulary; 0: those are errors.
  int64_t num_oov_indices = 1;
  /// Token of index 0 in output_mode "int"; none: no such index.
  std::optional<std::string> mask_token = {};
  /// What indices of unknown tokens become with invert.
  std::optional<std::string> oov_token = "[UNK]";
  /// Tokens by index, or the path of a text file; none: see adapt.
  Vocabulary<std::string> vocabulary = {};
  /// A weight for each token, for output_mode "tf_idf".
  OptionalList<std::vector<double>> idf_weights = {};
  bool invert = false;              ///< map indices to tokens
  std::string output_mode = "int";  ///< "int", "one_hot", "multi_hot", "count" or "tf_idf"
  /// Encodings have max_tokens entries, however few tokens there are.
  bool pad_to_max_tokens = false;
  bool sparse = false;             ///< must be false: there are no sparse tensors
  std::string encoding = "utf-8";  ///< kept for files; strings are bytes here
  std::string name = "";           ///< of the layer; empty: made from the class's name
  /// One or two numbers; see num_oov_indices.
  OptionalList<std::vector<int64_t>> salt = {};
  std::string oov_method = "floormod";          ///< of no effect on strings
  std::optional<int64_t> vocabulary_size = {};  ///< kept in files; leave it out
  bool trainable = true;                        ///< whether training changes the weights
  /// Dtypes of weights and computation; none: the global policy.
  std::optional<DTypePolicy> dtype = {};
};

/// Strings as int64 numbers in a vocabulary, or their encoding ("one_hot", "multi_hot", "count",
/// "tf_idf"); with `invert` numbers as strings. The first number is mask_token's, if there is one;
/// then come num_oov_indices numbers for strings that are not in the vocabulary, of which a hash
/// (SipHash with a `salt`) chooses one; with none of them such strings are errors. Throws
/// ValueError for options that contradict each other.
class StringLookupLayer final
    : public IndexLookupLayer<StringLookupLayer, StringLookupConfig, std::string> {
 public:
  /// Throws ValueError for options that contradict each other and for what set_vocabulary refuses,
  /// UnsupportedError with `sparse`, FileError for a vocabulary file that cannot be read.
  explicit StringLookupLayer(StringLookupConfig config);
};

using StringLookup = Ref<StringLookupLayer>;  ///< a shared StringLookupLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::StringLookupLayer, layers::StringLookupConfig>;
namespace layers {
extern template class IndexLookupLayer<StringLookupLayer, StringLookupConfig, std::string>;
}
}  // namespace cornu
