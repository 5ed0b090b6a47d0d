// Layer: a computation with weights. Users subclass it; everything in cornu::layers is one.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "../config/config.h"
#include "../config/registration.h"
#include "../dispatch/node.h"
#include "../ops/operators.h"
#include "../ops/random/seed.h"
#include "activation.h"
#include "call.h"
#include "dtype_policy.h"
#include "initializer.h"
#include "input_spec.h"
#include "layer_handle.h"
#include "saveable.h"

namespace cornu {

class Metric;
class Optimizer;
class QuantizationConfig;
struct CalibratedKernel;
class StateValues;
struct CallContext;
struct RematMode;

/// Base of all layers and models. A subclass overrides `call`, and `build` if weights depend on the
/// input's shape:
///
///   void build(const Shape& input) override { kernel = add_weight({.name = "kernel", .shape =
///   {input.back(), 8}}); } Tensor call(const Tensor& x, const Call&) override { return
///   ops::matmul(x, kernel); }
///
/// Layers inside it are tracked by the name of their member, under which files keep their weights.
///
/// Every call goes through call_many, whatever the caller gives; `call` is its form for layers with
/// one input and one output. What belongs to one call is in its arguments and on the calling
/// thread, so any number of threads may call one layer at a time in inference. A layer whose call
/// changes its own state (stateful=True, a metric of its own, members of a user's class) is for one
/// thread at a time.
class Layer : public Operation, public Configurable, public Saveable {
 public:
  static constexpr const char* module = "keras.layers";  ///< where names are looked up
  using CallOptions = Call;                              ///< lets a Ref pass call options

  Layer();
  ~Layer() override;
  Layer(const Layer&) = delete;  // a function returns make<Net>(...), a handle, not a Net
  Layer& operator=(const Layer&) = delete;

  // --- what a subclass overrides

  /// Makes the weights for inputs of this shape (axes of unknown size are Shape::unknown). The
  /// first call runs it, once; who calls it directly builds the layer too.
  virtual void build(const Shape& input_shape);
  /// The same for several inputs; by default `build` of a single one's shape.
  virtual void build_many(const Nest& inputs);
  /// The computation on one tensor.
  virtual Tensor call(const Tensor& x, const Call& call);
  /// The computation on lists or dictionaries of tensors, or with several results; by default
  /// `call` on a single one.
  virtual Nest call_many(const Nest& inputs, const Call& call);
  /// Puts the tensors of a call where they belong, wherever the caller gave them (in a list, or by
  /// name in call.extra): for `call_many`, or for a graph, where Keras names all but the first. By
  /// default they stay.
  virtual void bind(Nest& inputs, Call& call, CallForm form) const;
  /// The names that Call::extra may have; none means that all are taken. By default layers of Keras
  /// take no name, and others all.
  virtual std::optional<std::vector<std::string>> argument_names() const;
  /// The names of what a call in a graph of Keras's may have by position behind its inputs, in
  /// order; an empty one stands for a further input. By default "training" and "mask" for layers of
  /// Keras, and none for others, where all are inputs.
  virtual std::vector<std::string> positional_arguments() const;
  /// The mask of the output; by default the input's when supports_masking, else none. Throws
  /// nothing.
  virtual Tensor compute_mask(const Nest& inputs, const Tensor& mask = {});
  /// The masks of the outputs, in their order, of a layer with several inputs or outputs, from
  /// those of the inputs; empty tensors where there is none. By default compute_mask of the first
  /// mask is the first output's, and where that is handed on, so are those of the other inputs.
  virtual std::vector<Tensor> compute_masks(const Nest& inputs, const std::vector<Tensor>& masks);
  /// Whether each row of a batch (axis 0) is computed alone, in training too: the same row in any
  /// other batch gives the same result. TimeDistributed then computes all steps at once, else one
  /// after the other.
  virtual bool acts_per_row() const { return false; }
  /// Whether `call` reads its mask, so that a graph must hand it on.
  virtual bool uses_mask() const { return false; }
  /// Whether a mask that the input carries goes to `call`, where none is given by name.
  virtual bool takes_carried_mask(const Nest& inputs, const Call& call) const;
  Value::Dict get_config() const override;
  void configure(const Value::Dict& config) override;

