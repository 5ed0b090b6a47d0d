// Faults of data, planted in models and data of several kinds.
#include "support.h"

namespace planted_data_test {

using namespace cornu;
using namespace cornu::test;

namespace {

Tensor with_value(const Tensor& t, size_t place, float value) {
  std::vector<float> values = t.to_vector<float>();
  values.at(place) = value;
  return Tensor::from(values, t.shape());
}

// Two inputs of 8 numbers each, both used.
Functional two_inputs(int64_t units, const char* activation) {
  Input a(InputConfig{.shape = {8}, .name = "a"}), b(InputConfig{.shape = {8}, .name = "b"});
  const Tensor hidden = layers::Dense({.units = 16, .activation = "relu"})(
      layers::Concatenate()({Nest(Tensor(a)), Nest(Tensor(b))}));
  return Functional(Nest::List{a, b},
                    layers::Dense({.units = units, .activation = activation})(hidden));
}

// Column `k` of x becomes `column`.
Tensor with_column(const Tensor& x, int64_t k, const std::vector<float>& column) {
  std::vector<float> values = x.to_vector<float>();
  for (size_t i = 0; i < column.size(); ++i)
    values[i * static_cast<size_t>(x.shape(1)) + static_cast<size_t>(k)] = column[i];
  return Tensor::from(values, x.shape());
}

Tensor rolled(const Tensor& t, int64_t by) { return ops::roll(t, {by}, {0}); }

// Ten classes by the first number, the last one rarely.
std::vector<int32_t> rare_class(size_t n) {
  std::vector<int32_t> y;
  for (size_t i = 0; i < n; ++i) y.push_back(i % 400 == 50 ? 9 : static_cast<int32_t>((i * 7) % 9));
  return y;
}

}  // namespace

TEST_CASE("planted: numbers that are not finite") {
  const Problem p;
  const Pictures pictures;
  CHECK(diagnosed(convnet("softmax"), for_classes(), with_value(pictures.x(), 500, NAN),
                  pictures.y()) == Ids{"inputs_nan"});
  CHECK(diagnosed(two_inputs(1, "linear"), for_regression(),
                  Nest::List{p.x, with_value(normal({256, 8}, 5), 9, -INFINITY)},
                  p.regression()) == Ids{"inputs_nan"});
  CHECK(diagnosed(SubclassedMlp(1, "linear"), for_regression(),
                  ops::cast(with_value(p.x, 3, NAN), DType::float64),
                  p.regression()) == Ids{"inputs_nan"});
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), p.x, p.regression(),
                  {.sample_weight = with_value(ops::ones({256}), 4, NAN)}) == Ids{"inputs_nan"});
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), p.x, p.regression(),
                  {.validation_x = with_value(normal({64, 8}, 8), 4, NAN),
                   .validation_y = ops::ones({64, 1})}) == Ids{"inputs_nan"});
}

TEST_CASE("planted: inputs without variation") {
  const Problem p;
  const Pictures pictures;
  CHECK(diagnosed(convnet("softmax"), for_classes(), ops::full({160, 12, 12, 1}, 0.5),
                  pictures.y()) == Ids{"inputs_constant"});
  CHECK(diagnosed(two_inputs(1, "linear"), for_regression(), Nest::List{p.x, ops::zeros({256, 8})},
                  p.regression()) == Ids{"inputs_constant"});
  CHECK(diagnosed(Sequential({layers::Embedding({.input_dim = 10, .output_dim = 4}),
                              layers::LSTM({.units = 8}),
                              layers::Dense({.units = 1, .activation = "sigmoid"})}),
                  for_binary(), ops::ones({256, 12}, DType::int32),
                  p.binary()) == Ids{"inputs_constant"});
}

TEST_CASE("planted: inputs without scale") {
  const Problem p;
  const Pictures pictures;
  CHECK(diagnosed(convnet("softmax"), for_classes(), pictures.x() * Tensor(255.0), pictures.y()) ==
        Ids{"inputs_unscaled"});
  CHECK(diagnosed(convnet("softmax"), for_classes(),
                  ops::cast(pictures.x() * Tensor(255.0), DType::uint8),
                  pictures.y()) == Ids{"inputs_unscaled"});
  // Seconds since 1970 beside seven good columns.
  std::vector<float> seconds;
  for (int i = 0; i < 256; ++i) seconds.push_back(1.7e9f + 1000.f * static_cast<float>(i));
  CHECK(diagnosed(functional_mlp(8, 1, "linear"), for_regression(), with_column(p.x, 2, seconds),
                  p.regression()) == Ids{"inputs_unscaled"});
  CHECK(diagnosed(SubclassedMlp(3, "softmax"), for_classes(), p.x + Tensor(1000.0), p.classes()) ==
        Ids{"inputs_unscaled"});
  CHECK(diagnosed(Sequential({layers::LSTM({.units = 8}), layers::Dense({.units = 1})}),
                  for_regression(), ops::reshape(p.x, {256, 4, 2}) * Tensor(300.0),
                  p.regression()) == Ids{"inputs_unscaled"});
  CHECK(diagnosed(two_inputs(1, "sigmoid"), for_binary(),
                  Nest::List{p.x, normal({256, 8}, 5) * Tensor(5000.0)},
                  p.binary()) == Ids{"inputs_unscaled"});
  CHECK(diagnosed(Sequential({layers::Dropout({.rate = 0.1}),
                              layers::Dense({.units = 16, .activation = "relu"}),
                              layers::Dense({.units = 1})}),
                  for_regression(), p.x * Tensor(400.0), p.regression()) == Ids{"inputs_unscaled"});
}

