// Draws of layers on images as values: made once, they apply to images, masks and boxes, alone or
// in batches.
#include <cornu/cornu.h>

#include "../../catch.h"
#include "image_check.h"

namespace image_transformations_contract_test {

using namespace cornu;
using test::difference;
using test::equals;
using test::error_of;
using test::has;
using test::identical;
using test::photos;

namespace {

// Layers with a seed, and what they are called.
template <class Handle>
void check_draws(const char* name, const std::function<Handle()>& make) {
  INFO(name);
  const Tensor x = photos();
  const Handle layer = make(), other = make();
  // A call is a draw and its application.
  const auto drawn = layer->get_random_transformation(x);
  const Tensor expected = other(x, {.training = true});
  CHECK(difference(layer->transform_images(x, drawn), expected) < 1e-5);
  // The same draw again gives the same.
  CHECK(identical(layer->transform_images(x, drawn), layer->transform_images(x, drawn)));
  // Outside of training the images stay.
  CHECK(difference(layer->transform_images(x, drawn, false), x) < 1e-6);
  // A generator of the caller's is used in place of the layer's.
  SeedGenerator mine(11), same(11);
  const Tensor a = layer->transform_images(x, layer->get_random_transformation(x, true, &mine));
  const Tensor b = layer->transform_images(x, layer->get_random_transformation(x, true, &same));
  CHECK(identical(a, b));
  // Labels stay.
  const Tensor labels = ops::eye(3);
  CHECK(identical(layer->transform_labels(labels, drawn), labels));
}

}  // namespace

TEST_CASE("draws of layers that move pixels are values") {
  check_draws<layers::RandomFlip>("RandomFlip", [] { return layers::RandomFlip({.seed = 3}); });
  check_draws<layers::RandomRotation>(
      "RandomRotation", [] { return layers::RandomRotation({.factor = 0.2, .seed = 3}); });
  check_draws<layers::RandomZoom>(
      "RandomZoom", [] { return layers::RandomZoom({.height_factor = 0.2, .seed = 3}); });
  check_draws<layers::RandomShear>(
      "RandomShear", [] { return layers::RandomShear({.x_factor = 0.2, .seed = 3}); });
  check_draws<layers::RandomTranslation>("RandomTranslation", [] {
    return layers::RandomTranslation({.height_factor = 0.2, .width_factor = 0.2, .seed = 3});
  });
  check_draws<layers::RandomPerspective>("RandomPerspective",
                                         [] { return layers::RandomPerspective({.seed = 3}); });
  check_draws<layers::RandomErasing>(
      "RandomErasing", [] { return layers::RandomErasing({.fill_value = 1.0, .seed = 3}); });
}

TEST_CASE("draws of layers that change colors are values") {
  check_draws<layers::RandomBrightness>(
      "RandomBrightness", [] { return layers::RandomBrightness({.factor = 0.4, .seed = 3}); });
  check_draws<layers::RandomContrast>(
      "RandomContrast", [] { return layers::RandomContrast({.factor = 0.4, .seed = 3}); });
  check_draws<layers::RandomSaturation>(
      "RandomSaturation", [] { return layers::RandomSaturation({.factor = 0.4, .seed = 3}); });
  check_draws<layers::RandomHue>("RandomHue",
                                 [] { return layers::RandomHue({.factor = 0.4, .seed = 3}); });
  check_draws<layers::RandomInvert>(
      "RandomInvert", [] { return layers::RandomInvert({.factor = 0.5, .seed = 3}); });
  check_draws<layers::RandomGrayscale>("RandomGrayscale",
                                       [] { return layers::RandomGrayscale({.seed = 3}); });
  check_draws<layers::RandomSharpness>(
      "RandomSharpness", [] { return layers::RandomSharpness({.factor = 0.4, .seed = 3}); });
  check_draws<layers::Solarization>(
      "Solarization", [] { return layers::Solarization({.threshold_factor = 0.5, .seed = 3}); });
  check_draws<layers::RandomGaussianBlur>("RandomGaussianBlur",
                                          [] { return layers::RandomGaussianBlur({.seed = 3}); });
}

TEST_CASE("a draw for one image applies to it, its mask, its label and its boxes") {
  const Tensor image = photos(1)[0];
  layers::RandomFlip flip({.mode = "horizontal", .seed = 1, .bounding_box_format = "xyxy"});
  for (int i = 0; i < 6; ++i) {
    const auto drawn = flip->get_random_transformation(image);
    const Tensor moved = flip->transform_single_image(image, drawn);
    const bool mirrored = !identical(moved, image);
    CHECK(identical(moved, mirrored ? ops::flip(image, 1) : image));
    const Tensor mask = ops::cast(ops::greater(image, 100.0), DType::float32);
    CHECK(difference(flip->transform_single_segmentation_mask(mask, drawn),
                     mirrored ? ops::flip(mask, 1) : mask) == 0);
    const Nest boxes = Nest::dict(
        {{"boxes", Tensor::from({1.0f, 0.0f, 3.0f, 2.0f}, {1, 4})}, {"labels", ops::ones({1})}});
    const Nest after = flip->transform_single_bounding_box(boxes, drawn);
    CHECK(equals(after["boxes"].tensor(),
                 mirrored ? std::vector<double>{5, 0, 7, 2} : std::vector<double>{1, 0, 3, 2}));
    CHECK(equals(flip->transform_single_label(Tensor(std::vector<float>{0, 1}), drawn), {0, 1}));
  }
}

TEST_CASE("a draw is not for other names") {
  layers::RandomTranslation move({.height_factor = 0.2, .width_factor = 0.2, .seed = 3});
  const auto drawn = move->get_random_transformation(photos());
  CHECK(drawn.contains("translations"));
  CHECK(has(error_of([&] { drawn["translation"]; }), "translations"));
}

TEST_CASE("boxes go with their images through each layer that moves pixels") {
  const Tensor x = photos(2);
  const Tensor boxes = Tensor::from({1.0f, 1.0f, 5.0f, 4.0f, 2.0f, 0.0f, 8.0f, 6.0f}, {2, 1, 4});
  const Nest::Dict entries = {{"boxes", boxes}, {"labels", ops::ones({2, 1})}};
  const Nest data = Nest::dict({{"images", x}, {"bounding_boxes", Nest::dict(entries)}});
  const std::optional<std::string> format = "xyxy";
  const std::vector<AnyLayer> all = {
      layers::RandomFlip({.seed = 1, .bounding_box_format = format}),
      layers::RandomRotation({.factor = 0.1, .seed = 1, .bounding_box_format = format}),
      layers::RandomZoom({.height_factor = 0.2, .seed = 1, .bounding_box_format = format}),
      layers::RandomTranslation(
          {.height_factor = 0.2, .width_factor = 0.2, .seed = 1, .bounding_box_format = format}),
      layers::RandomShear({.x_factor = 0.2, .bounding_box_format = format, .seed = 1}),
      layers::RandomPerspective({.scale = 0.3, .seed = 1, .bounding_box_format = format})};
  for (const AnyLayer& layer : all) {
    INFO(layer->name());
    const Nest y = (*layer.shared())(data, {.training = true});
    const auto corners = y["bounding_boxes"]["boxes"].tensor().to_vector<double>();
    REQUIRE(corners.size() == 8);
    for (size_t i = 0; i < 8; i += 4) {
      // Inside of the image, and not turned inside out.
      CHECK(corners[i] >= -1);
      CHECK(corners[i + 2] <= 8 + 1e-3);
      CHECK(corners[i + 3] <= 6 + 1e-3);
      CHECK(corners[i] <= corners[i + 2]);
      CHECK(corners[i + 1] <= corners[i + 3]);
    }
    // Outside of training they stay where they are.
    const Nest still = (*layer.shared())(data, {.training = false});
    CHECK(difference(still["bounding_boxes"]["boxes"].tensor(), boxes) < 1e-5);
  }
}

}  // namespace image_transformations_contract_test
