// What all layers that change images share: single images and batches, dictionaries with labels,
// boxes and masks beside the images, and random draws that are made once for all of them.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "../../framework/data/augment.h"
#include "../layer_options.h"

namespace cornu::layers {

/// What a layer drew for a batch: tensors by name, as Keras names them, and what layers inside
/// drew. An empty one is Keras's None: nothing changes.
struct Transformation {
  Nest::Dict values = {};                                          ///< such as {"flips", ...}
  Shape input_shape = {};                                          ///< of the images
  std::vector<std::pair<std::string, Transformation>> parts = {};  ///< of layers inside, by name
  SeedGenerator* seed = nullptr;  ///< for layers that draw on while they change the images

  /// Whether there is nothing in it, so that nothing changes.
  bool empty() const { return values.empty() && parts.empty() && input_shape.rank() == 0; }
  /// Whether there is a tensor of that name.
  bool contains(const std::string& name) const;
  /// The tensor of that name. Throws ValueError with a did-you-mean when missing.
  const Tensor& operator[](const std::string& name) const;
  /// The transformation of a layer inside. Throws ValueError with a did-you-mean when missing.
  const Transformation& part(const std::string& name) const;
};

/// The interface of a layer on images. Its input is one image (h, w, c), a batch (n, h, w, c), or a
/// dictionary {"images", "labels", "bounding_boxes": {"boxes", "labels"}, "segmentation_masks"}, of
/// which all but the images may be missing and other entries pass unchanged; with data_format
/// "channels_first" channels come before the rows. The random draws are one step, and what they do
/// to images, labels, boxes and masks is another, so that others can apply them:
///
///   Transformation drawn = flip->get_random_transformation(images);
///   images = flip->transform_images(images, drawn);
///   masks = flip->transform_segmentation_masks(masks, drawn);
///
/// A layer overrides get_random_transformation and either transform_pixels, when images and masks
/// change alike, or transform_images and transform_segmentation_masks.
class ImagePreprocessing : public data::Augmenter {
 public:
  /// Changes one sample; built-in layers do so by kernels of their own, with the same options. By
  /// default `transform` of its image, mask, boxes and label as a single image, with draws that
  /// follow from the sample's place. Throws UnsupportedError when there are points or further
  /// tensors that follow the image, of which `transform` knows nothing.
  void augment(data::Sample& sample, data::Draws& draws) const override;

  /// The random draws for `data` (images or a dictionary of them, single or a batch), with the
  /// layer's own seeds unless others are given. By default none.
  virtual Transformation get_random_transformation(const Nest& data, bool training = true,
                                                   SeedGenerator* seed = nullptr);
  /// Images, a batch, in the compute dtype, changed if `training`. By default transform_pixels with
  /// the layer's interpolation.
  virtual Tensor transform_images(const Tensor& images, const Transformation& transformation,
                                  bool training = true);
  /// By default the labels as they are.
  virtual Tensor transform_labels(const Tensor& labels, const Transformation& transformation,
                                  bool training = true);
  /// {"boxes" (n, boxes, 4), "labels" (n, boxes)} in the layer's bounding_box_format. By default as
  /// they are.
  virtual Nest transform_bounding_boxes(const Nest& bounding_boxes,
                                        const Transformation& transformation, bool training = true);
  /// Masks (n, h, w, c), changed if `training`. By default transform_pixels with "nearest".
  virtual Tensor transform_segmentation_masks(const Tensor& segmentation_masks,
                                              const Transformation& transformation,
                                              bool training = true);

  /// transform_images for one image (h, w, c).
  Tensor transform_single_image(const Tensor& image, const Transformation& transformation,
                                bool training = true);
  /// transform_labels for the label of one image.
  Tensor transform_single_label(const Tensor& label, const Transformation& transformation,
                                bool training = true);
  /// transform_bounding_boxes for the boxes (boxes, 4) of one image and their labels (boxes).
  Nest transform_single_bounding_box(const Nest& bounding_box, const Transformation& transformation,
                                     bool training = true);
  /// transform_segmentation_masks for the mask (h, w, c) of one image.
  Tensor transform_single_segmentation_mask(const Tensor& segmentation_mask,
                                            const Transformation& transformation,
                                            bool training = true);