TEST_CASE("planted: inputs that nothing uses") {
  const Problem p;
  const Tensor other = normal({256, 8}, 5);
  Input a(InputConfig{.shape = {8}, .name = "a"}), b(InputConfig{.shape = {8}, .name = "b"});
  Functional forgets(Nest::List{a, b}, layers::Dense({.units = 1})(a));
  CHECK(diagnosed(forgets, for_regression(), Nest::List{p.x, other}, p.regression()) ==
        Ids{"unused_input"});
  CHECK(diagnosed(two_inputs(1, "linear"), for_regression(),
                  Nest::dict({{"a", p.x}, {"b", other}, {"c", other}}),
                  p.regression()) == Ids{"unused_input"});
  class FirstOnly : public Model {
   public:
    FirstOnly() { track("dense", dense); }
    Nest call_many(const Nest& x, const Call&) override { return dense(x[0].tensor()); }
    layers::Dense dense = layers::Dense({.units = 1});
  };
  FirstOnly first;
  CHECK(diagnosed(first, for_regression(), Nest::List{p.x, other}, p.regression()) ==
        Ids{"unused_input"});
}

TEST_CASE("planted: validation samples that are trained on") {
  const Problem p(400), held_out(100, 8, 9);
  // Oversampled in a random order, then split.
  std::vector<int64_t> order;
  for (int64_t i = 0; i < 800; ++i) order.push_back((i * 373) % 800 % 400);
  const Tensor rows(order);
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), ops::take(p.x, rows, 0),
                  ops::take(p.regression(), rows, 0),
                  {.validation_split = 0.2}) == Ids{"split_leak"});
  // A tenth of the held-out samples.
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), p.x, p.regression(),
                  {.validation_x = ops::concatenate({held_out.x, take_rows(p.x, 20, 31).tensor()},
                                                    0)}) == Ids{"split_leak"});
  const Pictures pictures;
  CHECK(diagnosed(convnet("softmax"), for_classes(), pictures.x(), pictures.y(),
                  {.validation_x = take_rows(pictures.x(), 0, 40)}) == Ids{"split_leak"});
  CHECK(diagnosed(two_inputs(1, "linear"), for_regression(), Nest::List{p.x, normal({400, 8}, 5)},
                  p.regression(),
                  {.validation_x = take_rows(Nest::List{p.x, normal({400, 8}, 5)}, 0, 80)}) ==
        Ids{"split_leak"});
  // Training samples with a little noise: augmented, then split.
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), p.x, p.regression(),
                  {.validation_x = take_rows(p.x, 0, 80).tensor() +
                                   normal({80, 8}, 12) * Tensor(0.001)}) == Ids{"split_leak"});
}

TEST_CASE("planted: the target among the features") {
  const Problem p;
  const std::vector<float> target = p.regression().to_vector<float>(),
                           label = p.binary().to_vector<float>();
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), with_column(p.x, 5, target),
                  p.regression()) == Ids{"target_leak"});
  CHECK(diagnosed(functional_mlp(8, 1, "sigmoid"), for_binary(), with_column(p.x, 0, label),
                  p.binary()) == Ids{"target_leak"});
  std::vector<float> classes = p.classes().to_vector<float>();
  CHECK(diagnosed(mlp(3, "softmax"), for_one_hot(), with_column(p.x, 7, classes), p.one_hot()) ==
        Ids{"target_leak"});
  // Scaled together with the features.
  std::vector<float> scaled = target;
  double mean = 0, square = 0;
  for (float v : target) mean += v / 256.0;
  for (float v : target) square += (v - mean) * (v - mean) / 256.0;
  for (float& v : scaled) v = static_cast<float>((v - mean) / std::sqrt(square));
  CHECK(diagnosed(SubclassedMlp(1, "linear"), for_regression(), with_column(p.x, 5, scaled),
                  p.regression()) == Ids{"target_leak"});
}

TEST_CASE("planted: labels that are all equal") {
  const Problem p;
  CHECK(diagnosed(functional_mlp(8, 1, "sigmoid"), for_binary(), p.x, ops::zeros({256, 1})) ==
        Ids{"labels_constant"});
  CHECK(diagnosed(mlp(3, "softmax"), for_classes(), p.x, ops::full({256}, 2, DType::int32)) ==
        Ids{"labels_constant"});
  CHECK(diagnosed(SubclassedMlp(3, "softmax"), for_one_hot(), p.x,
                  ops::one_hot(ops::ones({256}, DType::int32), 3)) == Ids{"labels_constant"});
  Input x({8});
  const Tensor hidden = layers::Dense({.units = 16, .activation = "relu"})(x);
  Functional two(x, Nest::List{layers::Dense({.units = 1, .name = "a"})(hidden),
                               layers::Dense({.units = 1, .name = "b"})(hidden)});
  CHECK(diagnosed(two, {.optimizer = "adam", .loss = {"mse", "mse"}}, p.x,
                  Nest::List{p.regression(), ops::full({256, 1}, 1.5)}) == Ids{"labels_constant"});
}

