// Rectangles in images, (..., 4): what keras.utils.bounding_boxes has as functions. Formats are
// "xyxy", "yxyx", "xywh", "center_xywh", "center_yxhw", and "rel_xyxy", "rel_yxyx", "rel_xywh",
// "rel_center_xywh" with sides of the image as 1.
#pragma once
#include "op.h"

namespace cornu::ops {

/// Boxes in another format; the image's size is needed between relative ones and others. A
/// dictionary of boxes has its entry "boxes" converted. Throws ValueError for an unknown format.
Nest convert_boxes(const Value& boxes, const std::string& source, const std::string& target,
                   const std::optional<Tensor>& height = {},
                   const std::optional<Tensor>& width = {}, DType dtype = DType::float32);
/// Boxes {"boxes", "labels"} cut to the image; the labels of those that have no area left become
/// -1. The format is "xyxy" or "rel_xyxy".
Nest clip_to_image_size(const Value& bounding_boxes, const std::optional<Tensor>& height = {},
                        const std::optional<Tensor>& width = {},
                        const std::string& bounding_box_format = "xyxy");
/// Area of the intersection over that of the union, of each pair of boxes (n, 4) and (m, 4), or
/// batches of them:
/// (..., n, m). With use_masking, pairs with boxes that are all negative get mask_val.
Tensor compute_iou(const Tensor& boxes1, const Tensor& boxes2,
                   const std::string& bounding_box_format, bool use_masking = false,
                   double mask_val = -1,
                   const std::optional<std::vector<int64_t>>& image_shape = {});
/// The complete measure of likeness, which also sees distance and form, of boxes one by one.
/// Zheng et al., https://arxiv.org/abs/1911.08287.
Tensor compute_ciou(const Tensor& boxes1, const Tensor& boxes2,
                    const std::string& bounding_box_format,
                    const std::optional<std::vector<int64_t>>& image_shape = {});

/// Keras's keras.utils.bounding_boxes.affine_transform: boxes (n, boxes, 4), each replaced by the
/// smallest that holds its four corners after the inverse of a change of the image: turned by
/// `angle` (n) in degrees about the center (fractions of the image, by default 0.5), sheared by
/// angles in degrees, scaled, and moved by fractions of the image. The format must be "xyxy".
Tensor transform_boxes(const Tensor& boxes, const Tensor& angle, const Tensor& translate_x,
                       const Tensor& translate_y, const Tensor& scale, const Tensor& shear_x,
                       const Tensor& shear_y, const Tensor& height, const Tensor& width,
                       const std::optional<Tensor>& center_x = {},
                       const std::optional<Tensor>& center_y = {},
                       const std::string& bounding_box_format = "xyxy");
/// Keras's crop: boxes as seen from (left, top), cut to an image of that size. "xyxy" only.
Tensor crop_boxes(const Tensor& boxes, const Tensor& top, const Tensor& left, const Tensor& height,
                  const Tensor& width, const std::string& bounding_box_format = "xyxy");
/// Keras's pad: boxes moved by (left, top); the size does not count. "xyxy" only.
Tensor pad_boxes(const Tensor& boxes, const Tensor& top, const Tensor& left,
                 const std::optional<Tensor>& height = {}, const std::optional<Tensor>& width = {},
                 const std::string& bounding_box_format = "xyxy");
/// Boxes (..., n, 4) as differences from anchors (n, 4): of the centers in sizes of the anchor, and
/// logarithms of the ratios of the sizes; `encoding_format` is "center_xywh" or "center_yxhw". The
/// four numbers of `variance` divide them. `image_shape` is (height, width, channels).
Tensor encode_box_to_deltas(const Tensor& anchors, const Tensor& boxes,
                            const std::string& anchor_format, const std::string& box_format,
                            const std::string& encoding_format = "center_yxhw",
                            const std::optional<std::vector<double>>& variance = {},
                            const std::optional<std::vector<int64_t>>& image_shape = {});
/// The boxes that encode_box_to_deltas makes such deltas of. Dictionaries of anchors and deltas, by
/// level, give one of boxes.
Nest decode_deltas_to_boxes(const Value& anchors, const Value& boxes_delta,
                            const std::string& anchor_format, const std::string& box_format,
                            const std::string& encoded_format = "center_yxhw",
                            const std::optional<std::vector<double>>& variance = {},
                            const std::optional<std::vector<int64_t>>& image_shape = {});

}  // namespace cornu::ops
