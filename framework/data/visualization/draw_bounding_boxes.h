// draw_bounding_boxes: boxes and their classes on images.
#pragma once
#include <map>
#include <string>

#include "../../tensor/config.h"
#include "../../tensor/nest.h"
#include "../canvas.h"

namespace cornu::visualization {

using data::Color;

/// What numbers of classes are called.
using ClassNames = std::map<int64_t, std::string>;

/// How draw_bounding_boxes draws.
struct DrawBoxesOptions {
  ClassNames class_mapping = {};  ///< names of classes; a box of another class has none written
  Color color = {128, 128, 128};  ///< of boxes and letters
  int64_t line_thickness = 2;     ///< 1 or more; OpenCV makes lines of 2 three pixels wide
  int64_t text_thickness = 1;     ///< moves letters that stand inside of their box
  double font_scale = 1;          ///< size of letters, which are about 21 pixels high at 1
  std::string data_format = config::image_data_format();  ///< or "channels_first"
};

/// The images (batch, height, width, channels) with boxes drawn on them, as uint8 of the same
/// shape. Floats are 0 to 1 where none of the batch is above 1, else 0 to 255. `bounding_boxes` is
/// a dictionary of "boxes" (batch, n, 4) in a format of utils::bounding_boxes::convert_format,
/// "labels" (batch, n), of which -1 is no box, and perhaps "confidences" (batch, n), which are
/// written after the name of the class: "cat | 0.87".
///
/// Boxes have Keras's pixels, which are OpenCV's. Letters stand where Keras puts them, and look
/// otherwise: they are Canvas's, enlarged. Throws ShapeError for other shapes and for images
/// without 1 or 3 channels, ValueError for missing entries and unknown formats.
Tensor draw_bounding_boxes(const Tensor& images, const Nest& bounding_boxes,
                           const std::string& bounding_box_format,
                           const DrawBoxesOptions& options = {});

}  // namespace cornu::visualization
