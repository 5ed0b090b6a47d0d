// Functional: a model made of a graph of layers and ops from inputs to outputs.
#pragma once
#include <unordered_map>

#include "input.h"
#include "model.h"
#include "names.h"

namespace cornu {

/// `Input x({32}); auto y = layers::Dense({.units = 4})(x); Functional model(x, y);` Inputs and
/// outputs may be lists and dictionaries; layers may be shared.
class Functional : public Model {
 public:
  /// Options of the model.
  struct Options {
    std::string name = "";  ///< default: "functional", made unique
    bool trainable = true;  ///< false: all weights are frozen
  };
  // Parameters, members and results that share a model are Handle<Functional>.
  Functional(const Functional&) = delete;  // models are shared by make<Functional>(x, y)
  /// Inputs are those of Input, or tensors inside of another model's graph (`layer->output()`),
  /// where the new model then begins. Throws ValueError when an input or output is not symbolic, or
  /// an output does not depend on the inputs alone.
  Functional(const Nest& inputs, const Nest& outputs) : Functional(inputs, outputs, Options{}) {}
  /// The same with options.
  Functional(const Nest& inputs, const Nest& outputs, Options options);

  /// What the graph calls, layers and ops, in the order of Keras's files (by depth).
  const std::vector<std::shared_ptr<Operation>>& operations() const { return operations_; }
  /// The calls of the graph, each behind those that it depends on.
  std::vector<std::shared_ptr<Node>> nodes() const;
  /// The layers in the order of Keras's files (by depth).
  LayerList layers() const override { return layers_; }

  /// As Model's. Where the calls that made the graph have built all layers, shapes that go with
  /// one number of samples alone, as that of a constant inside, are no error.
  void build_many(const Nest& inputs) override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  /// None: the layers inside have put their masks on what they return, or ended them.
  Tensor compute_mask(const Nest&, const Tensor&) override { return {}; }
  std::vector<std::shared_ptr<Layer>> sublayers() const override { return layers_; }
  std::shared_ptr<Layer> shared_layer() override;
  const Layer* twin() const override { return shared_.get(); }
  Value::Dict get_config() const override;
  /// A model from its config, with fresh weights. Throws ValueError that names the entry that is
  /// wrong.
  static Handle<Functional> from_config(const Value::Dict& dict);
  /// The same as a T, a class derived from this one that is made of inputs, outputs and, where it
  /// takes them, Options: how CORNU_REGISTER reads such a class.
  template <class T>
  requires(std::constructible_from<T, const Nest&, const Nest&> ||
           std::constructible_from<T, const Nest&, const Nest&, const Options&>) static std::
      shared_ptr<T> read_as(const Value::Dict& dict) {
    std::shared_ptr<T> model;
    read(dict, [&](const Nest& inputs, const Nest& outputs, const Options& options) {
      if constexpr (std::constructible_from<T, const Nest&, const Nest&, const Options&>)
        model = std::make_shared<T>(inputs, outputs, options);
      else
        model = std::make_shared<T>(inputs, outputs);
      return model;
    });
    return model;
  }
  std::string base_name() const override;
  std::vector<std::string> output_names() const override;
  /// Names of the Input layers.
  std::vector<std::string> input_names() const override;
  Nest input_spec() const override;
  Nest inputs() const override { return inputs_; }
  Nest outputs() const override { return outputs_; }
  bool has_sections() const override { return true; }

 protected:
  Nest standardize(const Nest& x) const override;

 private:
  // One call of the graph, with the places of its tensors among all values.
  struct Step {
    std::shared_ptr<Node> node;
    Layer* simple = nullptr;  // a layer called on one tensor and nothing else
    int input = -1;           // its place
    int first_output = 0;
    int output_count = 0;
    bool given = false;         // an input
    std::vector<int> finished;  // places that nothing reads after this step
  };
  // Makes the model of a config by `make`.
  using Maker = std::function<std::shared_ptr<Functional>(const Nest& inputs, const Nest& outputs,
                                                          const Options& options)>;
  static void read(const Value::Dict& dict, const Maker& make);
  int place(const Tensor& symbolic) const;
  void collect();
  void find_last_uses();
  void order_operations();
  void run(std::vector<Tensor>& values, size_t begin, size_t end);
  // Steps [begin, end) that are computed again for their gradient, and the places of what they take
  // and leave.
  struct Section {
    size_t begin = 0, end = 0;
    std::vector<int> reads, writes;
  };
  void find_sections();
  void run_in_sections(std::vector<Tensor>& values);

  Nest inputs_, outputs_;
  std::shared_ptr<Functional> shared_;                  // of one on the stack
  std::vector<std::shared_ptr<Operation>> operations_;  // by depth, as in files
  std::vector<std::shared_ptr<Layer>> layers_;
  std::vector<Step> steps_;
  std::vector<Section> sections_;                // found when they are first asked for
  std::unordered_map<const Node*, int> places_;  // of each node's first output
  int value_count_ = 0;
};

}  // namespace cornu
