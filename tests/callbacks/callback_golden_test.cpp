// Trainings with callbacks beside the same ones in Keras: the order of hooks, their logs, figures,
// files and final weights. tools/goldens/callback_goldens.py records them.
#include <cornu/cornu.h>

#include <cmath>
#include <set>

#include "../support/golden_json.h"
#include "support.h"

namespace callback_golden_test {

using namespace cornu;
using test::entry;
using test::find_entry;

namespace {

// The numbers of the script's wave.
Tensor wave(const Shape& shape, double phase) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(std::sin(static_cast<double>(i) * 0.7 + phase));
  return Tensor::from(values, shape);
}

Tensor targets(int64_t samples, int64_t classes, double phase) {
  if (classes == 1) return wave({samples, 1}, phase);
  return ops::one_hot(ops::mod(ops::arange(samples), classes), classes);
}

template <class T>
T get(const Value& dict, const char* key, T otherwise) {
  const Value* const found = find_entry(dict, key);
  return found ? detail::from_value<T>(*found) : otherwise;
}

double number(const Value& v) {
  if (v.is<std::string>()) return std::stod(v.get<std::string>());
  return detail::from_value<double>(v);
}

bool close(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) < 2e-6 + 2e-5 * std::abs(b);
}

struct Event {
  std::string hook;
  std::optional<int64_t> index;
  Logs logs;
};

// Keeps every call.
class Recorder : public Callback {
 public:
  Recorder(std::vector<Event>& events, std::string label)
      : events_(&events), label_(std::move(label)) {}
  void on_train_begin(Logs& l) override { add("on_train_begin", {}, l); }
  void on_train_end(Logs& l) override { add("on_train_end", {}, l); }
  void on_epoch_begin(int64_t i, Logs& l) override { add("on_epoch_begin", i, l); }
  void on_epoch_end(int64_t i, Logs& l) override { add("on_epoch_end", i, l); }
  void on_train_batch_begin(int64_t i, Logs& l) override { add("on_train_batch_begin", i, l); }
  void on_train_batch_end(int64_t i, Logs& l) override { add("on_train_batch_end", i, l); }
  void on_test_begin(Logs& l) override { add("on_test_begin", {}, l); }
  void on_test_end(Logs& l) override { add("on_test_end", {}, l); }
  void on_test_batch_begin(int64_t i, Logs& l) override { add("on_test_batch_begin", i, l); }
  void on_test_batch_end(int64_t i, Logs& l) override { add("on_test_batch_end", i, l); }
  void on_predict_begin(Logs& l) override { add("on_predict_begin", {}, l); }
  void on_predict_end(Logs& l) override { add("on_predict_end", {}, l); }
  void on_predict_batch_begin(int64_t i, Logs& l) override { add("on_predict_batch_begin", i, l); }
  void on_predict_batch_end(int64_t i, Logs& l) override { add("on_predict_batch_end", i, l); }

 private:
  void add(const char* hook, std::optional<int64_t> index, const Logs& logs) {
    events_->push_back({label_ + hook, index, logs});
  }
  std::vector<Event>* events_;
  std::string label_;
};

std::shared_ptr<Callback> make_callback(const std::string& name, const Value& c,
                                        const test::TemporaryFolder& folder) {
  const std::string monitor = get<std::string>(c, "monitor", "val_loss");
  const std::string mode = get<std::string>(c, "mode", "auto");
  if (name == "EarlyStopping")
    return callbacks::EarlyStopping({.monitor = monitor,
                                     .min_delta = get(c, "min_delta", 0.0),
                                     .patience = get<int64_t>(c, "patience", 0),
                                     .mode = mode,
                                     .baseline = get<std::optional<double>>(c, "baseline", {}),
                                     .restore_best_weights = get(c, "restore_best_weights", false),
                                     .start_from_epoch = get<int64_t>(c, "start_from_epoch", 0)});
  if (name == "ReduceLROnPlateau")
    return callbacks::ReduceLROnPlateau({.monitor = monitor,
                                         .factor = get(c, "factor", 0.1),
                                         .patience = get<int64_t>(c, "patience", 10),
                                         .mode = mode,
                                         .min_delta = get(c, "min_delta", 1e-4),
                                         .cooldown = get<int64_t>(c, "cooldown", 0),
                                         .min_lr = get(c, "min_lr", 0.0)});
  if (name == "LearningRateScheduler") {
    const bool half = get<std::string>(c, "schedule", "") == "half";
    return callbacks::LearningRateScheduler({.schedule = [half](int64_t epoch, double rate) {
      return half ? rate * 0.5 : 0.1 / static_cast<double>(1 + epoch);
    }});
  }
  if (name == "CSVLogger")
    return callbacks::CSVLogger({.filename = folder / get<std::string>(c, "filename", ""),
                                 .separator = get<std::string>(c, "separator", ",")});
  if (name == "ModelCheckpoint") {
    callbacks::ModelCheckpointConfig config{
        .filepath = folder / get<std::string>(c, "filepath", ""),
        .monitor = monitor,
        .save_best_only = get(c, "save_best_only", false),
        .save_weights_only = get(c, "save_weights_only", false),
        .mode = mode,
        .initial_value_threshold = get<std::optional<double>>(c, "initial_value_threshold", {})};
    if (const int64_t batches = get<int64_t>(c, "save_freq", 0)) config.save_freq = batches;
    return callbacks::ModelCheckpoint(config);
  }
  if (name == "SwapEMAWeights")
    return callbacks::SwapEMAWeights({.swap_on_epoch = get(c, "swap_on_epoch", false)});
  if (name == "TerminateOnNaN") return callbacks::TerminateOnNaN();
  if (name == "BackupAndRestore")
    return callbacks::BackupAndRestore(
        {.backup_dir = folder / get<std::string>(c, "backup_dir", "")});
  throw ValueError("the test makes no callback '" + name + "'");
}

