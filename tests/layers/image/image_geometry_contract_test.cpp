// The contract of the layers that move the pixels of images, and where pixels and boxes go.
#include <cornu/cornu.h>

#include <algorithm>
#include <cmath>

#include "../../catch.h"
#include "image_check.h"

namespace image_geometry_contract_test {

using namespace cornu;
using layers::Numbers;
using test::check_image_layer;
using test::equals;
using test::error_of;
using test::has;
using test::photos;

namespace {

Numbers just(double f) { return std::vector<double>{f, f}; }

const Call training{.training = true};

// One image of rows x columns with the numbers 0, 1, 2, ...
Tensor counted(int64_t rows, int64_t columns) {
  return ops::reshape(ops::cast(ops::arange(rows * columns), DType::float32),
                      {1, rows, columns, 1});
}

Nest boxed(const Tensor& images, const Tensor& boxes) {
  const Nest::Dict entries = {{"boxes", boxes},
                              {"labels", ops::zeros({boxes.shape(0), boxes.shape(1)})}};
  return Nest::dict({{"images", images}, {"bounding_boxes", Nest::dict(entries)}});
}

}  // namespace

TEST_CASE("RandomFlip keeps the contract of layers on images") {
  for (const char* mode : {"horizontal", "vertical", "horizontal_and_vertical"})
    check_image_layer([&](int64_t seed, const std::string& format) {
      return layers::RandomFlip({.mode = mode, .seed = seed, .data_format = format}).shared();
    });
}

TEST_CASE("RandomRotation keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::RandomRotation({.factor = 0.3, .seed = seed, .data_format = format})
            .shared();
      },
      {.compiled_margin = 2e-2});
}

TEST_CASE("RandomTranslation keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::RandomTranslation(
                   {.height_factor = 0.3, .width_factor = 0.3, .seed = seed, .data_format = format})
            .shared();
      },
      {.compiled_margin = 2e-2});
}

TEST_CASE("RandomZoom keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::RandomZoom({.height_factor = 0.4, .seed = seed, .data_format = format})
            .shared();
      },
      {.compiled_margin = 2e-2});
}

TEST_CASE("RandomShear keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::RandomShear(
                   {.x_factor = 0.4, .y_factor = 0.2, .data_format = format, .seed = seed})
            .shared();
      },
      {.compiled_margin = 2e-2});
}

TEST_CASE("RandomPerspective keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::RandomPerspective({.scale = 0.5, .seed = seed, .data_format = format})
            .shared();
      },
      {.compiled_margin = 2e-2});
}

TEST_CASE("RandomElasticTransform keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::RandomElasticTransform({.scale = 0.5, .seed = seed, .data_format = format})
            .shared();
      },
      {.compiled_margin = 2e-2});
}

TEST_CASE("RandomErasing keeps the contract of layers on images") {
  check_image_layer([](int64_t seed, const std::string& format) {
    return layers::RandomErasing(
               {.scale = Numbers{0.2, 0.4}, .fill_value = 9.0, .seed = seed, .data_format = format})
        .shared();
  });
}

TEST_CASE("RandomCrop keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::RandomCrop({.height = 3, .width = 4, .seed = seed, .data_format = format})
            .shared();
      },
      {.output = {3, 4, 3}});
}

TEST_CASE("CenterCrop and Resizing keep the contract of layers on images") {
  check_image_layer(
      [](int64_t, const std::string& format) {
        return layers::CenterCrop({.height = 4, .width = 6, .data_format = format}).shared();
      },
      {.output = {4, 6, 3}, .draws = false, .only_in_training = false});
  for (const char* interpolation : {"nearest", "bilinear"})
    check_image_layer(
        [&](int64_t, const std::string& format) {
          return layers::Resizing({.height = 3,
                                   .width = 10,
                                   .interpolation = interpolation,
                                   .data_format = format})
              .shared();
        },
        {.output = {3, 10, 3}, .draws = false, .only_in_training = false});
}

