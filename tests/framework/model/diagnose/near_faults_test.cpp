// Healthy trainings that are close to faults: diagnose finds nothing in them.
#include "support.h"

namespace near_faults_test {

using namespace cornu;
using namespace cornu::test;

namespace {

CompileOptions with(LossOption loss, MetricOption metrics = {}) {
  return {.optimizer = "adam", .loss = std::move(loss), .metrics = std::move(metrics)};
}

// Numbers 0 to `count` - 1.
std::vector<float> digits(size_t n, unsigned seed, unsigned count) {
  std::mt19937 random(seed);
  std::vector<float> values(n);
  for (float& v : values) v = static_cast<float>(random() % count);
  return values;
}

}  // namespace

TEST_CASE("near faults: inputs") {
  const Problem p;
  const Pictures pictures;
  // Normalized inside of the model.
  CHECK(diagnosed(Sequential({layers::BatchNormalization(),
                              layers::Dense({.units = 16, .activation = "relu"}),
                              layers::Dense({.units = 1})}),
                  for_regression(), p.x * Tensor(300.0), p.regression()) == Ids{});
  CHECK(diagnosed(
            Sequential({layers::Rescaling({.scale = 1.0 / 255}),
                        layers::Conv2D({.filters = 8, .kernel_size = 3, .activation = "relu"}),
                        layers::Flatten(), layers::Dense({.units = 4, .activation = "softmax"})}),
            for_classes(), ops::cast(pictures.x() * Tensor(255.0), DType::uint8),
            pictures.y()) == Ids{});
  // Ages and the like.
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), p.x * Tensor(3.0) + Tensor(5.0),
                  p.regression()) == Ids{});
  // One column of ones, one of tiny numbers.
  const Tensor columns = Tensor::from({1.f, 0.f, 1e-6f, 1.f, 1.f, 1.f, 1.f, 1.f}, {8});
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), p.x * columns, p.regression()) == Ids{});
  // Identifiers for an embedding may be large.
  std::vector<int32_t> ids;
  for (float v : digits(256 * 4, 3, 900)) ids.push_back(static_cast<int32_t>(v));
  CHECK(diagnosed(Sequential({layers::Embedding({.input_dim = 1000, .output_dim = 4}),
                              layers::Flatten(), layers::Dense({.units = 1})}),
                  for_regression(), Tensor::from(ids, {256, 4}), p.regression()) == Ids{});
  // Positions that are the same for all samples.
  std::vector<int32_t> places;
  for (int i = 0; i < 256 * 4; ++i) places.push_back(i % 4);
  Input words({4}), positions(InputConfig{.shape = {4}, .dtype = DType::int32});
  const Tensor sum =
      layers::Add()({Nest(layers::Embedding({.input_dim = 1000, .output_dim = 4})(words)),
                     Nest(layers::Embedding({.input_dim = 4, .output_dim = 4})(positions))});
  Functional model(Nest::List{words, positions},
                   layers::Dense({.units = 1})(layers::Flatten()(sum)));
  CHECK(diagnosed(model, for_regression(),
                  Nest::List{Tensor::from(ids, {256, 4}), Tensor::from(places, {256, 4})},
                  p.regression()) == Ids{});
}

