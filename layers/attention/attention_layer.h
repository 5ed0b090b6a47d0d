// What the attention layers share: inputs by place or by name, masks, and projections onto heads.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "../core/einsum_dense.h"
#include "../layer_options.h"

namespace cornu::layers {

/// What an attention layer is told besides its query and value, by Keras's names:
/// `attention(query, value, {.use_causal_mask = true})`. A layer that does not know an argument
/// throws ValueError when it has a value.
struct AttentionCall {
  static constexpr bool takes_value = true;  ///< lets a Ref be called with a query and a value

  Tensor key = {};         ///< (batch, s, features); default: the value
  Tensor query_mask = {};  ///< (batch, t), false where the query is padding; default: its own mask
  Tensor value_mask = {};  ///< (batch, s), likewise
  Tensor key_mask = {};    ///< (batch, s), likewise
  Tensor attention_mask = {};            ///< (batch[, heads], t, s), true where a step sees another
  bool return_attention_scores = false;  ///< {output, scores} instead of the output
  bool use_causal_mask = false;          ///< step t sees steps up to t
  std::optional<bool> training = {};     ///< see Call
  Tensor mask = {};                      ///< see Call
  /// {of the query, of the value[, of the key]}, as Keras's mask=[...] of Attention and
  /// AdditiveAttention; an empty tensor means none, whatever that one carries.
  std::vector<Tensor> masks = {};
  Value::Dict extra = {};  ///< further arguments by name

  operator Call() const;  ///< with those that have a value by name
};

/// A layer's own copy of an initializer, so that without a seed each draws other values.
Choice<Initializer> copy_of(const Choice<Initializer>& initializer);

/// Query, value and perhaps key, in this order, wherever the call has them: in `given`, or by name
/// in `call`, which loses them. Throws ValueError when one is given twice, or a key without a
/// value.
std::vector<Tensor> take_query_value_key(const Nest& given, Call& call);
/// For a graph: the query alone; value, key and masks become arguments by name, as in files of
/// Keras.
Nest name_arguments(const std::vector<Tensor>& inputs, Call& call);
/// Throws ValueError for Call::masks.
void refuse_masks(const Call& call);
/// An argument that is true.
bool find_flag(const Call& call, const char* name);
/// The arguments by name that attention layers have.
const std::vector<std::string>& attention_arguments();
/// {"shapes_dict": {"query_shape": ..., ...}}, which names the arguments of Keras's build, from
/// {"input_shape": [...]}; empty when that is.
Value::Dict shapes_by_name(const Value::Dict& config);
/// The shapes in such a config, as {"input_shape": [...]}; empty when there are none.
Value::Dict shapes_as_list(const Value::Dict& config);

/// What the arguments and the inputs' masks give together: (batch, t, s), or of more axes where
/// "attention_mask" has them; empty where nothing is masked. `window`: a step sees those less than
/// this far away.
Tensor join_attention_masks(const std::vector<Tensor>& inputs, const Call& call, bool causal,
                            const std::optional<int64_t>& window);
/// The mask with axes of size 1 before its last `2 * attended` ones, up to `rank` axes.
Tensor mask_with_heads(Tensor mask, int rank, int attended = 1);

/// Base of layers that are called with query, value and perhaps a key, in a list or by name.
template <class Self, class Config>
class QueryValueLayer : public LayerOf<Self, Config> {
 public:
  using Base = LayerOf<Self, Config>;  ///< the layer with options
  using CallOptions = AttentionCall;   ///< what a call may be told
  using Base::Base;

  /// In a graph the value and the key become arguments of their own, as in files of Keras.
  void bind(Nest& inputs, Call& call, CallForm form) const override {
    refuse_masks(call);
    const std::vector<Tensor> all = take_query_value_key(inputs, call);
    inputs = form == CallForm::graph ? name_arguments(all, call) : Nest(all);
  }
  /// Those of attention_arguments.
  std::optional<std::vector<std::string>> argument_names() const override {
    return attention_arguments();
  }
  /// Those of Keras's call.
  std::vector<std::string> positional_arguments() const override {
    return {"",
            "",
            "query_mask",
            "value_mask",
            "key_mask",
            "attention_mask",
            "return_attention_scores",
            "training",
            "use_causal_mask"};
  }
  /// The query's mask.
  Tensor compute_mask(const Nest& inputs, const Tensor&) override {
    return inputs.flatten().at(0).mask();
  }
  /// {"shapes_dict": {"query_shape": ..., ...}}, which names the arguments of Keras's build.
  Value::Dict get_build_config() const override { return shapes_by_name(Base::get_build_config()); }
  /// Builds from shapes in a list or by name.
  void build_from_config(const Value::Dict& config) override {
    const Value::Dict list = shapes_as_list(config);
    Base::build_from_config(list.empty() ? config : list);
  }
};

}  // namespace cornu::layers