std::shared_ptr<Sequential> make_model(const Value& recorded) {
  const int64_t classes = get<int64_t>(recorded, "classes", 1);
  auto model = std::make_shared<Sequential>(std::vector<AnyLayer>{
      Input({4}), layers::Dense({.units = 5, .activation = "tanh"}),
      layers::Dense({.units = classes, .activation = classes > 1 ? "softmax" : "linear"})});
  std::vector<Tensor> weights = model->get_weights();
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = wave(weights[i].shape(), static_cast<double>(i));
  model->set_weights(weights);
  const Value& options = entry(recorded, "compile");
  const Value none{Value::Dict{}};
  const Value* const optimizer = find_entry(options, "optimizer");
  const Value& o = optimizer ? *optimizer : none;
  MetricOption::List metrics;
  for (const auto& name :
       get<std::vector<std::string>>(options, "metrics", std::vector<std::string>{"mae"})) {
    if (name == "f1_score")
      metrics.push_back(metrics::F1Score());
    else
      metrics.push_back(name);
  }
  model->compile({.optimizer = optimizers::SGD({.learning_rate = get(o, "learning_rate", 0.1),
                                                .use_ema = get(o, "use_ema", false),
                                                .ema_momentum = get(o, "ema_momentum", 0.99)}),
                  .loss = get<std::string>(options, "loss", "mse"),
                  .metrics = metrics,
                  .steps_per_execution = get<int64_t>(options, "steps_per_execution", 1)});
  return model;
}

void check_logs(const Logs& mine, const Value& keras) {
  const auto& dict = keras.get<Value::Dict>();
  CHECK(mine.size() == dict.size());
  for (const auto& [name, value] : dict) {
    INFO("figure " << name);
    REQUIRE(mine.count(name));
    if (value.is<Value::List>()) {
      const auto values = mine.array(name).to_vector<double>();
      const auto& expected = value.get<Value::List>();
      REQUIRE(values.size() == expected.size());
      for (size_t i = 0; i < values.size(); ++i) CHECK(close(values[i], number(expected[i])));
    } else {
      INFO(mine.at(name) << " is " << number(value));
      CHECK(close(mine.at(name), number(value)));
    }
  }
}

void check_events(const std::vector<Event>& mine, const Value& keras) {
  const auto& list = keras.get<Value::List>();
  for (size_t i = 0; i < std::min(mine.size(), list.size()); ++i) {
    const auto& event = list[i].get<Value::List>();
    INFO("event " << i << ", " << event[0].get<std::string>());
    REQUIRE(mine[i].hook == event[0].get<std::string>());
    const std::optional<int64_t> index =
        event[1].is_null() ? std::nullopt : std::optional(detail::from_value<int64_t>(event[1]));
    CHECK(mine[i].index == index);
    check_logs(mine[i].logs, event[2]);
  }
  CHECK(mine.size() == list.size());
}

std::vector<std::vector<std::string>> cells(const std::string& table, char separator) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (const char c : table) {
    if (c == '"') quoted = !quoted;
    if (c == '\r') continue;
    if (c == '\n')
      rows.push_back({""});
    else if (c == separator && !quoted)
      rows.back().push_back("");
    else
      rows.back().back() += c;
  }
  return rows;
}

