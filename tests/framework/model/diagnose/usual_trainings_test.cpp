// Trainings of usual kinds, from digits to transformers: diagnose finds nothing in them.
#include "support.h"

namespace usual_trainings_test {

using namespace cornu;
using namespace cornu::test;

namespace {

CompileOptions with(LossOption loss, MetricOption metrics = {},
                    Choice<Optimizer> optimizer = "adam") {
  return {
      .optimizer = std::move(optimizer), .loss = std::move(loss), .metrics = std::move(metrics)};
}

layers::Dense dense(int64_t units, const char* activation) {
  return layers::Dense({.units = units, .activation = activation});
}

// Numbers from 0 to `count` - 1.
Tensor integers(const Shape& shape, unsigned count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int32_t> values(static_cast<size_t>(shape.numel()));
  for (int32_t& v : values) v = static_cast<int32_t>(random() % count);
  return Tensor::from(values, shape);
}

}  // namespace

TEST_CASE("diagnose finds nothing in usual trainings") {
  const Problem p, big(1000);
  const Pictures pic;
  const Sentences s, whole(false);
  auto [train, test] = datasets::digits();
  CHECK(
      diagnosed(Sequential({layers::Conv2D({.filters = 16, .kernel_size = 3, .activation = "relu"}),
                            layers::MaxPooling2D(), layers::Flatten(),
                            layers::Dropout({.rate = 0.5}), dense(10, "softmax")}),
                with("sparse_categorical_crossentropy", {"accuracy"}), train.x, train.y,
                {.validation_x = test.x, .validation_y = test.y}) == Ids{});
  CHECK(diagnosed(Sequential({layers::Flatten(), dense(32, "relu"), dense(10, "softmax")}),
                  with("sparse_categorical_crossentropy", {"accuracy"}), train.x, train.y,
                  {.validation_split = 0.2}) == Ids{});
  // Exclusive or.
  const Tensor xx = Tensor::from({0.f, 0.f, 0.f, 1.f, 1.f, 0.f, 1.f, 1.f}, {4, 2}),
               xy = Tensor::from({0.f, 1.f, 1.f, 0.f}, {4, 1});
  CHECK(diagnosed(mlp(1, "sigmoid"), with("binary_crossentropy"), xx, xy) == Ids{});
  CHECK(diagnosed(Sequential({dense(8, "tanh"), dense(1, "sigmoid")}),
                  with("mse", {}, optimizers::SGD({.learning_rate = 0.5})), xx, xy) == Ids{});
  // Counts and flags for features; targets of some hundreds.
  CHECK(diagnosed(mlp(1, "linear"), for_regression(),
                  ops::cast(integers({256, 6}, 10, 3), DType::float32), p.regression(),
                  {.validation_split = 0.2}) == Ids{});
  CHECK(diagnosed(mlp(3, "softmax"), for_classes(),
                  ops::cast(integers({256, 12}, 2, 3), DType::float32), p.classes(),
                  {.validation_split = 0.2}) == Ids{});
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), p.x,
                  p.regression() * Tensor(80.0) + Tensor(150.0)) == Ids{});
  CHECK(diagnosed(mlp(1, "linear"), with("mae"), p.x,
                  p.regression() * Tensor(200.0) + Tensor(500.0)) == Ids{});
  for (double lr : {0.05, 0.02})
    CHECK(diagnosed(mlp(1, "linear"), with("mse", {}, optimizers::Adam({.learning_rate = lr})), p.x,
                    p.regression()) == Ids{});
  // Segmentation.
  const Tensor mask = ops::cast(pic.x() > Tensor(0.5), DType::float32);
  CHECK(
      diagnosed(Sequential(
                    {layers::Conv2D(
                         {.filters = 8, .kernel_size = 3, .padding = "same", .activation = "relu"}),
                     layers::Conv2D({.filters = 1, .kernel_size = 1, .activation = "sigmoid"})}),
                with("binary_crossentropy", {"accuracy", metrics::BinaryIoU()}), pic.x(),
                mask) == Ids{});
  CHECK(
      diagnosed(Sequential(
                    {layers::Conv2D(
                         {.filters = 8, .kernel_size = 3, .padding = "same", .activation = "relu"}),
                     layers::Conv2D({.filters = 2, .kernel_size = 1, .activation = "softmax"})}),
                with("sparse_categorical_crossentropy", {"accuracy"}), pic.x(),
                ops::cast(mask, DType::int32)) == Ids{});
  CHECK(
      diagnosed(Sequential(
                    {layers::Conv2D(
                         {.filters = 8, .kernel_size = 3, .padding = "same", .activation = "relu"}),
                     layers::Conv2D({.filters = 1, .kernel_size = 1, .activation = "sigmoid"})}),
                with("dice"), pic.x(), mask) == Ids{});
  // Padded sentences.
  CHECK(diagnosed(
            Sequential({masked_embedding(), layers::LSTM({.units = 8, .return_sequences = true}),
                        layers::TimeDistributed({.layer = dense(3, "softmax")})}),
            for_classes(), s.x(), integers({128, 12}, 3, 5)) == Ids{});
  CHECK(diagnosed(Sequential({masked_embedding(),
                              layers::Bidirectional(
                                  {.layer = layers::GRU({.units = 8, .return_sequences = true})}),
                              layers::GRU({.units = 8}), dense(1, "sigmoid")}),
                  for_binary(), s.x(), s.y()) == Ids{});
  // Small transformers, without a mask and with one.
  Input w({12});
  Tensor e = layers::Embedding({.input_dim = 10, .output_dim = 8})(w);
  e = layers::Add()({Nest(e), Nest(layers::MultiHeadAttention({.num_heads = 2, .key_dim = 4})(
                                  {Nest(e), Nest(e)}))});
  e = layers::LayerNormalization()(e);
  Functional transformer(w, dense(1, "sigmoid")(layers::GlobalAveragePooling1D()(e)));
  CHECK(diagnosed(transformer, for_binary(), s.x(), s.y()) == Ids{});
  Tensor m = masked_embedding()(w);
  m = layers::Add()({Nest(m), Nest(layers::MultiHeadAttention({.num_heads = 2, .key_dim = 4})(
                                  {Nest(m), Nest(m)}))});
  m = layers::LayerNormalization()(m);
  Functional masked(w, dense(1, "sigmoid")(layers::GlobalAveragePooling1D()(m)));
  CHECK(diagnosed(masked, for_binary(), s.x(), s.y()) == Ids{});
  // A language model.
  CHECK(diagnosed(
            Sequential({layers::Embedding({.input_dim = 10, .output_dim = 16}),
                        layers::GRU({.units = 16, .return_sequences = true}), dense(10, "linear")}),
            with(losses::SparseCategoricalCrossentropy({.from_logits = true})), whole.x(),
            ops::roll(whole.x(), {-1}, {1})) == Ids{});
  // An average of two softmaxes, and weights that are shared.
  Input x({8});
  const Tensor a = dense(3, "softmax")(x), b = dense(3, "softmax")(dense(16, "relu")(x));
  Functional ensemble(x, layers::Average()({Nest(a), Nest(b)}));
  CHECK(diagnosed(ensemble, for_classes(), p.x, p.classes()) == Ids{});
  layers::Dense tower = dense(8, "relu");
  Input l({8}), r({8});
  Functional siamese(Nest::List{l, r}, dense(1, "sigmoid")(ops::absolute(tower(l) - tower(r))));
  CHECK(diagnosed(siamese, for_binary(), Nest::List{p.x, normal({256, 8}, 4)}, p.binary()) ==
        Ids{});
  // Gated by a softmax, with another at the end.
  const Tensor gate = dense(8, "softmax")(x);
  Functional gated(x, dense(3, "softmax")(layers::Multiply()({Nest(Tensor(x)), Nest(gate)})));
  CHECK(diagnosed(gated, for_classes(), p.x, p.classes()) == Ids{});
  CHECK(diagnosed(
            Sequential(
                {layers::Dense({.units = 16, .activation = "relu", .kernel_regularizer = "l2"}),
                 layers::BatchNormalization(), layers::Dropout({.rate = 0.3}), dense(1, "linear")}),
            with("huber", {"mae"}), p.x, p.regression()) == Ids{});
  CHECK(diagnosed(Sequential({layers::LSTM({.units = 8, .stateful = true}), dense(1, "linear")}),
                  for_regression(), ops::reshape(p.x, {256, 4, 2}), p.regression(),
                  {.shuffle = false}) == Ids{});
  CHECK(
      diagnosed(Sequential({layers::RandomFlip(),
                            layers::Conv2D({.filters = 8, .kernel_size = 3, .activation = "relu"}),
                            layers::GlobalAveragePooling2D(), dense(4, "softmax")}),
                for_classes(), pic.x(), pic.y()) == Ids{});
  SubclassedMlp ds(1, "linear");
  ds.compile(for_regression());
  CHECK(ids_of(ds.diagnose(std::make_shared<TensorDataset>(
            big.x, big.regression(), Nest(), TensorDataset::Options{.batch_size = 32}))) == Ids{});
  // A column of ones.
  CHECK(diagnosed(mlp(1, "linear"), with("mse"), ops::concatenate({p.x, ops::ones({256, 1})}, 1),
                  p.regression()) == Ids{});
  // The target is twice a feature.
  CHECK(diagnosed(
            mlp(1, "linear"), for_regression(), p.x,
            ops::reshape(take_rows(ops::transpose(p.x), 0, 1).tensor(), {256, 1}) * Tensor(2.0) +
                Tensor(1.0)) == Ids{});
}

}  // namespace usual_trainings_test
