// Training gives the same bits on any number of threads.
#include <cornu/cornu.h>

#include "../catch.h"

namespace same_bits_test {

using namespace cornu;

namespace {

Tensor floats(const Shape& shape, int64_t seed) {
  return random::uniform(shape, -1, 1, Seed(seed));
}

Tensor classes(int64_t samples, int64_t count, int64_t seed) {
  return ops::cast(random::uniform({samples}, 0, static_cast<double>(count), Seed(seed)),
                   DType::int32);
}

// FNV-1a of all bytes.
uint64_t hash_of(const std::vector<Variable>& variables) {
  uint64_t hash = 14695981039346656037ull;
  for (const Variable& v : variables) {
    const auto* bytes = static_cast<const unsigned char*>(v.value().host_data());
    for (size_t i = 0; i < v.value().bytes(); ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  }
  return hash;
}

// A network for 200 steps on these data; a new one for each number of threads.
struct Workload {
  std::string name;
  std::function<std::shared_ptr<Model>()> make;
  Tensor x, y;
  int64_t batch;
};

std::shared_ptr<Model> gpt() {
  constexpr int64_t words = 50, width = 64, steps = 32;
  const Input input(InputConfig{.shape = {steps}, .dtype = DType::int32});
  Tensor x = layers::Embedding({.input_dim = words, .output_dim = width})(input);
  for (int block = 0; block < 2; ++block) {
    const Tensor n = layers::LayerNormalization()(x);
    x = x + layers::MultiHeadAttention({.num_heads = 4, .key_dim = 16})(
                {n, n}, Call{.extra = {{"use_causal_mask", true}}})
                .tensor();
    const Tensor m = layers::LayerNormalization()(x);
    x = x + layers::Dense({.units = width})(
                layers::Dense({.units = 4 * width, .activation = "gelu"})(m));
  }
  return make<Functional>(Nest(input), layers::Dense({.units = words, .activation = "softmax"})(x));
}

std::vector<Workload> workloads() {
  std::vector<Workload> list;
  list.push_back({"MLP",
                  [] {
                    return make<Sequential>(std::vector<AnyLayer>{
                        Input({64}), layers::Dense({.units = 200, .activation = "relu"}),
                        layers::Dropout({.rate = 0.2}),
                        layers::Dense({.units = 10, .activation = "softmax"})});
                  },
                  floats({640, 64}, 1), classes(640, 10, 2), 64});
  list.push_back({"CNN",
                  [] {
                    return make<Sequential>(std::vector<AnyLayer>{
                        Input({16, 16, 3}),
                        layers::Conv2D({.filters = 16, .kernel_size = 3, .padding = "same"}),
                        layers::BatchNormalization(), layers::ReLU(), layers::MaxPooling2D(),
                        layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
                        layers::Flatten(), layers::Dense({.units = 10, .activation = "softmax"})});
                  },
                  floats({64, 16, 16, 3}, 3), classes(64, 10, 4), 16});
  list.push_back({"LSTM",
                  [] {
                    return make<Sequential>(std::vector<AnyLayer>{
                        Input({12, 16}), layers::LSTM({.units = 48, .return_sequences = true}),
                        layers::LSTM({.units = 48}),
                        layers::Dense({.units = 4, .activation = "softmax"})});
                  },
                  floats({96, 12, 16}, 5), classes(96, 4, 6), 24});
  list.push_back({"GPT", gpt, ops::cast(random::uniform({32, 32}, 0, 50, Seed(7)), DType::int32),
                  ops::cast(random::uniform({32, 32, 1}, 0, 50, Seed(8)), DType::int32), 8});
  return list;
}

uint64_t trained(const Workload& workload, int threads) {
  const ThreadScope scope(threads);
  random::set_seed(9);
  const std::shared_ptr<Model> model = workload.make();
  model->compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                  .loss = "sparse_categorical_crossentropy"});
  const int64_t steps = workload.x.shape(0) / workload.batch;
  model->fit(workload.x, workload.y,
             {.batch_size = workload.batch, .epochs = 200 / steps, .verbose = Verbose::silent});
  return hash_of(model->weights());
}

}  // namespace

TEST_CASE("weights after 200 steps are the same for any number of threads") {
  for (const Workload& workload : workloads()) {
    INFO(workload.name);
    const uint64_t one = trained(workload, 1);
    for (const int threads : {2, 3, 4, 8}) {
      INFO(threads << " threads");
      CHECK(trained(workload, threads) == one);
    }
  }
}

}  // namespace same_bits_test
