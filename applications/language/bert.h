// BERT: a model that reads whole texts, as KerasHub names and builds it.
#pragma once
#include "backbone.h"

namespace cornu::applications {

/// Options of BERT, as in KerasHub.
struct BertConfig {
  Required<int64_t> vocabulary_size;   ///< number of tokens
  Required<int64_t> num_layers;        ///< number of blocks
  Required<int64_t> num_heads;         ///< heads of each block's attention
  Required<int64_t> hidden_dim;        ///< features of a token, a multiple of num_heads
  Required<int64_t> intermediate_dim;  ///< units in each block's small network
  double dropout = 0.1;                ///< fraction to drop while training, in [0, 1]
  int64_t max_sequence_length = 512;   ///< tokens that the model can take
  int64_t num_segments = 2;            ///< kinds of "segment_ids", such as question and answer
  std::string name = "";               ///< of the model; empty: made from the class's name
};

/// The model without a head (Devlin et al., https://arxiv.org/abs/1810.04805): {"token_ids",
/// "segment_ids", "padding_mask": int32 (batch, t), 0 where a token is padding} ->
/// {"sequence_output": (batch, t, hidden_dim), "pooled_output": (batch, hidden_dim), of the first
/// token, "[CLS]"}. Layers and weights are named as in KerasHub's BertBackbone, so that
/// ".weights.h5" and ".keras" files go both ways. Throws ValueError for sizes that do not fit.
Handle<Functional> BertBackbone(const BertConfig& config);

/// BERT that fills gaps: what BertBackbone takes and "mask_positions", int32 (batch, n), places in
/// the text -> logits (batch, n, vocabulary_size) of the tokens there. Reads ".keras" files of
/// KerasHub's BertMaskedLM, without their tokenizer.
class BertMaskedLM : public HeadOf<BertMaskedLM, BertConfig> {
 public:
  explicit BertMaskedLM(BertConfig config);  ///< throws as BertBackbone
  Nest call_many(const Nest& inputs, const Call& call) override;

  Handle<Functional> backbone;  ///< the model without its head

 private:
  std::shared_ptr<Layer> head_;
};

}  // namespace cornu::applications
