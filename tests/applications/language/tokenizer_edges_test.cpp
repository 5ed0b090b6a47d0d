// Tokenizers at their edges: options one by one, special tokens, vocabularies with gaps, batches.
#include <cornu/applications/language/byte_pair_tokenizer.h>
#include <cornu/applications/language/word_piece_tokenizer.h>
#include <cornu/framework/ops/numpy/creation.h>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/temporary.h"

namespace tokenizer_edges_test {

using namespace cornu;
using test::error_of;
using test::has;
using tokenizers::BytePairTokenizer;
using tokenizers::BytePairTokenizerConfig;
using tokenizers::split_words;
using tokenizers::WordPieceTokenizer;
using tokenizers::WordPieceTokenizerConfig;
using Ids = std::vector<int64_t>;

namespace {

// The texts of a tokenizer's tokens, which are easier to read than their numbers.
std::vector<std::string> pieces(const tokenizers::Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> found;
  for (const int64_t id : tokenizer.encode(text)) found.push_back(tokenizer.id_to_token(id));
  return found;
}

using Pieces = std::vector<std::string>;

const std::vector<std::string> words = {"[UNK]", "un", "##aff",  "##able", "aff",       "able",
                                        "A",     "a",  "##a",    "é",      "e",         ",",
                                        "中",    "国", "[MASK]", "##国",   "unaffable", "x y"};

WordPieceTokenizer word_pieces(WordPieceTokenizerConfig config = {.vocabulary = words}) {
  return WordPieceTokenizer(std::move(config));
}

// All bytes, and some merges.
BytePairTokenizerConfig letters() {
  return {.vocabulary = {"a", "b", "c", "ab", "abc", "bc", "Ġ", "Ġa", "<s>", "<s>>", "aa"},
          .merges = {"a b", "ab c", "b c", "Ġ a", "a a"}};
}

}  // namespace

TEST_CASE("A word is the longest tokens that it begins with, or unknown as a whole") {
  const auto tokenizer = word_pieces();
  CHECK(pieces(tokenizer, "unaffable") == Pieces{"unaffable"});
  CHECK(pieces(tokenizer, "unaff unable") == Pieces{"un", "##aff", "un", "##able"});
  CHECK(pieces(tokenizer, "unaffx able") == Pieces{"[UNK]", "able"});
  CHECK(pieces(tokenizer, "aa,a") == Pieces{"a", "##a", ",", "a"});
  CHECK(pieces(tokenizer, "##aff") == Pieces{"[UNK]", "[UNK]", "aff"});
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.encode(" \t\r\n\v\f ").empty());
  CHECK(tokenizer.encode(std::string("\0\x01\x7f", 3)).empty());
}

TEST_CASE("Options of word pieces change one thing each") {
  const auto with = [](auto change) {
    WordPieceTokenizerConfig config{.vocabulary = words};
    change(config);
    return config;
  };
  CHECK(pieces(word_pieces(), "A é 中国") == Pieces{"A", "é", "中", "国"});
  CHECK(pieces(word_pieces(with([](auto& c) { c.lowercase = true; })), "A É") == Pieces{"a", "e"});
  CHECK(pieces(word_pieces(with([](auto& c) { c.strip_accents = true; })), "A é") ==
        Pieces{"A", "e"});
  CHECK(pieces(word_pieces(with([](auto& c) {
                 c.lowercase = true;
                 c.strip_accents = false;
               })),
               "A É") == Pieces{"a", "é"});
  CHECK(pieces(word_pieces(with([](auto& c) { c.split_on_cjk = false; })), "中国") ==
        Pieces{"中", "##国"});
  CHECK(pieces(word_pieces(with([](auto& c) { c.split = false; })), "x y") == Pieces{"x y"});
  CHECK(pieces(word_pieces(with([](auto& c) { c.split = false; })), "a,a") == Pieces{"[UNK]"});
  CHECK(pieces(word_pieces(with([](auto& c) { c.max_input_chars_per_word = 2; })), "un unaff") ==
        Pieces{"un", "[UNK]"});
  CHECK(pieces(word_pieces(with([](auto& c) { c.oov_token = "A"; })), "zzz") == Pieces{"A"});
  CHECK(pieces(word_pieces(with([](auto& c) { c.special_tokens = {"[MASK]"}; })),
               "un[MASK]a [MASK]") == Pieces{"un", "[MASK]", "a", "[MASK]"});
  CHECK(pieces(word_pieces(), "[MASK]") == Pieces{"[UNK]", "[UNK]", "[UNK]"});
  const auto marked =
      word_pieces({.vocabulary = {"[UNK]", "un", "@able"}, .suffix_indicator = "@"});
  CHECK(pieces(marked, "unable") == Pieces{"un", "@able"});
  CHECK(marked.decode({1, 2, 1}) == "unable un");
}

