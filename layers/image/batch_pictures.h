// Batches of images through the kernels of the host, each image in one pass.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "../../backend/image.h"
#include "../../framework/tensor/tensor.h"

namespace cornu::layers {

using backend::image::Picture;

/// The first picture of a batch in the host's memory, and with channels first its first channel;
/// the others are behind it.
Picture first_plane(const Tensor& batch, bool channels_first);

/// What was drawn for one image of a batch.
class DrawsOfImage {
 public:
  /// Those of picture i: draws hold a number for each image, or one for all. The batch begins with
  /// the picture `first`, of which each image has `planes`.
  DrawsOfImage(std::span<const Tensor> draws, const Picture& first, int64_t planes,
               bool channels_first, int64_t i)
      : draws_(draws), first_(first), planes_(planes), channels_first_(channels_first), i_(i) {}
  /// The image's number of draw `which`; of booleans 0 or 1.
  float operator[](size_t which) const;
  /// The same of a draw of int32.
  int64_t whole(size_t which) const;
  /// Whether a boolean draw is true.
  bool is(size_t which) const { return (*this)[which] != 0; }
  /// What another image of the batch has in the place of this picture.
  Picture other(int64_t image) const;
  /// What a draw of pixels, of rank 4 in the images' format, has in the place of this picture: that
  /// of the image and the channel, or the only one for all of them.
  Picture picture(size_t which) const;
  /// The number of the picture's first value in the batch.
  int64_t first_value() const { return i_ * first_.values(); }
  /// All draws of the batch.
  std::span<const Tensor> all() const { return draws_; }

 private:
  int64_t image() const { return i_ / planes_; }

  std::span<const Tensor> draws_;
  Picture first_;
  int64_t planes_;  // pictures of an image
  bool channels_first_;
  int64_t i_;  // the picture's number
};

/// Fills a picture of the result from that of the images. With channels first a picture is one
/// channel.
using PictureChange =
    std::function<void(const Picture& from, const Picture& to, const DrawsOfImage&)>;

/// Whether each_picture may take the place of tensor operations that move pixels: a batch and draws
/// in the host's memory and not watched by a tape, since it has no gradient.
bool may_move_pictures(const Tensor& images, std::initializer_list<Tensor> draws);
/// The same for operations that compute: of a batch of float32 and draws of float32, int32 or
/// booleans.
bool by_pictures(const Tensor& images, std::initializer_list<Tensor> draws);

/// Changes each image of a batch, on the threads of kernels. `text` tells one change from another:
/// the layer's kind, and the options that `change` looks at. The results have `size`, (height,
/// width), and `dtype`, by default those of the images.
Tensor each_picture(const Tensor& images, std::initializer_list<Tensor> draws, bool channels_first,
                    const std::string& text, const PictureChange& change,
                    std::optional<std::array<int64_t, 2>> size = {},
                    std::optional<DType> dtype = {});

}  // namespace cornu::layers
