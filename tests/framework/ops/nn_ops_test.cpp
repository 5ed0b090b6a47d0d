// Operations of neural networks against Keras.
#include <cornu/framework/ops/detail/windows.h>
#include <cornu/framework/ops/ops.h>

#include "catch.h"
#include "op_goldens.h"

namespace nn_ops_test {

using namespace cornu;
using cornu::test::error_of;

TEST_CASE("operations of networks give Keras's values and dtypes") {
  cornu::test::check_op_goldens("nn");
}

TEST_CASE("moments are the mean and the variance") {
  const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 6.0f}, {2, 2});
  const auto [mean, variance] = ops::moments(x, 0);
  CHECK(mean.to_vector<float>() == std::vector<float>{2, 4});
  CHECK(variance.to_vector<float>() == std::vector<float>{1, 4});
  const auto [m, v] = ops::moments(ops::full({4}, 300.0, DType::float16), {}, true);
  CHECK(m.shape() == Shape{1});
  CHECK(m.dtype() == DType::float16);
  CHECK(v.item() == 0);
  // What float16 cannot hold is its greatest number.
  const Tensor far = ops::cast(Tensor::from({-60000.0f, 60000.0f}, {2}), DType::float16);
  CHECK(ops::moments(far, 0).second.item() == 65504);
}

TEST_CASE("same padding puts the odd element after") {
  CHECK(detail::same_padding(5, 2, 1, 1) == std::pair<int64_t, int64_t>{0, 1});
  CHECK(detail::same_padding(5, 3, 2, 1) == std::pair<int64_t, int64_t>{1, 1});
  CHECK(detail::same_padding(6, 3, 2, 1) == std::pair<int64_t, int64_t>{0, 1});
  CHECK(detail::same_padding(5, 3, 1, 2) == std::pair<int64_t, int64_t>{2, 2});
  CHECK(detail::same_padding(7, 1, 3, 1) == std::pair<int64_t, int64_t>{0, 0});
}

TEST_CASE("operations of networks say what they refuse") {
  const Tensor image = ops::zeros({1, 4, 4, 3});
  CHECK(error_of([&] {
          ops::conv(image, ops::zeros({2, 2, 2, 8}));
        })
            .find("3 input channels and kernel "
                  "(2, 2, 2, 8)") != std::string::npos);
  CHECK(error_of([&] {
          ops::conv(image, ops::zeros({2, 3, 8}));
        }) ==
        "conv: an input of shape (1, 4, 4, 3) needs a kernel of rank 4, found shape (2, 3, 8).");
  CHECK(error_of([&] {
          ops::conv(image, ops::zeros({5, 1, 3, 1}));
        }).find("spans 5 does not fit axis 1 of size 4") != std::string::npos);
  CHECK(error_of([&] {
          ops::conv(image, ops::zeros({1, 1, 3, 1}), {1}, "sam");
        }).find("Did you mean 'same'?") != std::string::npos);
  CHECK_THROWS_AS(ops::conv(image, ops::zeros({1, 1, 3, 1}), {1, 1, 1}), ValueError);
  CHECK_THROWS_AS(ops::conv(image, ops::zeros({1, 1, 3, 1}), {0}), ValueError);
  CHECK(error_of([&] {
          ops::max_pool(ops::zeros({2, 2}), {2});
        }) == "max_pool: expected an input of rank 3, 4 or 5, found shape (2, 2).");
  CHECK(error_of([&] {
          ops::max_pool(image, {2}, {}, "valid", "last");
        }).find("data_format 'last'") != std::string::npos);
  const Tensor p = ops::ones({2, 3});
  CHECK(error_of([&] {
          ops::categorical_crossentropy(ops::zeros({2}), p);
        }).find("target of shape (2,) and output of shape (2, 3)") != std::string::npos);
  CHECK_THROWS_AS(ops::binary_crossentropy(ops::zeros({3, 2}), p), ShapeError);
  CHECK(error_of([&] {
          ops::sparse_categorical_crossentropy(ops::zeros({3}), p);
        }).find("expected (2,) or (2, 1)") != std::string::npos);
}

}  // namespace nn_ops_test
