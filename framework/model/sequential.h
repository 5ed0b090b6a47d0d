// Sequential: a stack of layers, each fed by the one before.
#pragma once
#include "input.h"
#include "model.h"
#include "names.h"

namespace cornu {

/// `Sequential model({Input({8}), layers::Dense({.units = 4})});` An Input first gives the shape,
/// so that the weights are made at once; without it they are made on the first call.
class Sequential : public Model {
 public:
  /// Options of the model.
  struct Options {
    std::string name = "";  ///< default: "sequential", made unique
    bool trainable = true;  ///< false: all weights are frozen
  };
  // Parameters, members and results that share a model are Handle<Sequential>.
  Sequential(const Sequential&) = delete;  // models are shared by make<Sequential>({...})
  /// Throws ValueError for two layers of one name.
  Sequential(std::initializer_list<AnyLayer> layers = {})
      : Sequential(std::vector<AnyLayer>(layers)) {}
  /// The same for a list that the program builds.
  Sequential(const std::vector<AnyLayer>& layers) : Sequential(layers, Options{}) {}
  /// The same with options.
  Sequential(const std::vector<AnyLayer>& layers, Options options);
  /// The same from handles of one class.
  template <std::convertible_to<AnyLayer> T>
  Sequential(const std::vector<T>& layers)
      : Sequential(std::vector<AnyLayer>(layers.begin(), layers.end()), Options{}) {}
  /// The same with options.
  template <std::convertible_to<AnyLayer> T>
  Sequential(const std::vector<T>& layers, Options options)
      : Sequential(std::vector<AnyLayer>(layers.begin(), layers.end()), std::move(options)) {}

  /// Appends a layer. Throws ValueError for a name that is taken.
  void add(const AnyLayer& layer);
  /// Removes the last layer. Throws StateError when there is none.
  void pop();
  /// The layers without the Input.
  LayerList layers() const override { return layers_; }
  Nest inputs() const override;
  Nest outputs() const override;

  void build_many(const Nest& inputs) override;
  bool acts_per_row() const override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  /// None: the layers inside have put their masks on what they return, or ended them.
  Tensor compute_mask(const Nest&, const Tensor&) override { return {}; }
  std::vector<std::shared_ptr<Layer>> sublayers() const override { return layers_; }
  std::shared_ptr<Layer> shared_layer() override;
  const Layer* twin() const override { return shared_.get(); }
  Value::Dict get_config() const override;
  /// A model from its config, with fresh weights where it has an Input.
  static Handle<Sequential> from_config(const Value::Dict& dict);
  /// The same as a T, a class derived from this one that is made of layers: how CORNU_REGISTER
  /// reads such a class.
  template <class T>
  requires(std::constructible_from<T, const std::vector<AnyLayer>&>) static std::shared_ptr<
      T> read_as(const Value::Dict& dict) {
    const std::vector<AnyLayer> none;
    auto model = std::make_shared<T>(none);
    model->Sequential::read(dict);
    return model;
  }
  std::string base_name() const override;
  std::vector<std::string> output_names() const override;
  /// The Input's name; empty without one.
  std::vector<std::string> input_names() const override;
  Nest input_spec() const override;
  bool has_sections() const override { return true; }

 protected:
  Nest standardize(const Nest& x) const override;

 private:
  // Takes over name and layers from a config.
  void read(const Value::Dict& dict);
  void build_from_input();
  void extend_graph(size_t first);
  void build_last();
  const std::vector<Nest>& graph(const char* what) const;
  Nest run(const Nest& x, size_t begin, size_t end);
  std::vector<size_t> find_sections(const Nest& x) const;

  std::shared_ptr<InputLayer> input_;
  std::shared_ptr<Sequential> shared_;  // of one on the stack
  std::vector<std::shared_ptr<Layer>> layers_;
  std::vector<size_t> segment_ends_;  // found when they are first asked for
  std::vector<Nest> graph_;           // the symbolic input, and what each layer makes of it
};

}  // namespace cornu
