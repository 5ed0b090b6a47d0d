// What is drawn on images, against Keras's pixels, and the files of galleries.
#include <cornu/framework/data/images/load_img.h>
#include <cornu/framework/data/visualization/galleries.h>
#include <cornu/framework/ops/ops.h>

#include <filesystem>

#include "../../../losses/golden.h"

namespace drawing_test {

using namespace cornu;
using namespace cornu::visualization;
using nlohmann::json;

namespace {

int64_t pixels_that_differ(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  REQUIRE(a.dtype() == b.dtype());
  return static_cast<int64_t>(ops::sum(ops::cast(ops::not_equal(a, b), DType::int32)).item());
}

Color color_of(const json& j) {
  const auto c = j.get<std::vector<int>>();
  return {uint8_t(c[0]), uint8_t(c[1]), uint8_t(c[2])};
}

Tensor floats_of_json(const json& j) {
  std::vector<float> values;
  const std::function<void(const json&)> add = [&](const json& part) {
    if (part.is_array())
      for (const json& p : part) add(p);
    else
      values.push_back(part.get<float>());
  };
  add(j);
  return Tensor(values);
}

// A file in the folder for temporary files, which goes with it.
struct GalleryFile {
  std::string path = (std::filesystem::temp_directory_path() / "cornu_drawing_test.png").string();
  ~GalleryFile() { std::filesystem::remove(path); }
  Tensor pixels() const {
    return utils::img_to_array(utils::load_img(path, {.color_mode = "rgba"}));
  }
};

}  // namespace

TEST_CASE("boxes are drawn with Keras's pixels") {
  const json file = test::read_json("tests/data/drawing.json");
  for (const json& c : file.at("boxes")) {
    INFO(c.at("options") << " " << c.at("format"));
    DrawBoxesOptions options;
    options.line_thickness = c.at("options").value("line_thickness", 2);
    if (c.at("options").contains("color")) options.color = color_of(c.at("options").at("color"));
    const Tensor images = test::tensor_of(c.at("images"));
    const int64_t batch = images.shape(0);
    const Nest boxes{{"boxes", ops::reshape(floats_of_json(c.at("boxes")), {batch, -1, 4})},
                     {"labels", ops::reshape(floats_of_json(c.at("labels")), {batch, -1})}};
    const Tensor drawn =
        draw_bounding_boxes(images, boxes, c.at("format").get<std::string>(), options);
    CHECK(pixels_that_differ(drawn, test::tensor_of(c.at("drawn"))) == 0);
  }
}

TEST_CASE("masks are drawn with Keras's pixels") {
  const json file = test::read_json("tests/data/drawing.json");
  for (const json& c : file.at("masks")) {
    const json& given = c.at("options");
    INFO(given);
    DrawMasksOptions options{.alpha = given.value("alpha", 0.8),
                             .blend = given.value("blend", true),
                             .ignore_index = given.value("ignore_index", int64_t{-1})};
    if (given.contains("num_classes")) options.num_classes = given.at("num_classes").get<int64_t>();
    if (given.contains("color_mapping")) {
      options.color_mapping.emplace();
      for (const json& entry : given.at("color_mapping"))
        (*options.color_mapping)[entry[0].get<int64_t>()] = color_of(entry[1]);
    }
    const Tensor images = test::tensor_of(c.at("images")), masks = test::tensor_of(c.at("masks"));
    const Tensor drawn = draw_segmentation_masks(images, masks, options);
    CHECK(pixels_that_differ(drawn, test::tensor_of(c.at("drawn"))) == 0);
    CHECK(pixels_that_differ(draw_segmentation_masks(images, ops::squeeze(masks, -1), options),
                             drawn) == 0);
    options.data_format = "channels_first";
    const auto turned = [](const Tensor& t) { return ops::transpose(t, {0, 3, 1, 2}); };
    CHECK(pixels_that_differ(draw_segmentation_masks(turned(images), turned(masks), options),
                             drawn) == 0);
  }
}

TEST_CASE("names of classes are written above boxes, or inside") {
  const Tensor images = ops::zeros({1, 80, 120, 1}, DType::uint8);
  const Nest boxes{{"boxes", Tensor::from({10.f, 50.f, 40.f, 70.f}, {1, 1, 4})},
                   {"labels", Tensor::from<int32_t>({2}, {1, 1})},
                   {"confidences", Tensor::from({0.874f}, {1, 1})}};
  const DrawBoxesOptions named{.class_mapping = {{2, "cat"}}, .color = {9, 9, 9}};
  const Tensor drawn = draw_bounding_boxes(images, boxes, "xyxy", named);
  CHECK(drawn.shape() == images.shape());
  const auto inked = [&](const Tensor& image, size_t top, size_t bottom) {
    const auto pixels = image.to_vector<uint8_t>();
    return std::any_of(pixels.begin() + top * 120, pixels.begin() + bottom * 120,
                       [](uint8_t p) { return p > 0; });
  };
  CHECK(inked(drawn, 22, 42));
  CHECK_FALSE(inked(drawn, 0, 20));
  CHECK_FALSE(inked(draw_bounding_boxes(images, boxes, "xyxy"), 0, 45));
  // No room above: below the upper edge.
  const Nest high{{"boxes", Tensor::from({10.f, 5.f, 40.f, 70.f}, {1, 1, 4})},
                  {"labels", boxes["labels"]}};
  CHECK(inked(draw_bounding_boxes(images, high, "xyxy", named), 13, 32));
  const DrawBoxesOptions first{.data_format = "channels_first"};
  CHECK(draw_bounding_boxes(ops::reshape(images, {1, 1, 80, 120}), boxes, "xyxy", first).shape() ==
        Shape{1, 1, 80, 120});
}

TEST_CASE("galleries are files of images in rows and columns") {
  const GalleryFile file;
  // Three images of one color each.
  const Tensor levels = Tensor::from({0.f, 0.5f, 1.f}, {3, 1, 1, 1});
  const Tensor images = ops::broadcast_to(levels, {3, 4, 8, 3});
  plot_image_gallery(images, {.value_range = {0, 1}, .path = file.path, .dpi = 8});
  const Tensor drawn = file.pixels();
  CHECK(drawn.shape() == Shape{16, 32, 4});
  const auto at = [](const Tensor& pixels, int64_t row, int64_t column, int64_t channel) {
    return pixels[row][column][channel].item();
  };
  CHECK(at(drawn, 0, 0, 0) == 0);
  CHECK(at(drawn, 0, 31, 0) == 128);
  CHECK(at(drawn, 15, 0, 1) == 255);
  CHECK(at(drawn, 15, 0, 3) == 255);
  CHECK(at(drawn, 15, 31, 3) == 0);

  const Tensor classes = Tensor::from<int32_t>({0, 1, 5}, {3});
  plot_image_gallery(images, {.y_true = classes,
                              .y_pred = classes,
                              .label_map = {{0, "cat"}, {1, "dog"}},
                              .cols = 3,
                              .path = file.path,
                              .transparent = false});
  CHECK(file.pixels().shape() == Shape{12 + 60, 360, 4});
  plot_image_gallery(images, {.rows = 1, .scale = 1, .path = file.path});
  CHECK(file.pixels().shape() == Shape{30, 180, 4});
  CHECK_THROWS_AS(plot_image_gallery(images, {.path = "gallery.jpg"}), ValueError);
  CHECK_THROWS_AS(plot_image_gallery(images, {.y_true = classes, .path = file.path}), ValueError);
  CHECK_THROWS_AS(plot_image_gallery(images[0], {.path = file.path}), ShapeError);
}

TEST_CASE("galleries show boxes and masks, true and found") {
  const GalleryFile file;
  const Tensor images = ops::zeros({2, 32, 32, 3});
  const Tensor box = Tensor::from({4.f, 4.f, 20.f, 20.f}, {1, 1, 4});
  const Nest boxes{{"boxes", ops::concatenate({box, box}, 0)},
                   {"labels", ops::ones({2, 1}, DType::int32)}};
  plot_bounding_box_gallery(images, "xyxy",
                            {.y_pred = boxes,
                             .value_range = {0, 1},
                             .pred_color = {250, 20, 30},
                             .legend = true,
                             .scale = 1,
                             .path = file.path,
                             .dpi = 32});
  const Tensor drawn = file.pixels();
  CHECK(drawn.shape() == Shape{64 + 14, 32, 4});
  CHECK(Tensor(drawn[4][10]).to_vector<float>() == std::vector<float>{250, 20, 30, 255});
  CHECK(drawn[36][10][0].item() == 250);

  const Tensor masks = ops::ones({2, 32, 32, 1}, DType::int32);
  plot_segmentation_mask_gallery(images, 2,
                                 {.value_range = {0, 1},
                                  .y_true = masks,
                                  .y_pred = masks,
                                  .scale = 1,
                                  .path = file.path,
                                  .dpi = 32});
  CHECK(file.pixels().shape() == Shape{64, 96, 4});
}

TEST_CASE("drawing says what does not fit") {
  const Tensor images = ops::zeros({1, 8, 8, 3});
  const Tensor boxes = ops::zeros({1, 2, 4}), labels = ops::zeros({1, 2});
  CHECK_THROWS_AS(draw_bounding_boxes(images, Nest(boxes), "xyxy"), ValueError);
  CHECK_THROWS_AS(draw_bounding_boxes(images, Nest::dict({{"boxes", boxes}}), "xyxy"), ValueError);
  CHECK_THROWS_AS(
      draw_bounding_boxes(images, Nest{{"boxes", boxes}, {"labels", ops::zeros({1, 3})}}, "xyxy"),
      ShapeError);
  const Nest fits{{"boxes", boxes}, {"labels", labels}};
  CHECK_THROWS_AS(draw_bounding_boxes(images[0], fits, "xyxy"), ShapeError);
  CHECK_THROWS_AS(draw_bounding_boxes(images, fits, "none"), ValueError);
  CHECK_THROWS_AS(draw_bounding_boxes(images, fits, "xyxy", {.line_thickness = 0}), ValueError);
  const Tensor masks = ops::zeros({1, 8, 8}, DType::int32);
  CHECK_THROWS_AS(draw_segmentation_masks(images, ops::zeros({1, 8, 8})), ValueError);
  CHECK_THROWS_AS(draw_segmentation_masks(images, ops::zeros({1, 8, 7}, DType::int32)), ShapeError);
  CHECK_THROWS_AS(draw_segmentation_masks(images, masks, {.alpha = 2}), ValueError);
  CHECK_THROWS_AS(draw_segmentation_masks(images, masks,
                                          {.num_classes = 2, .color_mapping = {{{0, {1, 2, 3}}}}}),
                  ValueError);
}

}  // namespace drawing_test
