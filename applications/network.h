// What the networks of keras.applications share: their options, the checks of them, and the way
// from an Input to a model.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "../framework/config/loading.h"
#include "../framework/model/functional.h"
#include "../framework/ops/optional_list.h"
#include "../layers/core/dense.h"
#include "../layers/reshaping/margins.h"

namespace cornu::applications {

/// A text as an option that may be left out: a literal, a string, a path, or none, which is {},
/// nullptr or std::nullopt.
class OptionalText : public std::optional<std::string> {
 public:
  OptionalText() = default;                                                 ///< none
  OptionalText(std::nullopt_t) {}                                           ///< none
  OptionalText(std::nullptr_t) {}                                           ///< none
  OptionalText(const std::optional<std::string>& text) : optional(text) {}  ///< the text, if any
  /// The text.
  template <class T>
  requires(std::convertible_to<const T&, std::string> && !std::same_as<T, std::nullptr_t> &&
           !std::derived_from<T, std::optional<std::string>>) OptionalText(const T& text)
      : optional(std::string(text)) {}
};

/// Options that most networks have, in Keras's order.
struct ApplicationOptions {
  bool include_top = true;  ///< end with the classifier
  /// {} or nullptr: weights are random; else the path of a ".weights.h5", ".keras" or ".h5" file.
  /// The default is Keras's, for which nothing is downloaded here: the error says how to come by
  /// the file.
  OptionalText weights = "imagenet";
  Tensor input_tensor = {};  ///< a symbolic tensor to start from instead of an Input
  /// (height, width, channels) of one image; default: the network's size with the top, else any.
  OptionalList<Shape> input_shape = {};
  OptionalText pooling = {};  ///< without the top: {} (all places), "avg" or "max"
  int64_t classes = 1000;     ///< number of classes, with the top
  /// Of the classifier; {}: logits.
  cornu::Activation classifier_activation = "softmax";
  std::string name = "";  ///< name of the model; default: the network's, "vgg16", ...
  /// Position of the channel axis, "channels_last" or "channels_first", also in input_shape.
  std::string data_format = config::image_data_format();
};

namespace detail {

/// What the checks of a network's options have to know of it.
struct Architecture {
  const char* function;        ///< its name, "VGG16"
  int64_t default_size = 224;  ///< height and width of images with the top
  int64_t min_size = 32;       ///< smallest height and width
  bool channels_first = true;  ///< whether Keras builds it with channels first
  bool sized_top = true;       ///< whether images must be of a known size with the classifier
  bool sized = false;          ///< whether they must be without it
};

/// Names of the pooling layers at the end of a network; empty: from the class's name.
struct PoolingNames {
  const char* classifier;  ///< of the average pooling below the classifier
  const char* average;     ///< of the one without the top
  const char* maximum;     ///< of the maximum pooling without the top
};

/// The options of a family as those that all have.
template <class Options>
ApplicationOptions common_options(const Options& o) {
  return {.include_top = o.include_top,
          .weights = o.weights,
          .input_tensor = o.input_tensor,
          .input_shape = o.input_shape,
          .pooling = o.pooling,
          .classes = o.classes,
          .classifier_activation = o.classifier_activation,
          .name = o.name,
          .data_format = o.data_format};
}

/// A network that is being built: checks the options, makes the Input, puts the data format into
/// each layer, ends with a model. While it lives, and weights are to come from a file, layers draw
/// no initial values.
class Network {
 public:
  /// Throws ValueError for options that contradict each other, ShapeError for an input_shape that
  /// the network cannot take, UnsupportedError for the weights "imagenet".
  Network(const Architecture& architecture, const ApplicationOptions& options);

  const Tensor& input() const { return input_; }  ///< the Input's tensor, or the given one
  /// Height of input_shape as names of models tell it: "224", or "None".
  std::string rows() const;
  /// Throws ShapeError where both input_tensor and input_shape were given and differ.
  void expect_one_size() const;

  /// x (a tensor or a list) through a new layer. Its data_format, and an axis of channels (which
  /// is given as for channels last), become those of the network.
  template <class Handle>
  Tensor add(const Nest& x, typename Handle::Config config) const {
    if constexpr (requires { config.data_format; }) config.data_format = options_.data_format;
    if constexpr (requires { config.axis; })
      if (channels_first_) config.axis = 1;
    return Handle(std::move(config))(x).tensor();
  }
  /// x through an activation that is a layer of its own.
  Tensor activate(const Tensor& x, const cornu::Activation& activation,
                  const std::string& name = "") const;

  int64_t channels(const Tensor& x) const;  ///< number of channels of x
  int64_t height(const Tensor& x) const;    ///< Shape::unknown where any is allowed
  int64_t width(const Tensor& x) const;     ///< the same
  /// The shape of one place of an image with this many channels.
  Shape pixel_shape(int64_t channels) const;
  /// Zeros around x with which a "valid" convolution of stride 2 halves it as a "same" one does.
  layers::Margins<2> correct_pad(const Tensor& x, int64_t kernel) const;

  /// The classifier's Dense layer, with its options besides units, activation and name.
  Tensor classify(const Tensor& x, layers::DenseConfig config = {.units = 1}) const;
  /// Without the top: pooling, if asked for.
  Tensor pool(const Tensor& x, const char* average, const char* maximum) const;
  /// The end of most networks: average pooling and classifier, or pooling.
  Tensor finish_top(const Tensor& x, const PoolingNames& names) const;
  /// The name of the model: the user's or this one.
  std::string name(const std::string& standard) const;
  /// The model from the inputs to x, with its weights.
  Handle<Functional> finish(const Tensor& x, const std::string& standard_name);

 private:
  ApplicationOptions options_;
  bool channels_first_;
  Shape shape_;
  Tensor input_;
  std::optional<LoadingScope> loading_;
};

/// v rounded to a multiple of the divisor, not by more than a tenth down: the numbers of channels
/// of networks with a width (https://arxiv.org/abs/1801.04381, its code).
int64_t make_divisible(double v, int64_t divisor = 8);

}  // namespace detail
}  // namespace cornu::applications
