// What all language models promise: each token sees those before it and no padding, caches change
// nothing, and generation goes through what a program gives it.
#include <cornu/cornu.h>

#include <limits>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/temporary.h"

namespace language_models_test {

using namespace cornu;
using applications::CausalLM;
using applications::GenerateOptions;
using test::difference;
using test::error_of;
using test::has;
using Ids = std::vector<int64_t>;

namespace {

constexpr int64_t vocabulary = 11;

// Weights of different sizes, so that outputs depend on every token.
void vary(Model& model) {
  int seed = 5;
  for (Variable weight : model.weights())
    if (weight.shape().rank() > 1)
      weight.assign(random::normal(weight.shape(), 0, 0.7, DType::float32, seed++));
}

applications::GPT2Config gpt2() {
  return {.vocabulary_size = vocabulary,
          .num_layers = 2,
          .num_heads = 2,
          .hidden_dim = 8,
          .intermediate_dim = 12,
          .max_sequence_length = 12};
}

applications::LlamaConfig llama(bool tied = false) {
  return {.vocabulary_size = vocabulary,
          .num_layers = 2,
          .num_query_heads = 4,
          .hidden_dim = 8,
          .intermediate_dim = 12,
          .num_key_value_heads = 2,
          .tie_word_embeddings = tied};
}

applications::MistralConfig mistral(std::optional<int64_t> window = 3) {
  return {.vocabulary_size = vocabulary,
          .num_layers = 2,
          .num_query_heads = 4,
          .hidden_dim = 8,
          .intermediate_dim = 12,
          .num_key_value_heads = 2,
          .sliding_window = window};
}

applications::BertConfig bert() {
  return {.vocabulary_size = vocabulary,
          .num_layers = 2,
          .num_heads = 2,
          .hidden_dim = 8,
          .intermediate_dim = 12,
          .max_sequence_length = 12};
}

applications::T5Config t5() {
  return {.vocabulary_size = vocabulary,
          .num_layers = 2,
          .num_heads = 2,
          .hidden_dim = 8,
          .intermediate_dim = 12};
}

// A model with its head, as both of what it is.
struct Writer {
  std::string name;
  std::shared_ptr<Model> model;
  CausalLM* lm;
};

template <class M, class C>
Writer writer(const std::string& name, const C& config) {
  auto model = std::make_shared<M>(config);
  (*model)(ops::zeros({1, 2}, DType::int32));
  vary(*model);
  return {name, model, model.get()};
}

std::vector<Writer> writers() {
  return {writer<applications::GPT2CausalLM>("gpt2", gpt2()),
          writer<applications::LlamaCausalLM>("llama", llama()),
          writer<applications::LlamaCausalLM>("llama, tied", llama(true)),
          writer<applications::MistralCausalLM>("mistral", mistral()),
          writer<applications::MistralCausalLM>("mistral, window of one", mistral(1)),
          writer<applications::MistralCausalLM>("mistral, no window", mistral({}))};
}

Tensor tokens(const std::vector<int32_t>& ids, const Shape& shape) {
  return Tensor::from(ids, shape);
}

// Steps [begin, end) of (batch, t, ...).
Tensor steps(const Tensor& x, int64_t begin, int64_t end) {
  return ops::get_item(x, Value::List{Slice{}, Slice{begin, end}});
}

const std::vector<int32_t> text = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};

}  // namespace

TEST_CASE("A token's logits depend on those before it, and on no later one") {
  for (const Writer& w : writers()) {
    INFO(w.name);
    const Tensor all = (*w.model)(tokens(text, {1, 10}));
    CHECK(all.shape() == Shape{1, 10, vocabulary});
    for (const int64_t changed : {0, 4, 9}) {
      std::vector<int32_t> other = text;
      other[static_cast<size_t>(changed)] = 10;
      const Tensor found = (*w.model)(tokens(other, {1, 10}));
      if (changed > 0) CHECK(difference(steps(found, 0, changed), steps(all, 0, changed)) < 1e-5);
      CHECK(difference(steps(found, changed, changed + 1), steps(all, changed, changed + 1)) >
            1e-4);
    }
    // Rows do not see each other.
    const Tensor two = (*w.model)(tokens({3, 1, 4, 1, 5, 0, 0, 0, 0, 0}, {2, 5}));
    CHECK(difference(ops::get_item(two, Value::List{Slice{0, 1}}), steps(all, 0, 5)) < 1e-5);
  }
}

