// Keras's guide to training and evaluation with fit and evaluate, in C++.
#include <algorithm>
#include <filesystem>

#include "goldens.h"
#include "support/all_close.h"
#include "support/temporary.h"

namespace training_with_built_in_methods_test {

using namespace cornu;
using test::all_close;
using test::check_close;

namespace {

const test::Goldens& goldens() {
  static const test::Goldens result("training_with_built_in_methods");
  return result;
}

Tensor digits_of(const Shape& shape, int seed) {
  return ops::cast(random::randint(shape, 0, 10, seed), DType::float32);
}

const Tensor x_train = random::uniform({160, 32}, 0, 1, 1), y_train = digits_of({160}, 2);
const Tensor x_val = random::uniform({48, 32}, 0, 1, 3), y_val = digits_of({48}, 4);
const Tensor x_test = random::uniform({64, 32}, 0, 1, 5), y_test = digits_of({64}, 6);

const PredictOptions silent = {.verbose = Verbose::silent};

Functional get_uncompiled_model() {
  utils::set_random_seed(1);
  Input inputs({32}, {.name = "digits"});
  Tensor x = layers::Dense({.units = 16, .activation = "relu", .name = "dense_1"})(inputs);
  x = layers::Dense({.units = 16, .activation = "relu", .name = "dense_2"})(x);
  Tensor outputs = layers::Dense({.units = 10, .activation = "softmax", .name = "predictions"})(x);
  return Functional(inputs, outputs);
}

std::shared_ptr<Functional> get_compiled_model() {
  utils::set_random_seed(1);
  Input inputs({32}, {.name = "digits"});
  Tensor x = layers::Dense({.units = 16, .activation = "relu", .name = "dense_1"})(inputs);
  x = layers::Dense({.units = 16, .activation = "relu", .name = "dense_2"})(x);
  Tensor outputs = layers::Dense({.units = 10, .activation = "softmax", .name = "predictions"})(x);
  auto model = make<Functional>(inputs, outputs);
  model->compile({.optimizer = "rmsprop",
                  .loss = "sparse_categorical_crossentropy",
                  .metrics = {"sparse_categorical_accuracy"}});
  return model;
}

}  // namespace

TEST_CASE("A model is trained, validated, evaluated and asked") {
  Functional model = get_uncompiled_model();
  model.compile({.optimizer = optimizers::RMSprop(),
                 .loss = losses::SparseCategoricalCrossentropy(),
                 .metrics = {metrics::SparseCategoricalAccuracy()}});
  History history = model.fit(x_train, y_train,
                              {.batch_size = 64,
                               .epochs = 2,
                               .verbose = Verbose::silent,
                               .validation_data = {x_val, y_val},
                               .shuffle = false});
  check_close(history, goldens().history("first"));
  CHECK(history.epoch == std::vector<int64_t>{0, 1});

  Logs results = model.evaluate(x_test, y_test, {.batch_size = 128, .verbose = Verbose::silent});
  check_close({results["loss"], results["sparse_categorical_accuracy"]},
              goldens().numbers("first", "results"));

  Nest predictions = model.predict(x_test[Slice(0, 3)], {.verbose = Verbose::silent});
  CHECK(predictions.shape() == Shape{3, 10});
  check_close(predictions, goldens().numbers("first", "predictions"));
}

TEST_CASE("Names stand for optimizer, loss and metrics") {
  auto model = get_compiled_model();
  History history = model->fit(x_train, y_train,
                               {.batch_size = 64,
                                .epochs = 2,
                                .verbose = Verbose::silent,
                                .validation_data = {x_val, y_val},
                                .shuffle = false});
  check_close(history, goldens().history("first"));
}

namespace {

Tensor custom_mean_squared_error(const Tensor& y_true, const Tensor& y_pred) {
  return ops::mean(ops::square(y_true - y_pred), -1);
}

struct CustomMSEConfig {
  double regularization_factor = 0.1;
  std::string reduction = "sum_over_batch_size";
  std::string name = "custom_mse";
};

class CustomMSELoss : public LossOf<CustomMSELoss, CustomMSEConfig> {
 public:
  using LossOf::LossOf;
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override {
    const Tensor mse = ops::mean(ops::square(y_true - y_pred), -1);
    const Tensor reg = ops::mean(ops::square(0.5 - y_pred), -1);
    return mse + reg * config.regularization_factor;
  }
};
using CustomMSE = Ref<CustomMSELoss>;

}  // namespace

TEST_CASE("A function of targets and predictions is a loss") {
  Functional model = get_uncompiled_model();
  model.compile({.optimizer = optimizers::Adam(), .loss = custom_mean_squared_error});
  Tensor y_train_one_hot = ops::one_hot(y_train, 10);
  check_close(
      model.fit(x_train, y_train_one_hot,
                {.batch_size = 64, .epochs = 2, .verbose = Verbose::silent, .shuffle = false}),
      goldens().history("function"));
}

TEST_CASE("A loss with a parameter is a class") {
  Functional model = get_uncompiled_model();
  model.compile({.optimizer = optimizers::Adam(), .loss = CustomMSE()});
  Tensor y_train_one_hot = ops::one_hot(y_train, 10);
  check_close(
      model.fit(x_train, y_train_one_hot,
                {.batch_size = 64, .epochs = 2, .verbose = Verbose::silent, .shuffle = false}),
      goldens().history("class"));
}

namespace {

struct CategoricalTruePositivesConfig {
  std::string name = "categorical_true_positives";
  std::optional<DType> dtype = {};
};

class CategoricalTruePositivesMetric
    : public MetricOf<CategoricalTruePositivesMetric, CategoricalTruePositivesConfig> {
 public:
  explicit CategoricalTruePositivesMetric(CategoricalTruePositivesConfig c)
      : MetricOf(std::move(c)), true_positives(add_variable(ops::zeros({}), "ctp")) {}

  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override {
    const Tensor best = ops::reshape(ops::argmax(y_pred, 1), {-1, 1});
    Tensor values = ops::cast(y_true, DType::int32) == ops::cast(best, DType::int32);
    values = ops::cast(values, DType::float32);
    if (sample_weight != nullptr)
      values = ops::multiply(values, ops::cast(sample_weight, DType::float32));
    true_positives.assign_add(ops::sum(values));
  }
  Tensor result() override { return true_positives; }
  void reset_state() override { true_positives.assign(0.0); }

 private:
  Variable true_positives;
};
using CategoricalTruePositives = Ref<CategoricalTruePositivesMetric>;

}  // namespace

// Labels in a row are compared with predictions in a column, all with all: the guide's metric
// counts too many where labels have one axis, in Keras as well.
TEST_CASE("A metric with a variable of its own begins anew in each epoch") {
  for (const std::string form : {"rows", "column"}) {
    CAPTURE(form);
    Functional model = get_uncompiled_model();
    model.compile({.optimizer = optimizers::RMSprop({.learning_rate = 1e-3}),
                   .loss = losses::SparseCategoricalCrossentropy(),
                   .metrics = {CategoricalTruePositives()}});
    const Tensor targets = form == "rows" ? y_train : y_train[{Slice(), newaxis}];
    check_close(
        model.fit(x_train, targets,
                  {.batch_size = 64, .epochs = 3, .verbose = Verbose::silent, .shuffle = false}),
        goldens().history("true_positives_of_" + form));
  }
}

namespace {

class ActivityRegularizationLayer : public Layer {
 public:
  Tensor call(const Tensor& inputs, const Call&) override {
    add_loss(ops::sum(inputs) * 0.1);
    return inputs;
  }
};

class LogisticEndpoint : public Layer {
 public:
  explicit LogisticEndpoint(const std::string& name) { set_base(name, true, {}); }
  Nest call_many(const Nest& inputs, const Call&) override {
    const Tensor targets = inputs[0], logits = inputs[1];
    add_loss(loss_fn(targets, logits));
    return ops::softmax(logits);
  }

