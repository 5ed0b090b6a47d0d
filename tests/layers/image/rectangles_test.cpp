// What is pasted into rectangles of batches by the kernels of the host, beside the same by tensor
// operations, which is what layers do when a tape watches the images.
#include <cornu/cornu.h>
#include <cornu/layers/image/rectangles.h>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"

namespace rectangles_test {

using namespace cornu;
using test::identical;

namespace {

// Whole numbers of bytes, so that images of bytes and of floats are the same.
Tensor photos(const Shape& shape) {
  return ops::floor(ops::cast(test::noise(shape, 0, 256, 3), DType::float32));
}

// On a copy: what a tape has watched stays off the kernels.
Tensor watched(Layer& layer, const Tensor& x) {
  const Tensor copy = x.duplicate();
  GradientTape tape;
  tape.watch(copy);
  return layer(copy, {.training = true});
}

// `make` gives a layer with a data_format; each one that it gives draws the same.
using Make = std::function<AnyLayer(const std::string& data_format)>;

void check_same(const Make& make, int64_t channels = 3) {
  const Shape sizes[] = {{4, 21, 30}, {3, 1, 1}, {2, 7, 1}, {1, 1, 40}, {5, 9, 13}};
  for (const Shape& size : sizes)
    for (const char* format : {"channels_last", "channels_first"}) {
      const bool last = std::string(format) == "channels_last";
      const Tensor x = photos(last ? Shape{size[0], size[1], size[2], channels}
                                   : Shape{size[0], channels, size[1], size[2]});
      const Tensor bytes = ops::cast(x, DType::uint8);
      const AnyLayer fast = make(format), slow = make(format), small = make(format);
      for (int i = 0; i < 4; ++i) {
        INFO(fast->name() << " of " << x.shape().str() << ' ' << format << ", call " << i);
        const Tensor expected = watched(*slow.shared(), x);
        CHECK(identical((*fast.shared())(x, {.training = true}), expected));
        CHECK(identical((*small.shared())(bytes, {.training = true}), expected));
      }
    }
}

Tensor booleans(const std::vector<uint8_t>& values, const Shape& shape) {
  return ops::cast(Tensor::from(values, shape), DType::boolean);
}

Tensor random_mask(const Shape& shape) { return ops::greater(test::noise(shape, 0, 1, 8), 0.4); }

}  // namespace

TEST_CASE("Pasted and erased rectangles of batches are those of tensor operations, to the bit") {
  const int64_t channels = GENERATE(1, 3, 5);
  check_same(
      [](const std::string& format) { return layers::CutMix({.seed = 4, .data_format = format}); },
      channels);
  check_same(
      [](const std::string& format) {
        return layers::RandomErasing({.scale = {0.1, 0.9}, .seed = 5, .data_format = format});
      },
      channels);
  check_same(
      [](const std::string& format) {
        return layers::RandomErasing(
            {.factor = {1.0, 1.0}, .value_range = {0, 1}, .seed = 6, .data_format = format});
      },
      channels);
  check_same(
      [](const std::string& format) {
        return layers::RandomErasing(
            {.scale = 1.0, .fill_value = 77.0, .seed = 7, .data_format = format});
      },
      channels);
}

TEST_CASE("Colors are erased in as they are by tensor operations") {
  check_same([](const std::string& format) {
    return layers::RandomErasing({.scale = 1.0,
                                  .fill_value = layers::Numbers{10.0, 300.0, 3.0},
                                  .seed = 8,
                                  .data_format = format});
  });
}

TEST_CASE("Rectangles hold the places from their begin to before their end") {
  const bool first = GENERATE(false, true);
  const int64_t height = 6, width = 9, channels = GENERATE(1, 3), n = 7;
  // Also on whole numbers, outside, empty, and no numbers.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> left = {0, 1.5f, 2, -3, 4, 8.5f, nan},
                           right = {9, 4, 5.0001f, 2, 4, 30, nan}, top = {0, 2.25f, 1, -1, 0, 5, 0},
                           bottom = {6, 5.5f, 4, 9, 6, 5.5f, 6};
  const layers::Stretch across{Tensor(left), Tensor(right)}, down{Tensor(top), Tensor(bottom)};
  std::vector<uint8_t> expected;
  for (size_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < (first ? channels : 1); ++c)
      for (int64_t y = 0; y < height; ++y)
        for (int64_t x = 0; x < width; ++x)
          for (int64_t k = 0; k < (first ? 1 : channels); ++k) {
            const auto px = static_cast<float>(x), py = static_cast<float>(y);
            expected.push_back(px >= left[i] && px < right[i] && py >= top[i] && py < bottom[i]);
          }
  const Shape shape = first ? Shape{n, channels, height, width} : Shape{n, height, width, channels};
  const Tensor found = layers::inside_rectangles(across, down, {height, width}, channels, first);
  CHECK(identical(found, booleans(expected, shape)));
  // In other dtypes by tensor operations.
  const auto wide = [](const layers::Stretch& s) {
    return layers::Stretch{ops::cast(s.begin, DType::float64), ops::cast(s.end, DType::float64)};
  };
  CHECK(identical(
      layers::inside_rectangles(wide(across), wide(down), {height, width}, channels, first),
      found));
}

TEST_CASE("Masks of any form are pasted by") {
  const bool first = GENERATE(false, true);
  const Shape shape = first ? Shape{3, 2, 8, 11} : Shape{3, 8, 11, 2};
  const DType dtype = GENERATE(DType::float32, DType::float16, DType::uint8);
  const std::string format = first ? "channels_first" : "channels_last";
  const Tensor x = ops::cast(photos(shape), dtype);
  layers::CutMix mix({.seed = 1, .data_format = format, .dtype = dtype});
  const Tensor order(std::vector<int32_t>{2, 0, 1}), mask = random_mask(shape);
  const Tensor mixed = mix->transform_images(
      x, {.values = {{"permutation_order", order}, {"batch_masks", mask}}}, true);
  CHECK(identical(mixed, ops::where(mask, ops::take(x, order, 0), x)));

  layers::RandomErasing erase({.seed = 1, .data_format = format, .dtype = dtype});
  const Tensor chosen = booleans({1, 0, 1}, {3});
  const Tensor erased = ops::expand_dims(chosen, {1, 2, 3});
  const Shape one = first ? Shape{3, 1, 8, 11} : Shape{3, 8, 11, 1},
              all = first ? Shape{1, 1, 8, 11} : Shape{1, 8, 11, 1};
  const Tensor fills[] = {ops::cast(photos(shape), dtype), Tensor(9),
                          photos(first ? Shape{2, 1, 1} : Shape{2}), photos({3, 1, 1, 1}),
                          photos(all)};
  for (const Shape& form : {shape, one, all})
    for (const Tensor& fill : fills) {
      INFO("mask " << form.str() << ", fill " << fill.shape().str());
      const Tensor where = random_mask(form);
      const Tensor found = erase->transform_images(
          x,
          {.values = {{"apply_erasing", chosen}, {"batch_masks", where}, {"fill_value", fill}},
           .input_shape = shape},
          true);
      CHECK(
          identical(found, ops::cast(ops::where(ops::logical_and(where, erased), fill, x), dtype)));
    }
}

TEST_CASE("CutMix treats labels and masks of batches as tensor operations do") {
  const bool first = GENERATE(false, true);
  const DType dtype = GENERATE(DType::uint8, DType::int32, DType::float32);
  const Shape shape = first ? Shape{4, 3, 9, 7} : Shape{4, 9, 7, 3},
              one = first ? Shape{4, 1, 9, 7} : Shape{4, 9, 7, 1};
  const Tensor labels = ops::one_hot(Tensor(std::vector<int32_t>{0, 1, 2, 1}), 3);
  const Tensor masks = ops::cast(ops::mod(photos(one), 5.0), dtype);
  layers::CutMix mix({.seed = 3, .data_format = first ? "channels_first" : "channels_last"}),
      same({.seed = 3, .data_format = first ? "channels_first" : "channels_last"});
  const Nest data =
      Nest::dict({{"images", photos(shape)}, {"labels", labels}, {"segmentation_masks", masks}});
  const Nest result = mix(data, {.training = true});
  const layers::Transformation drawn = same->get_random_transformation(data);
  const auto pasted = [&](const Tensor& x) {
    const Tensor y = ops::cast(x, DType::float32);
    return ops::where(drawn["batch_masks"], ops::take(y, drawn["permutation_order"], 0), y);
  };
  CHECK(drawn["batch_masks"].shape() == shape);
  CHECK(identical(result["images"].tensor(), pasted(data["images"].tensor())));
  CHECK(identical(result["segmentation_masks"].tensor(), pasted(masks)));
  const Tensor weight = ops::reshape(drawn["mix_weight"], {-1, 1});
  CHECK(identical(
      result["labels"].tensor(),
      weight * labels + (1.0 - weight) * ops::take(labels, drawn["permutation_order"], 0)));
}

TEST_CASE("Erased noise has the numbers of a draw for all pixels") {
  const bool first = GENERATE(false, true);
  const Shape shape = first ? Shape{6, 3, 9, 7} : Shape{6, 9, 7, 3};
  const auto options = [&](DType dtype) {
    return layers::RandomErasingConfig{.scale = {0.1, 0.9},
                                       .seed = 3,
                                       .data_format = first ? "channels_first" : "channels_last",
                                       .dtype = dtype};
  };
  const Tensor x = photos(shape);
  const layers::RandomErasing erase(options(DType::float32));
  const layers::Transformation drawn = erase->get_random_transformation(x);
  // Five draws come before that of the noise.
  SeedGenerator seeds(3);
  for (int i = 0; i < 5; ++i) seeds.next();
  const Tensor noise =
      ops::clip(random::normal(shape, 0, 1, seeds, DType::float32) * 255.0, 0.0, 255.0);
  const Tensor erased =
      ops::logical_and(drawn["batch_masks"], ops::expand_dims(drawn["apply_erasing"], {1, 2, 3}));
  CHECK(identical(ops::where(erased, drawn["fill_value"], 0.0), ops::where(erased, noise, 0.0)));
  CHECK(identical(erase->transform_images(x, drawn), ops::where(erased, noise, x)));
}

}  // namespace rectangles_test
