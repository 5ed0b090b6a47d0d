// State files keep values with tensors exactly.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/config/state_file.h>
#include <cornu/framework/io/archive.h>

#include <filesystem>
#include <limits>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/temporary.h"

namespace state_file_test {

using namespace cornu;

TEST_CASE("a state file gives back numbers, texts, lists and tensors of all dtypes") {
  const test::TemporaryFolder folder;
  Value::List tensors;
  for (const DType dtype : {DType::boolean, DType::uint8, DType::int64, DType::float16,
                            DType::bfloat16, DType::float32, DType::float64})
    tensors.push_back(
        ops::cast(Tensor::from({0.0f, 1.0f, 3.0f, 0.5f, -2.0f, 7.0f}, {2, 3}), dtype));
  tensors.push_back(Tensor::from({2.5f}, {}));
  tensors.push_back(ops::zeros({0, 4}));
  const Value state = Value::Dict{{"whole", int64_t{1} << 60},
                                  {"number", 0.1},
                                  {"nan", std::numeric_limits<double>::quiet_NaN()},
                                  {"text", "a \"b\" \xc3\xa9"},
                                  {"nothing", Value()},
                                  {"nested", Value::Dict{{"list", tensors}}}};
  write_state(folder / "state.zip", state);
  const Value back = read_state(folder / "state.zip");
  CHECK(cornu::to_json(back).substr(0, 60) == cornu::to_json(state).substr(0, 60));
  std::vector<Tensor> before, after;
  state.collect(before);
  back.collect(after);
  REQUIRE(after.size() == before.size());
  for (size_t i = 0; i < before.size(); ++i) CHECK(test::identical(before[i], after[i]));
}

TEST_CASE("equal states make equal files") {
  const test::TemporaryFolder folder;
  const Value state = Value::Dict{{"t", ops::ones({3})}, {"n", 2}};
  write_state(folder / "a.zip", state);
  write_state(folder / "b.zip", state);
  const auto a = io::Bytes::map(folder / "a.zip"), b = io::Bytes::map(folder / "b.zip");
  CHECK(a.text() == b.text());
}

TEST_CASE("what is no state file is told, and forged sizes claim no memory") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_AS(read_state(folder / "missing.zip"), FileError);
  const auto forged = [&](const std::string& json) {
    io::ArchiveWriter archive(folder / "forged.zip");
    archive.add_text("state.json", json);
    archive.add_text("tensors/0", "12345678");
    archive.finish();
    return test::error_of([&] { read_state(folder / "forged.zip"); });
  };
  const auto entry = [](const std::string& dtype, const std::string& shape) {
    return "{\"a\": {\"tensor\": 0, \"dtype\": \"" + dtype + "\", \"shape\": " + shape + "}}";
  };
  CHECK(forged(entry("float32", "[2]")) == "no error");
  CHECK(test::has(forged(entry("float32", "[3]")), "is damaged"));
  CHECK(test::has(forged(entry("float32", "[4611686018427387904, 4611686018427387904]")),
                  "is damaged"));
  CHECK(test::has(forged(entry("float32", "[-2]")), "is damaged"));
  CHECK(test::has(forged(entry("float31", "[2]")), "is damaged"));
  CHECK(test::has(forged("[1, 2"), "forged.zip"));
}

}  // namespace state_file_test
