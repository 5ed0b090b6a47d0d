// Pipelines of arrays and tables in files.
#include <cornu/framework/data/file_sources.h>
#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/io/npy.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "catch.h"
#include "support/temporary.h"

namespace file_sources_test {

using namespace cornu;
using test::contains;
using test::spill;

namespace {

io::NpyArray array(const std::string& name, int64_t rows) {
  std::vector<float> values(static_cast<size_t>(2 * rows));
  std::iota(values.begin(), values.end(), 0.0f);
  io::NpyArray result{name, DType::float32, {rows, 2}, {}, {}};
  result.data.resize(values.size() * sizeof(float));
  std::memcpy(result.data.data(), values.data(), result.data.size());
  return result;
}

std::vector<float> rows(const data::Pipeline<Batch>& pipeline, Nest Batch::*part) {
  std::vector<float> all;
  for (const Batch& batch : pipeline.batch(3))
    for (const float v : (batch.*part).tensor().to_vector<float>()) all.push_back(v);
  return all;
}

std::vector<float> upto(int64_t n) {
  std::vector<float> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

}  // namespace

TEST_CASE("Rows of .npy files are samples, mapped or converted") {
  const test::TemporaryFolder folder;
  io::write_npy(folder / "x.npy", array("", 7));
  io::write_npy(folder / "y.npy",
                {"", DType::string, {7}, {}, {"a", "b", "c", "d", "e", "f", "g"}});
  const auto pipeline = data::from_npy(folder / "x.npy", folder / "y.npy");
  CHECK(pipeline.size() == 7);
  CHECK(rows(pipeline, &Batch::x) == upto(14));
  CHECK((*pipeline.skip(2).batch(2).begin()).y.tensor().to_strings() ==
        std::vector<std::string>{"c", "d"});
  // The columns of a file in Fortran's order lie side by side.
  spill(folder / "f.npy", std::string("\x93NUMPY\1\0\x46\0", 10) +
                              "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2)}            "
                              "\n\n" +
                              std::string("\0\1\0\3\0\2\0\4", 8));
  CHECK(rows(data::from_npy(folder / "f.npy"), &Batch::x) == std::vector<float>{1, 2, 3, 4});
  io::write_npy(folder / "six.npy", array("", 6));
  CHECK_THROWS_WITH(data::from_npy(folder / "x.npy", folder / "six.npy"), contains("6 samples"));
  CHECK_THROWS_AS(data::from_npy(folder / "none.npy"), FileError);
  spill(folder / "bad.npy", "not an array");
  CHECK_THROWS_WITH(data::from_npy(folder / "bad.npy"), contains("is not an .npy file"));
}

TEST_CASE("Arrays of .npz files have names") {
  const test::TemporaryFolder folder;
  for (const auto compression : {io::Compression::stored, io::Compression::deflate}) {
    io::write_npz(folder / "a.npz", {array("x", 5), array("labels", 5)}, compression);
    CHECK(data::from_npz(folder / "a.npz").size() == 5);
    const auto both = data::from_npz(folder / "a.npz", {.y = "labels"});
    CHECK(rows(both, &Batch::y) == upto(10));
    CHECK_THROWS_WITH(data::from_npz(folder / "a.npz", {.y = "lables"}),
                      contains("Did you mean 'labels'?"));
  }
}

TEST_CASE("Datasets of an HDF5 file") {
  const test::TemporaryFolder folder;
  io::H5Writer writer(folder / "a.h5");
  const io::NpyArray values = array("", 5);
  writer.write("x", values.dtype, values.shape, values.data.data());
  writer.write_strings("y", {"a", "b", "c", "d", "e"});
  writer.finish();
  const auto pipeline = data::from_h5(folder / "a.h5");
  CHECK(rows(pipeline, &Batch::x) == upto(10));
  CHECK((*pipeline.batch(2).begin()).y.tensor().to_strings()[1] == "b");
  CHECK_THROWS_WITH(data::from_h5(folder / "a.h5", {.x = "z"}), contains("has no array 'z'"));
}

TEST_CASE("Columns of a table") {
  const test::TemporaryFolder folder;
  spill(folder / "iris.csv", "sepal,petal,species\n1,2,setosa\n3,,virginica\n5,6,setosa\n");
  const auto flowers = data::from_csv(folder / "iris.csv", {.label = "species"});
  const Batch batch = *flowers.batch(3).begin();
  CHECK(batch.x.tensor().shape() == Shape{3, 2});
  CHECK(std::isnan(batch.x.tensor().to_vector<float>()[3]));
  CHECK(batch.y.tensor().to_strings()[1] == "virginica");
  const auto petals =
      data::from_csv(folder / "iris.csv", {.label = "sepal", .features = {"petal"}});
  CHECK(rows(petals, &Batch::y) == std::vector<float>{1, 3, 5});
  CHECK_THROWS_WITH(data::from_csv(folder / "iris.csv"), contains("'setosa' in line 2"));
  CHECK_THROWS_WITH(data::from_csv(folder / "iris.csv", {.label = "specis"}),
                    contains("Did you mean 'species'?"));
}

}  // namespace file_sources_test
