// BERT's layers, and the head that fills gaps.
#include "bert.h"

#include <fmt/core.h>

#include "../../framework/initializers/truncated_normal.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../layers/attention/transformer_encoder.h"
#include "../../layers/core/embedding.h"
#include "../../layers/core/reversible_embedding.h"
#include "../../layers/merging/add.h"
#include "../../layers/text/position_embedding.h"
#include "backbone.h"

namespace cornu::applications {
namespace {

Choice<Initializer> truncated_normal() { return initializers::TruncatedNormal({.stddev = 0.02}); }

class BertBackboneLayer : public BackboneOf<BertBackboneLayer, BertConfig> {
 public:
  explicit BertBackboneLayer(const BertConfig& c) : BackboneOf(c, graph_of(c)) {}

 private:
  static Graph graph_of(const BertConfig& c);
};

Graph BertBackboneLayer::graph_of(const BertConfig& c) {
  const int64_t features = c.hidden_dim;
  if (features % std::max<int64_t>(c.num_heads, 1) != 0)
    throw ValueError(
        fmt::format("BertBackbone: hidden_dim must be a multiple of num_heads, found {} and {}.",
                    features, *c.num_heads));
  const Input ids({Shape::unknown}, {.dtype = DType::int32, .name = "token_ids"});
  const Input segments({Shape::unknown}, {.dtype = DType::int32, .name = "segment_ids"});
  const Input padding({Shape::unknown}, {.dtype = DType::int32, .name = "padding_mask"});
  const Tensor tokens = layers::ReversibleEmbedding({.input_dim = *c.vocabulary_size,
                                                     .output_dim = features,
                                                     .embeddings_initializer = truncated_normal(),
                                                     .name = "token_embedding"})(ids);
  const Tensor places = layers::PositionEmbedding({.sequence_length = c.max_sequence_length,
                                                   .initializer = truncated_normal(),
                                                   .name = "position_embedding"})(tokens);
  const Tensor kinds = layers::Embedding({.input_dim = c.num_segments,
                                          .output_dim = features,
                                          .embeddings_initializer = truncated_normal(),
                                          .name = "segment_embedding"})(segments);
  Tensor x = layers::Add({.name = "embeddings_add"})({tokens, places, kinds}).tensor();
  x = layers::LayerNormalization({.epsilon = 1e-12, .name = "embeddings_layer_norm"})(x);
  x = layers::Dropout({.rate = c.dropout, .name = "embeddings_dropout"})(x);
  for (int64_t i = 0; i < c.num_layers; ++i)
    x = layers::TransformerEncoder({.intermediate_dim = *c.intermediate_dim,
                                    .num_heads = *c.num_heads,
                                    .dropout = c.dropout,
                                    .activation = gelu_approximate(),
                                    .layer_norm_epsilon = 1e-12,
                                    .kernel_initializer = truncated_normal(),
                                    .name = fmt::format("transformer_layer_{}", i)})(
        x, {.extra = {{"padding_mask", Tensor(padding)}}});
  const Tensor pooled = layers::Dense({.units = features,
                                       .activation = "tanh",
                                       .kernel_initializer = truncated_normal(),
                                       .name = "pooled_dense"})(x[{Slice(), 0}]);
  return {Nest{{"token_ids", ids}, {"segment_ids", segments}, {"padding_mask", padding}},
          Nest{{"sequence_output", x}, {"pooled_output", pooled}}};
}

// Features (batch, n, hidden_dim) -> logits of all tokens, whose vectors the backbone owns.
class MaskedLMHead : public Layer {
 public:
  MaskedLMHead(std::shared_ptr<layers::ReversibleEmbeddingLayer> embedding)
      : embedding_(std::move(embedding)) {
    rename("mlm_head");
  }

  void build(const Shape& input) override {
    dense_ = track("_intermediate_dense", layers::Dense({.units = embedding_->config.output_dim,
                                                         .activation = "gelu",
                                                         .kernel_initializer = truncated_normal(),
                                                         .dtype = dtype_policy()}));
    norm_ = track("_intermediate_layer_norm",
                  layers::LayerNormalization({.epsilon = 1e-5, .dtype = dtype_policy()}));
    bias_ = add_weight(
        {.name = "output_bias", .shape = {*embedding_->config.input_dim}, .initializer = "zeros"});
    const Tensor x = Tensor::abstract(input, compute_dtype());
    dense_->ensure_built(x);
    norm_->ensure_built(x);
  }

  Tensor call(const Tensor& x, const Call&) override {
    return (*embedding_)(norm_(dense_(x)), {.extra = {{"reverse", true}}}) + Tensor(bias_);
  }

 private:
  std::shared_ptr<layers::ReversibleEmbeddingLayer>
      embedding_;  // not tracked: it is not this layer's
  layers::Dense dense_ = nullptr;
  layers::LayerNormalization norm_ = nullptr;
  Variable bias_;
};

}  // namespace

Handle<Functional> BertBackbone(const BertConfig& config) {
  return std::make_shared<BertBackboneLayer>(config);
}

BertMaskedLM::BertMaskedLM(BertConfig c) : HeadOf(std::move(c)) {
  BertConfig inner = config;
  inner.name = "bert_backbone";
  backbone = BertBackbone(inner);
  head_ = std::make_shared<MaskedLMHead>(
      layer_of<layers::ReversibleEmbeddingLayer>(*backbone, "token_embedding"));
  track("layers", Members{backbone, head_});  // where KerasHub's files have them
  const Tensor ids = Tensor::abstract({Shape::unknown, Shape::unknown}, DType::int32);
  ensure_built(Nest{
      {"token_ids", ids}, {"segment_ids", ids}, {"padding_mask", ids}, {"mask_positions", ids}});
}

Nest BertMaskedLM::call_many(const Nest& inputs, const Call&) {
  const Nest text{{"token_ids", inputs["token_ids"]},
                  {"segment_ids", inputs["segment_ids"]},
                  {"padding_mask", inputs["padding_mask"]}};
  const Tensor features = backbone(text)["sequence_output"].tensor();
  const Tensor places = ops::expand_dims(inputs["mask_positions"].tensor(), {-1});
  return (*head_)(ops::take_along_axis(features, places, 1));
}

void register_bert(Catalog& c) {
  gelu_approximate();
  c.add_custom<BertBackboneLayer>("keras_hub>BertBackbone");
  c.add_custom<BertMaskedLM>("keras_hub>BertMaskedLM");
}

}  // namespace cornu::applications
