// What Embedding and ReversibleEmbedding share: a table of vectors, which LoRA and quantization can
// change.
#pragma once
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/operators.h"
#include "quantized.h"

namespace cornu::layers {

/// A table's form for quantization: one scale serves a row.
WeightForm table_form(int64_t input_dim, int64_t output_dim);
/// Throws UnsupportedError unless the mode is "int8" or "int4", which are what tables have.
void check_table_mode(const std::string& mode);
/// x as indices: int32 unless it is int64 already.
Tensor as_indices(const Tensor& x);
/// Throws ValueError naming the layer, now and in each replay, for an index that is not in [0,
/// rows), if the indices are int32 or int64 in the host's memory. Does nothing while shapes with
/// unknown sizes are inferred.
void check_rows_each_time(const Tensor& indices, int64_t rows, const std::string& layer);

/// Base of the two. `C` has their common options.
template <class Self, class C>
class TableLayer : public LayerOf<Self, C>, public Quantizable, public CustomSerialization {
 public:
  /// Throws ValueError unless input_dim and output_dim are positive.
  explicit TableLayer(C c) : LayerOf<Self, C>(std::move(c)) {
    check_positive("input_dim", this->config.input_dim);
    check_positive("output_dim", this->config.output_dim);
    this->supports_masking_ = this->config.mask_zero;
    // Indices given as float32 must not lose digits to a 16-bit compute dtype.
    this->autocast_ = false;
  }

  /// Freezes the table and adds a low-rank update that is trained. Throws StateError for a layer
  /// that is not built or has one, ValueError for a table with a constraint.
  void enable_lora(int64_t rank, const LoraOptions& options = {}) {
    check_no_lora(lora_);
    lora_ = std::make_unique<Lora>(*this, "embeddings", shape(), embeddings, rank, options,
                                   this->config.embeddings_regularizer,
                                   this->config.embeddings_constraint);
    this->config.lora_rank = rank;
    this->config.lora_alpha = options.lora_alpha.value_or(static_cast<double>(rank));
  }

  /// Replaces the table. Throws UnsupportedError for other modes than int8 and int4, and for a
  /// class derived from the layer, and what the quantizers throw; the layer stays as it was then.
  void quantize_weights(const Choice<QuantizationConfig>& config) override {
    if (typeid(*this) != typeid(Self))
      throw UnsupportedError("quantize: a class derived from a layer cannot be quantized.");
    check_table_mode(config->mode());
    const Variable before = embeddings;
    const std::vector<Variable> weights = this->own_weights();
    try {
      build_quantized(config->mode(), config);
      quantized_->assign(before.value(), config->weight_quantizer());
      quantize_more(config);
    } catch (...) {
      remove_added_weights(*this, weights);
      quantized_.reset();
      embeddings = before;
      throw;
    }
    this->remove_weight(before);
    this->config.quantization_config = config;
  }
  /// The table and more_variables, with the low-rank update merged in.
  std::vector<Variable> weights_to_write() const override { return file_variables(true); }
  /// The same without the update.
  std::vector<Variable> weights_to_read() const override { return file_variables(false); }
  /// Sets the low-rank update to zeros: the values that were read have it in them.
  void weights_were_read() override {
    if (lora_) lora_->reset();
  }
  /// The options; LoRA's only where they have a value.
  Value::Dict get_config() const override {
    return without_empty_lora(LayerOf<Self, C>::get_config());
  }
  /// Builds without "input_shape" too, since the table does not depend on it.
  void build_from_config(const Value::Dict& dict) override {
    // Keras may have built it without inputs, whose shape does not matter.
    const Value* shape = detail::find(dict, "input_shape");
    const bool known = shape && !shape->is_null();
    Layer::build_from_config(known ? dict
                                   : Value::Dict{{"input_shape", Value::List{Value(), Value()}}});
  }

  Variable embeddings;  ///< (input_dim, output_dim); see QuantizedWeight for those in few bits

 protected:
  /// Of the table.
  Shape shape() const { return {*this->config.input_dim, *this->config.output_dim}; }
  /// Makes the table, quantized where the policy says so, and with lora_rank its update.
  void build_table() {
    const auto& o = this->config;
    const std::string mode = this->own_dtype_policy().quantization_mode();
    if (!mode.empty()) {
      check_table_mode(mode);
      build_quantized(mode, o.quantization_config);
    } else {
      embeddings = this->add_weight({.name = "embeddings",
                                     .shape = shape(),
                                     .initializer = o.embeddings_initializer,
                                     .regularizer = o.embeddings_regularizer,
                                     .constraint = o.embeddings_constraint});
    }
    // Keras, too, forgets lora_alpha here.
    if (o.lora_rank) enable_lora(*o.lora_rank);
  }
  /// The vectors of x's numbers, in the compute dtype.
  Tensor rows(const Tensor& x) const {
    const Tensor indices = as_indices(x);
    check_rows_each_time(indices, this->config.input_dim, this->name());
    Tensor y = quantized_ ? quantized_->rows(indices, this->compute_dtype())
                          : ops::take(embeddings, indices, 0);
    if (lora_) y = y + lora_->rows(indices);
    return ops::cast(y, this->compute_dtype());
  }
  /// The table in floats.
  Tensor table() const {
    return lora_ ? ops::cast(Tensor(embeddings) + lora_->update(), this->compute_dtype())
                 : Tensor(embeddings);
  }
  const QuantizedWeight* quantized() const { return quantized_.get(); }  ///< null for floats

  /// Further weights to quantize, all or none where that throws, and those that files hold behind
  /// the table's.
  virtual void quantize_more(const Choice<QuantizationConfig>&) {}
  virtual std::vector<Variable> more_variables() const { return {}; }  ///< none by default

 private:
  void build_quantized(const std::string& mode, const Choice<QuantizationConfig>& config) {
    quantized_ = std::make_unique<QuantizedWeight>(
        *this, table_form(this->config.input_dim, this->config.output_dim), mode,
        block_size_of(config, this->own_dtype_policy()));
    embeddings = quantized_->values;
  }
  std::vector<Variable> file_variables(bool merged) const {
    if (!quantized_ && !lora_) return this->own_weights();
    const Lora* lora = merged ? lora_.get() : nullptr;
    std::vector<Variable> result =
        quantized_ ? quantized_->file_variables(lora)
                   : std::vector<Variable>{lora ? lora->merged(embeddings) : embeddings};
    for (const Variable& v : more_variables()) result.push_back(v);
    return result;
  }

  std::unique_ptr<QuantizedWeight> quantized_;
  std::unique_ptr<Lora> lora_;
};

}  // namespace cornu::layers
