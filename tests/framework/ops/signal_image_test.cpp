// Transforms of signals, windows, images, segments, labeled sequences, few bits and boxes.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/bounding_boxes.h>
#include <cornu/framework/ops/catalog.h>
#include <cornu/framework/ops/image/color.h>
#include <cornu/framework/ops/math/fft.h>
#include <cornu/framework/ops/math/segment.h>
#include <cornu/framework/ops/nn/ctc.h>
#include <cornu/framework/ops/nn/patches.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/ops/quantization.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "../../support/gradient_check.h"
#include "catch.h"
#include "support/all_close.h"

namespace signal_image_test {

using namespace cornu;
using test::gradient_error;
using test::noise;
using List = std::vector<Tensor>;

namespace {
constexpr double tolerance = 1e-5;
bool close(const Tensor& x, const Tensor& y, double error = 1e-6) {
  return test::all_close(x, y, error, error);
}
}  // namespace

TEST_CASE("Fourier transforms of any size have an inverse") {
  // One product, several, and a convolution for a large prime.
  for (int64_t n : {1, 2, 7, 256, 1200, 1031}) {
    const List x = {noise({2, n}), noise({2, n}, -1, 1, 2)};
    const auto y = ops::fft(x);
    const auto swapped = ops::fft({y[1], y[0]});
    CHECK(close(swapped[1] / static_cast<double>(n), x[0]));
    CHECK(close(ops::irfft(ops::rfft(x[0]), n), x[0]));
    CHECK(close(ops::sum(x[0], -1),
                ops::squeeze(ops::get_item(y[0], Value::List{Slice{}, Slice{0, 1}}), -1)));
  }
  const List image = {noise({3, 4, 5}), noise({3, 4, 5}, -1, 1, 2)};
  CHECK(close(ops::ifft2(ops::fft2(image))[1], image[1]));
  CHECK(ops::rfft(noise({3, 8}), 5)[0].shape() == Shape{3, 3});
  CHECK(gradient_error([](const List& l) { return ops::rfft(l[0], 12)[1]; }, {noise({2, 9})}) <
        tolerance);
}

TEST_CASE("signals come back from their short-time transforms") {
  const Tensor x = noise({2, 64});
  const auto pieces = ops::stft(x, 16, 4, 16);
  CHECK(pieces[0].shape() == Shape{2, 17, 9});
  CHECK(close(ops::istft(pieces, 16, 4, 16), x));
  CHECK(ops::extract_sequences(x, 8, 3).shape() == Shape{2, 19, 8});
  CHECK_THROWS_AS(ops::stft(x, 16, 4, 8), ValueError);
}

TEST_CASE("windows fold back to the sum of their overlaps") {
  const Tensor x = noise({2, 3, 5, 6});
  const Tensor counts = ops::fold(ops::unfold(ops::ones_like(x), {3, 2}, {1}, {1, 0}, {2, 1}),
                                  {5, 6}, {3, 2}, {1}, {1, 0}, {2, 1});
  CHECK(close(
      ops::fold(ops::unfold(x, {3, 2}, {1}, {1, 0}, {2, 1}), {5, 6}, {3, 2}, {1}, {1, 0}, {2, 1}),
      x * counts));
  const Tensor blocks = noise({2, 4, 6, 3});
  CHECK(close(ops::depth_to_space(ops::space_to_depth(blocks, 2), 2), blocks));
  CHECK(ops::extract_patches(blocks, {2, 3}).shape() == Shape{2, 2, 2, 18});
  const OpInfo* of_volumes = op_catalog().find("keras.src.ops.image", "ExtractPatches3D");
  CHECK(close(of_volumes->call({blocks, 2, {}, 1, "valid", {}}).tensor(),
              ops::extract_patches(blocks, {2, 2, 2})));
  CHECK(gradient_error([](const List& l) { return ops::unfold(l[0], {2}, {2}, {1}); }, {x}) <
        tolerance);
  CHECK(ops::unfold(x, {2}, {5}, {0}, {1}).shape() == Shape{2, 12, 0});
  CHECK_THROWS_AS(ops::unfold(x, {2}, {1}, {0}, {0}), ShapeError);
}

TEST_CASE("segments are reduced apart") {
  const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {4}),
               ids = Tensor::from({0, 2, 0, -1}, {4});
  CHECK(ops::segment_sum(x, ids, 3).to_vector<float>() == std::vector<float>{4, 0, 2});
  CHECK(ops::segment_max(x, ids)[0].item() == 3);
  CHECK(ops::segment_min(x, ids, 3)[0].item() == 1);
  CHECK(ops::segment_prod(x, ids, 3).to_vector<float>() == std::vector<float>{3, 1, 2});
  CHECK(gradient_error([&](const List& l) { return ops::segment_sum(l[0], ids, 3); },
                       {noise({4, 2})}) < tolerance);
  CHECK(gradient_error(
            [](const List& l) {
              return ops::segment_max(l[0], Tensor::from({0, 1, 0, 1}, {4}), 2);
            },
            {noise({4, 2})}) < tolerance);
  const Tensor scores = Tensor::from({0.1f, 0.6f, 0.3f}, {1, 3});
  CHECK(ops::in_top_k(Tensor::from({2}, {1}), scores, 2).item() == 1);
  CHECK(ops::in_top_k(Tensor::from({0}, {1}), scores, 2).item() == 0);
}