  // --- use

  /// Builds on the first call, then computes. On a symbolic tensor (from Input) it extends the
  /// graph.
  Tensor operator()(const Tensor& x, const Call& call = {});
  /// The same for the numbers or strings of a vector or span.
  template <detail::Listing V>
  Tensor operator()(const V& values, const Call& call = {}) {
    return (*this)(Tensor(values), call);
  }
  /// The same for lists and dictionaries, and for layers with several results: `lstm(Nest(x))`.
  Nest operator()(const Nest& inputs, const Call& call = {});
  /// The same for a layer that gives a list of N tensors, to be taken apart:
  /// `const auto [y, h, c] = lstm.unpack<3>(x);`. Throws ValueError when it gives anything else.
  template <size_t N>
  std::array<Tensor, N> unpack(const Nest& inputs, const Call& call = {}) {
    std::vector<Tensor> all = call_for_list(inputs, call, N);
    std::array<Tensor, N> result;
    std::move(all.begin(), all.end(), result.begin());
    return result;
  }

  /// What the inputs must be: checked by each call before the layer is built or computes. Set it in
  /// the constructor or in build; see InputSpec.
  void set_input_spec(std::vector<InputSpec> specs) { input_spec_ = std::move(specs); }
  /// One for each input; none unless set.
  const std::vector<InputSpec>& input_spec() const { return input_spec_; }

  /// What a stateless call gives.
  struct StatelessResult {
    Nest outputs;                                 ///< of the layer
    std::vector<Tensor> non_trainable_variables;  ///< after the call, in the layer's order
    std::vector<Tensor> losses;                   ///< what `losses` is after the call
  };
  /// The call as a function of values: computes with these values of trainable_variables and
  /// non_trainable_variables, and gives the outputs and the new values of the latter. The layer
  /// does not change. Gradients with respect to the given tensors go through it. Throws StateError
  /// for a layer that is not built, ValueError or ShapeError for values that do not fit.
  std::pair<Nest, std::vector<Tensor>> stateless_call(const StateValues& trainable_variables,
                                                      const StateValues& non_trainable_variables,
                                                      const Nest& inputs, const Call& call = {});
  /// The same with the losses, as Keras's return_losses.
  StatelessResult stateless_call_with_losses(const StateValues& trainable_variables,
                                             const StateValues& non_trainable_variables,
                                             const Nest& inputs, const Call& call = {});

  /// Shape of the output for this input shape, found by running `call` on stand-ins.
  Shape compute_output_shape(const Shape& input_shape);
  /// The same for nests of specs (abstract or symbolic tensors).
  Nest compute_output_spec(const Nest& inputs);
  /// Makes the weights now.
  void ensure_built(const Nest& inputs);
  bool built() const { return built_; }  ///< whether the weights exist

  // --- weights and state

  /// Options of add_weight.
  struct WeightOptions {
    std::string name = "variable";         ///< name in `path`; files number weights instead
    Shape shape = {};                      ///< all sizes known
    Choice<Initializer> initializer = {};  ///< default: glorot_uniform for floats, else zeros
    OptionalDType dtype = {};              ///< default: the policy's variable_dtype
    bool trainable = true;                 ///< false: no gradient, no optimizer update
    Choice<Regularizer> regularizer = {};  ///< penalty added to the loss
    Choice<Constraint> constraint = {};    ///< applied after each optimizer update
    /// Whether an optimizer replaces the value by the gradient instead of updating it.
    bool overwrite_with_gradient = false;
  };
  /// A weight of this layer. Call it in build() or the constructor.
  Variable add_weight(WeightOptions options);

  /// Makes a weight of another layer one of this layer's own too: files have it with both.
  void share_weight(const Variable& weight);
  /// Takes away a weight that add_weight made. Does nothing when it is none of this layer's own.
  void remove_weight(const Variable& weight);

