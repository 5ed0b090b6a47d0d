// Input: where data enters a model.
#pragma once
#include "../base/layer.h"

namespace cornu {

/// The shape of a sample: a Shape, or sizes in braces. No number alone, so that Input({3, 4}) is a
/// shape, and not a size and a batch_size.
class SampleShape : public Shape {
 public:
  SampleShape() = default;
  SampleShape(const Shape& shape) : Shape(shape) {}                 ///< the same
  SampleShape(std::initializer_list<Size> sizes) : Shape(sizes) {}  ///< from sizes in braces
};

/// Options of Input, as in Keras.
struct InputConfig {
  SampleShape shape = {};                  ///< of one sample, without the batch
  std::optional<int64_t> batch_size = {};  ///< default: any
  OptionalDType dtype = {};                ///< default float32
  std::optional<bool> sparse = {};         ///< true throws UnsupportedError: tensors are dense
  std::optional<bool> ragged = {};         ///< true throws UnsupportedError: tensors are dense
  std::optional<Shape> batch_shape = {};   ///< with the batch, in place of shape
  std::string name = "";                   ///< default: "input_layer", made unique
  /// A symbolic tensor that there is, in place of a new one: the Input is that tensor, where a
  /// Functional then begins, and shape and dtype are its own.
  Tensor tensor = {};
  /// Whether calls of a Functional may give an empty tensor in this place, which the layers that
  /// take it see.
  bool optional = false;
};

/// The layer of an Input. Its output is the data itself.
class InputLayer : public Layer {
 public:
  using Config = InputConfig;  ///< the options
  /// Throws ValueError for a batch_shape beside shape or batch_size, and for options that differ
  /// from those of `tensor`; UnsupportedError for sparse or ragged data.
  explicit InputLayer(InputConfig config);
  Tensor call(const Tensor& x, const Call&) override { return x; }
  Value::Dict get_config() const override;
  /// An input layer from its config.
  static std::shared_ptr<InputLayer> from_config(const Value::Dict& dict);
  std::string base_name() const override { return "input_layer"; }
  /// One on the stack, as in a list of layers in braces, gives one like it on the heap.
  std::shared_ptr<Layer> shared_layer() override;

  /// with the batch axis, Shape::unknown where it is not fixed
  const Shape& batch_shape() const { return batch_shape_; }
  DType dtype() const { return dtype_; }       ///< of the data
  bool optional() const { return optional_; }  ///< whether the data may be missing
  /// The symbolic tensor that stands for the data. The same tensor each time while one is alive.
  Nest output() const override;
  Nest input() const override { return output(); }  ///< the same

 private:
  Shape batch_shape_;
  DType dtype_;
  bool optional_ = false;
  mutable std::weak_ptr<Node> node_;
  std::shared_ptr<Layer> shared_;  // of one on the stack
};

/// `Input({8, 8, 1})`: a symbolic tensor of samples of this shape, for Functional models; and the
/// first entry of a Sequential.
class Input : public Tensor {
 public:
  /// Samples of this shape, float32, in batches of any size.
  template <std::same_as<Shape> S>
  Input(const S& shape) : Input(InputConfig{.shape = shape}) {}
  /// The same for sizes in braces.
  template <size_t rank>
  Input(const Shape::Size (&sizes)[rank]) : Input(InputConfig{.shape = shape_of(sizes)}) {}
  /// The same with options: `Input({8}, {.name = "height"})`.
  Input(const Shape& shape, InputConfig rest) : Input((rest.shape = shape, std::move(rest))) {}
  /// The same with all options.
  Input(InputConfig config);
  /// Its layer, for Sequential.
  operator AnyLayer() const { return AnyLayer(layer_); }

 private:
  static Shape shape_of(std::span<const Shape::Size> sizes);
  Input(std::shared_ptr<InputLayer> layer, Tensor output)
      : Tensor(std::move(output)), layer_(std::move(layer)) {}
  static Input of(InputConfig config);
  std::shared_ptr<InputLayer> layer_;
};

}  // namespace cornu
