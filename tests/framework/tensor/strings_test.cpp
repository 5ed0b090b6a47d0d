// Tensors of strings: values, the operations that move them, and the errors of those that do not.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/data/dataset.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/ops/ops.h>

#include <algorithm>
#include <functional>

#include "catch.h"
#include "support/error_of.h"

namespace strings_test {

using namespace cornu;
using test::error_of;

namespace {

using Strings = std::vector<std::string>;

Tensor words() { return Tensor::strings({"a", "b", "a", "", "longer text", "\xc3\x9c"}, {2, 3}); }

}  // namespace

TEST_CASE("string tensors keep their strings") {
  const Tensor x = words();
  CHECK(x.dtype() == DType::string);
  CHECK(dtype_of("string") == DType::string);
  CHECK(x.shape() == Shape{2, 3});
  CHECK(x.to_strings() == Strings{"a", "b", "a", "", "longer text", "\xc3\x9c"});
  CHECK(x.string_table()->size() == 5);
  CHECK(Tensor(Strings{"x", "y"}).to_strings() == Strings{"x", "y"});
  CHECK(Tensor(Strings{}).to_strings().empty());
  CHECK(Tensor::strings({"one"}, {}).rank() == 0);
  CHECK(Tensor(Strings{"x", "y"}).str() == "<string (2,): [\"x\", \"y\"]>");
  const auto table = std::make_shared<const Strings>(Strings{"no", "yes"});
  CHECK(Tensor::strings(table, {1, 0, 1}, {3}).to_strings() == Strings{"yes", "no", "yes"});
  CHECK_FALSE(is_float(DType::string));
  CHECK_FALSE(is_int(DType::string));
}

TEST_CASE("string tensors refuse what they are not") {
  CHECK_THROWS_AS(Tensor::strings({"a"}, {2}), ShapeError);
  const auto table = std::make_shared<const Strings>(Strings{"no"});
  CHECK_THROWS_AS(Tensor::strings(table, {1}, {1}), ValueError);
  CHECK_THROWS_AS(words().to_vector<float>(), ValueError);
  CHECK_THROWS_AS(words().values<int32_t>(), ShapeError);
  CHECK_THROWS_AS(Tensor(1.0f).to_strings(), ValueError);
}

TEST_CASE("operations that move elements take strings") {
  const Tensor x = words();
  CHECK(ops::reshape(x, {3, 2}).to_strings() == x.to_strings());
  CHECK(ops::expand_dims(x, {0}).shape() == Shape{1, 2, 3});
  CHECK(ops::squeeze(ops::expand_dims(x, {0})).to_strings() == x.to_strings());
  CHECK(ops::transpose(x).to_strings() == Strings{"a", "", "b", "longer text", "a", "\xc3\x9c"});
  CHECK(x[1].to_strings() == Strings{"", "longer text", "\xc3\x9c"});
  CHECK(ops::get_item(x, Value::List{Slice{}, Slice{1, 2}}).to_strings() ==
        Strings{"b", "longer text"});
  CHECK(ops::take(x, Tensor(std::vector<int>{1, 1, 0}), 0).to_strings() ==
        Strings{"", "longer text", "\xc3\x9c", "", "longer text", "\xc3\x9c", "a", "b", "a"});
  const std::vector<Tensor> parts = ops::split(x, 3, 1);
  CHECK(parts[1].to_strings() == Strings{"b", "longer text"});
  CHECK(ops::flip(x, 1).to_strings() == Strings{"a", "b", "a", "\xc3\x9c", "longer text", ""});
  CHECK(ops::broadcast_to(x[0], {2, 3}).to_strings() == Strings{"a", "b", "a", "a", "b", "a"});
  CHECK(ops::tile(Tensor(Strings{"p", "q"}), 2).to_strings() == Strings{"p", "q", "p", "q"});
  CHECK(ops::cast(x, DType::string).to_strings() == x.to_strings());
}

TEST_CASE("tables of strings are merged") {
  const Tensor x(Strings{"a", "b"}), y(Strings{"b", "c"});
  const Tensor both = ops::concatenate({x, y}, 0);
  CHECK(both.to_strings() == Strings{"a", "b", "b", "c"});
  CHECK(both.string_table()->size() == 3);
  CHECK(ops::stack({x, y}, 1).to_strings() == Strings{"a", "b", "b", "c"});
  // A part of a large table takes along only what it uses.
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back(std::to_string(i));
  const Tensor few = ops::get_item(Tensor(many), Slice{0, 2});
  CHECK(ops::concatenate({few, y}, 0).string_table()->size() == 4);
  CHECK(ops::equal(x, y).to_vector<bool>() == std::vector<bool>{false, false});
  CHECK(ops::equal(both, Tensor::strings({"b"}, {})).to_vector<bool>() ==
        std::vector<bool>{false, true, true, false});
  CHECK(ops::not_equal(x, Tensor(Strings{"a", "c"})).to_vector<bool>() ==
        std::vector<bool>{false, true});
  CHECK(ops::where(Tensor::from<bool>({true, false}, {2}), x, y).to_strings() == Strings{"a", "c"});
}

TEST_CASE("other operations name themselves when they are given strings") {
  const Tensor x = words();
  CHECK_THAT(error_of([&] { ops::exp(x); }), Catch::Contains("exp: does not take strings"));
  CHECK_THAT(error_of([&] { ops::add(x, x); }), Catch::Contains("add: does not take strings"));
  CHECK_THAT(error_of([&] { ops::less(x, x); }), Catch::Contains("less: does not take strings"));
  CHECK_THAT(error_of([&] { ops::sum(x); }), Catch::Contains("does not take strings"));
  CHECK_THAT(error_of([&] { ops::matmul(x, ops::transpose(x)); }),
             Catch::Contains("matmul: does not take strings"));
  CHECK_THAT(error_of([&] {
               ops::pad(x, {{1, 1}, {0, 0}});
             }),
             Catch::Contains("pad: does not take strings"));
  CHECK_THAT(error_of([&] { ops::cast(x, DType::int32); }),
             Catch::Contains("string values do not become int32"));
  CHECK_THAT(error_of([&] { ops::cast(Tensor(1), DType::string); }),
             Catch::Contains("do not become string"));
  CHECK_THAT(error_of([&] { ops::equal(x, Tensor(1.0)); }), Catch::Contains("do not combine"));
  CHECK_THAT(error_of([&] { ops::zeros({2}, DType::string); }), Catch::Contains("string"));
}

TEST_CASE("batches of strings") {
  TensorDataset data(Tensor(Strings{"a", "b", "c", "d", "e"}), {}, {}, {.batch_size = 2});
  CHECK(data.batch(1).x.tensor().to_strings() == Strings{"c", "d"});
  CHECK(data.batch(2).x.tensor().to_strings() == Strings{"e"});
  TensorDataset shuffled(Tensor(Strings{"a", "b", "c"}), {}, {},
                         {.batch_size = 3, .shuffle = true});
  shuffled.on_epoch_begin(0);
  Strings all = shuffled.batch(0).x.tensor().to_strings();
  std::sort(all.begin(), all.end());
  CHECK(all == Strings{"a", "b", "c"});
}

TEST_CASE("compiled functions take strings") {
  auto same = function(
      [](const Tensor& x, const Tensor& y) { return ops::cast(ops::equal(x, y), DType::int32); });
  for (int i = 0; i < 5; ++i) {
    const std::string text = std::to_string(i);
    const Tensor x(Strings{text, "2"}), y(Strings{"3", "2"});
    CHECK(same(x, y).to_vector<int32_t>() == std::vector<int32_t>{i == 3, 1});
  }
  auto turned = function([](const Tensor& x) { return ops::transpose(x); });
  for (int i = 0; i < 4; ++i)
    CHECK(turned(Tensor::strings({"a", std::to_string(i)}, {1, 2})).to_strings() ==
          Strings{"a", std::to_string(i)});
  const Tensor outside(Strings{"x", "y"});
  auto captured = function([&](const Tensor& x) { return ops::equal(x, outside); });
  for (int i = 0; i < 4; ++i)
    CHECK(captured(Tensor(Strings{"x", std::to_string(i)})).to_vector<bool>() ==
          std::vector<bool>{true, false});
}

TEST_CASE("strings in symbolic graphs") {
  const Tensor x = Input({.shape = {2}, .dtype = DType::string});
  CHECK(x.dtype() == DType::string);
  const Tensor y = ops::concatenate({x, x}, 1);
  CHECK(y.dtype() == DType::string);
  CHECK(y.shape() == Shape{Shape::unknown, 4});
  CHECK_THROWS_AS(ops::exp(x), ValueError);
  Functional model(x, y);
  CHECK(model(Tensor::strings({"p", "q"}, {1, 2})).to_strings() == Strings{"p", "q", "p", "q"});
}

TEST_CASE("strings take a shape as numbers do") {
  const Tensor column = Tensor::from(std::vector<std::string>{"a", "b"}, {2, 1});
  CHECK(column.spec() == TensorSpec{{2, 1}, DType::string});
  CHECK(Tensor::from({"a", "b", "c", "d"}, {2, 2}).to_strings()[2] == "c");
  CHECK_THROWS_AS(Tensor::from({"a", "b"}, {3}), ShapeError);
  CHECK(Tensor("text").spec() == TensorSpec{{}, DType::string});
  CHECK(Tensor(std::string("text")).to_strings() == Strings{"text"});
  CHECK(ops::equal(column, Tensor("b")).to_vector<bool>() == std::vector<bool>{false, true});
  // Functions that take a tensor or a name mean the name.
  static_assert(!std::convertible_to<const char*, Tensor>);
  static_assert(!std::convertible_to<std::string, Tensor>);
}

}  // namespace strings_test