  /// Tracks a layer that a member holds; `attribute` is the member's name. Returns the layer.
  template <class T>
  Ref<T> track(const std::string& attribute, Ref<T> layer) {
    track_one(attribute, layer.shared());
    return layer;
  }
  /// The same for a shared pointer.
  template <std::derived_from<Layer> T>
  std::shared_ptr<T> track(const std::string& attribute, std::shared_ptr<T> layer) {
    track_one(attribute, layer);
    return layer;
  }
  /// Tracks an optimizer that a member holds besides the one of compile: files keep its state under
  /// the member's name. Another one under that name takes its place. Throws ValueError for none.
  template <class T>
  requires std::convertible_to<T*, Optimizer*> std::shared_ptr<T> track(
      const std::string& attribute, std::shared_ptr<T> optimizer) {
    track_optimizer(attribute, optimizer);
    return optimizer;
  }
  /// The same for a handle.
  template <class T>
  requires std::convertible_to<T*, Optimizer*> Ref<T> track(const std::string& attribute,
                                                            Ref<T> optimizer) {
    track_optimizer(attribute, optimizer.shared());
    return optimizer;
  }
  /// The same for what an option of a compile of one's own holds.
  template <std::same_as<Choice<Optimizer>> C>
  C track(const std::string& attribute, const C& optimizer) {
    track_optimizer(attribute, optimizer.shared());
    return optimizer;
  }
  /// add_metric for a metric that a member holds. Files keep what its save_own_variables puts
  /// there, which by default is nothing.
  template <class T>
  requires std::convertible_to<T*, Metric*> std::shared_ptr<T> track(const std::string& attribute,
                                                                     std::shared_ptr<T> metric) {
    track_metric(attribute, metric);
    return metric;
  }
  /// The same for a handle.
  template <class T>
  requires std::convertible_to<T*, Metric*> Ref<T> track(const std::string& attribute,
                                                         Ref<T> metric) {
    track_metric(attribute, metric.shared());
    return metric;
  }
  /// Tracks a list of layers, of one class or several.
  template <std::convertible_to<AnyLayer> T>
  std::vector<T> track(const std::string& attribute, std::vector<T> layers) {
    std::vector<std::shared_ptr<Layer>> list;
    for (const T& layer : layers) list.push_back(AnyLayer(layer).shared());
    track_list(attribute, std::move(list));
    return layers;
  }

  /// Tracks a Functional or Sequential that is a member by value; see shared_layer. Throws
  /// StateError for other layers, of which members are handles.
  void track(const std::string& attribute, Layer& layer) {
    track_one(attribute, layer.shared_layer());
  }

  /// Tracks layers in nested lists. (Keras's dictionaries are lists of their values.)
  void track(const std::string& attribute, const Members& members);

  /// Own weights: trainable ones first, each group in the order of creation.
  const std::vector<Variable>& own_weights() const { return weights_; }
  /// All weights, this layer's first, then those of the layers inside in order.
  std::vector<Variable> weights() const;
  /// Those of `weights` that training changes; none of a layer with trainable() == false.
  std::vector<Variable> trainable_weights() const;
  /// The rest of `weights`, such as moving averages.
  std::vector<Variable> non_trainable_weights() const;
  /// `weights`, and the states of seed generators behind the layer's own: all that a call reads.
  std::vector<Variable> variables() const;
  /// The same as trainable_weights.
  std::vector<Variable> trainable_variables() const { return trainable_weights(); }
  /// The rest of `variables`.
  std::vector<Variable> non_trainable_variables() const;
  /// Seed generators and other state that files do not keep.
  SeedGenerator& add_seed_generator(std::optional<int64_t> seed);
  /// Those of this layer alone.
  const std::vector<std::unique_ptr<SeedGenerator>>& seed_generators() const {
    return seed_generators_;
  }
  int64_t count_params() const;  ///< number of elements of all weights
  /// Copies of all weights' values in the order of `weights`.
  std::vector<Tensor> get_weights() const;
  /// Throws ShapeError, leaving all weights as they are, when the number or a shape differs.
  void set_weights(const std::vector<Tensor>& values);