TEST_CASE("near faults: splits") {
  const Problem p(400);
  // Categories repeat by themselves.
  const Tensor categories = Tensor::from(digits(400 * 3, 5, 3), {400, 3}),
               others = Tensor::from(digits(100 * 3, 6, 3), {100, 3});
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), categories, p.regression(),
                  {.validation_x = others}) == Ids{});
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), categories, p.regression(),
                  {.validation_split = 0.2}) == Ids{});
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), p.x, p.regression(),
                  {.validation_split = 0.25, .steps_per_epoch = 9}) == Ids{});
  // So do flags, by chance.
  const Tensor flags = Tensor::from(digits(256 * 12, 3, 2), {256, 12});
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), flags, take_rows(p.regression(), 0, 256),
                  {.validation_split = 0.2}) == Ids{});
  // One sample that is there twice.
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), p.x, p.regression(),
                  {.validation_x = ops::concatenate(
                       {normal({199, 8}, 31), take_rows(p.x, 3, 4).tensor()}, 0)}) == Ids{});
  // Clusters are close together, in both parts alike.
  std::vector<float> clusters = normal_numbers(400 * 2, 7);
  for (size_t i = 0; i < 400; ++i)
    for (size_t k = 0; k < 2; ++k)
      clusters[2 * i + k] = 0.01f * clusters[2 * i + k] + static_cast<float>(i % 7);
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), Tensor::from(clusters, {400, 2}),
                  p.regression(), {.validation_split = 0.2}) == Ids{});
}

