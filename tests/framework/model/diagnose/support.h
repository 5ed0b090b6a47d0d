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

}  // namespace cornu::test