  bool trainable() const { return *trainable_; }  ///< false: its weights are frozen
  /// Of this layer and all inside it.
  void set_trainable(bool trainable);
  const DTypePolicy& dtype_policy() const { return policy_; }  ///< as given: maybe a DTypePolicyMap
  /// The policy that holds for this layer: dtype_policy(), or if that is a DTypePolicyMap what it
  /// has for the layer's path. A layer has a path from its first call or its build on.
  const DTypePolicy& own_dtype_policy() const {
    return policy_.is_map() ? policy_.for_path(built_path_) : policy_;
  }
  /// Does not change weights that there are, except that a quantized policy quantizes a layer that
  /// is built. Where the policy is a DTypePolicyMap and the layer has a path, that gets an entry.
  void set_dtype_policy(const DTypePolicy& policy);
  /// Puts the weights into fewer bits: "int8", "int4" (two numbers in a byte), "float8" (for
  /// training), or a config such as quantizers::Int8QuantizationConfig({.activation_quantizer =
  /// {}}). Compile models again afterwards. Throws StateError for a layer that is not built or
  /// already quantized, UnsupportedError for one that cannot be (Dense, EinsumDense, Embedding and
  /// ReversibleEmbedding can), and for modes that need calibration (see Model::quantize).
  void quantize(const Choice<QuantizationConfig>& config);
  /// The same for a kernel that calibration has quantized, as by quantizers::gptq_quantize_matrix:
  /// Dense and EinsumDense take it. Throws ShapeError, with the layer unchanged, where it is not
  /// that of the layer.
  void quantize(const Choice<QuantizationConfig>& config, const CalibratedKernel& kernel);
  DType compute_dtype() const { return own_dtype_policy().compute_dtype(); }    ///< of arithmetic
  DType variable_dtype() const { return own_dtype_policy().variable_dtype(); }  ///< of weights
  DType dtype() const { return variable_dtype(); }                              ///< the same
  DType input_dtype() const { return compute_dtype(); }  ///< to which float inputs are cast
  /// "int8", "int4", "float8", "gptq" or "awq" of a quantized layer, else "".
  std::string quantization_mode() const {
    return own_dtype_policy().is_quantized() ? own_dtype_policy().quantization_mode() : "";
  }
  /// Whether it accepts inputs with a mask.
  bool supports_masking() const { return supports_masking_; }
  /// What the RematScope said in which the layer was made; null where there was none.
  const RematMode* remat_mode() const { return remat_mode_.get(); }

  /// Layers directly inside, in the order in which they were tracked.
  virtual std::vector<std::shared_ptr<Layer>> sublayers() const;
  /// This layer as others hold it. A Functional or Sequential that lives on the stack gives one on
  /// the heap, always the same, with the same layers inside. Throws StateError for other layers on
  /// the stack.
  virtual std::shared_ptr<Layer> shared_layer();
  /// The one on the heap that shared_layer gave for this one on the stack; null where there is
  /// none.
  virtual const Layer* twin() const { return nullptr; }

  /// What the tracked members hold; a list of layers is one entry. For saving.
  struct Tracked {
    std::string attribute;                        ///< the member's name
    std::vector<std::shared_ptr<Layer>> layers;   ///< flattened
    bool is_list = false;                         ///< whether the member holds a list
    std::shared_ptr<const Members> members = {};  ///< how `layers` are nested, if they are
  };
  const std::vector<Tracked>& tracked() const { return tracked_; }  ///< in the order of tracking
  /// An object with a state that is no layer, and the member that holds it.
  struct TrackedState {
    std::string attribute;                 ///< the member's name
    std::shared_ptr<Optimizer> optimizer;  ///< null for a metric
    std::shared_ptr<Metric> metric;        ///< null for an optimizer
  };
  /// The tracked optimizers and metrics, in the order of tracking.
  const std::vector<TrackedState>& tracked_states() const { return states_; }

  // --- losses and metrics

