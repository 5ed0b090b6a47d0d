// Laying out images in a grid.
#include "galleries.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "../../io/atomic_file.h"
#include "../../io/images/png.h"
#include "../../ops/core/cast.h"
#include "../../ops/numpy/joining.h"
#include "../../ops/numpy/manipulation.h"
#include "../../ops/operators.h"

namespace cornu::visualization {
namespace {

using data::Canvas;

constexpr Color ink = {60, 60, 60};
constexpr int64_t line = 12;  // pixels of a line of letters

struct Grid {
  int64_t rows, cols, side, title;  // of the grid, of an image, above each image
  int64_t height, width;            // of an image
  double scale;                     // pixels of one of its own

  int64_t down() const { return title + height; }
};

Grid grid_of(const Shape& images, const ImageGalleryOptions& options) {
  const bool titles = options.y_true || options.y_pred;
  const auto side =
      static_cast<int64_t>(std::lround(options.scale * static_cast<double>(options.dpi)));
  if (options.rows < 0 || options.cols < 0 || side < 1)
    throw ValueError(
        fmt::format("plot_image_gallery: rows and cols must be at least 0, and scale * dpi at "
                    "least 1, found {}, "
                    "{} and {}.",
                    options.rows, options.cols, side));
  const auto share = [&](int64_t parts) { return (images[0] + parts - 1) / parts; };
  const auto root = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(images[0]))));
  const int64_t rows = options.rows ? options.rows : options.cols ? share(options.cols) : root;
  const int64_t cols = options.cols ? options.cols : share(rows);
  const double scale =
      static_cast<double>(side) / static_cast<double>(std::max(images[1], images[2]));
  const auto scaled = [&](int64_t size) {
    return std::max<int64_t>(std::lround(static_cast<double>(size) * scale), 1);
  };
  return {rows, cols, side, titles ? line : 0, scaled(images[1]), scaled(images[2]), scale};
}

std::string title_of(int64_t image, const std::vector<int64_t>& y_true,
                     const std::vector<int64_t>& y_pred, const ClassNames& names) {
  std::string title;
  const auto add = [&](const char* what, const std::vector<int64_t>& classes) {
    if (image >= static_cast<int64_t>(classes.size())) return;
    const auto name = names.find(classes[static_cast<size_t>(image)]);
    title += fmt::format("{}{}: {}", title.empty() ? "" : "  ", what,
                         name == names.end() ? "Unknown" : name->second);
  };
  add("Label", y_true);
  add("Pred", y_pred);
  return title;
}

// The pixels of images as bytes, (batch, height, width, channels).
std::vector<uint8_t> gallery_bytes(const Tensor& images, std::pair<double, double> range) {
  const auto [low, high] = range;
  std::vector<uint8_t> bytes;
  for (const float v : ops::cast(images, DType::float32).to_vector<float>())
    bytes.push_back(
        static_cast<uint8_t>(std::lround(std::clamp((v - low) / (high - low) * 255, 0.0, 255.0))));
  return bytes;
}

void draw_grid(Canvas& canvas, const Grid& grid, const Shape& images,
               const std::vector<uint8_t>& bytes, const std::vector<std::string>& titles) {
  const int64_t shown = std::min(images[0], grid.rows * grid.cols), channels = images[3];
  const auto source = [&](int64_t i, int64_t size) {
    return std::min(static_cast<int64_t>((static_cast<double>(i) + 0.5) / grid.scale), size - 1);
  };
  for (int64_t image = 0; image < shown; ++image) {
    const int64_t left = image % grid.cols * grid.width, top = image / grid.cols * grid.down();
    canvas.text(left + 2, top + 3, titles[static_cast<size_t>(image)], ink);
    for (int64_t y = 0; y < grid.height; ++y)
      for (int64_t x = 0; x < grid.width; ++x) {
        const int64_t row = source(y, images[1]), column = source(x, images[2]);
        const uint8_t* p = &bytes[static_cast<size_t>(
            ((image * images[1] + row) * images[2] + column) * channels)];
        canvas.put(left + x, top + grid.title + y,
                   {p[0], p[channels > 1 ? 1 : 0], p[channels - 1]});
      }
  }
}

void draw_legend(Canvas& canvas, const std::vector<std::pair<Color, std::string>>& legend) {
  int64_t width = 0;
  for (const auto& [color, words] : legend) width += Canvas::text_width(words) + 2 * line;
  int64_t x = std::max<int64_t>((canvas.width() - width) / 2, 0);
  const int64_t y = canvas.height() - line;
  for (const auto& [color, words] : legend) {
    for (int64_t i = 0; i < 7 * line; ++i) canvas.put(x + i % line, y + 2 + i / line, color);
    canvas.text(x + line + 3, y + 2, words, ink);
    x += Canvas::text_width(words) + 2 * line;
  }
}

// What differs on two backgrounds is background.
std::vector<uint8_t> with_alpha(const Canvas& on_white, const Canvas& on_black) {
  std::vector<uint8_t> pixels;
  for (size_t i = 0; i < on_white.pixels().size(); i += 3) {
    const uint8_t *a = &on_white.pixels()[i], *b = &on_black.pixels()[i];
    pixels.insert(pixels.end(), a, a + 3);
    pixels.push_back(std::equal(a, a + 3, b) ? 255 : 0);
  }
  return pixels;
}