TEST_CASE("the loss of labeled sequences counts all alignments") {
  // Two steps, one label: label and blank, blank and label, or the label twice.
  const Tensor logits = Tensor::from({0.2f, 0.5f, -0.3f, 0.1f, 0.4f, 0.6f}, {1, 2, 3});
  const auto p = ops::softmax(logits).to_vector<float>();
  const double likelihood = p[1] * p[3] + p[0] * p[4] + p[1] * p[4];
  const Tensor label = Tensor::from({1}, {1, 1}), one = Tensor::from({1}, {1}),
               two = Tensor::from({2}, {1});
  CHECK(ops::ctc_loss(label, logits, one, two).item() == Approx(-std::log(likelihood)));
  CHECK(gradient_error(
            [&](const List& l) {
              return ops::ctc_loss(Tensor::from({1, 1}, {1, 2}), l[0], two, Tensor::from({4}, {1}));
            },
            {noise({1, 4, 3})}) < tolerance);
  const auto greedy = ops::ctc_decode(logits, two);
  CHECK(greedy[0].to_vector<int32_t>() == std::vector<int32_t>{1, 2});
  const auto beams = ops::ctc_decode(logits, two, "beam_search", 9, 2);
  CHECK(beams[0].shape() == Shape{2, 1, 2});
  CHECK(beams[1].to_vector<float>()[0] >= beams[1].to_vector<float>()[1]);
}

