// A save ends by checking that what it wrote can be read.
#include <catch.h>
#include <cornu/cornu.h>
#include <cornu/framework/saving/keras_file.h>

#include "../../support/temporary.h"
#include "models.h"

namespace save_check_test {

using namespace cornu;
using namespace cornu::test;
using namespace cornu::test::files;

namespace {

const PredictOptions quiet{.verbose = Verbose::silent};

struct OwnCellConfig {
  Required<int64_t> units;
};

/// h' = tanh(x kernel + h recurrent).
class OwnCell : public layers::CellLayer<OwnCell, OwnCellConfig> {
 public:
  using CellLayer::CellLayer;
  void build_many(const Nest& inputs) override {
    const Shape input = inputs.flatten()[0].shape();
    kernel = add_weight({.name = "kernel", .shape = {input.back(), *config.units}});
    recurrent = add_weight({.name = "recurrent", .shape = {*config.units, *config.units}});
  }
  Nest initial_states(int64_t batch) override {
    return Nest::List{ops::zeros({batch, *config.units}, compute_dtype())};
  }
  Nest call_many(const Nest& inputs, const Call&) override {
    const Tensor h =
        ops::tanh(ops::matmul(inputs[0], kernel) + ops::matmul(inputs[1][0], recurrent));
    return {h, Nest{h}};
  }

 private:
  Variable kernel, recurrent;
};

struct PictureCellConfig {
  std::string name = "";
};

/// Adds up pictures, times a weight for each channel.
class PictureCell : public layers::CellLayer<PictureCell, PictureCellConfig> {
 public:
  using CellLayer::CellLayer;
  void build_many(const Nest& inputs) override {
    picture_ = inputs.flatten()[0].shape();
    gain_ = add_weight({.name = "gain", .shape = {picture_.back()}});
  }
  Nest initial_states(int64_t batch) override {
    Shape shape = picture_;
    shape[0] = batch;
    return Nest::List{ops::zeros(shape)};
  }
  Nest call_many(const Nest& inputs, const Call&) override {
    const Tensor sum = inputs[0].tensor() * gain_ + inputs[1][0].tensor();
    return {sum, Nest{sum}};
  }

 private:
  Shape picture_;
  Variable gain_;
};

/// A layer whose options do not say how many weights it has.
struct ForgetfulConfig {
  std::string name = "";
};
class ForgetfulLayer : public LayerOf<ForgetfulLayer, ForgetfulConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape& input) override {
    weight_ = add_weight({.name = "weight", .shape = {input.back(), width}});
  }
  Tensor call(const Tensor& x, const Call&) override { return ops::matmul(x, weight_); }
  int64_t width = 2;

 private:
  Variable weight_;
};

CORNU_REGISTER("save_check_test>OwnCell", OwnCell);
CORNU_REGISTER("save_check_test>PictureCell", PictureCell);
CORNU_REGISTER("save_check_test>Forgetful", ForgetfulLayer);

template <class Cell>
std::shared_ptr<Functional> over_steps(const Shape& input, const std::shared_ptr<Cell>& cell) {
  const Input in(input);
  return std::make_shared<Functional>(in, layers::RNN({.cell = cell})(in));
}

/// The shape that the file says the layer `cell` was built for.
std::string built_for(Model& model) {
  const std::string json = model.to_json(), key = "\"build_config\": {\"input_shape\": ";
  const size_t at = json.find(key) + key.size();
  return json.substr(at, json.find('}', at) - at);
}

}  // namespace

TEST_CASE("a cell of one's own in a graph is saved with the shape it was built for") {
  const TemporaryFolder folder;
  const std::string file = folder / "m.keras";
  const auto check = [&](Model& model, const Shape& input) {
    model.save(file);
    const Tensor x = wave(input);
    CHECK(load_model(file)->predict(x, quiet).tensor().template to_vector<float>() ==
          model.predict(x, quiet).tensor().template to_vector<float>());
  };
  const auto graph = over_steps({7, 3}, std::make_shared<OwnCell>(OwnCellConfig{.units = 6}));
  CHECK(built_for(*graph) == "[null, 3]");
  check(*graph, {2, 7, 3});

  Sequential stack({Input({7, 3}), layers::RNN({.cell = Ref<OwnCell>({.units = 6})})});
  CHECK(built_for(stack) == "[null, 3]");
  check(stack, {2, 7, 3});

  const auto pictures =
      over_steps({4, 5, 6, 2}, std::make_shared<PictureCell>(PictureCellConfig{}));
  CHECK(built_for(*pictures) == "[null, 5, 6, 2]");
  check(*pictures, {2, 4, 5, 6, 2});

  const auto own = over_steps(
      {7, 3}, std::make_shared<layers::LSTMCellLayer>(layers::LSTMCellConfig{.units = 6}));
  CHECK(built_for(*own) == "[null, 3]");

  Sequential both(
      {Input({7, 3}),
       layers::RNN({.cell = layers::Cells{Ref<OwnCell>({.units = 6}), layers::GRUCell({.units = 4}),
                                          Ref<OwnCell>({.units = 2})}})});
  const std::string json = both.to_json();
  CHECK(json.find("[null, 3]") != json.npos);
  CHECK(json.find("[null, 6]") != json.npos);
  CHECK(json.find("[null, 4]") != json.npos);
  CHECK(json.find("83") == json.npos);
  check(both, {2, 7, 3});
}

TEST_CASE("what could not be loaded is not written, and the old file stays") {
  const TemporaryFolder folder;
  const Ref<ForgetfulLayer> layer({.name = "forgetful"});
  layer->width = 3;
  Sequential model({Input({4}), layer});
  for (const std::string name : {"m.keras", "m.h5"}) {
    const std::string file = folder / name;
    spill(file, "the old file");
    CHECK_THROWS_WITH(model.save(file), contains("could not be loaded") &&
                                            contains("layer 'forgetful'") && contains("(4, 2)") &&
                                            contains("(4, 3)"));
    CHECK(slurp(file) == "the old file");
    std::filesystem::remove(file);
  }
  CHECK_THROWS_AS(saving::save_model(model, folder / "m", {.zipped = false}), StateError);
  CHECK(folder.count() == 0);
}

TEST_CASE("the check of a save leaves no trace") {
  const TemporaryFolder folder;
  const auto draw = [&](bool save) {
    random::set_seed(3);
    Sequential model({Input({4}), layers::Dense({.units = 3}), layers::Dropout({.rate = 0.5})});
    model.compile({.optimizer = "adam", .loss = "mse"});
    const std::vector<float> before = model.get_weights()[0].to_vector<float>();
    if (save) model.save(folder / "m.keras");
    CHECK(model.get_weights()[0].to_vector<float>() == before);
    return random::default_seed();
  };
  CHECK(draw(true) == draw(false));
}

TEST_CASE("the check of a save needs no memory for weights") {
  const TemporaryFolder folder;
  Sequential model({Input({2000}), layers::Dense({.units = 2000}), layers::Dense({.units = 2000})});
  memory::reset_peak();
  const size_t before = memory::stats().live;
  model.save(folder / "m.keras");
  CHECK(memory::stats().peak - before < model.get_weights()[0].bytes() / 4);
}

}  // namespace save_check_test
