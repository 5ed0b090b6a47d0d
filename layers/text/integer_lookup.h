// IntegerLookup: integers as their numbers in a vocabulary, and back.
#pragma once
#include "index_lookup_layer.h"

namespace cornu::layers {

/// Options of IntegerLookup.
struct IntegerLookupConfig {
  /// Largest size of the vocabulary, special tokens included; none: no limit.
  std::optional<int64_t> max_tokens = {};
  /// Indices for tokens outside of the vocabulary; 0: those are errors.
  int64_t num_oov_indices = 1;
  /// Token of index 0 in output_mode "int"; none: no such index.
  std::optional<int64_t> mask_token = {};
  std::optional<int64_t> oov_token = -1;  ///< what indices of unknown tokens become with invert
  /// Tokens by index, or the path of a text file; none: see adapt.
  Vocabulary<int64_t> vocabulary = {};
  std::string vocabulary_dtype = "int64";  ///< there is no other
  /// A weight for each token, for output_mode "tf_idf".
  OptionalList<std::vector<double>> idf_weights = {};
  bool invert = false;              ///< map indices to tokens
  std::string output_mode = "int";  ///< "int", "one_hot", "multi_hot", "count" or "tf_idf"
  bool sparse = false;              ///< must be false: there are no sparse tensors
  /// Encodings have max_tokens entries, however few tokens there are.
  bool pad_to_max_tokens = false;
  /// How unknown tokens get their index: "floormod" or "farmhash".
  std::string oov_method = "floormod";
  OptionalList<std::vector<int64_t>> salt = {};  ///< one or two numbers; with "farmhash" only
  /// Name of the layer; empty: made from the class's name.
  std::string name = "";
  std::optional<int64_t> vocabulary_size = {};  ///< kept in files; leave it out
  bool trainable = true;                        ///< whether training changes the weights
  /// Dtypes of weights and computation; none: the global policy.
  std::optional<DTypePolicy> dtype = {};
};

/// Integers as int64 numbers in a vocabulary, or their encoding ("one_hot", "multi_hot", "count",
/// "tf_idf"); with `invert` the reverse. The first number is mask_token's, if there is one; then
/// come num_oov_indices numbers for integers that are not in the vocabulary, chosen by the
/// remainder (or, with oov_method "farmhash", by a hash of the decimal digits); with none of them
/// such integers are errors. Throws ValueError for options that contradict each other.
class IntegerLookupLayer final
    : public IndexLookupLayer<IntegerLookupLayer, IntegerLookupConfig, int64_t> {
 public:
  /// Throws ValueError for options that contradict each other and for what set_vocabulary refuses,
  /// UnsupportedError with `sparse`, FileError for a vocabulary file that cannot be read.
  explicit IntegerLookupLayer(IntegerLookupConfig config);
};

/// A shared IntegerLookupLayer, made from its options.
using IntegerLookup = Ref<IntegerLookupLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::IntegerLookupLayer, layers::IntegerLookupConfig>;
namespace layers {
extern template class IndexLookupLayer<IntegerLookupLayer, IntegerLookupConfig, int64_t>;
}
}  // namespace cornu
