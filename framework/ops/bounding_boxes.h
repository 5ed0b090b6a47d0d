// Rectangles in images, (..., 4): what keras.utils.bounding_boxes has as functions. Formats are
// "xyxy", "yxyx", "xywh", "center_xywh", "center_yxhw", and "rel_xyxy", "rel_yxyx", "rel_xywh",
// "rel_center_xywh" with sides of the image as 1.
#pragma once
#include "op.h"

namespace cornu {
class OpCatalog;
namespace ops {

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

void list_bounding_boxes(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
