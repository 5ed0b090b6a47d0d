// TransformerDecoder: a block of attention to what came before and a small network for each step.
#pragma once
#include "transformer_block.h"

namespace cornu::layers {

using TransformerDecoderConfig = TransformerBlockConfig;  ///< options of TransformerDecoder

/// x (batch, t, features) -> the same shape: causal attention, then two Dense layers, each added to
/// what it was given. Argument by name: "decoder_padding_mask" (batch, t), false where a step is
/// padding that none may see. KerasHub's decoder without an encoder. Vaswani et al., Attention Is
/// All You Need (2017). Throws ValueError where num_heads does not divide the features.
class TransformerDecoderLayer : public TransformerBlock<TransformerDecoderLayer> {
 public:
  using TransformerBlock::TransformerBlock;  ///< from the options; see TransformerBlock
  Tensor call(const Tensor& x, const Call& call) override;
  std::optional<std::vector<std::string>> argument_names() const override {
    return std::vector<std::string>{"decoder_padding_mask"};
  }

  /// Keys and values of all steps so far, each (batch, length, num_heads, features / num_heads).
  struct Cache {
    Tensor key,  ///< of each step, for each head
        value;   ///< likewise
  };
  /// The call, without training, for the steps from `start`, an int32 scalar, on: x (batch, t,
  /// features). Those before are in the cache, to which these are added.
  Tensor call_with_cache(const Tensor& x, Cache& cache, const Tensor& start);

 private:
  Tensor attend(const Tensor& x, Cache& cache, const Tensor& start) const;
};

using TransformerDecoder = Ref<TransformerDecoderLayer>;  ///< a shared TransformerDecoderLayer

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::TransformerDecoderLayer, layers::TransformerDecoderConfig>;
extern template class layers::TransformerBlock<layers::TransformerDecoderLayer>;
}  // namespace cornu
