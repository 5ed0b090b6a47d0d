// Augmentation of single samples with masks, boxes and points, one thread; albumentations does the
// same in benchmarks/augment_peers.py.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include <cornu/cornu.h>

#include "workloads.h"

namespace cornu::bench {
namespace {

struct Row {
  const char* name;  // the same as in augment_peers.py
  data::AnyAugmenter change;
};

layers::Numbers always() { return std::vector<double>{1, 1}; }

std::vector<Row> rows(int64_t size, double white) {
  const std::vector<double> range = {0, white};
  const int64_t part = size * 7 / 8;
  return {
      {"horizontal flip", layers::RandomFlip({.mode = "horizontal"})},
      {"vertical flip", layers::RandomFlip({.mode = "vertical"})},
      {"rotation", layers::RandomRotation({.factor = 20.0 / 360})},
      {"translation", layers::RandomTranslation({.height_factor = 0.1, .width_factor = 0.1})},
      {"zoom", layers::RandomZoom({.height_factor = 0.2})},
      {"shear", layers::RandomShear({.x_factor = 0.2, .y_factor = 0.1})},
      {"perspective", layers::RandomPerspective({.factor = always(), .scale = 0.2})},
      {"elastic",
       layers::RandomElasticTransform({.factor = always(), .scale = 0.3, .value_range = range})},
      {"grid distortion", layers::RandomGridDistortion({.factor = always()})},
      {"random crop", layers::RandomCrop({.height = part, .width = part})},
      {"center crop", layers::CenterCrop({.height = part, .width = part})},
      {"resize", layers::Resizing({.height = part, .width = part})},
      {"random resized crop", layers::RandomResizedCrop({.height = part, .width = part})},
      {"box-safe crop", layers::RandomBoxSafeCrop({.height = part, .width = part})},
      {"letterbox", layers::Letterbox({.height = part, .width = part})},
      {"coarse dropout", layers::RandomCoarseDropout({.factor = always()})},
      {"erasing", layers::RandomErasing({.factor = always(), .value_range = range})},
      {"brightness", layers::RandomBrightness({.factor = 0.2, .value_range = range})},
      {"contrast", layers::RandomContrast({.factor = 0.2, .value_range = range})},
      {"saturation", layers::RandomSaturation({.factor = 0.3, .value_range = range})},
      {"hue", layers::RandomHue({.factor = 0.2, .value_range = range})},
      {"color jitter", layers::RandomColorJitter({.value_range = range,
                                                  .brightness_factor = layers::Numbers(0.2),
                                                  .contrast_factor = layers::Numbers(0.2),
                                                  .saturation_factor = layers::Numbers(0.2),
                                                  .hue_factor = layers::Numbers(0.1)})},
      {"grayscale", layers::RandomGrayscale({.factor = 1.0})},
      {"invert", layers::RandomInvert({.factor = always(), .value_range = range})},
      {"posterize",
       layers::RandomPosterization({.factor = std::vector<int64_t>{4, 4}, .value_range = range})},
      {"solarize", layers::Solarization({.threshold_factor = 0.5, .value_range = range})},
      {"auto contrast", layers::AutoContrast({.value_range = range})},
      {"equalize", layers::Equalization({.value_range = range})},
      {"clahe", layers::ContrastLimitedAdaptiveHistogramEqualization({.value_range = range})},
      {"sharpen", layers::RandomSharpness({.factor = 0.8, .value_range = range})},
      {"gaussian blur",
       layers::RandomGaussianBlur({.factor = always(), .kernel_size = 5, .value_range = range})},
      {"motion blur", layers::RandomMotionBlur({.factor = always()})},
      {"gaussian noise", layers::RandomGaussianNoise({.factor = always(), .value_range = range})},
      {"channel shuffle", layers::RandomChannelShuffle({.factor = always()})},
  };
}

// Noise, two boxes with labels, a mask of classes and eight points.
data::Sample make_sample(int64_t size, DType dtype) {
  const Tensor noise = random::uniform({size, size, 3}, 0, 256, 1);
  const auto side = static_cast<float>(size);
  std::vector<float> points;
  for (int i = 0; i < 8; ++i) {
    points.push_back(side * (0.1f + 0.1f * static_cast<float>(i)));
    points.push_back(side * (0.8f - 0.08f * static_cast<float>(i)));
  }
  return {
      .image = dtype == DType::uint8 ? ops::cast(noise, DType::uint8) : noise * (1.0 / 256),
      .points = Tensor::from(points, {8, 2}),
      .boxes = Tensor::from(std::vector<float>{0.1f * side, 0.2f * side, 0.4f * side, 0.5f * side,
                                               0.5f * side, 0.5f * side, 0.9f * side, 0.8f * side},
                            {2, 4}),
      .box_labels = Tensor(std::vector<int32_t>{1, 2}),
      .mask = ops::cast(random::uniform({size, size}, 0, 3, 2), DType::uint8)};
}

struct BatchRow {
  const char* name;
  AnyLayer layer;
  enum Input { floats, bytes, channels_first } input = floats;
};

constexpr int64_t batch_size = 32, batch_side = 256, batch_part = 224;

layers::Resizing resizing(const std::string& interpolation, int64_t side = batch_part,
                          bool antialias = false) {
  return layers::Resizing(
      {.height = side, .width = side, .interpolation = interpolation, .antialias = antialias});
}

// Keras's layers with their default range of values, which is that of bytes.
std::vector<BatchRow> batch_rows() {
  constexpr int64_t part = batch_part;
  return {{"flip", layers::RandomFlip({.mode = "horizontal"})},
          {"rotation", layers::RandomRotation({.factor = 20.0 / 360})},
          {"crop", layers::RandomCrop({.height = part, .width = part})},
          {"zoom", layers::RandomZoom({.height_factor = 0.2})},
          {"translation", layers::RandomTranslation({.height_factor = 0.1, .width_factor = 0.1})},
          {"shear", layers::RandomShear({.x_factor = 0.2, .y_factor = 0.1})},
          {"perspective", layers::RandomPerspective({.factor = always(), .scale = 0.2})},
          {"elastic", layers::RandomElasticTransform({.factor = always(), .scale = 0.3})},
          {"contrast", layers::RandomContrast({.factor = 0.2})},
          {"brightness", layers::RandomBrightness({.factor = 0.2})},
          {"saturation", layers::RandomSaturation({.factor = 0.3})},
          {"hue", layers::RandomHue({.factor = 0.2})},
          {"grayscale", layers::RandomGrayscale({.factor = 0.5})},
          {"invert", layers::RandomInvert({.factor = 0.5})},
          {"posterize", layers::RandomPosterization({.factor = std::vector<int64_t>{4, 4}})},
          {"solarize", layers::Solarization({.threshold_factor = 0.5})},
          {"auto contrast", layers::AutoContrast()},
          {"equalize", layers::Equalization()},
          {"clahe", layers::ContrastLimitedAdaptiveHistogramEqualization()},
          {"sharpen", layers::RandomSharpness({.factor = 0.8})},
          {"gaussian blur", layers::RandomGaussianBlur({.factor = always(), .kernel_size = 5})},
          {"erasing", layers::RandomErasing({.factor = always()})},
          {"mix up", layers::MixUp()},
          {"cut mix", layers::CutMix()},
          {"center crop", layers::CenterCrop({.height = part, .width = part})},
          {"resize", resizing("bilinear")},
          {"resize nearest", resizing("nearest")},
          {"resize bicubic", resizing("bicubic")},
          {"resize lanczos3", resizing("lanczos3")},
          {"resize area", resizing("area")},
          {"resize 96 antialias", resizing("bilinear", 96, true)},
          {"resize 384", resizing("bilinear", 384)},
          {"resize crop",
           layers::Resizing({.height = part, .width = part / 2, .crop_to_aspect_ratio = true})},
          {"resize pad",
           layers::Resizing({.height = part, .width = part / 2, .pad_to_aspect_ratio = true})},
          {"resize channels first",
           layers::Resizing({.height = part, .width = part, .data_format = "channels_first"}),
           BatchRow::channels_first},
          {"resize uint8", layers::Resizing({.height = part, .width = part, .dtype = "uint8"}),
           BatchRow::bytes}};
}

// Keras's layers on a batch of images, and the same on samples.
void measure_layers(const Workload& workload, const std::string& mode, const Settings& settings) {
  constexpr int64_t side = batch_side;
  const Tensor images = random::uniform({batch_size, side, side, 3}, 0, 255, Seed(1));
  const Tensor inputs[] = {images, ops::cast(images, DType::uint8),
                           ops::transpose(images, std::vector<int64_t>{0, 3, 1, 2})};
  const Call training{.training = true};
  Report report(workload.name, mode, batch_size);
  const auto measure = [&](const char* name, const std::function<void()>& change) {
    report.rate(name, repeat(change, settings.effort, 4), batch_size, "images/s");
  };
  for (const BatchRow& row : batch_rows())
    measure(row.name, [&] { (*row.layer.shared())(inputs[row.input], training); });
  layers::RandomFlip flip({.mode = "horizontal"});
  layers::RandomRotation rotation({.factor = 20.0 / 360});
  layers::RandomCrop crop({.height = batch_part, .width = batch_part});
  measure("flip, rotation, crop",
          [&] { crop(rotation(flip(images, training), training), training); });
  // The same three changes of single samples.
  const data::Augment augment = data::augment({flip, rotation, crop});
  const data::Sample sample = make_sample(side, DType::float32);
  int64_t index = 0;
  report.rate(
      "flip, rotation, crop of samples",
      repeat([&] { augment({.image = sample.image}, {.index = index++}); }, settings.effort, 64), 1,
      "images/s");
}

}  // namespace

void measure_augmentation(const Workload& workload, const std::string& mode,
                          const Settings& settings) {
  if (mode == "layers on batches") return measure_layers(workload, mode, settings);
  backend::set_threads(1);
  const DType dtype = mode == "uint8" ? DType::uint8 : DType::float32;
  for (int64_t size : {256, 512}) {
    Report report(workload.name, mode, 1);
    const data::Sample sample = make_sample(size, dtype);
    for (const Row& row : rows(size, dtype == DType::uint8 ? 255 : 1)) {
      const data::Augment augment = data::augment({row.change});
      int64_t index = 0;
      // As many calls as take some 30 ms.
      const auto run = [&] { augment(sample, {.seed = 1, .index = index++}); };
      const double once = repeat(run, {.reps = 3, .seconds = 0}, 8)[0];
      const auto calls = static_cast<int64_t>(std::clamp(0.03 / once, 1.0, 10000.0));
      Effort effort = settings.effort;
      report.latency(std::string(row.name) + " " + std::to_string(size), repeat(run, effort, calls),
                     "us");
    }
  }
}

}  // namespace cornu::bench
