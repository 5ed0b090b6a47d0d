// Generation: several prompts at a time, texts that end answers, and beam search.
#include <cornu/cornu.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/temporary.h"

namespace generation_test {

using namespace cornu;
using applications::GPT2CausalLM;
using Ids = std::vector<int64_t>;

namespace {

constexpr int64_t vocabulary = 9;

// Its next tokens vary, which those of fresh weights hardly do.
Handle<GPT2CausalLM> varied_model() {
  auto model = make<GPT2CausalLM>({.vocabulary_size = vocabulary,
                                   .num_layers = 2,
                                   .num_heads = 2,
                                   .hidden_dim = 8,
                                   .intermediate_dim = 12,
                                   .max_sequence_length = 16});
  int seed = 3;
  for (Variable weight : model->weights())
    if (weight.name() != "gamma" && weight.name() != "beta")
      weight.assign(random::normal(weight.shape(), 0, 0.8, DType::float32, seed++));
  return model;
}

const std::vector<Ids> prompts = {{1, 2}, {3, 1, 4, 1, 5}, {6, 2, 6}};

const tokenizers::WordPieceTokenizer& words() {
  static const tokenizers::WordPieceTokenizer tokenizer(
      {.vocabulary = {"[UNK]", "one", "two", "three", "##four", "five", "six", "seven", "."}});
  return tokenizer;
}

// ln of the probability that the model gives the text behind its prompt.
double log_probability(GPT2CausalLM& model, const Ids& ids, size_t prompt) {
  const std::vector<int32_t> row(ids.begin(), ids.end());
  const Tensor logits = model(Tensor::from(row, {1, static_cast<int64_t>(row.size())}));
  const auto found = ops::log_softmax(logits).to_vector<float>();
  double sum = 0;
  for (size_t i = prompt; i < ids.size(); ++i)
    sum += static_cast<double>(found[(i - 1) * vocabulary + static_cast<size_t>(ids[i])]);
  return sum;
}

}  // namespace

TEST_CASE("Prompts of several lengths are answered as each alone") {
  const auto model = varied_model();
  const Ids first = model->generate(prompts[0]);
  for (const bool use_cache : {true, false})
    for (const samplers::Sampler& sampler :
         {samplers::Greedy(), samplers::Random(), samplers::Beam(3)}) {
      applications::GenerateOptions options{.max_length = 12,
                                            .sampler = sampler,
                                            .stop = {first[6]},
                                            .seed = 40,
                                            .use_cache = use_cache};
      const auto together = model->generate_batch(prompts, options);
      REQUIRE(together.size() == prompts.size());
      for (size_t i = 0; i < prompts.size(); ++i) {
        options.seed = 40 + static_cast<int64_t>(i);
        CHECK(together[i] == model->generate(prompts[i], options));
      }
    }
  CHECK(model->generate_batch({}).empty());
  // A prompt that has its length already stays as it is.
  CHECK(model->generate_batch(prompts, {.max_length = 5})[1] == prompts[1]);
}

TEST_CASE("Texts end answers, with the token that completes one") {
  const auto model = varied_model();
  const Ids whole = model->generate(prompts[0]);
  const Ids answer(whole.begin() + 2, whole.end());
  for (size_t count = 2; count <= 4; ++count) {
    const std::string text = words().decode(std::span(answer).first(count));
    const auto stopped =
        model->generate(prompts[0], {.stop_strings = {"nowhere", text}, .tokenizer = &words()});
    CHECK(stopped == Ids(whole.begin(), whole.begin() + 2 + static_cast<ptrdiff_t>(count)));
  }
  // The prompt's own text does not count.
  CHECK(model
            ->generate({1, 2, 8},
                       {.max_length = 4, .stop_strings = {"one two"}, .tokenizer = &words()})
            .size() == 4);
}

TEST_CASE("Beams that keep all texts find the likeliest one") {
  const auto model = varied_model();
  for (const Ids& prompt : prompts) {
    Ids best, ids = prompt;
    ids.resize(prompt.size() + 2);
    double most = -HUGE_VAL;
    for (int64_t a = 0; a < vocabulary; ++a)
      for (int64_t b = 0; b < vocabulary; ++b) {
        ids[prompt.size()] = a;
        ids[prompt.size() + 1] = b;
        const double found = log_probability(*model, ids, prompt.size());
        if (found > most) {
          most = found;
          best = ids;
        }
      }
    const auto length = static_cast<int64_t>(ids.size());
    CHECK(model->generate(prompt, {.max_length = length, .sampler = samplers::Beam(vocabulary)}) ==
          best);
    CHECK(model->generate(prompt, {.sampler = samplers::Beam(1)}) == model->generate(prompt));
  }
}

TEST_CASE("A beam search without a cache finds what it finds with one") {
  const auto model = varied_model();
  for (const Ids& prompt : prompts)
    CHECK(model->generate(prompt, {.sampler = samplers::Beam(4)}) ==
          model->generate(prompt, {.sampler = samplers::Beam(4), .use_cache = false}));
}

TEST_CASE("Options of generation that cannot be together are errors") {
  const auto model = varied_model();
  const auto all = [](int64_t) { return true; };
  CHECK_THROWS_WITH(model->generate({1}, {.stop_strings = {"."}}), test::contains(".tokenizer"));
  CHECK_THROWS_WITH(model->generate({1}, {.stop_strings = {""}, .tokenizer = &words()}),
                    test::contains("empty text"));
  CHECK_THROWS_WITH(model->generate_batch(prompts, {.on_token = all}), test::contains("3 prompts"));
  CHECK_THROWS_WITH(model->generate({1}, {.sampler = samplers::Beam(), .on_token = all}),
                    test::contains("beam search"));
  CHECK_THROWS_WITH(model->generate({1}, {.sampler = nullptr}), test::contains("no sampler"));
  CHECK_THROWS_WITH(model->generate_batch({{1}, {}}), test::contains("no tokens"));
  CHECK_THROWS_AS(samplers::Beam(0), ValueError);
}

}  // namespace generation_test
