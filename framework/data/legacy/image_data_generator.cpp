// Draws, statistics and normalization.
#include "image_data_generator.h"

#include <fmt/core.h>

#include <algorithm>
#include <random>

#include "../../../backend/log.h"
#include "../../ops/core/cast.h"
#include "../../ops/elementwise.h"
#include "../../ops/linalg/decompositions.h"
#include "../../ops/numpy/joining.h"
#include "../../ops/numpy/manipulation.h"
#include "../../ops/numpy/products.h"
#include "../../ops/numpy/reduction.h"
#include "../../ops/operators.h"
#include "../../tensor/device.h"
#include "image_iterators.h"

namespace cornu::preprocessing::image {
namespace {

constexpr double epsilon = 1e-6;

void warn(const char* option, const std::string& what) {
  warn_once(fmt::format("ImageDataGenerator: {} {}", option, what));
}

// Axes of rows, columns and channels of a batch.
struct BatchAxes {
  int64_t row, column, channel;
};

BatchAxes axes_of(const std::string& data_format) {
  if (data_format == "channels_first") return {2, 3, 1};
  return {1, 2, 3};
}

double between(double low, double high, data::MersenneTwister& random) {
  return low + (high - low) * data::numpy_uniform(random);
}

data::MersenneTwister twister(std::optional<int64_t> seed) {
  return data::MersenneTwister::numpy(seed ? *seed : std::random_device()());
}

// Each channel's number of (channels), as the images' axes have it.
Tensor per_channel(const Tensor& numbers, const std::string& data_format) {
  if (data_format == "channels_first") return ops::reshape(numbers, {-1, 1, 1});
  return ops::reshape(numbers, {1, 1, -1});
}

void settle(ImageDataGeneratorOptions& o) {
  const auto turn_on = [](bool when, bool& option, const char* name, const char* by) {
    if (!when || option) return;
    option = true;
    warn(by, fmt::format("turns {} on.", name));
  };
  turn_on(o.zca_whitening, o.featurewise_center, "featurewise_center", "zca_whitening");
  if (o.zca_whitening && o.featurewise_std_normalization) {
    o.featurewise_std_normalization = false;
    warn("zca_whitening", "turns featurewise_std_normalization off.");
  }
  turn_on(o.featurewise_std_normalization, o.featurewise_center, "featurewise_center",
          "featurewise_std_normalization");
  turn_on(o.samplewise_std_normalization, o.samplewise_center, "samplewise_center",
          "samplewise_std_normalization");
}

}  // namespace

double ShiftRange::drawn(int64_t side, data::MersenneTwister& random) const {
  const auto sign = [&] { return data::numpy_below(2, random) == 0 ? -1.0 : 1.0; };
  if (!choices_.empty()) {
    const double choice = choices_[static_cast<size_t>(
        data::numpy_below(static_cast<int64_t>(choices_.size()), random))];
    const double shift = choice * sign();
    const bool fraction = *std::max_element(choices_.begin(), choices_.end()) < 1;
    return fraction ? shift * static_cast<double>(side) : shift;
  }
  if (pixels_ > 0) {
    const auto shift = static_cast<double>(data::numpy_below(pixels_, random));
    return shift * sign();
  }
  if (range_ == 0) return 0;
  const double shift = between(-range_, range_, random);
  return range_ < 1 ? shift * static_cast<double>(side) : shift;
}

OptionalRange::OptionalRange(std::initializer_list<Bound> bounds) {
  if (bounds.size() != 2)
    throw ValueError(fmt::format(
        "brightness_range: expected the least and the largest factor, found {} numbers.",
        bounds.size()));
  emplace(bounds.begin()->value, bounds.begin()[1].value);
}

ImageDataGenerator::ImageDataGenerator(ImageDataGeneratorOptions o) {
  if (o.data_format != "channels_last" && o.data_format != "channels_first")
    throw ValueError(
        fmt::format("data_format: expected \"channels_last\" or \"channels_first\", found \"{}\".",
                    o.data_format));
  if (!(o.validation_split >= 0 && o.validation_split < 1))
    throw ValueError(fmt::format("validation_split: expected a number in [0, 1), found {}.",
                                 o.validation_split));
  check_fill_mode(o.fill_mode);
  settle(o);
  state_ = std::make_shared<State>(State{std::move(o)});
}

NumpyArrayIterator ImageDataGenerator::flow(const Nest& x, const Nest& y,
                                            const FlowOptions& options) const {
  return {x, y, *this, options};
}

NumpyArrayIterator ImageDataGenerator::flow(const Nest& x, const FlowOptions& options) const {
  return {x, {}, *this, options};
}

NumpyArrayIterator ImageDataGenerator::flow(const Nest& x) const { return {x, {}, *this, {}}; }

DirectoryIterator ImageDataGenerator::flow_from_directory(
    const std::filesystem::path& directory, const FlowFromDirectoryOptions& options) const {
  return {directory, *this, options};
}

DirectoryIterator ImageDataGenerator::flow_from_directory(
    const std::filesystem::path& directory) const {
  return flow_from_directory(directory, {});
}

DataFrameIterator ImageDataGenerator::flow_from_dataframe(
    const DataFrame& dataframe, const FlowFromDataframeOptions& options) const {
  return {dataframe, *this, options};
}

DataFrameIterator ImageDataGenerator::flow_from_dataframe(const DataFrame& dataframe) const {
  return flow_from_dataframe(dataframe, {});
}

void ImageDataGenerator::fit(const Tensor& images, const FitImagesOptions& fit) {
  const ImageDataGeneratorOptions& o = options();
  if (images.rank() != 4)
    throw ShapeError(
        fmt::format("ImageDataGenerator::fit: expected images with 4 axes, found shape {}.",
                    images.shape().str()));
  const auto [row, column, channel] = axes_of(o.data_format);
  const std::vector<int64_t> others = {0, row, column};
  // Images are changed on the host, wherever models compute.
  const DeviceScope host(Device::cpu());
  Tensor x = ops::cast(images.to(Device::cpu()), DType::float32);
  if (o.rescale) x = x * *o.rescale;
  if (fit.augment) {
    data::MersenneTwister random = twister(fit.seed);
    std::vector<Tensor> changed;
    for (int64_t r = 0; r < fit.rounds; ++r)
      for (int64_t i = 0; i < x.shape()[0]; ++i) {
        const Tensor one = x[i];
        changed.push_back(apply_transform(one, get_random_transform(one.shape(), random)));
      }
    x = ops::stack(changed, 0);
  }
  if (o.featurewise_center) {
    state_->mean = per_channel(ops::mean(x, others), o.data_format);
    x = x - state_->mean;
  }
  if (o.featurewise_std_normalization) {
    state_->std = per_channel(ops::std(x, others), o.data_format);
    x = x / (state_->std + epsilon);
  }
  if (!o.zca_whitening) return;
  const int64_t n = x.shape()[0];
  const Tensor columns = ops::transpose(ops::reshape(x, {n, -1}));
  const Nest factors = ops::svd(columns, false);
  const Tensor &u = factors[0].tensor(), &s = factors[1].tensor();
  const Tensor inverse = std::sqrt(static_cast<double>(n)) / (s + o.zca_epsilon);
  state_->whitening = ops::matmul(u * inverse, ops::transpose(u));
}

Tensor ImageDataGenerator::standardize(const Tensor& images) const {
  const ImageDataGeneratorOptions& o = options();
  const DeviceScope host(Device::cpu());
  Tensor x = o.preprocessing_function ? o.preprocessing_function(images) : images;
  x = x.to(Device::cpu());
  if (o.rescale) x = x * *o.rescale;
  if (o.samplewise_center) x = x - ops::mean(x);
  if (o.samplewise_std_normalization) x = x / (ops::std(x) + epsilon);
  const auto found = [](const Tensor& statistics, const char* option) {
    if (!statistics) warn(option, "needs what fit finds, and fit was not called.");
    return static_cast<bool>(statistics);
  };
  if (o.featurewise_center && found(mean(), "featurewise_center")) x = x - mean();
  if (o.featurewise_std_normalization && found(std(), "featurewise_std_normalization"))
    x = x / (std() + epsilon);
  if (o.zca_whitening && found(zca_whitening_matrix(), "zca_whitening")) {
    const int64_t values = zca_whitening_matrix().shape()[0];
    x = ops::reshape(ops::matmul(ops::reshape(x, {-1, values}), zca_whitening_matrix()), x.shape());
  }
  return x;
}

TransformParameters ImageDataGenerator::get_random_transform(const Shape& image,
                                                             std::optional<int64_t> seed) const {
  data::MersenneTwister random = twister(seed);
  return get_random_transform(image, random);
}

// In Keras's order of draws.
TransformParameters ImageDataGenerator::get_random_transform(const Shape& image,
                                                             data::MersenneTwister& random) const {
  const ImageDataGeneratorOptions& o = options();
  if (image.rank() != 3)
    throw ShapeError(fmt::format(
        "get_random_transform: expected the shape of one image (3 axes), found {}.", image.str()));
  const auto [row, column, channel] = axes_of(o.data_format);
  TransformParameters p;
  if (o.rotation_range != 0) p.theta = between(-o.rotation_range, o.rotation_range, random);
  p.tx = o.height_shift_range.drawn(image[static_cast<int>(row) - 1], random);
  p.ty = o.width_shift_range.drawn(image[static_cast<int>(column) - 1], random);
  if (o.shear_range != 0) p.shear = between(-o.shear_range, o.shear_range, random);
  if (o.zoom_range.low != 1 || o.zoom_range.high != 1) {
    p.zx = between(o.zoom_range.low, o.zoom_range.high, random);
    p.zy = between(o.zoom_range.low, o.zoom_range.high, random);
  }
  p.flip_horizontal = data::numpy_uniform(random) < 0.5 && o.horizontal_flip;
  p.flip_vertical = data::numpy_uniform(random) < 0.5 && o.vertical_flip;
  if (o.channel_shift_range != 0)
    p.channel_shift_intensity = between(-o.channel_shift_range, o.channel_shift_range, random);
  if (o.brightness_range)
    p.brightness = between(o.brightness_range->low, o.brightness_range->high, random);
  return p;
}

Tensor ImageDataGenerator::apply_transform(const Tensor& image,
                                           const TransformParameters& p) const {
  const ImageDataGeneratorOptions& o = options();
  const auto [row, column, channel] = axes_of(o.data_format);
  Tensor x =
      apply_affine_transform(image, p, {o.fill_mode, o.cval, o.interpolation_order, o.data_format});
  if (p.channel_shift_intensity) x = apply_channel_shift(x, *p.channel_shift_intensity);
  if (p.flip_horizontal) x = flip_axis(x, column - 1);
  if (p.flip_vertical) x = flip_axis(x, row - 1);
  if (p.brightness) x = apply_brightness_shift(x, *p.brightness, false, o.data_format);
  return x;
}

Tensor ImageDataGenerator::random_transform(const Tensor& x, std::optional<int64_t> seed) const {
  return apply_transform(x, get_random_transform(x.shape(), seed));
}

}  // namespace cornu::preprocessing::image