  /// A scalar to add to the loss of the current training step; call it inside `call`.
  void add_loss(const Tensor& loss);
  /// A metric that this layer updates itself in `call`; the model reports and resets it.
  std::shared_ptr<Metric> add_metric(std::shared_ptr<Metric> metric);
  /// Adds a penalty on the outputs to the loss of each call; {} takes it away. For layers without
  /// the option activity_regularizer; files keep it where Keras's do.
  void set_activity_regularizer(Choice<Regularizer> r);
  /// The penalty on the outputs, or none.
  const Choice<Regularizer>& activity_regularizer() const { return activity_regularizer_; }
  /// What add_loss collected since the last clear, then the weights' penalties, of this layer and
  /// those inside.
  std::vector<Tensor> losses() const;
  /// Drops what add_loss collected, in this layer and those inside.
  void clear_losses();
  /// Metrics of add_metric, of this layer and those inside.
  std::vector<std::shared_ptr<Metric>> layer_metrics() const;
  /// The metrics that are reported and reset together: of a layer the same, of a compiled model
  /// first those of compile.
  virtual std::vector<std::shared_ptr<Metric>> metrics() const { return layer_metrics(); }
  /// The state of `metrics`, in their order.
  std::vector<Variable> metrics_variables() const;

  // --- names (Operation) and files

  const std::string& name() const override;
  void rename(const std::string& name) override;
  std::string base_name() const override;
  bool is_named() const override { return named_; }
  Nest invoke(const Arguments& given) override;
  /// By default own_weights; low-rank updates are merged into them.
  void save_own_variables(VariableStore& store) const override;
  void load_own_variables(const VariableStore& store) override;
  /// {"input_shape": ...} as files keep it; empty when not built.
  virtual Value::Dict get_build_config() const { return build_config_; }
  /// Builds from what a file kept.
  virtual void build_from_config(const Value::Dict& config);
  /// "net/hidden": this layer's place in the calls under way on this thread, for errors.
  std::string path() const override;

 protected:
  /// Sets what every layer's config may have: name, trainable, dtype, activity_regularizer.
  void set_base(const std::string& name, bool trainable, const std::optional<DTypePolicy>& policy);
  /// The same from a struct of options, those that it has.
  template <class C>
  void set_base_from(const C& config);
  /// The config entries that every layer has: name, trainable, dtype; activity_regularizer of one
  /// that has a penalty, or had one (then null, so that a constructor does not bring it back).
  Value::Dict base_config() const;
  /// From now on both have one trainable flag, as the two forms of one layer do.
  void share_trainable(Layer& other) { other.trainable_ = trainable_; }
  /// Tracks the layers that activations among the options are.
  void track_activations(std::span<const detail::OptionRow> rows, const void* const* options);

  /// Set by constructors of layers that keep or use a mask; others warn when they get one.
  bool supports_masking_ = false;
  /// Whether float inputs are cast to the compute dtype.
  bool autocast_ = true;

 private:
  friend class CallScope;
  void track_one(const std::string& attribute, std::shared_ptr<Layer> layer);
  void track_list(const std::string& attribute, std::vector<std::shared_ptr<Layer>> layers);
  void track_optimizer(const std::string& attribute, std::shared_ptr<Optimizer> optimizer);
  void track_metric(const std::string& attribute, std::shared_ptr<Metric> metric);
  void require_free(const std::string& attribute) const;
  void note_direct_build();
  void warn_untracked() const;
  void note_path();
  void put_dtype_policy(const DTypePolicy& policy);
  void check_can_quantize(const Choice<QuantizationConfig>& config) const;
  Nest call_on(Nest inputs, const Call& call);
  std::vector<Tensor> call_for_list(const Nest& inputs, const Call& call, size_t count);
  // A call on values, and its steps.
  Nest run(Nest inputs, Call call, const CallContext& context);
  Tensor cast_input(const Tensor& x) const;
  void cast_inputs(Nest& inputs) const;
  void build_for(const Nest& inputs);
  Tensor bind_mask(const Nest& inputs, Call& call);
  Nest compute(const Nest& inputs, const Call& call);
  bool rematerializes(const Nest& inputs, const Call& call);
  Nest compute_again_for_gradient(const Nest& inputs, const Call& call);
  Nest finish(const Nest& inputs, const Tensor& mask, Nest outputs);
  std::vector<Tensor> output_masks(const Nest& inputs, const Tensor& mask);
  Nest call_symbolic(const Nest& inputs, const Call& call);
  void check_arguments(const Call& call) const;
  Arguments with_names(const Arguments& given) const;
  void check_mask(const Tensor& mask);
  void settle_build_shapes(const Nest& inputs);

