// Options by their places, in Keras's order.
#include <cornu/callbacks/early_stopping.h>
#include <cornu/framework/base/serialization.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/layers/attention/multi_head_attention.h>
#include <cornu/layers/convolutional/conv.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/core/embedding.h>
#include <cornu/layers/core/lambda.h>
#include <cornu/layers/pooling/max_pooling.h>
#include <cornu/layers/recurrent/bidirectional.h>
#include <cornu/layers/recurrent/lstm.h>
#include <cornu/layers/regularization/dropout.h>
#include <cornu/layers/reshaping/reshape.h>
#include <cornu/losses/huber.h>
#include <cornu/optimizers/adam.h>
#include <cornu/optimizers/sgd.h>

#include "../../catch.h"

namespace positional_options_test {

using namespace cornu;

namespace {

// The options of an object, but for its name, of which each has its own.
template <class Handle>
std::string options(const Handle& handle) {
  Value::Dict config = handle->get_config();
  std::erase_if(config, [](const auto& entry) { return entry.first == "name"; });
  return to_json(config);
}

}  // namespace

TEST_CASE("the first options may stand in Keras's order without names") {
  CHECK(options(layers::Dense(64)) == options(layers::Dense({.units = 64})));
  CHECK(options(layers::Dense(64, "relu", false)) ==
        options(layers::Dense({.units = 64, .activation = "relu", .use_bias = false})));
  CHECK(options(layers::Dropout(0.5)) == options(layers::Dropout({.rate = 0.5})));
  CHECK(options(layers::Conv2D(8, 3, 2, "same")) ==
        options(layers::Conv2D({.filters = 8, .kernel_size = 3, .strides = 2, .padding = "same"})));
  CHECK(options(layers::Conv2D(8, {3, 5})) ==
        options(layers::Conv2D({.filters = 8, .kernel_size = {3, 5}})));
  CHECK(options(layers::Conv2D(8, {3, 5}, {1, 2}, "same")) ==
        options(layers::Conv2D(
            {.filters = 8, .kernel_size = {3, 5}, .strides = {1, 2}, .padding = "same"})));
  CHECK(options(layers::Conv2D(8, {3, 5}, 2)) ==
        options(layers::Conv2D({.filters = 8, .kernel_size = {3, 5}, .strides = 2})));
  CHECK(options(layers::Conv2D(8, 3, {1, 2})) ==
        options(layers::Conv2D({.filters = 8, .kernel_size = 3, .strides = {1, 2}})));
  CHECK(options(layers::MaxPooling2D({3, 2}, {1, 2})) ==
        options(layers::MaxPooling2D({.pool_size = {3, 2}, .strides = {1, 2}})));
  CHECK(options(layers::MaxPooling2D({3, 2}, 2)) ==
        options(layers::MaxPooling2D({.pool_size = {3, 2}, .strides = 2})));
  CHECK(options(layers::MaxPooling2D(3, 2)) ==
        options(layers::MaxPooling2D({.pool_size = 3, .strides = 2})));
  CHECK(options(layers::Embedding(100, 8)) ==
        options(layers::Embedding({.input_dim = 100, .output_dim = 8})));
  CHECK(options(layers::MultiHeadAttention(2, 16)) ==
        options(layers::MultiHeadAttention({.num_heads = 2, .key_dim = 16})));
  CHECK(options(layers::Reshape(Shape{4, 4})) ==
        options(layers::Reshape({.target_shape = {4, 4}})));
  CHECK(options(optimizers::SGD(0.1, 0.9)) ==
        options(optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9})));
  CHECK(options(optimizers::Adam(1e-4)) == options(optimizers::Adam({.learning_rate = 1e-4})));
  CHECK(losses::Huber(0.5)->config.delta == 0.5);
  CHECK(callbacks::EarlyStopping("loss")->config.monitor == "loss");
}

TEST_CASE("layers around others take these by their places") {
  const layers::Bidirectional both(layers::LSTM(4), "sum");
  CHECK(both->config.merge_mode == "sum");
  Sequential model(
      {layers::Lambda([](const Tensor& x) { return x * 2.0; }), both, layers::Dense(3, "softmax")});
  CHECK(model.compute_output_shape({2, 5, 6}) == Shape{2, 3});
}

TEST_CASE("a handle is still a copy of a handle") {
  const layers::Dense dense(3);
  const layers::Dense same = dense, none = nullptr;
  CHECK(same.get() == dense.get());
  CHECK_FALSE(none);
  CHECK_THROWS_AS(layers::Dense(-1), ValueError);
}

}  // namespace positional_options_test
