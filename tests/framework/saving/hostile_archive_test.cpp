// Archives and configs made to do harm, made here: each is refused by name and cause, or loads.
#include <catch.h>
#include <cornu/framework/config/json.h>

#include <functional>
#include <vector>

#include "hostile_files.h"

namespace hostile_archive_test {

using namespace cornu;
using namespace cornu::test;
using io::Compression;

namespace {

namespace fs = std::filesystem;

uint64_t number_at(const std::string& bytes, size_t at, int size) {
  uint64_t value = 0;
  for (int i = size - 1; i >= 0; --i)
    value = value << 8 | static_cast<uint8_t>(bytes.at(at + static_cast<size_t>(i)));
  return value;
}

void set_number(std::string& bytes, size_t at, uint64_t value, int size) {
  for (int i = 0; i < size; ++i)
    bytes.at(at + static_cast<size_t>(i)) = static_cast<char>(value >> 8 * i);
}

/// Where the headers of a small archive lie: of the file,
/// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT.
struct Zip {
  std::string bytes;
  size_t end, directory;  ///< of the end record, of the first central header
  size_t second;          ///< of the second central header
  explicit Zip(const fs::path& path) : bytes(slurp(path)) {
    end = bytes.rfind("PK\x05\x06");
    directory = number_at(bytes, end + 16, 4);
    second = directory + 46 + number_at(bytes, directory + 28, 2) +
             number_at(bytes, directory + 30, 2) + number_at(bytes, directory + 32, 2);
  }
  size_t local(size_t central) const { return number_at(bytes, central + 42, 4); }
};

void replace(std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != text.npos);
  text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("Archives with false headers are refused") {
  const MemoryPeak memory;
  const TemporaryFolder folder;
  const std::string config = base_member("config.json"), weights = base_member("model.weights.h5");
  write_keras(folder / "sound.keras", config, weights);
  REQUIRE(refusal_of_model(folder / "sound.keras").empty());
  const Zip sound(folder / "sound.keras");
  const auto check = [&](const std::string& name, const std::function<void(Zip&)>& damage,
                         const std::string& word) {
    INFO(name);
    Zip zip = sound;
    damage(zip);
    spill(folder / (name + ".keras"), zip.bytes);
    const std::string error = refusal_of_model(folder / (name + ".keras"));
    INFO(error);
    CHECK_FALSE(error.empty());
    CHECK(error.find(word) != error.npos);
  };
  check(
      "encrypted",
      [](Zip& z) {
        set_number(z.bytes, z.directory + 8, 1, 2);
        set_number(z.bytes, z.local(z.directory) + 6, 1, 2);
      },
      "encrypted");
  check(
      "method",
      [](Zip& z) {
        set_number(z.bytes, z.directory + 10, 14, 2);
        set_number(z.bytes, z.local(z.directory) + 8, 14, 2);
      },
      "method");
  check(
      "half_directory", [](Zip& z) { z.bytes.erase(z.directory + 30, 20); }, "");
  check(
      "no_end", [](Zip& z) { z.bytes.resize(z.end); }, "");
  check(
      "cut_end", [](Zip& z) { z.bytes.resize(z.end + 10); }, "");
  check(
      "zip64_lie",
      [](Zip& z) {
        set_number(z.bytes, z.directory + 20, 0xffffffff, 4);
        set_number(z.bytes, z.directory + 24, 0xffffffff, 4);
      },
      "");
  check(
      "huge_member",
      [](Zip& z) {
        set_number(z.bytes, z.directory + 20, 0xfffffff0, 4);
        set_number(z.bytes, z.directory + 24, 0xfffffff0, 4);
      },
      "");
  check(
      "larger_than_stored", [](Zip& z) { set_number(z.bytes, z.directory + 24, 1 << 30, 4); }, "");
  check(
      "offset_outside", [](Zip& z) { set_number(z.bytes, z.directory + 42, 0x7fffffff, 4); }, "");
  check(
      "too_many_entries",
      [](Zip& z) {
        set_number(z.bytes, z.end + 8, 65000, 2);
        set_number(z.bytes, z.end + 10, 65000, 2);
      },
      "");
  check(
      "one_header_for_two", [](Zip& z) { set_number(z.bytes, z.second + 42, 0, 4); }, "");
  check(
      "directory_in_itself", [](Zip& z) { set_number(z.bytes, z.end + 16, z.end, 4); }, "");
  for (const char* name : {"/etc/config", "..\\config.j", "a/../../b.j", "C:config.js"}) {
    check(
        std::string("name_") + std::to_string(name[0]),
        [&](Zip& z) {
          z.bytes.replace(z.directory + 46, 11, name, 11);
          z.bytes.replace(z.local(z.directory) + 30, 11, name, 11);
        },
        "points out of the archive");
  }
  // A member that says it is a symbolic link is a member like others: nothing is unpacked.
  Zip link = sound;
  set_number(link.bytes, link.directory + 4, 3 << 8 | 20, 2);
  set_number(link.bytes, link.directory + 38, uint64_t{0xa1ff} << 16, 4);
  spill(folder / "link.keras", link.bytes);
  refusal_of_model(folder / "link.keras");
  CHECK(memory.megabytes() < 1000);
}

TEST_CASE("Compressed members may not grow beyond what a model needs") {
  const MemoryPeak memory;
  const TemporaryFolder folder;
  const std::string config = base_member("config.json");
  write_keras(folder / "weights.keras", config, std::string(size_t{40} << 20, '\0'),
              Compression::deflate);
  CHECK(refusal_of_model(folder / "weights.keras").find("model.weights.h5") != std::string::npos);
  CHECK(memory.megabytes() < 1000);
}

TEST_CASE("Any value at any place of a config is refused or loads") {
  const MemoryPeak memory;
  const TemporaryFolder folder;
  // A folder: quicker to change than an archive.
  fs::create_directory(folder / "any");
  spill(folder / "any/model.weights.h5", base_member("model.weights.h5"));
  const Value base = cornu::parse_json(base_member("config.json"), "base");
  const std::vector<Value> odd = {
      Value(), Value(true),          Value(int64_t{-1}),   Value(1e300),
      "x",     Value(Value::List{}), Value(Value::Dict{}), Value(int64_t{1} << 50)};
  // The tree with the `target`-th place replaced.
  const std::function<Value(const Value&, const Value&, int&)> with =
      [&](const Value& value, const Value& replacement, int& target) -> Value {
    if (target-- == 0) return replacement;
    if (value.is<Value::List>()) {
      Value::List list;
      for (const Value& e : value.get<Value::List>()) list.push_back(with(e, replacement, target));
      return list;
    }
    if (value.is<Value::Dict>()) {
      Value::Dict dict;
      for (const auto& [key, e] : value.get<Value::Dict>())
        dict.emplace_back(key, with(e, replacement, target));
      return dict;
    }
    return value;
  };
  int refused = 0, places = 0;
  for (bool more = true; more; ++places)
    for (size_t i = 0; i < odd.size() / 2; ++i) {  // half of them, others at each place
      const Value& replacement = odd[(2 * i + static_cast<size_t>(places) % 2) % odd.size()];
      int target = places;
      const Value changed = with(base, replacement, target);
      more = target < 0;
      if (!more) break;
      const std::string text = cornu::to_json(changed);
      INFO(text);
      spill(folder / "any/config.json", text);
      const std::string error = refusal_of_model(folder / "any");
      INFO(error);
      // What the standard library says tells a user nothing.
      CHECK(error.find("std::") == error.npos);
      CHECK(error.find("bad_") == error.npos);
      refused += !error.empty();
    }
  CHECK(places > 100);
  CHECK(refused > 150);
  CHECK(memory.megabytes() < 1000);
}

TEST_CASE("Odd texts and numbers in a config are refused") {
  const MemoryPeak memory;
  const TemporaryFolder folder;
  const std::string weights = base_member("model.weights.h5"), base = base_member("config.json");
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string config = base;
    replace(config, from, to);
    INFO(to.substr(0, 100));
    write_keras(folder / "odd.keras", config, weights);
    CHECK_FALSE(refusal_of_model(folder / "odd.keras").empty());
  };
  const std::string units = "\"units\": 4";
  for (const std::string value :
       {"1e400", "-1e400", "4.5", "\"4\"", "[4]", "1000000000000000", "1e15",
        "-9223372036854775808", "99999999999999999999999", "0x4", "4,,", "+4"})
    refused(units, "\"units\": " + value);
  refused(units, "\"units\": " + std::string(1'000'000, '9'));
  for (const std::string value : {"fi\\u0000rst", "fi/rst", "second"})
    refused("\"name\": \"first\"", "\"name\": \"" + value + "\"");
  refused("\"class_name\": \"Dense\"", "\"class_name\": \"Dense\\u0000\"");
  refused("\"activation\": \"relu\"", "\"activation\": \"relu\\u0000\"");
  refused("\"activation\": \"relu\"", "\"activation\": \"\\ud800\"");
  const std::string shape = "\"batch_shape\": [null, 3]";
  for (const std::string value :
       {"[null, -5]", "[null, 4294967296, 4294967296]", "[null, 3.5]", "[null, \"3\"]",
        "[[null, 3]]", "3", "[null, 9223372036854775807, 9223372036854775807]", "[]", "[null]"})
    refused(shape, "\"batch_shape\": " + value);
  std::string many = "[null";
  for (int i = 0; i < 100; ++i) many += ", 3";
  refused(shape, "\"batch_shape\": " + many + "]");
  refused(units, units + ", \"deep\": " + std::string(100'000, '{'));
  refused(units, units + ", " + units);
  CHECK(memory.megabytes() < 1000);
}

TEST_CASE("Graphs that lead in circles or nowhere are refused") {
  const MemoryPeak memory;
  const TemporaryFolder folder;
  const std::string weights = base_member("model.weights.h5");
  const auto refused = [&](const std::string& node, const std::string& outputs) {
    const std::string config =
        R"({"module": "keras", "class_name": "Functional", "registered_name": null, "config": {"name": "m",
        "trainable": true, "layers": [{"module": "keras.layers", "class_name": "InputLayer", "registered_name":
        null, "name": "x", "config": {"batch_shape": [null, 3], "dtype": "float32", "name": "x"}, "inbound_nodes":
        []}, {"module": "keras.layers", "class_name": "Dense", "registered_name": null, "name": "d", "config":
        {"name": "d", "units": 3}, "inbound_nodes": )" +
        node + R"(}], "input_layers": [["x", 0, 0]], "output_layers": )" + outputs + "}}";
    INFO(config);
    write_keras(folder / "graph.keras", config, weights);
    CHECK_FALSE(refusal_of_model(folder / "graph.keras").empty());
  };
  const auto node = [](const std::string& history) {
    return R"([{"args": [{"class_name": "__keras_tensor__", "config": {"shape": [null, 3], "dtype": "float32",
      "keras_history": )" +
           history + R"(}}], "kwargs": {}}])";
  };
  const std::string sound = R"([["d", 0, 0]])";
  for (const char* history :
       {R"(["d", 0, 0])", R"(["x", -1, 0])", R"(["x", 0, 9223372036854775807])", R"(["x", 5, 0])",
        R"(["x"])", R"([])", R"("x")", R"([0, 0, 0])", R"({"x": 0})", R"(["x", "0", 0])",
        R"(["x\u0000", 0, 0])", R"(null)"})
    refused(node(history), sound);
  for (const char* other : {"7", "[7]", "[null]", "[[null]]", R"([{"args": [null]}])", "[[]]",
                            "[[[[]]]]", R"([{"args": 1}])", R"([{"args": [], "kwargs": 3}])",
                            R"([["x", 0, 0]])", R"([[["x", 0, 0, 7]]])", R"([[["y", 0, 0, {}]]])"})
    refused(other, sound);
  for (const char* outputs : {R"([["d", 1, 0]])", R"([["d", 0, -3]])", R"([["nobody", 0, 0]])", "7",
                              R"({"a": 3})", R"([["d", 0]])", R"([["d", 0, 0, 0]])", R"([null])"})
    refused(node(R"(["x", 0, 0])"), outputs);
  CHECK(memory.megabytes() < 1000);
}

}  // namespace hostile_archive_test