  /// Draws once and changes all of `data`: what the layer's call does. Throws ValueError when there
  /// are boxes but no bounding_box_format, and ShapeError unless images have 3 or 4 axes.
  Nest transform(const Nest& data, bool training);
  /// The same with draws that were made before.
  Nest transform_drawn(const Nest& data, const Transformation& drawn, bool training);

  /// The dtype of the results: the layer's compute dtype.
  virtual DType images_dtype() const = 0;
  /// Whether data_format is "channels_first".
  virtual bool images_channels_first() const = 0;
  /// "xyxy", say (see ops::convert_boxes); none unless the option is set.
  virtual std::optional<std::string> boxes_format() const { return {}; }

 protected:
  /// What the transformation does to a batch of images or masks: Keras's _transform_images.
  /// `interpolation` is the layer's own for images and "nearest" for masks. By default nothing.
  virtual Tensor transform_pixels(const Tensor& images, const Transformation& transformation,
                                  const std::string& interpolation);
  /// The option `interpolation` where a layer has it.
  virtual std::string images_interpolation() const { return "bilinear"; }
  /// Axes of rows, columns and channels, counted from the end: -3, -2, -1, or with channels first
  /// -2, -1, -3.
  int height_axis() const { return images_channels_first() ? -2 : -3; }
  /// -2, or -1 with channels first.
  int width_axis() const { return images_channels_first() ? -1 : -2; }
  /// -1, or -3 with channels first.
  int channel_axis() const { return images_channels_first() ? -3 : -1; }
};

/// Base of the layers themselves:
///
///   class RandomFlipLayer : public ImageLayerOf<RandomFlipLayer, RandomFlipConfig> { ... };
///
/// The config struct has `std::string data_format = "channels_last"` and
/// `std::optional<std::string> bounding_box_format = {}`; if it has `interpolation`, images are
/// resampled with it. Layers that change nothing unless they train override nothing more.
template <class Self, class C>
class ImageLayerOf : public LayerOf<Self, C>, public ImagePreprocessing {
 public:
  /// Throws ValueError for an unknown data_format.
  explicit ImageLayerOf(C c) : LayerOf<Self, C>(std::move(c)) {
    channels_first(this->config.data_format);
  }

  /// One image or a batch through `transform`; without a `training` argument it trains.
  Tensor call(const Tensor& x, const Call& call) override {
    return transform(x, call.training.value_or(true)).tensor();
  }
  /// Tensors and dictionaries through `transform`, likewise.
  Nest call_many(const Nest& inputs, const Call& call) override {
    return transform(inputs, call.training.value_or(true));
  }
  /// The options, of which Keras leaves out bounding_box_format when it is not set.
  Value::Dict get_config() const override {
    Value::Dict dict = LayerOf<Self, C>::get_config();
    std::erase_if(dict, [](const auto& entry) {
      return entry.first == "bounding_box_format" && entry.second.is_null();
    });
    return dict;
  }
  /// A layer from its config, where data_format may be null for the default.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return LayerOf<Self, C>::from_config(without_nulls(dict, {"data_format"}));
  }

  /// The compute dtype.
  DType images_dtype() const override { return this->compute_dtype(); }
  /// As the option data_format says.
  bool images_channels_first() const override {
    return this->config.data_format == "channels_first";
  }
  /// The option bounding_box_format.
  std::optional<std::string> boxes_format() const override {
    return this->config.bounding_box_format;
  }

 protected:
  /// The option `interpolation` where there is one, else "bilinear".
  std::string images_interpolation() const override {
    if constexpr (requires { this->config.interpolation; }) return this->config.interpolation;
    return "bilinear";
  }
};

/// The images of `data`: a tensor, or the entry "images" of a dictionary. Throws ShapeError unless
/// they have 3 or 4 axes.
Tensor images_of(const Nest& data);
/// The number of images: 1 for a single one.
int64_t batch_of(const Nest& data);
/// `dict` with an entry replaced, or added at its end.
Nest with_entry(const Nest& dict, const std::string& key, Nest value);
/// Boxes as float32 and their labels. Throws ValueError unless it is a dictionary of "boxes"
/// (boxes, 4) or (n, boxes, 4) and "labels".
Nest checked_bounding_boxes(const Nest& bounding_boxes);

}  // namespace cornu::layers
