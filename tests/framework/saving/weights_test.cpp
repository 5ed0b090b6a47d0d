// .weights.h5 files: where Keras puts each layer's variables, round trips, and loads that fail
// without a trace.
#include <cornu/framework/saving/weights.h>

#include <catch.h>
#include <cornu/cornu.h>

#include <numeric>

#include "../../support/temporary.h"
#include "models.h"

namespace weights_test {

using namespace cornu;
using namespace cornu::test;
using namespace cornu::test::files;
using io::H5Reader;
using io::H5Writer;

namespace {

const FitOptions one_epoch{.batch_size = 7, .verbose = Verbose::silent, .shuffle = false};

/// The groups of layers that have weights.
std::vector<std::string> paths(Layer& model) {
  std::vector<std::string> result;
  std::vector<Layer*> seen;
  for (const saving::WeightEntry& entry : saving::weight_entries(model)) {
    const bool first = std::find(seen.begin(), seen.end(), entry.layer) == seen.end();
    seen.push_back(entry.layer);
    if (first && !entry.layer->own_weights().empty()) result.push_back(entry.path);
  }
  return result;
}

std::vector<std::vector<double>> values(const Layer& model) {
  std::vector<std::vector<double>> result;
  for (const Tensor& t : model.get_weights()) result.push_back(t.to_vector<double>());
  return result;
}

std::vector<std::vector<double>> optimizer_values(const Model& model) {
  std::vector<std::vector<double>> result;
  for (const Variable& v : model.optimizer()->variables())
    result.push_back(v.value().to_vector<double>());
  return result;
}

std::string error_of(Model& model, const std::string& file) {
  try {
    model.load_weights(file);
  } catch (const FileError& e) {
    return e.what();
  }
  return "no FileError";
}

/// A dataset of 0, 1, 2, ...
void write(H5Writer& file, const std::string& path, const Shape& shape) {
  std::vector<float> numbers(static_cast<size_t>(shape.numel()));
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  file.write(path, DType::float32, shape, numbers.data());
}

}  // namespace

TEST_CASE("Layers of a stack and of a graph are counted by class in their order") {
  CHECK(paths(*make_cnn()) ==
        std::vector<std::string>{"layers/conv2d", "layers/batch_normalization", "layers/dense"});
  CHECK(paths(*make_graph()) == std::vector<std::string>{"layers/dense", "layers/dense_1",
                                                         "layers/functional/layers/dense",
                                                         "layers/dense_2", "layers/dense_3"});
}

TEST_CASE("Members of other layers stand under their names in alphabetical order") {
  Net net(NetConfig{.width = 3});
  net(wave({2, 4}));
  // A model's own list of layers sorts between "hidden" and "norm"; the first path of each layer
  // counts.
  CHECK(paths(net) == std::vector<std::string>{"blocks/residual", "blocks/residual/inner",
                                               "blocks/residual_1", "blocks/residual_1/inner",
                                               "hidden", "layers/batch_normalization",
                                               "layers/dense_1"});
}

TEST_CASE("save_weights and load_weights carry the weights and the optimizer's state") {
  const TemporaryFolder folder;
  const std::string file = folder / "m.weights.h5";
  const Tensor x = wave({20, 8, 8, 1}), y = labels(20, 10);
  const auto model = make_cnn(), other = make_cnn();
  model->fit(x, y, one_epoch);
  model->save_weights(file);
  CHECK(values(*other) != values(*model));
  other->load_weights(file);
  CHECK(values(*other) == values(*model));
  CHECK(optimizer_values(*other) == optimizer_values(*model));
  CHECK(other->fit(x, y, one_epoch).history == model->fit(x, y, one_epoch).history);
  CHECK(values(*other) == values(*model));

  const H5Reader reader{std::filesystem::path(file)};
  CHECK(reader.string_attribute("layers/conv2d/vars", "name") == "conv2d");
  CHECK(reader.info("layers/conv2d/vars/0").shape == Shape{3, 3, 1, 4});
  CHECK(reader.info("optimizer/vars/0").dtype == DType::int64);
  CHECK(reader.is_group("layers/flatten/vars"));
}

TEST_CASE("Subclassed models take their weights by member, whatever their layers are called") {
  const TemporaryFolder folder;
  const std::string file = folder / "net.weights.h5";
  Net net(NetConfig{.width = 5}), other(NetConfig{.width = 5});
  net(wave({2, 4}));
  net.save_weights(file);
  CHECK_THROWS_AS(other.load_weights(file), StateError);  // it has no weights yet
  other(wave({2, 4}));
  other.load_weights(file);
  CHECK(values(other) == values(net));
}

TEST_CASE("A load that does not fit changes nothing and lists what differs") {
  const TemporaryFolder folder;
  const std::string file = folder / "m.weights.h5";
  Sequential source({Input({4}), layers::Dense({.units = 3}), layers::Dense({.units = 2})});
  source.save_weights(file);

  Sequential wider({Input({4}), layers::Dense({.units = 3, .name = "same"}),
                    layers::Dense({.units = 5, .name = "wider"})});
  const auto before = values(wider);
  std::string text = error_of(wider, file);
  INFO(text);
  CHECK(text.starts_with(file));
  CHECK(text.find("1 of the model's layers") != std::string::npos);
  CHECK(text.find("layer 'wider': variable 'kernel' has shape (3, 5), '/layers/dense_1/vars/0' has "
                  "(3, 2)") != std::string::npos);
  CHECK(values(wider) == before);

  Sequential longer({Input({4}), layers::Dense({.units = 3}), layers::Dense({.units = 2}),
                     layers::Dense({.units = 1, .name = "new"})});
  const auto fresh = values(longer);
  text = error_of(longer, file);
  CHECK(text.find("layer 'new': expected 2 variables in '/layers/dense_2/vars', found 0") !=
        std::string::npos);
  CHECK(values(longer) == fresh);
}

TEST_CASE("Files that are no weights are refused by name") {
  const TemporaryFolder folder;
  Sequential model({Input({4}), layers::Dense({.units = 1})});
  const auto before = values(model);
  const std::string file = folder / "m.weights.h5", other = folder / "other.weights.h5";
  CHECK(error_of(model, file).find(file) != std::string::npos);
  spill(file, "nothing of the kind");
  CHECK(error_of(model, file).find("a file of an unknown kind") != std::string::npos);
  model.save_weights(file);
  const std::string whole = slurp(file);
  for (size_t part : {whole.size() / 8, whole.size() / 2, whole.size() - 1}) {
    spill(other, whole.substr(0, part));
    CHECK(error_of(model, other).find("other.weights.h5") != std::string::npos);
  }
  CHECK(values(model) == before);
  CHECK_THROWS_AS(model.save_weights(folder / "m.h5"), ValueError);
  Sequential unbuilt({layers::Dense({.units = 1})});
  CHECK_THROWS_AS(unbuilt.save_weights(file), StateError);
  CHECK(slurp(file) == whole);
  // A model whose train_step calls the layers has no call that could build it.
  class Pair : public Model {
   public:
    layers::Dense there = track("there", layers::Dense({.units = 2}));
    layers::Dense back = track("back", layers::Dense({.units = 4}));
  };
  Pair pair, again;
  for (Pair* p : {&pair, &again}) (void)p->back(p->there(wave({1, 4})));
  const auto refusal = [&](const auto& act) {
    try {
      act();
    } catch (const StateError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string said = "without a call, whose train_step calls its layers, is built by build";
  CHECK(refusal([&] { pair.save_weights(file); }).find(said) != std::string::npos);
  CHECK(refusal([&] { pair.load_weights(file); }).find(said) != std::string::npos);
  for (Pair* p : {&pair, &again}) p->build({std::nullopt, 4});
  pair.save_weights(file);
  again.load_weights(file);
  CHECK(values(again) == values(pair));
}

TEST_CASE("A damaged file of the legacy layout is refused by layer") {
  const TemporaryFolder folder;
  H5Writer file(folder / "old.weights.h5");
  file.create_group("dense");
  file.set_strings_attribute("", "layer_names", {"dense"});
  file.finish();
  Sequential model({Input({4}), layers::Dense({.units = 1})});
  CHECK(error_of(model, folder / "old.weights.h5").find("weight_names") != std::string::npos);
}

TEST_CASE("An optimizer's state that does not fit is left out") {
  const TemporaryFolder folder;
  const std::string file = folder / "m.weights.h5";
  const Tensor x = wave({9, 4}), y = wave({9, 1});
  Sequential source({Input({4}), layers::Dense({.units = 1})});
  source.compile({.optimizer = "adam", .loss = "mse"});
  source.fit(x, y, one_epoch);
  source.save_weights(file);
  Sequential model({Input({4}), layers::Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.load_weights(file);
  CHECK(values(model) == values(source));
  CHECK(model.optimizer()->iterations().item() == 0);
  CHECK_NOTHROW(model.fit(x, y, one_epoch));
}

TEST_CASE("Files of other programs: extra groups, other dtypes, no attributes") {
  const TemporaryFolder folder;
  H5Writer file(folder / "m.weights.h5");
  write(file, "layers/dense/vars/0", {2, 3});
  const double bias[] = {1.5, 2.5, 3.5};
  file.write("layers/dense/vars/1", DType::float64, {3}, bias);
  write(file, "metrics/mean/vars/0", {});
  write(file, "layers/unknown/vars/0", {7});
  file.finish();
  Sequential model({Input({2}), layers::Dense({.units = 3})});
  model.load_weights(folder / "m.weights.h5");
  CHECK(values(model) == std::vector<std::vector<double>>{{0, 1, 2, 3, 4, 5}, {1.5, 2.5, 3.5}});
}

TEST_CASE("A layer that is held twice is written once, at its first place") {
  const TemporaryFolder folder;
  const std::string file = folder / "m.weights.h5";
  const Input x({3});
  const layers::Dense shared({.units = 3});
  const auto inner = std::make_shared<Sequential>(std::vector<AnyLayer>{Input({3}), shared});
  Functional model(x, shared((*inner)(x)));
  CHECK(model.weights().size() == 2);
  CHECK(paths(model) == std::vector<std::string>{"layers/sequential/layers/dense"});
  const auto before = values(model);
  model.save_weights(file);
  model.set_weights({wave({3, 3}), wave({3})});
  model.load_weights(file);
  CHECK(values(model) == before);
}

}  // namespace weights_test
