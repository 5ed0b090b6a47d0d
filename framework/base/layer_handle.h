// How layers are held: handles that can be called, layers in lists, and layers in nested lists.
#pragma once
#include <concepts>
#include <initializer_list>
#include <memory>
#include <vector>

#include "../config/configurable.h"
#include "../tensor/nest.h"
#include "call.h"

namespace cornu {

class Layer;

namespace detail {
/// A loss or metric, which compares targets with predictions.
template <class T>
concept Comparing = requires(T& object, const Tensor& y) {
  object(y, y, y);
};
}  // namespace detail

/// A shared pointer to a layer that can be called as the layer can: `model(x)`; also to a loss or
/// metric: `loss_fn(y_true, y_pred)`.
template <class T>
class Handle : public std::shared_ptr<T> {
 public:
  using std::shared_ptr<T>::shared_ptr;
  /// Shares the layer.
  Handle(std::shared_ptr<T> layer) : std::shared_ptr<T>(std::move(layer)) {}
  /// The same of a handle with a class of its own: `Handle<Layer> layer = Dense({.units = 4})`.
  template <class U>
  requires std::derived_from<U, T> Handle(const Ref<U>& ref) : std::shared_ptr<T>(ref.shared()) {}
  /// Calls the layer.
  Tensor operator()(const Tensor& x, const Call& call = {}) const requires(!detail::Comparing<T>) {
    return (**this)(x, call);
  }
  /// Calls the loss or metric; see Loss and Metric.
  template <class U = T>
  requires detail::Comparing<U> Tensor operator()(const Tensor& y_true, const Tensor& y_pred,
                                                  const Tensor& sample_weight = {}) const {
    return (**this)(y_true, y_pred, sample_weight);
  }
  /// Calls a metric of values, such as Mean.
  template <class U = T>
  requires(detail::Comparing<U>&& requires(U& object, const Tensor& y) { object(y); }) Tensor
  operator()(const Tensor& values) const {
    return (**this)(values);
  }
  /// The same for the numbers or strings of a vector or span.
  template <detail::Listing V>
  Tensor operator()(const V& values, const Call& call = {}) const {
    return (**this)(Tensor(values), call);
  }
  /// The same for several inputs or results.
  Nest operator()(const Nest& inputs, const Call& call = {}) const {
    return (**this)(inputs, call);
  }
  /// The same for inputs in braces.
  Nest operator()(std::initializer_list<Nest> inputs, const Call& call = {}) const {
    return (**this)(Nest(inputs), call);
  }
  /// The same for one that gives a list of N tensors, to be taken apart; see Layer::unpack.
  template <size_t N>
  auto unpack(const Nest& inputs, const Call& call = {}) const {
    return (**this).template unpack<N>(inputs, call);
  }
};

namespace detail {
template <class T, class... A>
inline constexpr bool is_config_of = false;
template <class T, class A>
requires requires { typename T::Config; }
inline constexpr bool is_config_of<T, A> = std::same_as<std::remove_cvref_t<A>, typename T::Config>;
}  // namespace detail

/// A model or layer made on the heap, to be held by another.
template <class T, class... A>
requires(!detail::is_config_of<T, A...>) Handle<T> make(A&&... arguments) {
  return std::make_shared<T>(std::forward<A>(arguments)...);
}
/// The same for a graph with options: `make<Functional>(x, y, {.name = "encoder"})`.
template <class T>
Handle<T> make(const Nest& inputs, const Nest& outputs, typename T::Options options) {
  return std::make_shared<T>(inputs, outputs, std::move(options));
}
/// The same without options, for tensors in braces: `make<Functional>({a, b}, {c, d})`.
template <class T>
requires std::constructible_from<T, const Nest&, const Nest&> Handle<T> make(const Nest& inputs,
                                                                             const Nest& outputs) {
  return std::make_shared<T>(inputs, outputs);
}
/// The same from options in braces: `make<Encoder>({.units = 8})`.
template <class T>
Handle<T> make(typename T::Config config) {
  return std::make_shared<T>(std::move(config));
}

/// Any layer, for lists of them: made from handles and shared pointers alike.
class AnyLayer : public Handle<Layer> {
 public:
  /// Shares the handle's layer.
  template <class T>
  requires std::derived_from<T, Layer> AnyLayer(const Ref<T>& ref) : Handle<Layer>(ref.shared()) {}
  /// Shares the layer.
  template <std::derived_from<Layer> T>
  AnyLayer(std::shared_ptr<T> layer) : Handle<Layer>(std::move(layer)) {}
  /// Shares the layers of a Functional or Sequential on the stack; see Layer::shared_layer.
  AnyLayer(Layer& layer);
  /// The same.
  AnyLayer(Layer&& layer);
  const std::shared_ptr<Layer>& shared() const { return *this; }  ///< the layer itself
};

/// Layers in order, each of which can be called: `for (const auto& layer : model.layers()) x =
/// layer(x);`.
class LayerList : public std::vector<Handle<Layer>> {
 public:
  using std::vector<Handle<Layer>>::vector;
  /// Shares the layers.
  LayerList(const std::vector<std::shared_ptr<Layer>>& layers)
      : std::vector<Handle<Layer>>(layers.begin(), layers.end()) {}
  /// The same layers as shared pointers.
  operator std::vector<std::shared_ptr<Layer>>() const { return {begin(), end()}; }
};

/// make for a stack of layers in braces: `make<Sequential>({dense, relu}, {.name = "head"})`.
template <class T>
Handle<T> make(std::initializer_list<AnyLayer> layers, typename T::Options options = {}) {
  return std::make_shared<T>(std::vector<AnyLayer>(layers), std::move(options));
}

/// What a member of a layer holds: a layer, or a list of such, nested in any way; see Layer::track.
/// Braces make a list: `Members{first, Members{second, third}}`.
class Members {
 public:
  /// One layer.
  template <class T>
  requires std::derived_from<T, Layer> Members(const Ref<T>& layer) : layer_(layer.shared()) {}
  /// One layer.
  template <std::derived_from<Layer> T>
  Members(std::shared_ptr<T> layer) : layer_(std::move(layer)) {}
  /// One Functional or Sequential that is a member by value; see Layer::shared_layer.
  Members(Layer& layer);
  /// A list.
  Members(std::initializer_list<Members> list) : list_(list) {}
  /// A list that the program builds.
  explicit Members(std::vector<Members> list) : list_(std::move(list)) {}

  /// The layer; null for a list.
  const std::shared_ptr<Layer>& layer() const { return layer_; }
  const std::vector<Members>& list() const { return list_; }  ///< empty for a single layer
  /// All layers in it, in order.
  std::vector<std::shared_ptr<Layer>> layers() const;

 private:
  std::shared_ptr<Layer> layer_;
  std::vector<Members> list_;
};

}  // namespace cornu
