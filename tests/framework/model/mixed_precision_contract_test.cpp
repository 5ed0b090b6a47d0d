// What dtype policies promise for every kind of layer: the type of outputs and weights, training,
// and files.
#include <cornu/cornu.h>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"
#include "../../support/temporary.h"

namespace mixed_precision_contract_test {

using namespace cornu;
using test::identical;

namespace {

struct Kind {
  const char* name;
  std::function<std::shared_ptr<Layer>()> make;
  Shape input;
};

// A layer of each family, with weights where the family has any.
std::vector<Kind> kinds() {
  using namespace layers;
  return {
      {"Dense", [] { return Dense({.units = 2}).shared(); }, {2, 3}},
      {"EinsumDense",
       [] {
         return EinsumDense({.equation = "ab,bc->ac", .output_shape = Shape{2}, .bias_axes = "c"})
             .shared();
       },
       {2, 3}},
      {"Conv1D", [] { return Conv1D({.filters = 2, .kernel_size = 2}).shared(); }, {2, 4, 3}},
      {"Conv2D", [] { return Conv2D({.filters = 2, .kernel_size = 2}).shared(); }, {2, 4, 4, 3}},
      {"Conv3D", [] { return Conv3D({.filters = 2, .kernel_size = 2}).shared(); }, {2, 3, 3, 3, 2}},
      {"Conv1DTranspose",
       [] { return Conv1DTranspose({.filters = 2, .kernel_size = 2}).shared(); },
       {2, 4, 3}},
      {"Conv2DTranspose",
       [] { return Conv2DTranspose({.filters = 2, .kernel_size = 2}).shared(); },
       {2, 3, 3, 2}},
      {"DepthwiseConv2D",
       [] { return DepthwiseConv2D({.kernel_size = 2}).shared(); },
       {2, 4, 4, 3}},
      {"SeparableConv2D",
       [] { return SeparableConv2D({.filters = 2, .kernel_size = 2}).shared(); },
       {2, 4, 4, 3}},
      {"MaxPooling2D", [] { return MaxPooling2D().shared(); }, {2, 4, 4, 3}},
      {"AveragePooling1D", [] { return AveragePooling1D({.pool_size = 2}).shared(); }, {2, 4, 3}},
      {"GlobalMaxPooling2D", [] { return GlobalMaxPooling2D().shared(); }, {2, 4, 4, 3}},
      {"GlobalAveragePooling1D", [] { return GlobalAveragePooling1D().shared(); }, {2, 4, 3}},
      {"BatchNormalization", [] { return BatchNormalization().shared(); }, {2, 4, 3}},
      {"LayerNormalization", [] { return LayerNormalization().shared(); }, {2, 4, 3}},
      {"GroupNormalization", [] { return GroupNormalization({.groups = 2}).shared(); }, {2, 4, 4}},
      {"RMSNormalization", [] { return RMSNormalization().shared(); }, {2, 4, 3}},
      {"UnitNormalization", [] { return UnitNormalization().shared(); }, {2, 4, 3}},
      {"SimpleRNN", [] { return SimpleRNN({.units = 2}).shared(); }, {2, 4, 3}},
      {"LSTM", [] { return LSTM({.units = 2}).shared(); }, {2, 4, 3}},
      {"GRU", [] { return GRU({.units = 2, .return_sequences = true}).shared(); }, {2, 4, 3}},
      {"Bidirectional",
       [] { return Bidirectional({.layer = GRU({.units = 2})}).shared(); },
       {2, 4, 3}},
      {"ConvLSTM1D",
       [] { return ConvLSTM1D({.filters = 2, .kernel_size = 2}).shared(); },
       {2, 3, 4, 2}},
      {"TimeDistributed",
       [] { return TimeDistributed({.layer = Dense({.units = 2})}).shared(); },
       {2, 4, 3}},
      {"PReLU", [] { return PReLU().shared(); }, {2, 4}},
      {"LeakyReLU", [] { return LeakyReLU().shared(); }, {2, 4}},
      {"Softmax", [] { return Softmax().shared(); }, {2, 4}},
      {"Activation", [] { return layers::Activation({.activation = "gelu"}).shared(); }, {2, 4}},
      {"Flatten", [] { return Flatten().shared(); }, {2, 4, 3}},
      {"Reshape",
       [] {
         return Reshape({.target_shape = Shape{3, 4}}).shared();
       },
       {2, 4, 3}},
      {"ZeroPadding2D", [] { return ZeroPadding2D().shared(); }, {2, 4, 4, 3}},
      {"Cropping1D", [] { return Cropping1D().shared(); }, {2, 4, 3}},
      {"UpSampling2D", [] { return UpSampling2D().shared(); }, {2, 2, 2, 3}},
      {"Dropout", [] { return Dropout({.rate = 0.1, .seed = 1}).shared(); }, {2, 4}},
      {"Rescaling", [] { return Rescaling({.scale = 0.5}).shared(); }, {2, 4}},
      {"Resizing", [] { return Resizing({.height = 2, .width = 3}).shared(); }, {2, 4, 4, 3}},
  };
}

Tensor sample(const Shape& shape) { return ops::cast(test::noise(shape), DType::float32); }

}  // namespace

TEST_CASE("layers compute and keep weights in the types of their policy") {
  for (const char* name : {"float32", "float64", "bfloat16", "mixed_bfloat16", "mixed_float16"}) {
    const DTypePolicy policy(name);
    const PolicyScope scope(policy);
    for (const Kind& kind : kinds()) {
      INFO(kind.name << " in " << name);
      const auto layer = kind.make();
      const Tensor y = (*layer)(sample(kind.input));
      CHECK(y.dtype() == policy.compute_dtype());
      for (const Variable& v : layer->weights()) CHECK(v.dtype() == policy.variable_dtype());
      const auto copy = test::remade<Layer>(*layer);
      CHECK(copy->dtype_policy().name() == name);
    }
  }
}

TEST_CASE("layers in 16 bits compute what they do in 32, up to rounding") {
  random::set_seed(1);
  for (const Kind& kind : kinds()) {
    INFO(kind.name);
    const Tensor x = sample(kind.input);
    const auto wide = kind.make();
    const Tensor expected = (*wide)(x);
    for (const auto& [name, tolerance] :
         {std::pair{"mixed_bfloat16", 0.06}, {"mixed_float16", 0.01}}) {
      const PolicyScope scope((DTypePolicy(name)));
      const auto narrow = kind.make();
      (*narrow)(x);
      narrow->set_weights(wide->get_weights());
      CHECK(test::difference(ops::cast((*narrow)(x), DType::float32), expected) < tolerance);
    }
  }
}

TEST_CASE("every kind of layer comes back from a file with its bits") {
  const test::TemporaryFolder folder;
  const PredictOptions quiet{.verbose = Verbose::silent};
  for (const char* policy : {"float32", "mixed_bfloat16"}) {
    const PolicyScope scope((DTypePolicy(policy)));
    for (const Kind& kind : kinds()) {
      INFO(kind.name << " in " << policy);
      Sequential model({Input(kind.input.slice(1)), AnyLayer(kind.make())});
      const std::string path = (folder / (std::string(kind.name) + ".keras")).string();
      model.save(path);
      const auto loaded = load_model(path);
      const Tensor x = sample(kind.input);
      CHECK(identical(loaded->predict(x, quiet).tensor(), model.predict(x, quiet).tensor()));
      const auto a = model.get_weights(), b = loaded->get_weights();
      REQUIRE(a.size() == b.size());
      for (size_t i = 0; i < a.size(); ++i) CHECK(identical(a[i], b[i]));
    }
  }
}

TEST_CASE("every kind of layer trains in mixed precision, with weights in 32 bits") {
  random::set_seed(1);
  const PolicyScope scope("mixed_bfloat16");
  for (const Kind& kind : kinds()) {
    const auto layer = kind.make();
    INFO(kind.name);
    Sequential model({Input(kind.input.slice(1)), AnyLayer(layer), layers::Flatten(),
                      layers::Dense({.units = 1, .dtype = "float32"})});
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.02}), .loss = "mse"});
    const Tensor x = sample(kind.input), y = Tensor::from({0.5f, -0.5f}, {2, 1});
    // Outside of training, where Dropout makes no noise.
    const EvaluateOptions quiet{.verbose = Verbose::silent};
    const double before = model.evaluate(x, y, quiet)["loss"];
    const History history = model.fit(x, y, {.epochs = 30, .verbose = Verbose::silent});
    CHECK(std::isfinite(history["loss"].back()));
    // BatchNormalization has not learnt its averages in so few steps.
    if (std::string(kind.name) != "BatchNormalization")
      CHECK(model.evaluate(x, y, quiet)["loss"] < before);
    else
      CHECK(history["loss"].back() < history["loss"].front());
    for (const Variable& v : model.weights())
      if (is_float(v.dtype())) CHECK(v.dtype() == DType::float32);
  }
}

TEST_CASE("mixed_float16 scales the loss, so that small gradients are not lost") {
  const PolicyScope scope("mixed_float16");
  Sequential model({Input({2}), layers::Dense({.units = 1, .kernel_initializer = "ones"})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 1000}), .loss = "mse"});
  CHECK(model.optimizer()->name().find("loss_scale") != std::string::npos);
  // A gradient of about 1e-8, which float16 has not.
  const Tensor x = ops::full({4, 2}, 0.001), y = ops::full({4, 1}, 0.002 - 5e-6);
  model.fit(x, y, {.epochs = 2, .verbose = Verbose::silent});
  for (double w : model.get_weights()[0].to_vector<double>()) {
    CHECK(std::isfinite(w));
    CHECK(w != 1);
  }
  Sequential plain({Input({2}), layers::Dense({.units = 1})});
  plain.compile({.optimizer = "sgd", .loss = "mse", .auto_scale_loss = false});
  CHECK(plain.optimizer()->name() == "sgd");
}

}  // namespace mixed_precision_contract_test
