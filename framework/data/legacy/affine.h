// What ImageDataGenerator does to an image: keras.preprocessing.image of older Keras.
#pragma once
#include <optional>
#include <string>

#include "../../tensor/tensor.h"

namespace cornu::preprocessing::image {

/// One change of an image, as ImageDataGenerator draws it.
struct TransformParameters {
  double theta = 0;              ///< rotation in degrees
  double tx = 0;                 ///< shift along rows' axis (down), in pixels
  double ty = 0;                 ///< shift along columns' axis (to the right), in pixels
  double shear = 0;              ///< angle in degrees
  double zx = 1;                 ///< zoom of the rows; below 1 the image grows
  double zy = 1;                 ///< zoom of the columns
  bool flip_horizontal = false;  ///< left to right
  bool flip_vertical = false;    ///< upside down
  std::optional<double> channel_shift_intensity = {};  ///< added to all values
  std::optional<double> brightness = {};               ///< factor of all values
};

/// How pixels are found between and beyond those of an image.
struct AffineOptions {
  std::string fill_mode = "nearest";  ///< or "constant", "reflect", "wrap"
  double cval = 0;                    ///< outside of the image, with "constant"
  int64_t order = 1;                  ///< 1: linear interpolation; 0: the nearest pixel
  /// Position of the channels; or "channels_first".
  std::string data_format = config::image_data_format();
};

/// Throws ValueError for a fill_mode that AffineOptions does not name.
void check_fill_mode(const std::string& name);

/// An image, float32 of rank 3, rotated, shifted, sheared and zoomed about its middle, with the
/// numbers of SciPy's `ndimage.affine_transform`: "constant" begins at the middle of the outermost
/// pixels, and "wrap" has the first pixel lie on the last. Of the parameters only theta, tx, ty,
/// shear, zx and zy count. Throws ShapeError for another rank, ValueError for an unknown fill_mode,
/// UnsupportedError for splines of order 2 to 5.
Tensor apply_affine_transform(const Tensor& x, const TransformParameters& parameters,
                              const AffineOptions& options = {});

/// x + intensity, cut to the least and the largest value of x.
Tensor apply_channel_shift(const Tensor& x, double intensity);

/// x as an image of bytes, whose values are cut off to whole numbers, times `brightness`, as
/// Pillow computes it. With `scale`, or where values are not in [0, 255], the least value becomes 0
/// and the largest 255 before; without `scale` that is undone behind. Throws as
/// utils::array_to_img.
Tensor apply_brightness_shift(const Tensor& x, double brightness, bool scale = true,
                              const std::string& data_format = config::image_data_format());

/// The image mirrored about the given axis.
Tensor flip_axis(const Tensor& x, int64_t axis);

}  // namespace cornu::preprocessing::image
