// Initializers, regularizers and constraints at their edges: weights without elements or axes, zero
// and infinite numbers, other dtypes, several axes at a time. Numbers are Keras's.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include <cmath>
#include <limits>
#include <thread>

#include "../../support/all_close.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"

namespace weight_edges_test {

using namespace cornu;
using test::equals;
using test::error_of;
using test::has;

namespace {

const Tensor x = Tensor::from({1.0f, -2.0f, 3.0f, 0.0f, -1.0f, 0.5f}, {2, 3});
const Tensor zeros = ops::zeros({2, 2});

std::shared_ptr<Initializer> initializer(const std::string& name, Value::Dict options = {}) {
  const ClassInfo* const info = catalog().find_by_name("keras.initializers", name);
  REQUIRE(info);
  return std::dynamic_pointer_cast<Initializer>(info->make(options));
}

const std::vector<std::string> random_names = {"RandomNormal", "RandomUniform",  "TruncatedNormal",
                                               "GlorotNormal", "GlorotUniform",  "HeNormal",
                                               "HeUniform",    "LecunNormal",    "LecunUniform",
                                               "Orthogonal",   "VarianceScaling"};

double largest(const Tensor& t) { return ops::max(ops::absolute(t)).item(); }

}  // namespace

TEST_CASE("constraints give Keras's numbers, along one axis, the last and several") {
  using namespace constraints;
  struct Case {
    Choice<Constraint> constraint;
    std::vector<double> result;
  };
  const std::vector<double> columns = {0.99999988, -0.89442718, 0.98639393,
                                       0,          -0.44721359, 0.16439898};
  const std::vector<Case> cases = {
      {MaxNorm({.max_value = 1}), columns},
      {MaxNorm({.max_value = 1, .axis = 1}),
       {0.26726124, -0.53452247, 0.80178368, 0, -0.89442706, 0.44721353}},
      {MaxNorm({.max_value = 2, .axis = -1}),
       {0.53452247, -1.06904495, 1.60356736, 0, -0.99999988, 0.49999994}},
      {MaxNorm({.max_value = 0}), {0, 0, 0, 0, 0, 0}},
      {UnitNorm(), columns},
      {UnitNorm({.axis = {0, 1}}),
       {0.25607374, -0.51214749, 0.76822126, 0, -0.25607374, 0.12803687}},
      {UnitNorm({.axis = {-1, 0}}),
       {0.25607374, -0.51214749, 0.76822126, 0, -0.25607374, 0.12803687}},
      {MinMaxNorm({.min_value = 0.5, .max_value = 1.0}), columns},
      {MinMaxNorm({.min_value = 0.5, .max_value = 1.0, .rate = 0.3, .axis = 1}),
       {0.78017837, -1.56035674, 2.34053516, 0, -0.968328, 0.484164}},
      {NonNeg(), {1, 0, 3, 0, 0, 0.5}}};
  for (const Case& c : cases) {
    INFO(cornu::to_json(serialize(*c.constraint)));
    CHECK(equals((*c.constraint)(x), c.result, 1e-6));
    CHECK((*c.constraint)(x).shape() == x.shape());
    // In other types, in those types.
    for (const DType dtype : {DType::float64, DType::float16, DType::bfloat16}) {
      const Tensor y = (*c.constraint)(ops::cast(x, dtype));
      CHECK(y.dtype() == dtype);
      CHECK(equals(y, c.result, dtype == DType::float64 ? 1e-6 : 2e-2));
    }
    auto compiled = function([&](const Tensor& t) -> Tensor { return (*c.constraint)(t); });
    for (int i = 0; i < 3; ++i) CHECK(equals(compiled(x), c.result, 1e-6));
    // Weights of zeros, and of no element, stay.
    CHECK(equals((*c.constraint)(zeros), {0, 0, 0, 0}, 1e-12));
    CHECK((*c.constraint)(ops::zeros({2, 0})).shape() == Shape{2, 0});
    CHECK((*c.constraint)(ops::zeros({0, 2})).shape() == Shape{0, 2});
  }
}

TEST_CASE("constraints on vectors and scalars, and of numbers that are none") {
  using namespace constraints;
  CHECK(equals(UnitNorm()(Tensor::from({3.0f, 4.0f}, {2})), {0.6, 0.8}, 1e-6));
  CHECK(NonNeg()(Tensor::from({-3.0f}, {})).item() == 0);
  const float infinity = std::numeric_limits<float>::infinity();
  const auto odd =
      NonNeg()(Tensor::from({std::nanf(""), -1.0f, infinity, -infinity}, {4})).to_vector<float>();
  CHECK(std::isnan(odd[0]));
  CHECK(odd[1] == 0);
  CHECK(odd[2] == infinity);
  CHECK(odd[3] == 0);
  CHECK_THROWS_AS(MaxNorm({.max_value = 1, .axis = 2})(x), ValueError);
  CHECK_THROWS_AS(UnitNorm({.axis = {0, 0}})(x), ValueError);
}

TEST_CASE("penalties give Keras's numbers, also of whole numbers and of none") {
  using namespace regularizers;
  struct Case {
    Choice<Regularizer> penalty;
    double result, of_whole;
  };
  const std::vector<Case> cases = {{L1({.l1 = 0.1}), 0.75, 0},
                                   {L2({.l2 = 0.1}), 1.525, 0},
                                   {L1L2({.l1 = 0.1, .l2 = 0.2}), 3.8, 0},
                                   {L1L2(), 0, 0}};
  for (const Case& c : cases) {
    INFO(cornu::to_json(serialize(*c.penalty)));
    CHECK((*c.penalty)(x).item() == Approx(c.result).epsilon(1e-6));
    CHECK((*c.penalty)(x).shape() == Shape{});
    for (const DType dtype : {DType::float64, DType::float16, DType::bfloat16}) {
      const Tensor y = (*c.penalty)(ops::cast(x, dtype));
      CHECK(y.dtype() == dtype);
      CHECK(y.item() == Approx(c.result).epsilon(1e-2));
    }
    CHECK((*c.penalty)(ops::zeros({0, 2})).item() == 0);
    CHECK((*c.penalty)(Tensor::from({-2.0f}, {})).item() ==
          Approx((*c.penalty)(Tensor::from({-2.0f}, {1, 1, 1})).item()));
  }
  CHECK(OrthogonalRegularizer()(x).item() == Approx(0.0083666).epsilon(1e-5));
  CHECK(OrthogonalRegularizer({.factor = 0.1})(x).item() == Approx(0.083666).epsilon(1e-5));
  CHECK(OrthogonalRegularizer({.factor = 0.1})(ops::eye(3)).item() == Approx(0).margin(1e-9));
  // One row has no other.
  CHECK(std::isnan(OrthogonalRegularizer()(ops::ones({1, 3})).item()));
}

TEST_CASE("gradients of penalties agree with finite differences, and are finite at zero") {
  using namespace regularizers;
  const std::vector<Choice<Regularizer>> penalties = {
      L1({.l1 = 0.3}), L2({.l2 = 0.2}), L1L2({.l1 = 0.1, .l2 = 0.2}),
      OrthogonalRegularizer({.factor = 0.5}),
      OrthogonalRegularizer({.factor = 0.5, .mode = "columns"})};
  for (const Choice<Regularizer>& penalty : penalties) {
    INFO(cornu::to_json(serialize(*penalty)));
    CHECK(test::gradient_error([&](const std::vector<Tensor>& v) { return (*penalty)(v[0]); },
                               {test::noise({3, 4}, 0.2, 1, 5)}) < 1e-6);
    GradientTape tape;
    tape.watch(zeros);
    const Tensor g = tape.gradient((*penalty)(zeros), zeros);
    for (const double v : g.to_vector<double>()) CHECK(v == 0);
  }
}

TEST_CASE("the spread follows from the fans of each shape, in each mode") {
  struct Case {
    Shape shape;
    double in, out;
  };
  const std::vector<Case> cases = {{{}, 1, 1},
                                   {{5}, 5, 5},
                                   {{4, 6}, 4, 6},
                                   {{3, 3, 4, 6}, 36, 54},
                                   {{2, 3, 4}, 6, 8},
                                   {{1, 1}, 1, 1},
                                   {{2, 2, 2, 3, 5}, 24, 40},
                                   {{0, 3}, 0, 3}};
  for (const Case& c : cases) {
    INFO(c.shape.str());
    const initializers::Fans fans = initializers::compute_fans(c.shape, {}, {});
    CHECK(fans.in == c.in);
    CHECK(fans.out == c.out);
    for (const auto& [mode, fan] : std::vector<std::pair<std::string, double>>{
             {"fan_in", c.in}, {"fan_out", c.out}, {"fan_avg", (c.in + c.out) / 2}}) {
      const auto draws =
          initializer("VarianceScaling",
                      {{"scale", 1.0}, {"mode", mode}, {"distribution", "uniform"}, {"seed", 1}});
      const Tensor t = (*draws)(c.shape, DType::float32);
      CHECK(t.shape() == c.shape);
      // The same draws, scaled: the limit of a uniform distribution is sqrt(3 / fan).
      const Tensor plain = random::uniform(c.shape, -1, 1, 1);
      if (t.size() > 0)
        CHECK(test::all_close(t, plain * std::sqrt(3 / std::max(1.0, fan)), 1e-5, 1e-6));
    }
  }
  // Keras's largest draws of seed 1.
  const auto of_mode = [](const char* mode, const Shape& shape) {
    return largest((*initializer("VarianceScaling",
                                 {{"mode", mode}, {"distribution", "uniform"}, {"seed", 1}}))(
        shape, DType::float32));
  };
  CHECK(of_mode("fan_in", {4, 6}) == Approx(0.83298731));
  CHECK(of_mode("fan_out", {3, 3, 4, 6}) == Approx(0.23493964));
  CHECK(of_mode("fan_avg", {2, 3, 4}) == Approx(0.6296792));
}

TEST_CASE(
    "an initializer draws the same for the same shape, and another seed draws other numbers") {
  for (const std::string& name : random_names) {
    INFO(name);
    const auto one = initializer(name, {{"seed", 7}}), two = initializer(name, {{"seed", 7}}),
               other = initializer(name, {{"seed", 8}});
    const Tensor t = (*one)({4, 5}, DType::float32);
    CHECK(test::identical((*one)({4, 5}, DType::float32), t));
    CHECK(test::identical((*two)({4, 5}, DType::float32), t));
    CHECK_FALSE(test::identical((*other)({4, 5}, DType::float32), t));
    // A draw of another shape in between changes nothing, nor does one on another thread.
    (*one)({2, 2}, DType::float32);
    Tensor elsewhere;
    std::thread([&] { elsewhere = (*one)({4, 5}, DType::float32); }).join();
    CHECK(test::identical(elsewhere, t));
    // The copy from a file draws the same.
    const auto copy = std::dynamic_pointer_cast<Initializer>(deserialize(serialize(*one)));
    CHECK(test::identical((*copy)({4, 5}, DType::float32), t));
  }
}

TEST_CASE("draws are of the dtype that is asked for, and of floats alone") {
  for (const std::string& name : random_names) {
    INFO(name);
    const auto draws = initializer(name, {{"seed", 3}});
    for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
      const Tensor t = (*draws)({3, 2}, dtype);
      CHECK(t.dtype() == dtype);
      CHECK(std::isfinite(largest(t)));
    }
    CHECK((*draws)({0, 4}, DType::float32).shape() == Shape{0, 4});
    CHECK((*draws)({4, 0}, DType::float32).shape() == Shape{4, 0});
    if (name != "Orthogonal") {
      CHECK((*draws)({}, DType::float32).shape() == Shape{});
      CHECK_THROWS_AS((*draws)({2}, DType::int32), ValueError);
    }
  }
}

