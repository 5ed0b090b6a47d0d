// TextVectorization: texts as the numbers of their words.
#pragma once
#include "../../framework/ops/integers.h"
#include "string_lookup.h"
#include "text_rules.h"

namespace cornu::layers {

/// Options of TextVectorization.
struct TextVectorizationConfig {
  /// Largest size of the vocabulary, special tokens included; none: no limit.
  std::optional<int64_t> max_tokens = {};
  /// "lower_and_strip_punctuation", "lower", "strip_punctuation", none or a function.
  TextStandardize standardize = "lower_and_strip_punctuation";
  TextSplit split = "whitespace";      ///< "whitespace", "character", none or a function
  OptionalList<Integers> ngrams = {};  ///< 3: words, pairs and threes; {2, 3}: pairs and threes
  std::string output_mode = "int";     ///< "int", "one_hot", "multi_hot", "count" or "tf_idf"
  /// Words that each text is cut or padded to; none: the longest of a batch.
  std::optional<int64_t> output_sequence_length = {};
  /// Encodings have max_tokens entries, however few tokens there are.
  bool pad_to_max_tokens = false;
  /// Tokens by index, or the path of a text file; none: see adapt.
  Vocabulary<std::string> vocabulary = {};
  /// A weight for each token, for output_mode "tf_idf".
  OptionalList<std::vector<double>> idf_weights = {};
  bool sparse = false;                          ///< must be false: there are no sparse tensors
  bool ragged = false;                          ///< must be false: there are no ragged tensors
  std::string encoding = "utf-8";               ///< kept for files; strings are bytes here
  std::string name = "";                        ///< of the layer; empty: made from the class's name
  std::optional<int64_t> vocabulary_size = {};  ///< kept in files; leave it out
  bool trainable = true;                        ///< whether training changes the weights
  /// Dtypes of weights and computation; none: the global policy.
  std::optional<DTypePolicy> dtype = {};
};

/// Strings of shape (batch), (batch, 1) or, when `split` is none, any shape, as int64 numbers of
/// their words (batch, words), padded by 0 to the longest text or to output_sequence_length, or as
/// an encoding over the vocabulary ("multi_hot", "count", "tf_idf", "one_hot"). A text is
/// standardized, split, and its words are looked up as in StringLookup with the mask token "".
/// Throws ValueError for options that contradict each other and for inputs that are no strings,
/// ShapeError for other shapes, StateError without a vocabulary.
class TextVectorizationLayer final
    : public LayerOf<TextVectorizationLayer, TextVectorizationConfig>,
      public Adaptable,
      public CustomSerialization {
 public:
  /// The same to values in braces.
  using Adaptable::adapt;
  /// Throws ValueError for options that contradict each other and for what set_vocabulary refuses,
  /// UnsupportedError with `sparse` or `ragged`, FileError for a vocabulary file that cannot be
  /// read.
  explicit TextVectorizationLayer(TextVectorizationConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  /// Lists of texts count as one tensor.
  Nest call_many(const Nest& inputs, const Call& call) override;
  Value::Dict get_config() const override;

  /// As those of StringLookup.
  std::vector<std::string> get_vocabulary(bool include_special_tokens = true) const;
  /// Replaces the vocabulary; see IndexLookupLayer::set_vocabulary.
  void set_vocabulary(const Vocabulary<std::string>& vocabulary,
                      const std::optional<std::vector<double>>& idf_weights = {});
  int64_t vocabulary_size() const;  ///< number of tokens, special ones included

  /// Learns the vocabulary from texts, each of which is a document.
  void adapt(const Tensor& data) override;
  void reset_state() override;
  void update_state(const Tensor& batch) override;
  void finalize_state() override;
  std::vector<Tensor> statistics() const override;

  void save_assets(AssetStore& store) const override;
  void load_assets(const AssetStore& store) override;
  void save_own_variables(VariableStore& store) const override;
  std::vector<Variable> weights_to_write() const override;
  std::vector<Variable> weights_to_read() const override { return weights_to_write(); }

 private:
  std::shared_ptr<StringLookupLayer> lookup_;
};

/// A shared TextVectorizationLayer, made from its options.
using TextVectorization = Ref<TextVectorizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::TextVectorizationLayer, layers::TextVectorizationConfig>;
}