 private:
  losses::BinaryCrossentropy loss_fn{{.from_logits = true}};
};

}  // namespace

TEST_CASE("A layer in the graph adds to the loss") {
  utils::set_random_seed(1);
  Input inputs({32}, {.name = "digits"});
  Tensor x = layers::Dense({.units = 16, .activation = "relu", .name = "dense_1"})(inputs);
  x = make<ActivityRegularizationLayer>()(x);
  x = layers::Dense({.units = 16, .activation = "relu", .name = "dense_2"})(x);
  Tensor outputs = layers::Dense({.units = 10, .name = "predictions"})(x);

  Functional model(inputs, outputs);
  model.compile({.optimizer = optimizers::RMSprop({.learning_rate = 1e-3}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  check_close(
      model.fit(x_train, y_train,
                {.batch_size = 64, .epochs = 2, .verbose = Verbose::silent, .shuffle = false}),
      goldens().history("activity"));
}

TEST_CASE("A model whose layer has the loss is compiled without one") {
  utils::set_random_seed(1);
  Input inputs({3}, {.name = "inputs"});
  Input targets({10}, {.name = "targets"});
  Tensor logits = layers::Dense({.units = 10})(inputs);
  Tensor predictions = make<LogisticEndpoint>("predictions")({targets, logits});

  Functional model({inputs, targets}, predictions);
  model.compile({.optimizer = "adam"});

  Nest data = {{"inputs", random::uniform({3, 3}, 0, 1, 7)},
               {"targets", random::uniform({3, 10}, 0, 1, 8)}};
  check_close(model.fit(data, {.epochs = 2, .verbose = Verbose::silent}),
              goldens().history("endpoint"));
  check_close(model.predict(data, {.verbose = Verbose::silent}),
              goldens().numbers("endpoint", "predictions"));
}

TEST_CASE("The last part of the data is held out") {
  auto model = get_compiled_model();
  check_close(model->fit(x_train, y_train,
                         {.batch_size = 64,
                          .epochs = 1,
                          .verbose = Verbose::silent,
                          .validation_split = 0.2,
                          .shuffle = false}),
              goldens().history("split"));
}

TEST_CASE("Pipelines have their batches") {
  auto train_dataset = data::from(x_train, y_train).batch(64);
  auto test_dataset = data::from(x_val, y_val).batch(16);

  auto model = get_compiled_model();
  check_close(model->fit(train_dataset, {.epochs = 3, .verbose = Verbose::silent}),
              goldens().history("dataset"));

  Logs result = model->evaluate(test_dataset, {.verbose = Verbose::silent});
  CHECK(model->metrics_names() == std::vector<std::string>{"loss", "compile_metrics"});
  check_close({result["loss"], result["sparse_categorical_accuracy"]},
              goldens().numbers("dataset", "results"));

  model = get_compiled_model();
  auto shuffled = data::from(x_train, y_train).shuffle({.window = 1024}).batch(64);
  CHECK(model->fit(shuffled, {.epochs = 3, .verbose = Verbose::silent})["loss"].size() == 3);
}

TEST_CASE("An epoch may have some steps of a pipeline that goes on") {
  auto model = get_compiled_model();
  auto train_dataset = data::from(x_train, y_train).batch(16);
  History history =
      model->fit(train_dataset, {.epochs = 3, .verbose = Verbose::silent, .steps_per_epoch = 2});
  check_close(history["loss"], goldens().history("steps").at("loss"));
}

TEST_CASE("A pipeline validates, in whole or for some steps") {
  auto train_dataset = data::from(x_train, y_train).batch(64);
  auto val_dataset = data::from(x_val, y_val).batch(16);

  auto model = get_compiled_model();
  check_close(model->fit(train_dataset,
                         {.epochs = 1, .verbose = Verbose::silent, .validation_data = val_dataset}),
              goldens().history("validated"));

  model = get_compiled_model();
  check_close(model->fit(train_dataset, {.epochs = 1,
                                         .verbose = Verbose::silent,
                                         .validation_data = val_dataset,
                                         .validation_steps = 2}),
              goldens().history("validated_in_part"));
}

namespace {

class ExampleDataset : public Dataset {
 public:
  ExampleDataset(Tensor x, Tensor y, int64_t batch_size) : x(x), y(y), batch_size(batch_size) {}
  int64_t size() const override { return (x.shape(0) + batch_size - 1) / batch_size; }
  Batch batch(int64_t index) override {
    const Slice rows(index * batch_size, (index + 1) * batch_size);
    return {x[rows], y[rows]};
  }

 private:
  Tensor x, y;
  int64_t batch_size;
};

}  // namespace

TEST_CASE("A class of one's own gives the batches") {
  ExampleDataset train_dataset(x_train, y_train, 64);
  ExampleDataset val_dataset(x_val, y_val, 16);

  auto model = get_compiled_model();
  check_close(model->fit(train_dataset, {.epochs = 1,
                                         .verbose = Verbose::silent,
                                         .validation_data = val_dataset,
                                         .shuffle = false}),
              goldens().history("validated"));
  CHECK(model->evaluate(val_dataset, {.verbose = Verbose::silent}).at("loss") > 0);

  model = get_compiled_model();
  auto by_four = data::from(std::make_shared<ExampleDataset>(x_train, y_train, 64), {.workers = 4});
  auto val_by_four = data::from(std::make_shared<ExampleDataset>(x_val, y_val, 16), {.workers = 4});
  check_close(model->fit(by_four,
                         {.epochs = 1, .verbose = Verbose::silent, .validation_data = val_by_four}),
              goldens().history("validated"));
}

TEST_CASE("Samples weigh by their class or by themselves") {
  const std::map<int64_t, double> class_weight = {{0, 1.0}, {1, 1.0}, {2, 1.0}, {3, 1.0}, {4, 1.0},
                                                  {5, 2.0}, {6, 1.0}, {7, 1.0}, {8, 1.0}, {9, 1.0}};
  auto model = get_compiled_model();
  check_close(model->fit(x_train, y_train,
                         {.batch_size = 64,
                          .epochs = 2,
                          .verbose = Verbose::silent,
                          .shuffle = false,
                          .class_weight = class_weight}),
              goldens().history("class_weight"));

  Tensor sample_weight = ops::where(y_train == 5, 2.0, 1.0);
  model = get_compiled_model();
  check_close(model->fit(x_train, y_train,
                         {.batch_size = 64,
                          .epochs = 2,
                          .verbose = Verbose::silent,
                          .shuffle = false,
                          .sample_weight = sample_weight}),
              goldens().history("sample_weight"));

  model = get_compiled_model();
  check_close(model->fit(data::from(x_train, y_train, sample_weight).batch(64),
                         {.epochs = 2, .verbose = Verbose::silent}),
              goldens().history("sample_weight"));
}

namespace {

std::shared_ptr<Functional> image_and_series_model() {
  utils::set_random_seed(1);
  Input image_input({8, 8, 3}, {.name = "img_input"});
  Input timeseries_input({Shape::unknown, 10}, {.name = "ts_input"});

  Tensor x1 = layers::Conv2D({.filters = 3, .kernel_size = 3})(image_input);
  x1 = layers::GlobalMaxPooling2D()(x1);

  Tensor x2 = layers::Conv1D({.filters = 3, .kernel_size = 3})(timeseries_input);
  x2 = layers::GlobalMaxPooling1D()(x2);

  Tensor x = layers::concatenate({x1, x2});

  Tensor score_output = layers::Dense({.units = 1, .name = "score_output"})(x);
  Tensor class_output =
      layers::Dense({.units = 5, .activation = "softmax", .name = "class_output"})(x);

  return make<Functional>({image_input, timeseries_input}, {score_output, class_output},
                          {.name = "two_outputs"});
}

const Tensor img_data = random::uniform({50, 8, 8, 3}, 0, 1, 9),
             ts_data = random::uniform({50, 12, 10}, 0, 1, 10);
const Tensor score_targets = random::uniform({50, 1}, 0, 1, 11),
             class_targets = random::uniform({50, 5}, 0, 1, 12);
const FitOptions by_32 = {
    .batch_size = 32, .epochs = 2, .verbose = Verbose::silent, .shuffle = false};

}  // namespace

TEST_CASE("Outputs have losses and metrics by place") {
  auto model = image_and_series_model();
  model->compile({.optimizer = optimizers::RMSprop({.learning_rate = 1e-3}),
                  .loss = {losses::MeanSquaredError(), losses::CategoricalCrossentropy()}});
  check_close(model->fit({img_data, ts_data}, {score_targets, class_targets}, by_32),
              goldens().history("several_plain"));

  model = image_and_series_model();
  model->compile(
      {.optimizer = optimizers::RMSprop({.learning_rate = 1e-3}),
       .loss = {losses::MeanSquaredError(), losses::CategoricalCrossentropy()},
       .metrics = {{metrics::MeanAbsolutePercentageError(), metrics::MeanAbsoluteError()},
                   {metrics::CategoricalAccuracy()}}});
  check_close(model->fit({img_data, ts_data}, {score_targets, class_targets}, by_32),
              goldens().history("several_measured"));
}

TEST_CASE("Outputs have losses, their weights and metrics by name") {
  auto model = image_and_series_model();
  model->compile(
      {.optimizer = optimizers::RMSprop({.learning_rate = 1e-3}),
       .loss = {{"score_output", losses::MeanSquaredError()},
                {"class_output", losses::CategoricalCrossentropy()}},
       .loss_weights = {{"score_output", 2.0}, {"class_output", 1.0}},
       .metrics = {
           {"score_output", {metrics::MeanAbsolutePercentageError(), metrics::MeanAbsoluteError()}},
           {"class_output", {metrics::CategoricalAccuracy()}}}});
  const auto weights = model->get_weights();
  check_close(model->fit({{"img_input", img_data}, {"ts_input", ts_data}},
                         {{"score_output", score_targets}, {"class_output", class_targets}}, by_32),
              goldens().history("several_weighted"));

  // The same from a pipeline of dictionaries.
  model = image_and_series_model();
  model->compile({.optimizer = optimizers::RMSprop({.learning_rate = 1e-3}),
                  .loss = {losses::MeanSquaredError(), losses::CategoricalCrossentropy()}});
  auto train_dataset =
      data::from({{"img_input", img_data}, {"ts_input", ts_data}},
                 {{"score_output", score_targets}, {"class_output", class_targets}})
          .batch(32);
  check_close(model->fit(train_dataset, {.epochs = 2, .verbose = Verbose::silent}),
              goldens().history("several_plain"));
}

TEST_CASE("An output may have no loss") {
  auto model = image_and_series_model();
  model->compile({.optimizer = optimizers::RMSprop({.learning_rate = 1e-3}),
                  .loss = {nullptr, losses::CategoricalCrossentropy()}});
  check_close(model->fit({img_data, ts_data}, {score_targets, class_targets}, by_32),
              goldens().history("several_one_list"));

  model = image_and_series_model();
  model->compile(
      {.optimizer = optimizers::RMSprop({.learning_rate = 1e-3}),
       .loss = {{"score_output", nullptr}, {"class_output", losses::CategoricalCrossentropy()}}});
  check_close(model->fit({img_data, ts_data}, {score_targets, class_targets}, by_32),
              goldens().history("several_one_list"));
}

TEST_CASE("The graph is drawn with its shapes") {
  const test::TemporaryFolder folder;
  auto model = image_and_series_model();
  utils::plot_model(*model, folder / "multi_input_and_output_model.svg", {.show_shapes = true});
  CHECK_THAT(test::slurp(folder / "multi_input_and_output_model.svg"),
             test::contains("(None, 8, 8, 3)"));
}

namespace {

class LossHistory : public Callback {
 public:
  void on_train_begin(Logs&) override { per_batch_losses.clear(); }
  void on_batch_end(int64_t, Logs& logs) override { per_batch_losses.push_back(logs.at("loss")); }
  std::vector<double> per_batch_losses;
};

}  // namespace

TEST_CASE("Training ends when the validation no longer gets better") {
  auto model = get_compiled_model();
  callbacks::EarlyStopping stopping({.monitor = "val_loss", .min_delta = 1e-2, .patience = 2});
  auto losses = std::make_shared<LossHistory>();
  check_close(model->fit(x_train, y_train,
                         {.batch_size = 64,
                          .epochs = 20,
                          .verbose = Verbose::silent,
                          .callbacks = {stopping, losses},
                          .validation_split = 0.2,
                          .shuffle = false}),
              goldens().history("stopped"));
  CHECK(stopping->stopped_epoch() == goldens().numbers("stopped", "epoch")[0]);
  check_close(losses->per_batch_losses, goldens().numbers("stopped", "per_batch_losses"));
}

TEST_CASE("The best models so far are files") {
  const test::TemporaryFolder folder;
  auto model = get_compiled_model();
  model->fit(
      x_train, y_train,
      {.batch_size = 64,
       .epochs = 2,
       .verbose = Verbose::silent,
       .callbacks = {callbacks::ModelCheckpoint({.filepath = folder / "mymodel_{epoch}.keras",
                                                 .monitor = "val_loss",
                                                 .save_best_only = true})},
       .validation_split = 0.2,
       .shuffle = false});
  CHECK(std::filesystem::exists(folder / "mymodel_1.keras"));
  CHECK(folder.count() == 2);
  auto best = load_model(folder / "mymodel_2.keras");
  CHECK(all_close(best->predict(x_test, silent), model->predict(x_test, silent), 0, 0));
}

TEST_CASE("A program that begins again takes the newest model") {
  const test::TemporaryFolder checkpoint_dir;
  const auto make_or_restore_model = [&]() -> std::shared_ptr<Model> {
    std::vector<std::filesystem::path> checkpoints;
    for (const auto& entry : std::filesystem::directory_iterator(checkpoint_dir.path()))
      checkpoints.push_back(entry.path());
    if (checkpoints.empty()) return get_compiled_model();
    return load_model(
        *std::max_element(checkpoints.begin(), checkpoints.end(), [](const auto& a, const auto& b) {
          return std::filesystem::last_write_time(a) < std::filesystem::last_write_time(b);
        }));
  };

  auto model = make_or_restore_model();
  model->fit(x_train, y_train,
             {.batch_size = 16,
              .epochs = 1,
              .verbose = Verbose::silent,
              .callbacks = {callbacks::ModelCheckpoint(
                  {.filepath = checkpoint_dir / "model-loss={loss:.2f}.keras", .save_freq = 10})}});
  CHECK(checkpoint_dir.count() == 1);

  auto restored = make_or_restore_model();
  CHECK(restored->compiled());
  CHECK(restored->optimizer()->iterations() == 10);
  CHECK(all_close(restored->predict(x_test, silent), model->predict(x_test, silent), 0, 0));
}

TEST_CASE("A learning rate that falls by steps") {
  const double initial_learning_rate = 0.1;
  optimizers::schedules::ExponentialDecay lr_schedule(
      {.initial_learning_rate = initial_learning_rate,
       .decay_steps = 2,
       .decay_rate = 0.96,
       .staircase = true});
  optimizers::RMSprop optimizer({.learning_rate = lr_schedule});
  std::vector<double> rates;
  for (int64_t step = 0; step < 6; ++step) rates.push_back(lr_schedule(step).item());
  check_close(rates, goldens().numbers("schedule", "rates"));

  Functional model = get_uncompiled_model();
  model.compile({.optimizer = optimizer, .loss = "sparse_categorical_crossentropy"});
  check_close(
      model.fit(x_train, y_train,
                {.batch_size = 64, .epochs = 2, .verbose = Verbose::silent, .shuffle = false}),
      goldens().history("schedule"));
}

TEST_CASE("Figures are written for TensorBoard") {
  const test::TemporaryFolder folder;
  auto model = get_compiled_model();
  model->fit(x_train, y_train,
             {.verbose = Verbose::silent,
              .callbacks = {callbacks::TensorBoard({.log_dir = folder / "logs",
                                                    .histogram_freq = 0,
                                                    .update_freq = "epoch",
                                                    .embeddings_freq = 0})},
              .validation_split = 0.2});
  CHECK(std::filesystem::is_directory(folder / "logs" / "train"));
  CHECK(std::filesystem::is_directory(folder / "logs" / "validation"));
}

}  // namespace training_with_built_in_methods_test
