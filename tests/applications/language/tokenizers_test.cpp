// Tokenizers, against Hugging Face's on awkward texts.
#include <cornu/applications/language/byte_pair_tokenizer.h>
#include <cornu/applications/language/word_piece_tokenizer.h>
#include <cornu/framework/config/json.h>

#include <chrono>
#include <thread>

#include "../../catch.h"
#include "../../support/golden_json.h"
#include "../../support/temporary.h"

namespace tokenizers_test {

using namespace cornu;
using test::entry;
using tokenizers::BytePairTokenizer;
using tokenizers::WordPieceTokenizer;

namespace {

const Value& goldens() {
  static const Value all = test::golden_file("tokenizers.json");
  return all;
}

std::vector<std::string> strings(const Value& list) {
  std::vector<std::string> result;
  for (const Value& text : list.get<Value::List>()) result.push_back(text.get<std::string>());
  return result;
}

std::vector<int64_t> integers(const Value& list) {
  std::vector<int64_t> result;
  for (const Value& number : list.get<Value::List>()) result.push_back(number.get<int64_t>());
  return result;
}

std::map<std::string, int64_t> numbered(const Value& dict) {
  std::map<std::string, int64_t> result;
  for (const auto& [token, id] : dict.get<Value::Dict>()) result[token] = id.get<int64_t>();
  return result;
}

tokenizers::BytePairTokenizerConfig byte_pair_config(const std::string& key) {
  const Value& golden = entry(goldens(), key);
  return {.vocabulary = numbered(entry(golden, "vocabulary")),
          .merges = strings(entry(golden, "merges")),
          .add_prefix_space = key == "byte_pair_prefixed",
          .unsplittable_tokens = {"<|endoftext|>"}};
}

tokenizers::WordPieceTokenizerConfig word_piece_config(const std::string& key) {
  return {.vocabulary = strings(entry(entry(goldens(), key), "vocabulary")),
          .lowercase = key != "word_piece",
          .strip_accents = key == "word_piece_lower_accents" ? std::optional(false) : std::nullopt,
          .special_tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}};
}

}  // namespace

TEST_CASE("Byte pairs are those of Hugging Face, and all texts come back") {
  const auto texts = strings(entry(goldens(), "texts"));
  const std::string key = GENERATE("byte_pair", "byte_pair_prefixed");
  const BytePairTokenizer tokenizer(byte_pair_config(key));
  const auto& ids = entry(entry(goldens(), key), "ids").get<Value::List>();
  for (size_t i = 0; i < texts.size(); ++i) {
    INFO(to_json(Value(texts[i])));
    CHECK(tokenizer.encode(texts[i]) == integers(ids[i]));
    if (key == "byte_pair") CHECK(tokenizer.decode(tokenizer.encode(texts[i])) == texts[i]);
  }
}

TEST_CASE("Pieces of words are those of Hugging Face") {
  const auto texts = strings(entry(goldens(), "texts"));
  const std::string key = GENERATE("word_piece", "word_piece_lower", "word_piece_lower_accents");
  const WordPieceTokenizer tokenizer(word_piece_config(key));
  const auto& ids = entry(entry(goldens(), key), "ids").get<Value::List>();
  const auto decoded = strings(entry(entry(goldens(), key), "decoded"));
  for (size_t i = 0; i < texts.size(); ++i) {
    INFO(to_json(Value(texts[i])));
    CHECK(tokenizer.encode(texts[i]) == integers(ids[i]));
    CHECK(tokenizer.decode(integers(ids[i])) == decoded[i]);
  }
}

TEST_CASE("Bytes that are no UTF-8 come back") {
  const BytePairTokenizer tokenizer(byte_pair_config("byte_pair"));
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(255 - i);
  CHECK(tokenizer.decode(tokenizer.encode(bytes)) == bytes);
}

