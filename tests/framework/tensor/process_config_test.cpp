// Tests of keras.config: what objects that name nothing take from the process.
#include <catch.h>
#include <cornu/callbacks/lambda_callback.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/saving/keras_names.h>
#include <cornu/layers/convolutional/conv.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/pooling/max_pooling.h>

namespace process_config_test {

using namespace cornu;

namespace {

// Puts everything back, so that no test sees another's.
struct Restore {
  ~Restore() {
    config::set_floatx("float32");
    config::set_image_data_format("channels_last");
    config::set_dtype_policy("float32");
    config::set_max_epochs({});
    config::set_max_steps_per_epoch({});
    config::enable_interactive_logging();
  }
};

}  // namespace

TEST_CASE("floatx is the dtype of weights, inputs and new tensors") {
  const Restore restore;
  CHECK(config::floatx() == "float32");
  config::set_floatx("float64");
  CHECK(config::floatx() == "float64");
  CHECK(ops::zeros({2}).dtype() == DType::float64);
  CHECK(ops::one_hot(Tensor::from<int32_t>({1}, {1}), 3).dtype() == DType::float64);
  CHECK(random::normal({2}, 0, 1, 3).dtype() == DType::float64);
  CHECK(random::uniform({2}).dtype() == DType::float64);
  CHECK(Input({3}).dtype() == DType::float64);
  Sequential model({Input({3}), layers::Dense({.units = 2})});
  CHECK(model.weights()[0].dtype() == DType::float64);
  CHECK(ops::zeros({2}, DType::float16).dtype() == DType::float16);
  CHECK_THROWS_AS(config::set_floatx("float31"), ValueError);
  CHECK_THROWS_AS(config::set_floatx("int32"), ValueError);
  CHECK(config::floatx() == "float64");
}

TEST_CASE("image_data_format is that of layers and ops that name none") {
  const Restore restore;
  config::set_image_data_format("channels_first");
  layers::Conv2D conv({.filters = 4, .kernel_size = 3});
  CHECK(conv->config.data_format == "channels_first");
  CHECK(conv->compute_output_shape({1, 3, 8, 8}) == Shape{1, 4, 6, 6});
  CHECK(ops::max_pool(ops::ones({1, 2, 4, 4}), 2).shape() == Shape{1, 2, 2, 2});
  CHECK(layers::Conv2D({.filters = 4, .kernel_size = 3, .data_format = "channels_last"})
            ->compute_output_shape({1, 8, 8, 3}) == Shape{1, 6, 6, 4});
  config::set_image_data_format("channels_last");
  // What was made before stays as it was.
  CHECK(conv->compute_output_shape({1, 3, 8, 8}) == Shape{1, 4, 6, 6});
  CHECK(layers::MaxPool2D()->config.data_format == "channels_last");
  CHECK_THROWS_AS(config::set_image_data_format("channels_lost"), ValueError);
}

TEST_CASE("The process's policy is that of layers that name none, below a scope's") {
  const Restore restore;
  mixed_precision::set_global_policy("mixed_bfloat16");
  CHECK(mixed_precision::global_policy().name() == "mixed_bfloat16");
  CHECK(layers::Dense({.units = 1})->compute_dtype() == DType::bfloat16);
  CHECK(layers::Dense({.units = 1})->variable_dtype() == DType::float32);
  CHECK(layers::Dense({.units = 1, .dtype = "float64"})->compute_dtype() == DType::float64);
  {
    const PolicyScope scope("float16");
    CHECK(config::dtype_policy().name() == "float16");
  }
  CHECK(config::dtype_policy().name() == "mixed_bfloat16");
  config::set_dtype_policy("float32");
  CHECK(layers::Dense({.units = 1})->compute_dtype() == DType::float32);
}

TEST_CASE("Epochs and steps are cut short for trying a program out") {
  const Restore restore;
  CHECK_FALSE(config::max_epochs());
  config::set_max_epochs(2);
  config::set_max_steps_per_epoch(3);
  Sequential model({Input({3}), layers::Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  int64_t batches = 0;
  const auto count =
      callbacks::LambdaCallback({.on_train_batch_end = [&](int64_t, Logs&) { ++batches; }});
  const History history =
      model.fit(ops::ones({40, 3}), ops::ones({40, 1}),
                {.batch_size = 4, .epochs = 5, .verbose = Verbose::silent, .callbacks = {count}});
  CHECK(history.epoch.size() == 2);
  CHECK(batches == 6);
  CHECK(model.predict(ops::ones({40, 3}), {.batch_size = 4, .verbose = Verbose::silent}).shape() ==
        Shape{12, 1});
  CHECK_THROWS_AS(config::set_max_epochs(0), ValueError);
  CHECK_THROWS_AS(config::set_max_steps_per_epoch(-1), ValueError);
  CHECK(config::max_epochs() == 2);
}

TEST_CASE("epsilon is what kernels are compiled for") {
  CHECK(config::epsilon() == 1e-7);
  config::set_epsilon(1e-7);
  CHECK_THROWS_AS(config::set_epsilon(1e-5), UnsupportedError);
}

TEST_CASE("Interactive logging can be turned off") {
  const Restore restore;
  CHECK(config::is_interactive_logging_enabled());
  config::disable_interactive_logging();
  CHECK_FALSE(config::is_interactive_logging_enabled());
}

TEST_CASE("clear_session puts back what the process has been told") {
  const Restore restore;
  utils::set_random_seed(5);
  const std::vector<float> first = random::normal({4}).to_vector<float>();
  utils::set_random_seed(5);
  config::set_dtype_policy("mixed_bfloat16");
  config::disable_interactive_logging();
  config::disable_flash_attention();
  utils::clear_session();
  CHECK(random::normal({4}).to_vector<float>() != first);
  CHECK(config::dtype_policy().name() == "float32");
  CHECK(config::is_interactive_logging_enabled());
  CHECK(config::is_flash_attention_enabled());
  config::set_floatx("float64");
  utils::clear_session(false);
  CHECK(config::floatx() == "float64");  // a setting that stays, as in Keras
  CHECK(config::dtype_policy().name() == "float64");
}

TEST_CASE("is_tensor tells tensors with values from all else") {
  const Tensor x = ops::ones({2});
  CHECK(ops::is_tensor(x));
  CHECK(ops::is_tensor(Nest(x)));
  CHECK(ops::is_tensor(Value(x)));
  CHECK_FALSE(ops::is_tensor(Input({2})));
  CHECK_FALSE(ops::is_tensor(Tensor()));
  CHECK_FALSE(ops::is_tensor(Nest{x, x}));
  CHECK_FALSE(ops::is_tensor(Variable(x)));
  CHECK_FALSE(ops::is_tensor(1.5));
  CHECK_FALSE(ops::is_tensor(std::vector<float>{1, 2}));
}

}  // namespace process_config_test
