// Files that real Keras wrote: they load, predict and go on training as they do in Keras.
#include <catch.h>
#include <cornu/cornu.h>
#include <cornu/framework/io/h5_file.h>
#include <paths.h>

#include <algorithm>
#include <cmath>

#include "../../support/temporary.h"

namespace keras_goldens_test {

using namespace cornu;
using namespace cornu::test;
using io::H5Reader;

namespace {

/// What tools/goldens/saving_goldens.py recorded beside a model.
class Record {
 public:
  explicit Record(const std::string& name)
      : model(source_path("tests/data/" + name + ".keras")),
        file_(std::filesystem::path(source_path("tests/data/" + name + ".h5"))) {}

  /// A single tensor, or a dictionary of them.
  Nest read(const std::string& group) const {
    Nest::Dict entries;
    for (const std::string& key : file_.children(group))
      entries.emplace_back(key, tensor(group + "/" + key));
    if (entries.size() == 1 && entries[0].first == "value") return entries[0].second;
    return Nest::dict(std::move(entries));
  }
  Tensor tensor(const std::string& path) const {
    const io::H5Info info = file_.info(path);
    return Tensor::written(info.shape, info.dtype,
                           [&](void* to) { file_.read(path, to, info.dtype, info.shape); });
  }
  std::map<std::string, double> figures(const std::string& group) const {
    std::map<std::string, double> result;
    for (const std::string& key : file_.children(group))
      result[key] = file_.number_attribute(group + "/" + key, "value");
    return result;
  }

  const std::string model;

 private:
  H5Reader file_;
};

/// The largest difference of two tensors of equal shape.
double difference(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  const auto x = a.to_vector<double>(), y = b.to_vector<double>();
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
  return worst;
}

double difference(const Nest& a, const Nest& b) {
  REQUIRE(a.same_structure(b));
  const auto x = a.flatten(), y = b.flatten();
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) worst = std::max(worst, difference(x[i], y[i]));
  return worst;
}

template <class Figures>
void check_figures(const Figures& found, const std::map<std::string, double>& expected) {
  CHECK(found.size() == expected.size());
  for (const auto& [name, value] : found) {
    INFO(name);
    REQUIRE(expected.count(name) == 1);
    CHECK(value == Approx(expected.at(name)).margin(2e-5));
  }
}

void check_record(const std::string& name, int64_t batch_size) {
  const Record record(name);
  const auto model = load_model(record.model);
  const Nest x = record.read("x"), y = record.read("y");
  CHECK(difference(model->predict(x, {.verbose = Verbose::silent}), record.read("outputs")) < 1e-5);
  check_figures(model->evaluate(x, y, {.batch_size = batch_size, .verbose = Verbose::silent}),
                record.figures("evaluate"));

  // One more epoch, with the optimizer's state from the file.
  const History history =
      model->fit(x, y, {.batch_size = batch_size, .verbose = Verbose::silent, .shuffle = false});
  std::map<std::string, double> figures;
  for (const auto& [key, values] : history.history) figures[key] = values.at(0);
  check_figures(figures, record.figures("history"));
  const std::vector<Variable> weights = model->weights();
  for (size_t i = 0; i < weights.size(); ++i) {
    INFO("weight " << i << ": " << weights[i].path());
    CHECK(difference(weights[i].value(), record.tensor("weights/" + std::to_string(i))) < 1e-4);
  }
}

}  // namespace

TEST_CASE("A Sequential of Keras predicts and goes on training here") {
  check_record("keras_digits", 20);
}

TEST_CASE("A Functional of Keras with ops, masks and several inputs and outputs does too") {
  check_record("keras_graph", 16);
}

TEST_CASE("The optimizer's state of Keras comes along") {
  const auto model = load_model(Record("keras_digits").model);
  REQUIRE(model->optimizer());
  CHECK(model->optimizer()->iterations().item() == 10);  // 2 epochs of 96 / 20 batches
  CHECK(model->optimizer()->learning_rate() == Approx(0.01));
  CHECK(model->optimizer()->variables().size() == 2 + 2 * model->trainable_variables().size());
  const auto bare = load_model(Record("keras_digits").model, false);
  CHECK_FALSE(bare->compiled());
  CHECK_FALSE(bare->optimizer());
}

TEST_CASE("A model of Keras that is saved here and loaded again is the same") {
  const TemporaryFolder folder;
  for (const char* name : {"keras_digits", "keras_graph"}) {
    INFO(name);
    const Record record(name);
    const auto model = load_model(record.model);
    model->save(folder / "again.keras");
    const auto again = load_model(folder / "again.keras");
    CHECK(again->to_json() == model->to_json());
    const Nest x = record.read("x"), y = record.read("y");
    const FitOptions quiet{.batch_size = 16, .verbose = Verbose::silent, .shuffle = false};
    CHECK(model->fit(x, y, quiet)["loss"] == again->fit(x, y, quiet)["loss"]);
    CHECK(difference(Nest(model->get_weights()), Nest(again->get_weights())) == 0);
  }
}

TEST_CASE("load_weights takes the weights out of a .keras file") {
  const Record record("keras_digits");
  const auto model = load_model(record.model);
  const auto fresh = model_from_json(model->to_json());
  const Nest x = record.read("x");
  const PredictOptions quiet{.verbose = Verbose::silent};
  CHECK(difference(fresh->predict(x, quiet), record.read("outputs")) > 1e-3);
  fresh->load_weights(record.model);
  CHECK(difference(fresh->predict(x, quiet), record.read("outputs")) < 1e-5);
}

}  // namespace keras_goldens_test
