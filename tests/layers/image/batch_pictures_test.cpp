// Batches by the kernels of the host, beside the same layers by tensor operations, which is what
// they do when a tape watches the images.
#include <cornu/cornu.h>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"

namespace batch_pictures_test {

using namespace cornu;
using test::identical;

namespace {

Tensor photos(double high = 255, int64_t channels = 3) {
  return ops::cast(test::noise({4, 21, 30, channels}, 0, high, 3), DType::float32);
}

// On a copy: what a tape has watched stays off the kernels.
Tensor watched(Layer& layer, const Tensor& x) {
  const Tensor copy = x.duplicate();
  GradientTape tape;
  tape.watch(copy);
  return layer(copy, {.training = true});
}

// `make` gives the layer with a data_format and the value of white.
using Make = std::function<AnyLayer(const std::string& data_format, double white)>;

void check_same(const Make& make, double tolerance = 1e-4, int64_t channels = 3) {
  for (const double white : {255.0, 1.0, 100.0}) {
    const Tensor x = photos(white, channels);
    const AnyLayer fast = make("channels_last", white), slow = make("channels_last", white);
    for (int i = 0; i < 3; ++i) {
      INFO(fast->name() << ", white " << white << ", call " << i);
      const Tensor y = (*fast.shared())(x, {.training = true}), z = watched(*slow.shared(), x);
      CHECK(test::difference(y, z) <= tolerance * white);
    }
    const Tensor planes = ops::transpose(x, {{0, 3, 1, 2}});
    const AnyLayer first = make("channels_first", white), other = make("channels_first", white);
    CHECK(test::difference((*first.shared())(planes, {.training = true}),
                           watched(*other.shared(), planes)) <= tolerance * white);
  }
}

std::vector<double> range(double white) { return {0, white}; }

layers::Numbers some() { return std::vector<double>{0.3, 0.9}; }

}  // namespace

TEST_CASE("Colors of batches are those of tensor operations") {
  check_same([](const std::string& format, double white) {
    return layers::RandomContrast(
        {.factor = 0.5, .value_range = range(white), .seed = 1, .data_format = format});
  });
  check_same([](const std::string& format, double white) {
    return layers::RandomSaturation(
        {.factor = some(), .value_range = range(white), .data_format = format, .seed = 1});
  });
  check_same([](const std::string& format, double white) {
    return layers::RandomHue(
        {.factor = some(), .value_range = range(white), .data_format = format, .seed = 1});
  });
  check_same([](const std::string& format, double) {
    return layers::RandomGrayscale({.factor = 0.5, .data_format = format, .seed = 3});
  });
  check_same([](const std::string& format, double white) {
    return layers::RandomColorDegeneration(
        {.factor = 0.7, .value_range = range(white), .data_format = format, .seed = 1});
  });
  for (const double white : {255.0, 1.0}) {
    const auto jitter = [&] {
      return layers::RandomColorJitter({.value_range = range(white),
                                        .brightness_factor = layers::Numbers(0.2),
                                        .contrast_factor = layers::Numbers(0.3),
                                        .saturation_factor = layers::Numbers(0.4),
                                        .hue_factor = layers::Numbers(0.3),
                                        .seed = 2});
    };
    const Tensor x = photos(white);
    CHECK(test::difference(jitter()(x, {.training = true}), watched(*jitter().shared(), x)) <=
          1e-4 * white);
  }
  check_same([](const std::string& format, double white) {
    return layers::AutoContrast({.value_range = range(white), .data_format = format});
  });
  check_same([](const std::string& format, double white) {
    return layers::ContrastLimitedAdaptiveHistogramEqualization(
        {.value_range = range(white), .data_format = format});
  });
}

TEST_CASE("Equalization of batches is that of tensor operations, to the bit") {
  const int64_t bins = GENERATE(256, 64);
  const Tensor flat = ops::full({4, 21, 30, 1}, 300.0);
  const Tensor x = ops::concatenate({ops::round(photos(255, 2)), photos(255, 1), flat}, -1);
  layers::Equalization layer({.bins = bins});
  CHECK(identical(layer(x, {.training = true}), watched(*layer.shared(), x)));
}

TEST_CASE("Pixels that are no numbers do no harm") {
  const Tensor x = ops::full({1, 9, 9, 3}, std::numeric_limits<double>::quiet_NaN());
  CHECK(layers::Equalization()(x, {.training = true}).shape() == x.shape());
  CHECK(layers::ContrastLimitedAdaptiveHistogramEqualization()(x).shape() == x.shape());
  const data::Augment augment = data::augment(
      {layers::Equalization(), layers::RandomPosterization({.factor = std::vector<int64_t>{3, 3}}),
       layers::ContrastLimitedAdaptiveHistogramEqualization()});
  CHECK(augment({.image = x[0]}, {.seed = 1}).image.shape() == Shape{9, 9, 3});
}

TEST_CASE("Filters and mixtures of batches are those of tensor operations") {
  const int64_t channels = GENERATE(1, 3, 5);
  check_same(
      [](const std::string& format, double white) {
        return layers::RandomSharpness(
            {.factor = 0.9, .value_range = range(white), .data_format = format, .seed = 1});
      },
      1e-4, channels);
  check_same(
      [](const std::string& format, double white) {
        return layers::RandomGaussianBlur({.factor = 0.8,
                                           .kernel_size = {5, 3},
                                           .sigma = 0.9,
                                           .value_range = range(white),
                                           .data_format = format,
                                           .seed = 1});
      },
      1e-4, channels);
  check_same([](const std::string& format,
                double) { return layers::MixUp({.data_format = format, .seed = 4}); },
             1e-4, channels);
}

TEST_CASE("Crops and elastic changes of batches are those of tensor operations") {
  check_same(
      [](const std::string& format, double) {
        return layers::RandomCrop({.height = 13, .width = 22, .seed = 1, .data_format = format});
      },
      0);
  for (const char* fill : {"reflect", "wrap", "constant", "nearest"})
    check_same([&](const std::string& format, double white) {
      return layers::RandomElasticTransform({.factor = 1.0,
                                             .scale = 1.0,
                                             .fill_mode = fill,
                                             .value_range = range(white),
                                             .seed = 1,
                                             .data_format = format});
    });
}

TEST_CASE("Elastic changes of batches of any size are those of tensor operations") {
  const bool first = GENERATE(false, true);
  const int64_t channels = GENERATE(1, 2, 3);
  const std::string interpolation = GENERATE("bilinear", "nearest");
  const Shape sizes[] = {{5, 21, 30}, {3, 1, 1}, {2, 7, 1}, {1, 1, 40}, {4, 33, 17}};
  for (const Shape& size : sizes) {
    const layers::RandomElasticTransformConfig options{
        .factor = {0.3, 0.9},
        .interpolation = interpolation,
        .value_range = {20, 200},
        .seed = 4,
        .data_format = first ? "channels_first" : "channels_last"};
    const auto shape = [&](int64_t depth) {
      return first ? Shape{size[0], depth, size[1], size[2]}
                   : Shape{size[0], size[1], size[2], depth};
    };
    const Tensor x = ops::floor(ops::cast(test::noise(shape(channels), 0, 256, 3), DType::float32));
    layers::RandomElasticTransform fast(options), small(options), slow(options);
    for (int i = 0; i < 4; ++i) {
      INFO(x.shape().str() << ", " << interpolation << ", call " << i);
      const Tensor y = fast(x, {.training = true}), z = watched(*slow.shared(), x);
      CHECK(test::difference(y, z) <= 0.03);
      CHECK(identical(small(ops::cast(x, DType::uint8), {.training = true}), y));
    }
    // Masks draw after the images, from the same seeds.
    const Tensor mask = ops::floor(ops::cast(test::noise(shape(1), 0, 256, 5), DType::float32));
    const auto drawn = fast->get_random_transformation(x),
               watched_drawn = slow->get_random_transformation(x);
    Tensor expected;
    {
      const Tensor copy = mask.duplicate();
      GradientTape tape;
      tape.watch(copy);
      expected = slow->transform_segmentation_masks(copy, watched_drawn);
    }
    CHECK(identical(fast->transform_segmentation_masks(mask, drawn), expected));
    for (const DType dtype : {DType::uint8, DType::int32}) {
      layers::RandomElasticTransform other(options);
      for (int i = 0; i < 4; ++i) other(x, {.training = true});
      const auto other_drawn = other->get_random_transformation(x);
      CHECK(identical(other->transform_segmentation_masks(ops::cast(mask, dtype), other_drawn),
                      expected));
    }
  }
}

TEST_CASE("Turned batches of several blocks of rows are those of tensor operations") {
  const std::string fill = GENERATE("reflect", "constant");
  // Rows of a block lie in few rows of the image, in all of them, and outside.
  for (const double turn : {0.004, 0.1, 0.5}) {
    const auto made = [&] {
      return layers::RandomRotation(
          {.factor = std::vector<double>{turn, turn}, .fill_mode = fill, .seed = 1});
    };
    const Tensor x = ops::cast(test::noise({2, 75, 110, 3}, 0, 255, 3), DType::float32);
    CHECK(test::difference(made()(x, {.training = true}), watched(*made().shared(), x)) <= 0.03);
  }
  layers::RandomPerspective perspective({.factor = 1.0, .scale = 0.8, .seed = 1}),
      same({.factor = 1.0, .scale = 0.8, .seed = 1});
  const Tensor x = ops::cast(test::noise({3, 75, 40, 1}, 0, 255, 3), DType::float32);
  CHECK(test::difference(perspective(x, {.training = true}), watched(*same.shared(), x)) <= 0.1);
}

TEST_CASE("A channel of one value outside of the range keeps it when contrast is stretched") {
  const Tensor x = ops::concatenate({photos(255, 2), ops::full({4, 21, 30, 1}, 300.0)}, -1);
  const Tensor y = layers::AutoContrast()(x);
  CHECK(ops::min(y[{Ellipsis{}, 2}]).item() == 300);
  CHECK(ops::max(y[{Ellipsis{}, 0}]).item() == Approx(255));
}

TEST_CASE("Programs of one pass are the steps that they stand for") {
  const Tensor x = photos(1), bytes = photos();
  const auto posterized = [](const Tensor& x, double white, int64_t bits) {
    const Tensor byte = ops::cast(white == 255 ? x : x / white * 255.0, DType::uint8);
    const Tensor kept = ops::left_shift(ops::right_shift(byte, Tensor(8 - bits)), Tensor(8 - bits));
    const Tensor y = ops::cast(kept, DType::float32);
    return white == 255 ? y : y / 255.0 * white;
  };
  for (int64_t bits : {1, 3, 8})
    for (double white : {1.0, 255.0}) {
      const Tensor& given = white == 1 ? x : bytes;
      layers::RandomPosterization layer(
          {.factor = std::vector<int64_t>{bits, bits}, .value_range = range(white)});
      CHECK(identical(layer(given, {.training = true}), posterized(given, white, bits)));
    }
  layers::RandomInvert invert({.factor = std::vector<double>{1, 1}, .value_range = range(1)});
  CHECK(identical(invert(x, {.training = true}), 1.0 - x));
  layers::RandomBrightness brightness(
      {.factor = std::vector<double>{0.25, 0.25}, .value_range = range(1)});
  CHECK(identical(brightness(x, {.training = true}), ops::clip(x + 0.25, 0.0, 1.0)));
  layers::Solarization solarize({.addition_factor = std::vector<double>{0, 0},
                                 .threshold_factor = std::vector<double>{0.5, 0.5},
                                 .value_range = range(1)});
  const Tensor scaled = x * 255.0;
  // The threshold is drawn between 0.5 and 0.5 * 255: the darkest and the brightest are sure.
  const Tensor y = solarize(x, {.training = true});
  const Tensor bright = ops::greater(scaled, 127.5);
  CHECK(test::difference(ops::where(bright, y, 0.0), ops::where(bright, 1.0 - x, 0.0)) < 1e-6);
}

TEST_CASE("Flips are those of ops::flip, of any dtype, and have a gradient") {
  const std::string mode = GENERATE("horizontal", "vertical", "horizontal_and_vertical");
  const bool across = mode != "vertical", down = mode != "horizontal";
  for (const DType dtype : {DType::float32, DType::uint8, DType::float16, DType::int32})
    for (const char* format : {"channels_last", "channels_first"}) {
      const bool last = std::string(format) == "channels_last";
      const Tensor x = ops::cast(last ? photos() : ops::transpose(photos(), {{0, 3, 1, 2}}), dtype);
      layers::RandomFlip flip({.mode = mode, .seed = 5, .data_format = format, .dtype = dtype});
      const layers::Transformation drawn = flip->get_random_transformation(x, true);
      Tensor turned = x;
      if (across) turned = ops::flip(turned, last ? -2 : -1);
      if (down) turned = ops::flip(turned, last ? -3 : -2);
      CHECK(identical(flip->transform_images(x, drawn), ops::where(drawn["flips"], turned, x)));
    }
  layers::RandomFlip flip({.mode = mode, .seed = 5, .dtype = "float64"});
  const layers::Transformation drawn = flip->get_random_transformation(photos(), true);
  CHECK(test::gradient_error(
            [&](const std::vector<Tensor>& i) { return flip->transform_images(i[0], drawn); },
            {test::noise({4, 3, 5, 2})}) < 1e-6);
}

TEST_CASE("Layers on batches have the same bits on any number of threads") {
  const Tensor x = photos();
  for (const char* name : {"RandomContrast", "RandomHue", "RandomFlip", "CutMix", "RandomErasing",
                           "RandomElasticTransform"}) {
    const auto made = [&]() -> AnyLayer {
      if (std::string(name) == "CutMix") return layers::CutMix({.seed = 1});
      if (std::string(name) == "RandomErasing") return layers::RandomErasing({.seed = 1});
      if (std::string(name) == "RandomElasticTransform")
        return layers::RandomElasticTransform({.seed = 1});
      if (std::string(name) == "RandomContrast")
        return layers::RandomContrast({.factor = 0.5, .seed = 1});
      if (std::string(name) == "RandomHue") return layers::RandomHue({.factor = 0.5, .seed = 1});
      return layers::RandomFlip({.seed = 1});
    };
    const AnyLayer a = made(), b = made();
    Tensor one;
    {
      const backend::ThreadScope scope(1);
      one = (*a.shared())(x, {.training = true});
    }
    const backend::ThreadScope scope(4);
    CHECK(identical((*b.shared())(x, {.training = true}), one));
  }
}

}  // namespace batch_pictures_test
