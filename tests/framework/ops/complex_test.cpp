// Complex tensors: values and gradients of Keras, memory, functions, files, and what is refused.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/control_flow.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/dispatch/variable.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/ops/catalog.h>
#include <cornu/framework/ops/linalg/decompositions.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/tensor/complex.h>
#include <cornu/framework/tensor/promotion.h>
#include <cornu/layers/convolutional/conv.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/reshaping/reshape.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "../../support/golden_json.h"
#include "../../support/gradient_check.h"
#include "catch.h"
#include "op_goldens.h"
#include "support/all_close.h"

namespace complex_test {

using namespace cornu;
using test::entry;
using test::error_of;
using test::find_entry;

namespace {

using C = std::complex<float>;
using Wide = std::complex<double>;

Tensor numbers(const std::vector<C>& values, const Shape& shape) {
  return Tensor::from(values, shape);
}

Tensor sample() { return numbers({{1, 2}, {3, -1}, {0, 0.5f}, {-2, 0}}, {2, 2}); }

// {"dtype", "shape", and "pairs" or "values"}.
Tensor array_of(const Value& v) {
  const DType dtype = dtype_of(entry(v, "dtype").get<std::string>());
  Shape shape;
  for (const Value& size : entry(v, "shape").get<Value::List>())
    shape.push_back(size.get<int64_t>());
  if (is_complex(dtype)) {
    std::vector<Wide> values;
    for (const Value& pair : entry(v, "pairs").get<Value::List>())
      values.emplace_back(pair.get<Value::List>()[0].number(), pair.get<Value::List>()[1].number());
    return ops::cast(Tensor::from(values, shape), dtype);
  }
  std::vector<double> values;
  for (const Value& x : entry(v, "values").get<Value::List>())
    values.push_back(x.is<bool>() ? x.get<bool>() : x.number());
  return ops::cast(Tensor::from(values, shape), dtype);
}

Value argument_of(const Value& v) {
  if (v.is<Value::Dict>()) return array_of(entry(v, "array"));
  if (!v.is<Value::List>()) return v;
  Value::List list;
  for (const Value& e : v.get<Value::List>()) list.push_back(argument_of(e));
  return list;
}

void check_near(const Tensor& got, const Tensor& want, double tolerance) {
  REQUIRE(got.spec() == want.spec());
  const auto a = got.to_vector<Wide>(), b = want.to_vector<Wide>();
  for (size_t i = 0; i < a.size(); ++i) {
    INFO("element " << i << ": got " << a[i] << ", Keras has " << b[i]);
    CHECK(std::abs(a[i] - b[i]) <= tolerance * (1 + std::abs(b[i])));
  }
}

void check_case(const Value& c) {
  const std::string name = entry(c, "op").get<std::string>();
  const size_t dot = name.find('.');
  const OpInfo* op =
      op_catalog().find("keras.src.ops." + name.substr(0, dot), name.substr(dot + 1));
  REQUIRE(op);
  Arguments arguments;
  for (const Value& v : entry(c, "args").get<Value::List>())
    arguments.positional.push_back(argument_of(v));
  for (const auto& [parameter, v] : entry(c, "kwargs").get<Value::Dict>())
    arguments.named.emplace_back(parameter, argument_of(v));
  const bool taped = find_entry(c, "gradient") != nullptr;
  GradientTape tape;
  if (taped) tape.watch(arguments.positional[0].get<Tensor>());
  const std::vector<Tensor> results = call_op(*op, arguments).flatten();
  const auto& wanted = entry(c, "results").get<Value::List>();
  REQUIRE(results.size() == wanted.size());
  for (size_t i = 0; i < results.size(); ++i) check_near(results[i], array_of(wanted[i]), 4e-6);
  if (taped) {
    const Tensor y = is_complex(results[0].dtype()) ? ops::abs(results[0]) : results[0];
    const Tensor dx = tape.gradient(ops::sum(y), arguments.positional[0].get<Tensor>());
    REQUIRE(dx);
    check_near(dx, array_of(entry(c, "gradient")), 4e-5);
  }
  // Stand-ins without values give the same specs.
  const auto abstract = [](const Tensor& t) {
    return t.is_weak() ? t : Tensor::abstract(t.shape(), t.dtype());
  };
  Arguments stand_ins;
  for (const Value& v : arguments.positional) stand_ins.positional.push_back(v.map(abstract));
  for (const auto& [parameter, v] : arguments.named)
    stand_ins.named.emplace_back(parameter, v.map(abstract));
  const std::vector<Tensor> inferred = call_op(*op, stand_ins).flatten();
  for (size_t i = 0; i < results.size(); ++i) CHECK(inferred[i].spec() == results[i].spec());
}

}  // namespace

TEST_CASE("complex numbers have Keras's values and gradients") {
  const Value cases = test::golden_file("complex.json");
  REQUIRE(cases.get<Value::List>().size() > 100);
  size_t number = 0;
  for (const Value& c : cases.get<Value::List>()) {
    INFO("case " << number++ << ": " << entry(c, "op").get<std::string>());
    CHECK(error_of([&] { check_case(c); }) == "no error");
  }
}

TEST_CASE("complex tensors are made and read") {
  const Tensor z = sample();
  CHECK(z.dtype() == DType::complex64);
  CHECK(z.shape() == Shape{2, 2});
  CHECK(z.bytes() == 32);
  CHECK(z.to_vector<C>() == std::vector<C>{{1, 2}, {3, -1}, {0, 0.5f}, {-2, 0}});
  CHECK(z.to_vector<Wide>()[1] == Wide(3, -1));
  CHECK(z.values<C>()[2] == C(0, 0.5f));
  CHECK(z.str() == "<complex64 (2, 2): [1+2i, 3-1i, 0+0.5i, -2+0i]>");
  CHECK(Tensor(std::vector<Wide>{{1, 2}}).spec() == TensorSpec{{1}, DType::complex128});
  CHECK(Tensor(C(1, 2)).shape() == Shape{});
  CHECK(Tensor::from({1.0f, 2.0f}, {2}).to_vector<C>() == std::vector<C>{1, 2});
  CHECK_THROWS_AS(z.to_vector<float>(), ValueError);
  CHECK_THROWS_AS(z.values<float>(), ShapeError);
  CHECK_THROWS_AS(Tensor(C(1, 2)).item(), ValueError);
  CHECK(dtype_of("complex64") == DType::complex64);
  CHECK(dtype_name(DType::complex128) == "complex128");
  CHECK(z[1].to_vector<C>() == std::vector<C>{{0, 0.5f}, {-2, 0}});
}

TEST_CASE("views of complex numbers share memory") {
  const Tensor z = sample();
  const Tensor pairs = ops::view_as_real(z);
  CHECK(pairs.spec() == TensorSpec{{2, 2, 2}, DType::float32});
  CHECK(pairs.data() == z.data());
  const Tensor back = ops::view_as_complex(pairs);
  CHECK(back.spec() == z.spec());
  CHECK(back.data() == z.data());
  CHECK(ops::reshape(z, {4}).data() == z.data());
  CHECK(ops::view(z, DType::float32).to_vector<float>() ==
        std::vector<float>{1, 2, 3, -1, 0, 0.5f, -2, 0});
  CHECK(ops::view(ops::view(z, DType::float64), DType::complex64).to_vector<C>() ==
        z.to_vector<C>());
  const Tensor moved = z.to(Device::cpu());
  CHECK(moved.to_vector<C>() == z.to_vector<C>());
}

TEST_CASE("what meets complex numbers becomes complex") {
  const Tensor z = sample(), wide = ops::cast(z, DType::complex128);
  CHECK((z + ops::cast(z, DType::complex128)).dtype() == DType::complex128);
  CHECK((z * 2.0).dtype() == DType::complex64);
  CHECK((1 - z).to_vector<C>()[0] == C(0, -2));
  CHECK((z + ops::ones({2}, DType::float64)).dtype() == DType::complex64);
  CHECK((z * C(0, 1)).to_vector<C>()[0] == C(-2, 1));
  CHECK((wide * wide).dtype() == DType::complex128);
  CHECK(ops::real(wide).dtype() == DType::float64);
  for (DType dtype : {DType::boolean, DType::int8, DType::bfloat16, DType::int64})
    CHECK(result_type(dtype, DType::complex64) == DType::complex64);
}

TEST_CASE("numbers at the edges of the complex functions") {
  const float big = 3e38f, inf = HUGE_VALF;
  CHECK(ops::abs(numbers({{big, 1}, {0, 0}, {inf, 1}, {inf, inf}}, {4})).to_vector<float>() ==
        std::vector<float>{big, 0, inf, inf});
  const auto quotient = [](C a, C b) { return (Tensor(a) / Tensor(b)).to_vector<C>()[0]; };
  CHECK(std::abs(quotient({1e38f, 1e38f}, {1e38f, 1e38f}) - C(1, 0)) < 1e-6f);
  CHECK(std::abs(quotient({1e-30f, 0}, {0, 1e-30f}) - C(0, -1)) < 1e-6f);
  CHECK(std::isinf(quotient({1, 0}, {0, 0}).real()));
  const Tensor z = sample(), nearby = z + C(0, 1e-7f), far = z + C(0, 1e-3f);
  CHECK(ops::allclose(z, nearby).item() == 1);
  CHECK(ops::allclose(z, far).item() == 0);
  CHECK(test::all_close(z, nearby));
  CHECK_FALSE(test::all_close(z, far));
  CHECK(ops::linspace(0, 1, 3, true, DType::complex64).to_vector<C>() ==
        std::vector<C>{0, 0.5f, 1});
  CHECK(ops::matmul(ops::zeros({0, 3}, DType::complex64), ops::ones({3, 2})).spec() ==
        TensorSpec{{0, 2}, DType::complex64});
  const Tensor holes = numbers({{1, 2}, {NAN, 0}, {0, NAN}, {3, 0}}, {4});
  CHECK(ops::isnan(holes).to_vector<bool>() == std::vector<bool>{false, true, true, false});
  CHECK(ops::nansum(holes).to_vector<C>()[0] == C(4, 2));
  CHECK(ops::nanmean(holes).to_vector<C>()[0] == C(2, 1));
  // The sign of a zero tells the side of the cut.
  const auto roots = ops::sqrt(numbers({{-4, 0}, {-4, -0.0f}}, {2})).to_vector<C>();
  CHECK(roots == std::vector<C>{{0, 2}, {0, -2}});
  const auto powers = ops::power(numbers({{0, 0}, {0, 0}}, {2}), numbers({{2, 0}, {0, 0}}, {2}));
  CHECK(powers.to_vector<C>() == std::vector<C>{0, 1});
}

TEST_CASE("gradients through complex numbers are those of the parts") {
  const auto f = [](const std::vector<Tensor>& x) {
    const Tensor z = ops::polar(x[0], x[1]);
    const Tensor y =
        ops::matmul(z, ops::conj(ops::transpose(z))) / (z * z + C(2, 1)) + ops::sqrt(z);
    return ops::abs(y) + ops::angle(ops::exp(y) * 0.1) + ops::real(y) * ops::imag(ops::sum(y, 0));
  };
  const std::vector<Tensor> inputs = {test::noise({2, 2}, 0.5, 1.5, 1),
                                      test::noise({2, 2}, -1, 1, 2)};
  CHECK(test::gradient_error(f, inputs) < 1e-7);
  const Tensor origin = numbers({{0, 0}}, {1});
  GradientTape tape;
  tape.watch(origin);
  CHECK(tape.gradient(ops::abs(origin), origin).to_vector<C>()[0] == C(0, 0));
}

TEST_CASE("eigenvalues are those of LAPACK") {
  const Tensor turn = Tensor::from({0.0f, -1.0f, 1.0f, 0.0f}, {2, 2});
  const auto r = ops::eig(turn);
  CHECK(r[0].to_vector<C>() == std::vector<C>{{0, 1}, {0, -1}});
  for (DType dtype : {DType::float32, DType::float64, DType::complex64, DType::complex128}) {
    Tensor a = ops::cast(test::noise({3, 4, 4}), real_type(dtype));
    if (is_complex(dtype)) a = ops::cast(a, dtype) * C(1, 2) + ops::cast(ops::eye(4), dtype);
    const auto pairs = ops::eig(a);
    const bool double_precision = real_type(dtype) == DType::float64;
    const DType out = double_precision ? DType::complex128 : DType::complex64;
    REQUIRE(pairs[0].spec() == TensorSpec{{3, 4}, out});
    REQUIRE(pairs[1].spec() == TensorSpec{{3, 4, 4}, out});
    const Tensor error = ops::matmul(a, pairs[1]) - pairs[1] * ops::expand_dims(pairs[0], {1});
    CHECK(ops::max(ops::abs(error)).item() < (double_precision ? 1e-13 : 1e-5));
    const Tensor length = ops::sum(ops::square(ops::abs(pairs[1])), 1);
    CHECK(ops::max(ops::abs(length - 1.0)).item() < 1e-6);
  }
  CHECK(std::isnan(ops::eig(turn * NAN)[0].to_vector<C>()[0].real()));
  CHECK(ops::eig(ops::zeros({0, 0}))[0].shape() == Shape{0});
  CHECK_THROWS_AS(ops::eig(ops::zeros({2, 3})), ShapeError);
  GradientTape tape;
  tape.watch(turn);
  const Tensor values = ops::abs(ops::eig(turn)[0]);
  CHECK_THROWS_AS(tape.gradient(values, turn), UnsupportedError);
}

TEST_CASE("functions compile complex numbers") {
  const Tensor constant = sample();
  Variable variable(sample(), {.name = "v"});
  int runs = 0;
  auto f = function([&](const Tensor& z, const Tensor& x) {
    ++runs;
    GradientTape tape;
    tape.watch(z);
    const Tensor y = ops::matmul(z * constant, ops::view_as_complex(x)) / (variable.value() + 3.0);
    const Tensor dz = tape.gradient(ops::sum(ops::abs(y)), z);
    variable.assign(variable.value() + y);
    return dz;
  });
  auto expect = [&](const Tensor& z, const Tensor& x, Tensor& v) {
    GradientTape tape;
    tape.watch(z);
    const Tensor y = ops::matmul(z * constant, ops::view_as_complex(x)) / (v + 3.0);
    const Tensor dz = tape.gradient(ops::sum(ops::abs(y)), z);
    v = v + y;
    return dz.to_vector<C>();
  };
  Tensor v = sample();
  for (int i = 0; i < 6; ++i) {
    const Tensor z = ops::view_as_complex(test::noise({2, 2, 2}, -1, 1, i)),
                 x = ops::cast(test::noise({2, 2, 2}, -1, 1, 10 + i), DType::float32);
    const auto want = expect(z, x, v), got = f(z, x).to_vector<C>();
    for (size_t k = 0; k < want.size(); ++k) CHECK(std::abs(want[k] - got[k]) < 1e-4f);
    const auto a = v.to_vector<C>(), b = variable.value().to_vector<C>();
    for (size_t k = 0; k < a.size(); ++k) CHECK(std::abs(a[k] - b[k]) < 1e-4f);
  }
  CHECK(runs == 2);
  CHECK(f->report().replays == 4);
  auto passed = function([](const Tensor& z) {
    return Nest({z, ops::view_as_real(z), ops::view_as_complex(ops::view_as_real(z))});
  });
  for (int i = 0; i < 4; ++i) {
    const std::vector<Tensor> results = passed(constant).flatten();
    CHECK(results[0].to_vector<C>() == constant.to_vector<C>());
    CHECK(results[1].to_vector<float>() == ops::view_as_real(constant).to_vector<float>());
    CHECK(results[2].to_vector<C>() == constant.to_vector<C>());
  }
}

TEST_CASE("branches and loops with complex numbers are right in functions") {
  const Tensor outside = sample();
  auto f = function([&](const Tensor& x) {
    const Tensor y = ops::cond(
                         ops::sum(x) > 0.0, [&] { return Nest(outside * 2.0); },
                         [&] { return Nest(outside + C(0, 1)); })
                         .tensor();
    return ops::abs(y) * x;
  });
  for (int i = 0; i < 5; ++i)
    CHECK(f(Tensor::from({i % 2 ? -1.0f : 1.0f}, {1})).to_vector<float>()[0] ==
          Approx(i % 2 ? -std::abs(C(1, 3)) : std::abs(C(2, 4))));
}

TEST_CASE("graphs have complex tensors") {
  const Tensor x = Input({3, 2});
  const Tensor z = ops::view_as_complex(x);
  CHECK(z.dtype() == DType::complex64);
  CHECK(z.shape() == Shape{std::nullopt, 3});
  const Tensor y = ops::abs(z * z + 1.0);
  CHECK(y.dtype() == DType::float32);
  Functional model(x, y);
  const Tensor given = Tensor::from({0.0f, 1.0f, 1.0f, 0.0f, 3.0f, 4.0f}, {1, 3, 2});
  const auto got = model(given).to_vector<float>();
  CHECK(got[0] == 0);
  CHECK(got[1] == 2);
  CHECK(got[2] == Approx(std::abs(C(-6, 24))));
}

TEST_CASE("layers and models take complex numbers as far as their operations do") {
  const Tensor z = sample();
  layers::Dense dense({.units = 3});
  CHECK(dense(z).spec() == TensorSpec{{2, 3}, DType::complex64});
  const Tensor x = Input({.shape = {2}, .dtype = DType::complex64});
  const Tensor pairs = ops::reshape(ops::view_as_real(x), {-1, 4});
  Functional model(x, ops::abs(ops::view_as_complex(layers::Reshape({.target_shape = {2, 2}})(
                          layers::Dense({.units = 4})(pairs)))));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto loss =
      model.fit(z, ops::ones({2, 2}), {.epochs = 6, .verbose = Verbose::silent})["loss"];
  CHECK(loss.back() < loss.front());
  const Tensor y = model.predict(z, {.verbose = Verbose::silent}).tensor();
  CHECK(test::all_close(y, model(z)));
  const std::string error = error_of(
      [&] { layers::Conv1D({.filters = 1, .kernel_size = {1}})(ops::expand_dims(z, {0})); });
  CHECK(error.find("conv") != std::string::npos);
}

TEST_CASE("what complex numbers do not have is refused by name") {
  const Tensor z = sample();
  const std::vector<std::pair<std::string, std::function<void()>>> refused = {
      {"max", [&] { ops::max(z); }},
      {"prod", [&] { ops::prod(z); }},
      {"argmax", [&] { ops::argmax(z); }},
      {"maximum", [&] { ops::maximum(z, z); }},
      {"less", [&] { ops::less(z, z); }},
      {"floor", [&] { ops::floor(z); }},
      {"relu", [&] { ops::relu(z); }},
      {"arctan2", [&] { ops::arctan2(z, z); }},
      {"sort", [&] { ops::sort(z); }},
      {"softmax", [&] { ops::softmax(z); }},
      {"cumprod", [&] { ops::cumprod(z, 0); }},
      {"inv", [&] { ops::inv(z); }},
      {"round", [&] { ops::round(z); }},
      {"isposinf", [&] { ops::isposinf(z); }},
      {"nan_to_num", [&] { ops::nan_to_num(z); }},
      {"cast", [&] { ops::cast(z, DType::float32); }},
      {"cast", [&] { ops::cast(z, DType::int32); }},
      {"norm", [&] { ops::norm(z); }},
      {"moments", [&] { ops::moments(z, 0); }},
      {"nextafter", [&] { ops::nextafter(z, z); }},
      {"logsumexp", [&] { ops::logsumexp(z); }},
      {"conv",
       [&] {
         ops::conv(ops::reshape(z, {1, 2, 2}), ops::reshape(z, {1, 2, 2}));
       }},
      {"view_as_complex", [&] { ops::view_as_complex(z); }},
  };
  for (const auto& [name, f] : refused) {
    INFO(name);
    CHECK_THROWS_AS(f(), UnsupportedError);
    const std::string text = error_of(f);
    INFO(text);
    CHECK(text.find(name) != std::string::npos);
    CHECK(text.find("ops::real") != std::string::npos);
  }
  CHECK_THROWS_AS(ops::polar(Tensor(1), Tensor(2.0)), ValueError);
  CHECK_THROWS_AS(ops::view_as_complex(ops::ones({2, 3})), ValueError);
  CHECK_THROWS_AS(ops::view_as_complex(Tensor(1.0)), ValueError);
}

}  // namespace complex_test