TEST_CASE("Mistral's tokens see no farther back than the windows of its blocks") {
  // Two blocks of a window of 3: a token sees the 4 before it.
  const Writer w = writer<applications::MistralCausalLM>("mistral", mistral(3));
  const Tensor all = (*w.model)(tokens(text, {1, 10}));
  std::vector<int32_t> other = text;
  other[2] = 10;
  const Tensor found = (*w.model)(tokens(other, {1, 10}));
  CHECK(difference(steps(found, 7, 10), steps(all, 7, 10)) < 1e-5);
  CHECK(difference(steps(found, 6, 7), steps(all, 6, 7)) > 1e-5);
}

TEST_CASE("A cache gives the logits that there are without, however a text is cut") {
  for (const Writer& w : writers()) {
    const Tensor ids =
        tokens({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 2, 7, 1, 8, 2, 8, 1, 8, 2, 8}, {2, 10});
    const Tensor all = (*w.model)(ids);
    for (const std::vector<int64_t>& cuts :
         {std::vector<int64_t>{10}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {4, 10}, {9, 10}, {1, 10}}) {
      INFO(w.name << ", first " << cuts.front());
      // Longer than the text, and with what another text left in it.
      std::vector<Tensor> cache = w.lm->make_cache(2, 12);
      const size_t parts = cache.size();
      w.lm->call_with_cache(ops::zeros({2, 11}, DType::int32), cache, Tensor(0));
      int64_t begin = 0;
      for (const int64_t end : cuts) {
        const Tensor found =
            w.lm->call_with_cache(steps(ids, begin, end), cache,
                                  Tensor::from<int32_t>({static_cast<int32_t>(begin)}, {}));
        CHECK(difference(found, steps(all, begin, end)) < 1e-4);
        begin = end;
      }
      CHECK(cache.size() == parts);
      for (const Tensor& part : cache) CHECK(part.shape()[0] == 2);
    }
  }
}

TEST_CASE("Generation with and without a cache writes the same for every model") {
  for (const Writer& w : writers())
    for (const samplers::Sampler& sampler :
         {samplers::Greedy(), samplers::TopK(3), samplers::TopP(0.8), samplers::Beam(2)}) {
      INFO(w.name);
      GenerateOptions options{.max_length = 12, .sampler = sampler, .seed = 3};
      const Ids with = w.lm->generate({1, 2, 3}, options);
      options.use_cache = false;
      CHECK(w.lm->generate({1, 2, 3}, options) == with);
      CHECK(with.size() == 12);
      CHECK(Ids(with.begin(), with.begin() + 3) == Ids{1, 2, 3});
    }
}

TEST_CASE("Padding changes nothing of the tokens that are there") {
  const Tensor mask = tokens({1, 1, 1, 1, 0, 0}, {1, 6});
  const Tensor ids = tokens({3, 1, 4, 1, 0, 0}, {1, 6}), other = tokens({3, 1, 4, 1, 9, 8}, {1, 6});
  const std::vector<std::pair<std::string, std::shared_ptr<Functional>>> backbones = {
      {"gpt2", applications::GPT2Backbone(gpt2())},
      {"llama", applications::LlamaBackbone(llama())},
      {"mistral", applications::MistralBackbone(mistral())}};
  for (const auto& [name, backbone] : backbones) {
    INFO(name);
    vary(*backbone);
    const auto hidden = [&](const Tensor& given, const Tensor& padding) {
      return (*backbone)(Nest{{"token_ids", given}, {"padding_mask", padding}}).tensor();
    };
    const Tensor found = hidden(ids, mask);
    CHECK(found.shape() == Shape{1, 6, 8});
    CHECK(difference(steps(hidden(other, mask), 0, 4), steps(found, 0, 4)) < 1e-5);
    // As the same tokens without padding.
    CHECK(difference(hidden(steps(ids, 0, 4), steps(mask, 0, 4)), steps(found, 0, 4)) < 1e-5);
  }
  const auto encoder = applications::BertBackbone(bert());
  vary(*encoder);
  const auto read = [&](const Tensor& given, const Tensor& padding) {
    return (*encoder)(Nest{
        {"token_ids", given}, {"segment_ids", ops::zeros_like(given)}, {"padding_mask", padding}});
  };
  const Nest found = read(ids, mask);
  CHECK(found["sequence_output"].tensor().shape() == Shape{1, 6, 8});
  CHECK(found["pooled_output"].tensor().shape() == Shape{1, 8});
  for (const Nest& same : {read(other, mask), read(steps(ids, 0, 4), steps(mask, 0, 4))}) {
    CHECK(difference(same["pooled_output"].tensor(), found["pooled_output"].tensor()) < 1e-5);
    CHECK(difference(steps(same["sequence_output"].tensor(), 0, 4),
                     steps(found["sequence_output"].tensor(), 0, 4)) < 1e-5);
  }
  // A later token counts where it is none of padding.
  CHECK(difference(read(ids, ops::ones_like(ids))["pooled_output"].tensor(),
                   found["pooled_output"].tensor()) > 1e-4);
}

