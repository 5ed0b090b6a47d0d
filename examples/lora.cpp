// Fine-tuning with LoRA: a small GPT-2 learns a text, then a second one by few extra weights, the
// first ones frozen; without these extra weights it is what it was.
// Usage: example_lora [--full]. Prints what the model writes before and after; exit status 1 unless
// the second text is learned and no weight of the first changed.
#include <cornu/cornu.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

using namespace cornu;

constexpr int64_t context = 32;

// Both by William Blake.
constexpr std::string_view tyger =
    R"(Tyger Tyger, burning bright,
In the forests of the night;
What immortal hand or eye,
Could frame thy fearful symmetry?
In what distant deeps or skies,
Burnt the fire of thine eyes?
On what wings dare he aspire?
What the hand, dare seize the fire?
)";
constexpr std::string_view lamb =
    R"(Little Lamb who made thee
Dost thou know who made thee
Gave thee life and bid thee feed,
By the stream and o'er the mead;
Gave thee clothing of delight,
Softest clothing wooly bright;
Gave thee such a tender voice,
Making all the vales rejoice!
)";

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

void compile(Model& model, double learning_rate) {
  model.compile({.optimizer = optimizers::Adam({.learning_rate = learning_rate}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
}

// The greedy continuation; characters are the tokens.
std::string write_on(applications::GPT2CausalLM& model, std::string_view text) {
  const std::vector<int64_t> ids =
      model.generate({text.begin(), text.end()}, {.max_length = context});
  return {ids.begin(), ids.end()};
}

int main(int argc, char** argv) {
  const bool full = argc > 1 && std::string_view(argv[1]) == "--full";
  random::set_seed(1);

  applications::GPT2CausalLM model({.vocabulary_size = 128,
                                    .num_layers = full ? 4 : 2,
                                    .num_heads = 4,
                                    .hidden_dim = 64,
                                    .intermediate_dim = 256,
                                    .dropout = 0,
                                    .max_sequence_length = context});
  const datasets::Data first = windows(tyger), second = windows(lamb);
  compile(model, 5e-3);
  model.fit(first.x, first.y, {.batch_size = 16, .epochs = full ? 100 : 50});
  const double before = model.evaluate(second.x, second.y).at("accuracy");
  std::printf("\n%s\n\n", write_on(model, "Tyger Tyger").c_str());

  // Each kernel W becomes W + A B, of which only A and B are trained.
  const std::vector<Variable> base = model.weights();
  const std::vector<Tensor> values = model.get_weights();
  for (Variable weight : base) weight.set_trainable(false);
  for (const auto& layer : model.backbone->layers())
    if (auto* block = dynamic_cast<layers::TransformerDecoderLayer*>(layer.get())) {
      block->self_attention->query_dense->enable_lora(8);
      block->self_attention->value_dense->enable_lora(8);
      block->feedforward_intermediate_dense->enable_lora(8);
      block->feedforward_output_dense->enable_lora(8);
    }
  int64_t trained = 0;
  for (const Variable& weight : model.trainable_variables()) trained += weight.shape().numel();
  std::printf("%lld of %lld numbers are trained\n", static_cast<long long>(trained),
              static_cast<long long>(model.count_params()));

  compile(model, 1e-2);
  const History history =
      model.fit(second.x, second.y, {.batch_size = 16, .epochs = full ? 60 : 40});
  std::printf("\n%s\n", write_on(model, "Little Lamb").c_str());

  bool frozen = true;
  for (size_t i = 0; i < base.size(); ++i)
    frozen &= ops::all(base[i].value() == values[i]).item() != 0;
  const double after = history["accuracy"].back();
  std::printf("accuracy on the second text: %.3f before, %.3f after; the first weights are %s\n",
              before, after, frozen ? "as they were" : "changed");
  return frozen && trained < model.count_params() / 4 && after > before + 0.3 ? 0 : 1;
}
