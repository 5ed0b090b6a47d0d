// HDF5 files between Cornu and h5py, in both directions. Needs a Python with h5py (CORNU_PYTHON, or
// python3): without one, the tests say so and pass.
#include <cornu/framework/io/h5_file.h>

#include <algorithm>
#include <cstring>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/temporary.h"
#include "../saving/python.h"
#include "support/skip.h"

namespace h5_python_test {

using namespace cornu;
using io::H5Reader;
using io::H5Writer;
using test::error_of;
using test::has;

namespace {

using Texts = std::vector<std::string>;

const std::vector<std::string> numbers = {"bool",   "uint8",   "uint16",  "uint32",
                                          "uint64", "int8",    "int16",   "int32",
                                          "int64",  "float16", "float32", "float64"};

// The script's numbers.
Tensor expected(DType dtype) {
  std::vector<double> values;
  for (int i = 0; i < 6; ++i) values.push_back(i * 37 % 7);
  return ops::cast(Tensor::from(values, {2, 3}), dtype);
}

std::string python() {
  static const std::string found = test::python_for("check_h5.py", "h5py");
  return found;
}

// Runs the script, and shows what it says when it fails.
void run(const std::string& what, const std::filesystem::path& file) {
  const test::TemporaryFolder folder;
  const int status = test::run_script(python(), "check_h5.py",
                                      what + " " + test::quote(file.string()), folder / "log");
  INFO(test::slurp(folder / "log"));
  REQUIRE(status == 0);
}

Tensor read(const H5Reader& file, const std::string& path, DType dtype) {
  const Shape shape = file.info(path).shape;
  Tensor result =
      Tensor::written(shape, dtype, [&](void* memory) { file.read(path, memory, dtype, shape); });
  return result;
}

Texts long_names() {
  Texts names;
  for (int i = 0; i < 3000; ++i)
    names.push_back("name_of_a_layer_" + std::to_string(i) + "_that_is_long");
  return names;
}

}  // namespace

TEST_CASE("h5py reads what is written here") {
  if (python().empty()) {
    test::skip("there is no Python with h5py");
    return;
  }
  const test::TemporaryFolder folder;
  const auto path = folder / "a file.h5";
  H5Writer writer(path);
  for (const std::string& name : numbers) {
    const Tensor x = expected(dtype_of(name));
    writer.write("numbers/" + name, x.dtype(), x.shape(), x.host_data());
  }
  const Tensor half = expected(DType::bfloat16);
  writer.write("/numbers/bfloat16", half.dtype(), half.shape(), half.host_data());
  std::vector<float> both;
  for (const float v : expected(DType::float32).to_vector<float>()) both.insert(both.end(), {v, v});
  writer.write("numbers/complex64", DType::complex64, {2, 3}, both.data());
  const double scalar = 2.5;
  writer.write("scalar", DType::float64, {}, &scalar);
  writer.write("none", DType::float32, {0, 3}, nullptr);
  writer.create_group("empty");
  writer.create_group("/empty");
  writer.write_strings("texts", {"", "a", "größer", std::string(1000, 'x')}, {2, 2});
  const std::vector<int64_t> pair = {1, 2};
  writer.write("deep/a b/ü/0", DType::int64, {2}, pair.data());
  const std::string group = "deep/a b/ü";
  writer.set_attribute(group, "text", std::string_view("one"));
  writer.set_attribute(group, "text", std::string_view("two words"));
  writer.set_attribute(group, "nothing", std::string_view(""));
  writer.set_attribute(group, "number", 0.1);
  writer.set_attribute(group, "whole", -(int64_t{1} << 40));
  writer.set_strings_attribute(group, "names", {"b", "a", "é"});
  writer.set_strings_attribute(group, "no_names", {});
  writer.set_strings_attribute(group, "many", long_names());
  writer.set_attribute(group + "/0", "of", std::string_view("a dataset"));
  writer.finish();
  run("read", path);
  // And so do we.
  const H5Reader file(path);
  CHECK(file.strings_attribute(group, "many") == long_names());
  CHECK(file.strings_attribute(group, "no_names")->empty());
  CHECK(file.read_strings("texts")[2] == "größer");
  CHECK(file.string_shape("texts") == Shape{2, 2});
  CHECK_FALSE(file.string_shape("scalar"));
}

TEST_CASE("What h5py writes is read here, however it is stored") {
  if (python().empty()) {
    test::skip("there is no Python with h5py");
    return;
  }
  const test::TemporaryFolder folder;
  const auto path = folder / "b.h5";
  run("write", path);
  const H5Reader file(path);
  for (const std::string& name : numbers) {
    const DType dtype = dtype_of(name);
    const Tensor x = expected(dtype);
    for (const std::string& kind : Texts{"plain", "zipped", "big"}) {
      if (kind == "big" && size_of(dtype) == 1) continue;
      INFO(kind << " " << name);
      std::string path_of_kind = kind;
      path_of_kind.append("/").append(name);
      CHECK(file.info(path_of_kind).dtype == dtype);
      CHECK(test::identical(read(file, path_of_kind, dtype), x));
      CHECK(
          test::identical(read(file, path_of_kind, DType::float64), ops::cast(x, DType::float64)));
    }
  }
  CHECK(test::identical(read(file, "fortran", DType::float32), expected(DType::float32)));
  CHECK(read(file, "scalar", DType::float32).to_vector<float>() == std::vector<float>{2.5});
  CHECK(file.info("none").shape == Shape{0, 3});
  CHECK(read(file, "none", DType::float32).size() == 0);
  CHECK(file.read("one", 4).size() == 4);
  CHECK(has(error_of([&] { file.read("one", 3); }), "one"));
  CHECK(file.read_strings("texts") == Texts{"a", "größer", ""});
  CHECK(file.read_strings("fixed") == Texts{"abc", "d", ""});
  // Chunks that were never written hold the fill value.
  CHECK(read(file, "unset", DType::float32).to_vector<float>() == std::vector<float>(4, 1.5f));
  CHECK(read(file, "zeros", DType::float32).to_vector<float>() == std::vector<float>(15, 0.0f));
  CHECK(test::identical(read(file, "grows", DType::int32), expected(DType::int32)));
}

TEST_CASE("Groups, attributes and links of h5py's files") {
  if (python().empty()) {
    test::skip("there is no Python with h5py");
    return;
  }
  const test::TemporaryFolder folder;
  const auto path = folder / "c.h5";
  run("write", path);
  const H5Reader file(path);
  const std::string group = "/deep/a b/ü";
  CHECK(file.is_group(group));
  CHECK_FALSE(file.is_dataset(group));
  Texts children;
  for (int i = 0; i < 12; ++i) children.push_back(std::to_string(i));
  CHECK(file.children(group) == children);
  CHECK(read(file, group + "/3", DType::int32).to_vector<int>() == std::vector<int>{8});
  CHECK(file.string_attribute(group, "text") == "two words");
  CHECK(file.string_attribute(group, "bytes") == "as bytes");
  CHECK(file.number_attribute(group, "number") == 0.5);
  CHECK(file.number_attribute(group, "whole") == 3);
  CHECK(file.number_attribute(group, "truth") == 1);
  CHECK(file.numbers_attribute(group, "list") == std::vector<double>{1, 2, 3});
  CHECK(file.strings_attribute(group, "names") == Texts{"b", "a", "é"});
  CHECK(file.strings_attribute(group, "byte_names") == Texts{"kernel", "bias"});
  CHECK_FALSE(file.strings_attribute(group, "nothing"));
  CHECK_FALSE(file.has_attribute(group, "nothing"));
  CHECK(has(error_of([&] { file.number_attribute(group, "list"); }), "list"));
  CHECK(has(error_of([&] { file.number_attribute(group, "text"); }), "text"));
  CHECK(has(error_of([&] { file.string_attribute(group, "nothing"); }), "nothing"));
  // Hard links are the object itself; others are listed, and refused.
  CHECK(file.is_dataset("hard"));
  CHECK(read(file, "hard", DType::float32).to_vector<float>() == std::vector<float>{7});
  for (const char* link : {"soft", "external"}) {
    CHECK_THROWS_AS(file.exists(link), FileError);
    CHECK_THROWS_AS(file.info(link), FileError);
    const Texts root = file.children("");
    CHECK(std::find(root.begin(), root.end(), link) != root.end());
  }
}

}  // namespace h5_python_test
