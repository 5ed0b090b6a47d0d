// What Keras has in several modules does the same by its other names.
#include <catch.h>
#include <cornu/cornu.h>

namespace keras_names_test {

using namespace cornu;

TEST_CASE("objects go to values and back by the functions of their modules") {
  const layers::Dense dense({.units = 3});
  const auto layer = layers::deserialize(layers::serialize(*dense));
  CHECK(std::dynamic_pointer_cast<layers::DenseLayer>(layer)->config.units == 3);
  CHECK_THROWS_AS(layers::deserialize(losses::serialize(*losses::MeanSquaredError())), ValueError);
  CHECK(utils::deserialize_keras_object(utils::serialize_keras_object(*dense)) != nullptr);
  const auto quantizer = quantizers::get("abs_max_quantizer");
  CHECK(quantizers::deserialize(quantizers::serialize(*quantizer)) != nullptr);
  CHECK(dtype_policies::deserialize(dtype_policies::serialize("mixed_bfloat16")) ==
        dtype_policies::get("mixed_bfloat16"));
}

TEST_CASE("functions have the names of all their modules") {
  const Tensor boxes = Tensor::from<float>({1, 2, 3, 5}, {1, 4});
  namespace box = utils::bounding_boxes;
  const Tensor converted = box::convert_format(boxes, "xyxy", "xywh");
  CHECK(converted.to_vector<float>() == std::vector<float>{1, 2, 2, 3});
  CHECK(box::crop(boxes, 1, 1, 4, 4).shape() == boxes.shape());
  CHECK(box::pad(boxes, 2, 1).to_vector<float>() == std::vector<float>{2, 4, 4, 7});
  CHECK(ops::nn::relu(Tensor(-1)).item() == 0);
  CHECK(ops::linalg::norm(boxes).item() == ops::norm(boxes).item());
  CHECK(utils::is_keras_tensor(layers::Input({4})));
  CHECK_FALSE(utils::is_keras_tensor(boxes));
  utils::set_random_seed(3);
  const Tensor first = random::normal({4});
  random::set_seed(3);
  CHECK(random::normal({4}).to_vector<float>() == first.to_vector<float>());
  CHECK_FALSE(version().empty());
}

}  // namespace keras_names_test
