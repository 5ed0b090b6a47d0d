// Losses and metrics as functions, and MeanMetricWrapper.
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/logic.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/losses/functions.h>

#include "catch.h"
#include "losses/golden.h"
#include "support/all_close.h"

namespace functions_test {

using namespace cornu;

namespace {

const Tensor targets = Tensor::from({0.f, 1.f, 1.f, 0.f}, {2, 2});
const Tensor predictions = Tensor::from({0.1f, 0.7f, 0.4f, 0.2f}, {2, 2});

}  // namespace

TEST_CASE("a loss function gives the values of its class") {
  const auto same = [](const Tensor& a, const Tensor& b) { return test::all_close(a, b); };
  CHECK(same(losses::mean_squared_error(targets, predictions),
             losses::MeanSquaredError({.reduction = "none"})(targets, predictions)));
  CHECK(same(losses::binary_crossentropy(targets, predictions, {.from_logits = true}),
             losses::BinaryCrossentropy({.from_logits = true, .reduction = "none"})(targets,
                                                                                    predictions)));
  CHECK(same(losses::evaluate("huber", targets, predictions, {{"delta", 0.1}}),
             losses::huber(targets, predictions, {.delta = 0.1})));
  CHECK(losses::mean_squared_error(targets, ops::cast(predictions, DType::float16)).dtype() ==
        DType::float16);
  CHECK_THROWS_WITH(losses::evaluate("hinge_los", targets, predictions), test::contains("inge"));
  CHECK_THROWS_AS(losses::evaluate("hinge", targets, predictions, {{"delta", 1}}), ValueError);
}

TEST_CASE("values are of the predictions' type, whatever the targets are") {
  for (const char* name : {"dice", "tversky", "mean_squared_error", "kl_divergence"})
    for (const DType type : {DType::float64, DType::int64, DType::boolean})
      for (const DType half : {DType::float16, DType::bfloat16}) {
        CAPTURE(name, dtype_name(type), dtype_name(half));
        const Tensor values =
            losses::evaluate(name, ops::cast(targets, type), ops::cast(predictions, half));
        CHECK(values.dtype() == half);
        CHECK(test::all_close(ops::cast(values, DType::float32),
                              losses::evaluate(name, targets, predictions), 0.02, 0.02));
      }
}

TEST_CASE("classes of a focal crossentropy have weights") {
  using losses::categorical_focal_crossentropy;
  const Tensor first = categorical_focal_crossentropy(targets, predictions, {.alpha = 0.3});
  const Tensor second = categorical_focal_crossentropy(targets, predictions, {.alpha = 0.7});
  // The first sample is of class 1, the second of class 0.
  const std::vector<float> expected = {second.to_vector<float>()[0], first.to_vector<float>()[1]};
  CHECK(test::all_close(categorical_focal_crossentropy(targets, predictions, {.alpha = {0.3, 0.7}}),
                        Tensor(expected)));
  const losses::CategoricalFocalCrossentropy loss({.alpha = {0.3, 0.7}});
  const auto again = losses::CategoricalFocalCrossentropyLoss::from_config(loss->get_config());
  CHECK(again->config.alpha.values() == std::vector<double>{0.3, 0.7});
}

TEST_CASE("a circle loss compares with references") {
  const Tensor labels = Tensor::from({0, 1}, {2});
  const Tensor embeddings = Tensor::from({1.f, 0.f, 0.f, 1.f}, {2, 2});
  const Tensor itself =
      losses::circle(labels, embeddings, {.gamma = 4, .remove_diagonal = false}, {});
  const Tensor other = losses::circle(labels, embeddings, {.gamma = 4, .remove_diagonal = false},
                                      {.labels = labels, .embeddings = embeddings});
  CHECK(test::all_close(itself, other));
  CHECK(itself.mask().dtype() == DType::boolean);
  CHECK_THROWS_AS(losses::circle(labels, ops::ones({3, 2})), ShapeError);
}

TEST_CASE("CTC is infinite where labels do not fit, and refuses other shapes") {
  const Tensor labels = Tensor::from({1, 1}, {1, 2});
  CHECK(std::isinf(losses::CTC()(labels, ops::zeros({1, 2, 3})).item()));
  // One way: label, blank, label.
  CHECK(losses::CTC()(labels, ops::zeros({1, 3, 3})).item() == Approx(3 * std::log(3.0)));
  CHECK_THROWS_AS(losses::CTC()(labels, ops::zeros({2, 3})), ShapeError);
}

TEST_CASE("options of losses are checked") {
  CHECK_THROWS_AS(losses::CategoricalGeneralizedCrossEntropy({.q = 1}), ValueError);
  CHECK_THROWS_AS(losses::CategoricalFocalCrossentropy()(ops::ones({2}), ops::ones({2, 3})),
                  ShapeError);
}

TEST_CASE("options may stand in Keras's order without names, and give Keras's values") {
  const Tensor t = Tensor::from({0.f, 1.f, 0.f, 0.f, 0.f, 1.f}, {2, 3});
  const Tensor y = Tensor::from({0.1f, 0.7f, 0.2f, 0.3f, 0.3f, 0.4f}, {2, 3});
  const Tensor classes = Tensor::from<int32_t>({1, 2}, {2});
  const auto is = [](const Tensor& found, const std::vector<float>& expected) {
    UNSCOPED_INFO("found " << found);
    return test::all_close(found, Tensor(expected), 1e-5, 1e-6);
  };
  using namespace losses;
  CHECK(is(binary_crossentropy(t, y, true, 0.1, -1), {0.6552405f, 0.7372419f}));
  CHECK(is(binary_focal_crossentropy(t, y, true, 0.3, 1.5, false, 0.1, -1),
           {0.0175725f, 0.0760596f}));
  CHECK(is(categorical_crossentropy(t, y, true, 0.1, -1), {0.8046163f, 1.0397353f}));
  CHECK(is(categorical_crossentropy(t, y, false, 0.2, 0), {0.1115984f, 0.3893832f, 0.4246439f}));
  CHECK(
      is(categorical_focal_crossentropy(t, y, 0.3, 1.5, false, 0.1, -1), {0.0475862f, 0.1333414f}));
  CHECK(is(categorical_generalized_cross_entropy(classes, y, 0.3), {0.3382552f, 0.8011407f}));
  CHECK(is(cosine_similarity(t, y, 0), {0, -0.9191450f, -0.8944271f}));
  CHECK(is(dice(t, y, 1), {0.3f, 0.6f}));
  CHECK(is(dice(t, y, std::vector<int64_t>{1}), {0.3f, 0.6f}));
  CHECK(dice(t, y, std::nullopt).rank() == 0);
  CHECK(is(huber(t, y, 0.25), {0.0229167f, 0.0687500f}));
  CHECK(is(sparse_categorical_crossentropy(classes, y, true, 2, -1), {0.7679496f, 0}));
  CHECK(is(tversky(t, y, 0.3, 0.7, 1), {0.3f, 0.6f}));

  const Tensor embeddings = Tensor::from({0.6f, 0.8f, 1.f, 0.f, 0.8f, 0.6f}, {3, 2});
  const Tensor labels = Tensor::from<int32_t>({0, 1, 0}, {3});
  const Tensor reference = Tensor::from({1.f, 0.f, 0.f, 1.f}, {2, 2});
  const Tensor of_reference = Tensor::from<int32_t>({0, 1}, {2});
  CHECK(is(circle(labels, embeddings, of_reference, reference, false, 8, 0.3),
           {4.9669881f, 14.5599995f, 1.9187499f}));
  CHECK(is(circle(labels, embeddings, Tensor(), Tensor(), true, 8, 0.3),
           {1.6629916f, 0, 3.7173967f}));
}

}  // namespace functions_test
