// What layers share that change single samples: draws from options, and shapes of images.
#pragma once
#include "../../framework/base/number.h"
#include "../../framework/data/geometry.h"
#include "../../framework/data/pictures.h"
#include "../layer_options.h"

namespace cornu::layers {

using data::Picture;

/// Uniform between the two numbers of a factor.
double drawn(const Numbers& factor, data::Draws& draws);
/// Whether something happens whose probability is drawn from a factor first.
bool happens(const Numbers& factor, data::Draws& draws);
/// Rows and columns of a sample's image.
inline int64_t height_of(const data::Sample& sample) { return sample.image.shape()[0]; }
/// The columns.
inline int64_t width_of(const data::Sample& sample) { return sample.image.shape()[1]; }
/// Throws ShapeError unless the image has three channels.
void check_colors(const data::Sample& sample);
/// Cuts values to the range, unless they are bytes that the range holds.
void cut_to_range(const Picture& picture, const std::vector<double>& value_range);
/// Bytes through a function of [0, 255]: a table of all of them.
void map_bytes(const Picture& from, const Picture& to, const std::function<double(double)>& f);
/// A rectangle of an image.
struct Area {
  int64_t top;     ///< first row
  int64_t left;    ///< first column
  int64_t height;  ///< number of rows
  int64_t width;   ///< number of columns
};
/// The rectangle of these fractions of the sides at a random place, as RandomErasing and CutMix
/// draw.
Area drawn_area(int64_t height, int64_t width, double share_of_height, double share_of_width,
                data::Draws& draws);
/// The rectangle of a picture that has all of its rows apart.
void copy_area(const Picture& from, const Picture& to, const Area& area);
/// The rectangle of a large picture that begins at (top, left), as a small one.
void cut_out(const Picture& from, const Picture& to, int64_t top, int64_t left);
/// A small picture into a large one, its first pixel at (top, left).
void paste(const Picture& from, const Picture& to, int64_t top, int64_t left);
/// Every value of the rectangle becomes `value`.
void fill_area(const Picture& picture, const Area& area, double value);
/// Points in the rectangle become invisible.
void hide_points(data::Sample& sample, const Area& area);
/// Cuts boxes to the rectangle, and hides points outside of it.
void keep_area(data::Sample& sample, const Area& area);
/// Takes what a rectangle covers from boxes, which become the smallest that hold what is left of
/// them; labels of those of which nothing is left become -1. Points in the rectangle become
/// invisible.
void cover_area(data::Sample& sample, const Area& area);
/// Puts the rectangle of another sample's image, mask, depth and attached pictures in its place,
/// and adds its boxes. Throws ShapeError when one of these is not there in the other sample, or
/// differs in shape or dtype.
void put_area(data::Sample& sample, const data::Sample& other, const Area& area);
/// Mixes a sample with another one as MixUp does: image, depth and pictures attached as linear
/// become weight * theirs + (1 - weight) * the other's, labels likewise; the mask and pictures
/// attached as nearest are those of the sample with more weight, and boxes are those of both.
/// Throws ShapeError when one of these is not there in the other sample, or differs in shape or
/// dtype.
void blend_samples(data::Sample& sample, const data::Sample& other, double weight);
/// The matrix (3, 4) of x + share * (gray - x), with the weights of ops::rgb_to_grayscale.
std::array<float, 12> toward_gray(float share);
/// The picture mixed by that matrix; a fraction of 0 copies it.
void toward_gray(const Picture& from, const Picture& to, float share);
/// A field (height, width, 2) of steps as elastic distortion takes them: normal noise of deviation
/// sigma, smoothed by a bell of that width and times alpha, the same in x and y as in Keras.
std::vector<float> smooth_field(int64_t height, int64_t width, double alpha, double sigma,
                                backend::Key key);
/// Another sample with an image of the same shape and dtype. Throws ShapeError when it is not.
data::Sample other_like(const data::Sample& sample, data::Draws& draws);
/// weight * label + (1 - weight) * other's label, for labels of probabilities. Throws ShapeError
/// for classes given as numbers.
Tensor mixed_label(const Tensor& label, const Tensor& other, double weight);

}  // namespace cornu::layers
