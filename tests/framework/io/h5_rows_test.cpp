// Datasets by rows: the elements of the whole dataset in any layout and order, by many threads, and
// files that are damaged or changed.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/io/h5_rows.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "../../support/error_of.h"
#include "../../support/temporary.h"

namespace h5_rows_test {

using namespace cornu;
using namespace cornu::io;
using namespace cornu::test;

namespace {

constexpr uint64_t room = 1 << 20;

/// Makes a file with the C API itself.
struct RawFile {
  hid_t id;
  explicit RawFile(const std::filesystem::path& path, bool newest = false) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (newest) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
  }
  ~RawFile() { H5Fclose(id); }

  /// Data of `memory` type; a negative one for none.
  void dataset(const char* name, hid_t type, std::vector<hsize_t> sizes, const void* data,
               hid_t memory, const std::function<void(hid_t)>& set = {}, bool grows = false) {
    const std::vector<hsize_t> most(sizes.size(), H5S_UNLIMITED);
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(),
                                         grows ? most.data() : nullptr);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (set) set(properties);
    const hid_t made = H5Dcreate2(id, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    REQUIRE(made >= 0);
    if (data != nullptr) REQUIRE(H5Dwrite(made, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(made);
    H5Pclose(properties);
    H5Sclose(space);
  }
};

auto in_chunks(std::vector<hsize_t> chunk, bool packed) {
  return [chunk, packed](hid_t properties) {
    H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
    if (!packed) return;
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, 4);
    H5Pset_fletcher32(properties);
  };
}

std::vector<float> noise(size_t count, uint64_t seed = 1) {
  std::mt19937_64 engine(seed);
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(engine() % 1000) / 8;
  return values;
}

std::vector<int64_t> any_order(int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  std::mt19937_64 engine(2);
  std::shuffle(rows.begin(), rows.end(), engine);
  rows.push_back(rows[0]);
  return rows;
}

// Rows of a dataset, singly and at once, against the whole.
void check_like_whole(const H5Reader& reader, const std::string& name, uint64_t cache) {
  INFO(name << " with a cache of " << cache);
  const auto rows = reader.rows(name, cache);
  const H5Info info = reader.info(name);
  REQUIRE(rows->shape() == info.shape);
  REQUIRE(rows->dtype() == info.dtype);
  const std::vector<std::byte> whole = reader.read(name, room);
  const size_t bytes = whole.size() / static_cast<size_t>(info.shape[0]);
  const std::vector<int64_t> order = any_order(info.shape[0]);
  std::vector<std::byte> all(bytes * order.size()), one(bytes);
  rows->read(order, all.data());
  bool equal = true, single = true;
  for (size_t i = 0; i < order.size(); ++i) {
    const std::byte* const from = whole.data() + static_cast<size_t>(order[i]) * bytes;
    equal &= std::memcmp(all.data() + i * bytes, from, bytes) == 0;
    rows->read(std::span(order).subspan(i, 1), one.data());
    single &= std::memcmp(one.data(), from, bytes) == 0;
  }
  CHECK(equal);
  CHECK(single);
}

// The value of row `row` of a dataset of one float a row.
float value_at(const H5Rows& rows, int64_t row) {
  float value = 0;
  rows.read(std::span(&row, 1), &value);
  return value;
}

std::string error_at(const H5Rows& rows, int64_t row) {
  return error_of([&] { value_at(rows, row); });
}

}  // namespace

TEST_CASE("rows of datasets in every layout are those of the whole") {
  const TemporaryFolder folder;
  const bool newest = GENERATE(false, true);
  const std::vector<float> values = noise(23 * 7 * 10);
  {
    RawFile file(folder / "a.h5", newest);
    const auto add = [&](const std::string& name, hid_t type, std::vector<hsize_t> sizes,
                         const std::function<void(hid_t)>& set = {}) {
      file.dataset(name.c_str(), type, sizes, values.data(), H5T_NATIVE_FLOAT, set);
    };
    const std::vector<hsize_t> cube = {23, 7, 10};
    for (const auto& [name, type] : {std::pair("f4", H5T_IEEE_F32LE),
                                     {"f8be", H5T_IEEE_F64BE},
                                     {"i2be", H5T_STD_I16BE},
                                     {"u1", H5T_STD_U8LE}}) {
      add(name, type, cube);
      add(std::string(name) + "_rows", type, cube, in_chunks({4, 7, 10}, true));
      add(std::string(name) + "_cut", type, cube, in_chunks({5, 3, 4}, true));
      add(std::string(name) + "_middle", type, cube, in_chunks({3, 2, 10}, true));
      add(std::string(name) + "_plain", type, cube, in_chunks({5, 3, 4}, false));
      add(std::string(name) + "_one", type, cube, in_chunks({23, 7, 10}, true));
      add(std::string(name) + "_compact", type, {23, 7},
          [](hid_t properties) { H5Pset_layout(properties, H5D_COMPACT); });
    }
    for (const auto filter : {0, 1, 2})
      add("only" + std::to_string(filter), H5T_IEEE_F32LE, cube, [filter](hid_t properties) {
        const hsize_t chunk[] = {4, 7, 9};
        H5Pset_chunk(properties, 3, chunk);
        if (filter == 0) H5Pset_fletcher32(properties);
        if (filter == 1) H5Pset_shuffle(properties);
        if (filter == 2) {  // the sum is packed as well
          H5Pset_fletcher32(properties);
          H5Pset_deflate(properties, 1);
        }
      });
    // Chunks that are longer than the dataset, which in the newest format is refused.
    if (!newest)
      file.dataset("grown", H5T_IEEE_F32LE, {23, 7}, values.data(), H5T_NATIVE_FLOAT,
                   in_chunks({40, 5}, true), true);
    // Only some of the chunks are there.
    const float three = 3;
    const auto sparse = [&](hid_t properties) {
      in_chunks({4, 5}, true)(properties);
      H5Pset_fill_value(properties, H5T_NATIVE_FLOAT, &three);
    };
    file.dataset("sparse", H5T_IEEE_F32LE, {30, 10}, nullptr, -1, sparse);
    file.dataset("zeros", H5T_IEEE_F32BE, {30, 10}, nullptr, -1, in_chunks({4, 5}, false));
    file.dataset("unwritten", H5T_IEEE_F32LE, {30, 10}, nullptr, -1);
    const hid_t sparse_id = H5Dopen2(file.id, "sparse", H5P_DEFAULT);
    const hid_t space = H5Dget_space(sparse_id);
    const hsize_t start[] = {5, 2}, count[] = {10, 4};
    const hid_t part = H5Screate_simple(2, count, nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
    H5Dwrite(sparse_id, H5T_NATIVE_FLOAT, part, space, H5P_DEFAULT, values.data());
    H5Sclose(part);
    H5Sclose(space);
    H5Dclose(sparse_id);
    // Elements with parts.
    for (const bool swapped : {false, true}) {
      const hid_t number = swapped ? H5T_IEEE_F64BE : H5T_IEEE_F64LE;
      const hid_t pair = H5Tcreate(H5T_COMPOUND, 16), memory = H5Tcreate(H5T_COMPOUND, 16);
      for (const auto& [name, at] : {std::pair("r", size_t{0}), {"i", size_t{8}}}) {
        H5Tinsert(pair, name, at, number);
        H5Tinsert(memory, name, at, H5T_NATIVE_DOUBLE);
      }
      const std::vector<double> doubles(values.begin(), values.begin() + 60);
      const std::string name = swapped ? "complex_be" : "complex";
      file.dataset(name.c_str(), pair, {10, 3}, doubles.data(), memory);
      file.dataset((name + "_packed").c_str(), pair, {10, 3}, doubles.data(), memory,
                   in_chunks({4, 2}, true));
      H5Tclose(pair);
      H5Tclose(memory);
    }
    const hid_t truth = H5Tenum_create(H5T_STD_I8LE);
    for (const int8_t value : {0, 1}) H5Tenum_insert(truth, value ? "TRUE" : "FALSE", &value);
    const std::vector<int8_t> truths = {0, 1, 0, 7, 1, 0, 0, -1, 1, 0};
    file.dataset("truths", truth, {10}, truths.data(), truth);
    file.dataset("truths_packed", truth, {10}, truths.data(), truth, in_chunks({3}, true));
    H5Tclose(truth);
  }
  const H5Reader reader(folder / "a.h5");
  for (const std::string& name : reader.children("/"))
    for (const uint64_t cache : {uint64_t{0}, uint64_t{3000}, room})
      check_like_whole(reader, name, cache);
  // The same of a file in memory.
  const std::string image = slurp(folder / "a.h5");
  const H5Reader memory(Bytes::of(image), "memory");
  for (const char* name : {"f4", "f4_cut", "i2be", "truths"}) check_like_whole(memory, name, room);
}

TEST_CASE("rows of bfloat16 and of no elements") {
  H5Writer writer;
  const std::vector<uint16_t> brains = {1, 2, 3, 4, 5, 6};
  writer.write("b", DType::bfloat16, {3, 2}, brains.data());
  writer.write("none", DType::float32, {0, 2}, nullptr);
  writer.write("narrow", DType::float32, {3, 0}, nullptr);
  writer.write("scalar", DType::int32, {}, brains.data());
  const H5Reader reader(writer.finish(), "memory");
  check_like_whole(reader, "b", room);
  CHECK(reader.rows("none", room)->shape() == Shape{0, 2});
  const std::vector<int64_t> rows = {2, 0}, beyond = {3};
  reader.rows("narrow", room)->read(rows, nullptr);
  CHECK_THROWS_WITH(reader.rows("scalar", room), contains("scalar"));
  CHECK_THROWS_AS(reader.rows("missing", room), FileError);
  CHECK_THROWS_WITH(reader.rows("b", room)->read(beyond, nullptr), contains("no number 3"));
  CHECK_THROWS_WITH(reader.rows("b", room)->read_strings(rows), contains("no strings"));
}

TEST_CASE("rows of strings of both kinds") {
  const TemporaryFolder folder;
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back(std::string(static_cast<size_t>(i % 7), 'x') + "é");
  {
    RawFile file(folder / "a.h5");
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    const hid_t varies = H5Tcopy(H5T_C_S1);
    H5Tset_size(varies, H5T_VARIABLE);
    H5Tset_cset(varies, H5T_CSET_UTF8);
    file.dataset("varies", varies, {300}, pointers.data(), varies);
    file.dataset("varies_chunks", varies, {150, 2}, pointers.data(), varies,
                 in_chunks({7, 1}, false));
    H5Tclose(varies);
    for (const H5T_str_t padding : {H5T_STR_NULLPAD, H5T_STR_SPACEPAD}) {
      const hid_t fixed = H5Tcopy(H5T_C_S1);
      H5Tset_size(fixed, 8);
      H5Tset_strpad(fixed, padding);
      std::string block;
      for (std::string text : texts) {
        text.resize(8, padding == H5T_STR_SPACEPAD ? ' ' : '\0');
        block += text;
      }
      const std::string name = padding == H5T_STR_SPACEPAD ? "spaces" : "zeros";
      file.dataset(name.c_str(), fixed, {300}, block.data(), fixed);
      file.dataset((name + "_packed").c_str(), fixed, {150, 2}, block.data(), fixed,
                   in_chunks({7, 1}, true));
      H5Tclose(fixed);
    }
  }
  const H5Reader reader(folder / "a.h5");
  for (const std::string& name : reader.children("/")) {
    INFO(name);
    const std::vector<std::string> whole = reader.read_strings(name);
    REQUIRE(whole == texts);
    const auto rows = reader.rows(name, room);
    CHECK(rows->dtype() == DType::string);
    const std::vector<int64_t> order = any_order(rows->shape()[0]);
    const size_t width = whole.size() / static_cast<size_t>(rows->shape()[0]);
    std::vector<std::string> expected;
    for (const int64_t row : order)
      for (size_t k = 0; k < width; ++k)
        expected.push_back(whole[static_cast<size_t>(row) * width + k]);
    CHECK(rows->read_strings(order) == expected);
    CHECK_THROWS_WITH(rows->read(order, nullptr), contains("holds strings"));
  }
}

TEST_CASE("rows outlive their reader, and the cache keeps to its bytes") {
  const TemporaryFolder folder;
  const std::vector<float> values = noise(1000);
  {
    RawFile file(folder / "a.h5");
    file.dataset("x", H5T_IEEE_F32LE, {1000}, values.data(), H5T_NATIVE_FLOAT,
                 in_chunks({10}, true));
  }
  const auto rows = H5Reader(folder / "a.h5").rows("x", 400);
  for (int64_t row = 0; row < 1000; ++row) {
    CHECK(value_at(*rows, row) == values[static_cast<size_t>(row)]);
    CHECK(rows->cached() <= 400);
  }
  CHECK(rows->cached() == 400);
}

TEST_CASE("several threads read rows at a time") {
  const TemporaryFolder folder;
  const std::vector<float> values = noise(4000);
  {
    RawFile file(folder / "a.h5");
    file.dataset("packed", H5T_IEEE_F32BE, {4000}, values.data(), H5T_NATIVE_FLOAT,
                 in_chunks({64}, true));
    file.dataset("plain", H5T_IEEE_F32LE, {4000}, values.data(), H5T_NATIVE_FLOAT);
  }
  const H5Reader reader(folder / "a.h5");
  for (const char* name : {"packed", "plain"}) {
    const auto rows = reader.rows(name, 1024);
    std::array<bool, 4> right{};
    std::vector<std::thread> threads;
    for (size_t t = 0; t < right.size(); ++t)
      threads.emplace_back([&, t] {
        std::mt19937_64 engine(t);
        bool equal = true;
        for (int i = 0; i < 3000; ++i) {
          const auto row = static_cast<int64_t>(engine() % 4000);
          equal &= value_at(*rows, row) == values[static_cast<size_t>(row)];
        }
        right[t] = equal;
      });
    for (std::thread& thread : threads) thread.join();
    for (const bool equal : right) CHECK(equal);
  }
}

TEST_CASE("a damaged chunk is an error of its rows alone") {
  const TemporaryFolder folder;
  const std::vector<float> values = noise(400);
  haddr_t address = 0;
  hsize_t size = 0;
  for (const bool sum : {false, true}) {
    {
      RawFile file(folder / "a.h5");
      file.dataset("x", H5T_IEEE_F32LE, {400}, values.data(), H5T_NATIVE_FLOAT,
                   [sum](hid_t properties) {
                     const hsize_t chunk = 100;
                     H5Pset_chunk(properties, 1, &chunk);
                     if (sum)
                       H5Pset_fletcher32(properties);
                     else
                       H5Pset_deflate(properties, 6);
                   });
      H5Fflush(file.id, H5F_SCOPE_GLOBAL);
      const hid_t dataset = H5Dopen2(file.id, "x", H5P_DEFAULT);
      const hsize_t at = 200;
      unsigned mask = 0;
      REQUIRE(H5Dget_chunk_info_by_coord(dataset, &at, &mask, &address, &size) >= 0);
      H5Dclose(dataset);
    }
    std::string bytes = slurp(folder / "a.h5");
    bytes[address + size / 2] = static_cast<char>(bytes[address + size / 2] ^ 0x55);
    spill(folder / "a.h5", bytes);
    const auto rows = H5Reader(folder / "a.h5").rows("x", room);
    CHECK(value_at(*rows, 199) == values[199]);
    CHECK(has(error_at(*rows, 250), "dataset 'x', rows from 200 on: a chunk is damaged"));
    CHECK(has(error_at(*rows, 250), "a chunk is damaged"));
    CHECK(value_at(*rows, 300) == values[300]);
  }
}

TEST_CASE("a file that is changed while its rows are read is an error") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.h5";
  const std::vector<float> values = noise(200'000);
  std::string bytes;
  {
    RawFile file(path);
    file.dataset("plain", H5T_IEEE_F32LE, {200'000}, values.data(), H5T_NATIVE_FLOAT);
    file.dataset("swapped", H5T_IEEE_F32BE, {200'000}, values.data(), H5T_NATIVE_FLOAT);
    file.dataset("packed", H5T_IEEE_F32LE, {200'000}, values.data(), H5T_NATIVE_FLOAT,
                 in_chunks({1000}, true));
    file.dataset("chunks", H5T_IEEE_F32LE, {200'000}, values.data(), H5T_NATIVE_FLOAT,
                 in_chunks({1000}, false));
  }
  bytes = slurp(path);
  for (const char* name : {"plain", "swapped", "packed", "chunks"}) {
    INFO(name);
    spill(path, bytes);
    const auto cut = H5Reader(path).rows(name, room);
    CHECK(value_at(*cut, 7) == values[7]);
    std::filesystem::resize_file(path, bytes.size() / 10);
    for (const int64_t row : {int64_t{7}, int64_t{100'000}, int64_t{199'999}})
      CHECK(has(error_at(*cut, row), "when it was opened"));

    spill(path, bytes);
    const auto written = H5Reader(path).rows(name, room);
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
    CHECK(has(error_at(*written, 100'000), "was written to"));

    // Another file that takes the name leaves this one as it is.
    spill(path, bytes);
    const auto replaced = H5Reader(path).rows(name, room);
    spill(folder / "b.h5", "other");
    std::filesystem::rename(folder / "b.h5", path);
    CHECK(value_at(*replaced, 199'999) == values[199'999]);
  }
}

TEST_CASE("a file that is changed between its opening and its rows is an error") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.h5";
  const std::vector<float> values = noise(2000);
  {
    RawFile file(path);
    for (const char* name : {"x", "y"})
      file.dataset(name, H5T_IEEE_F32LE, {2000}, values.data(), H5T_NATIVE_FLOAT);
  }
  const auto touch = [&](int seconds) {
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(seconds));
  };
  const H5Reader reader(path);
  reader.expect_unchanged();
  const auto x = reader.rows("x", room);
  CHECK(value_at(*x, 7) == values[7]);
  touch(5);
  CHECK(has(error_of([&] { reader.expect_unchanged(); }), "was written to after it was opened"));
  CHECK(has(error_of([&] { reader.rows("y", room); }), "was written to after it was opened"));
  CHECK(has(error_at(*x, 8), "was written to after it was opened"));
  // Opened anew it is as good as any, and another file that takes the name leaves it as it is.
  const H5Reader again(path);
  spill(folder / "b.h5", "other");
  std::filesystem::rename(folder / "b.h5", path);
  CHECK(value_at(*again.rows("y", room), 1999) == values[1999]);
  again.expect_unchanged();
  // What is in memory does not change.
  H5Writer writer;
  writer.write("x", DType::float32, {2000}, values.data());
  const H5Reader memory(writer.finish(), "memory");
  memory.expect_unchanged();
  CHECK(value_at(*memory.rows("x", room), 3) == values[3]);
}

TEST_CASE("datasets that the reader refuses are refused by rows") {
  const TemporaryFolder folder;
  {
    RawFile file(folder / "a.h5");
    file.dataset("outside", H5T_IEEE_F32LE, {4}, nullptr, -1, [&](hid_t properties) {
      H5Pset_external(properties, (folder / "data.bin").c_str(), 0, 16);
    });
    file.dataset("huge", H5T_IEEE_F32LE, {1'000'000'000}, nullptr, -1);
    file.dataset("chunk", H5T_IEEE_F32LE, {16}, nullptr, -1, in_chunks({100'000'000}, false), true);
    file.dataset("bits", H5T_STD_B16LE, {4}, nullptr, -1);
    // No rows, and a row of 2^64 bytes.
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 64);
    file.dataset("row", text, {0, 1 << 29, 1 << 29}, nullptr, -1);
    H5Tclose(text);
    H5Lcreate_external("other.h5", "/x", file.id, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/bits", file.id, "soft", H5P_DEFAULT, H5P_DEFAULT);
  }
  const H5Reader reader(folder / "a.h5");
  for (const auto& [name, why] : {std::pair("outside", "another file"),
                                  {"huge", "is refused"},
                                  {"chunk", "far larger"},
                                  {"bits", "bit fields"},
                                  {"row", "that no memory can hold"},
                                  {"elsewhere", "external link"},
                                  {"soft", "soft link"}})
    CHECK_THROWS_WITH(reader.rows(name, room), contains(why));
}

}  // namespace h5_rows_test
