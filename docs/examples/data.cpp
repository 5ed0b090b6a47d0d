// What docs/data.md shows: pipelines from tensors, files and functions, workers, positions, errors.
#include <cornu/cornu.h>
#include <cornu/framework/io/csv.h>

#include <filesystem>
#include <iostream>

using namespace cornu;

// A struct of one's own, and how it becomes tensors.
struct Recording {
  std::vector<float> samples;
  int64_t speaker = 0;
};
Batch as_batch(const Recording& r) { return {Tensor(r.samples), Tensor(r.speaker)}; }

int main() {
  auto [train_data, test_data] = datasets::digits();
  Sequential model(
      {Input({8, 8, 1}), layers::Flatten(), layers::Dense({.units = 10, .activation = "softmax"})});
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});

  // From tensors to fit.
  auto noisy = [](Batch sample, const data::Place& place) {
    data::Random random = place.random();
    sample.x = sample.x.tensor() * static_cast<float>(random.uniform(0.8, 1.2));
    return sample;
  };
  auto train = data::from(train_data.x, train_data.y)
                   .shuffle()
                   .map(noisy, {.workers = 2, .name = "noise"})
                   .batch(64)
                   .prefetch(4);
  auto test = data::from(test_data.x, test_data.y).batch(256);
  const History history = model.fit(train, {.epochs = 2, .validation_data = test});
  std::cout << train.explain();

  // In a loop of one's own.
  for (int64_t epoch = 0; epoch < 2; ++epoch)
    for (const Batch& batch : train.epoch(epoch)) model.train_on_batch(batch.x, batch.y);

  // A generator, a struct, and data without an end.
  auto recordings = data::generate([](const data::Place& place) {
    data::Random random = place.random();
    Recording r{std::vector<float>(16), random.below(3)};
    for (float& v : r.samples)
      v = static_cast<float>(random.normal()) + static_cast<float>(r.speaker);
    return r;
  });
  Sequential speakers({Input({16}), layers::Dense({.units = 3})});
  speakers.compile(
      {.optimizer = "adam", .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  speakers.fit(recordings.batch(32), {.epochs = 2, .steps_per_epoch = 20});

  // Files.
  const auto folder = std::filesystem::temp_directory_path();
  saving::write_csv(folder / "cornu-docs.csv", {"width", "height", "kind"},
                    {{"1.5", "2", "small"}, {"4", "5", "large"}});
  for (const Batch& batch : data::from_csv(folder / "cornu-docs.csv", {.label = "kind"}).batch(2))
    std::cout << batch.x.tensor().str() << " " << batch.y.tensor().str() << "\n";

  // A position: a few integers.
  auto stream = train.open();
  stream->next();
  const data::Position position = stream->position();
  auto later = train.open(0, position);  // goes on behind the first batch

  // Errors name the stage and the element.
  auto broken = data::range(100).map(
      [](int64_t i) {
        if (i == 42) throw std::runtime_error("cannot be read");
        return i;
      },
      {.workers = 2, .name = "read"});
  try {
    for (int64_t i : broken) static_cast<void>(i);
  } catch (const data::DataError& error) {
    std::cout << error.what() << "\n";  // Stage 'read', element 42 of epoch 0: cannot be read
  }
}
