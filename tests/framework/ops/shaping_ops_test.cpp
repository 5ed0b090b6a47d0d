// Shapes and orders against Keras.
#include <cornu/framework/ops/catalog.h>
#include <cornu/framework/ops/ops.h>

#include <cmath>

#include "catch.h"
#include "op_goldens.h"

namespace shaping_ops_test {

using namespace cornu;
using cornu::test::error_of;

TEST_CASE("shaping gives Keras's values and dtypes") { cornu::test::check_op_goldens("shaping"); }

TEST_CASE("what moves no element shares memory") {
  const Tensor x = ops::ones({2, 1, 3});
  CHECK(ops::reshape(x, {6}).data() == x.data());
  CHECK(ops::transpose(x, std::vector<int64_t>{1, 0, 2}).data() == x.data());
  CHECK(ops::squeeze(x).data() == x.data());
  CHECK(ops::transpose(x).data() != x.data());
}

TEST_CASE("arrays are made from numbers in braces") {
  const Tensor rows = ops::array({{1, 2, 3}, {4, 5, 6}});
  CHECK(rows.spec() == TensorSpec{{2, 3}, DType::int32});
  CHECK(rows.to_vector<int32_t>() == std::vector<int32_t>{1, 2, 3, 4, 5, 6});
  CHECK(ops::array({1.5, 2.5}).spec() == TensorSpec{{2}, DType::float32});
  CHECK(ops::array({{{1, 2}}, {{3, 4}}}, "float16").spec() ==
        TensorSpec{{2, 1, 2}, DType::float16});
  CHECK(ops::array({true, false}).spec() == TensorSpec{{2}, DType::boolean});
  CHECK(error_of([] { (void)ops::array({{1, 2}, {3}}); }) == "array: rows of 2 and of 1 numbers.");
}

TEST_CASE("tensors are made from nothing") {
  CHECK(ops::arange(0, 5).to_vector<int64_t>() == std::vector<int64_t>{0, 1, 2, 3, 4});
  CHECK(ops::arange(5, 0, -2, DType::float32).to_vector<float>() == std::vector<float>{5, 3, 1});
  CHECK(ops::arange(3, 3).size() == 0);
  CHECK(ops::arange(3).to_vector<int64_t>() == std::vector<int64_t>{0, 1, 2});
  CHECK(ops::arange(3).dtype() == DType::int32);
  CHECK(ops::arange(0, 1, 0.25).to_vector<float>() == std::vector<float>{0, 0.25, 0.5, 0.75});
  CHECK(ops::arange(0, 1, 0.25).dtype() == DType::float32);
  CHECK(ops::arange(3.5).to_vector<float>() == std::vector<float>{0, 1, 2, 3});
  CHECK(ops::arange(1.0, 3.0).dtype() == DType::float32);
  CHECK(ops::arange(int64_t{5}).dtype() == DType::int32);
  CHECK(ops::arange(3.5, DType::int32).to_vector<int64_t>() == std::vector<int64_t>{0, 1, 2, 3});
  CHECK(ops::identity(2).to_vector<float>() == std::vector<float>{1, 0, 0, 1});
  CHECK(ops::identity(2, DType::int32).dtype() == DType::int32);
  CHECK(ops::eye(2, 3, 1).to_vector<float>() == std::vector<float>{0, 1, 0, 0, 0, 1});
  CHECK(ops::eye(2, {}, -1, DType::int8).to_vector<int64_t>() == std::vector<int64_t>{0, 0, 1, 0});
  CHECK(ops::full({2}, 7, DType::uint8).to_vector<int64_t>() == std::vector<int64_t>{7, 7});
  CHECK(ops::full({1}, 0.25, DType::boolean).to_vector<int64_t>() == std::vector<int64_t>{1});
  CHECK(error_of([] { ops::arange(0, 1, 0); }) == "arange: step must not be 0.");
}

TEST_CASE("shaping says which shapes it refuses") {
  const Tensor x = ops::zeros({2, 3});
  CHECK(error_of([&] { ops::reshape(x, {4}); }) ==
        "reshape: 6 elements of shape (2, 3) do not fill shape (4,).");
  CHECK(error_of([&] {
          ops::reshape(x, {-1, -1});
        }).find("only one size may be -1") != std::string::npos);
  CHECK(error_of([&] { ops::reshape(x, {-1, 4}); }).find("do not fill") != std::string::npos);
  CHECK(error_of([&] { ops::transpose(x, std::vector<int64_t>{0}); }) ==
        "transpose: 1 axes given for a tensor of shape (2, 3).");
  CHECK(error_of([&] {
          ops::transpose(x, std::vector<int64_t>{0, 0});
        }) == "transpose: an axis is given twice.");
  CHECK_THROWS_AS(ops::moveaxis(x, {0, 1}, {0}), ShapeError);
  CHECK(error_of([&] { ops::squeeze(x, 1); }) ==
        "squeeze: axis 1 of shape (2, 3) has size 3, not 1.");
  CHECK_THROWS_AS(ops::broadcast_to(x, {2, 4}), ShapeError);
  CHECK(error_of([&] { ops::broadcast_to(x, {3}); }).find("(2, 3)") != std::string::npos);
  CHECK(error_of([&] {
          ops::concatenate({x, ops::zeros({3, 3})}, 1);
        }) == "concatenate: shapes (2, 3) and (3, 3) differ on another axis than 1.");
  CHECK_THROWS_AS(ops::concatenate({}, 0), ValueError);
  CHECK(error_of([&] {
          ops::stack({x, ops::zeros({3})});
        }) == "stack: shapes (2, 3) and (3,) differ.");
  CHECK(error_of([&] { ops::split(x, 2, 1); }) ==
        "split: axis 1 of size 3 does not divide into 2 equal sections.");
  CHECK(error_of([&] { ops::unstack(x, 3); }) == "unstack: axis 0 has 2 elements, not 3.");
  CHECK_THROWS_AS(ops::pad(x, {{1, 1}}, "edges"), ValueError);
  CHECK_THROWS_AS(ops::pad(x, {{1, 1}}, "reflect", 2), ValueError);
  CHECK_THROWS_AS(ops::pad(ops::zeros({1, 2, 3}), {{1, 1}, {0, 0}}), ShapeError);
}

TEST_CASE("padding mirrors at the border or beside it") {
  const Tensor x = Tensor::from({1, 2, 3}, {3});
  CHECK(ops::pad(x, {{2, 1}}, "reflect").to_vector<int32_t>() ==
        std::vector<int32_t>{3, 2, 1, 2, 3, 2});
  CHECK(ops::pad(x, {{2, 1}}, "symmetric").to_vector<int32_t>() ==
        std::vector<int32_t>{2, 1, 1, 2, 3, 3});
  CHECK(ops::pad(x, {{0, 4}}, "symmetric").to_vector<int32_t>() ==
        std::vector<int32_t>{1, 2, 3, 3, 2, 1, 1});
}

TEST_CASE("pad has the modes of NumPy") {
  const auto pad = [](const Tensor& x, const std::string& mode) {
    return ops::pad(x, {{0, 1}, {1, 2}}, mode).to_vector<float>();
  };
  const Tensor x = ops::array({{1.0, 2.0, 4.0}, {5.0, -6.0, 9.0}});
  using Floats = std::vector<float>;
  CHECK(pad(x, "edge") == Floats{1, 1, 2, 4, 4, 4, 5, 5, -6, 9, 9, 9, 5, 5, -6, 9, 9, 9});
  CHECK(pad(x, "wrap") == Floats{4, 1, 2, 4, 1, 2, 9, 5, -6, 9, 5, -6, 4, 1, 2, 4, 1, 2});
  CHECK(pad(x, "maximum") == Floats{4, 1, 2, 4, 4, 4, 9, 5, -6, 9, 9, 9, 9, 5, 2, 9, 9, 9});
  CHECK(pad(x, "minimum") == Floats{1, 1, 2, 4, 1, 1, -6, 5, -6, 9, -6, -6, -6, 1, -6, 4, -6, -6});
  CHECK(pad(x, "empty") == Floats{0, 1, 2, 4, 0, 0, 0, 5, -6, 9, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(pad(x, "median") == Floats{2, 1, 2, 4, 2, 2, 5, 5, -6, 9, 5, 5, 3, 3, -2, 6.5, 3, 3});
  CHECK(pad(x, "linear_ramp") == Floats{0, 1, 2, 4, 2, 0, 0, 5, -6, 9, 4.5, 0, 0, 0, 0, 0, 0, 0});
  const Tensor whole = ops::array({1, 2, 5, 6});
  CHECK(ops::pad(whole, 1, "mean").to_vector<int32_t>() == std::vector<int32_t>{4, 1, 2, 5, 6, 4});
  CHECK(ops::pad(whole, {2, 0}, "linear_ramp").to_vector<int32_t>() ==
        std::vector<int32_t>{0, 0, 1, 2, 5, 6});
  CHECK(ops::pad(ops::array({true, false}), 1, "maximum").to_vector<bool>() ==
        std::vector<bool>{true, true, false, true});
  CHECK(error_of([&] { (void)ops::pad(x, 1, "edges"); }) ==
        "pad: mode must be 'constant', 'edge', 'empty', 'linear_ramp', 'maximum', 'mean', "
        "'median', 'minimum', 'reflect', 'symmetric' or 'wrap', found 'edges'.");
  CHECK(error_of([] { (void)ops::pad(ops::zeros({0}), 1, "edge"); }) ==
        "pad: mode 'edge' needs elements along axis 0 of shape (0,).");
}

TEST_CASE("errors of axes name the op") {
  const Tensor x = ops::zeros({2, 3});
  const auto begins = [](const std::string& op, const auto& call) {
    CHECK(error_of(call).starts_with(op + " 5 is out of range for a tensor of rank"));
  };
  begins("sum: axis", [&] { (void)ops::sum(x, 5); });
  begins("mean: axis", [&] { (void)ops::mean(x, {0, 5}); });
  begins("max: axis", [&] { (void)ops::max(x, 5); });
  begins("argmax: axis", [&] { (void)ops::argmax(x, 5); });
  begins("var: axis", [&] { (void)ops::var(x, 5); });
  begins("all: axis", [&] { (void)ops::all(x, 5); });
  begins("cumsum: axis", [&] { (void)ops::cumsum(x, 5); });
  begins("expand_dims: axis", [&] { (void)ops::expand_dims(x, 5); });
  begins("swapaxes: axis2", [&] { (void)ops::swapaxes(x, 0, 5); });
  begins("concatenate: axis", [&] { (void)ops::concatenate({x, x}, 5); });
  begins("stack: axis", [&] { (void)ops::stack({x, x}, 5); });
  begins("split: axis", [&] { (void)ops::split(x, 2, 5); });
  begins("repeat: axis", [&] { (void)ops::repeat(x, 2, 5); });
}

TEST_CASE("errors of shapes show them as they were written") {
  CHECK(error_of([] {
          (void)ops::reshape(ops::zeros({2, 3}), {4, -1});
        }) == "reshape: 6 elements of shape (2, 3) do not fill shape (4, -1).");
  CHECK(error_of([] { (void)ops::tile(ops::zeros({2}), -1); }) ==
        "tile: repeats must not be negative, found -1.");
  CHECK(error_of([] { (void)ops::repeat(ops::zeros({2}), -1, 0); }) ==
        "repeat: repeats must not be negative, found -1.");
}

TEST_CASE("a list of repeats has a number for each element") {
  const Tensor x = Tensor::from({1, 2, 3, 4}, {2, 2});
  CHECK(ops::repeat(x, std::vector<int64_t>{1, 2}, 1).to_vector<int32_t>() ==
        std::vector<int32_t>{1, 2, 2, 3, 4, 4});
  CHECK(ops::repeat(x, std::vector<int64_t>{0, 1}, 0).shape() == Shape{1, 2});
  CHECK_THROWS_AS(ops::repeat(x, std::vector<int64_t>{1, 2, 3}, 0), ShapeError);
}

TEST_CASE("split takes a number of sections or a list of places") {
  const Tensor x = ops::arange(0, 4);
  CHECK(ops::split(x, 2)[1].to_vector<int32_t>() == std::vector<int32_t>{2, 3});
  CHECK(ops::split(x, std::vector<int64_t>{1})[1].size() == 3);
  CHECK(ops::split(x, {1, 3}).size() == 3);
}

TEST_CASE("a linspace gives its step too") {
  const auto step = [](int64_t num, bool endpoint, OptionalDType dtype) {
    return ops::linspace(0, 9, num, endpoint, true, dtype)[1].tensor();
  };
  CHECK(step(4, true, {}).item() == 3);
  CHECK(step(4, false, DType::int32).dtype() == DType::float64);
  CHECK(step(4, false, DType::int32).item() == 2.25);
  CHECK(std::isnan(step(1, true, DType::float16).item()));
  CHECK(step(1, true, DType::float16).dtype() == DType::float32);
}

TEST_CASE("calls that Keras allows mean the same here") {
  CHECK(ops::arange(0, 1, 0.25).to_vector<float>() == std::vector<float>{0, 0.25f, 0.5f, 0.75f});
  CHECK(ops::arange(3).dtype() == DType::int32);
  CHECK(ops::arange(3.5).dtype() == DType::float32);
  CHECK(ops::arange(2, DType::int64).spec() == TensorSpec{{2}, DType::int64});
  CHECK(ops::arange(Tensor::from({int64_t{4}}, {})).spec() == TensorSpec{{4}, DType::int64});
  CHECK(ops::arange(1, 4, DType::float32).to_vector<float>() == std::vector<float>{1, 2, 3});
  CHECK(ops::arange(1, 4, DType::float32).dtype() == DType::float32);
  CHECK(ops::arange(0, int64_t{3}, "float16").spec() == TensorSpec{{3}, DType::float16});
  CHECK(ops::arange(2.5, std::string("int8")).spec() == TensorSpec{{3}, DType::int8});
  CHECK(ops::arange(0, 3, {}).spec() == TensorSpec{{3}, DType::int32});
  CHECK_THROWS_AS(ops::arange(0, 3, "float31"), ValueError);
  CHECK(ops::arange(5, 0, -2).to_vector<int32_t>() == std::vector<int32_t>{5, 3, 1});
  CHECK(ops::identity(2).to_vector<float>() == std::vector<float>{1, 0, 0, 1});
  CHECK(ops::empty({2}, DType::int8).spec() == TensorSpec{{2}, DType::int8});
  const Tensor x = Tensor::from({1, 0, 2}, {3});
  CHECK(ops::size(x).item() == 3);
  CHECK(ops::shape(x) == Shape{3});
  CHECK(ops::ndim(x) == 1);
  CHECK(ops::dtype(x) == DType::int32);
  CHECK(ops::where(x)[0].to_vector<int32_t>() == std::vector<int32_t>{0, 2});
  CHECK(ops::unique(x).tensor().to_vector<int32_t>() == std::vector<int32_t>{0, 1, 2});
  CHECK(ops::select({x > 1, x > 0}, {x * 10, x}, -1).to_vector<int32_t>() ==
        std::vector<int32_t>{1, -1, 20});
  CHECK(ops::linear(x).to_vector<int32_t>() == x.to_vector<int32_t>());
  CHECK(ops::amax(x).item() == 2);
  CHECK(ops::array(x, DType::float32).dtype() == DType::float32);
  CHECK(ops::bitwise_left_shift(x, 1).to_vector<int32_t>() == std::vector<int32_t>{2, 0, 4});
}

TEST_CASE("a pad found by name takes its widths from a tensor") {
  const auto pad = [](const Value& widths, const Value& constant) {
    const OpInfo* info = op_catalog().find("keras.src.ops.numpy", "Pad");
    return info->call({Tensor::from({1, 2}, {1, 2}), widths, "constant", constant}).tensor();
  };
  const Tensor widths = Tensor::from({0, 1, 2, 0}, {2, 2});
  CHECK(pad(widths, {}).to_vector<int32_t>() == std::vector<int32_t>{0, 0, 1, 2, 0, 0, 0, 0});
  CHECK(pad(Value::List{Value::List{0, 0}, Value::List{0, 1}}, true).to_vector<int32_t>() ==
        std::vector<int32_t>{1, 2, 1});
}

TEST_CASE("pad takes a number, a pair, and a pair for each axis") {
  const Tensor x = ops::ones({2, 3});
  CHECK(ops::pad(x, 1).shape() == Shape{4, 5});
  CHECK(ops::pad(x, {1, 2}).shape() == Shape{5, 6});
  CHECK(ops::pad(x, {{1, 2}}).shape() == Shape{5, 6});
  CHECK(ops::pad(x, {{1, 2}, {0, 3}}).shape() == Shape{5, 6});
  // As files and the catalog give them, where [1, 2] is one pair.
  const auto padded = [&](const Value& width) {
    const auto* const pad = op_catalog().find("keras.src.ops.numpy", "Pad");
    return call_op(*pad, {{x, width}, {}}).tensor().shape();
  };
  CHECK(padded(1) == Shape{4, 5});
  CHECK(padded(Value::List{1, 2}) == Shape{5, 6});
  CHECK(padded(Value::List{Value::List{1, 2}, Value::List{0, 3}}) == Shape{5, 6});
  CHECK(padded(ops::array({{1, 2}, {0, 3}})) == Shape{5, 6});
  CHECK(error_of([&] {
          (void)ops::pad(x, {{1, -1}});
        }) == "pad: pad_width must not be negative, found (1, -1).");
  CHECK_THROWS_AS(ops::pad(x, std::vector<std::vector<int64_t>>{{}}), ValueError);
}

TEST_CASE("roll takes axes in braces") {
  const Tensor x = ops::reshape(ops::arange(6), {2, 3});
  CHECK(ops::roll(x, {1, 2}, {0, 1}).to_vector<int32_t>() ==
        std::vector<int32_t>{4, 5, 3, 1, 2, 0});
  CHECK(ops::roll(x, 1, {1, 0}).to_vector<int32_t>() == std::vector<int32_t>{5, 3, 4, 2, 0, 1});
  CHECK(ops::roll(x, 1).to_vector<int32_t>() == std::vector<int32_t>{5, 0, 1, 2, 3, 4});
  // An axis may be named twice.
  CHECK(ops::roll(x, {1, 1}, {1, 1}).to_vector<int32_t>() ==
        ops::roll(x, 2, 1).to_vector<int32_t>());
}

TEST_CASE("a number splits into parts, a list at places") {
  const Tensor x = ops::reshape(ops::arange(6), {2, 3});
  CHECK(ops::split(x, 3, 1).size() == 3);
  CHECK(ops::split(x, {2}, 1)[0].shape() == Shape{2, 2});
  CHECK(ops::split(x, {2}, 1)[1].shape() == Shape{2, 1});
  CHECK(ops::hsplit(x, {1}).size() == 2);
  CHECK(ops::hsplit(x, 3).size() == 3);
}

TEST_CASE("shapes are written as a number where they have one axis") {
  CHECK(ops::zeros(3).shape() == Shape{3});
  CHECK(ops::reshape(ops::ones({2, 3}), -1).shape() == Shape{6});
  CHECK(ops::full(2, 1.5).to_vector<float>() == std::vector<float>{1.5, 1.5});
  std::ostringstream text;
  text << ops::ones({2, 3}).shape() << " " << DType::float16;
  CHECK(text.str() == "(2, 3) float16");
  CHECK(error_of([] { (void)ops::zeros({-2}); }) ==
        "a tensor of shape (-2): sizes must not be negative.");
  CHECK_THROWS_AS(random::normal({2, -2}), ShapeError);
}

}  // namespace shaping_ops_test