TEST_CASE("images change size and colors") {
  const Tensor x = noise({2, 4, 6, 3}, 0, 1);
  for (const char* method : {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5", "area"}) {
    CHECK(ops::resize(x, {8, 3}, method).shape() == Shape{2, 8, 3, 3});
    CHECK(
        close(ops::resize(ops::ones({4, 6, 1}), {3, 9}, method, true), ops::ones({3, 9, 1}), 1e-5));
  }
  CHECK(ops::resize(x, {4, 4}, "bilinear", false, true).shape() == Shape{2, 4, 4, 3});
  CHECK_THROWS_AS(ops::resize(x, {4, 4}, "cubist"), ValueError);
  CHECK(close(ops::hsv_to_rgb(ops::rgb_to_hsv(x)), x));
  CHECK(ops::rgb_to_grayscale(x).shape() == Shape{2, 4, 6, 1});
  CHECK(ops::pad_images(x, 1, 2, {}, {}, 7, 10).shape() == Shape{2, 7, 10, 3});
  CHECK(ops::crop_images(x, 1, 2, {}, {}, 2, 3).shape() == Shape{2, 2, 3, 3});
  CHECK(ops::crop_images(x, 0, 0, 4, 0).shape() == Shape{2, 0, 6, 3});
  CHECK_THROWS_AS(ops::crop_images(x, 0, 0, 5, 0), ValueError);
  CHECK(close(ops::gaussian_blur(ops::ones({1, 5, 5, 1}))[0][2],
              ops::ones({5, 1}) * ops::gaussian_blur(ops::ones({1, 5, 5, 1}))[0][2]));
  CHECK(gradient_error(
            [](const List& l) {
              return ops::resize(l[0], {3, 5}, "bicubic");
            },
            {x}) < tolerance);
}

TEST_CASE("images move") {
  const Tensor x = noise({2, 4, 5, 2});
  const Tensor stay = Tensor::from({1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f}, {8});
  const Tensor shift = Tensor::from({1.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f}, {8});
  CHECK(close(ops::affine_transform(x, stay), x));
  const Tensor moved = ops::affine_transform(x, shift, "nearest", "wrap");
  CHECK(close(moved[0][0][0], x[0][0][1]));
  CHECK(close(moved[0][0][4], x[0][0][0]));
  const Tensor corners = Tensor::from({0.0f, 0.0f, 4.0f, 0.0f, 0.0f, 3.0f, 4.0f, 3.0f}, {4, 2});
  CHECK(close(ops::perspective_transform(x, corners, corners), x, 1e-4));
  const Tensor line = Tensor::from({0.0f, 1.0f, 2.0f}, {3}),
               at = Tensor::from({-1.0f, 0.5f, 3.0f}, {1, 3});
  CHECK(ops::map_coordinates(line, at, 1, "constant", 9).to_vector<float>() ==
        std::vector<float>{9, 0.5f, 9});
  CHECK(ops::map_coordinates(line, at, 1, "nearest").to_vector<float>() ==
        std::vector<float>{0, 0.5f, 2});
  CHECK(ops::map_coordinates(line, at, 1, "mirror").to_vector<float>() ==
        std::vector<float>{1, 0.5f, 1});
  CHECK(ops::map_coordinates(line, at, 1, "reflect").to_vector<float>() ==
        std::vector<float>{0, 0.5f, 2});
  CHECK(ops::map_coordinates(line, at, 1, "wrap").to_vector<float>() ==
        std::vector<float>{2, 0.5f, 0});
}

TEST_CASE("a place just below a half is nearest to the pixel before it") {
  const Tensor x = Tensor::from({1.0f, 2.0f, 4.0f}, {1, 1, 3, 1});
  const float below = std::nextafter(0.5f, 0.0f);
  const auto shifted = [](const Tensor& images, float by) {
    return ops::affine_transform(images,
                                 Tensor::from({1.0f, 0.0f, by, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f}, {8}),
                                 "nearest", "constant", 9)
        .to_vector<float>();
  };
  const std::vector<float> stay = {1, 2, 4}, left = {2, 4, 9};
  CHECK(shifted(x, below) == std::vector<float>{1, 4, 9});  // 1 + below is 1.5 in floats
  CHECK(shifted(x, 0.5f) == left);
  CHECK(shifted(x, 0.25f) == stay);
  CHECK(shifted(x, -below) == stay);
  // By tensor operations, as a tape watches.
  GradientTape tape;
  tape.watch(x);
  CHECK(shifted(x, below) == std::vector<float>{1, 4, 9});
  CHECK(shifted(x, 0.5f) == left);
  const Tensor line = Tensor::from({1.0f, 2.0f, 4.0f}, {3});
  CHECK(ops::map_coordinates(line, Tensor::from({below, 0.5f, -below, -0.5f}, {1, 4}), 0,
                             "constant", 9)
            .to_vector<float>() == std::vector<float>{1, 2, 1, 9});
}

TEST_CASE("images move on the host as by tensor operations") {
  // What a tape watches has a gradient, and goes through tensor operations.
  const auto both = [](const Tensor& x, const std::function<Tensor(const Tensor&)>& move) {
    GradientTape tape;
    const Tensor watched = x.detached();
    if (is_float(x.dtype())) tape.watch(watched);
    return std::pair{move(x), move(watched)};
  };
  const Tensor turns = Tensor::from({0.9f,  -0.31f, 2.4f,  0.31f, 0.9f, -1.7f, 0.0f, 0.0f,  //
                                     1.2f,  0.4f,   -3.3f, -0.2f, 0.7f, 4.1f,  0.0f, 0.0f,  //
                                     -1.0f, 0.0f,   8.0f,  0.0f,  1.0f, 0.0f,  0.0f, 0.0f},
                                    {3, 8});
  const Tensor shifts = Tensor::from({1.0f, 0.1f, 0.3f, 0.0f, 1.0f, 0.2f, 1.0f, -0.5f}, {8});
  for (const int64_t channels : {1, 3, 5}) {
    const Tensor x = ops::cast(noise({3, 12, 9, channels}, 0, 255), DType::float32);
    for (const std::string fill : {"constant", "nearest", "wrap", "mirror", "reflect"})
      for (const std::string interpolation : {"nearest", "bilinear"})
        for (const Tensor& transform : {turns, shifts}) {
          CAPTURE(channels, fill, interpolation);
          const auto [fast, slow] = both(x, [&](const Tensor& images) {
            return ops::affine_transform(images, transform, interpolation, fill, 7);
          });
          // Where a place lies between two periods of "wrap", and a neighbor in each, both agree
          // too.
          CHECK(test::all_close(fast, slow, 2e-6 * 255, 2e-6));
        }
  }
  const Tensor x = ops::cast(noise({2, 12, 9, 3}, 0, 255), DType::float32);
  const Tensor from = Tensor::from({0.0f, 0.0f, 8.0f, 0.0f, 0.0f, 11.0f, 8.0f, 11.0f}, {4, 2}),
               to = Tensor::from({1.0f, 0.5f, 7.0f, 1.0f, 0.0f, 10.0f, 8.5f, 11.0f}, {4, 2});
  for (const std::string format : {"channels_last", "channels_first"}) {
    const auto [fast, slow] = both(x, [&](const Tensor& images) {
      return ops::perspective_transform(images, from, to, "bilinear", 3, format);
    });
    CHECK(test::all_close(fast, slow, 2e-6 * 255, 2e-6));
  }
  // In a function the work of the host is replayed on other values.
  const auto compiled = function([&](const Tensor& images) {
    return ops::affine_transform(images, shifts, "bilinear", "reflect");
  });
  for (int i = 0; i < 4; ++i) {
    const Tensor images = x * static_cast<double>(i);
    CHECK(close(compiled(images), ops::affine_transform(images, shifts, "bilinear", "reflect"), 0));
  }
  // Bytes are moved; between them tensor operations round as Keras does.
  const Tensor bytes = ops::cast(x, DType::uint8);
  CHECK(ops::affine_transform(bytes, shifts, "nearest").to_vector<double>() ==
        ops::affine_transform(ops::cast(bytes, DType::float32), shifts, "nearest")
            .to_vector<double>());
  CHECK(gradient_error(
            [&](const List& l) {
              return ops::affine_transform(l[0], ops::cast(turns, DType::float64), "bilinear",
                                           "reflect");
            },
            {noise({3, 6, 5, 2})}) < tolerance);
}

TEST_CASE("few bits and boxes") {
  const Tensor numbers = Tensor::from(std::vector<int8_t>{-8, 7, 3, -1, 5}, {5});
  const Nest packed = ops::pack_int4(numbers);
  CHECK(packed[0].tensor().shape() == Shape{3});
  CHECK(test::all_close(ops::unpack_int4(packed[0].tensor(), 5), numbers));
  const auto q = ops::abs_max_quantize(Tensor::from({0.5f, -1.0f}, {2}), -1);
  CHECK(q[0].dtype() == DType::int8);
  CHECK(ops::cast(q[0], DType::int32).to_vector<int32_t>() == std::vector<int32_t>{63, -127});
  CHECK(ops::abs_max_quantize_grouped_with_zero_point(ops::ones({5, 2}), 2)[1].shape() ==
        Shape{3, 2});
  const Tensor boxes = Tensor::from({1.0f, 2.0f, 5.0f, 6.0f}, {1, 4});
  const Tensor centerd = ops::convert_boxes(boxes, "xyxy", "center_xywh").tensor();
  CHECK(centerd.to_vector<float>() == std::vector<float>{3, 4, 4, 4});
  const Tensor relative =
      ops::convert_boxes(boxes, "xyxy", "rel_xyxy", Tensor(8), Tensor(10)).tensor();
  CHECK(close(ops::convert_boxes(relative, "rel_xyxy", "xyxy", Tensor(8), Tensor(10)).tensor(),
              boxes));
  CHECK(ops::compute_iou(boxes, boxes, "xyxy").item() == Approx(1));
  CHECK(ops::compute_ciou(boxes, boxes, "xyxy").item() == Approx(1));
  CHECK_THROWS_AS(ops::convert_boxes(boxes, "xyxy", "rel_xyxy"), ValueError);
}

TEST_CASE("edges and likeness of images are Keras's") {
  const Tensor x = ops::reshape(ops::arange(0, 9, 1, DType::float32), {1, 3, 3, 1});
  const Tensor edges = ops::sobel_edges(x);
  CHECK(edges.shape() == Shape{1, 3, 3, 1, 2});
  CHECK(edges.to_vector<float>() ==
        std::vector<float>{0, 0, 0, 8, 0, 0, 24, 0, 24, 8, 24, 0, 0, 0, 0, 8, 0, 0});
  CHECK(close(ops::sobel_edges(ops::reshape(x, {1, 1, 3, 3}), "channels_first"),
              ops::reshape(edges, {1, 1, 3, 3, 2})));
  CHECK_THROWS_AS(ops::sobel_edges(x[0]), ShapeError);

  const auto image = [](int period) {
    const Tensor numbers = ops::mod(ops::arange(60), Tensor(period));
    return ops::reshape(ops::cast(numbers, DType::float32) / Tensor(period), {5, 6, 2});
  };
  const Tensor a = image(7), b = image(5);
  CHECK(ops::ssim(a, b, 1, 3).item() == Approx(-0.08628105).margin(1e-5));
  CHECK(ops::ssim(a, b, 2, 5, 1, 0.1, 0.2).item() == Approx(0.40533638).margin(1e-5));
  const Tensor both = ops::ssim(ops::stack({a, b}), ops::stack({b, b}), 1, 4);
  CHECK(close(both, Tensor::from({-0.11152479f, 1.0f}, {2}), 1e-5));
  CHECK(close(ops::ssim(ops::moveaxis(a, {2}, {0}), ops::moveaxis(b, {2}, {0}), 1, 3, 1.5, 0.01,
                        0.03, "channels_first"),
              ops::ssim(a, b, 1, 3)));
  CHECK_THROWS_AS(ops::ssim(a, x), ShapeError);
  CHECK(gradient_error([&](const List& l) { return ops::ssim(l[0], b, 1, 3); }, {a}) < tolerance);
  CHECK(gradient_error([](const List& l) { return ops::sobel_edges(l[0]); }, {x}) < tolerance);
}

TEST_CASE("blocks of pixels have their channels last unless told, whatever the configuration") {
  config::set_image_data_format("channels_first");
  const Tensor x = ops::reshape(ops::arange(8, {}, 1, DType::float32), {1, 1, 2, 4});
  const Tensor blocks = ops::depth_to_space(x, 2), again = ops::space_to_depth(blocks, 2);
  const Shape told = ops::depth_to_space(ops::reshape(x, {1, 4, 1, 2}), 2, std::nullopt).shape();
  config::set_image_data_format("channels_last");
  CHECK(blocks.shape() == Shape{1, 2, 4, 1});
  CHECK(blocks.to_vector<float>() == std::vector<float>{0, 1, 4, 5, 2, 3, 6, 7});
  CHECK(again.to_vector<float>() == x.to_vector<float>());
  CHECK(told == Shape{1, 1, 2, 4});
  CHECK_THROWS_AS(ops::depth_to_space(x, 1), ValueError);
  CHECK_THROWS_AS(ops::space_to_depth(x, 1), ValueError);
}

TEST_CASE("ops on images follow the configured data format") {
  config::set_image_data_format("channels_first");
  const Tensor x = ops::ones({2, 3, 4, 6});
  const Shape gray = ops::rgb_to_grayscale(x).shape(), small = ops::resize(x, {2, 3}).shape(),
              told = ops::rgb_to_grayscale(ops::ones({4, 6, 3}), "channels_last").shape();
  config::set_image_data_format("channels_last");
  CHECK(gray == Shape{2, 1, 4, 6});
  CHECK(small == Shape{2, 3, 2, 3});
  CHECK(told == Shape{4, 6, 1});
  CHECK(ops::rgb_to_grayscale(ops::ones({2, 4, 6, 3})).shape() == Shape{2, 4, 6, 1});
}

}  // namespace signal_image_test
