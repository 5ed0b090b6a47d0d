// cornu report: what the page has of histories, facts, models and data, and which errors there are.
#include <catch.h>
#include <cornu/framework/io/npy_tensor.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/layers/core/dense.h>

#include <filesystem>

#include "program.h"

namespace report_test {

using namespace cornu;
using namespace cornu::test;
namespace fs = std::filesystem;

namespace {

// A folder of runs that goes with the test.
class Runs {
 public:
  std::string path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    spill(path(name), text);
  }
  Outcome report(const std::string& arguments) const {
    return run_in(folder_.path(), "report " + arguments);
  }
  std::string page(const std::string& arguments) const {
    REQUIRE(report(arguments + " -o page.html").status == 0);
    return slurp(path("page.html"));
  }

 private:
  Folder folder_;
};

constexpr const char* history =
    "epoch,accuracy,loss,val_accuracy,val_loss\r\n"
    "0,0.5,1.5,0.4,1.6\r\n"
    "1,0.7,0.9,NA,NA\r\n"
    "2,0.9,0.5,0.6,1.1\r\n"
    "3,0.95,0.3,0.55,1.5\r\n";

void save_npz(const std::string& path, const Tensor& x, const Tensor& y) {
  io::write_npz(path, {io::array_of("x", x), io::array_of("y", y)});
}

// Two classes: the larger of two inputs.
void save_classifier(const std::string& path) {
  fs::create_directories(fs::path(path).parent_path());
  Sequential model(
      {Input({2}), layers::Dense({.units = 2, .activation = "softmax", .name = "larger"})});
  model.set_weights(
      {Tensor::from({1.0f, 0.0f, 0.0f, 1.0f}, {2, 2}), Tensor::from({0.0f, 0.0f}, {2})});
  model.save(path);
}

}  // namespace

TEST_CASE("A report of a history alone") {
  const Runs runs;
  runs.write("first/history.csv", history);
  const std::string page = runs.page("first");
  CHECK(has(page, "<!DOCTYPE html>"));
  CHECK(has(page, "width=device-width"));
  CHECK(has(page, "prefers-color-scheme:dark"));
  CHECK(has(page, "Training report: first"));
  CHECK(has(page, "Curves of loss"));
  CHECK(has(page, "Curves of accuracy"));
  CHECK(has(page, "1.1 (3)"));   // the best val_loss, and its epoch
  CHECK(has(page, "0.6 (3)"));   // of an accuracy the largest
  CHECK(has(page, "overfits"));  // 1.5 after 1.1
  CHECK_FALSE(has(page, "Predictions"));
  // Nothing is fetched from elsewhere.
  for (const char* part : {"http://", "https://", "src=", "<link", "@import", "<script"})
    CHECK_FALSE(has(page, part));
}

TEST_CASE("Several runs stand side by side, and their texts are no markup") {
  const Runs runs;
  runs.write("a/run/history.csv", history);
  runs.write("b/run/history.json", R"({"loss": [2.0, 1.0, NaN], "mae": [1, 1, 1]})");
  runs.write(
      "<i>c/run.json",
      R"({"seconds": 200, "machine": {"cpu": "<script>x</script>", "threads": 2}, "list": [1, 2],
                 "interrupted": true, "warnings": ["mind the \"gap\""]})");
  const std::string page = runs.page("a/run b/run '<i>c'");
  CHECK(has(page, "a/run"));
  CHECK(has(page, "b/run"));
  CHECK(has(page, "&lt;i&gt;c"));
  CHECK(has(page, "&lt;script&gt;x&lt;/script&gt;"));
  CHECK_FALSE(has(page, "<script"));
  CHECK_FALSE(has(page, "<i>c"));
  CHECK(has(page, "machine.cpu"));
  CHECK(has(page, "3 min 20 s"));
  CHECK(has(page, "mind the &quot;gap&quot;"));
  CHECK(has(page, "interrupted before its last epoch"));
  CHECK(has(page, "loss is nan in epoch 3"));
  CHECK(has(page, "Curves of mae"));
}

TEST_CASE("Classes give a confusion") {
  const Runs runs;
  save_classifier(runs.path("run/model.keras"));
  // The last sample is wrong.
  save_npz(runs.path("data.npz"),
           Tensor::from({1.0f, 0.0f, 0.0f, 1.0f, 2.0f, 3.0f, 5.0f, 3.0f}, {4, 2}),
           Tensor::from({0, 1, 1, 1}, {4}));
  const std::string page = runs.page("run --data data.npz");
  CHECK(has(page, "75.00% of 4 samples are right"));
  CHECK(has(page, "true 1, predicted 1: 2 of 3"));
  CHECK(has(page, "true 1, predicted 0: 1 of 3"));
  CHECK(has(page, "Most often wrong: 1 for 0 (1)."));
  CHECK(has(page, "On data.npz."));
  CHECK(has(page, "Slowest layers"));
  CHECK(has(page, "/larger"));
  CHECK(has(page, "in (None, 2)"));

  // The same targets as rows of zeros and a one.
  save_npz(runs.path("hot.npz"), Tensor::from({1.0f, 0.0f, 0.0f, 1.0f}, {2, 2}),
           Tensor::from({1.0f, 0.0f, 1.0f, 0.0f}, {2, 2}));
  CHECK(has(runs.page("run --data hot.npz"), "50.00% of 2 samples are right"));
}

