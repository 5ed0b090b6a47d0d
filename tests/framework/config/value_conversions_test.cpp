// Values to the types that options and functions take: what each takes, what it refuses and how it
// says so, and arrays as Keras writes them into files.
#include <cornu/framework/config/json.h>
#include <cornu/framework/config/option.h>
#include <cornu/framework/ops/convert.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/core/dense.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "../../support/contract.h"

namespace value_conversions_test {

using namespace cornu;
using detail::from_value;
using test::error_of;

namespace {

using List = Value::List;
using Dict = Value::Dict;

const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

Value array(const char* kind, Value value, const char* dtype) {
  return Dict{{"class_name", kind},
              {"config", Dict{{"value", std::move(value)}, {"dtype", std::string(dtype)}}}};
}

Value again(const Value& value) { return parse_json(cornu::to_json(value), "text"); }

template <class T>
std::string refusal(const Value& v) {
  return error_of([&] { static_cast<void>(from_value<T>(v)); });
}

}  // namespace

TEST_CASE("an integer is an integer, or a float without a fraction that fits") {
  CHECK(from_value<int64_t>(3) == 3);
  CHECK(from_value<int64_t>(-0.0) == 0);
  CHECK(from_value<int64_t>(-4.0) == -4);
  CHECK(from_value<int64_t>(Tensor(int64_t{7})) == 7);
  CHECK(from_value<int64_t>(std::numeric_limits<int64_t>::min()) ==
        std::numeric_limits<int64_t>::min());
  for (const Value& v : List{2.5, not_a_number, infinity, -infinity, 1e19, 9.3e18}) {
    INFO(v.number());
    CHECK(refusal<int64_t>(v) == "expected an integer, found a number");
  }
  CHECK(refusal<int64_t>(true) == "expected an integer, found a bool");
  CHECK(refusal<int64_t>("3") == "expected an integer, found text");
  CHECK(refusal<int64_t>({}) == "expected an integer, found nothing");
  CHECK(refusal<int64_t>(List{3}) == "expected an integer, found a list");
  CHECK(refusal<int64_t>(Dict{}) == "expected an integer, found a dictionary");
  CHECK(refusal<int64_t>(Slice{}) == "expected an integer, found a slice");
  CHECK(refusal<int64_t>(Ellipsis{}) == "expected an integer, found an ellipsis");
  CHECK(refusal<int64_t>(Tensor::abstract({}, DType::int32)) ==
        "expected an integer, found a tensor");
}

TEST_CASE("a number is any number, a truth value counts as 0 or 1") {
  CHECK(from_value<double>(3) == 3);
  CHECK(from_value<double>(true) == 1);
  CHECK(std::isnan(from_value<double>(not_a_number)));
  CHECK(from_value<double>(Tensor(0.5)) == 0.5);
  CHECK(refusal<double>("0.5") == "expected a number, found text");
  CHECK(refusal<double>({}) == "expected a number, found nothing");
  CHECK(refusal<double>(List{0.5}) == "expected a number, found a list");
}

TEST_CASE("a truth value is one, or an integer") {
  CHECK(from_value<bool>(true));
  CHECK_FALSE(from_value<bool>(0));
  CHECK(from_value<bool>(-1));
  for (const Value& v : List{Value(1.0), Value("true"), Value(), Value(List{})})
    CHECK(refusal<bool>(v) == "expected true or false, found " + v.kind());
}

TEST_CASE("text and names of dtypes are text alone") {
  CHECK(from_value<std::string>("") == "");
  CHECK(refusal<std::string>(3) == "expected text, found an integer");
  CHECK(refusal<std::string>({}) == "expected text, found nothing");
  CHECK(from_value<DType>("bool") == DType::boolean);
  CHECK(from_value<DType>("bfloat16") == DType::bfloat16);
  CHECK(refusal<DType>(32) == "expected the name of a dtype, found an integer");
  CHECK(test::has(refusal<DType>("flaot32"), "Did you mean 'float32'?"));
}

TEST_CASE("a shape is a list of sizes, some of them open, or one size") {
  CHECK(from_value<Shape>(List{2, Value(), 3.0}) == Shape{2, Shape::unknown, 3});
  CHECK(from_value<Shape>(List{}) == Shape{});
  CHECK(from_value<Shape>(5) == Shape{5});
  CHECK(from_value<Shape>(Tensor::from({2, 3}, {2})) == Shape{2, 3});
  CHECK(refusal<Shape>("2") == "expected a shape, found text");
  CHECK(refusal<Shape>({}) == "expected a shape, found nothing");
  CHECK(refusal<Shape>(List{2.5}) == "expected an integer, found a number");
  CHECK(refusal<Shape>(List{List{2}}) == "expected an integer, found a list");
}

TEST_CASE("lists take single elements, and tensors of one axis") {
  CHECK(from_value<std::vector<int64_t>>(3) == std::vector<int64_t>{3});
  CHECK(from_value<std::vector<int64_t>>(List{}).empty());
  CHECK(from_value<std::vector<int64_t>>(Tensor::from({4, 5}, {2})) == std::vector<int64_t>{4, 5});
  CHECK(from_value<std::vector<double>>(List{1, 2.5, true}) == std::vector<double>{1, 2.5, 1});
  CHECK(from_value<std::vector<std::string>>("a") == std::vector<std::string>{"a"});
  CHECK(from_value<std::vector<std::vector<int64_t>>>(List{List{1, 2}, 3}) ==
        std::vector<std::vector<int64_t>>{{1, 2}, {3}});
  CHECK(from_value<std::vector<std::vector<int64_t>>>(Tensor::from({1, 2, 3, 4}, {2, 2})) ==
        std::vector<std::vector<int64_t>>{{1, 2}, {3, 4}});
  CHECK(refusal<std::vector<int64_t>>(Tensor::from({1, 2}, {1, 2})) ==
        "expected integers, found a tensor");
  CHECK(refusal<std::vector<int64_t>>(List{1, "a"}) == "expected an integer, found text");
  CHECK_FALSE(from_value<std::optional<int64_t>>({}));
  CHECK(from_value<std::optional<int64_t>>(0) == 0);
}

TEST_CASE("tensors of lists have the dtype that Keras gives them") {
  const auto dtype = [](const Value& v) { return from_value<Tensor>(v).dtype(); };
  CHECK(dtype(List{true, false}) == DType::boolean);
  CHECK(dtype(List{1, 2}) == DType::int32);
  CHECK(dtype(List{true, 2}) == DType::int32);
  CHECK(dtype(List{1, 2.5}) == DType::float32);
  CHECK(dtype(List{}) == DType::float32);
  CHECK(from_value<Tensor>(List{}).shape() == Shape{0});
  CHECK(from_value<Tensor>(List{List{}, List{}}).shape() == Shape{2, 0});
  CHECK(from_value<Tensor>(List{"a", "b"}).dtype() == DType::string);
  CHECK(from_value<Tensor>(List{List{Tensor(1.0f)}, List{2.0}}).shape() == Shape{2, 1});
  CHECK_FALSE(from_value<Tensor>({}));
}

TEST_CASE("what is no regular array is no tensor") {
  for (const Value& v :
       List{List{List{1, 2}, List{3}}, List{List{1}, 2}, List{1, List{2}}, List{1, List{2, 3}},
            List{List{}, List{1}}, List{List{1}, List{}}, List{List{List{1}}, List{2}}}) {
    INFO(cornu::to_json(v));
    CHECK(refusal<Tensor>(v) == "expected a regular array, found a list");
  }
  CHECK(refusal<Tensor>(List{1, "a"}) == "expected numbers, found text");
  CHECK(refusal<Tensor>(List{"a", 1}) == "expected text, found an integer");
  CHECK(refusal<Tensor>(List{1, Value()}) == "expected numbers, found nothing");
  CHECK(refusal<Tensor>("a") == "expected a tensor, found text");
  CHECK(refusal<Tensor>(Dict{{"class_name", "__numpy__"}}) ==
        "expected a tensor, found a dictionary");
  CHECK(refusal<Tensor>(Dict{{"class_name", "__numpy__"}, {"config", Dict{}}}) ==
        "expected an array's value, found none");
}

TEST_CASE("arrays in files have all digits of their dtype") {
  for (const char* kind : {"__numpy__", "__tensor__"}) {
    INFO(kind);
    const Tensor precise = from_value<Tensor>(array(kind, List{0.1, 1e-300, 1.5}, "float64"));
    CHECK(precise.dtype() == DType::float64);
    CHECK(precise.to_vector<double>() == std::vector<double>{0.1, 1e-300, 1.5});
    const Tensor large =
        from_value<Tensor>(array(kind, List{int64_t{3000000000}, int64_t{-5000000001}}, "int64"));
    CHECK(large.dtype() == DType::int64);
    CHECK(large.to_vector<int64_t>() == std::vector<int64_t>{3000000000, -5000000001});
    const Tensor wide = from_value<Tensor>(array(kind, List{int64_t{4000000000}}, "uint32"));
    CHECK(wide.to_vector<int64_t>() == std::vector<int64_t>{4000000000});
    CHECK(from_value<Tensor>(array(kind, List{List{1, 0}}, "bool")).dtype() == DType::boolean);
    CHECK(from_value<Tensor>(array(kind, List{true, false}, "int8")).to_vector<int64_t>() ==
          std::vector<int64_t>{1, 0});
    CHECK_FALSE(from_value<Tensor>(array(kind, List{1.0}, "float32")).is_weak());
    CHECK(from_value<Tensor>(array(kind, 2.5, "float64")).shape() == Shape{});
    CHECK(from_value<Tensor>(array(kind, 0.1, "float64")).item() == 0.1);
    CHECK(from_value<Tensor>(array(kind, int64_t{3000000000}, "int64")).to_vector<int64_t>() ==
          std::vector<int64_t>{3000000000});
    CHECK(from_value<Tensor>(array(kind, List{"a"}, "string")).dtype() == DType::string);
    CHECK(test::has(refusal<Tensor>(array(kind, List{1}, "int33")), "int33"));
  }
}

TEST_CASE("tensors of every dtype come back from JSON as they were") {
  const std::vector<std::pair<DType, std::vector<double>>> cases = {
      {DType::boolean, {0, 1, 1, 0}},
      {DType::int8, {-128, 127, 0, 1}},
      {DType::uint8, {0, 255, 1, 2}},
      {DType::int16, {-32768, 32767, 0, 1}},
      {DType::uint16, {0, 65535, 1, 2}},
      {DType::int32, {-2147483648.0, 2147483647.0, 0, 1}},
      {DType::uint32, {0, 4294967295.0, 1, 2}},
      {DType::int64, {-9007199254740991.0, 9007199254740991.0, 0, 1}},
      {DType::float16, {0.5, -65504, 6e-8, 0}},
      {DType::bfloat16, {0.5, -1e38, 1e-30, 0}},
      {DType::float32, {0.1, -3e38, 1e-30, 0}},
      {DType::float64, {0.1, -1e308, 1e-300, 0}}};
  for (const auto& [dtype, numbers] : cases) {
    INFO(dtype_name(dtype));
    const Tensor exact = ops::cast(Tensor::from(numbers, {2, 2}), dtype);
    const Tensor back = from_value<Tensor>(again(exact));
    CHECK(back.dtype() == dtype);
    CHECK(back.shape() == Shape{2, 2});
    CHECK(test::identical(back, exact));
  }
  const Tensor largest = Tensor::from(
      std::vector<int64_t>{std::numeric_limits<int64_t>::max(), -4611686018427387905}, {2});
  CHECK(from_value<Tensor>(again(largest)).to_vector<int64_t>() == largest.to_vector<int64_t>());
}

TEST_CASE("tensors without elements keep their shape in JSON") {
  for (const Shape& shape : {Shape{0}, Shape{2, 0}, Shape{2, 3, 0}}) {
    INFO(shape.str());
    CHECK(from_value<Tensor>(again(ops::zeros(shape))).shape() == shape);
  }
  // An axis of size 0 before others cannot be seen in brackets, in Python either.
  CHECK(from_value<Tensor>(again(ops::zeros({0, 3}))).shape() == Shape{0});
}

TEST_CASE("truth values in arrays are written as Python writes them") {
  CHECK(cornu::to_json(ops::cast(Tensor::from({1, 0}, {2}), DType::boolean)) ==
        R"({"class_name": "__numpy__", "config": {"value": [true, false], "dtype": "bool"}})");
  CHECK(cornu::to_json(ops::cast(Tensor::from({1, 0}, {2}), DType::uint8)) ==
        R"({"class_name": "__numpy__", "config": {"value": [1, 0], "dtype": "uint8"}})");
  CHECK(cornu::to_json(Tensor(true)) == "true");
  CHECK(test::has(error_of([] { cornu::to_json(Tensor::abstract({2}, DType::float32)); }),
                  "cannot be written to a file"));
}

TEST_CASE("sizes for each axis are one for all or one for each") {
  using Codec = detail::OptionCodec<Dims<2>>;
  CHECK(Codec::decode(3) == Dims<2>{3, 3});
  CHECK(Codec::decode(List{3}) == Dims<2>{3, 3});
  CHECK(Codec::decode(List{3, 4}) == Dims<2>{3, 4});
  CHECK(error_of([] { Codec::decode(List{}); }) == "expected 2 sizes, found 0");
  CHECK(error_of([] { Codec::decode(List{1, 2, 3}); }) == "expected 2 sizes, found 3");
  CHECK(error_of([] { Codec::decode({}); }) == "expected an integer, found nothing");
  CHECK(error_of([] { Dims<3>({1, 2}); }) == "expected 3 sizes or one for all, found 2");
  CHECK(cornu::to_json(Codec::encode(Dims<2>(5))) == "[5, 5]");
  CHECK(Dims<1>(int8_t{7})[0] == 7);
  CHECK(Dims<3>{}.vec() == std::vector<int64_t>{0, 0, 0});
}

TEST_CASE("a config is looked up by key, and changed") {
  const layers::Dense dense({.units = 4, .kernel_initializer = "he_normal"});
  CHECK(dense->get_config()["units"].get<int64_t>() == 4);
  std::ostringstream text;
  text << dense->get_config()["units"] << " " << Value::Dict{{"axis", Value::List{1, 2}}};
  CHECK(text.str() == R"(4 {"axis": [1, 2]})");
  CHECK(dense->get_config()["kernel_initializer"]["class_name"].get<std::string>() == "HeNormal");
  Value::Dict config = dense->get_config();
  config["units"] = 7;
  config.set("name", "wide");
  CHECK(config.contains("use_bias"));
  CHECK_FALSE(config.contains("bias"));
  CHECK(config.find("bias") == nullptr);
  CHECK(config.find("use_bias")->get<bool>());
  const auto wide = layers::Dense::from_config(config);
  CHECK(wide->config.units == 7);
  CHECK(wide->name() == "wide");
  const size_t size = config.size();
  config.set("more", Value::List{1, "two"});
  CHECK(config.size() == size + 1);
  CHECK(config.back().first == "more");
  CHECK(config["more"][-1].get<std::string>() == "two");
  CHECK(error_of([&] { (void)config["more"][2]; }) == "there is no element 2 in a list of 2.");
  CHECK(error_of([&] { (void)config["more"]["x"]; }) == "expected a dictionary, found a list.");
  const std::string missing = error_of([&] { (void)dense->get_config()["unit"]; });
  CHECK(test::has(missing, "there is no key 'unit'. Did you mean 'units'? There are name, "));
  CHECK(test::has(missing, "set(key, value) adds one."));
  CHECK(test::has(error_of([] { (void)Value::Dict()["a"]; }), "The dictionary is empty."));
}

}  // namespace value_conversions_test
