// Pictures of samples: what is drawn, and where.
#include <catch.h>
#include <cornu/framework/data/canvas.h>
#include <cornu/framework/data/pipeline.h>
#include <cornu/framework/data/show.h>
#include <cornu/framework/io/images/image.h>
#include <cornu/framework/ops/numpy/creation.h>

#include "../../support/temporary.h"

namespace show_test {

using namespace cornu;
using namespace cornu::data;
using test::contains;

namespace {

using Pixel = std::array<int, 3>;

Pixel at(const Tensor& picture, int64_t x, int64_t y) {
  const auto* values = static_cast<const uint8_t*>(picture.host_data());
  const uint8_t* p = values + (y * picture.shape(1) + x) * 3;
  return {p[0], p[1], p[2]};
}

Pixel of(Color color) { return {color[0], color[1], color[2]}; }

Sample gray(int64_t height, int64_t width, uint8_t level) {
  return {.image =
              Tensor::from(std::vector<uint8_t>(static_cast<size_t>(height * width * 3), level),
                           {height, width, 3})};
}

}  // namespace

TEST_CASE("Samples are drawn as a grid") {
  const std::vector<Sample> samples(5, gray(10, 20, 100));
  const Tensor picture = draw(samples, {.size = 40});
  // Three columns of 40 and two rows of 40 and a line of text, 8 between them.
  CHECK(picture.shape() == Shape{2 * 60 + 8, 3 * 48 + 8, 3});
  CHECK(picture.dtype() == DType::uint8);
  CHECK(at(picture, 8, 8) == Pixel{100, 100, 100});
  CHECK(at(picture, 47, 27) == Pixel{100, 100, 100});  // 40 x 20 pixels
  CHECK(at(picture, 47, 28) == Pixel{24, 24, 27});
  CHECK(at(picture, 8 + 96 + 39, 8 + 60) == Pixel{24, 24, 27});  // there are five only
  CHECK(draw(samples, {.columns = 5, .size = 40}).shape(1) == 5 * 48 + 8);
}

TEST_CASE("Boxes, points and masks lie where they belong") {
  Sample sample = gray(20, 20, 0);
  sample.boxes = Tensor::from({2.0f, 4.0f, 10.0f, 12.0f}, {1, 4});
  sample.box_labels = Tensor::from({3}, {1});
  sample.points = Tensor::from({15.0f, 5.0f, 18.0f, 18.0f}, {2, 2});
  sample.visible = ops::cast(Tensor::from({1, 0}, {2}), DType::boolean);
  std::vector<uint8_t> classes(400, 0);
  for (size_t i = 0; i < 20; ++i) classes[19 * 20 + i] = 2;
  sample.mask = Tensor::from(classes, {20, 20});
  sample.label = Tensor(1);
  const Tensor picture = draw({sample}, {.size = 200, .classes = {"cat", "dog"}});
  const Color box = class_color(4);
  CHECK(at(picture, 8 + 20, 8 + 40) == of(box));         // the corner of the box, ten to a pixel
  CHECK(at(picture, 8 + 99, 8 + 119) == of(box));        // its last pixel
  CHECK(at(picture, 8 + 60, 8 + 80) == Pixel{0, 0, 0});  // its inside
  CHECK(at(picture, 8 + 155, 8 + 55) == of(class_color(0)));
  CHECK(at(picture, 8 + 185, 8 + 185) != of(class_color(1)));  // a hollow mark
  const Pixel masked = at(picture, 8 + 50, 8 + 195);
  CHECK(masked != Pixel{0, 0, 0});
  // The label's text is in ink below.
  int ink = 0;
  for (int64_t x = 8; x < 30; ++x)
    for (int64_t y = 8 + 200; y < 8 + 212; ++y) ink += at(picture, x, y) == Pixel{235, 235, 235};
  CHECK(ink > 20);
}

TEST_CASE("Images of other kinds are drawn, and what is no image is an error") {
  const auto pixel = [](const Tensor& image) {
    return at(draw({Sample{.image = image}}, {.size = 16}), 10, 10);
  };
  CHECK(pixel(ops::full({4, 4, 1}, 0.5f)) == Pixel{128, 128, 128});
  CHECK(pixel(ops::full({4, 4}, 0.0f)) == Pixel{0, 0, 0});
  CHECK(pixel(ops::full({4, 4, 4}, 200.0f)) == Pixel{200, 200, 200});
  CHECK(pixel(ops::full({4, 4, 3}, -3.0f)) == Pixel{0, 0, 0});
  CHECK_THROWS_WITH(draw({Sample{}}), contains("found none"));
  CHECK_THROWS_WITH(draw({Sample{.image = ops::zeros({4, 4, 2})}}), contains("found (4, 4, 2)"));
  CHECK_THROWS_WITH(draw({}), contains("no samples"));
  CHECK_THROWS_AS(draw({gray(2, 2, 0)}, {.size = 3}), ValueError);
  CHECK_THROWS_AS(draw({gray(2, 2, 0)}, {.columns = -1}), ValueError);
}

TEST_CASE("A pipeline draws its first samples into a file") {
  const test::TemporaryFolder folder;
  const std::string file = folder / "samples.png";
  const Pipeline<Sample> samples = generate(100, [](const data::Place& place) {
    Sample sample = gray(8, 8, static_cast<uint8_t>(place.index));
    sample.label = Tensor(place.index);
    return sample;
  });
  samples.show(9, file, {.size = 32});
  const io::Image image = io::read_image(file);
  CHECK(image.height == 3 * 52 + 8);
  CHECK(image.width == 3 * 40 + 8);
  const auto batches = samples.batch(4);
  const std::string other = folder / "batches.png";
  batches.show(9, other, {.size = 32});
  CHECK(test::slurp(other) == test::slurp(file));
  CHECK_THROWS_WITH(samples.show(9, folder / "samples.jpg"), contains("does not end in '.png'"));
  CHECK_THROWS_AS(samples.show(9, folder / "nowhere" / "samples.png"), FileError);
}

}  // namespace show_test
