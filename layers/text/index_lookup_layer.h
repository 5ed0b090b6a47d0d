// IndexLookupLayer: what StringLookup and IntegerLookup share.
#pragma once
#include "../../framework/base/serialization.h"
#include "../../framework/data/adapt.h"
#include "../layer_options.h"
#include "lookup_table.h"
#include "vocabulary.h"

namespace cornu::layers {

/// Numbers of tokens in a vocabulary, or their encoding. The vocabulary is an option, is set, or is
/// learned by `adapt`; it is kept in files as "vocabulary.txt" unless it was an option.
template <class Self, class C, class Token>
class IndexLookupLayer : public LayerOf<Self, C>, public Adaptable, public CustomSerialization {
 public:
  /// The same to values in braces.
  using Adaptable::adapt;

  /// Numbers, or with `invert` tokens, of the shape of x; or their encoding over the vocabulary.
  /// Throws ValueError for an unknown token when no numbers are left for those, StateError for an
  /// encoding while its size is not known or its weights are missing.
  Tensor call(const Tensor& x, const Call& call) override;
  /// Lists of numbers or texts count as one tensor.
  Nest call_many(const Nest& inputs, const Call& call) override;
  /// Empty: nothing is built from a shape.
  Value::Dict get_build_config() const override { return {}; }

  /// All tokens in the order of their numbers, or those without the mask and OOV tokens.
  std::vector<Token> get_vocabulary(bool include_special_tokens = true) const;
  /// Replaces the vocabulary. The list may begin with the mask and OOV tokens; `idf_weights`, as
  /// many as tokens, come with output_mode "tf_idf" only. Throws ValueError for repeated tokens and
  /// for lists longer than max_tokens, StateError when an encoding's size would change, FileError
  /// for a file that cannot be read.
  void set_vocabulary(const Vocabulary<Token>& vocabulary,
                      const std::optional<std::vector<double>>& idf_weights = {});
  /// Number of tokens, with mask and OOV tokens.
  int64_t vocabulary_size() const { return table_->size(); }

  /// Learns the vocabulary, most frequent tokens first. The elements of a vector are documents.
  /// Throws StateError when the vocabulary was an option.
  void adapt(const Tensor& data) override;
  /// Forgets what was counted, unless the vocabulary was an option.
  void reset_state() override;
  /// A vector is one document, otherwise each index of the first axis is one.
  void update_state(const Tensor& batch) override;
  /// Makes the vocabulary of what was counted, and with "tf_idf" the weights.
  void finalize_state() override;
  /// The vocabulary, special tokens included, as one tensor.
  std::vector<Tensor> statistics() const override;

  /// "vocabulary.txt" with a token on each line; none when the options have the list. Throws
  /// ValueError for a token with the end of a line in it, which would be another one there.
  void save_assets(AssetStore& store) const override;
  /// Takes the vocabulary from "vocabulary.txt", unless the options have the list or there is no
  /// file.
  void load_assets(const AssetStore& store) override;
  /// The weights of "tf_idf" under their name.
  void save_own_variables(VariableStore& store) const override;
  /// The weights of "tf_idf", if there are any.
  std::vector<Variable> weights_to_write() const override;
  /// The same.
  std::vector<Variable> weights_to_read() const override { return weights_to_write(); }

  /// The tokens and their numbers, which compiled functions share.
  const std::shared_ptr<LookupTable<Token>>& table() const { return table_; }

 protected:
  /// Throws ValueError for options that contradict each other.
  IndexLookupLayer(C config, LookupRules<Token> rules);

 private:
  void note_size();

  std::shared_ptr<LookupTable<Token>> table_;  // compiled functions share it
  bool has_input_vocabulary_;
};

/// "binary" and "tf-idf", which Keras 2 had, under their names of today.
std::string canonical_output_mode(const std::string& mode);
/// One salt for both halves of a key, or two. Throws ValueError for more.
std::optional<std::array<uint64_t, 2>> salt_key(const std::optional<std::vector<int64_t>>& salt);
/// The salt as files have it: two numbers.
std::optional<std::vector<int64_t>> two_salts(const std::optional<std::vector<int64_t>>& salt);

}  // namespace cornu::layers