TEST_CASE("near faults: features that tell much") {
  const Problem p;
  // All there is to know is one number.
  const Tensor line = ops::reshape(ops::linspace(-1, 1, 256), {256, 1});
  CHECK(diagnosed(Sequential({layers::Dense({.units = 1})}),
                  {.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"}, line,
                  line * Tensor(2.0) - Tensor(1.0)) == Ids{});
  // A good predictor is no leak.
  CHECK(diagnosed(mlp(1, "linear"), for_regression(),
                  ops::concatenate({p.x, p.regression() + normal({256, 1}, 4) * Tensor(0.1)}, 1),
                  p.regression()) == Ids{});
  CHECK(diagnosed(Sequential({layers::Dense({.units = 4}), layers::Dense({.units = 8})}),
                  for_regression(), p.x, p.x) == Ids{});
  // Of two features with two values each the label is the difference.
  const std::vector<float> bits = digits(256 * 2, 9, 2);
  std::vector<float> unequal;
  for (size_t i = 0; i < 256; ++i) unequal.push_back(bits[2 * i] != bits[2 * i + 1] ? 1.f : 0.f);
  CHECK(diagnosed(mlp(1, "sigmoid"), for_binary(), Tensor::from(bits, {256, 2}),
                  Tensor::from(unequal, {256, 1})) == Ids{});
}

TEST_CASE("near faults: labels") {
  const Problem p(400);
  // Three in four are of one class.
  std::vector<float> y;
  for (float s : p.score) y.push_back(s > 0.6f ? 1.f : 0.f);
  CHECK(diagnosed(mlp(1, "sigmoid"), for_binary(), p.x, Tensor::from(y, {400, 1})) == Ids{});
  // Ten classes, evenly.
  std::vector<int32_t> ten;
  for (float v : digits(400, 3, 10)) ten.push_back(static_cast<int32_t>(v));
  CHECK(diagnosed(mlp(10, "softmax"), for_classes(), p.x, Tensor::from(ten, {400}),
                  {.shuffle = false}) == Ids{});
  // Rare ones that are weighed up.
  std::vector<float> rare;
  for (float s : p.score) rare.push_back(s > 2.2f ? 20.f : 1.f);
  CHECK(diagnosed(mlp(1, "sigmoid"), for_binary(), p.x, Tensor::from(rare, {400, 1}) > Tensor(2.0),
                  {.sample_weight = Tensor::from(rare, {400})}) == Ids{});
  // Counts are no classes, and may be rare.
  std::vector<float> counts = digits(400, 8, 3);
  counts[7] = 9;
  CHECK(diagnosed(mlp(1, "exponential"), with("poisson"), p.x, Tensor::from(counts, {400, 1})) ==
        Ids{});
  // Features that follow each other in time, as do the targets.
  std::vector<float> walk = normal_numbers(400 * 4, 11), sums;
  for (size_t i = 4; i < walk.size(); ++i) walk[i] = 0.95f * walk[i - 4] + 0.3f * walk[i];
  for (size_t i = 0; i < 400; ++i) sums.push_back(walk[4 * i] - walk[4 * i + 1]);
  for (bool shuffle : {true, false})
    CHECK(diagnosed(mlp(1, "linear"), for_regression(), Tensor::from(walk, {400, 4}),
                    Tensor::from(sums, {400, 1}), {.shuffle = shuffle}) == Ids{});
}

TEST_CASE("near faults: targets and losses") {
  const Problem p;
  const Pictures pictures;
  // Keras's losses give (n) an axis.
  CHECK(diagnosed(functional_mlp(8, 1, "sigmoid"), for_binary(), p.x,
                  ops::squeeze(p.binary(), -1)) == Ids{});
  CHECK(diagnosed(mlp(3, "softmax"), for_classes(), p.x, ops::expand_dims(p.classes(), {-1})) ==
        Ids{});
  // Smoothed, and mixed, labels.
  CHECK(diagnosed(mlp(3, "softmax"),
                  with(losses::CategoricalCrossentropy({.label_smoothing = 0.1}), {"accuracy"}),
                  p.x, p.one_hot()) == Ids{});
  CHECK(diagnosed(mlp(3, "softmax"), for_one_hot(), p.x, p.one_hot() * Tensor(0.7) + Tensor(0.1)) ==
        Ids{});
  // A class that does not count.
  CHECK(diagnosed(mlp(3, "softmax"),
                  with(losses::SparseCategoricalCrossentropy({.ignore_class = -1})), p.x,
                  p.classes() - Tensor(1)) == Ids{});
  // More units than classes.
  CHECK(diagnosed(mlp(5, "softmax"), for_classes(), p.x, p.classes()) == Ids{});
  // Each loss with an output that it is made for.
  CHECK(diagnosed(mlp(1, "linear"), with("hinge"), p.x, p.binary()) == Ids{});
  CHECK(diagnosed(mlp(1, "softplus"), with("mean_squared_logarithmic_error"), p.x,
                  ops::absolute(p.regression())) == Ids{});
  CHECK(diagnosed(mlp(3, "linear"), with("categorical_hinge"), p.x, p.one_hot()) == Ids{});
  CHECK(diagnosed(mlp(3, "softmax"), with("kl_divergence"), p.x, p.one_hot()) == Ids{});
  CHECK(diagnosed(mlp(3, "softmax"), with("dice"), p.x, p.one_hot()) == Ids{});
  CHECK(diagnosed(mlp(8, "linear"), with("cosine_similarity"), p.x, p.x) == Ids{});
  CHECK(diagnosed(mlp(1, "sigmoid"), for_regression(), p.x, ops::sigmoid(p.regression())) == Ids{});
  CHECK(diagnosed(mlp(3, "log_softmax"),
                  with([](const Tensor& y, const Tensor& p) { return -ops::sum(y * p, -1); }), p.x,
                  p.one_hot()) == Ids{});
  CHECK(diagnosed(mlp(3, "softmax"), with("categorical_generalized_cross_entropy"), p.x,
                  p.classes()) == Ids{});
  // Large targets for an output that is scaled to them, and tens.
  CHECK(diagnosed(Sequential({layers::Dense({.units = 16, .activation = "relu"}),
                              layers::Dense({.units = 1}),
                              layers::Rescaling({.scale = 1e5, .offset = 3e5})}),
                  with("mean_absolute_percentage_error"), p.x,
                  p.regression() * Tensor(8e4) + Tensor(3e5)) == Ids{});
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), p.x,
                  p.regression() * Tensor(9.0) + Tensor(22.0)) == Ids{});
  // Attention has a softmax of its own.
  Input x({4, 2});
  const Tensor attended = layers::Attention()({Nest(Tensor(x)), Nest(Tensor(x))});
  Functional attention(
      x, layers::Dense({.units = 3, .activation = "softmax"})(layers::Flatten()(attended)));
  CHECK(diagnosed(attention, for_classes(), ops::reshape(p.x, {256, 4, 2}), p.classes()) == Ids{});
}