TEST_CASE("A report reads the data that evaluate reads") {
  const Runs runs;
  save_classifier(runs.path("run/model.keras"));
  const Tensor x = Tensor::from({1.0f, 0.0f, 0.0f, 1.0f, 2.0f, 3.0f}, {3, 2});
  const Tensor y = Tensor::from({0, 1, 0}, {3});
  io::write_npz(runs.path("parts.npz"),
                {io::array_of("x_train", x * Tensor(2)), io::array_of("y_train", y),
                 io::array_of("x_test", take_rows(x, 0, 2).tensor()),
                 io::array_of("y_test", take_rows(y, 0, 2).tensor())});
  CHECK(has(runs.page("run --data parts.npz"), "100.00% of 2 samples are right"));
  runs.write("d.csv", "a,b,kind\n1,0,left\n0,1,right\n2,3,left\n");
  CHECK(has(runs.page("run --data d.csv --target kind --classes left,right"),
            "66.67% of 3 samples are right"));
  io::write_npy(runs.path("x.npy"), io::array_of("", x));
  io::write_npy(runs.path("y.npy"), io::array_of("", y));
  CHECK(has(runs.page("run --data x.npy,y.npy"), "On x.npy and y.npy."));
  io::write_npz(runs.path("other.npz"), {io::array_of("pixels", x), io::array_of("labels", y)});
  CHECK(has(runs.page("run --data other.npz --x pixels --y labels"), "of 3 samples are right"));
  // Errors name the file.
  CHECK(has(runs.page("run --data other.npz"), "&#39;other.npz&#39;: "));
}

TEST_CASE("Each output of a model is compared with its targets") {
  const Runs runs;
  fs::create_directories(runs.path("run"));
  const Input in({2});
  const layers::Dense price({.units = 1, .name = "price"}),
      kind({.units = 2, .activation = "softmax", .name = "kind"});
  Functional model(in, {price(in), kind(in)});
  price->set_weights({Tensor::from({1.0f, 0.0f}, {2, 1}), Tensor::from({0.0f}, {1})});
  kind->set_weights(
      {Tensor::from({1.0f, 0.0f, 0.0f, 1.0f}, {2, 2}), Tensor::from({0.0f, 0.0f}, {2})});
  model.save(runs.path("run/model.keras"));
  const Tensor x = Tensor::from({1.0f, 0.0f, 0.0f, 1.0f}, {2, 2});
  const io::NpyArray input = io::array_of("x", x),
                     prices = io::array_of("price", Tensor::from({3.0f, 0.0f}, {2, 1}));
  io::write_npz(runs.path("both.npz"),
                {input, prices, io::array_of("kind", Tensor::from({0, 0}, {2}))});
  const std::string page = runs.page("run --data both.npz");
  CHECK(has(page, "Errors of run: price"));
  CHECK(has(page, "mean -1, mean absolute 1"));
  CHECK(has(page, "Confusion of run: kind"));
  CHECK(has(page, "50.00% of 2 samples are right"));
  io::write_npz(runs.path("one.npz"), {input, prices});
  CHECK_FALSE(has(runs.page("run --data one.npz"), "Confusion of run"));
  save_npz(runs.path("y.npz"), x, Tensor::from({0, 0}, {2}));
  CHECK(has(runs.page("run --data y.npz"), "only one array of targets"));
}

TEST_CASE("Predictions that are no numbers are counted") {
  const Runs runs;
  save_classifier(runs.path("run/model.keras"));
  save_npz(runs.path("data.npz"),
           Tensor::from({1.0f, 0.0f, NAN, NAN, 1.0f, NAN, 0.0f, 1.0f}, {4, 2}),
           Tensor::from({0, 0, 0, 1}, {4}));
  std::string page = runs.page("run --data data.npz");
  CHECK(has(page, "50.00% of 4 samples are right; 2 predictions are NaN"));
  CHECK(has(page, "true 0, predicted 0: 1 of 1"));

  fs::create_directories(runs.path("line"));
  Sequential line({Input({1}), layers::Dense({.units = 1})});
  line.set_weights({Tensor::from({1.0f}, {1, 1}), Tensor::from({0.0f}, {1})});
  line.save(runs.path("line/model.keras"));
  save_npz(runs.path("line.npz"), Tensor::from({NAN, 3.0f, INFINITY, 5.0f}, {4, 1}),
           Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {4, 1}));
  page = runs.page("line --data line.npz");
  CHECK(has(page, "mean 1, mean absolute 1"));
  CHECK(has(page, "2 more errors are not finite"));
  // One output in [0, 1] is a class, or none.
  save_npz(runs.path("bits.npz"), Tensor::from({NAN, 0.0f, 1.0f}, {3, 1}),
           Tensor::from({0, 0, 1}, {3}));
  CHECK(has(runs.page("line --data bits.npz"), "66.67% of 3 samples are right; 1 predictions"));
}

