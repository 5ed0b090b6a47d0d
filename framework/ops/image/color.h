// keras.ops.image: images (n, h, w, c) or one image (h, w, c); with data_format "channels_first"
// (n, c, h, w).
#pragma once
#include "../op.h"

namespace cornu {
class OpCatalog;
class Seed;
namespace ops {

/// "channels_last" by default. Throws ValueError for an unknown one.
using DataFormat = std::optional<std::string>;

/// 0.2989 red + 0.587 green + 0.114 blue, one channel; an image that has one is given back.
Tensor rgb_to_grayscale(const Tensor& images, const DataFormat& data_format = {});
/// Hue, saturation and value, each in [0, 1], of red, green and blue in [0, 1], and back. Floats
/// only.
Tensor rgb_to_hsv(const Tensor& images, const DataFormat& data_format = {});
Tensor hsv_to_rgb(const Tensor& images, const DataFormat& data_format = {});

/// Images of size (height, width). `interpolation`: "nearest", "bilinear", "bicubic" (Keys, a =
/// -1/2), "lanczos3", "lanczos5" or "area" (means); `antialias` widens the kernels where images
/// shrink. To keep the ratio of the sides, images are cropped at their centre, or padded with
/// fill_value. Integers are rounded.
Tensor resize(const Tensor& images, const std::vector<int64_t>& size,
              const std::string& interpolation = "bilinear", bool antialias = false,
              bool crop_to_aspect_ratio = false, bool pad_to_aspect_ratio = false,
              const std::string& fill_mode = "constant", double fill_value = 0,
              const DataFormat& data_format = {});
/// Resamples the axes `spatial_dims` of images to `output_shape`: place i of an axis becomes i *
/// scale + translation. `method`: "linear", "cubic", "lanczos3" or "lanczos5".
Tensor scale_and_translate(const Tensor& images, const Shape& output_shape, const Tensor& scale,
                           const Tensor& translation, const std::vector<int64_t>& spatial_dims,
                           const std::string& method, bool antialias = true);

/// The elements of inputs at coordinates (axes, ...), between them those nearby: `order` 0 the
/// nearest, 1 linear. Outside: "constant" (fill_value), "nearest", "wrap", "mirror" or "reflect".
Tensor map_coordinates(const Tensor& inputs, const Tensor& coordinates, int64_t order,
                       const std::string& fill_mode = "constant", double fill_value = 0);
/// Pixel (x, y) of the result is that of the images at ((a0 x + a1 y + a2), (b0 x + b1 y + b2)),
/// with transform (8) or (n, 8) = a0, a1, a2, b0, b1, b2, c0, c1, of which the last two do not
/// count. `interpolation` "bilinear" or "nearest".
Tensor affine_transform(const Tensor& images, const Tensor& transform,
                        const std::string& interpolation = "bilinear",
                        const std::string& fill_mode = "constant", double fill_value = 0,
                        const DataFormat& data_format = {});
/// The perspective that takes the corners start_points (4, 2) or (n, 4, 2), as (x, y), to
/// end_points.
Tensor perspective_transform(const Tensor& images, const Tensor& start_points,
                             const Tensor& end_points,
                             const std::string& interpolation = "bilinear", double fill_value = 0,
                             const DataFormat& data_format = {});
/// Images distorted by a field of shifts: normal draws times sigma, blurred by a Gaussian of
/// deviation sigma (in pixels, kernel of size 6 sigma), times alpha. As in Keras on JAX each pixel
/// moves by the same amount along both axes. Without a seed one is chosen in each eager call.
Tensor elastic_transform(const Tensor& images, double alpha = 20, double sigma = 5,
                         const std::string& interpolation = "bilinear",
                         const std::string& fill_mode = "reflect", double fill_value = 0,
                         std::optional<int64_t> seed = {}, const DataFormat& data_format = {});

/// Pads with zeros, by amounts or to a size: two of top, bottom and target_height, two of left,
/// right and target_width.
Tensor pad_images(const Tensor& images, std::optional<int64_t> top_padding = {},
                  std::optional<int64_t> left_padding = {},
                  std::optional<int64_t> bottom_padding = {},
                  std::optional<int64_t> right_padding = {},
                  std::optional<int64_t> target_height = {},
                  std::optional<int64_t> target_width = {}, const DataFormat& data_format = {});
/// Cuts off borders; arguments as pad_images.
Tensor crop_images(const Tensor& images, std::optional<int64_t> top_cropping = {},
                   std::optional<int64_t> left_cropping = {},
                   std::optional<int64_t> bottom_cropping = {},
                   std::optional<int64_t> right_cropping = {},
                   std::optional<int64_t> target_height = {},
                   std::optional<int64_t> target_width = {}, const DataFormat& data_format = {});
/// Each channel convolved with a Gaussian, kernel_size (width, height) and sigma likewise.
Tensor gaussian_blur(const Tensor& images, const std::vector<int64_t>& kernel_size = {3, 3},
                     const std::vector<double>& sigma = {1, 1}, const DataFormat& data_format = {});

/// How bright images get, downward and to the right, in a last axis of 2: Sobel's filters, with
/// borders mirrored. A batch of floats (n, h, w, c) -> (n, h, w, c, 2).
Tensor sobel_edges(const Tensor& images, const DataFormat& data_format = {});
/// The structural similarity of two images, 1 for equal ones, or of those of two batches: means,
/// variances and covariance under a Gaussian of filter_size and filter_sigma. Z. Wang et al., Image
/// quality assessment (2004). `max_val` is the range of the values.
Tensor ssim(const Tensor& image1, const Tensor& image2, double max_val = 1,
            int64_t filter_size = 11, double filter_sigma = 1.5, double k1 = 0.01, double k2 = 0.03,
            const DataFormat& data_format = {});

void list_image(OpCatalog& catalog);

}  // namespace ops

namespace detail {

/// Whether channels are last; throws ValueError for an unknown format.
bool is_channels_last(const ops::DataFormat& data_format, const char* who);
/// Throws ShapeError unless `images` has 3 or 4 axes.
void check_images(const Tensor& images, const char* who);

/// The eight numbers (n, 8) of the perspective that takes points `to` to points `from`, both
/// (n, 4, 2).
Tensor homography(const Tensor& from, const Tensor& to);
/// elastic_transform with scalar tensors alpha and sigma, of which sigma is at most largest_sigma,
/// and a key to draw with.
Tensor elastic_transform(const Tensor& images, const Tensor& alpha, const Tensor& sigma,
                         double largest_sigma, const std::string& interpolation,
                         const std::string& fill_mode, double fill_value, const Seed& seed,
                         const ops::DataFormat& data_format);

void list_image_filters(OpCatalog& catalog);
void list_image_resize(OpCatalog& catalog);
void list_image_transform(OpCatalog& catalog);

}  // namespace detail
}  // namespace cornu
