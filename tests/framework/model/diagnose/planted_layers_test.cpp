// Faults of the architecture, planted in models of several kinds.
#include "support.h"

namespace planted_layers_test {

using namespace cornu;
using namespace cornu::test;

namespace {

layers::Dense sigmoid_head() { return layers::Dense({.units = 1, .activation = "sigmoid"}); }

// A network for words whose masked embedding goes through `middle`.
Ids through(std::vector<AnyLayer> middle) {
  const Sentences s;
  std::vector<AnyLayer> all{masked_embedding()};
  all.insert(all.end(), middle.begin(), middle.end());
  all.push_back(sigmoid_head());
  return diagnosed(Sequential(all), for_binary(), s.x(), s.y());
}

std::shared_ptr<Sequential> base_of(std::vector<AnyLayer> layers) {
  return std::make_shared<Sequential>(std::move(layers));
}

}  // namespace

TEST_CASE("planted: masks that end") {
  CHECK(through({layers::Flatten()}) == Ids{"mask_dropped"});
  CHECK(through({layers::GlobalMaxPooling1D()}) == Ids{"mask_dropped"});
  CHECK(through({layers::Permute({.dims = {2, 1}}), layers::LSTM({.units = 8})}) ==
        Ids{"mask_dropped"});
  CHECK(through({layers::GRU({.units = 8, .return_sequences = true}),
                 layers::Conv1D({.filters = 4, .kernel_size = 3}),
                 layers::GlobalAveragePooling1D()}) == Ids{"mask_dropped"});
  CHECK(through({layers::Lambda({.function = [](const Tensor& x) { return ops::mean(x, 1); }})}) ==
        Ids{"mask_dropped"});
  // An op between the layers.
  const Sentences s;
  Input words({12});
  Functional mean(words, sigmoid_head()(ops::mean(masked_embedding()(words), 1)));
  CHECK(diagnosed(mean, for_binary(), s.x(), s.y()) == Ids{"mask_dropped"});
  class Sums : public Model {
   public:
    Sums() {
      track("embedding", embedding);
      track("head", head);
    }
    Tensor call(const Tensor& x, const Call&) override {
      return head(ops::sum(embedding(x) * Tensor(0.5), 1));
    }
    layers::Embedding embedding = masked_embedding();
    layers::Dense head = sigmoid_head();
  };
  Sums sums;
  CHECK(diagnosed(sums, for_binary(), s.x(), s.y()) == Ids{"mask_dropped"});
  // Padding by a Masking layer.
  const Tensor steps = ops::reshape(normal({128, 36}, 3), {128, 12, 3}) *
                       ops::expand_dims(ops::cast(s.x() > Tensor(0), DType::float32), {-1});
  CHECK(diagnosed(Sequential({layers::Masking(), layers::Conv1D({.filters = 8, .kernel_size = 3}),
                              layers::GlobalMaxPooling1D(), sigmoid_head()}),
                  for_binary(), steps, s.y()) == Ids{"mask_dropped"});
}

TEST_CASE("planted: normalizations without statistics") {
  const Problem p;
  const auto frozen = base_of({layers::Dense({.units = 16}), layers::BatchNormalization(),
                               layers::Activation({.activation = "relu"})});
  frozen->set_trainable(false);
  CHECK_THAT(diagnosed(Sequential({frozen, layers::Dense({.units = 1})}), for_regression(), p.x,
                       p.regression()),
             Catch::Matchers::VectorContains(std::string("frozen_normalization")));
  // In inference mode, always.
  class Inference : public Model {
   public:
    Inference() {
      track("dense", dense);
      track("norm", norm);
      track("out", out);
    }
    Tensor call(const Tensor& x, const Call&) override {
      return out(ops::relu(norm(dense(x), {.training = false})));
    }
    layers::Dense dense = layers::Dense({.units = 16});
    layers::BatchNormalization norm;
    layers::Dense out = layers::Dense({.units = 1});
  };
  Inference inference;
  CHECK(diagnosed(inference, for_regression(), p.x, p.regression()) == Ids{"frozen_normalization"});
  const Pictures pictures;
  layers::BatchNormalization norm;
  norm->set_trainable(false);
  CHECK(diagnosed(Sequential({layers::Conv2D({.filters = 8, .kernel_size = 3}), norm,
                              layers::Activation({.activation = "relu"}),
                              layers::GlobalAveragePooling2D(),
                              layers::Dense({.units = 4, .activation = "softmax"})}),
                  for_classes(), pictures.x(), pictures.y()) == Ids{"frozen_normalization"});
}

TEST_CASE("planted: layers that were left frozen") {
  const Problem p;
  const Sentences s(false);
  const auto base = base_of({layers::Dense({.units = 16, .activation = "relu"}),
                             layers::Dense({.units = 16, .activation = "relu"})});
  base->set_trainable(false);
  CHECK(diagnosed(Sequential({base, layers::Dense({.units = 1})}), for_regression(), p.x,
                  p.regression()) == Ids{"forgotten_trainable"});
  SubclassedMlp model(1, "linear");
  model.hidden->set_trainable(false);
  CHECK(diagnosed(model, for_regression(), p.x, p.regression()) == Ids{"forgotten_trainable"});
  layers::LSTM lstm({.units = 8});
  lstm->set_trainable(false);
  CHECK(diagnosed(Sequential({lstm, layers::Dense({.units = 1})}), for_regression(),
                  ops::reshape(p.x, {256, 4, 2}), p.regression()) == Ids{"forgotten_trainable"});
  layers::Dense bare({.units = 32, .activation = "relu", .use_bias = false});
  bare->set_trainable(false);
  CHECK(diagnosed(Sequential({bare, layers::Dense({.units = 1})}), for_regression(), p.x,
                  p.regression()) == Ids{"forgotten_trainable"});
  layers::Embedding words({.input_dim = 10, .output_dim = 32});
  words->set_trainable(false);
  CHECK(diagnosed(Sequential({words, layers::GRU({.units = 8}), sigmoid_head()}), for_binary(),
                  s.x(), s.y()) == Ids{"forgotten_trainable"});
  const Pictures pictures;
  Sequential all = convnet("softmax");
  for (const auto& layer : all.sublayers()) layer->set_trainable(false);
  CHECK(diagnosed(all, for_classes(), pictures.x(), pictures.y()) == Ids{"forgotten_trainable"});
}

TEST_CASE("planted: batch normalization of one sample") {
  const Problem odd(129);
  Input x({8});
  Functional model(
      x, layers::Dense({.units = 1})(layers::BatchNormalization()(layers::Dense({.units = 8})(x))));
  CHECK(diagnosed(model, for_regression(), odd.x, odd.regression(), {.batch_size = 64}) ==
        Ids{"batch_norm_of_one"});
  const auto with_norm = [] {
    return Sequential({layers::Dense({.units = 16}), layers::BatchNormalization(),
                       layers::Activation({.activation = "relu"}), layers::Dense({.units = 1})});
  };
  const Problem large(961);
  const auto dataset = [&](int64_t size) {
    return std::make_shared<TensorDataset>(large.x, large.regression(), Nest(),
                                           TensorDataset::Options{.batch_size = size});
  };
  for (int64_t size : {1, 32}) {
    Sequential of_dataset = with_norm();
    of_dataset.compile(for_regression());
    CHECK(ids_of(of_dataset.diagnose(dataset(size))) == Ids{"batch_norm_of_one"});
  }
  // Of 385 samples 308 are left to train on, of 402 321.
  const Problem split(385), rest(402);
  CHECK(diagnosed(with_norm(), for_regression(), split.x, split.regression(),
                  {.validation_split = 0.2}) == Ids{});
  CHECK(diagnosed(with_norm(), for_regression(), rest.x, rest.regression(),
                  {.batch_size = 40, .validation_split = 0.2}) == Ids{"batch_norm_of_one"});
  const Pictures pictures;
  CHECK(diagnosed(Sequential({layers::Conv2D({.filters = 8, .kernel_size = 3}),
                              layers::GlobalAveragePooling2D(), layers::BatchNormalization(),
                              layers::Dense({.units = 4, .activation = "softmax"})}),
                  for_classes(), pictures.x(), pictures.y(),
                  {.batch_size = 1}) == Ids{"batch_norm_of_one"});
}

TEST_CASE("planted: dead units") {
  const Problem p;
  const Pictures pictures;
  CHECK(diagnosed(Sequential(
                      {layers::Dense({.units = 16,
                                      .bias_initializer = initializers::Constant({.value = -100})}),
                       layers::ReLU(), layers::Dense({.units = 1})}),
                  for_regression(), p.x, p.regression()) == Ids{"dead_units"});
  CHECK(diagnosed(
            Sequential(
                {layers::Conv2D({.filters = 16,
                                 .kernel_size = 3,
                                 .activation = "relu",
                                 .kernel_initializer = initializers::Constant({.value = -0.1})}),
                 layers::Flatten(), layers::Dense({.units = 4, .activation = "softmax"})}),
            for_classes(), pictures.x(), pictures.y()) == Ids{"dead_units"});
  class ByOp : public Model {
   public:
    ByOp() {
      track("hidden", hidden);
      track("out", out);
    }
    Tensor call(const Tensor& x, const Call&) override { return out(ops::relu(hidden(x))); }
    layers::Dense hidden =
        layers::Dense({.units = 16, .bias_initializer = initializers::Constant({.value = -40})});
    layers::Dense out = layers::Dense({.units = 1});
  };
  ByOp by_op;
  CHECK(diagnosed(by_op, for_regression(), p.x, p.regression()) == Ids{"dead_units"});
  Input x({8});
  Functional graph(
      x, layers::Dense({.units = 1})(ops::relu(layers::Dense(
             {.units = 16, .bias_initializer = initializers::Constant({.value = -40})})(x))));
  CHECK(diagnosed(graph, for_regression(), p.x, p.regression()) == Ids{"dead_units"});
  CHECK(diagnosed(
            Sequential(
                {layers::Dense({.units = 16, .activation = "relu", .kernel_initializer = "zeros"}),
                 layers::Dense({.units = 1})}),
            for_regression(), p.x, p.regression()) == Ids{"dead_units"});
}

TEST_CASE("planted: float16 that overflows") {
  const Problem p;
  const Pictures pictures;
  CHECK(diagnosed(Sequential({layers::Dense({.units = 16, .dtype = "mixed_float16"}),
                              layers::Lambda({.function =
                                                  [](const Tensor& x) {
                                                    return ops::exp(ops::square(x) * Tensor(20.0));
                                                  },
                                              .dtype = "mixed_float16"}),
                              layers::Dense({.units = 1, .dtype = "float32"})}),
                  for_regression(), p.x, p.regression()) == Ids{"half_overflow"});
  CHECK(diagnosed(
            Sequential({layers::Conv2D({.filters = 4,
                                        .kernel_size = 3,
                                        .kernel_initializer = initializers::Constant({.value = 40}),
                                        .dtype = "mixed_float16"}),
                        layers::Conv2D({.filters = 4,
                                        .kernel_size = 3,
                                        .kernel_initializer = initializers::Constant({.value = 40}),
                                        .dtype = "mixed_float16"}),
                        layers::Flatten(),
                        layers::Dense({.units = 4, .activation = "softmax", .dtype = "float32"})}),
            for_classes(), pictures.x(), pictures.y()) == Ids{"half_overflow"});
  // The same numbers fit bfloat16.
  CHECK(diagnosed(Sequential({layers::Dense({.units = 16, .dtype = "mixed_bfloat16"}),
                              layers::Dense({.units = 1, .dtype = "float32"})}),
                  for_regression(), p.x, p.regression()) == Ids{});
}

}  // namespace planted_layers_test
