// Training and files that change hands between Cornu and Python's Keras. Needs a Python with Keras.
#include <catch.h>
#include <cornu/cornu.h>
#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/saving/file_editor.h>

#include <cmath>

#include "../../support/temporary.h"
#include "python.h"
#include "support/skip.h"

namespace interop_test {

using namespace cornu;
using namespace cornu::test;

namespace {

struct BlockConfig {
  Required<int64_t> units;
};

class BlockLayer : public LayerOf<BlockLayer, BlockConfig> {
 public:
  explicit BlockLayer(BlockConfig c) : LayerOf(std::move(c)) {
    dense_ = track("dense", layers::Dense({.units = config.units, .activation = "tanh"}));
  }
  void build(const Shape& shape) override {
    gain_ = add_weight({.name = "gain", .shape = {shape.back()}, .initializer = "ones"});
  }
  Tensor call(const Tensor& x, const Call&) override { return x + dense_(x) * gain_; }

 private:
  layers::Dense dense_ = nullptr;
  Variable gain_;
};
using Block = Ref<BlockLayer>;

/// The Tower of tests/support/keras_interop.py.
class Tower : public Model {
 public:
  explicit Tower(int64_t width)
      : first_({.units = width}),
        blocks_{Block({.units = width}), Block({.units = width})},
        dense_({.units = width}),
        last_({.units = width}),
        score_({.units = 1}),
        kind_({.units = 3, .activation = "softmax"}) {
    track("first", first_);
    track("blocks", blocks_);
    track("mixed", Members{dense_, Members{last_, norm_}});
    track("heads", Members{score_, kind_});
  }
  Tensor call(const Tensor& x, const Call&) override {
    Tensor y = first_(x);
    for (const Block& block : blocks_) y = block(y);
    y = norm_(last_(dense_(y)));
    return ops::concatenate({score_(y), kind_(y)}, -1);
  }

 private:
  Block first_;
  std::vector<Block> blocks_;
  layers::Dense dense_;
  Block last_;
  layers::LayerNormalization norm_;
  layers::Dense score_, kind_;
};

constexpr int64_t first_epochs = 2, more_epochs = 2;

void fit(Model& model, const Tensor& x, const Tensor& y, int64_t epochs) {
  model.fit(x, y,
            {.batch_size = 8, .epochs = epochs, .verbose = Verbose::silent, .shuffle = false});
}

Tensor read(const io::H5Reader& file, const std::string& name) {
  const io::H5Info info = file.info(name);
  return Tensor::written(info.shape, info.dtype,
                         [&](void* to) { file.read(name, to, info.dtype, info.shape); });
}

void write(io::H5Writer& file, const std::string& name, const Tensor& t) {
  file.write(name, t.dtype(), t.shape(), t.host_data());
}

double difference(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return INFINITY;
  const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>();
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double d = std::abs(x[i] - y[i]);
    worst = d <= worst ? worst : d;
  }
  return worst;
}

void go_on_here(const TemporaryFolder& folder, const std::string& name) {
  INFO(name);
  const io::H5Reader file(folder / (name + ".data.h5"));
  const Tensor x = read(file, "x"), y = read(file, "y");
  const auto model = load_model(folder / (name + ".keras"));
  fit(*model, x, y, more_epochs);
  const std::vector<Tensor> weights = model->get_weights();
  REQUIRE(weights.size() == file.children("weights").size());
  for (size_t i = 0; i < weights.size(); ++i) {
    INFO(i);
    CHECK(difference(weights[i], read(file, "weights/" + std::to_string(i))) < 1e-4);
  }

  // The reverse: begun here, to go on in Python.
  const auto start = load_model(folder / (name + ".start.keras"));
  fit(*start, x, y, first_epochs);
  start->save(folder / (name + ".here.keras"));
  fit(*start, x, y, more_epochs);
  io::H5Writer here(folder / (name + ".here.h5"));
  write(here, "x", x);
  write(here, "y", y);
  const std::vector<Tensor> expected = start->get_weights();
  for (size_t i = 0; i < expected.size(); ++i)
    write(here, "weights/" + std::to_string(i), expected[i]);
  here.finish();
}

void exchange_tower(const TemporaryFolder& folder) {
  const io::H5Reader file(folder / "tower.data.h5");
  const Tensor x = read(file, "x");
  Tower tower(4);
  (void)tower(x);
  tower.load_weights(folder / "tower.weights.h5");
  CHECK(difference(tower(x), read(file, "y")) < 1e-5);

  std::vector<Tensor> weights = tower.get_weights();
  for (Tensor& weight : weights) weight = weight * 0.5 + 0.25;
  tower.set_weights(weights);
  tower.save_weights(folder / "tower.here.weights.h5");
  io::H5Writer here(folder / "tower.here.h5");
  write(here, "x", x);
  write(here, "y", tower(x));
  here.finish();
}

// Between the two Dense layers of Keras's file, another takes the place of the normalization.
void edit(const TemporaryFolder& folder) {
  saving::KerasFileEditor editor(folder / "stack.weights.h5");
  CHECK(editor.weights("layers/dense")[0].second.shape() == Shape({3, 4}));
  editor.delete_object("batch_normalization");
  editor.delete_object("optimizer");
  editor.rename_object("dense_1", "dense_2");
  editor.add_object("layers/dense_1", {{"0", ops::full({4, 5}, 2.0f)}, {"1", ops::zeros({5})}});
  editor.delete_object("dense_2");
  editor.add_object("layers/dense_2", {{"0", ops::ones({5, 2})}, {"1", ops::zeros({2})}});
  editor.save(folder / "edited.weights.h5");

  saving::KerasFileEditor archive(folder / "stack.keras");
  archive.add_weights("layers/dense", {{"1", ops::ones({4})}});
  archive.save(folder / "edited.keras");
  const auto model = load_model(folder / "edited.keras");
  CHECK(model->get_weights()[1].to_vector<float>() == std::vector<float>{1, 1, 1, 1});
  CHECK(archive.compare(*model).success());
}

}  // namespace

TEST_CASE("Training and weights change hands between Python's Keras and Cornu") {
  const std::string python = keras_python();
  if (python.empty()) {
    test::skip("there is no Python with Keras");
    return;
  }
  const TemporaryFolder folder;
  const std::string report = folder / "report.txt", place = quote(folder.path());
  const int begun = run_script(python, "keras_interop.py", "begin " + place, report);
  INFO(slurp(report));
  REQUIRE(begun == 0);
  for (const char* name : {"cnn_adam", "cnn_sgd", "lstm_adam", "lstm_sgd"})
    go_on_here(folder, name);
  exchange_tower(folder);
  edit(folder);
  const int resumed = run_script(python, "keras_interop.py", "resume " + place, report);
  INFO(slurp(report));
  CHECK(resumed == 0);
}

}  // namespace interop_test
