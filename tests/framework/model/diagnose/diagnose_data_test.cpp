// Faults of the data that diagnose names: each planted one gives its id and no other.
#include "support.h"

namespace diagnose_data_test {

using namespace cornu;
using namespace cornu::test;

namespace {

Ids regress(const Tensor& x, const Tensor& y, DiagnoseOptions options = {}) {
  Sequential model = mlp(1, "linear");
  model.compile({.optimizer = "adam", .loss = "mse"});
  return ids_of(model.diagnose(x, y, options));
}

// Rows moved by `by`, those at the end coming first.
Tensor rolled(const Tensor& t, int64_t by) { return ops::roll(t, {by}, {0}); }

Tensor with_value(const Tensor& t, size_t place, float value) {
  std::vector<float> values = t.to_vector<float>();
  values.at(place) = value;
  return Tensor::from(values, t.shape());
}

// The samples in the order of their labels.
std::pair<Tensor, Tensor> sorted(const Problem& p, const Tensor& labels) {
  const Tensor order = ops::argsort(Tensor::from(p.score, {p.n()}));
  return {ops::take(p.x, order, 0), ops::take(labels, order, 0)};
}

}  // namespace

TEST_CASE("diagnose names NaN in inputs and in targets") {
  const Problem p;
  CHECK(regress(with_value(p.x, 77, NAN), p.regression()) == Ids{"inputs_nan"});
  CHECK(regress(with_value(p.x, 77, INFINITY), p.regression()) == Ids{"inputs_nan"});
  CHECK(regress(p.x, with_value(p.regression(), 7, NAN)) == Ids{"inputs_nan"});
}

TEST_CASE("diagnose names inputs that do not vary") {
  const Problem p;
  CHECK(regress(ops::ones({256, 8}), p.regression()) == Ids{"inputs_constant"});
  CHECK(regress(ops::zeros({256, 8}), p.regression()) == Ids{"inputs_constant"});
}

TEST_CASE("diagnose names inputs of another scale") {
  const Problem p;
  CHECK(regress(p.x * Tensor(1000.0), p.regression()) == Ids{"inputs_unscaled"});
  CHECK(regress(p.x * Tensor(1e-5), p.regression()) == Ids{"inputs_unscaled"});
  // One column of eight.
  const Tensor columns = Tensor::from({1.f, 1.f, 500.f, 1.f, 1.f, 1.f, 1.f, 1.f}, {8});
  CHECK(regress(p.x * columns, p.regression()) == Ids{"inputs_unscaled"});

  // A layer that scales is the answer.
  layers::Normalization scale;
  scale->adapt(p.x * Tensor(1000.0));
  Sequential model(
      {scale, layers::Dense({.units = 16, .activation = "relu"}), layers::Dense({.units = 1})});
  model.compile({.optimizer = "adam", .loss = "mse"});
  CHECK(ids_of(model.diagnose(p.x * Tensor(1000.0), p.regression())).empty());
}

TEST_CASE("diagnose names inputs that nothing depends on") {
  const Problem p;
  Input a({8}), b({8});
  const Tensor ignored = ops::multiply(layers::Dense({.units = 4})(b), Tensor(0.0));
  const Tensor y = layers::Dense({.units = 1})(layers::Concatenate()(
      {Nest(layers::Dense({.units = 8, .activation = "relu"})(a)), Nest(ignored)}));
  Functional model(Nest::List{a, b}, y);
  model.compile({.optimizer = "adam", .loss = "mse"});
  CHECK(ids_of(model.diagnose(Nest::List{p.x, normal({256, 8}, 5)}, p.regression())) ==
        Ids{"unused_input"});
}

TEST_CASE("diagnose names validation samples that are trained on") {
  const Problem p;
  const Tensor last = take_rows(p.x, 200, 256).tensor();
  CHECK(regress(p.x, p.regression(),
                {.validation_x = last, .validation_y = take_rows(p.regression(), 200, 256)}) ==
        Ids{"split_leak"});
  const Problem other(64, 8, 9);
  CHECK(regress(p.x, p.regression(), {.validation_x = other.x, .validation_y = other.regression()})
            .empty());
  // Doubled samples, then split.
  const Tensor twice = ops::concatenate({p.x, p.x}, 0),
               targets = ops::concatenate({p.regression(), p.regression()}, 0);
  CHECK(regress(twice, targets, {.validation_split = 0.25}) == Ids{"split_leak"});
}

TEST_CASE("diagnose names labels that are all equal") {
  const Problem p;
  CHECK(regress(p.x, ops::ones({256, 1})) == Ids{"labels_constant"});
}

TEST_CASE("diagnose names labels that are out of step") {
  const Problem p(400);
  for (int64_t by : {1, -1, 3}) {
    CHECK(regress(p.x, rolled(p.regression(), by)) == Ids{"labels_shifted"});
    CHECK(regress(rolled(p.x, by), p.regression()) == Ids{"labels_shifted"});
  }
  Sequential model = mlp(3, "softmax");
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  CHECK(ids_of(model.diagnose(p.x, rolled(p.classes(), 1))) == Ids{"labels_shifted"});
}

TEST_CASE("windows of a series are not out of step") {
  std::mt19937 random(3);
  std::vector<float> series, x, y;
  for (int i = 0; i < 420; ++i)
    series.push_back(static_cast<float>(static_cast<double>(random()) / 4294967296.0 - 0.5));
  for (size_t i = 0; i < 400; ++i) {
    x.insert(x.end(), series.begin() + static_cast<long>(i),
             series.begin() + static_cast<long>(i) + 8);
    y.push_back(series[i + 8]);
  }
  CHECK(regress(Tensor::from(x, {400, 8}), Tensor::from(y, {400, 1})).empty());
}

TEST_CASE("diagnose names classes that are rare") {
  const Problem p(400);
  std::vector<float> y;
  for (float s : p.score) y.push_back(s > 2.5f ? 1.f : 0.f);
  y[0] = 1;
  const Tensor labels = Tensor::from(y, {400, 1});
  Sequential model = mlp(1, "sigmoid");
  model.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
  CHECK(ids_of(model.diagnose(p.x, labels)) == Ids{"class_imbalance"});
  CHECK(ids_of(model.diagnose(p.x, labels, {.class_weight = {{0, 1}, {1, 20}}})).empty());
}

TEST_CASE("diagnose names sorted labels without a shuffle") {
  const Problem p;
  Sequential model = mlp(3, "softmax");
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  const auto [x, y] = sorted(p, p.classes());
  CHECK(ids_of(model.diagnose(x, y, {.shuffle = false})) == Ids{"shuffle_missing"});
  CHECK(ids_of(model.diagnose(x, y)).empty());
  CHECK(ids_of(model.diagnose(p.x, p.classes(), {.shuffle = false})).empty());
  const auto [rows, targets] = sorted(p, p.regression());
  CHECK(regress(rows, targets, {.shuffle = false}) == Ids{"shuffle_missing"});
}

TEST_CASE("diagnose names steps that leave samples out") {
  const Problem p;
  CHECK(regress(p.x, p.regression(), {.steps_per_epoch = 2}) == Ids{"steps_truncated"});
  CHECK(regress(p.x, p.regression(), {.steps_per_epoch = 8}).empty());
}

namespace {

// Batches that take their time.
class SlowDataset : public TensorDataset {
 public:
  SlowDataset(const Problem& p, int milliseconds)
      : TensorDataset(p.x, p.regression(), {}, {.batch_size = 32}), milliseconds_(milliseconds) {}
  Batch batch(int64_t index) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_));
    return TensorDataset::batch(index);
  }

 private:
  int milliseconds_;
};

}  // namespace

TEST_CASE("diagnose names a dataset that is slower than the model") {
  const Problem p;
  Sequential model = mlp(1, "linear");
  model.compile({.optimizer = "adam", .loss = "mse"});
  CHECK(ids_of(model.diagnose(std::make_shared<SlowDataset>(p, 60))) == Ids{"data_bound"});
  CHECK(ids_of(model.diagnose(std::make_shared<SlowDataset>(p, 0))).empty());
}

TEST_CASE("findings can be silenced by their ids") {
  const Problem p;
  CHECK(regress(p.x * Tensor(1000.0), p.regression(), {.silence = {"inputs_unscaled"}}).empty());
  CHECK_THROWS_AS(regress(p.x, p.regression(), {.silence = {"inputs_unscald"}}), ValueError);
}

}  // namespace diagnose_data_test
