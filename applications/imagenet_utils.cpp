// Colors of images, and the names of 1,000 classes.
#include "imagenet_utils.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <sstream>

#include "../backend/error.h"
#include "../framework/ops/core/cast.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/operators.h"
#include "../layers/layer_options.h"

namespace cornu::applications::imagenet_utils {
namespace {

constexpr size_t class_count = 1000;

struct ClassName {
  std::string synset, description;
};

// Each synset and its description, separated by spaces.
constexpr const char* class_table =
#include "imagenet_classes.inc"
    ;

const std::array<ClassName, class_count>& class_names() {
  static const auto names = [] {
    std::array<ClassName, class_count> list;
    std::istringstream text(class_table);
    for (ClassName& name : list) text >> name.synset >> name.description;
    return list;
  }();
  return names;
}

int channel_axis(const Tensor& x, const std::string& data_format) {
  return layers::channels_first(data_format) ? x.rank() - 3 : x.rank() - 1;
}

void check_images(const Tensor& x, const std::string& data_format, const std::string& mode) {
  if (mode != "caffe" && mode != "tf" && mode != "torch")
    throw ValueError(fmt::format(
        "preprocess_input: mode must be \"caffe\", \"tf\" or \"torch\", found \"{}\".", mode));
  if (x.rank() != 3 && x.rank() != 4)
    throw ShapeError(fmt::format(
        "preprocess_input: expected an image of 3 axes or a batch of 4, found the shape {}.",
        x.shape().str()));
  const int axis = channel_axis(x, data_format);
  if (mode != "tf" && x.shape()[axis] != 3)
    throw ShapeError(
        fmt::format("preprocess_input: expected 3 channels in axis {}, found the shape {}. Is "
                    "data_format right?",
                    axis, x.shape().str()));
}

// Three numbers along the axis of channels.
Tensor of_channels(const std::array<float, 3>& values, const Tensor& x, int axis) {
  std::vector<int64_t> sizes(static_cast<size_t>(x.rank()), 1);
  sizes[static_cast<size_t>(axis)] = 3;
  return ops::cast(Tensor::from(std::vector<float>(values.begin(), values.end()), Shape(sizes)),
                   x.dtype())
      .to(x.device());
}

std::vector<ClassPrediction> best_classes(const float* scores, size_t top) {
  std::vector<size_t> order(class_count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<ClassPrediction> best;
  for (size_t i = 0; i < std::min(top, class_count); ++i) {
    const ClassName& name = class_names()[order[i]];
    best.push_back({name.synset, name.description, scores[order[i]]});
  }
  return best;
}

}  // namespace

Tensor preprocess_input(const Tensor& images, const std::string& data_format,
                        const std::string& mode) {
  check_images(images, data_format, mode);
  const Tensor x = is_float(images.dtype()) ? images : ops::cast(images, DType::float32);
  if (mode == "tf") return x / 127.5 - 1.0;
  const int axis = channel_axis(x, data_format);
  if (mode == "caffe")
    return ops::flip(x, axis) - of_channels({103.939f, 116.779f, 123.68f}, x, axis);
  return (x / 255.0 - of_channels({0.485f, 0.456f, 0.406f}, x, axis)) /
         of_channels({0.229f, 0.224f, 0.225f}, x, axis);
}

std::vector<std::vector<ClassPrediction>> decode_predictions(const Tensor& preds, int64_t top) {
  if (preds.rank() != 2 || preds.shape()[1] != static_cast<int64_t>(class_count))
    throw ShapeError(
        fmt::format("decode_predictions: expected predictions of shape (samples, {}), found {}.",
                    class_count, preds.shape().str()));
  if (top < 1)
    throw ValueError(fmt::format("decode_predictions: top must be 1 or more, found {}.", top));
  const std::vector<float> scores = ops::cast(preds, DType::float32).to_vector<float>();
  std::vector<std::vector<ClassPrediction>> samples;
  for (size_t row = 0; row < scores.size(); row += class_count)
    samples.push_back(best_classes(scores.data() + row, static_cast<size_t>(top)));
  return samples;
}

}  // namespace cornu::applications::imagenet_utils
