// StringLookup and IntegerLookup.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/data/dataset.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/tabular/hashing.h>
#include <cornu/layers/text/integer_lookup.h>
#include <cornu/layers/text/string_lookup.h>

#include <filesystem>
#include <fstream>

#include "../../catch.h"

namespace lookup_test {

using namespace cornu;
using namespace cornu::layers;

namespace {

using Strings = std::vector<std::string>;
using Ints = std::vector<int64_t>;

const Strings vocabulary = {"the", "cat", "sat"};

Tensor words() { return Tensor::strings({"the", "cat", "dog", ""}, {2, 2}); }

Ints numbers(const Tensor& t) {
  CHECK(t.dtype() == DType::int64);
  return t.to_vector<int64_t>();
}

AssetStore assets_of(const Layer& layer) {
  AssetStore store;
  layer.save_assets(store);
  return store;
}

}  // namespace

TEST_CASE("StringLookup finds numbers") {
  CHECK(numbers(StringLookup({.vocabulary = vocabulary})(words())) == Ints{1, 2, 0, 0});
  CHECK(numbers(StringLookup({.mask_token = "", .vocabulary = vocabulary})(words())) ==
        Ints{2, 3, 1, 0});
  CHECK(numbers(StringLookup({.num_oov_indices = 3, .vocabulary = vocabulary})(words())) ==
        Ints{3, 4, 2, 2});
  CHECK(numbers(StringLookup({.num_oov_indices = 3, .mask_token = "", .vocabulary = vocabulary})(
            words())) == Ints{4, 5, 3, 0});
  CHECK(numbers(StringLookup({.num_oov_indices = 5, .vocabulary = vocabulary, .salt = Ints{7, 9}})(
            words())) == Ints{5, 6, 4, 4});
  const StringLookup strict({.num_oov_indices = 0, .vocabulary = {"the", "cat"}});
  CHECK(numbers(strict(Tensor(Strings{"cat"}))) == Ints{1});
  CHECK_THROWS_WITH(strict(words()), Catch::Contains("'dog' is not"));
  CHECK_THROWS_AS(strict(Tensor(std::vector<int>{1})), ValueError);
}

TEST_CASE("StringLookup encodes") {
  const auto encoded = [](const std::string& mode) {
    return StringLookup({.mask_token = "", .vocabulary = vocabulary, .output_mode = mode})(words());
  };
  CHECK(encoded("one_hot").shape() == Shape{2, 2, 4});
  CHECK(numbers(encoded("one_hot")) == Ints{0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0});
  CHECK(numbers(encoded("multi_hot")) == Ints{0, 1, 1, 0, 1, 0, 0, 0});
  CHECK(numbers(encoded("binary")) == Ints{0, 1, 1, 0, 1, 0, 0, 0});
  CHECK(numbers(encoded("count")) == Ints{0, 1, 1, 0, 1, 0, 0, 0});
  const StringLookup padded({.max_tokens = 6,
                             .vocabulary = vocabulary,
                             .output_mode = "count",
                             .pad_to_max_tokens = true});
  CHECK(numbers(padded(words())) == Ints{0, 1, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0});
  const StringLookup weighted({.vocabulary = vocabulary,
                               .idf_weights = std::vector<double>{0.5, 1, 2},
                               .output_mode = "tf_idf"});
  const std::vector<float> expected = {0, 0.5f, 1, 0, 2.3333332538604736f, 0, 0, 0};
  CHECK(weighted(words()).to_vector<float>() == expected);
}

TEST_CASE("StringLookup inverts") {
  const StringLookup back({.vocabulary = {"a", "b"}, .invert = true});
  const Tensor y = back(Tensor(Ints{1, 2, 0, 7}));
  CHECK(y.to_strings() == Strings{"a", "b", "[UNK]", "[UNK]"});
  const StringLookup masked({.mask_token = "-", .vocabulary = {"a", "b"}, .invert = true});
  CHECK(masked(Tensor(Ints{0, 1, 2})).to_strings() == Strings{"-", "[UNK]", "a"});
}

TEST_CASE("StringLookup learns a vocabulary") {
  StringLookup layer({.max_tokens = 4, .output_mode = "tf_idf"});
  CHECK_THROWS_AS(layer(words()), StateError);
  layer->adapt(Tensor::strings({"a", "b", "a", "c", "c", "a"}, {3, 2}));
  CHECK(layer->get_vocabulary() == Strings{"[UNK]", "a", "c", "b"});
  CHECK(layer->get_vocabulary(false) == Strings{"a", "c", "b"});
  CHECK(layer->vocabulary_size() == 4);
  const std::vector<double> weights = {0.7230179309844971, 0.5596157908439636, 0.6931471824645996,
                                       0.9162907600402832};
  const auto found = layer->table()->idf_weights.value().to_vector<double>();
  for (size_t i = 0; i < weights.size(); ++i) CHECK(found[i] == Approx(weights[i]));

  TensorDataset data(Tensor(Strings{"x", "y", "y", "y", "x", "z"}), {}, {}, {.batch_size = 4});
  StringLookup plain;
  plain->adapt(data);
  CHECK(plain->get_vocabulary() == Strings{"[UNK]", "y", "x", "z"});
  plain->adapt(data, 1);
  CHECK(plain->get_vocabulary() == Strings{"[UNK]", "y", "x"});
  CHECK_THROWS_AS(StringLookup({.vocabulary = vocabulary})->adapt(words()), StateError);
}

TEST_CASE("vocabularies are checked") {
  CHECK_THROWS_WITH(StringLookup({.vocabulary = {"a", "b", "a"}}), Catch::Contains("'a'"));
  CHECK_THROWS_AS(StringLookup({.max_tokens = 2, .vocabulary = vocabulary}), ValueError);
  CHECK_THROWS_AS(StringLookup({.max_tokens = 1}), ValueError);
  CHECK_THROWS_AS(StringLookup({.mask_token = "b", .vocabulary = {"a", "b"}}), ValueError);
  CHECK_THROWS_AS(StringLookup({.vocabulary = vocabulary, .output_mode = "tf_idf"}), ValueError);
  CHECK_THROWS_AS(StringLookup({.pad_to_max_tokens = true}), ValueError);
  CHECK_THROWS_AS(StringLookup({.output_mode = "one-hot"}), ValueError);
  CHECK_THROWS_AS(StringLookup({.output_mode = "count", .sparse = true}), UnsupportedError);
  CHECK_THROWS_AS(StringLookup({.vocabulary = "/no/such/file"}), FileError);
  CHECK_THROWS_AS(StringLookupLayer::from_config({{"vocabulary", "/etc/passwd"}}), ValueError);
  StringLookup counted({.vocabulary = vocabulary, .output_mode = "count"});
  CHECK_THROWS_AS(counted->set_vocabulary({"one"}), StateError);
  CHECK(counted->get_vocabulary(false) == vocabulary);
  StringLookup layer;
  layer->set_vocabulary({"[UNK]", "a"});
  CHECK(layer->get_vocabulary() == Strings{"[UNK]", "a"});
}

TEST_CASE("vocabularies come from files and go to assets") {
  const auto path = std::filesystem::temp_directory_path() / "cornu_lookup_words.txt";
  std::ofstream(path) << "the\ncat\n";
  const StringLookup from_file({.vocabulary = path.string()});
  CHECK(from_file->get_vocabulary() == Strings{"[UNK]", "the", "cat"});
  std::filesystem::remove(path);

  StringLookup learned({.mask_token = ""}), other({.mask_token = ""});
  learned->adapt(Tensor(Strings{"a", "b", "a"}));
  CHECK(assets_of(*learned).files().at(0).second == "\n[UNK]\na\nb");
  other->load_assets(assets_of(*learned));
  CHECK(other->get_vocabulary() == learned->get_vocabulary());
  CHECK(assets_of(*StringLookup({.vocabulary = vocabulary})).files().empty());
  IntegerLookup integers, more;
  integers->adapt(Tensor(Ints{5, 5, -3}));
  CHECK(assets_of(*integers).files().at(0).second == "-1\n5\n-3");
  more->load_assets(assets_of(*integers));
  CHECK(more->get_vocabulary() == Ints{-1, 5, -3});

  const Value::Dict config = learned->get_config();
  CHECK(detail::find(config, "vocabulary")->is_null());
  CHECK(detail::find(config, "vocabulary_size")->get<int64_t>() == 4);
  CHECK(StringLookupLayer::from_config(StringLookup({.vocabulary = vocabulary})->get_config())
            ->get_vocabulary(false) == vocabulary);
}

TEST_CASE("IntegerLookup finds numbers") {
  const Tensor x(std::vector<int>{10, -7, 8, 20});
  CHECK(numbers(IntegerLookup({.num_oov_indices = 3, .vocabulary = {10, 20}})(x)) ==
        Ints{3, 2, 2, 4});
  CHECK(numbers(IntegerLookup({.num_oov_indices = 4,
                               .vocabulary = {10, 20},
                               .oov_method = "farmhash",
                               .salt = Ints{3}})(x)) == Ints{4, 1, 1, 5});
  CHECK(numbers(IntegerLookup({.vocabulary = {10, 20}, .invert = true})(Tensor(Ints{0, 1, 2}))) ==
        Ints{-1, 10, 20});
  CHECK_THROWS_AS(IntegerLookup({.salt = Ints{3}}), ValueError);
  CHECK_THROWS_AS(IntegerLookup({.vocabulary_dtype = "int32"}), ValueError);
  CHECK_THROWS_AS(IntegerLookup({.vocabulary = {1}})(words()), ValueError);
  const Nest list = Nest::List{Tensor(10), Tensor(3)};
  CHECK(numbers(IntegerLookup({.vocabulary = {10}})(list).tensor()) == Ints{1, 0});
}

TEST_CASE("look-ups in graphs and compiled functions") {
  const Tensor x = Input({.shape = {2}, .dtype = DType::string});
  StringLookup lookup({.vocabulary = vocabulary});
  const Tensor y = lookup(x);
  CHECK(y.dtype() == DType::int64);
  CHECK(y.shape() == Shape{Shape::unknown, 2});
  Functional model(x, {y, Hashing({.num_bins = 7})(x)});
  CHECK(numbers(model(Nest(words()))[0].tensor()) == Ints{1, 2, 0, 0});
  CHECK(numbers(model.predict(words())[0].tensor()) == Ints{1, 2, 0, 0});

  auto find = function([&](const Tensor& t) { return lookup(t) * Tensor(10); });
  for (int i = 0; i < 5; ++i) {
    const Tensor given(Strings{i % 2 ? "sat" : "the", std::to_string(i)});
    CHECK(numbers(find(given)) == Ints{i % 2 ? 30 : 10, 0});
  }
  CHECK(find->report().replays > 0);
}

}  // namespace lookup_test