TEST_CASE("Decoding joins the pieces of a word, wherever it begins") {
  const auto tokenizer = word_pieces();
  const auto id = [&](const char* token) { return tokenizer.token_to_id(token); };
  CHECK(tokenizer.decode({}).empty());
  CHECK(tokenizer.decode({id("un"), id("##aff"), id("##able")}) == "unaffable");
  CHECK(tokenizer.decode({id("##aff"), id("##able")}) == "##affable");
  CHECK(tokenizer.decode({id("a"), id(","), id("a")}) == "a , a");
}

TEST_CASE("Of special tokens that begin at one place the longest counts") {
  auto config = letters();
  config.unsplittable_tokens = {"<s>", "<s>>"};
  const BytePairTokenizer tokenizer(config);
  CHECK(pieces(tokenizer, "<s>>a<s>") == Pieces{"<s>>", "a", "<s>"});
  CHECK(pieces(tokenizer, "<s><s>>") == Pieces{"<s>", "<s>>"});
  // Bytes that the vocabulary does not have are left out.
  CHECK(pieces(tokenizer, "z<s>z") == Pieces{"<s>"});
  CHECK(tokenizer.encode("xyz").empty());
}

TEST_CASE("Merges are joined by their ranks, from the left") {
  const BytePairTokenizer tokenizer(letters());
  CHECK(pieces(tokenizer, "abc") == Pieces{"abc"});
  CHECK(pieces(tokenizer, "ababc") == Pieces{"ab", "abc"});
  CHECK(pieces(tokenizer, "bca") == Pieces{"bc", "a"});
  CHECK(pieces(tokenizer, "aaa") == Pieces{"aa", "a"});
  CHECK(pieces(tokenizer, "aaaaa") == Pieces{"aa", "aa", "a"});
  CHECK(pieces(tokenizer, "aab") == Pieces{"a", "ab"});
  CHECK(pieces(tokenizer, "b a") == Pieces{"b", "Ġa"});
  CHECK(pieces(tokenizer, "b  a") == Pieces{"b", "Ġ", "Ġa"});
  CHECK(pieces(tokenizer, " ") == Pieces{"Ġ"});
  auto config = letters();
  config.add_prefix_space = true;
  CHECK(pieces(BytePairTokenizer(config), "a") == Pieces{"Ġa"});
  CHECK(pieces(BytePairTokenizer(config), " a") == Pieces{"Ġa"});
  CHECK(BytePairTokenizer(config).encode("").empty());
  // Again, from the words that are kept.
  CHECK(pieces(tokenizer, "abc abc") == Pieces{"abc", "Ġ", "abc"});
  CHECK(pieces(tokenizer, "abc abc") == Pieces{"abc", "Ġ", "abc"});
}

TEST_CASE("Words are cut as GPT-2's pattern cuts them") {
  struct Case {
    const char* text;
    Pieces expected;
  };
  for (const Case& c : std::vector<Case>{
           {"", {}},
           {"Hello world", {"Hello", " world"}},
           {"it's we'll I'd 'tis", {"it", "'s", " we", "'ll", " I", "'d", " '", "tis"}},
           {"IT'S", {"IT", "'", "S"}},
           {"a1b22", {"a", "1", "b", "22"}},
           {" 42!", {" 42", "!"}},
           {"a  b", {"a", " ", " b"}},
           {"a \n b", {"a", " \n", " b"}},
           {"a\n\nb", {"a", "\n", "\n", "b"}},
           {"a   ", {"a", "   "}},
           {"  ", {"  "}},
           {"...x", {"...", "x"}},
           {"über Ⅻ ½", {"über", " Ⅻ", " ½"}},
           {"\xff\xfe a", {"\xff\xfe", " a"}}}) {
    INFO("'" << c.text << "'");
    Pieces found;
    for (const std::string_view piece : split_words(c.text)) found.emplace_back(piece);
    CHECK(found == c.expected);
  }
}