Tensor gallery_images(const Tensor& images, const std::string& data_format) {
  const bool first = data_format == "channels_first" && images.rank() == 4;
  const Tensor last = first ? ops::transpose(images, {0, 2, 3, 1}) : images;
  const Shape& shape = last.shape();
  if (shape.rank() != 4 || (shape[3] != 1 && shape[3] != 3) || shape.numel() == 0)
    throw ShapeError(fmt::format(
        "plot_image_gallery: expected images (batch, height, width, channels) of 1 or 3 channels, "
        "found {}.",
        shape.str()));
  return last;
}

void check_gallery(const ImageGalleryOptions& options) {
  if (std::filesystem::path(options.path).extension() != ".png")
    throw ValueError(fmt::format(
        "plot_image_gallery: option 'path' must be a file that ends in '.png', found '{}'.",
        options.path));
  if ((options.y_true || options.y_pred) && options.label_map.empty())
    throw ValueError("plot_image_gallery: y_true and y_pred need a label_map.");
  if (!(options.value_range.first < options.value_range.second))
    throw ValueError("plot_image_gallery: value_range must be two numbers, the lesser first.");
}

// What the other galleries have of plot_image_gallery's options, for images with channels last.
template <class Options>
ImageGalleryOptions file_options(const Options& options) {
  return {.value_range = options.value_range,
          .scale = options.scale,
          .path = options.path,
          .transparent = options.transparent,
          .dpi = options.dpi,
          .data_format = "channels_last"};
}

std::vector<int64_t> classes_of(const std::optional<Tensor>& y) {
  return y ? ops::cast(*y, DType::int64).to_vector<int64_t>() : std::vector<int64_t>();
}

}  // namespace

void plot_image_gallery(const Tensor& given, const ImageGalleryOptions& options) {
  check_gallery(options);
  const Tensor images = gallery_images(given, options.data_format);
  const Grid grid = grid_of(images.shape(), options);
  const std::vector<uint8_t> bytes = gallery_bytes(images, options.value_range);
  const std::vector<int64_t> y_true = classes_of(options.y_true),
                             y_pred = classes_of(options.y_pred);
  std::vector<std::string> titles;
  for (int64_t i = 0; i < images.shape(0); ++i)
    titles.push_back(title_of(i, y_true, y_pred, options.label_map));
  const auto draw_on = [&](Color paper) {
    Canvas canvas(grid.rows * grid.down() + (options.legend_handles.empty() ? 0 : line + 2),
                  grid.cols * grid.width, paper);
    draw_grid(canvas, grid, images.shape(), bytes, titles);
    draw_legend(canvas, options.legend_handles);
    return canvas;
  };
  const Canvas canvas = draw_on({255, 255, 255});
  const bool transparent = options.transparent;
  const std::vector<uint8_t> pixels =
      transparent ? with_alpha(canvas, draw_on({0, 0, 0})) : canvas.pixels();
  const std::string file =
      io::encode_png(pixels, canvas.height(), canvas.width(), transparent ? 4 : 3);
  io::write_file(options.path, std::as_bytes(std::span(file)));
}

void plot_bounding_box_gallery(const Tensor& given, const std::string& format,
                               const BoxGalleryOptions& options) {
  Tensor images = gallery_images(given, options.data_format);
  ImageGalleryOptions rest = file_options(options);
  rest.rows = options.rows;
  rest.cols = options.cols;
  const auto draw = [&](const Nest& boxes, Color color, const ClassNames& names) {
    if (boxes.empty()) return;
    images = draw_bounding_boxes(
        images, boxes, format,
        {.class_mapping = names.empty() ? options.class_mapping : names,
         .color = color,
         .line_thickness = options.line_thickness,
         .text_thickness = options.text_thickness.value_or(options.line_thickness),
         .font_scale = options.font_scale,
         .data_format = "channels_last"});
    // What is drawn is bytes, whatever the images were.
    rest.value_range = {0, 255};
  };
  draw(options.y_true, options.true_color, options.ground_truth_mapping);
  draw(options.y_pred, options.pred_color, options.prediction_mapping);
  if (options.legend)
    rest.legend_handles = {{options.true_color, "Ground Truth"},
                           {options.pred_color, "Prediction"}};
  plot_image_gallery(images, rest);
}

void plot_segmentation_mask_gallery(const Tensor& given, int64_t num_classes,
                                    const MaskGalleryOptions& options) {
  const Tensor images = gallery_images(given, options.data_format);
  std::vector<Tensor> columns = {ops::cast(images, DType::float32)};
  for (const std::optional<Tensor>& masks : {options.y_true, options.y_pred}) {
    if (!masks) continue;
    const bool first = options.data_format == "channels_first" && masks->rank() == 4;
    const Tensor drawn = draw_segmentation_masks(
        images, ops::cast(first ? ops::transpose(*masks, {0, 2, 3, 1}) : *masks, DType::int32),
        {.num_classes = num_classes,
         .color_mapping = options.color_mapping,
         .alpha = options.alpha,
         .blend = options.blend,
         .ignore_index = options.ignore_index,
         .data_format = "channels_last"});
    columns.push_back(ops::cast(drawn, DType::float32));
  }
  const int64_t batch = images.shape(0), count = static_cast<int64_t>(columns.size());
  Shape all = images.shape();
  all[0] = batch * count;
  ImageGalleryOptions rest = file_options(options);
  rest.rows = batch;
  rest.cols = count;
  plot_image_gallery(ops::reshape(ops::stack(columns, 1), all), rest);
}

}  // namespace cornu::visualization
