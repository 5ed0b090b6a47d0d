// Galleries: PNG files with many images, what they show, and what a model found in them.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "draw_bounding_boxes.h"
#include "draw_segmentation_masks.h"

namespace cornu::visualization {

// What Keras has besides, `show`, is not there: a program has no window.

/// Options of plot_image_gallery.
struct ImageGalleryOptions {
  std::optional<Tensor> y_true = {};  ///< a class for each image, written above it
  std::optional<Tensor> y_pred = {};  ///< the class that a model found, written likewise
  ClassNames label_map = {};          ///< names of the classes, needed with either of them
  int64_t rows = 0;                   ///< of the grid; 0: as many as columns, or so that all fit
  int64_t cols = 0;                   ///< likewise
  std::pair<double, double> value_range = {0, 255};  ///< of the images' numbers
  double scale = 2;                                  ///< inches of an image's longer side
  std::string path = "";                             ///< the file, which ends in ".png"
  bool transparent = true;  ///< whether what is between images is transparent, else white
  int64_t dpi = 60;         ///< pixels of an inch
  /// Colors and words below the grid.
  std::vector<std::pair<Color, std::string>> legend_handles = {};
  std::string data_format = config::image_data_format();  ///< or "channels_first"
};
/// Writes images (batch, height, width, channels) with 1 or 3 channels as a grid, row by row.
/// Images beyond rows * cols are left out. The layout and the letters are Cornu's, those of Keras
/// are matplotlib's. Throws ShapeError for other images, ValueError for options that do not fit,
/// FileError.
void plot_image_gallery(const Tensor& images, const ImageGalleryOptions& options = {});

/// Options of plot_bounding_box_gallery.
struct BoxGalleryOptions {
  Nest y_true = {};  ///< true boxes and labels, as draw_bounding_boxes takes them
  Nest y_pred = {};  ///< those that a model found
  std::pair<double, double> value_range = {0, 255};  ///< of the images' numbers
  Color true_color = {0, 188, 212};                  ///< of true boxes
  Color pred_color = {255, 235, 59};                 ///< of found ones
  int64_t line_thickness = 2;                        ///< see draw_bounding_boxes
  double font_scale = 1;                             ///< likewise
  std::optional<int64_t> text_thickness = {};        ///< likewise; none: line_thickness
  ClassNames class_mapping = {};                     ///< names of the classes
  ClassNames ground_truth_mapping = {};              ///< those of true boxes; empty: class_mapping
  ClassNames prediction_mapping = {};                ///< those of found ones; likewise
  bool legend = false;                               ///< whether to say below which color is which
  int64_t rows = 0;                                  ///< see ImageGalleryOptions
  int64_t cols = 0;                                  ///< likewise
  std::string data_format = config::image_data_format();  ///< or "channels_first"
  double scale = 2;                                       ///< inches of an image's longer side
  std::string path = "";                                  ///< the file, which ends in ".png"
  bool transparent = true;  ///< whether what is between images is transparent, else white
  int64_t dpi = 60;         ///< pixels of an inch
};
/// Writes images with true and found boxes as a gallery. Throws what draw_bounding_boxes and
/// plot_image_gallery throw.
void plot_bounding_box_gallery(const Tensor& images, const std::string& bounding_box_format,
                               const BoxGalleryOptions& options = {});

/// Options of plot_segmentation_mask_gallery.
struct MaskGalleryOptions {
  std::pair<double, double> value_range = {0, 255};  ///< of the images' numbers
  std::optional<Tensor> y_true = {};  ///< true masks, as draw_segmentation_masks takes them
  std::optional<Tensor> y_pred = {};  ///< those that a model found
  std::optional<std::map<int64_t, Color>> color_mapping = {};  ///< see draw_segmentation_masks
  bool blend = true;                                           ///< likewise
  double alpha = 0.8;                                          ///< likewise
  int64_t ignore_index = -1;                                   ///< likewise
  std::string data_format = config::image_data_format();       ///< or "channels_first"
  double scale = 2;                                            ///< inches of an image's longer side
  std::string path = "";                                       ///< the file, which ends in ".png"
  bool transparent = true;  ///< whether what is between images is transparent, else white
  int64_t dpi = 60;         ///< pixels of an inch
};
/// Writes a row for each image: as it is, with its true mask, and with that which a model found.
/// Throws what draw_segmentation_masks and plot_image_gallery throw.
void plot_segmentation_mask_gallery(const Tensor& images, int64_t num_classes,
                                    const MaskGalleryOptions& options = {});

}  // namespace cornu::visualization
