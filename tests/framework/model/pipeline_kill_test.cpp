// A training from image files, shuffled, changed at random by workers and kept in a cache, which is
// killed at any instant and started again, gives the weights and the history of one that never
// ended.
#include <cornu/cornu.h>
#include <cornu/framework/config/state_file.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "../../catch.h"
#include "../../support/child.h"
#include "../../support/temporary.h"

namespace pipeline_kill_test {

using namespace cornu;

namespace fs = std::filesystem;

namespace {

constexpr int64_t files = 24, side = 12, epochs = 4;

// Bright and dark pictures of two classes.
void make_pictures(const fs::path& folder) {
  data::Random random = data::Place{.seed = 8}.random();
  for (int64_t i = 0; i < files; ++i) {
    const fs::path own = folder / (i % 2 == 0 ? "bright" : "dark");
    fs::create_directories(own);
    std::vector<float> pixels;
    for (int64_t k = 0; k < side * side * 3; ++k)
      pixels.push_back(static_cast<float>(random.below(128) + (i % 2 == 0 ? 128 : 0)));
    utils::save_img(own / (std::to_string(i) + ".png"), Tensor::from(pixels, {side, side, 3}),
                    {.scale = false});
  }
}

data::Sample read(const data::ImageFile& file) {
  return {.image = ops::cast(utils::img_to_array(utils::load_img(file.source)), DType::uint8),
          .label = Tensor::from({static_cast<int32_t>(file.label)}, Shape{}),
          .source = file.source};
}

Batch scaled(Batch batch) {
  batch.x = ops::cast(batch.x.tensor(), DType::float32) / 255.0;
  return batch;
}

data::Pipeline<Batch> pipeline(const fs::path& folder, const std::optional<fs::path>& cache) {
  auto samples = data::from(data::image_files(folder)).map(read, {.workers = 2, .name = "read"});
  if (cache) samples = samples.cache({.file = *cache});
  return samples.shuffle()
      .map(data::augment({layers::RandomFlip(),
                          layers::RandomTranslation({.height_factor = 0.2, .width_factor = 0.2}),
                          layers::RandomContrast({.factor = 0.4}), layers::RandomGaussianNoise()}),
           {.workers = 2, .name = "augment"})
      .batch(5)
      .map(scaled)
      .prefetch(2);
}

// Trains from the start or from the folder's backup, and writes what came out.
void train(const fs::path& pictures, const fs::path& at, bool backups, bool cached) {
  random::set_seed(11);
  Sequential model({Input({side, side, 3}), layers::Conv2D({.filters = 4, .kernel_size = {3}}),
                    layers::GlobalAveragePooling2D(), layers::Dropout({.rate = 0.2}),
                    layers::Dense({.units = 2, .activation = "softmax"})});
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  FitOptions options{.epochs = epochs, .verbose = Verbose::silent};
  if (backups) options.resume = BackupOptions{.folder = (at / "backup").string(), .save_freq = 1};
  options.callbacks = {callbacks::CSVLogger({.filename = (at / "history.csv").string()})};
  const std::optional<fs::path> cache = cached ? std::optional(at / "cache") : std::nullopt;
  const History history = model.fit(pipeline(pictures, cache), options);
  Value::Dict result;
  for (const auto& [name, values] : history.history) result.emplace_back(name, values);
  Value::List weights;
  for (const Tensor& w : model.get_weights()) weights.push_back(w);
  result.emplace_back("weights", weights);
  write_state((at / "result.zip").string(), result);
}

}  // namespace

TEST_CASE(
    "A training from files with workers that is killed at any instant ends as one that is not") {
  if (!test::children_compute()) return;
  const bool cached = GENERATE(false, true);
  INFO((cached ? "with" : "without") << " a cache");
  const test::TemporaryFolder folder;
  make_pictures(folder / "pictures");
  fs::create_directory(folder / "whole");
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(test::in_child([&] { train(folder / "pictures", folder / "whole", false, cached); },
                         [](pid_t) {}) == 0);
  const auto once = std::chrono::steady_clock::now() - begin;
  std::mt19937 generator(cached ? 23 : 29);
  int kills = 0;
  const char* const more = std::getenv("CORNU_KILLS");
  const int wanted = more ? std::atoi(more) : 12;
  for (int run = 0; kills < wanted; ++run) {
    const fs::path at = folder / ("run" + std::to_string(run));
    fs::create_directory(at);
    for (bool killed = true; killed;) {
      std::uniform_real_distribution<double> moment(0, 1.2);
      const auto wait = moment(generator) * once;
      const int status = test::in_child([&] { train(folder / "pictures", at, true, cached); },
                                        [&](pid_t child) {
                                          std::this_thread::sleep_for(wait);
                                          kill(child, SIGKILL);
                                        });
      killed = WIFSIGNALED(status);
      if (!killed) REQUIRE(status == 0);
      kills += killed;
    }
    CHECK(test::slurp(at / "result.zip") == test::slurp(folder / "whole" / "result.zip"));
    CHECK(test::slurp(at / "history.csv") == test::slurp(folder / "whole" / "history.csv"));
    // Runs that were killed in each of their epochs have never made a whole pass to keep.
    CHECK((cached || !fs::exists(at / "cache")));
  }
  CHECK(fs::exists(folder / "whole" / "cache") == cached);
}

}  // namespace pipeline_kill_test
