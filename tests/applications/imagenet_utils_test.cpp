// Images as networks take them, and ImageNet's names: values from keras.applications.
#include <cornu/cornu.h>

#include "../catch.h"

namespace imagenet_utils_test {

using namespace cornu;
using namespace cornu::applications;

namespace {

const Tensor pixels = Tensor::from({0.0f, 100.0f, 255.0f, 10.5f, 20.0f, 30.0f}, {1, 1, 2, 3});

void check_values(const Tensor& x, const std::vector<float>& expected) {
  const std::vector<float> values = x.to_vector<float>();
  REQUIRE(values.size() == expected.size());
  for (size_t i = 0; i < values.size(); ++i) CHECK(values[i] == Approx(expected[i]).epsilon(1e-5));
}

// In both data formats, as a batch and as one image.
void check_mode(const std::string& mode, const std::vector<float>& expected) {
  INFO(mode);
  using imagenet_utils::preprocess_input;
  check_values(preprocess_input(pixels, "channels_last", mode), expected);
  check_values(preprocess_input(ops::squeeze(pixels, 0), "channels_last", mode), expected);
  const Tensor first = ops::transpose(pixels, std::vector<int64_t>{0, 3, 1, 2});
  const Tensor y = preprocess_input(first, "channels_first", mode);
  check_values(ops::transpose(y, std::vector<int64_t>{0, 2, 3, 1}), expected);
  const Tensor one = preprocess_input(ops::squeeze(first, 0), "channels_first", mode);
  check_values(ops::transpose(one, std::vector<int64_t>{1, 2, 0}), expected);
}

}  // namespace

TEST_CASE("images are prepared in Keras's three modes") {
  check_mode("caffe", {151.061f, -16.779f, -123.68f, -73.939f, -96.779f, -113.18f});
  check_mode("tf", {-1.0f, -0.2156863f, 1.0f, -0.9176471f, -0.8431373f, -0.7647059f});
  check_mode("torch", {-2.117904f, -0.2850140f, 2.64f, -1.938094f, -1.685574f, -1.281569f});
}

TEST_CASE("each module prepares images as its networks were trained") {
  check_values(vgg19::preprocess_input(pixels), vgg16::preprocess_input(pixels).to_vector<float>());
  CHECK(resnet50::preprocess_input(pixels).to_vector<float>()[0] == Approx(151.061f));
  for (const auto& prepare :
       {resnet_v2::preprocess_input, mobilenet::preprocess_input, mobilenet_v2::preprocess_input,
        inception_v3::preprocess_input, inception_resnet_v2::preprocess_input,
        xception::preprocess_input, nasnet::preprocess_input})
    CHECK(prepare(pixels, "channels_last").to_vector<float>()[2] == 1);
  CHECK(densenet::preprocess_input(pixels).to_vector<float>()[2] == Approx(2.64f));
  for (const auto& prepare : {mobilenet_v3::preprocess_input, efficientnet::preprocess_input,
                              efficientnet_v2::preprocess_input, convnext::preprocess_input})
    CHECK(prepare(pixels, "channels_last").to_vector<float>() == pixels.to_vector<float>());
}

TEST_CASE("integers become floats, and other images are refused") {
  using imagenet_utils::preprocess_input;
  const Tensor bytes = ops::cast(pixels, DType::uint8);
  CHECK(preprocess_input(bytes).dtype() == DType::float32);
  CHECK(preprocess_input(ops::cast(pixels, DType::float16)).dtype() == DType::float16);
  CHECK_THROWS_AS(preprocess_input(pixels, "channels_last", "keras"), ValueError);
  CHECK_THROWS_AS(preprocess_input(pixels, "last"), ValueError);
  CHECK_THROWS_AS(preprocess_input(pixels, "channels_first"), ShapeError);
  CHECK_THROWS_AS(preprocess_input(ops::zeros({2, 3})), ShapeError);
}

TEST_CASE("predictions are decoded to ImageNet's classes") {
  std::vector<float> scores(2000, 0.0f);
  scores[281] = 0.5f;
  scores[0] = 0.25f;
  scores[999] = 0.125f;
  scores[1000 + 517] = 0.75f;
  const auto best = vgg16::decode_predictions(Tensor::from(scores, {2, 1000}), 3);
  REQUIRE(best.size() == 2);
  REQUIRE(best[0].size() == 3);
  CHECK(best[0][0].class_name == "n02123045");
  CHECK(best[0][0].class_description == "tabby");
  CHECK(best[0][0].score == 0.5f);
  CHECK(best[0][1].class_description == "tench");
  CHECK(best[0][2].class_name == "n15075141");
  CHECK(best[0][2].class_description == "toilet_tissue");
  CHECK(best[1][0].class_description == "crane");
  CHECK(best[1][1].class_description == "tench");  // of equal scores the lower class
  const Tensor preds = Tensor::from(scores, {2, 1000});
  CHECK(imagenet_utils::decode_predictions(preds).front().size() == 5);
  CHECK(imagenet_utils::decode_predictions(preds, 5000).front().size() == 1000);
  CHECK_THROWS_AS(imagenet_utils::decode_predictions(preds, 0), ValueError);
  CHECK_THROWS_AS(imagenet_utils::decode_predictions(ops::zeros({2, 10})), ShapeError);
}

}  // namespace imagenet_utils_test
