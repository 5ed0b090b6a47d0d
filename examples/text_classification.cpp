// Tells good reviews from bad ones, from raw strings: TextVectorization makes numbers of words
// inside the model, so that the saved file takes strings as well and needs no other code.
// Usage: example_text_classification [--full]. Prints the accuracy on reviews it has not seen, and
// what it makes of a few; exit status 1 unless it is right about nine of ten.
#include <cornu/cornu.h>

#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>

using namespace cornu;

// Reviews made of phrases; "not" turns a word's meaning, so single words do not tell.
datasets::Data reviews(int64_t count, unsigned seed) {
  const std::vector<std::string> things = {"The plot",   "The music", "The cast",  "The ending",
                                           "The camera", "The book",  "The script"};
  const std::vector<std::string> good = {"great", "moving", "funny", "superb", "clever", "fresh"};
  const std::vector<std::string> bad = {"dull", "silly", "weak", "tedious", "clumsy", "stale"};
  const std::vector<std::string> verbs = {"is", "was", "felt", "seemed"};
  std::mt19937 random(seed);
  const auto pick = [&](const std::vector<std::string>& words) {
    return words[random() % words.size()];
  };
  std::vector<std::string> texts;
  std::vector<float> labels;
  for (int64_t i = 0; i < count; ++i) {
    const bool liked = random() % 2;
    std::string text;
    for (unsigned sentences = 1 + random() % 3; sentences > 0; --sentences) {
      const bool negated = random() % 3 == 0;
      text += pick(things) + " " + pick(verbs) +
              (negated        ? " not "
               : random() % 2 ? " "
                              : " really ") +
              pick(liked != negated ? good : bad) + ". ";
    }
    texts.push_back(text);
    labels.push_back(liked);
  }
  return {Tensor::strings(texts, {count, 1}), Tensor::from(labels, {count, 1})};
}

int main(int argc, char** argv) {
  const bool full = argc > 1 && std::string_view(argv[1]) == "--full";
  random::set_seed(1);
  const datasets::Data train = reviews(full ? 20000 : 2000, 1), test = reviews(500, 2);

  const layers::TextVectorization vectorize({.max_tokens = 1000, .output_sequence_length = 16});
  vectorize->adapt(train.x);
  std::printf("%lld words\n", static_cast<long long>(vectorize->vocabulary_size()));

  Sequential model({
      Input(InputConfig{.shape = {1}, .dtype = DType::string}),
      vectorize,
      layers::Embedding({.input_dim = vectorize->vocabulary_size(), .output_dim = 16}),
      layers::Conv1D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
      layers::GlobalMaxPooling1D(),
      layers::Dense({.units = 1, .activation = "sigmoid"}),
  });
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 5e-3}),
                 .loss = "binary_crossentropy",
                 .metrics = {"accuracy"}});
  model.fit(train.x, train.y, {.epochs = 5, .validation_split = 0.1});

  std::filesystem::create_directories("out");
  model.save("out/text_classification.keras");
  const auto loaded = load_model("out/text_classification.keras");
  const double accuracy =
      loaded->evaluate(test.x, test.y, {.verbose = Verbose::silent}).at("accuracy");
  std::printf("accuracy of the loaded model on new reviews: %.3f\n", accuracy);

  const std::vector<std::string> mine = {"The cast was superb!", "The plot seemed not clever.",
                                         "Not dull: the music is not stale."};
  const Tensor liked = loaded->predict(Tensor::strings(mine, {3, 1}));
  for (size_t i = 0; i < mine.size(); ++i)
    std::printf("%.2f  %s\n", liked.values<float>()[i], mine[i].c_str());
  return accuracy > 0.9 ? 0 : 1;
}