TEST_CASE("near faults: metrics") {
  const Problem p;
  CHECK(diagnosed(mlp(1, "linear"), with("mse", {"mae", metrics::R2Score(), "mape"}), p.x,
                  p.regression()) == Ids{});
  CHECK(diagnosed(
            mlp(1, "linear"),
            with(losses::BinaryCrossentropy({.from_logits = true}),
                 {metrics::BinaryAccuracy({.threshold = 0}), metrics::AUC({.from_logits = true})}),
            p.x, p.binary()) == Ids{});
  CHECK(diagnosed(mlp(3, "softmax"),
                  with("categorical_crossentropy",
                       {"accuracy", metrics::AUC(), metrics::Precision(), metrics::F1Score(),
                        metrics::OneHotMeanIoU({.num_classes = 3})}),
                  p.x, p.one_hot()) == Ids{});
  CHECK(diagnosed(mlp(3, "softmax"),
                  with("sparse_categorical_crossentropy",
                       {"accuracy", metrics::SparseTopKCategoricalAccuracy({.k = 2}),
                        metrics::MeanIoU({.num_classes = 3, .sparse_y_pred = false})}),
                  p.x, p.classes()) == Ids{});
}

TEST_CASE("near faults: masks") {
  const Sentences padded, whole(false);
  const auto head = [] { return layers::Dense({.units = 1, .activation = "sigmoid"}); };
  // Nothing is padded.
  CHECK(diagnosed(Sequential({masked_embedding(), layers::Flatten(), head()}), for_binary(),
                  whole.x(), whole.y()) == Ids{});
  CHECK(
      diagnosed(Sequential({masked_embedding(), layers::Dropout({.rate = 0.2}),
                            layers::LayerNormalization(),
                            layers::Bidirectional({.layer = layers::LSTM({.units = 8})}), head()}),
                for_binary(), padded.x(), padded.y()) == Ids{});
  CHECK(diagnosed(Sequential({masked_embedding(), layers::GlobalAveragePooling1D(), head()}),
                  for_binary(), padded.x(), padded.y()) == Ids{});
  // A mean by hand that heeds the mask.
  class MaskedMean : public Model {
   public:
    MaskedMean() {
      track("embedding", embedding);
      track("head", out);
    }
    Tensor call(const Tensor& x, const Call&) override {
      const Tensor words = embedding(x);
      const Tensor kept = ops::expand_dims(ops::cast(words.mask(), DType::float32), {-1});
      return out(ops::sum(words * kept, 1) / ops::sum(kept, 1));
    }
    layers::Embedding embedding = masked_embedding();
    layers::Dense out = layers::Dense({.units = 1, .activation = "sigmoid"});
  };
  MaskedMean mean;
  CHECK(diagnosed(mean, for_binary(), padded.x(), padded.y()) == Ids{});
}