TEST_CASE("Vocabularies may have gaps and any order") {
  const WordPieceTokenizer tokenizer(
      {.vocabulary = std::map<std::string, int64_t>{{"[UNK]", 7}, {"a", 0}, {"b", 1000}}});
  CHECK(tokenizer.vocabulary_size() == 1001);
  CHECK(tokenizer.encode("a b c") == Ids{0, 1000, 7});
  CHECK(tokenizer.get_vocabulary().size() == 3);
  CHECK(has(error_of([&] { tokenizer.id_to_token(1); }), "no token of number 1"));
  CHECK(has(error_of([&] { tokenizer.decode({0, 500}); }), "no token of number 500"));
  const auto refused = [](std::map<std::string, int64_t> vocabulary) {
    return error_of([&] { WordPieceTokenizer({.vocabulary = vocabulary}); });
  };
  CHECK(has(refused({{"[UNK]", 0}, {"a", 0}}), "share the number 0"));
  CHECK(has(refused({{"[UNK]", -1}}), "the negative number -1"));
  // Tensors of tokens are int32.
  CHECK(has(refused({{"[UNK]", int64_t{1} << 40}}), "the largest is 2147483647"));
  CHECK(has(error_of([] { WordPieceTokenizer({.vocabulary = Pieces{}}); }), "has no tokens"));
}

TEST_CASE("Batches have one length, of padding that is left out again") {
  WordPieceTokenizerConfig config{.vocabulary = words, .pad_token_id = 3};
  const auto tokenizer = word_pieces(config);
  const Tensor ids = tokenizer({"a", "", "un able"});
  CHECK(ids.shape() == Shape{3, 2});
  CHECK(ids.to_vector<int64_t>() == Ids{7, 3, 3, 3, 1, 5});
  CHECK(tokenizer.detokenize(ids) == Pieces{"a", "", "un able"});
  CHECK(tokenizer(Pieces{}).shape() == Shape{0, 0});
  CHECK(tokenizer({"", ""}).shape() == Shape{2, 0});
  CHECK(tokenizer.detokenize(tokenizer({"", ""})) == Pieces{"", ""});
  config.sequence_length = 4;
  const auto four = word_pieces(config);
  CHECK(four({"a"}).to_vector<int64_t>() == Ids{7, 3, 3, 3});
  CHECK(four(Pieces{}).shape() == Shape{0, 4});
  CHECK(four({"a a a a a a"}).shape() == Shape{1, 4});
  config.sequence_length = 0;
  CHECK(has(error_of([&] { word_pieces(config); }), "must be positive, found 0"));
  CHECK(has(error_of([&] {
              tokenizer.detokenize(ops::zeros({2, 2, 2}, DType::int32));
            }),
            "(texts, length)"));
}

TEST_CASE("Special tokens that a vocabulary does not have are refused") {
  CHECK(has(error_of([] { word_pieces({.vocabulary = words, .special_tokens = {"[MASC]"}}); }),
            "Did you mean '[MASK]'?"));
  CHECK(has(error_of([] { word_pieces({.vocabulary = words, .oov_token = "<unk>"}); }), "<unk>"));
  CHECK(has(error_of([] {
              auto config = letters();
              config.unsplittable_tokens = {"<t>"};
              BytePairTokenizer tokenizer(config);
            }),
            "'<t>'"));
  CHECK(has(error_of([] {
              auto config = letters();
              config.merges = {"a b c"};
              BytePairTokenizer tokenizer(config);
            }),
            "found 'a b c'"));
}

}  // namespace tokenizer_edges_test
