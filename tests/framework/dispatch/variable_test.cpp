// Variables: assignment, identity, mixed precision.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/dispatch/node.h>
#include <cornu/framework/dispatch/variable.h>
#include <cornu/framework/ops/ops.h>

#include <thread>

#include "catch.h"
#include "support/matchers.h"

namespace variable_test {

using namespace cornu;

TEST_CASE("a variable changes, what was read from it does not") {
  Variable v(Tensor::from({1.0f, 2.0f}, {2}), {.name = "w"});
  // What was read, and no reference to what will be there.
  const Tensor before = v.value();  // NOLINT(performance-unnecessary-copy-initialization)
  v.assign(Tensor::from({5.0, 6.0}, {2}));
  CHECK(before.to_vector<float>() == std::vector<float>{1, 2});
  CHECK(v.value().to_vector<float>() == std::vector<float>{5, 6});
  CHECK(v.dtype() == DType::float32);
  v.assign_add(ops::ones({2}));
  v.assign_sub(Tensor::from({2.0f, 0.0f}, {2}));
  CHECK(v.value().to_vector<float>() == std::vector<float>{4, 7});
  CHECK(v.name() == "w");
  CHECK(v.path() == "w");
  CHECK(v.trainable());
}

TEST_CASE("handles of a variable are one variable") {
  Variable a(ops::zeros({1})), c(ops::zeros({1}));
  Variable b = a;  // NOLINT(performance-unnecessary-copy-initialization)
  b.assign(ops::ones({1}));
  CHECK(a.value().item() == 1);
  CHECK(a == b);
  CHECK_FALSE(a == c);
  CHECK(a.key() == b.key());
  CHECK(a.value().impl()->key == a.key());
}

TEST_CASE("a variable made from a number is no longer weak") {
  Variable v(Tensor(2.0));
  CHECK_FALSE(v.value().is_weak());
  v.assign(3.0);
  CHECK_FALSE(v.value().is_weak());
  CHECK(v.value().item() == 3);
  CHECK((Tensor(v) + ops::ones({}, DType::float16)).dtype() == DType::float32);
}

TEST_CASE("operations read variables in the dtype of the innermost autocast") {
  const Variable v(ops::ones({2})), whole(ops::ones({2}, DType::int32));
  {
    const AutocastScope outer(DType::bfloat16);
    CHECK(Tensor(v).dtype() == DType::bfloat16);
    CHECK(v.value().dtype() == DType::float32);
    CHECK(Tensor(whole).dtype() == DType::int32);
    {
      const AutocastScope inner(DType::float16);
      CHECK(Tensor(v).dtype() == DType::float16);
    }
    CHECK(Tensor(v).dtype() == DType::bfloat16);
  }
  CHECK(Tensor(v).dtype() == DType::float32);
}

TEST_CASE("nothing is assigned while shapes are inferred") {
  Variable v(ops::ones({2}));
  const InferenceScope scope;
  v.assign(ops::zeros({2}));
  CHECK(v.value().to_vector<float>() == std::vector<float>{1, 1});
}

TEST_CASE("variables say what they refuse") {
  Variable v(ops::ones({2}), {.name = "w"});
  v.set_path("dense/w");
  CHECK_THROWS_WITH(
      v.assign(ops::ones({3})),
      "Variable 'dense/w': cannot assign a value of shape (3,) to a variable of shape (2,).");
  CHECK_THROWS_AS(v.assign(ops::ones({3})), ShapeError);
  Variable none;
  CHECK_FALSE(none);
  CHECK_THROWS_WITH(none.value(),
                    "Variable::value: this variable has not been created yet. That of a layer is "
                    "there once the layer is built: call the layer on data or build it before.");
  CHECK_THROWS_WITH(none.assign(1.0), Catch::Contains("Variable::assign: this variable"));
  CHECK_THROWS_AS(none.shape(), StateError);
  CHECK_THROWS_AS(none.dtype(), StateError);
  CHECK_THROWS_AS(none.path(), StateError);
  CHECK_THROWS_AS(none.trainable(), StateError);
  CHECK_THROWS_AS(none.set_trainable(true), StateError);
  CHECK_THROWS_AS(none.key(), StateError);
  CHECK_THROWS_AS(none.assign(1.0), StateError);
  CHECK_THROWS_AS(none.assign_add(1.0), StateError);
  CHECK_THROWS_WITH(
      v.assign(Tensor()),
      "Variable 'dense/w': cannot assign an empty Tensor to a variable of shape (2,).");
  CHECK_THROWS_AS(Variable(Tensor()), ValueError);
  CHECK_THROWS_AS(v.assign_add(ops::ones({3, 2})), ShapeError);
  CHECK_THROWS_AS(v.assign_sub(ops::ones({3})), ShapeError);
  CHECK(v.value().to_vector<float>() == std::vector<float>{1, 1});
}

TEST_CASE("what is assigned takes the variable's dtype, and broadcasts where it is added") {
  for (const DType dtype :
       {DType::float16, DType::bfloat16, DType::float64, DType::int32, DType::int8, DType::uint8}) {
    INFO(dtype_name(dtype));
    Variable v(ops::zeros({2, 3}, dtype));
    v.assign(ops::full({2, 3}, 2.75));
    CHECK(v.dtype() == dtype);
    CHECK(v.value().to_vector<float>()[5] == (is_float(dtype) ? 2.75f : 2.0f));
    v.assign_add(Tensor::from({1, 2, 3}, {3}));
    v.assign_sub(Tensor::from({1.0, 0.0}, {2, 1}));
    v.assign_add(0.5);
    CHECK(v.dtype() == dtype);
    const float first = is_float(dtype) ? 2.75f + 0.5f : 2.0f;
    CHECK(v.value().to_vector<float>() ==
          std::vector<float>{first, first + 1, first + 2, first + 1, first + 2, first + 3});
  }
  Variable flags(ops::zeros({2}, DType::boolean));
  flags.assign(Tensor::from({0.5f, 0.0f}, {2}));
  CHECK(flags.value().to_vector<bool>() == std::vector<bool>{true, false});
}

TEST_CASE("variables may be assigned themselves and each other, without sharing what changes") {
  Variable a(Tensor::from({1.0f, 2.0f}, {2})), b(Tensor::from({3.0f, 4.0f}, {2}));
  a.assign(a);
  CHECK(a.value().to_vector<float>() == std::vector<float>{1, 2});
  b.assign(a.value());
  a.assign_add(b);
  CHECK(a.value().to_vector<float>() == std::vector<float>{2, 4});
  CHECK(b.value().to_vector<float>() == std::vector<float>{1, 2});
  CHECK(b.value().impl()->key == b.key());
  CHECK(a.value().impl()->key == a.key());
}

TEST_CASE("a variable is indexed as its value is") {
  const Variable v(ops::array({{1, 2, 3}, {4, 5, 6}}, "float32"));
  CHECK(v[0].to_vector<float>() == std::vector<float>{1, 2, 3});
  CHECK(v[-1].to_vector<float>() == std::vector<float>{4, 5, 6});
  CHECK(v[Slice(1, {})].shape() == Shape{1, 3});
  CHECK(v[{Slice(), 1}].to_vector<float>() == std::vector<float>{2, 5});
  CHECK(v[{ellipsis, newaxis}].shape() == Shape{2, 3, 1});
  CHECK(v[v.value() > 4].to_vector<float>() == std::vector<float>{5, 6});
  CHECK_THROWS_AS(v[2], ShapeError);
  GradientTape tape;
  const Tensor y = ops::sum(v[1] * 2);
  CHECK(tape.gradient(y, v).to_vector<float>() == std::vector<float>{0, 0, 0, 2, 2, 2});
  // As in Keras, it is the value that an operation sees.
  const AutocastScope half(DType::float16);
  CHECK(v[0].dtype() == DType::float16);
}

TEST_CASE("an overlay keeps assignments to itself until they are committed") {
  Variable v(Tensor::from({1.0f}, {1}));
  {
    VariableOverlay outer;
    v.assign(Tensor::from({2.0f}, {1}));
    {
      VariableOverlay inner;
      v.assign_add(Tensor::from({5.0f}, {1}));
      CHECK(v.value().item() == 7);
      double elsewhere = 0;
      std::thread([&] { elsewhere = v.value().item(); }).join();
      CHECK(elsewhere == 1);
    }
    CHECK(v.value().item() == 7);  // the outer overlay's
  }
  CHECK(v.value().item() == 1);
  {
    VariableOverlay overlay;
    v.assign(Tensor::from({3.0f}, {1}));
    overlay.commit();
  }
  CHECK(v.value().item() == 3);
}

TEST_CASE("a value of another kind is named") {
  CHECK_THROWS_WITH(
      Value(3).get<double>(),
      cornu::test::contains("expected a number, found an integer, which number() reads"));
  CHECK_THROWS_WITH(Value("x").get<bool>(), cornu::test::contains("expected a bool, found text"));
}

TEST_CASE("numbers in braces are assigned") {
  const Variable v(Tensor::from({0.0f, 0.0f}, {2})), one(Tensor::from({0.0f}, {}));
  v.assign({1, 2});
  CHECK(v.value().to_vector<float>() == std::vector<float>{1, 2});
  CHECK(v.dtype() == DType::float32);
  v.assign_add({0.5, 1.5});
  CHECK(v.value().to_vector<float>() == std::vector<float>{1.5, 3.5});
  v.assign_sub({1});
  CHECK(v.value().to_vector<float>() == std::vector<float>{0.5, 2.5});
  one.assign({3});
  CHECK(one.value().item() == 3);
  CHECK_THROWS_AS(v.assign({1, 2, 3}), ShapeError);
}

}  // namespace variable_test