TEST_CASE("a flip of each image is the image or its mirror image") {
  const Tensor x = photos(12);
  layers::RandomFlip flip({.mode = "horizontal", .seed = 1});
  const Tensor y = flip(x, training);
  int mirrored = 0;
  for (int64_t i = 0; i < 12; ++i) {
    const bool kept = test::identical(y[i], x[i]),
               turned = test::identical(y[i], ops::flip(x[i], 1));
    CHECK(kept != turned);
    mirrored += turned;
  }
  CHECK(mirrored > 0);
  CHECK(mirrored < 12);
}

TEST_CASE("a translation by whole pixels moves rows and columns") {
  const Tensor x = counted(4, 4);
  layers::RandomTranslation down({.height_factor = just(0.25),
                                  .width_factor = just(0),
                                  .fill_mode = "constant",
                                  .fill_value = -1});
  CHECK(equals(down(x, training), {-1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 1e-4));
  layers::RandomTranslation right(
      {.height_factor = just(0), .width_factor = just(0.5), .fill_mode = "wrap"});
  CHECK(equals(right(x, training), {2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13}, 1e-4));
}

TEST_CASE("half a turn is both mirrors, a whole turn is nothing") {
  const Tensor x = counted(4, 4);
  layers::RandomRotation half({.factor = just(0.5)}), whole({.factor = just(1)});
  CHECK(test::difference(half(x, training), ops::flip(ops::flip(x, 1), 2)) < 1e-3);
  CHECK(test::difference(whole(x, training), x) < 1e-3);
}

TEST_CASE("crops are parts of the image, in training at any place, else in the middle") {
  const Tensor x = counted(5, 7);
  layers::RandomCrop crop({.height = 3, .width = 3, .seed = 4});
  std::vector<double> corners;
  for (int i = 0; i < 12; ++i) {
    const auto y = crop(x, training).to_vector<double>();
    const double corner = y[0];
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) CHECK(y[static_cast<size_t>(3 * r + c)] == corner + 7 * r + c);
    corners.push_back(corner);
  }
  std::sort(corners.begin(), corners.end());
  CHECK(std::unique(corners.begin(), corners.end()) - corners.begin() > 2);
  layers::CenterCrop center({.height = 3, .width = 3});
  CHECK(equals(center(x), {9, 10, 11, 16, 17, 18, 23, 24, 25}));
}

TEST_CASE("resizing by nearest repeats pixels, with padding keeps the ratio of the sides") {
  const Tensor x = counted(1, 2);
  layers::Resizing twice({.height = 2, .width = 4, .interpolation = "nearest"});
  CHECK(equals(twice(x), {0, 0, 1, 1, 0, 0, 1, 1}));
  layers::Resizing padded({.height = 4,
                           .width = 4,
                           .interpolation = "nearest",
                           .pad_to_aspect_ratio = true,
                           .fill_value = 7});
  CHECK(equals(padded(counted(2, 4)), {7, 7, 7, 7, 0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7}));
  layers::Resizing cropped(
      {.height = 1, .width = 1, .interpolation = "nearest", .crop_to_aspect_ratio = true});
  CHECK(cropped(counted(3, 5)).item() == 7);
}

TEST_CASE("erasing paints a rectangle of the image with the fill value") {
  layers::RandomErasing layer({.scale = Numbers{0.2, 0.3}, .fill_value = -5.0, .seed = 2});
  const Tensor x = ops::full({8, 10, 10, 1}, 1.0);
  const Tensor y = layer(x, training);
  // The fill value is cut to the range of values.
  const Tensor painted = ops::cast(ops::equal(y, 0.0), DType::float32);
  CHECK(test::difference(painted + y, ops::ones({8, 10, 10, 1})) < 1e-6);
  for (int64_t i = 0; i < 8; ++i) {
    const Tensor rows = ops::max(painted[i], {1, 2}), columns = ops::max(painted[i], {0, 2});
    CHECK(ops::sum(painted[i]).item() == ops::sum(rows).item() * ops::sum(columns).item());
  }
}

