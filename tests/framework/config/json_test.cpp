// JSON as config.json holds it: Python's way of writing, and refusals of what no model needs.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/ops/integers.h>
#include <cornu/framework/ops/operators.h>

#include <limits>

#include "../../support/temporary.h"

namespace json_test {

using namespace cornu;
using namespace cornu::test;
using cornu::parse_json;
using cornu::to_json;

namespace {

std::string again(const std::string& text) { return to_json(parse_json(text, "text")); }

}  // namespace

TEST_CASE("JSON is written as Python's json.dumps does") {
  const Value value = Value::Dict{
      {"b", Value::List{1, 2.0, true, Value()}}, {"a", Value::Dict{}}, {"text", "a\"\\\n\u00e9"}};
  CHECK(to_json(value) == R"({"b": [1, 2.0, true, null], "a": {}, "text": "a\"\\\n\u00e9"})");
  CHECK(to_json(Value::List{}) == "[]");
}

TEST_CASE("Floats are the shortest texts that read back the same") {
  for (double v : {0.1, 1e-7, 0.0010000000474974513, 1e300, -5e-324, 3.0, 123456789012.5}) {
    const Value back = parse_json(to_json(v), "text");
    REQUIRE(back.is<double>());
    CHECK(back.get<double>() == v);
  }
  CHECK(to_json(1e-7) == "1e-07");
  CHECK(to_json(3.0) == "3.0");
  CHECK(to_json(int64_t{3}) == "3");
  const int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(parse_json(to_json(most), "text").get<int64_t>() == most);
}

TEST_CASE("Objects keep the order of their keys") {
  const std::string text = R"({"z": 1, "a": {"y": [], "b": "x"}})";
  CHECK(again(text) == text);
  CHECK(again(" {\"z\" :1,\n\"a\":{\"y\":[],\"b\":\"\\u0078\"}} ") == text);
}

TEST_CASE("Slices, ellipses and tensors have Keras's marks") {
  CHECK(to_json(Slice{1, {}, 2}) ==
        R"({"class_name": "__slice__", "config": {"start": 1, "stop": null, "step": 2}})");
  CHECK(to_json(Ellipsis{}) == R"({"class_name": "__ellipsis__", "config": {}})");
  const Tensor t = Tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 2});
  CHECK(to_json(t) ==
        R"({"class_name": "__numpy__", "config": {"value": [[1.0, 2.0], [3.0, 4.0]], )"
        R"("dtype": "float32"}})");
  CHECK(to_json(Tensor(2.5)) == "2.5");
}

TEST_CASE("What is not JSON is refused with the source and the place") {
  for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "[1] 2", "\"\xff\"", "nul", "'a'"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_json(text, "m.keras: config.json"), FileError);
    CHECK_THROWS_WITH(parse_json(text, "m.keras: config.json"),
                      contains("m.keras: config.json: not valid JSON"));
  }
}

TEST_CASE("NaN and infinities are refused, but not inside text") {
  for (const char* text : {"[NaN]", "{\"a\": Infinity}", "[-Infinity]"})
    CHECK_THROWS_WITH(parse_json(text, "m"), contains("NaN or Infinity"));
  CHECK(again(R"(["NaN", "a\"Infinity"])") == R"(["NaN", "a\"Infinity"])");
}

TEST_CASE("Deep nesting is refused rather than overflowing the stack") {
  for (size_t depth : {2'000, 200'000}) {
    CHECK_THROWS_WITH(parse_json(std::string(depth, '['), "m"), contains("1000 levels"));
    CHECK_THROWS_WITH(parse_json(std::string(depth, '[') + std::string(depth, ']'), "m"),
                      contains("1000 levels"));
  }
  CHECK_NOTHROW(parse_json(std::string(900, '[') + std::string(900, ']'), "m"));
}

TEST_CASE("Integers beyond 64 bits become floats") {
  CHECK(parse_json("123456789012345678901234567890", "m").is<double>());
  CHECK(parse_json("18446744073709551615", "m").get<double>() == 18446744073709551615.0);
  CHECK(parse_json("-9223372036854775808", "m").is<int64_t>());
}

}  // namespace json_test