TEST_CASE("A long word of byte pairs takes no quadratic time") {
  const BytePairTokenizer tokenizer(byte_pair_config("byte_pair"));
  std::string word;
  while (word.size() < 1'000'000) word += "tokenization";
  const auto begin = std::chrono::steady_clock::now();
  CHECK(tokenizer.decode(tokenizer.encode(word)) == word);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

TEST_CASE("Files of a vocabulary and of merges are read") {
  const test::TemporaryFolder folder;
  const Value& golden = entry(goldens(), "byte_pair");
  test::spill(folder / "vocab.json", to_json(entry(golden, "vocabulary")));
  std::string merges = "#version: 0.2\n";
  for (const std::string& line : strings(entry(golden, "merges"))) merges += line + "\r\n";
  test::spill(folder / "merges.txt", merges);
  const BytePairTokenizer of_files(
      {.vocabulary = (folder / "vocab.json").string(), .merges = (folder / "merges.txt").string()});
  const BytePairTokenizer of_values(byte_pair_config("byte_pair"));
  CHECK(of_files.encode("the tokenization") == of_values.encode("the tokenization"));
  CHECK(of_files.vocabulary_size() == of_values.vocabulary_size());

  test::spill(folder / "vocab.txt", "[UNK]\nthe\n##re\nthere\n");
  const WordPieceTokenizer pieces({.vocabulary = (folder / "vocab.txt").string()});
  CHECK(pieces.encode("the there thethe there.") == std::vector<int64_t>{1, 3, 0, 3, 0});
  CHECK(pieces.get_vocabulary().at("##re") == 2);
  CHECK_THROWS_AS(WordPieceTokenizer({.vocabulary = "no such file"}), FileError);
  test::spill(folder / "list.json", "[1, 2]");
  CHECK_THROWS_AS(WordPieceTokenizer({.vocabulary = (folder / "list.json").string()}), FileError);
}

TEST_CASE("Batches of texts are padded or cut") {
  auto config = word_piece_config("word_piece_lower");
  const WordPieceTokenizer longest(config);
  const Tensor ids = longest({"the fox", "the quick brown fox", ""});
  CHECK(ids.dtype() == DType::int32);
  CHECK(ids.shape() ==
        Shape{3, static_cast<int64_t>(longest.encode("the quick brown fox").size())});
  CHECK(longest.detokenize(ids) == std::vector<std::string>{"the fox", "the quick brown fox", ""});
  config.sequence_length = 2;
  const WordPieceTokenizer cut(config);
  CHECK(cut({"the quick brown fox"}).to_vector<int64_t>() ==
        std::vector<int64_t>{cut.token_to_id("the"), cut.token_to_id("quick")});
}

TEST_CASE("Errors of tokenizers say what is wrong") {
  using Catch::Matchers::Message;
  const WordPieceTokenizer tokenizer({.vocabulary = {"[UNK]", "hello", "world"}});
  CHECK(tokenizer.id_to_token(2) == "world");
  CHECK_THROWS_WITH(tokenizer.token_to_id("helo"), test::contains("Did you mean 'hello'?"));
  CHECK_THROWS_WITH(tokenizer.id_to_token(3), test::contains("numbers are 0 to 2"));
  CHECK_THROWS_AS(tokenizer.decode({-1}), ValueError);
  CHECK_THROWS_WITH(WordPieceTokenizer({.vocabulary = {"[UNK]", "a", "a"}}),
                    test::contains("is there twice"));
  CHECK_THROWS_WITH(WordPieceTokenizer({.vocabulary = {"hello"}}), test::contains("[UNK]"));
  CHECK_THROWS_WITH(BytePairTokenizer({.vocabulary = {"a", "b"}, .merges = {"a b"}}),
                    test::contains("needs the token 'ab'"));
  CHECK_THROWS_WITH(BytePairTokenizer({.vocabulary = {"a", "b"}, .merges = {"ab"}}),
                    test::contains("two tokens"));
  CHECK_THROWS_AS(tokenizer.detokenize(Tensor::from<int32_t>({1}, {1})), ShapeError);
}

TEST_CASE("A tokenizer serves several threads") {
  const BytePairTokenizer tokenizer(byte_pair_config("byte_pair"));
  const auto texts = strings(entry(goldens(), "texts"));
  std::vector<std::vector<std::vector<int64_t>>> found(4);
  std::vector<std::thread> threads;
  for (auto& mine : found)
    threads.emplace_back([&] {
      for (const std::string& text : texts) mine.push_back(tokenizer.encode(text));
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : found) CHECK(mine == found[0]);
}

}  // namespace tokenizers_test
