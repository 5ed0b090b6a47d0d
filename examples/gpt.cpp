// A small GPT: characters, learned positions, blocks of causal attention, trained to tell the next
// character of a text, which it then writes on from a few given ones.
// Usage: example_gpt [--full]. Prints what the model writes; exit status 1 unless it tells most of
// the text's characters right.
#include <cornu/cornu.h>

#include <cstdio>
#include <string>
#include <string_view>

using namespace cornu;

constexpr int64_t context = 32, vocabulary = 128, width = 64, heads = 4;

constexpr std::string_view sonnet =
    R"(Shall I compare thee to a summer's day?
Thou art more lovely and more temperate:
Rough winds do shake the darling buds of May,
And summer's lease hath all too short a date;
Sometime too hot the eye of heaven shines,
And often is his gold complexion dimm'd;
And every fair from fair sometime declines,
By chance or nature's changing course untrimm'd;
But thy eternal summer shall not fade,
Nor lose possession of that fair thou ow'st;
Nor shall death brag thou wander'st in his shade,
When in eternal lines to time thou grow'st:
So long as men can breathe or eyes can see,
So long lives this, and this gives life to thee.
)";

// Characters (batch, context) to vectors that tell which character it is and where it stands.
class TokensAndPositionsLayer : public Layer {
 public:
  Tensor call(const Tensor& ids, const Call&) override {
    return tokens(ids) + positions(ops::arange(context));
  }

 private:
  layers::Embedding tokens =
      track("tokens", layers::Embedding({.input_dim = vocabulary, .output_dim = width}));
  layers::Embedding positions =
      track("positions", layers::Embedding({.input_dim = context, .output_dim = width}));
};

// Attention to what came before, then a small network for each character; both added to x.
class BlockLayer : public Layer {
 public:
  Tensor call(const Tensor& x, const Call&) override {
    const Tensor seen = attention(norm(x), {.use_causal_mask = true});
    const Tensor y = x + seen;
    return y + contract(expand(norm_2(y)));
  }

 private:
  layers::LayerNormalization norm = track("norm", layers::LayerNormalization());
  layers::MultiHeadAttention attention = track(
      "attention", layers::MultiHeadAttention({.num_heads = heads, .key_dim = width / heads}));
  layers::LayerNormalization norm_2 = track("norm_2", layers::LayerNormalization());
  layers::Dense expand = track("expand", layers::Dense({.units = 4 * width, .activation = "gelu"}));
  layers::Dense contract = track("contract", layers::Dense({.units = width}));
};

// Every stretch of `context` characters, and the characters that follow each of them.
datasets::Data windows(std::string_view text) {
  std::vector<int32_t> x, y;
  const auto count = static_cast<int64_t>(text.size()) - context;
  for (int64_t begin = 0; begin < count; ++begin)
    for (int64_t i = begin; i < begin + context; ++i) {
      x.push_back(text[static_cast<size_t>(i)]);
      y.push_back(text[static_cast<size_t>(i + 1)]);
    }
  return {Tensor::from(x, {count, context}), Tensor::from(y, {count, context})};
}

// Adds the likeliest next character, again and again.
std::string write_on(Model& model, std::string text, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const std::string recent = text.substr(text.size() - std::min<size_t>(text.size(), context));
    std::vector<int32_t> ids(recent.begin(), recent.end());
    ids.resize(context);  // what stands behind the last character, the mask hides from it
    const Tensor next = ops::argmax(model.predict(Tensor::from(ids, {1, context})), -1);
    text += static_cast<char>(next.values<int32_t>()[recent.size() - 1]);
  }
  return text;
}

int main(int argc, char** argv) {
  const bool full = argc > 1 && std::string_view(argv[1]) == "--full";
  random::set_seed(1);

  std::vector<AnyLayer> stack = {Input(InputConfig{.shape = {context}, .dtype = DType::int32}),
                                 make<TokensAndPositionsLayer>()};
  for (int i = 0; i < (full ? 4 : 2); ++i) stack.push_back(make<BlockLayer>());
  stack.push_back(layers::LayerNormalization());
  stack.push_back(layers::Dense({.units = vocabulary}));
  Sequential model(stack);
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 3e-3}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
  model.summary();

  const datasets::Data data = windows(sonnet);
  const History history = model.fit(data.x, data.y, {.epochs = full ? 40 : 8});

  std::printf("\n%s\n", write_on(model, "So long", 100).c_str());
  return history["accuracy"].back() > 0.7 ? 0 : 1;
}
