// What the language models share: graphs and heads whose files hold options, as KerasHub's do.
#pragma once
#include "../../framework/base/activation.h"
#include "../../framework/model/functional.h"
#include "../../framework/ops/core/slices.h"
#include "../../layers/normalization/rms_normalization.h"

namespace cornu::applications {

/// A graph's ends.
struct Graph {
  Nest inputs;   ///< from Input
  Nest outputs;  ///< made of them
};

/// Base of a graph that is made from options: its config is these, so that ".keras" files of
/// KerasHub's class of the same name are read, and written.
template <class Self, class C>
class BackboneOf : public Functional {
 public:
  using Config = C;  ///< the options
  /// Takes the options over, and the name from them.
  BackboneOf(C c, const Graph& graph)
      : Functional(graph.inputs, graph.outputs, {.name = c.name}), config(std::move(c)) {}
  Value::Dict get_config() const override {
    return cornu::detail::merge_config(base_config(), to_dict(config));
  }
  /// A model from its config, in the dtypes that it names. Throws ValueError for missing, unknown
  /// or wrong options.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    const cornu::detail::BaseOptions base =
        cornu::detail::split_base_options(dict, true, false, false, false);
    const PolicyScope scope(base.policy.value_or(cornu::config::dtype_policy()));
    auto model = std::make_shared<Self>(from_dict<C>(base.rest));
    if (!base.trainable) model->set_trainable(false);
    if (base.activity_regularizer) model->set_activity_regularizer(*base.activity_regularizer);
    return model;
  }
  /// The class's, under which files list it.
  // NOLINTNEXTLINE(bugprone-parent-virtual-call): a Functional would call itself one.
  std::string base_name() const override { return Layer::base_name(); }
  C config;  ///< as given
};

/// RMSNormalization under the name of a class of KerasHub's, by which files list it.
template <class Self>
class NormOf : public layers::RMSNormalizationLayer {
 public:
  using RMSNormalizationLayer::RMSNormalizationLayer;
  /// As RMSNormalization's.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return std::make_shared<Self>(from_dict<layers::RMSNormalizationConfig>(dict));
  }
};

/// Draws around 0, anew at each use.
Choice<Initializer> normal(double stddev);
/// GELU by its approximation with tanh, under KerasHub's name.
cornu::Activation gelu_approximate();

/// The layer of a graph with this name, as what it is.
template <class L>
std::shared_ptr<L> layer_of(const Functional& model, const std::string& name) {
  return std::dynamic_pointer_cast<L>(model.get_layer(name));
}

/// The last of the steps of x (batch, t, features), which stays an axis of size 1.
inline Tensor last_step(const Tensor& x) {
  const Shape& shape = x.shape();
  return ops::slice(x, {0, shape[1] - 1, 0}, {shape[0], 1, shape[2]});
}

/// The config of a model with a head, as KerasHub's: that of its backbone is inside.
Value::Dict head_config(const Model& model, const Functional& backbone);
/// The options in such a config, or in one that has them itself.
Value::Dict head_options(const Value::Dict& dict);

/// Base of a backbone with a head, whose files are those of KerasHub's class of the same name. Self
/// has the backbone in a member of this name.
template <class Self, class C>
class HeadOf : public ModelOf<Self, C> {
 public:
  using ModelOf<Self, C>::ModelOf;
  /// {"backbone", "preprocessor", "name"}, as in KerasHub.
  Value::Dict get_config() const override {
    return head_config(*this, *static_cast<const Self&>(*this).backbone);
  }
  /// A model from its config, or its options alone. Throws ValueError for missing, unknown or wrong
  /// options.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    const Value::Dict options = head_options(dict);
    const auto base = cornu::detail::split_base_options(options, false, false, false, false);
    const PolicyScope scope(base.policy.value_or(cornu::config::dtype_policy()));
    return ModelOf<Self, C>::from_config(options);
  }
};

}  // namespace cornu::applications