// Numbers may differ in the last digits.
void check_table(const std::string& mine, const std::string& keras, char separator) {
  const auto a = cells(mine, separator), b = cells(keras, separator);
  REQUIRE(a.size() == b.size());
  for (size_t row = 0; row < a.size(); ++row) {
    REQUIRE(a[row].size() == b[row].size());
    for (size_t column = 0; column < a[row].size(); ++column) {
      const std::string &p = a[row][column], &q = b[row][column];
      INFO("row " << row << ", column " << column << ": " << p << " is " << q);
      if (p != q && q.find_first_not_of("0123456789.e+-") == std::string::npos)
        CHECK(close(std::stod(p), std::stod(q)));
      else if (q.empty() || q[0] != '"')
        CHECK(p == q);
      else
        CHECK(p.substr(0, 2) == q.substr(0, 2));
    }
  }
}

void check_files(const test::TemporaryFolder& folder, const Value& recorded) {
  std::set<std::string> mine, keras;
  const std::filesystem::path root(folder / "");
  for (const auto& file : std::filesystem::recursive_directory_iterator(root))
    if (file.is_regular_file()) mine.insert(std::filesystem::relative(file.path(), root).string());
  for (const Value& file : entry(recorded, "files").get<Value::List>())
    keras.insert(file.get<std::string>());
  CHECK(mine == keras);
  for (const auto& [name, text] : entry(recorded, "tables").get<Value::Dict>()) {
    const auto& listed = entry(recorded, "callbacks").get<Value::List>()[0].get<Value::List>();
    check_table(test::slurp(folder / name), text.get<std::string>(),
                get<std::string>(listed[1], "separator", ",")[0]);
  }
}

void run(const Value& recorded) {
  const test::TemporaryFolder folder;
  const auto model = make_model(recorded);
  const int64_t classes = get<int64_t>(recorded, "classes", 1);
  std::vector<Event> events;
  Callbacks callbacks;
  for (const Value& listed : entry(recorded, "callbacks").get<Value::List>()) {
    const auto& pair = listed.get<Value::List>();
    callbacks.push_back(make_callback(pair[0].get<std::string>(), pair[1], folder));
  }
  const int64_t recorders = get<int64_t>(recorded, "recorders", 1);
  for (int64_t i = 0; i < recorders; ++i)
    callbacks.push_back(
        std::make_shared<Recorder>(events, recorders > 1 ? std::to_string(i) + ":" : ""));

  const Value& f = entry(recorded, "fit");
  const Tensor val_x = wave({6, 4}, 3);
  const Tensor val_y = targets(6, classes, get(recorded, "val_phase", 2.0));
  FitOptions options{.batch_size = get<int64_t>(f, "batch_size", 4),
                     .epochs = get<int64_t>(f, "epochs", 2),
                     .verbose = Verbose::silent,
                     .callbacks = callbacks,
                     .shuffle = false,
                     .initial_epoch = get<int64_t>(f, "initial_epoch", 0),
                     .steps_per_epoch = get<std::optional<int64_t>>(f, "steps_per_epoch", {}),
                     .validation_freq = get<int64_t>(f, "validation_freq", 1)};
  if (get(f, "validate", true)) options.validation_data = {val_x, val_y};
  const History history = model->fit(wave({10, 4}, 0), targets(10, classes, 1), options);
  const std::vector<Tensor> weights = model->get_weights();
  if (get(recorded, "evaluates", false)) {
    model->evaluate(val_x, val_y,
                    {.batch_size = 4, .verbose = Verbose::silent, .callbacks = callbacks});
    model->predict(val_x, {.batch_size = 4, .verbose = Verbose::silent, .callbacks = callbacks});
  }

  check_events(events, entry(recorded, "events"));
  CHECK(history.epoch == detail::from_value<std::vector<int64_t>>(entry(recorded, "epochs")));
  CHECK(history.history.size() == entry(recorded, "history").get<Value::Dict>().size());
  const auto& keras_weights = entry(recorded, "weights").get<Value::List>();
  REQUIRE(weights.size() == keras_weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto mine = weights[i].to_vector<double>();
    const auto& expected = keras_weights[i].get<Value::List>();
    REQUIRE(mine.size() == expected.size());
    for (size_t j = 0; j < mine.size(); ++j) {
      INFO("weight " << i << ", element " << j);
      CHECK(close(mine[j], number(expected[j])));
    }
  }
  check_files(folder, recorded);
}

}  // namespace

TEST_CASE("callbacks do in the same run what Keras's do") {
  show_warnings(false);
  const Value file = test::golden_file("callbacks.json");
  for (const Value& recorded : entry(file, "cases").get<Value::List>()) {
    DYNAMIC_SECTION(entry(recorded, "name").get<std::string>()) { run(recorded); }
  }
  show_warnings(true);
}

}  // namespace callback_golden_test
