// keras.applications.imagenet_utils: images as networks take them, and ImageNet's names of classes.
#pragma once
#include <string>
#include <vector>

#include "../framework/tensor/tensor.h"

namespace cornu::applications::imagenet_utils {

/// x, images (..., channels) or with "channels_first" (batch, channels, height, width) or
/// (channels, height, width), of values in [0, 255], as a network was trained on them. Mode
/// "caffe": the colors from RGB to BGR, minus ImageNet's means; "tf": to [-1, 1], channel by
/// channel alike; "torch": to [0, 1], then minus ImageNet's means and divided by its deviations.
/// Integers become float32. Throws ValueError for another mode or data_format, and ShapeError
/// unless there are 3 or 4 axes and, but for "tf", 3 channels.
Tensor preprocess_input(const Tensor& x,
                        const std::string& data_format = config::image_data_format(),
                        const std::string& mode = "caffe");

/// A class that a network has found.
struct ClassPrediction {
  std::string class_name;         ///< of ImageNet: "n02123045"
  std::string class_description;  ///< in English: "tabby"
  float score = 0;                ///< what the network gives it, its probability
};

/// The `top` classes of each row of preds (samples, 1000) by their scores, the highest first; of
/// equal scores the lower class first; all where top is more than 1000. Throws ShapeError for
/// another shape, ValueError unless top is positive.
std::vector<std::vector<ClassPrediction>> decode_predictions(const Tensor& preds, int64_t top = 5);

}  // namespace cornu::applications::imagenet_utils
