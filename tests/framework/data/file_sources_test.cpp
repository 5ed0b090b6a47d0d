// Pipelines of arrays and tables in files.
#include <cornu/framework/data/file_sources.h>
#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/io/npy.h>
#include <hdf5.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "catch.h"
#include "support/memory_peak.h"
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

// The address sanitizer keeps freed memory back.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// A dataset in packed chunks, whose values are their numbers.
void write_packed(const std::filesystem::path& path, int64_t rows, int64_t width,
                  int64_t chunk_rows) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  for (const char* name : {"x", "y"}) {
    const int rank = name[0] == 'x' ? 2 : 1;
    const hsize_t sizes[] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(width)};
    const hsize_t chunk[] = {static_cast<hsize_t>(chunk_rows), static_cast<hsize_t>(width)};
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, rank, chunk);
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, 1);
    const hid_t space = H5Screate_simple(rank, sizes, nullptr);
    const hid_t made =
        H5Dcreate2(file, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    std::vector<float> values(static_cast<size_t>(chunk_rows * width));
    for (int64_t row = 0; row < rows; row += chunk_rows) {
      const hsize_t start[] = {static_cast<hsize_t>(row), 0};
      const hsize_t count[] = {static_cast<hsize_t>(std::min(chunk_rows, rows - row)),
                               static_cast<hsize_t>(width)};
      const hid_t part = H5Screate_simple(rank, count, nullptr);
      for (int64_t i = 0; i < chunk_rows; ++i)
        for (int64_t k = 0; k < (rank == 2 ? width : 1); ++k)
          values[static_cast<size_t>(rank == 2 ? i * width + k : i)] =
              static_cast<float>(rank == 2 ? (row + i) * width + k : row + i);
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
      H5Dwrite(made, H5T_NATIVE_FLOAT, part, space, H5P_DEFAULT, values.data());
      H5Sclose(part);
    }
    H5Dclose(made);
    H5Sclose(space);
    H5Pclose(properties);
  }
  H5Fclose(file);
}

void write_table(const std::filesystem::path& path, int64_t rows, bool texts) {
  std::string text = "first,second,y\n";
  for (int64_t row = 0; row < rows; ++row) {
    text += std::to_string(2 * row) + "," + std::to_string(2 * row + 1) + ",";
    text += texts ? "class " + std::to_string(row % 3) + "\n" : std::to_string(row) + "\n";
  }
  spill(path, text);
}

// The inputs and targets of all batches, in order.
struct Values {
  std::vector<float> x, y;
  bool operator==(const Values&) const = default;
};
Values values(const data::Pipeline<Batch>& batches) {
  Values all;
  for (const Batch& batch : batches) {
    for (const float v : batch.x.tensor().to_vector<float>()) all.x.push_back(v);
    for (const float v : batch.y.tensor().to_vector<float>()) all.y.push_back(v);
  }
  return all;
}

// Shuffled and not, with workers and without, rows are those of the kept file, and stay whole.
void check_rows(const data::Pipeline<Batch>& kept, const data::Pipeline<Batch>& read) {
  const auto same = [](Batch sample) { return sample; };
  CHECK(read.size() == kept.size());
  CHECK(values(read.batch(7)) == values(kept.batch(7)));
  const Values shuffled = values(kept.shuffle({.seed = 3}).batch(7));
  CHECK(shuffled.y != values(kept.batch(7)).y);
  CHECK(values(read.shuffle({.seed = 3}).batch(7)) == shuffled);
  CHECK(values(read.shuffle({.seed = 3}).map(same, {.workers = 4}).batch(7)) == shuffled);
  CHECK(values(read.map(same, {.workers = 4}).batch(7).prefetch(2)) == values(kept.batch(7)));
  CHECK(values(read.skip(5).take(20).batch(7)) == values(kept.skip(5).take(20).batch(7)));
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

TEST_CASE("Rows that are read are those of files that are kept") {
  const test::TemporaryFolder folder;
  write_packed(folder / "packed.h5", 300, 3, 16);
  io::H5Writer writer(folder / "plain.h5");
  const io::NpyArray x = array("", 300);
  writer.write("x", x.dtype, x.shape, x.data.data());
  writer.write("y", x.dtype, {300}, x.data.data());
  writer.finish();
  for (const char* name : {"packed.h5", "plain.h5"})
    for (const int64_t cache : {0, 1000})
      check_rows(data::from_h5(folder / name), data::from_h5(folder / name, {}, {cache}));
  write_table(folder / "t.csv", 300, false);
  const data::CsvColumns columns = {.label = "y", .features = {"second", "first"}};
  check_rows(data::from_csv(folder / "t.csv", columns),
             data::from_csv(folder / "t.csv", columns, {.cache_bytes = 0}));
  const auto broken = [](Batch) -> Batch { throw std::runtime_error("not today"); };
  CHECK_THROWS_WITH(
      values(data::from_csv(folder / "t.csv", columns, {.cache_bytes = 0}).map(broken).batch(7)),
      contains(folder / "t.csv") && contains("not today"));
  write_table(folder / "texts.csv", 300, true);
  const auto texts = [&](int64_t cache) {
    std::vector<std::string> all;
    for (const Batch& batch : data::from_csv(folder / "texts.csv", {.label = "y"}, {cache})
                                  .shuffle()
                                  .map([](Batch sample) { return sample; }, {.workers = 4})
                                  .batch(9))
      for (const std::string& text : batch.y.tensor().to_strings()) all.push_back(text);
    return all;
  };
  CHECK(texts(0) == texts(1 << 20));
  CHECK(texts(0).size() == 300);
}

TEST_CASE("Strings of an HDF5 file are read by rows") {
  const test::TemporaryFolder folder;
  io::H5Writer writer(folder / "a.h5");
  const io::NpyArray x = array("", 50);
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) texts.push_back("text " + std::to_string(i));
  writer.write("x", x.dtype, x.shape, x.data.data());
  writer.write_strings("y", texts);
  writer.finish();
  for (const Batch& batch : data::from_h5(folder / "a.h5", {}, {.cache_bytes = 0})
                                .shuffle()
                                .map([](Batch sample) { return sample; }, {.workers = 4})
                                .batch(8)) {
    const std::vector<float> numbers = batch.x.tensor().to_vector<float>();
    const std::vector<std::string> found = batch.y.tensor().to_strings();
    for (size_t i = 0; i < found.size(); ++i)
      CHECK(found[i] == texts[static_cast<size_t>(numbers[2 * i] / 2)]);
  }
}