TEST_CASE("near faults: layers and training") {
  const Problem p;
  const Sentences s(false);
  // A base that was trained, and is frozen.
  auto base = std::make_shared<Sequential>(std::vector<AnyLayer>{
      layers::Dense({.units = 16, .activation = "relu"}), layers::BatchNormalization()});
  Sequential before({base, layers::Dense({.units = 1})});
  before.compile(for_regression());
  before.fit(p.x, p.regression(), {.epochs = 40, .verbose = Verbose::silent});
  base->set_trainable(false);
  CHECK(diagnosed(Sequential({base, layers::Dense({.units = 1, .activation = "sigmoid"})}),
                  for_binary(), p.x, p.binary()) == Ids{});
  // Words that were learned elsewhere.
  layers::Embedding words({.input_dim = 10, .output_dim = 16});
  words(s.x());
  words->set_weights({normal({10, 16}, 3)});
  words->set_trainable(false);
  CHECK(diagnosed(Sequential({words, layers::GRU({.units = 8}),
                              layers::Dense({.units = 1, .activation = "sigmoid"})}),
                  for_binary(), s.x(), s.y()) == Ids{});
  // Branches that begin at 0.
  Input x({8});
  const Tensor trunk = layers::Dense({.units = 16, .activation = "relu"})(x);
  const Tensor branch = layers::Dense({.units = 16, .kernel_initializer = "zeros"})(
      layers::Dense({.units = 16, .activation = "gelu"})(trunk));
  Functional residual(x, layers::Dense({.units = 1})(layers::Add()({Nest(trunk), Nest(branch)})));
  CHECK(diagnosed(residual, for_regression(), p.x, p.regression()) == Ids{});
  // A dropout before the last layer, noise at the first.
  CHECK(diagnosed(Sequential({layers::GaussianNoise({.stddev = 0.1}),
                              layers::Dense({.units = 16, .activation = "relu"}),
                              layers::Dropout({.rate = 0.5}), layers::Dense({.units = 1})}),
                  for_regression(), p.x, p.regression()) == Ids{});
  // States are for batches of the training's size, also in what follows.
  Sequential stateful({layers::LSTM({.units = 8, .stateful = true}), layers::Dense({.units = 1})});
  const Tensor series = ops::reshape(p.x, {256, 4, 2});
  CHECK(diagnosed(stateful, for_regression(), series, p.regression(), {.shuffle = false}) == Ids{});
  CHECK_NOTHROW(
      stateful.fit(series, p.regression(), {.verbose = Verbose::silent, .shuffle = false}));
  // Half of the units of a relu are off at any time.
  CHECK(diagnosed(mlp(1, "linear", 128), for_regression(), p.x, p.regression()) == Ids{});
  // Rates at the edges of what is usual.
  for (double rate : {1e-2, 1e-4, 1e-5})
    CHECK(diagnosed(mlp(1, "linear"),
                    {.optimizer = optimizers::Adam({.learning_rate = rate}), .loss = "mse"}, p.x,
                    p.regression()) == Ids{});
  for (double rate : {0.1, 1e-3})
    CHECK(diagnosed(mlp(3, "softmax"),
                    {.optimizer = optimizers::SGD({.learning_rate = rate, .momentum = 0.9}),
                     .loss = "sparse_categorical_crossentropy"},
                    p.x, p.classes()) == Ids{});
  // A warmup begins with nothing.
  CHECK(diagnosed(
            mlp(1, "linear"),
            {.optimizer = optimizers::Adam(
                 {.learning_rate = optimizers::schedules::CosineDecay({.initial_learning_rate = 0.0,
                                                                       .decay_steps = 1000,
                                                                       .warmup_target = 1e-3,
                                                                       .warmup_steps = 100})}),
             .loss = "mse"},
            p.x, p.regression()) == Ids{});
  // Ten layers of tanh, and scores in 16 bits with a mask of their own.
  Sequential tanhs;
  for (int i = 0; i < 6; ++i) tanhs.add(layers::Dense({.units = 24, .activation = "tanh"}));
  tanhs.add(layers::Dense({.units = 1}));
  CHECK(diagnosed(tanhs, for_regression(), p.x, p.regression()) == Ids{});
  Input steps({4, 2});
  const layers::MultiHeadAttention attention(
      {.num_heads = 2, .key_dim = 4, .dtype = "mixed_float16"});
  const Tensor seen =
      attention({Nest(Tensor(steps)), Nest(Tensor(steps))}, {.extra = {{"use_causal_mask", true}}});
  Functional causal(steps, layers::Dense({.units = 1, .dtype = "float32"})(
                               layers::Flatten({.dtype = "float32"})(seen)));
  CHECK(diagnosed(causal, for_regression(), ops::reshape(p.x, {256, 4, 2}), p.regression()) ==
        Ids{});
}

}  // namespace near_faults_test
