// What the tests of diagnose share: data that can be learned, models, and the ids of findings.
#pragma once
#include <catch.h>
#include <cornu/cornu.h>

#include <random>
#include <string>
#include <vector>

namespace cornu::test {

/// Normal numbers, the same everywhere.
inline std::vector<float> normal_numbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& v : values) {
    // The sum of twelve uniforms: distributions of the library differ between systems.
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random()) / 4294967296.0;
    v = static_cast<float>(sum);
  }
  return values;
}
inline Tensor normal(const Shape& shape, unsigned seed = 1) {
  return Tensor::from(normal_numbers(static_cast<size_t>(shape.numel()), seed), shape);
}

/// x (n, features), the score of a hidden rule, and labels made of it.
struct Problem {
  Tensor x;
  std::vector<float> score;

  explicit Problem(int64_t n = 256, int64_t features = 8, unsigned seed = 1)
      : x(normal({n, features}, seed)) {
    const std::vector<float> values = x.to_vector<float>(),
                             w = normal_numbers(static_cast<size_t>(features), seed + 100),
                             noise = normal_numbers(static_cast<size_t>(n), seed + 200);
    for (int64_t i = 0; i < n; ++i) {
      float s = 0.1f * noise[static_cast<size_t>(i)];
      for (int64_t k = 0; k < features; ++k)
        s += values[static_cast<size_t>(i * features + k)] * w[static_cast<size_t>(k)];
      score.push_back(s / 2);
    }
  }
  int64_t n() const { return static_cast<int64_t>(score.size()); }
  Tensor regression() const { return Tensor::from(score, {n(), 1}); }
  Tensor binary() const {
    std::vector<float> y;
    for (float s : score) y.push_back(s > 0 ? 1.f : 0.f);
    return Tensor::from(y, {n(), 1});
  }
  /// Class 0, 1 or 2 by the score.
  Tensor classes() const {
    std::vector<int32_t> y;
    for (float s : score) y.push_back(s > 0.2f ? 2 : s > -0.2f ? 1 : 0);
    return Tensor::from(y, {n()});
  }
  Tensor one_hot() const { return ops::one_hot(classes(), 3); }
};

/// A perceptron with a hidden layer.
inline Sequential mlp(int64_t units, const char* activation, int64_t hidden = 16) {
  return Sequential({layers::Dense({.units = hidden, .activation = "relu"}),
                     layers::Dense({.units = units, .activation = activation})});
}

using Ids = std::vector<std::string>;

/// The ids that diagnose gives, in their order, each once.
inline Ids ids_of(const std::vector<Finding>& findings) {
  Ids ids;
  for (const Finding& f : findings) {
    UNSCOPED_INFO(f.str());
    CHECK_FALSE(f.evidence.empty());
    CHECK_FALSE(f.fix.empty());
    if (std::find(ids.begin(), ids.end(), f.id) == ids.end()) ids.push_back(f.id);
  }
  return ids;
}

/// The ids of a model that is compiled like this.
inline Ids diagnosed(Model& model, CompileOptions compile, const Nest& x, const Nest& y,
                     const DiagnoseOptions& options = {}) {
  model.compile(std::move(compile));
  return ids_of(model.diagnose(x, y, options));
}
inline Ids diagnosed(Model&& model, CompileOptions compile, const Nest& x, const Nest& y,
                     const DiagnoseOptions& options = {}) {
  return diagnosed(model, std::move(compile), x, y, options);
}

/// The perceptron as a graph, and as a class of its own.
inline Functional functional_mlp(int64_t features, int64_t units, const char* activation) {
  Input x({features});
  const Tensor hidden = layers::Dense({.units = 16, .activation = "relu"})(x);
  return Functional(x, layers::Dense({.units = units, .activation = activation})(hidden));
}
class SubclassedMlp : public Model {
 public:
  SubclassedMlp(int64_t units, const char* activation)
      : out(layers::Dense({.units = units, .activation = activation})) {
    track("hidden", hidden);
    track("out", out);
  }
  Tensor call(const Tensor& x, const Call&) override { return out(hidden(x)); }
  layers::Dense hidden = layers::Dense({.units = 16, .activation = "relu"});
  layers::Dense out;
};

/// Pictures (n, 12, 12, 1) in [0, 1], a bright square in one of four corners, which is the class.
struct Pictures {
  std::vector<float> pixels;
  std::vector<int32_t> corners;
  Pictures() {
    const std::vector<float> noise = normal_numbers(160 * 144, 5);
    std::mt19937 random(2);
    for (size_t i = 0; i < 160; ++i) {
      const size_t corner = random() % 4;
      corners.push_back(static_cast<int32_t>(corner));
      for (size_t k = 0; k < 144; ++k) {
        const bool inside = (k / 12 >= 6) == (corner >= 2) && (k % 12 >= 6) == (corner % 2 == 1);
        pixels.push_back(
            std::clamp(0.2f + 0.1f * noise[i * 144 + k] + (inside ? 0.5f : 0), 0.f, 1.f));
      }
    }
  }
  Tensor x() const { return Tensor::from(pixels, {160, 12, 12, 1}); }
  Tensor y() const { return Tensor::from(corners, {160}); }
};

/// A small network for them, which ends with this activation.
inline Sequential convnet(const char* activation) {
  return Sequential({layers::Conv2D({.filters = 8, .kernel_size = 3, .activation = "relu"}),
                     layers::MaxPooling2D({.pool_size = 2}), layers::Flatten(),
                     layers::Dense({.units = 4, .activation = activation})});
}

/// Sentences (n, 12) of words 1 to 9, padded with 0, and whether high words prevail.
struct Sentences {
  std::vector<int32_t> words;
  std::vector<float> high;
  explicit Sentences(bool padded = true) {
    std::mt19937 random(1);
    for (int i = 0; i < 128; ++i) {
      const int length = padded ? 3 + static_cast<int>(random() % 8) : 12;
      int sum = 0;
      for (int t = 0; t < 12; ++t) {
        const int word = t < length ? 1 + static_cast<int>(random() % 9) : 0;
        words.push_back(word);
        sum += word > 5 ? 1 : word > 0 ? -1 : 0;
      }
      high.push_back(sum > 0 ? 1.f : 0.f);
    }
  }
  Tensor x() const { return Tensor::from(words, {128, 12}); }
  Tensor y() const { return Tensor::from(high, {128, 1}); }
};
inline layers::Embedding masked_embedding() {
  return layers::Embedding({.input_dim = 10, .output_dim = 8, .mask_zero = true});
}

/// What many of the tests compile with.
inline CompileOptions for_regression() { return {.optimizer = "adam", .loss = "mse"}; }
inline CompileOptions for_binary() { return {.optimizer = "adam", .loss = "binary_crossentropy"}; }
inline CompileOptions for_classes() {
  return {.optimizer = "adam", .loss = "sparse_categorical_crossentropy"};
}
inline CompileOptions for_one_hot() {
  return {.optimizer = "adam", .loss = "categorical_crossentropy"};
}

}  // namespace cornu::test