TEST_CASE("Arrays of an HDF5 file have as many rows") {
  const test::TemporaryFolder folder;
  io::H5Writer writer(folder / "a.h5");
  const io::NpyArray x = array("", 5);
  writer.write("x", x.dtype, x.shape, x.data.data());
  writer.write("y", x.dtype, {4}, x.data.data());
  writer.write("scalar", x.dtype, {}, x.data.data());
  writer.finish();
  CHECK_THROWS_WITH(data::from_h5(folder / "a.h5"),
                    contains("array 1 has 4 samples, those before it have 5"));
  CHECK_THROWS_WITH(data::from_h5(folder / "a.h5", {.x = "scalar"}), contains("scalar"));
  CHECK_THROWS_AS(data::from_h5(folder / "a.h5", {.y = ""}, {.cache_bytes = -1}), ValueError);
}

TEST_CASE("Files that change while they are read are errors of a row") {
  const test::TemporaryFolder folder;
  write_table(folder / "t.csv", 20'000, false);
  write_packed(folder / "packed.h5", 20'000, 3, 100);
  io::H5Writer writer(folder / "plain.h5");
  const io::NpyArray x = array("", 20'000);
  writer.write("x", x.dtype, x.shape, x.data.data());
  writer.finish();
  for (const std::string name : {"t.csv", "packed.h5", "plain.h5"}) {
    const auto path = folder / name;
    const data::FileOptions small = {.cache_bytes = 1000};
    const auto rows =
        name == "t.csv" ? data::from_csv(path, {}, small) : data::from_h5(path, {}, small);
    const auto batches = rows.shuffle().batch(10);
    auto stream = batches.open(0);
    CHECK(stream->next());
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    try {
      while (stream->next()) {
      }
      FAIL("no error");
    } catch (const data::DataError& error) {
      CHECK_THAT(error.what(), contains(name == "t.csv" ? "Stage 'from_csv'" : "Stage 'from_h5'"));
      CHECK_THAT(error.what(), contains(path.string()));
      CHECK_THAT(error.what(), contains("when it was opened"));
    }
  }
}

TEST_CASE("Files with a million rows take little memory") {
  const test::TemporaryFolder folder;
  constexpr int64_t count = 1'000'000;
  write_packed(folder / "a.h5", count, 64, 4096);  // 260 MB of numbers
  write_table(folder / "t.csv", count, false);     // 20 MB of text, 12 MB of floats
  const auto sum = [&](const data::Pipeline<Batch>& batches) {
    double total = 0;
    int64_t samples = 0;
    for (const Batch& batch : batches) {
      for (const float v : batch.y.tensor().values<float>()) total += v;
      samples += batch.x.tensor().shape()[0];
    }
    CHECK(samples == count);
    return total;
  };
  const double expected = static_cast<double>(count) * (count - 1) / 2;
  {
    const test::MemoryPeak peak;
    const auto rows = data::from_h5(folder / "a.h5", {}, {.cache_bytes = 8 << 20});
    CHECK(sum(rows.batch(512)) == expected);
    CHECK(sum(rows.shuffle(8192).batch(512)) == expected);
    CHECK((sanitized || peak.megabytes() < 60));
  }
  {
    const test::MemoryPeak peak;
    const auto rows = data::from_csv(folder / "t.csv", {.label = "y"}, {.cache_bytes = 1 << 20});
    CHECK(sum(rows.batch(512)) == expected);
    CHECK(sum(rows.shuffle().batch(512)) == expected);
    CHECK((sanitized || peak.megabytes() < 8));
  }
}

}  // namespace file_sources_test
