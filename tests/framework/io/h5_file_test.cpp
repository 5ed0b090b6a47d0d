// HDF5 files: round trips through memory and disk, conversion, refusal of what is not safe to read.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/h5_file.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "../../support/temporary.h"

namespace h5_file_test {

using namespace cornu;
using namespace cornu::io;
using namespace cornu::test;

namespace {

const std::vector<float> floats = {1, -2.5f, 3, 0.1f, 65504, 1e-7f};

/// A file in memory with a float32 matrix "layers/dense/vars/0" and little else.
Bytes small_file() {
  H5Writer writer;
  writer.write("layers/dense/vars/0", DType::float32, {2, 3}, floats.data());
  return writer.finish();
}

/// Makes a file with the C API itself, for what H5Writer never writes.
struct RawFile {
  hid_t id;
  explicit RawFile(const std::filesystem::path& path)
      : id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~RawFile() { H5Fclose(id); }

  void dataset(const char* name, hid_t type, std::vector<hsize_t> sizes, const void* data,
               hid_t memory, hid_t properties = H5P_DEFAULT) {
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t made = H5Dcreate2(id, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (data != nullptr) H5Dwrite(made, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(made);
    H5Sclose(space);
  }
};

struct Properties {
  hid_t id = H5Pcreate(H5P_DATASET_CREATE);
  ~Properties() { H5Pclose(id); }
};

}  // namespace

TEST_CASE("H5 files round-trip every dtype, in memory and on disk") {
  const TemporaryFolder folder;
  const bool in_memory = GENERATE(true, false);
  const std::filesystem::path path = folder / "a.weights.h5";
  std::vector<std::byte> data(24 * 8);
  for (size_t i = 0; i < data.size(); ++i) data[i] = std::byte(i * 7 % 251);
  std::vector<std::byte> bools(24);
  for (size_t i = 0; i < bools.size(); ++i) bools[i] = std::byte(i % 3 == 0);
  const std::vector<Shape> shapes = {{}, {24}, {2, 3, 4}, {0}, {3, 0}};

  Bytes image;
  {
    H5Writer memory;
    std::unique_ptr<H5Writer> disk;
    if (!in_memory) disk = std::make_unique<H5Writer>(path);
    H5Writer& writer = in_memory ? memory : *disk;
    for (int i = 0; i < dtype_count; ++i)
      for (size_t k = 0; k < shapes.size(); ++k)
        writer.write(std::to_string(i) + "/" + std::to_string(k), static_cast<DType>(i), shapes[k],
                     i == 0 ? bools.data() : data.data());
    CHECK_FALSE(std::filesystem::exists(path));
    image = writer.finish();
    CHECK((image.size() > 0) == in_memory);
    CHECK_THROWS_AS(writer.create_group("more"), StateError);
  }
  const H5Reader reader = in_memory ? H5Reader(image, "memory") : H5Reader(path);
  for (int i = 0; i < dtype_count; ++i) {
    const DType dtype = static_cast<DType>(i);
    for (size_t k = 0; k < shapes.size(); ++k) {
      const std::string name = "/" + std::to_string(i) + "/" + std::to_string(k);
      const H5Info info = reader.info(name);
      CHECK(info.dtype == dtype);
      CHECK(info.shape == shapes[k]);
      const size_t size = static_cast<size_t>(shapes[k].numel()) * size_of(dtype);
      CHECK(info.stored == size);
      const std::vector<std::byte> back = reader.read(name, size);
      REQUIRE(back.size() == size);
      CHECK(
          (size == 0 || std::memcmp(back.data(), i == 0 ? bools.data() : data.data(), size) == 0));
    }
  }
}

TEST_CASE("H5 files hold complex numbers as h5py writes them") {
  const float values[4] = {1, 2, -3, 0.5f};
  H5Writer writer;
  writer.write("z", DType::complex64, {2}, values);
  writer.write("x", DType::float32, {4}, values);
  const H5Reader reader(writer.finish(), "memory");
  CHECK(reader.info("z").dtype == DType::complex64);
  CHECK(reader.info("z").shape == Shape{2});
  double wide[4];
  reader.read("z", wide, DType::complex128, {2});
  CHECK(std::equal(values, values + 4, wide));
  CHECK_THROWS_WITH(reader.read("z", wide, DType::float64, {2}), contains("complex64"));
  CHECK_THROWS_WITH(reader.read("x", wide, DType::complex128, {4}), contains("float32"));

  // Only r and i, both of one size, are a complex number.
  const TemporaryFolder folder;
  {
    RawFile file(folder / "a.h5");
    const auto pair = [&](const char* name, const char* re, const char* im, hid_t part) {
      const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
      H5Tinsert(type, re, 0, H5T_IEEE_F64LE);
      H5Tinsert(type, im, 8, part);
      file.dataset(name, type, {1}, nullptr, 0);
      H5Tclose(type);
    };
    pair("good", "r", "i", H5T_IEEE_F64LE);
    pair("names", "x", "y", H5T_IEEE_F64LE);
    pair("sizes", "r", "i", H5T_IEEE_F32LE);
    pair("integer", "r", "i", H5T_STD_I64LE);
  }
  const H5Reader made(folder / "a.h5");
  CHECK(made.info("good").dtype == DType::complex128);
  for (const char* name : {"names", "sizes", "integer"})
    CHECK_THROWS_WITH(made.info(name), contains("compound"));
}

TEST_CASE("H5 files in memory have no unused end and several are open at once") {
  const Bytes first = small_file();
  H5Writer writer(1 << 20);
  const float other[2] = {7, 8};
  writer.write("layers/dense/vars/0", DType::float32, {2}, other);
  const Bytes second = writer.finish();
  CHECK(second.size() < 8192);
  const H5Reader a(first, "a"), b(second, "b");
  CHECK(a.info("layers/dense/vars/0").shape == Shape{2, 3});
  CHECK(b.info("layers/dense/vars/0").shape == Shape{2});
}

TEST_CASE("H5Writer on disk appears only when finished") {
  const TemporaryFolder folder;
  spill(folder / "a.h5", "old");
  {
    H5Writer writer(folder / "a.h5");
    writer.write("x", DType::float32, {2, 3}, floats.data());
  }
  CHECK(slurp(folder / "a.h5") == "old");
  CHECK(folder.count() == 1);
  CHECK_THROWS_AS(H5Writer(folder / "missing/a.h5"), FileError);
}

TEST_CASE("H5Reader converts between element types") {
  const H5Reader reader(small_file(), "memory");
  const Shape shape{2, 3};
  double doubles[6];
  reader.read("layers/dense/vars/0", doubles, DType::float64, shape);
  for (int i = 0; i < 6; ++i) CHECK(doubles[i] == static_cast<double>(floats[i]));
  uint16_t halves[6];
  reader.read("layers/dense/vars/0", halves, DType::float16, shape);
  for (int i = 0; i < 6; ++i) CHECK(halves[i] == float_to_half(floats[i]));
  uint16_t brains[6];
  reader.read("layers/dense/vars/0", brains, DType::bfloat16, shape);
  for (int i = 0; i < 6; ++i) CHECK(brains[i] == float_to_bfloat16(floats[i]));
  uint8_t small[6];
  reader.read("layers/dense/vars/0", small, DType::uint8, shape);
  CHECK(std::vector<int>(small, small + 6) == std::vector<int>{1, 0, 3, 0, 255, 0});
  bool truths[6];
  reader.read("layers/dense/vars/0", truths, DType::boolean, shape);
  CHECK(truths[5]);

  H5Writer writer;
  const double odd[4] = {std::numeric_limits<double>::quiet_NaN(), 1e300, -1e300, -0.9};
  writer.write("x", DType::float64, {4}, odd);
  const H5Reader other(writer.finish(), "memory");
  int64_t ints[4];
  other.read("x", ints, DType::int64, {4});
  CHECK(std::vector<int64_t>(ints, ints + 4) ==
        std::vector<int64_t>{0, std::numeric_limits<int64_t>::max(),
                             std::numeric_limits<int64_t>::min(), 0});
}

TEST_CASE("H5Reader reads big-endian, chunked and compressed datasets") {
  const TemporaryFolder folder;
  const std::vector<hsize_t> sizes = {2, 3}, chunk = {2, 2};
  {
    RawFile file(folder / "a.h5");
    file.dataset("big", H5T_IEEE_F64BE, sizes, floats.data(), H5T_NATIVE_FLOAT);
    file.dataset("bigint", H5T_STD_I16BE, sizes, floats.data(), H5T_NATIVE_FLOAT);
    Properties gzip;
    H5Pset_chunk(gzip.id, 2, chunk.data());
    H5Pset_shuffle(gzip.id);
    H5Pset_deflate(gzip.id, 4);
    H5Pset_fletcher32(gzip.id);
    file.dataset("gzip", H5T_IEEE_F32LE, sizes, floats.data(), H5T_NATIVE_FLOAT, gzip.id);
  }
  const H5Reader reader(folder / "a.h5");
  CHECK(reader.info("big").dtype == DType::float64);
  CHECK(reader.info("bigint").dtype == DType::int16);
  for (const char* name : {"big", "gzip"}) {
    std::vector<float> back(6);
    reader.read(name, back.data(), DType::float32, {2, 3});
    CHECK(back == floats);
  }
  int32_t ints[6];
  reader.read("bigint", ints, DType::int32, {2, 3});
  CHECK(ints[0] == 1);
  CHECK(ints[2] == 3);
}

TEST_CASE("H5 groups, children and attributes") {
  H5Writer writer;
  for (int i = 11; i >= 0; --i) {
    writer.write("vars/" + std::to_string(i), DType::int32, {}, &i);
    writer.create_group("layers/dense_" + std::to_string(i));
  }
  writer.create_group("layers/dense");
  writer.create_group("layers/dense");
  writer.create_group("");
  writer.set_attribute("vars", "name", "first");
  writer.set_attribute("/vars", "name", "dense äöü");
  writer.set_attribute("", "long", std::string(200'000, 'x'));
  writer.set_attribute("/", "rate", 0.25);
  writer.set_attribute("/", "step", int64_t{1} << 40);
  writer.write_strings("vocabulary", {"", "[UNK]", "wörter"});
  const H5Reader reader(writer.finish(), "memory");

  CHECK(reader.children("vars") ==
        std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"});
  const std::vector<std::string> layers = reader.children("layers");
  REQUIRE(layers.size() == 13);
  CHECK(layers[0] == "dense");
  CHECK(layers[3] == "dense_2");
  CHECK(layers[12] == "dense_11");
  CHECK(reader.exists(""));
  CHECK(reader.is_group("/layers/dense/"));
  CHECK_FALSE(reader.is_group("vars/0"));
  CHECK(reader.is_dataset("vars/0"));
  CHECK_FALSE(reader.exists("vars/0/1"));
  CHECK_FALSE(reader.exists("nothing/at/all"));
  CHECK(reader.string_attribute("vars", "name") == "dense äöü");
  CHECK(reader.string_attribute("", "long").size() == 200'000);
  CHECK(reader.number_attribute("", "rate") == 0.25);
  CHECK(reader.number_attribute("", "step") == std::ldexp(1.0, 40));
  CHECK_FALSE(reader.has_attribute("vars", "nam"));
  CHECK_THROWS_WITH(reader.string_attribute("vars", "nam"), contains("no attribute 'nam'"));
  CHECK_THROWS_WITH(reader.string_attribute("", "rate"), contains("expected strings"));
  CHECK_THROWS_AS(reader.number_attribute("", "long"), FileError);
  CHECK(reader.read_strings("vocabulary") == std::vector<std::string>{"", "[UNK]", "wörter"});
}

TEST_CASE("H5 lists of names are split when one attribute cannot hold them") {
  std::vector<std::string> many, few = {"dense", "dense_1/kernel"};
  for (int i = 0; i < 5000; ++i) many.push_back("layer_" + std::to_string(i) + "/kernel:0");
  H5Writer writer;
  writer.set_strings_attribute("", "few", few);
  writer.set_strings_attribute("", "many", many);
  writer.set_strings_attribute("", "none", {});
  const H5Reader reader(writer.finish(), "memory");
  CHECK(reader.strings_attribute("", "few") == few);
  CHECK(reader.strings_attribute("", "many") == many);
  CHECK(reader.has_attribute("", "many0"));
  CHECK_FALSE(reader.has_attribute("", "many"));
  CHECK(reader.strings_attribute("", "none") == std::vector<std::string>{});
  CHECK_FALSE(reader.strings_attribute("", "absent").has_value());
}

TEST_CASE("H5Reader refuses another shape before it reads") {
  const TemporaryFolder folder;
  {
    RawFile file(folder / "bomb.h5");
    Properties chunked;
    const std::vector<hsize_t> chunk = {64, 64};
    H5Pset_chunk(chunked.id, 2, chunk.data());
    file.dataset("bomb", H5T_IEEE_F32LE, {1 << 20, 1 << 20}, nullptr, 0, chunked.id);
    file.dataset("overflow", H5T_IEEE_F32LE, {hsize_t{1} << 30, hsize_t{1} << 30, 1 << 20}, nullptr,
                 0, [&] {
                   static Properties cube;
                   const std::vector<hsize_t> sizes = {8, 8, 8};
                   H5Pset_chunk(cube.id, 3, sizes.data());
                   return cube.id;
                 }());
  }
  const H5Reader reader(folder / "bomb.h5");
  float value;
  CHECK_THROWS_WITH(
      reader.read("bomb", &value, DType::float32, {4, 3}),
      contains("bomb.h5") && contains("(1048576, 1048576)") && contains("expected (4, 3)"));
  CHECK_THROWS_WITH(reader.read("bomb", 1 << 20), contains("more than the 1048576 bytes"));
  CHECK_THROWS_WITH(reader.read("bomb", UINT64_MAX), contains("declares"));
  CHECK_THROWS_WITH(reader.info("overflow"), contains("no memory can hold"));
}

TEST_CASE("H5Reader follows no link and reads no other file") {
  const TemporaryFolder folder;
  spill(folder / "secret", std::string(24, 's'));
  {
    RawFile file(folder / "a.h5");
    file.dataset("real", H5T_IEEE_F32LE, {2, 3}, floats.data(), H5T_NATIVE_FLOAT);
    H5Lcreate_soft("/real", file.id, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/x", file.id, "external", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/", file.id, "loop", H5P_DEFAULT, H5P_DEFAULT);
    Properties outside;
    H5Pset_external(outside.id, (folder / "secret").c_str(), 0, 24);
    file.dataset("outside", H5T_IEEE_F32LE, {2, 3}, nullptr, 0, outside.id);
    const std::vector<hsize_t> sizes = {2, 3};
    const hid_t space = H5Screate_simple(2, sizes.data(), nullptr);
    Properties virtual_one;
    H5Pset_virtual(virtual_one.id, space, (folder / "secret").c_str(), "x", space);
    file.dataset("virtual", H5T_IEEE_F32LE, sizes, nullptr, 0, virtual_one.id);
    H5Sclose(space);
  }
  const H5Reader reader(folder / "a.h5");
  float out[6];
  const auto read = [&](const char* name) { reader.read(name, out, DType::float32, {2, 3}); };
  read("real");
  CHECK_THROWS_WITH(read("soft"), contains("soft link"));
  CHECK_THROWS_WITH(read("loop/loop/real"), contains("soft link"));
  CHECK_THROWS_WITH(read("external"), contains("external link"));
  CHECK_THROWS_WITH(reader.exists("external"), contains("external link"));
  CHECK_THROWS_WITH(read("outside"), contains("external storage"));
  CHECK_THROWS_WITH(read("virtual"), contains("virtual"));
  CHECK_THROWS_WITH(reader.info("virtual"), contains("virtual"));
  CHECK_THROWS_WITH(read("./real"), contains("no object"));
  CHECK_THROWS_WITH(read("absent"), contains("a.h5") && contains("no object 'absent'"));
}

TEST_CASE("H5Reader refuses types that are no numbers, unknown filters and huge chunks") {
  const TemporaryFolder folder;
  {
    RawFile file(folder / "a.h5");
    const hid_t text = H5Tcopy(H5T_C_S1), pair = H5Tcreate(H5T_COMPOUND, 4),
                raw = H5Tcreate(H5T_OPAQUE, 2);
    H5Tset_size(text, 4);
    H5Tinsert(pair, "a", 0, H5T_STD_I32LE);
    file.dataset("text", text, {1}, "abc", text);
    file.dataset("pair", pair, {1}, nullptr, 0);
    file.dataset("raw", raw, {1}, nullptr, 0);
    file.dataset("bits", H5T_STD_B8LE, {1}, nullptr, 0);
    H5Tclose(text), H5Tclose(pair), H5Tclose(raw);
    Properties scaled, huge;
    hsize_t chunk = 4;
    H5Pset_chunk(scaled.id, 1, &chunk);
    H5Pset_nbit(scaled.id);
    file.dataset("nbit", H5T_STD_I32LE, {4}, nullptr, 0, scaled.id);
    chunk = hsize_t{1} << 29;
    H5Pset_chunk(huge.id, 1, &chunk);
    hsize_t size = 4, unlimited = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(1, &size, &unlimited);
    H5Dclose(H5Dcreate2(file.id, "huge", H5T_STD_I32LE, space, H5P_DEFAULT, huge.id, H5P_DEFAULT));
    H5Sclose(space);
  }
  const H5Reader reader(folder / "a.h5");
  CHECK_THROWS_WITH(reader.info("text"), contains("strings"));
  CHECK_THROWS_WITH(reader.info("pair"), contains("compound"));
  CHECK_THROWS_WITH(reader.info("raw"), contains("raw bytes"));
  CHECK_THROWS_WITH(reader.info("bits"), contains("bit fields"));
  CHECK_THROWS_WITH(reader.info("nbit"), contains("filter 5"));
  CHECK_THROWS_WITH(reader.info("huge"), contains("chunks"));
  CHECK(reader.read_strings("text") == std::vector<std::string>{"abc"});
}

TEST_CASE("H5Reader names the file that it cannot open") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(H5Reader(folder / "absent.h5"), contains("absent.h5"));
  CHECK_THROWS_WITH(H5Reader(folder.path()), contains("not a regular file"));
  spill(folder / "a.h5", "hello");
  CHECK_THROWS_WITH(H5Reader(folder / "a.h5"), contains("not a readable HDF5 file"));
  CHECK_THROWS_WITH(H5Reader(Bytes(), "m.keras"), contains("m.keras"));
  const std::string good = small_file().text();
  CHECK_THROWS_WITH(H5Reader(Bytes::of(good.substr(0, good.size() - 8)), "m.keras"),
                    contains("truncated"));
}

TEST_CASE("H5 errors leave the caller's error settings alone") {
  H5E_auto2_t before, after;
  void *data_before, *data_after;
  H5Eget_auto2(H5E_DEFAULT, &before, &data_before);
  CHECK_THROWS_AS(H5Reader(Bytes::of(std::string("hello")), "x"), FileError);
  H5Eget_auto2(H5E_DEFAULT, &after, &data_after);
  CHECK(before == after);
  CHECK(data_before == data_after);
}

}  // namespace h5_file_test
