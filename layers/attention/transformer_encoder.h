// TransformerEncoder: a block of attention to all of a text and a small network for each step.
#pragma once
#include "transformer_block.h"

namespace cornu::layers {

using TransformerEncoderConfig = TransformerBlockConfig;  ///< options of TransformerEncoder

/// x (batch, t, features) -> the same shape: attention, then two Dense layers, each added to what
/// it was given. Arguments by name: "padding_mask" (batch, t), false where a step is padding that
/// none may see, and "attention_mask" (batch, t, t), false where step i may not see step j. Vaswani
/// et al., Attention Is All You Need (2017). Throws ValueError where num_heads does not divide the
/// features.
class TransformerEncoderLayer : public TransformerBlock<TransformerEncoderLayer> {
 public:
  using TransformerBlock::TransformerBlock;  ///< from the options; see TransformerBlock
  Tensor call(const Tensor& x, const Call& call) override;
  std::optional<std::vector<std::string>> argument_names() const override {
    return std::vector<std::string>{"padding_mask", "attention_mask"};
  }
};

using TransformerEncoder = Ref<TransformerEncoderLayer>;  ///< a shared TransformerEncoderLayer

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::TransformerEncoderLayer, layers::TransformerEncoderConfig>;
extern template class layers::TransformerBlock<layers::TransformerEncoderLayer>;
}  // namespace cornu