TEST_CASE("planted: labels out of step") {
  const Problem p(400);
  const Pictures pictures;
  CHECK(diagnosed(convnet("softmax"), for_classes(), pictures.x(), rolled(pictures.y(), 1)) ==
        Ids{"labels_shifted"});
  CHECK(diagnosed(functional_mlp(8, 1, "sigmoid"), for_binary(), p.x, rolled(p.binary(), -2)) ==
        Ids{"labels_shifted"});
  CHECK(diagnosed(mlp(3, "softmax"), for_one_hot(), take_rows(p.x, 1, 400),
                  take_rows(p.one_hot(), 0, 399)) == Ids{"labels_shifted"});
  CHECK(diagnosed(SubclassedMlp(1, "linear"), for_regression(), p.x, rolled(p.regression(), 10)) ==
        Ids{"labels_shifted"});
  Problem series(400, 24);
  CHECK(diagnosed(Sequential({layers::GRU({.units = 8}), layers::Dense({.units = 1})}),
                  for_regression(), ops::reshape(series.x, {400, 8, 3}),
                  rolled(series.regression(), 1)) == Ids{"labels_shifted"});
}

TEST_CASE("planted: rare classes") {
  const Problem p(970);
  const Tensor rare = Tensor::from(rare_class(970), {970});
  CHECK(diagnosed(mlp(10, "softmax"), for_classes(), p.x, rare) == Ids{"class_imbalance"});
  CHECK(diagnosed(functional_mlp(8, 10, "softmax"), for_one_hot(), p.x, ops::one_hot(rare, 10)) ==
        Ids{"class_imbalance"});
  std::vector<float> few;
  for (float s : p.score) few.push_back(s > 2.2f ? 1.f : 0.f);
  CHECK(diagnosed(SubclassedMlp(1, "linear"),
                  {.optimizer = "adam", .loss = losses::BinaryCrossentropy({.from_logits = true})},
                  p.x, Tensor::from(few, {970})) == Ids{"class_imbalance"});
  CHECK(diagnosed(mlp(2, "softmax"), for_classes(), p.x,
                  ops::cast(Tensor::from(few, {970}), DType::int32)) == Ids{"class_imbalance"});
}

TEST_CASE("planted: sorted labels") {
  const Problem p;
  const Tensor order = ops::argsort(Tensor::from(p.score, {p.n()}));
  const Tensor x = ops::take(p.x, order, 0);
  CHECK(diagnosed(mlp(3, "softmax"), for_one_hot(), x, ops::take(p.one_hot(), order, 0),
                  {.shuffle = false}) == Ids{"shuffle_missing"});
  CHECK(diagnosed(functional_mlp(8, 1, "sigmoid"), for_binary(), x, ops::take(p.binary(), order, 0),
                  {.shuffle = false}) == Ids{"shuffle_missing"});
  SubclassedMlp model(3, "softmax");
  model.compile(for_classes());
  // A dataset in its own order, longer than what is looked at.
  const Problem large(1600);
  const Tensor rank = ops::argsort(Tensor::from(large.score, {1600}));
  CHECK(ids_of(model.diagnose(std::make_shared<TensorDataset>(
            ops::take(large.x, rank, 0), ops::take(large.classes(), rank, 0), Nest(),
            TensorDataset::Options{.batch_size = 32}))) == Ids{"shuffle_missing"});
  CHECK(ids_of(model.diagnose(std::make_shared<TensorDataset>(
            ops::take(large.x, rank, 0), ops::take(large.classes(), rank, 0), Nest(),
            TensorDataset::Options{.batch_size = 32, .shuffle = true}))) == Ids{});
}

TEST_CASE("planted: epochs that end too early") {
  const Problem p(1600);
  CHECK(diagnosed(functional_mlp(8, 3, "softmax"), for_classes(), p.x, p.classes(),
                  {.steps_per_epoch = 10}) == Ids{"steps_truncated"});
  SubclassedMlp model(1, "linear");
  model.compile(for_regression());
  const auto dataset = std::make_shared<TensorDataset>(p.x, p.regression(), Nest(),
                                                       TensorDataset::Options{.batch_size = 16});
  CHECK(ids_of(model.diagnose(dataset, {.steps_per_epoch = 40})) == Ids{"steps_truncated"});
  CHECK(ids_of(model.diagnose(dataset, {.steps_per_epoch = 100})) == Ids{});
  // Of the samples that are left to train on, this is all.
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), p.x, p.regression(),
                  {.validation_split = 0.5, .steps_per_epoch = 25}) == Ids{});
}

}  // namespace planted_data_test
