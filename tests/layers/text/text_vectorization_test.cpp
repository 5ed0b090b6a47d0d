// TextVectorization.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/data/dataset.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/core/embedding.h>
#include <cornu/layers/text/text_vectorization.h>

#include "../../catch.h"

namespace text_vectorization_test {

using namespace cornu;
using namespace cornu::layers;

namespace {

using Strings = std::vector<std::string>;
using Ints = std::vector<int64_t>;

Tensor texts() { return Tensor(Strings{"The cat, the DOG!", "  a\tcat "}); }

Tensor vectors(TextVectorizationConfig config, const Tensor& x = texts()) {
  config.vocabulary = {"the", "cat", "the cat", "c", "t"};
  return TextVectorization(config)(x);
}

}  // namespace

TEST_CASE("TextVectorization standardizes, splits and looks up") {
  const Tensor plain = vectors({});
  CHECK(plain.shape() == Shape{2, 4});
  CHECK(plain.dtype() == DType::int64);
  CHECK(plain.to_vector<int64_t>() == Ints{2, 3, 2, 1, 1, 3, 0, 0});
  CHECK(vectors({.ngrams = 2}).to_vector<int64_t>() ==
        Ints{2, 3, 2, 1, 4, 1, 1, 1, 3, 1, 0, 0, 0, 0});
  CHECK(vectors({.split = "character"}).to_vector<int64_t>() == Ints{6, 1, 1, 1, 5, 1, 6, 1, 6, 1,
                                                                     1, 1, 1, 1, 1, 1, 1, 1, 1, 5,
                                                                     1, 6, 1, 0, 0, 0, 0, 0, 0, 0});
  CHECK(vectors({.standardize = "lower"}).to_vector<int64_t>() == Ints{2, 1, 2, 1, 1, 3, 0, 0});
  CHECK(vectors({.standardize = std::nullopt}).to_vector<int64_t>() ==
        Ints{1, 1, 2, 1, 1, 3, 0, 0});
  CHECK(vectors({.standardize = "strip_punctuation"}).to_vector<int64_t>() ==
        Ints{1, 3, 2, 1, 1, 3, 0, 0});
  CHECK(vectors({.output_sequence_length = 2}).to_vector<int64_t>() == Ints{2, 3, 1, 3});
  CHECK(vectors({.split = std::nullopt}).to_vector<int64_t>() == Ints{1, 1});
  CHECK(
      vectors({.split = std::nullopt, .output_sequence_length = 3}, ops::expand_dims(texts(), {-1}))
          .to_vector<int64_t>() == Ints{1, 0, 0, 1, 0, 0});
}

TEST_CASE("TextVectorization encodes") {
  CHECK(vectors({.output_mode = "multi_hot"}).to_vector<int64_t>() ==
        Ints{1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0});
  CHECK(vectors({.ngrams = Integers(Ints{2, 3}), .output_mode = "count"}).to_vector<int64_t>() ==
        Ints{4, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0});
  TextVectorization learned({.output_mode = "tf_idf"});
  learned->adapt(Strings{"a b", "b c b", ""});
  CHECK(learned->get_vocabulary() == Strings{"[UNK]", "b", "c", "a"});
  const auto found = learned(Tensor(Strings{"b b z"})).to_vector<float>();
  CHECK(found[0] == Approx(0.8419095873832703));
  CHECK(found[1] == Approx(1.3862943649291992));
}

TEST_CASE("TextVectorization takes rules of the program's") {
  TextVectorization layer({.standardize = [](const std::string& s) { return s.substr(1); },
                           .split =
                               [](const std::string& s) {
                                 return Strings{s, s + s};
                               },
                           .vocabulary = {"b", "bb"}});
  CHECK(layer(Tensor(Strings{"ab", "xx"})).to_vector<int64_t>() == Ints{2, 3, 1, 1});
  CHECK_THROWS_AS(layer->get_config(), UnsupportedError);
}

TEST_CASE("TextVectorization standardizes by a function of tensors") {
  const TextVectorization layer({.standardize =
                                     [](const Tensor& x) {
                                       Strings texts = x.to_strings();
                                       for (std::string& text : texts) text = text.substr(1);
                                       return Tensor(texts);
                                     },
                                 .vocabulary = {"b", "c"}});
  CHECK(layer(Tensor(Strings{"ab", "xc b"})).to_vector<int64_t>() == Ints{2, 0, 3, 2});
  const TextVectorization wrong({.standardize =
                                     [](const Tensor& x) {
                                       return ops::concatenate({x, x});
                                     },
                                 .vocabulary = {"b", "c"}});
  CHECK_THROWS_AS(wrong(Tensor(Strings{"ab"})), ShapeError);
}

TEST_CASE("TextVectorization refuses") {
  CHECK_THROWS_AS(vectors({.standardize = "upper"}), ValueError);
  CHECK_THROWS_AS(vectors({.split = "words"}), ValueError);
  CHECK_THROWS_AS(vectors({.ngrams = 0}), ValueError);
  CHECK_THROWS_AS(vectors({.output_mode = "count", .output_sequence_length = 3}), ValueError);
  CHECK_THROWS_AS(vectors({.ragged = true}), UnsupportedError);
  CHECK_THROWS_AS(vectors({}, Tensor::strings({"a", "b"}, {1, 2})), ShapeError);
  CHECK_THROWS_AS(vectors({}, Tensor(std::vector<int>{1})), ValueError);
}

TEST_CASE("TextVectorization in models, functions and files") {
  TextVectorization layer({.output_sequence_length = 3});
  layer->adapt(texts());
  CHECK(layer->vocabulary_size() == 6);
  AssetStore assets;
  layer->save_assets(assets);
  CHECK(assets.files().at(0).first == "vocabulary.txt");
  CHECK(detail::find(layer->get_config(), "vocabulary_size")->get<int64_t>() == 6);
  auto copy = TextVectorizationLayer::from_config(layer->get_config());
  copy->load_assets(assets);
  CHECK(copy->get_vocabulary() == layer->get_vocabulary());

  Sequential model({Input({.shape = {1}, .dtype = DType::string}), layer,
                    Embedding({.input_dim = 6, .output_dim = 2})});
  CHECK(model.predict(Tensor::strings({"cat", "dog the"}, {2, 1})).tensor().shape() ==
        Shape{2, 3, 2});
  auto find = function([&](const Tensor& x) { return layer(x); });
  for (int i = 0; i < 4; ++i) CHECK(find(texts()).shape() == Shape{2, 3});
  CHECK(find->report().replays > 0);
  const TextVectorization free({.vocabulary = {"a"}});
  const Tensor x = Input({.shape = {1}, .dtype = DType::string});
  CHECK(free(x).shape() == Shape{Shape::unknown, Shape::unknown});
  auto longest = function([&](const Tensor& t) { return free(t); });
  for (int i = 1; i < 4; ++i)
    CHECK(longest(Tensor(Strings{std::string(static_cast<size_t>(i) * 2, 'a') + " a"})).shape() ==
          Shape{1, 2});
}

TEST_CASE("TextVectorization takes texts in braces") {
  const TextVectorization layer({.output_sequence_length = 3});
  layer->adapt({"hello world", "the hello cat"});
  CHECK(layer->get_vocabulary(false)[0] == "hello");
  CHECK(layer({"hello cat"}).to_vector<int64_t>() ==
        layer(Tensor(Strings{"hello cat"})).to_vector<int64_t>());
  CHECK(layer({"hello cat", "the dog"}).shape() == Shape{2, 3});
}

}  // namespace text_vectorization_test