  mutable std::string name_;
  bool named_ = false;
  std::shared_ptr<bool> trainable_ = std::make_shared<bool>(true);
  std::atomic<bool> built_ = false;
  bool building_ = false;
  std::atomic<bool> warned_mask_ = false;
  std::atomic<bool> shapes_pending_ = false;  // the next call tells (more of) what it was built for
  DTypePolicy policy_;
  std::string built_path_;  // for a policy that is a map; empty before the first call
  std::vector<Variable> weights_;
  size_t trainable_weights_ = 0;
  std::vector<Tracked> tracked_;
  std::vector<std::unique_ptr<SeedGenerator>> seed_generators_;
  std::vector<Tensor> losses_;
  std::vector<std::shared_ptr<Metric>> metrics_;
  std::vector<TrackedState> states_;
  Choice<Regularizer> activity_regularizer_;
  bool regularizer_taken_away_ = false;
  Value::Dict build_config_;
  std::vector<InputSpec> input_spec_;
  std::shared_ptr<const RematMode> remat_mode_;
};

/// Base of a layer with options: `class ResidualLayer : public LayerOf<ResidualLayer,
/// ResidualConfig>`. Options named `name`, `trainable`, `dtype` and `activity_regularizer` are
/// every layer's; others are the struct's own.
template <class Self, class C>
class LayerOf : public Layer {
 public:
  using Config = C;  ///< the options
  /// Takes the options over, and sets what every layer has from them.
  explicit LayerOf(C c);  // not inline: the library's own layers are instantiated there once

  /// The options by name, as Keras's files hold them.
  Value::Dict get_config() const override;
  /// A layer from its config. Throws ValueError for missing, unknown or wrong options.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict);

  /// The options as given; changing them after build() has no effect on weights.
  C config;
};

namespace detail {
/// Takes the options that every layer has, and that a struct without them does not know, out of
/// `dict`.
struct BaseOptions {
  std::string name;
  bool trainable = true;
  std::optional<DTypePolicy> policy;
  std::optional<Choice<Regularizer>> activity_regularizer;  // none inside: it was taken away
  Value::Dict rest;
};
BaseOptions split_base_options(const Value::Dict& dict, bool keep_name, bool keep_trainable,
                               bool keep_dtype, bool keep_activity_regularizer);
/// Merges the base config and the struct's: name, trainable and dtype come first.
Value::Dict merge_config(Value::Dict base, Value::Dict own);
}  // namespace detail

template <class C>
void Layer::set_base_from(const C& config) {
  std::string name;
  bool trainable = true;
  std::optional<DTypePolicy> policy;
  if constexpr (requires { config.name; }) name = config.name;
  if constexpr (requires { config.trainable; }) trainable = config.trainable;
  if constexpr (requires { config.dtype; }) policy = config.dtype;
  set_base(name, trainable, policy);
  if constexpr (requires { config.activity_regularizer; })
    set_activity_regularizer(config.activity_regularizer);
}

template <class Self, class C>
LayerOf<Self, C>::LayerOf(C c) : config(std::move(c)) {
  set_base_from(config);
  // A sequence layer's cell applies the activations, and tracks them.
  if constexpr (!requires { config.return_sequences; })
    track_activations(detail::option_rows<C>,
                      detail::option_addresses(std::as_const(config)).data());
}

template <class Self, class C>
Value::Dict LayerOf<Self, C>::get_config() const {
  return detail::merge_config(base_config(), to_dict(config));
}

template <class Self, class C>
std::shared_ptr<Self> LayerOf<Self, C>::from_config(const Value::Dict& dict) {
  detail::BaseOptions base = detail::split_base_options(
      dict, requires(C c) { c.name; }, requires(C c) { c.trainable; }, requires(C c) { c.dtype; },
      requires(C c) { c.activity_regularizer; });
  auto layer = std::make_shared<Self>(from_dict<C>(base.rest));
  if (base.activity_regularizer) layer->set_activity_regularizer(*base.activity_regularizer);
  layer->LayerOf::set_base(layer->is_named() ? layer->name() : base.name,
                           layer->trainable() && base.trainable,
                           base.policy ? base.policy : std::optional(layer->dtype_policy()));
  return layer;
}

}  // namespace cornu