TEST_CASE("T5's decoder sees all of the read text but its padding, and no later tokens") {
  const auto model = applications::T5Backbone(t5());
  vary(*model);
  const auto write = [&](const Tensor& read, const Tensor& mask, const Tensor& written) {
    return (*model)(
               Nest{{"encoder_token_ids", read},
                    {"encoder_padding_mask", mask},
                    {"decoder_token_ids", written},
                    {"decoder_padding_mask", ops::ones_like(written)}})["decoder_sequence_output"]
        .tensor();
  };
  const Tensor read = tokens({3, 1, 4, 0, 0}, {1, 5}), mask = tokens({1, 1, 1, 0, 0}, {1, 5});
  const Tensor written = tokens({1, 5, 9, 2}, {1, 4});
  const Tensor found = write(read, mask, written);
  CHECK(found.shape() == Shape{1, 4, 8});
  CHECK(difference(write(tokens({3, 1, 4, 7, 8}, {1, 5}), mask, written), found) < 1e-5);
  CHECK(difference(write(tokens({3, 1, 4}, {1, 3}), tokens({1, 1, 1}, {1, 3}), written), found) <
        1e-5);
  CHECK(difference(write(tokens({3, 1, 6, 0, 0}, {1, 5}), mask, written), found) > 1e-4);
  CHECK(difference(steps(write(read, mask, tokens({1, 5, 9, 6}, {1, 4})), 0, 3),
                   steps(found, 0, 3)) < 1e-5);
}

TEST_CASE("Backbones have the numbers of weights that their sizes say") {
  const int64_t v = vocabulary, h = 8, i = 12, n = 2, length = 12;
  const int64_t attention = 4 * h * h + 4 * h, norm = 2 * h;
  const int64_t dense = h * i + i + i * h + h;
  CHECK(applications::GPT2Backbone(gpt2())->count_params() ==
        v * h + length * h + n * (attention + dense + 2 * norm) + norm);
  CHECK(applications::BertBackbone(bert())->count_params() ==
        v * h + length * h + 2 * h + norm + n * (attention + dense + 2 * norm) + h * h + h);
  const int64_t grouped = 2 * h * h + 2 * h * h / 2, gated = 3 * h * i;
  for (const bool tied : {true, false})
    CHECK(applications::LlamaBackbone(llama(tied))->count_params() ==
          (tied ? 1 : 2) * v * h + n * (grouped + gated + 2 * h) + h);
  CHECK(applications::MistralBackbone(mistral())->count_params() ==
        2 * v * h + n * (grouped + gated + 2 * h) + h);
}

TEST_CASE("A program's own sampler sees probabilities, and its tokens are checked") {
  const Writer w = writers().front();
  int64_t calls = 0;
  const samplers::Sampler least = [&](const std::vector<double>& p, double draw) -> int64_t {
    CHECK(static_cast<int64_t>(p.size()) == vocabulary);
    double sum = 0;
    for (const double one : p) sum += one;
    CHECK(sum == Approx(1));
    CHECK(draw >= 0);
    CHECK(draw < 1);
    ++calls;
    return std::min_element(p.begin(), p.end()) - p.begin();
  };
  CHECK(w.lm->generate({1, 2}, {.max_length = 7, .sampler = least}).size() == 7);
  CHECK(calls == 5);
  for (const int64_t bad : {int64_t{-1}, vocabulary, std::numeric_limits<int64_t>::max()})
    CHECK(has(error_of([&] {
                w.lm->generate(
                    {1}, {.max_length = 5, .sampler = [bad](const auto&, double) { return bad; }});
              }),
              "the sampler chose the token " + std::to_string(bad) + "; tokens are 0 to 10"));
}

