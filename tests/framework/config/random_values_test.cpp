// Random values through JSON and state files and back: equal, and JSON that Python would write.
#include <cornu/framework/config/json.h>
#include <cornu/framework/config/state_file.h>
#include <cornu/framework/ops/ops.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "../../support/temporary.h"
#include "catch.h"

namespace random_values_test {

using namespace cornu;

namespace {

class Values {
 public:
  explicit Values(uint64_t seed) : engine_(seed) {}

  int64_t below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }

  std::string text() {
    static const std::vector<std::string> parts = {
        "a",           "Z",    " ",        "\"",           "\\",
        "/",           "\n",   "\t",       "\r",           "\x01",
        "\b",          "\x7f", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
        "{}",          "[",    ",",        "null",         ":",
        "\xEF\xBB\xBF"};
    std::string made;
    for (int64_t length = below(7); length > 0; --length)
      made += parts[static_cast<size_t>(below(static_cast<int64_t>(parts.size())))];
    return made;
  }

  double number() {
    switch (below(6)) {
      case 0:
        return static_cast<double>(below(2000) - 1000) / 8;
      case 1:
        return std::ldexp(1.0, static_cast<int>(below(2000)) - 1000);
      case 2:
        return -0.0;
      case 3:
        return static_cast<double>(below(100));
      case 4:
        return std::numeric_limits<double>::denorm_min() * static_cast<double>(below(9));
      default: {
        // Any bits that are a finite number.
        const double any = std::bit_cast<double>(engine_());
        return std::isfinite(any) ? any : 0.1;
      }
    }
  }

  Value value(int depth) {
    switch (below(depth > 0 ? 8 : 5)) {
      case 0:
        return {};
      case 1:
        return below(2) == 1;
      case 2:
        return below(3) == 0 ? std::numeric_limits<int64_t>::min() + below(5)
                             : static_cast<int64_t>(engine_() >> below(64));
      case 3:
        return number();
      case 4:
        return text();
      case 5:
      case 6: {
        Value::List list;
        for (int64_t i = below(4); i > 0; --i) list.push_back(value(depth - 1));
        return list;
      }
      default: {
        Value::Dict dict;
        for (int64_t i = below(4); i > 0; --i)
          dict.emplace_back(std::to_string(i) + text(), value(depth - 1));
        return dict;
      }
    }
  }

 private:
  std::mt19937_64 engine_;
};

// Equal in kind, value, bits of numbers, and order.
bool same(const Value& a, const Value& b) {
  if (a.variant().index() != b.variant().index()) return false;
  if (a.is<bool>()) return a.get<bool>() == b.get<bool>();
  if (a.is<int64_t>()) return a.get<int64_t>() == b.get<int64_t>();
  if (a.is<double>())
    return std::bit_cast<uint64_t>(a.get<double>()) == std::bit_cast<uint64_t>(b.get<double>());
  if (a.is<std::string>()) return a.get<std::string>() == b.get<std::string>();
  if (a.is<Value::List>()) {
    const auto &x = a.get<Value::List>(), &y = b.get<Value::List>();
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
  }
  if (a.is<Value::Dict>()) {
    const auto &x = a.get<Value::Dict>(), &y = b.get<Value::Dict>();
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const auto& m, const auto& n) {
      return m.first == n.first && same(m.second, n.second);
    });
  }
  return true;
}

}  // namespace

TEST_CASE("random values come back from JSON, on one line and on several") {
  Values values(1);
  for (int i = 0; i < 3000; ++i) {
    const Value v = values.value(4);
    const std::string line = to_json(v);
    INFO(line);
    CHECK(same(parse_json(line, "a.json"), v));
    CHECK(line.find('\n') == std::string::npos);
    CHECK(std::all_of(line.begin(), line.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
    const Value again = parse_json(to_json(v, 2), "a.json");
    CHECK(same(again, v));
    CHECK(to_json(again) == line);
  }
}

TEST_CASE("random values come back from state files with the same bits") {
  const test::TemporaryFolder folder;
  Values values(2);
  for (int i = 0; i < 60; ++i) {
    const Value v = Value::Dict{{"value", values.value(4)}, {"again", values.value(2)}};
    write_state(folder / "s.zip", v);
    INFO(to_json(v));
    CHECK(same(read_state(folder / "s.zip"), v));
  }
}

TEST_CASE("JSON that is cut short is refused wherever that is") {
  Values values(3);
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    // A list ends with a bracket only at its end.
    const std::string line = to_json(Value::List{values.value(3), values.value(3)});
    for (size_t length = 0; length < line.size(); length += 1 + line.size() / 40) {
      INFO(line.substr(0, length));
      CHECK_THROWS_AS(parse_json(line.substr(0, length), "a.json"), FileError);
      ++refused;
    }
    CHECK_THROWS_AS(parse_json(line + "]", "a.json"), FileError);
    CHECK_THROWS_AS(parse_json(line + " 1", "a.json"), FileError);
    CHECK_NOTHROW(parse_json(" \n\t" + line + "\r\n ", "a.json"));
  }
  CHECK(refused > 3000);
}

}  // namespace random_values_test