TEST_CASE("Numbers give a histogram of errors") {
  const Runs runs;
  runs.write("run/history.csv", history);
  Sequential model({Input({1}), layers::Dense({.units = 1})});
  model.set_weights({Tensor::from({2.0f}, {1, 1}), Tensor::from({0.0f}, {1})});
  model.save(runs.path("double.keras"));
  save_npz(runs.path("data.npz"), Tensor::from({1.0f, 2.0f}, {2, 1}),
           Tensor::from({1.0f, 5.0f}, {2, 1}));
  const std::string page = runs.page("run --model double.keras --data data.npz");
  CHECK(has(page, "Errors of run"));
  CHECK(has(page, "mean 0, mean absolute 1, root mean square 1"));
}

TEST_CASE("What a report cannot use it names, and shows the rest") {
  const Runs runs;
  runs.write("run/history.csv", history);
  runs.write("run/model.keras", "no archive");
  runs.write("run/run.json", "{");
  std::string page = runs.page("run");
  CHECK(has(page, "the model cannot be shown"));
  CHECK(has(page, "run.json"));
  CHECK(has(page, "Curves of loss"));

  save_classifier(runs.path("run/model.keras"));
  save_npz(runs.path("wide.npz"), Tensor::from({1.0f, 2.0f, 3.0f}, {1, 3}), Tensor::from({0}, {1}));
  page = runs.page("run --data wide.npz");
  CHECK(has(page, "the model cannot be evaluated"));
  save_npz(runs.path("label.npz"), Tensor::from({1.0f, 2.0f}, {1, 2}), Tensor::from({7}, {1}));
  CHECK(has(runs.page("run --data label.npz"), "the classes 0 to 1"));
}

TEST_CASE("Weights that are no numbers are told") {
  const Runs runs;
  fs::create_directories(runs.path("run"));
  Sequential model({Input({1}), layers::Dense({.units = 1, .name = "broken"})});
  model.set_weights({Tensor::from({NAN}, {1, 1}), Tensor::from({0.0f}, {1})});
  model.save(runs.path("run/model.keras"));
  CHECK(has(runs.page("run"), "layer broken is not finite everywhere"));
}

TEST_CASE("Tables of CSVLogger in all their forms") {
  const Runs runs;
  // Arrays in quotes of their own; a training that was appended to another; other separators.
  runs.write("f1.csv",
             "epoch,f1,loss\r\n0,\"\"\"[0.5, 0.25]\"\"\",2\r\n0,\"\"\"[0.75, 1.0]\"\"\",1\r\n");
  const std::string page = runs.page("f1.csv");
  CHECK(has(page, "epoch 1: training 0.375"));
  CHECK(has(page, "epoch 2: training 0.875"));
  runs.write("semicolon.csv", "epoch;loss\n0;2\n1;1\n");
  CHECK(has(runs.page("semicolon.csv"), "epoch 2: training 1"));

  const auto refused = [&](const char* text, const char* why) {
    runs.write("bad.csv", text);
    const Outcome outcome = runs.report("bad.csv");
    CHECK(outcome.status == 1);
    CHECK(has(outcome.text, why));
  };
  refused("step,loss\n0,1\n", "first column is 'step'");
  refused("epoch,loss\n0,1\n1,two\n", "line 3: 'two' in column 'loss'");
  refused("epoch,loss\n0,1,2\n", "line 2: 3 cells in place of 2");
  refused("epoch,loss\nx,1\n", "'x' is no epoch");
}

TEST_CASE("Errors of report") {
  const Runs runs;
  runs.write("empty/notes.txt", "nothing");
  runs.write("one/history.csv", history);
  runs.write("two/history.csv", history);
  runs.write("other/prices.csv", "home,price\n1,2\n");
  CHECK(runs.report("").status == 2);
  const auto refused = [&](const char* arguments, const char* why) {
    const Outcome outcome = runs.report(arguments);
    CHECK(outcome.status == 1);
    CHECK(has(outcome.text, why));
  };
  refused("nowhere", "'nowhere' does not exist");
  refused("empty", "nothing of a training");
  refused("empty/notes.txt", "is no run");
  refused("other", "prices.csv' is no table of CSVLogger");
  refused("one two --model m.keras", "--model names the model of one run");
  refused("one --data nowhere.npz", "nowhere.npz");
  save_npz(runs.path("data.npz"), Tensor::from({1.0f}, {1, 1}), Tensor::from({1.0f}, {1, 1}));
  refused("one --data data.npz", "no run has a model");
  refused("one -o /no/such/folder/page.html", "/no/such/folder");
}

}  // namespace report_test
