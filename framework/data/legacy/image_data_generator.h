// ImageDataGenerator, for programs that are ported; new ones use image layers and pipelines.
#pragma once
#include <concepts>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "../../tensor/nest.h"
#include "../random_state.h"
#include "affine.h"

namespace cornu::preprocessing::image {

class NumpyArrayIterator;
class DirectoryIterator;
class DataFrame;
class DataFrameIterator;
struct FlowOptions;
struct FlowFromDirectoryOptions;
struct FlowFromDataframeOptions;

/// How far images are shifted: a fraction below 1 of the side, or more in pixels; a whole number n:
/// less than n pixels; or one of several numbers.
class ShiftRange {
 public:
  ShiftRange(std::floating_point auto range) : range_(range) {}              ///< either way
  ShiftRange(std::integral auto pixels) : pixels_(pixels) {}                 ///< -n + 1 to n - 1
  ShiftRange(std::initializer_list<double> choices) : choices_(choices) {}   ///< with either sign
  ShiftRange(std::vector<double> choices) : choices_(std::move(choices)) {}  ///< the same

  /// A shift of a side with that many pixels, with the draws of NumPy.
  double drawn(int64_t side, data::MersenneTwister& random) const;

 private:
  double range_ = 0;
  int64_t pixels_ = 0;
  std::vector<double> choices_;
};

/// From one number to another.
struct Range {
  double low = 1;                                           ///< the least
  double high = 1;                                          ///< the largest
  Range(double low, double high) : low(low), high(high) {}  ///< between these
  Range(double about) : low(1 - about), high(1 + about) {}  ///< 1 - about to 1 + about
};

/// A range, or none: `.brightness_range = {0.5, 1.5}`.
class OptionalRange : public std::optional<Range> {
 public:
  /// One of the two numbers in braces.
  struct Bound {
    double value;  ///< the number
    template <class T>
    requires std::is_arithmetic_v<T> Bound(T v) : value(static_cast<double>(v)) {}  ///< the number
  };
  OptionalRange() = default;                       ///< none
  OptionalRange(std::nullopt_t) {}                 ///< none
  OptionalRange(Range range) : optional(range) {}  ///< this one
  /// The least and the largest in braces. Throws ValueError unless there are two.
  OptionalRange(std::initializer_list<Bound> bounds);
};

/// Options of ImageDataGenerator.
struct ImageDataGeneratorOptions {
  bool featurewise_center = false;             ///< subtract the means that `fit` found
  bool samplewise_center = false;              ///< subtract each image's mean
  bool featurewise_std_normalization = false;  ///< divide by the deviations that `fit` found
  bool samplewise_std_normalization = false;   ///< divide by each image's standard deviation
  bool zca_whitening = false;                  ///< remove correlations that `fit` found
  double zca_epsilon = 1e-6;                   ///< added to singular values
  double rotation_range = 0;                   ///< degrees to either side
  ShiftRange width_shift_range = 0.0;          ///< see ShiftRange
  ShiftRange height_shift_range = 0.0;         ///< see ShiftRange
  OptionalRange brightness_range = {};         ///< of a factor
  double shear_range = 0;                      ///< degrees to either side
  Range zoom_range = 0.0;                      ///< 1 - z to 1 + z, or from one to another
  double channel_shift_range = 0;              ///< added to all values, either way
  std::string fill_mode = "nearest";           ///< "constant", "nearest", "reflect" or "wrap"
  double cval = 0;                             ///< beyond the image, with "constant"
  bool horizontal_flip = false;                ///< mirror half of the images left to right
  bool vertical_flip = false;                  ///< and upside down
  std::optional<double> rescale = {};          ///< factor of all values, at last
  /// Applied to each image when it has its size, before it is normalized; keeps the shape.
  std::function<Tensor(const Tensor&)> preprocessing_function = {};
  std::string data_format = config::image_data_format();  ///< or "channels_first"
  double validation_split = 0;         ///< fraction of the images that `subset` "validation" has
  int64_t interpolation_order = 1;     ///< 1: linear, 0: nearest
  DTypeName dtype = config::floatx();  ///< of the batches; computed is in float32
};

/// How ImageDataGenerator::fit looks at images.
struct FitImagesOptions {
  bool augment = false;              ///< at randomly changed ones
  int64_t rounds = 1;                ///< of changes, with augment
  std::optional<int64_t> seed = {};  ///< of the changes; none: another one each time
};

/// Random changes and normalization of images, with Keras's numbers for the same seeds: draws are
/// those of NumPy's RandomState. Copies share what `fit` finds.
class ImageDataGenerator {
 public:
  /// Throws ValueError for a validation_split outside of [0, 1), an unknown fill_mode, or an
  /// unknown data_format. As in Keras, whitening and division by deviations turn centering on.
  explicit ImageDataGenerator(ImageDataGeneratorOptions options = {});

  /// Batches of images in memory; see NumpyArrayIterator.
  NumpyArrayIterator flow(const Nest& x, const Nest& y, const FlowOptions& options) const;
  NumpyArrayIterator flow(const Nest& x, const FlowOptions& options) const;  ///< without targets
  NumpyArrayIterator flow(const Nest& x) const;                              ///< by default options
  /// By default options. A template, so that braces are options.
  template <std::convertible_to<Nest> Targets>
  NumpyArrayIterator flow(const Nest& x, const Targets& y) const;
  /// Batches of the image files of a folder; see DirectoryIterator.
  DirectoryIterator flow_from_directory(const std::filesystem::path& directory,
                                        const FlowFromDirectoryOptions& options) const;
  /// The same by default options.
  DirectoryIterator flow_from_directory(const std::filesystem::path& directory) const;
  /// Batches of the image files that a table names; see DataFrameIterator. A table that
  /// io::read_csv read is one as well.
  DataFrameIterator flow_from_dataframe(const DataFrame& dataframe,
                                        const FlowFromDataframeOptions& options) const;
  DataFrameIterator flow_from_dataframe(const DataFrame& dataframe) const;  ///< by default options

  /// Finds means, deviations and correlations of images (n, h, w, c). Throws ShapeError for another
  /// rank.
  void fit(const Tensor& x, const FitImagesOptions& options = {});
  /// An image or a batch, normalized as the options say; warns where `fit` was not called.
  Tensor standardize(const Tensor& x) const;
  /// What is to be done to an image of this shape; without a seed by another one each time.
  TransformParameters get_random_transform(const Shape& image,
                                           std::optional<int64_t> seed = {}) const;
  /// The same by the next numbers of `random`.
  TransformParameters get_random_transform(const Shape& image, data::MersenneTwister& random) const;
  /// The image, of rank 3, changed so.
  Tensor apply_transform(const Tensor& x, const TransformParameters& parameters) const;
  /// Both, one after the other.
  Tensor random_transform(const Tensor& x, std::optional<int64_t> seed = {}) const;

  const ImageDataGeneratorOptions& options() const { return state_->options; }  ///< as settled
  const Tensor& mean() const { return state_->mean; }  ///< of each channel; empty before `fit`
  const Tensor& std() const { return state_->std; }    ///< of each channel; empty before `fit`
  /// (h * w * c, h * w * c); empty before `fit`.
  const Tensor& zca_whitening_matrix() const { return state_->whitening; }

 private:
  struct State {
    ImageDataGeneratorOptions options;
    Tensor mean = nullptr, std = nullptr, whitening = nullptr;
  };
  std::shared_ptr<State> state_;
};

}  // namespace cornu::preprocessing::image
