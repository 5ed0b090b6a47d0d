// Geometry: changes of where things are in a sample, the same for its pictures, points and boxes.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../../backend/image_sampling.h"
#include "augment.h"

namespace cornu::data {

using backend::image::Homography;
using backend::image::Picture;

/// How pixels are found between and beyond those of a picture, in Keras's words.
struct Resampling {
  std::string interpolation = "bilinear";  ///< of images: "bilinear" or "nearest"
  std::string fill_mode = "constant";      ///< "constant", "nearest", "wrap", "mirror" or "reflect"
  double fill_value = 0;                   ///< with "constant", also of masks
};

/// Where the pixels of a result come from. Coordinates are pixels' middles: (0, 0) is the first
/// pixel.
struct Geometry {
  int64_t height = 0;  ///< rows of the result
  int64_t width = 0;   ///< columns of the result
  /// From places in the result to places in the source; it can be inverted.
  Homography source = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  /// Or steps (height, width, 2) in x and y from each pixel of the result to its place in the
  /// source, which has the same size.
  std::vector<float> field = {};
  /// Fills the second picture from the first, the last argument saying that each pixel is to be
  /// taken from one pixel.
  std::function<void(const Picture&, const Picture&, bool nearest)> pixels = {};
};

/// Changes all of a sample that is in pixels: image and tensors marked `linear` by the
/// interpolation, mask, depth and tensors marked `nearest` by nearest pixels, and points and boxes.
/// Points that leave the image stay in their rows and become invisible; in a mirrored image rows,
/// of attached points too, change places as draws.mirrored_points() says. Boxes become those that
/// hold what they held, cut to the image; labels of boxes of which nothing is left become -1.
void apply(Sample& sample, const Geometry& geometry, const Draws& draws);

/// The picture resampled through a map of the result's places to the source's.
Geometry warped(const Homography& source, int64_t height, int64_t width,
                const Resampling& resampling);
/// Each pixel moved by its step of the field, (height, width, 2).
Geometry displaced(std::vector<float> field, int64_t height, int64_t width,
                   const Resampling& resampling);
/// Mirrored about the vertical axis, the horizontal one, or both.
Geometry mirrored(int64_t height, int64_t width, bool left_right, bool up_down);
/// The window of the source, which may reach beyond it: what is outside has the value, and in mask,
/// depth and tensors marked `nearest` the second one, which is by default the same.
Geometry window(int64_t top, int64_t left, int64_t height, int64_t width, double fill_value = 0,
                std::optional<double> mask_fill_value = {});
/// The window (top, left, height, width) inside of the source, resized; the interpolation is one of
/// backend::image::resize.
Geometry resized(const std::array<int64_t, 4>& window, int64_t height, int64_t width,
                 const backend::image::Resizing& how);

/// The map that takes four places to four others.
Homography homography(const std::array<std::array<double, 2>, 4>& from,
                      const std::array<std::array<double, 2>, 4>& to);
/// a after b: the map of places through b and then a.
Homography composed(const Homography& a, const Homography& b);
/// The inverse map. Throws ValueError when there is none.
Homography inverse(const Homography& map);
/// Where a map takes a place; infinite beyond the horizon.
std::array<double, 2> mapped(const Homography& map, double x, double y);

}  // namespace cornu::data