TEST_CASE("matrices are orthonormal along their shorter side, whatever the shape") {
  for (const Shape& shape : {Shape{4, 4}, Shape{5, 2}, Shape{2, 5}, Shape{2, 3, 4}, Shape{1, 6},
                             Shape{6, 1}, Shape{1, 1}, Shape{3, 2, 2, 4}}) {
    INFO(shape.str());
    for (const double gain : {1.0, 2.0}) {
      const Tensor t =
          (*initializer("Orthogonal", {{"seed", 2}, {"gain", gain}}))(shape, DType::float64);
      const Tensor m = ops::reshape(t, {-1, shape.back()});
      const bool tall = m.shape(0) >= m.shape(1);
      const Tensor squares =
          tall ? ops::matmul(ops::transpose(m), m) : ops::matmul(m, ops::transpose(m));
      const Tensor eye = ops::eye(squares.shape(0), {}, 0, DType::float64) * (gain * gain);
      CHECK(test::all_close(squares, eye, 1e-10, 1e-12));
    }
  }
}

TEST_CASE("constants are numbers or arrays that broadcast, of any dtype") {
  using initializers::Constant;
  CHECK(equals(
      Constant({.value = Tensor::from({1.0f, 2.0f}, {2})})->operator()({2, 2}, DType::float32),
      {1, 2, 1, 2}));
  CHECK_THROWS_AS(
      (*Constant({.value = Tensor::from({1.0f, 2.0f, 3.0f}, {3})}))({2, 2}, DType::float32),
      ShapeError);
  const auto seven = (*Constant({.value = 7}))({2}, DType::int32);
  CHECK(seven.dtype() == DType::int32);
  CHECK(equals(seven, {7, 7}));
  CHECK((*Constant({.value = 1}))({2}, DType::boolean).dtype() == DType::boolean);
  CHECK((*Constant({.value = 16777217}))({1}, DType::int64).to_vector<int64_t>()[0] == 16777217);
  CHECK(equals((*initializer("TruncatedNormal", {{"mean", 0.5}, {"stddev", 0.0}, {"seed", 1}}))(
                   {3}, DType::float32),
               {0.5, 0.5, 0.5}));
  for (const auto& [name, class_name] :
       std::vector<std::pair<std::string, std::string>>{{"zero", "Zeros"},
                                                        {"one", "Ones"},
                                                        {"uniform", "RandomUniform"},
                                                        {"normal", "RandomNormal"},
                                                        {"IdentityInitializer", "Identity"},
                                                        {"OrthogonalInitializer", "Orthogonal"},
                                                        {"STFTInitializer", "STFT"}}) {
    INFO(name);
    const ClassInfo* const info = catalog().find_by_name("keras.initializers", name);
    REQUIRE(info);
    CHECK(info->class_name == class_name);
  }
  CHECK(has(error_of([] { Choice<Initializer>("eye"); }), "'eye' is not known"));
}

TEST_CASE("weights of other forms than an initializer makes are refused with their shape") {
  using namespace initializers;
  CHECK(has(error_of([] { (*Identity())({3}, DType::float32); }), "(3,)"));
  CHECK(has(error_of([] { (*Identity())({3, 3, 3}, DType::float32); }), "(3, 3, 3)"));
  CHECK(has(error_of([] { (*Orthogonal())({3}, DType::float32); }), "(3,)"));
  CHECK(has(error_of([] { VarianceScaling({.scale = 0}); }), "positive, found 0"));
  CHECK(has(error_of([] { VarianceScaling({.mode = "fan_i"}); }), "Did you mean 'fan_"));
  CHECK(equals((*Identity({.gain = 2}))({2, 3}, DType::float32), {2, 0, 0, 0, 2, 0}));
  CHECK((*Identity())({0, 2}, DType::float32).shape() == Shape{0, 2});
}

}  // namespace weight_edges_test
