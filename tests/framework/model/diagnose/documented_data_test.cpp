// The pieces of code in docs/diagnose.md about data: the wrong ones give their id, the right ones
// nothing. diagnose_docs_test.cpp compares them with the page.
#include <thread>

#include "documented.h"

namespace documented_data_test {

using namespace cornu;
using namespace cornu::test;

namespace {

Batch decode(const std::string&) {
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  const Problem problem(32);
  return {problem.x, problem.regression()};
}

namespace wrong_files {
// begin data_bound wrong
class Files : public Dataset {
 public:
  explicit Files(std::vector<std::string> names) : names_(std::move(names)) {}
  int64_t size() const override { return static_cast<int64_t>(names_.size()); }
  Batch batch(int64_t i) override { return decode(names_[static_cast<size_t>(i)]); }

 private:
  std::vector<std::string> names_;
};
// end
}  // namespace wrong_files

namespace right_files {
// begin data_bound right
class Files : public Dataset {
 public:
  explicit Files(const std::vector<std::string>& names) {
    for (const std::string& name : names) batches_.push_back(decode(name));
  }
  int64_t size() const override { return static_cast<int64_t>(batches_.size()); }
  Batch batch(int64_t i) override { return batches_[static_cast<size_t>(i)]; }

 private:
  std::vector<Batch> batches_;
};
// end
}  // namespace right_files

struct Pieces : Page {
  void inputs_nan_wrong() {
    const auto read_csv = [&] {
      std::vector<float> values = x.to_vector<float>();
      values[7] = NAN;
      return Tensor::from(values, x.shape());
    };
    // begin inputs_nan wrong
    const Tensor filled = read_csv();  // empty fields became NaN
    model.fit(filled, y);
    // end
  }
  void inputs_nan_right() {
    const auto read_csv = [&] {
      std::vector<float> values = x.to_vector<float>();
      values[7] = NAN;
      return Tensor::from(values, x.shape());
    };
    // begin inputs_nan right
    const Tensor filled = ops::nan_to_num(read_csv());  // or drop those samples
    model.fit(filled, y);
    // end
  }
  void inputs_constant_wrong() {
    [[maybe_unused]] const auto read_into = [&](std::vector<float>& v) {
      v = x.to_vector<float>();
    };
    // begin inputs_constant wrong
    std::vector<float> values(static_cast<size_t>(n * 8));  // never filled
    model.fit(Tensor::from(values, {n, 8}), y);
    // end
  }
  void inputs_constant_right() {
    [[maybe_unused]] const auto read_into = [&](std::vector<float>& v) {
      v = x.to_vector<float>();
    };
    // begin inputs_constant right
    std::vector<float> values(static_cast<size_t>(n * 8));
    read_into(values);
    model.fit(Tensor::from(values, {n, 8}), y);
    // end
  }
  void inputs_unscaled_wrong() {
    const Tensor pixels = ops::sigmoid(x) * Tensor(255.0);
    // begin inputs_unscaled wrong
    model.fit(pixels, y);  // 0 to 255
    // end
  }
  void inputs_unscaled_right() {
    const Tensor pixels = ops::sigmoid(x) * Tensor(255.0);
    // begin inputs_unscaled right
    Sequential scaled({layers::Rescaling({.scale = 1.0 / 255}), layers::Dense({.units = 1})});
    scaled.compile({.optimizer = "adam", .loss = "mse"});
    scaled.fit(pixels, y);
    // end
  }
  void unused_input_wrong() {
    Input a({8}), b({8});
    const Tensor x2 = normal({n, 8}, 5);
    // begin unused_input wrong
    Functional sum(Nest::List{a, b}, layers::Dense({.units = 1})(a));
    sum.compile({.optimizer = "adam", .loss = "mse"});
    sum.fit(Nest::List{x, x2}, y);
    // end
  }
  void unused_input_right() {
    Input a({8}), b({8});
    const Tensor x2 = normal({n, 8}, 5);
    // begin unused_input right
    const Tensor both = layers::Concatenate()({Nest(Tensor(a)), Nest(Tensor(b))});
    Functional sum(Nest::List{a, b}, layers::Dense({.units = 1})(both));
    sum.compile({.optimizer = "adam", .loss = "mse"});
    sum.fit(Nest::List{x, x2}, y);
    // end
  }
  void split_leak_wrong() {
    [[maybe_unused]] const Problem held_out(64, 8, 9);
    [[maybe_unused]] const Tensor held_out_x = held_out.x, held_out_y = held_out.regression();
    // begin split_leak wrong
    const Tensor twice = ops::concatenate({x, x}, 0);  // oversampled, then split
    model.fit(twice, ops::concatenate({y, y}, 0), {.validation_split = 0.2});
    // end
  }
  void split_leak_right() {
    [[maybe_unused]] const Problem held_out(64, 8, 9);
    [[maybe_unused]] const Tensor held_out_x = held_out.x, held_out_y = held_out.regression();
    // begin split_leak right
    model.fit(x, y, {.validation_data = {held_out_x, held_out_y}});
    // end
  }
  void target_leak_wrong() {
    // begin target_leak wrong
    model.fit(ops::concatenate({x, y}, 1), y);  // the table, with the column that is looked for
    // end
  }
  void target_leak_right() {
    // begin target_leak right
    model.fit(x, y);
    // end
  }
  void labels_constant_wrong() {
    // begin labels_constant wrong
    model.fit(x, ops::zeros({n, 1}));  // a column that was never filled
    // end
  }
  void labels_constant_right() {
    // begin labels_constant right
    model.fit(x, y);
    // end
  }
  void labels_shifted_wrong() {
    // begin labels_shifted wrong
    model.fit(take_rows(x, 1, n), take_rows(y, 0, n - 1));  // the header of x alone was dropped
    // end
  }
  void labels_shifted_right() {
    // begin labels_shifted right
    model.fit(take_rows(x, 1, n), take_rows(y, 1, n));
    // end
  }
  void class_imbalance_wrong() {
    std::vector<float> few;
    for (float s : problem.score) few.push_back(s > 2.3f ? 1.f : 0.f);
    few[0] = 1;
    const Tensor ill = Tensor::from(few, {n, 1});
    Sequential classifier({layers::Dense({.units = 1, .activation = "sigmoid"})});
    classifier.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
    // begin class_imbalance wrong
    classifier.fit(x, ill);  // 2 % are
    // end
  }
  void class_imbalance_right() {
    std::vector<float> few;
    for (float s : problem.score) few.push_back(s > 2.3f ? 1.f : 0.f);
    few[0] = 1;
    const Tensor ill = Tensor::from(few, {n, 1});
    Sequential classifier({layers::Dense({.units = 1, .activation = "sigmoid"})});
    classifier.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
    // begin class_imbalance right
    classifier.fit(x, ill, {.class_weight = {{0, 1.0}, {1, 50.0}}});
    // end
  }
  void shuffle_missing_wrong() {
    const Tensor order = ops::argsort(Tensor::from(problem.score, {n}));
    const Tensor sorted_x = ops::take(x, order, 0), sorted_labels = ops::take(labels, order, 0);
    Sequential classifier({layers::Dense({.units = 3, .activation = "softmax"})});
    classifier.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
    // begin shuffle_missing wrong
    classifier.fit(sorted_x, sorted_labels, {.shuffle = false});  // first all 0, then all 1
    // end
  }
  void shuffle_missing_right() {
    const Tensor order = ops::argsort(Tensor::from(problem.score, {n}));
    const Tensor sorted_x = ops::take(x, order, 0), sorted_labels = ops::take(labels, order, 0);
    Sequential classifier({layers::Dense({.units = 3, .activation = "softmax"})});
    classifier.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
    // begin shuffle_missing right
    classifier.fit(sorted_x, sorted_labels);
    // end
  }
  void steps_truncated_wrong() {
    // begin steps_truncated wrong
    model.fit(x, y, {.steps_per_epoch = 2});  // of 8 batches
    // end
  }
  void steps_truncated_right() {
    // begin steps_truncated right
    model.fit(x, y);
    // end
  }
  void data_bound_wrong() {
    const std::vector<std::string> names(6, "name");
    model.fit(std::make_shared<wrong_files::Files>(names));
  }
  void data_bound_right() {
    const std::vector<std::string> names(6, "name");
    model.fit(std::make_shared<right_files::Files>(names));
  }
};

}  // namespace

TEST_CASE("the page's pieces about data give what they are shown for") {
  check_pieces("inputs_nan", &Pieces::inputs_nan_wrong, &Pieces::inputs_nan_right);
  check_pieces("inputs_constant", &Pieces::inputs_constant_wrong, &Pieces::inputs_constant_right);
  check_pieces("inputs_unscaled", &Pieces::inputs_unscaled_wrong, &Pieces::inputs_unscaled_right);
  check_pieces("unused_input", &Pieces::unused_input_wrong, &Pieces::unused_input_right);
  check_pieces("split_leak", &Pieces::split_leak_wrong, &Pieces::split_leak_right);
  check_pieces("target_leak", &Pieces::target_leak_wrong, &Pieces::target_leak_right);
  check_pieces("labels_constant", &Pieces::labels_constant_wrong, &Pieces::labels_constant_right);
  check_pieces("labels_shifted", &Pieces::labels_shifted_wrong, &Pieces::labels_shifted_right);
  check_pieces("class_imbalance", &Pieces::class_imbalance_wrong, &Pieces::class_imbalance_right);
  check_pieces("shuffle_missing", &Pieces::shuffle_missing_wrong, &Pieces::shuffle_missing_right);
  check_pieces("steps_truncated", &Pieces::steps_truncated_wrong, &Pieces::steps_truncated_right);
  check_pieces("data_bound", &Pieces::data_bound_wrong, &Pieces::data_bound_right);
}

}  // namespace documented_data_test