TEST_CASE("Logits that are no numbers end generation with an error") {
  for (const bool use_cache : {true, false})
    for (const samplers::Sampler& sampler :
         {samplers::Greedy(), samplers::Random(), samplers::Beam(3)}) {
      const Writer w = writers().front();
      for (Variable weight : w.model->weights())
        if (weight.name() == "embeddings")
          weight.assign(ops::full(weight.shape(), std::numeric_limits<float>::quiet_NaN()));
      CHECK(has(
          error_of([&] {
            w.lm->generate({1, 2}, {.max_length = 5, .sampler = sampler, .use_cache = use_cache});
          }),
          "the logits behind 2 tokens are no finite numbers"));
    }
}

TEST_CASE("Temperature and penalty turn likelihoods as they say") {
  const Writer w = writers().front();
  std::vector<std::vector<double>> seen;
  const auto first = [&](double temperature, double penalty) {
    seen.clear();
    w.lm->generate({1, 2}, {.max_length = 3,
                            .sampler =
                                [&](const std::vector<double>& p, double) {
                                  seen.push_back(p);
                                  return int64_t{0};
                                },
                            .temperature = temperature,
                            .repetition_penalty = penalty});
    return seen.front();
  };
  const auto plain = first(1, 1), cold = first(0.5, 1), flat = first(1e9, 1), kept = first(1, 4);
  double squares = 0;
  for (const double p : plain) squares += p * p;
  for (size_t i = 0; i < plain.size(); ++i) {
    CHECK(cold[i] == Approx(plain[i] * plain[i] / squares));
    CHECK(flat[i] == Approx(1.0 / vocabulary).epsilon(1e-4));
  }
  // Those of the prompt are less likely, and the others share the difference evenly.
  CHECK(kept[1] < plain[1]);
  CHECK(kept[2] < plain[2]);
  for (size_t i = 4; i < plain.size(); ++i) CHECK(kept[i] / kept[3] == Approx(plain[i] / plain[3]));
}

TEST_CASE("Answers end at stop tokens, at their callers' word, and at the longest text") {
  const Writer w = writers().front();
  const Ids whole = w.lm->generate({1, 2}, {.sampler = samplers::Random(), .seed = 1});
  CHECK(whole.size() == 12);
  for (size_t place = 2; place < whole.size(); ++place) {
    size_t first = 2;
    while (whole[first] != whole[place]) ++first;
    // A token of the prompt ends nothing there.
    const Ids stopped = w.lm->generate(
        {1, 2}, {.sampler = samplers::Random(), .stop = {whole[place], 99}, .seed = 1});
    CHECK(stopped == Ids(whole.begin(), whole.begin() + static_cast<int64_t>(first) + 1));
  }
  Ids told;
  const Ids ended = w.lm->generate(
      {1, 2}, {.sampler = samplers::Random(), .seed = 1, .on_token = [&](int64_t id) {
                 told.push_back(id);
                 return told.size() < 4;
               }});
  CHECK(ended == Ids(whole.begin(), whole.begin() + 6));
  CHECK(told == Ids(whole.begin() + 2, whole.begin() + 6));
  CHECK(has(error_of([&] { w.lm->generate({1, 2, 3}, {.max_length = 2}); }), "do not fit"));
  CHECK(has(error_of([&] { w.lm->generate({1}, {.max_length = 13}); }), "takes 12 tokens"));
  CHECK(has(error_of([&] { w.lm->generate({vocabulary}); }), "has the token 11"));
  CHECK(has(error_of([&] { writers()[1].lm->generate({1}); }), "give max_length"));
  CHECK(has(error_of([&] {
              w.lm->generate({1}, {.temperature = std::numeric_limits<double>::quiet_NaN()});
            }),
            "temperature must be positive"));
  // After an error the model goes on as before.
  CHECK(w.lm->generate({1, 2}, {.sampler = samplers::Random(), .seed = 1}) == whole);
}

}  // namespace language_models_test
