// keras.datasets from files of a few samples each, beside what Keras reads from them.
#include <catch.h>
#include <cornu/framework/data/keras_datasets/cache.h>
#include <cornu/framework/data/keras_datasets/housing.h>
#include <cornu/framework/data/keras_datasets/images.h>
#include <cornu/framework/data/keras_datasets/texts.h>
#include <cornu/framework/io/pickle.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "../../../paths.h"
#include "../../../support/temporary.h"

namespace keras_datasets_test {

using namespace cornu;
using test::contains;

namespace {

const std::string root = test::source_path("tests/data/keras_datasets");

// Keras's folder, as long as it lives.
class KerasHome {
 public:
  explicit KerasHome(const std::string& folder) { ::setenv("KERAS_HOME", folder.c_str(), 1); }
  ~KerasHome() { ::unsetenv("KERAS_HOME"); }
  KerasHome(const KerasHome&) = delete;
};

const nlohmann::json& expected() {
  static const nlohmann::json goldens =
      nlohmann::json::parse(std::ifstream(root + "/expected.json"));
  return goldens;
}

void check_split(const datasets::Split& split, const std::string& name) {
  CAPTURE(name);
  const Tensor found[] = {split.train.x, split.train.y, split.test.x, split.test.y};
  for (size_t i = 0; i < 4; ++i) {
    const auto& golden = expected()[name][i];
    CHECK(found[i].shape().str() ==
          Shape(std::span<const int64_t>(golden["shape"].get<std::vector<int64_t>>())).str());
    CHECK(std::string(dtype_name(found[i].dtype())) == golden["dtype"]);
    double sum = 0;
    size_t place = 0;
    for (const double v : found[i].to_vector<double>())
      sum += v * static_cast<double>(place++ % 97 + 1);
    CHECK(sum == Approx(golden["sum"].get<double>()).epsilon(1e-9));
  }
}

template <class Options>
Options words_of(const nlohmann::json& o) {
  Options words;
  if (o.contains("num_words")) words.num_words = o["num_words"].get<int64_t>();
  if (o.contains("maxlen")) words.maxlen = o["maxlen"].get<int64_t>();
  words.skip_top = o.value("skip_top", int64_t{0});
  words.seed = o.value("seed", int64_t{113});
  words.index_from = o.value("index_from", int64_t{3});
  if (o.contains("oov_char")) words.oov_char.reset();
  if (o.contains("start_char")) words.start_char.reset();
  return words;
}

void check_texts(const datasets::TextSplit& split, const nlohmann::json& golden) {
  CAPTURE(golden["options"].dump());
  const datasets::TextData* parts[] = {&split.train, &split.test};
  for (size_t i = 0; i < 2; ++i) {
    const auto& part = golden["split"][i];
    CHECK(parts[i]->x == part["x"].get<std::vector<std::vector<int64_t>>>());
    CHECK(parts[i]->y.to_vector<int64_t>() == part["y"].get<std::vector<int64_t>>());
  }
}

}  // namespace

TEST_CASE("data sets of images") {
  const KerasHome home(root);
  check_split(datasets::mnist::load_data(), "mnist");
  check_split(datasets::mnist::load_data(root + "/datasets/mnist.npz"), "mnist");
  check_split(datasets::fashion_mnist::load_data(), "fashion_mnist");
  check_split(datasets::fashion_mnist::load_data(root + "/datasets/fashion-mnist"),
              "fashion_mnist");
  check_split(datasets::cifar10::load_data(), "cifar10");
  check_split(datasets::cifar100::load_data(), "cifar100 fine");
  check_split(datasets::cifar100::load_data("coarse"), "cifar100 coarse");
  CHECK_THROWS_WITH(datasets::cifar100::load_data("course"), contains("Did you mean 'coarse'"));
}

TEST_CASE("data sets of texts") {
  const KerasHome home(root);
  for (const auto& golden : expected()["imdb"])
    check_texts(datasets::imdb::load_data(words_of<datasets::ImdbOptions>(golden["options"])),
                golden);
  for (const auto& golden : expected()["reuters"]) {
    auto options = words_of<datasets::ReutersOptions>(golden["options"]);
    options.test_split = golden["options"].value("test_split", 0.2);
    check_texts(datasets::reuters::load_data(options), golden);
  }
  CHECK(datasets::imdb::get_word_index().at("café") == 2);
  CHECK(datasets::reuters::get_word_index().size() == 3);
  CHECK(datasets::reuters::get_label_names().size() == 46);
  CHECK_THROWS_WITH(datasets::imdb::load_data({.maxlen = 1}), contains("'maxlen'"));
  CHECK_THROWS_AS(datasets::reuters::load_data({.test_split = 2}), ValueError);
}

TEST_CASE("data sets of houses") {
  const KerasHome home(root);
  check_split(datasets::boston_housing::load_data(), "boston_housing");
  check_split(datasets::boston_housing::load_data("boston_housing.npz", 0.3, 7),
              "boston_housing 0.3 7");
  check_split(datasets::california_housing::load_data("small"), "california_housing small");
  check_split(datasets::california_housing::load_data(), "california_housing large");
  CHECK_THROWS_WITH(datasets::california_housing::load_data("big"), contains("'big'"));
  CHECK_THROWS_WITH(datasets::boston_housing::load_data("boston_housing.npz", 1.0),
                    contains("'test_split'"));
}

TEST_CASE("options of data sets have Keras's names") {
  const KerasHome home(root);
  check_split(datasets::mnist::load_data({.path = root + "/datasets/mnist.npz"}), "mnist");
  check_split(datasets::fashion_mnist::load_data({.folder = root + "/datasets/fashion-mnist"}),
              "fashion_mnist");
  check_split(datasets::cifar100::load_data({.label_mode = "coarse"}), "cifar100 coarse");
  check_split(datasets::boston_housing::load_data({.test_split = 0.3, .seed = 7}),
              "boston_housing 0.3 7");
  check_split(datasets::california_housing::load_data({.version = "small"}),
              "california_housing small");
  CHECK_THROWS_WITH(
      datasets::california_housing::load_data({.version = "small", .path = "/nowhere/c.npz"}),
      contains("/nowhere/c.npz"));
}

TEST_CASE("files that are not there") {
  test::TemporaryFolder folder;
  const KerasHome home(folder.path().string());
  CHECK_THROWS_WITH(datasets::mnist::load_data(), contains("tf-keras-datasets/mnist.npz") &&
                                                      contains("KERAS_HOME") &&
                                                      contains((folder / "datasets").string()));
  CHECK_THROWS_WITH(datasets::cifar10::load_data(), contains("cifar-10-python.tar.gz and unpack"));
  CHECK_THROWS_WITH(datasets::imdb::load_data("/nowhere/imdb.npz"), contains("/nowhere/imdb"));
  CHECK_THROWS_WITH(datasets::reuters::load_data({.path = "/nowhere/reuters.npz", .maxlen = 9}),
                    contains("/nowhere/reuters"));
}

TEST_CASE("a pickle file calls nothing") {
  const auto parse = [](const std::string& text) { io::Pickle(test::bytes_of(text), "p"); };
  CHECK_THROWS_WITH(parse("cos\nsystem\n(U\x02lstR."), contains("os.system"));
  CHECK_THROWS_WITH(parse("\x80\x04\x8c\x08"
                          "builtins\x8c\x04"
                          "eval\x93."),
                    contains("builtins.eval"));
  CHECK_THROWS_AS(parse(""), FileError);
  CHECK_THROWS_AS(parse("h\x01."), FileError);
  CHECK_THROWS_AS(parse("aaa."), FileError);
  CHECK_THROWS_AS(parse("]K\x01"
                        "b."),
                  FileError);
  CHECK_THROWS_AS(parse("(0."), FileError);
  using namespace std::string_literals;
  const std::string list = "](K\x01J\xff\xff\xff\xff\x8a\x02\x00\x80\x65."s;
  io::Pickle numbers(test::bytes_of(list), "p");
  CHECK(numbers.integers(numbers.root()) == std::vector<int64_t>{1, -1, -32768});
  CHECK_THROWS_AS(numbers.at(numbers.root(), "x"), FileError);
}

TEST_CASE("damaged data sets are errors or data") {
  test::TemporaryFolder folder;
  const KerasHome home(folder.path().string());
  std::filesystem::copy(root, folder.path(), std::filesystem::copy_options::recursive);
  const std::string batch = "datasets/cifar-100-python-target/cifar-100-python/test";
  const std::string images = "datasets/fashion-mnist/t10k-images-idx3-ubyte.gz";
  std::mt19937 random(2);
  for (const std::string& name : {batch, images, std::string("datasets/reuters.npz")}) {
    const std::string whole = test::slurp(folder / name);
    int errors = 0;
    for (int round = 0; round < 150; ++round) {
      std::string damaged = whole;
      for (uint32_t k = 0; k <= random() % 4; ++k)
        damaged[random() % std::min<size_t>(damaged.size(), 400)] = static_cast<char>(random());
      if (random() % 3 == 0) damaged.resize(random() % damaged.size());
      test::spill(folder / name, damaged);
      try {
        if (name == batch)
          datasets::cifar100::load_data();
        else if (name == images)
          datasets::fashion_mnist::load_data();
        else
          datasets::reuters::load_data();
      } catch (const FileError&) {
        ++errors;
      }
    }
    CHECK(errors > 20);
    test::spill(folder / name, whole);
  }
}

}  // namespace keras_datasets_test