TEST_CASE("boxes go where the pixels go") {
  const Tensor boxes = Tensor::from({1.0f, 0.0f, 3.0f, 2.0f}, {1, 1, 4});
  layers::RandomFlip flip({.mode = "horizontal", .seed = 1, .bounding_box_format = "xyxy"});
  int turned = 0;
  for (int i = 0; i < 8; ++i) {
    const Nest y = flip(boxed(counted(4, 8), boxes), training);
    const bool mirrored = y["images"].tensor().to_vector<double>()[0] != 0;
    const std::vector<double> expected =
        mirrored ? std::vector<double>{5, 0, 7, 2} : std::vector<double>{1, 0, 3, 2};
    CHECK(equals(y["bounding_boxes"]["boxes"].tensor(), expected));
    turned += mirrored;
  }
  CHECK(turned > 0);
  layers::RandomTranslation move(
      {.height_factor = just(0.25), .width_factor = just(0.5), .bounding_box_format = "xyxy"});
  const Nest moved = move(boxed(counted(4, 8), boxes), training);
  CHECK(equals(moved["bounding_boxes"]["boxes"].tensor(), {5, 1, 7, 3}, 1e-4));
  layers::Resizing half({.height = 2, .width = 4, .bounding_box_format = "xyxy"});
  CHECK(equals(half(boxed(counted(4, 8), boxes))["bounding_boxes"]["boxes"].tensor(),
               {0.5, 0, 1.5, 1}, 1e-4));
}

TEST_CASE("boxes without a format are an error that names the option") {
  layers::RandomFlip flip;
  const Tensor boxes = Tensor::from({1.0f, 0.0f, 3.0f, 2.0f}, {1, 1, 4});
  CHECK(has(error_of([&] { flip(boxed(counted(4, 8), boxes), training); }), "bounding_box_format"));
}

TEST_CASE("MaxNumBoundingBoxes cuts and pads lists of boxes") {
  const Tensor two = Tensor::from({1.0f, 0.0f, 3.0f, 2.0f, 0.0f, 1.0f, 2.0f, 4.0f}, {1, 2, 4});
  layers::MaxNumBoundingBoxes one({.max_number = 1, .bounding_box_format = "xyxy"});
  const Nest cut = one(boxed(counted(4, 8), two));
  CHECK(equals(cut["bounding_boxes"]["boxes"].tensor(), {1, 0, 3, 2}));
  CHECK(cut["bounding_boxes"]["labels"].tensor().shape() == Shape{1, 1});
  layers::MaxNumBoundingBoxes three({.max_number = 3, .bounding_box_format = "xyxy"});
  const Nest padded = three(boxed(counted(4, 8), two));
  CHECK(
      equals(padded["bounding_boxes"]["boxes"].tensor(), {1, 0, 3, 2, 0, 1, 2, 4, -1, -1, -1, -1}));
  CHECK(equals(padded["bounding_boxes"]["labels"].tensor(), {0, 0, -1}));
  test::remade<Layer>(*three);
}

TEST_CASE("masks are moved with their images, by nearest") {
  layers::RandomRotation turn({.factor = 0.2, .seed = 6});
  const Tensor x = photos();
  const Tensor mask =
      ops::cast(ops::greater(ops::slice(x, Tensor::from({0, 0, 0, 0}, {4}), {3, 6, 8, 1}), 128.0),
                DType::float32);
  const Nest y = turn(Nest::dict({{"images", x}, {"segmentation_masks", mask}}), training);
  for (double v : y["segmentation_masks"].tensor().to_vector<double>()) CHECK((v == 0 || v == 1));
  CHECK(!test::identical(y["segmentation_masks"].tensor(), mask));
}

TEST_CASE("geometric layers say which option is wrong, and what would be right") {
  CHECK(has(error_of([] { layers::RandomFlip({.mode = "sideways"}); }), "sideways"));
  CHECK(has(error_of([] { layers::RandomRotation({.factor = 0.1, .fill_mode = "mirror"}); }),
            "mirror"));
  CHECK(has(error_of([] { layers::RandomZoom({.height_factor = just(-2)}); }), "-2"));
  layers::Resizing cubist({.height = 2, .width = 2, .interpolation = "cubist"});
  CHECK(has(error_of([&] { cubist(photos()); }), "cubist"));
}

}  // namespace image_geometry_contract_test
