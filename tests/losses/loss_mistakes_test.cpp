// What losses refuse, and what they say: weights and targets that do not fit, options out of range
// and misspelt ones. All of it is refused before anything is computed.
#include <cornu/cornu.h>

#include <cmath>

#include "../support/contract.h"
#include "../support/pattern.h"

namespace loss_mistakes_test {

using namespace cornu;
using test::error_of;
using test::has;
using test::pattern;

namespace {

// Those that compare targets and predictions of equal shapes along the last axis.
const std::vector<std::string> pairwise = {"MeanSquaredError",
                                           "MeanAbsoluteError",
                                           "MeanAbsolutePercentageError",
                                           "MeanSquaredLogarithmicError",
                                           "LogCosh",
                                           "Poisson",
                                           "KLDivergence",
                                           "Hinge",
                                           "SquaredHinge",
                                           "CategoricalHinge",
                                           "CosineSimilarity",
                                           "Huber",
                                           "BinaryCrossentropy",
                                           "BinaryFocalCrossentropy",
                                           "CategoricalCrossentropy",
                                           "CategoricalFocalCrossentropy"};

std::shared_ptr<Loss> make(const std::string& name, const Value::Dict& options = {}) {
  const ClassInfo* const info = catalog().find("keras.losses", name);
  REQUIRE(info);
  return std::dynamic_pointer_cast<Loss>(info->make(options));
}

}  // namespace

TEST_CASE("weights that do not fit the samples are refused in each reduction") {
  const Tensor y = pattern("flags 2x3x4"), p = pattern("unit 2x3x4");
  for (const std::string& name : pairwise)
    for (const char* reduction :
         {"sum", "sum_over_batch_size", "mean", "mean_with_sample_weight", "none"})
      for (const char* weight : {"unit 2", "unit 4", "unit 3x2", "unit 2x4", "unit 2x3x4"}) {
        INFO(name << " " << reduction << " " << weight);
        const auto loss = make(name, {{"reduction", reduction}});
        const Tensor w = pattern(weight);
        CHECK_THROWS_AS((*loss)(y, p, w), ShapeError);
        const std::string message = error_of([&] { (*loss)(y, p, w); });
        CHECK(has(message, loss->name()));
        CHECK(has(message, w.shape().str()));
      }
}

TEST_CASE("targets of other shapes are refused") {
  for (const std::string& name : pairwise)
    for (const char* target : {"flags 2x3", "flags 3x4", "flags 4x3x4", "flags 2x2x3x4"}) {
      INFO(name << " " << target);
      const auto loss = make(name);
      const Tensor y = pattern(target), p = pattern("unit 2x3x5");
      const std::string message = error_of([&] { (*loss)(y, p); });
      CHECK(has(message, loss->name()));
      CHECK(has(message, y.shape().str()));
      CHECK(has(message, p.shape().str()));
    }
}

TEST_CASE("crossentropies do not repeat targets") {
  for (const char* name : {"BinaryCrossentropy", "BinaryFocalCrossentropy",
                           "CategoricalCrossentropy", "CategoricalFocalCrossentropy"})
    for (const char* target : {"flags 3x1", "flags 1x4"}) {
      INFO(name << " " << target);
      CHECK_THROWS_AS((*make(name))(pattern(target), pattern("unit 3x4")), ShapeError);
    }
}

TEST_CASE("options of losses out of range are refused") {
  using namespace losses;
  const std::string q = error_of([] { CategoricalGeneralizedCrossEntropy({.q = 1.5}); });
  CHECK(has(q, "1.5"));
  CHECK(has(q, "(0, 1)"));
  CHECK_THROWS_AS(CategoricalGeneralizedCrossEntropy({.q = 0.0}), ValueError);
  CHECK_THROWS_AS(CategoricalGeneralizedCrossEntropy({.q = std::nan("")}), ValueError);
  const Tensor p = pattern("unit 2x3");
  for (const int64_t axis : {2, -3}) {
    INFO("axis " << axis);
    const std::string message =
        error_of([&] { CategoricalCrossentropy({.axis = axis})(pattern("one_hot 2x3"), p); });
    CHECK(has(message, "axis"));
    CHECK(has(message, std::to_string(axis)));
    CHECK_THROWS_AS(BinaryCrossentropy({.axis = axis})(pattern("flags 2x3"), p), ValueError);
    CHECK_THROWS_AS(CosineSimilarity({.axis = axis})(p, p), ValueError);
    CHECK_THROWS_AS(Dice({.axis = axis})(p, p), ValueError);
  }
  CHECK_THROWS_AS(CategoricalFocalCrossentropy({.alpha = {0.2, 0.8}})(pattern("one_hot 2x3"), p),
                  ShapeError);
}

TEST_CASE("reductions that are misspelt are answered with the nearest") {
  for (const std::string& name : pairwise) {
    const std::string message = error_of([&] {
      make(name, {{"reduction", "sum_over_batchsize"}});
    });
    CHECK(has(message, "Did you mean 'sum_over_batch_size'?"));
    CHECK(has(message, "mean_with_sample_weight"));
  }
}

TEST_CASE("options that are misspelt in files are answered with the nearest") {
  const std::vector<std::tuple<const char*, const char*, const char*>> cases = {
      {"Huber", "dleta", "delta"},
      {"BinaryCrossentropy", "from_logit", "from_logits"},
      {"BinaryFocalCrossentropy", "gama", "gamma"},
      {"CategoricalCrossentropy", "label_smooth", "label_smoothing"},
      {"SparseCategoricalCrossentropy", "ignore_clas", "ignore_class"},
      {"Tversky", "alpah", "alpha"},
      {"Circle", "remove_diagonals", "remove_diagonal"},
      {"MeanSquaredError", "reductions", "reduction"}};
  for (const auto& [name, wrong, right] : cases) {
    INFO(name);
    const std::string message = error_of([&, n = name, w = wrong] { make(n, {{w, 1}}); });
    CHECK(has(message, wrong));
    CHECK(has(message, right));
  }
  CHECK(has(error_of([] { make("Huber", {{"delta", "wide"}}); }), "delta"));
  CHECK(has(error_of([] { make("BinaryCrossentropy", {{"from_logits", 0.5}}); }), "from_logits"));
  CHECK(has(error_of([] { make("Huber", {{"dtype", "float31"}}); }), "float3"));
}

TEST_CASE("losses of whole regions and of embeddings refuse what is neither") {
  CHECK_THROWS_AS(losses::Circle()(pattern("labels2 3 @int32"), pattern("unit 4x2")), ShapeError);
  CHECK_THROWS_AS(losses::Circle()(pattern("labels2 3 @int32"), pattern("unit 3")), ShapeError);
  CHECK_THROWS_AS(losses::Dice()(pattern("flags 2x3"), pattern("unit 2x4")), ShapeError);
  CHECK_THROWS_AS(losses::Tversky()(pattern("flags 2x3"), pattern("unit 4x3")), ShapeError);
  CHECK_THROWS_AS(losses::CTC()(pattern("labels2 3 @int32"), pattern("unit 3x4x2")), ShapeError);
  CHECK_THROWS_AS(losses::CTC()(pattern("labels2 2x3 @int32"), pattern("unit 3x4x2")), ShapeError);
}

TEST_CASE("a loss that was refused leaves nothing behind") {
  const auto loss = make("MeanSquaredError");
  const Tensor y = pattern("real 2x3"), p = pattern("real 2x3 ~1");
  const double before = (*loss)(y, p).item();
  CHECK_THROWS_AS((*loss)(y, pattern("real 2x5")), ShapeError);
  CHECK((*loss)(y, p).item() == before);
  Function compiled([&](const Nest& in) { return Nest((*loss)(in[0], in[1])); });
  CHECK(compiled(Nest{y, p}).tensor().item() == Approx(before));
  CHECK_THROWS_AS(compiled(Nest{y, pattern("real 2x5")}), ShapeError);
  CHECK(compiled(Nest{y, p}).tensor().item() == Approx(before));
}

}  // namespace loss_mistakes_test
