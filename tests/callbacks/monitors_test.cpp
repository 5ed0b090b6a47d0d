// Callbacks that watch a figure beside Keras's: many options, and figures that fall, rise, stay,
// are not finite or are missing. tools/goldens/monitor_goldens.py records them.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include <cmath>
#include <filesystem>

#include "../support/golden_json.h"
#include "support.h"

namespace monitors_test {

using namespace cornu;
using test::entry;

namespace {

using Course = std::vector<std::optional<double>>;

std::optional<double> number(const Value& v) {
  if (v.is_null()) return {};
  return v.is<std::string>() ? std::stod(v.get<std::string>()) : v.number();
}

std::vector<Course> courses_of(const Value& file) {
  std::vector<Course> courses;
  for (const Value& list : entry(file, "courses").get<Value::List>()) {
    courses.emplace_back();
    for (const Value& v : list.get<Value::List>()) courses.back().push_back(number(v));
  }
  return courses;
}

template <class T>
T option(const Value& options, const char* key) {
  return detail::from_value<T>(entry(options, key));
}

// Calls the hooks of a fit whose epochs have these figures; the weight is the number of the epoch.
void follow(Callback& callback, test::OneWeight& model, const Course& course,
            const std::function<void(int64_t)>& after_epoch = {}) {
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 1.0}), .loss = "mse"});
  callback.set_model(&model);
  Logs none;
  callback.on_train_begin(none);
  for (size_t i = 0; i < course.size() && !model.stop_training; ++i) {
    const auto epoch = static_cast<int64_t>(i);
    model.set(static_cast<float>(epoch));
    Logs logs, empty;
    if (course[i]) logs["figure"] = *course[i];
    callback.on_epoch_begin(epoch, empty);
    callback.on_epoch_end(epoch, logs);
    if (after_epoch) after_epoch(epoch);
  }
  callback.on_train_end(none);
}

bool same(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return !a && !b;
  return *a == *b || (std::isnan(*a) && std::isnan(*b)) || std::abs(*a - *b) < 1e-6;
}

void check_early_stopping(const Value& o, const Course& course, const Value& outcome) {
  callbacks::EarlyStopping callback(
      {.monitor = "figure",
       .min_delta = option<double>(o, "min_delta"),
       .patience = option<int64_t>(o, "patience"),
       .mode = option<std::string>(o, "mode"),
       .baseline = option<std::optional<double>>(o, "baseline"),
       .restore_best_weights = option<bool>(o, "restore_best_weights"),
       .start_from_epoch = option<int64_t>(o, "start_from_epoch")});
  const auto& wanted = outcome.get<Value::List>();
  // Twice, as a callback serves several fits.
  for (int fit = 0; fit < 2; ++fit) {
    INFO("fit " << fit);
    test::OneWeight model;
    follow(*callback, model, course);
    CHECK(callback->stopped_epoch() == detail::from_value<int64_t>(wanted[0]));
    CHECK(callback->best_epoch() == detail::from_value<int64_t>(wanted[1]));
    CHECK(same(callback->best(), number(wanted[2])));
    CHECK(same(model.get(), number(wanted[3])));
  }
}

void check_plateau(const Value& o, const Course& course, const Value& outcome) {
  callbacks::ReduceLROnPlateau callback({.monitor = "figure",
                                         .factor = option<double>(o, "factor"),
                                         .patience = option<int64_t>(o, "patience"),
                                         .mode = option<std::string>(o, "mode"),
                                         .min_delta = option<double>(o, "min_delta"),
                                         .cooldown = option<int64_t>(o, "cooldown"),
                                         .min_lr = option<double>(o, "min_lr")});
  std::vector<std::pair<int64_t, double>> changes;
  double last = 1;
  test::OneWeight model;
  follow(*callback, model, course, [&](int64_t epoch) {
    const double rate = model.optimizer()->learning_rate();
    if (rate != last) changes.emplace_back(epoch, rate);
    last = rate;
  });
  const auto& wanted = outcome.get<Value::List>();
  REQUIRE(changes.size() == wanted.size());
  for (size_t i = 0; i < changes.size(); ++i) {
    const auto& change = wanted[i].get<Value::List>();
    CHECK(changes[i].first == detail::from_value<int64_t>(change[0]));
    CHECK(changes[i].second == Approx(change[1].number()));
  }
}

void check_checkpoint(const Value& o, const Course& course, const Value& outcome) {
  const test::TemporaryFolder folder;
  callbacks::ModelCheckpoint callback(
      {.filepath = folder / "{epoch}.weights.h5",
       .monitor = "figure",
       .save_best_only = option<bool>(o, "save_best_only"),
       .save_weights_only = true,
       .mode = option<std::string>(o, "mode"),
       .initial_value_threshold = option<std::optional<double>>(o, "initial_value_threshold")});
  test::OneWeight model;
  follow(*callback, model, course);
  std::vector<int64_t> saved;
  for (int64_t epoch = 0; epoch < static_cast<int64_t>(course.size()); ++epoch)
    if (std::filesystem::exists(folder / (std::to_string(epoch + 1) + ".weights.h5")))
      saved.push_back(epoch);
  CHECK(saved == detail::from_value<std::vector<int64_t>>(outcome));
}

}  // namespace

TEST_CASE("callbacks that watch a figure decide as Keras's do") {
  show_warnings(false);
  const Value file = test::golden_file("monitors.json");
  const std::vector<Course> courses = courses_of(file);
  for (const Value& c : entry(file, "cases").get<Value::List>()) {
    const Value& options = entry(c, "options");
    const auto kind = entry(c, "class").get<std::string>();
    const auto& outcomes = entry(c, "outcomes").get<Value::List>();
    REQUIRE(outcomes.size() == courses.size());
    for (size_t i = 0; i < courses.size(); ++i) {
      INFO(kind << " " << cornu::to_json(options) << ", course " << i << ", in Keras "
                << cornu::to_json(outcomes[i]));
      if (kind == "EarlyStopping")
        check_early_stopping(options, courses[i], outcomes[i]);
      else if (kind == "ReduceLROnPlateau")
        check_plateau(options, courses[i], outcomes[i]);
      else
        check_checkpoint(options, courses[i], outcomes[i]);
    }
  }
  show_warnings(true);
}

}  // namespace monitors_test
