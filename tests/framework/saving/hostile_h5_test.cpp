// HDF5 files made to do harm, made here with HDF5 itself or by patching bytes: each is refused by
// name and cause, or loads.
#include <catch.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/io/h5_file.h>
#include <hdf5.h>

#include <array>
#include <cstring>
#include <functional>

#include "hostile_files.h"

namespace hostile_h5_test {

using namespace cornu;
using namespace cornu::test;

namespace {

namespace fs = std::filesystem;

/// What the variants change: the kernel of the first layer, (3, 4).
constexpr const char* kernel = "/layers/dense/vars/0";

void make(hid_t file, hid_t type, std::vector<hsize_t> sizes, hid_t properties = H5P_DEFAULT,
          const std::vector<hsize_t>& limits = {}) {
  H5Ldelete(file, kernel, H5P_DEFAULT);
  const hid_t space = sizes.empty() ? H5Screate(H5S_SCALAR)
                                    : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(),
                                                       limits.empty() ? nullptr : limits.data());
  const hid_t data = H5Dcreate2(file, kernel, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  REQUIRE(data >= 0);
  H5Dclose(data);
  H5Sclose(space);
}

hid_t chunked(std::vector<hsize_t> chunk) {
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  return properties;
}

void attribute(hid_t file, const char* object, const char* name, hid_t type, size_t count) {
  const hsize_t size = count;
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  const hid_t target = H5Oopen(file, object, H5P_DEFAULT);
  if (H5Aexists(target, name) > 0) H5Adelete(target, name);
  const hid_t made = H5Acreate2(target, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(made >= 0);
  const std::vector<char> zeros(count * H5Tget_size(type) + 64, 0);
  if (!H5Tis_variable_str(type)) H5Awrite(made, type, zeros.data());
  H5Aclose(made);
  H5Oclose(target);
  H5Sclose(space);
}

using Change = std::function<void(hid_t file)>;

/// A changed copy of `original` under the name; what reading it says.
template <class Refusal>
std::string changed(const fs::path& original, const fs::path& path, const Change& change,
                    Refusal refusal_of) {
  fs::copy_file(original, path);
  fs::permissions(path, fs::perms::owner_all);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  REQUIRE(file >= 0);
  change(file);
  H5Fclose(file);
  return refusal_of(path);
}

}  // namespace

TEST_CASE("Weights of odd types, shapes and places are refused") {
  const MemoryPeak memory;
  const TemporaryFolder folder;
  spill(folder / "base.weights.h5", base_member("model.weights.h5"));
  REQUIRE(refusal_of_weights(folder / "base.weights.h5").empty());
  int number = 0;
  const auto refused = [&](const std::string& word, const Change& change) {
    const std::string name = "v" + std::to_string(number++) + ".weights.h5";
    const std::string error =
        changed(folder / "base.weights.h5", folder / name, change, refusal_of_weights);
    INFO("expected: " << word << "; found: " << error);
    CHECK_FALSE(error.empty());
    CHECK(error.find(word) != error.npos);
  };
  const hid_t f = H5T_IEEE_F32LE;
  refused("compound", [](hid_t file) {
    const hid_t type = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(type, "a", 0, H5T_IEEE_F32LE);
    H5Tinsert(type, "b", 4, H5T_STD_I32LE);
    make(file, type, {3, 4});
  });
  refused("variable length", [&](hid_t file) { make(file, H5Tvlen_create(f), {3, 4}); });
  refused("arrays", [&](hid_t file) {
    const hsize_t size = 4;
    make(file, H5Tarray_create2(f, 1, &size), {3});
  });
  refused("references", [](hid_t file) { make(file, H5T_STD_REF_OBJ, {3, 4}); });
  refused("bit fields", [](hid_t file) { make(file, H5T_STD_B32LE, {3, 4}); });
  refused("raw bytes", [](hid_t file) { make(file, H5Tcreate(H5T_OPAQUE, 2), {3, 4}); });
  refused("", [](hid_t file) {
    make(file, H5Tcreate(H5T_OPAQUE, 2), {3, 4});
    attribute(file, kernel, "dtype", H5T_STD_I32LE, 3);
  });
  refused("enum", [](hid_t file) {
    const hid_t type = H5Tenum_create(H5T_STD_I8LE);
    const int8_t value = 5;
    H5Tenum_insert(type, "FALSE", &value);
    make(file, type, {3, 4});
  });
  refused("shape", [&](hid_t file) { make(file, f, {}); });
  refused("shape", [&](hid_t file) { make(file, f, {3, 4, 1}); });
  refused("shape", [&](hid_t file) { make(file, f, {0, 4}); });
  refused("axes", [&](hid_t file) { make(file, f, std::vector<hsize_t>(32, 2)); });
  refused("", [&](hid_t file) {
    make(file, f, {hsize_t{1} << 40, hsize_t{1} << 40}, chunked({1, 1}));
  });
  refused("", [&](hid_t file) {  // one chunk of 1 GiB for twelve numbers
    const hid_t properties = chunked({1 << 14, 1 << 14});
    H5Pset_deflate(properties, 9);
    make(file, f, {3, 4}, properties, {H5S_UNLIMITED, H5S_UNLIMITED});
  });
  refused("filter", [&](hid_t file) {
    const hid_t properties = chunked({3, 4});
    H5Pset_filter(properties, 32000, H5Z_FLAG_OPTIONAL, 0, nullptr);
    make(file, f, {3, 4}, properties);
  });
  refused("filter", [&](hid_t file) {
    const hid_t properties = chunked({3, 4});
    H5Pset_scaleoffset(properties, H5Z_SO_FLOAT_DSCALE, 2);
    make(file, f, {3, 4}, properties);
  });
  refused("another file", [&](hid_t file) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(properties, "/etc/passwd", 0, 48);
    make(file, f, {3, 4}, properties);
  });
  refused("virtual", [&](hid_t file) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    const std::array<hsize_t, 2> size = {3, 4};
    const hid_t space = H5Screate_simple(2, size.data(), nullptr);
    H5Pset_virtual(properties, space, "other.h5", "/x", space);
    make(file, f, {3, 4}, properties);
  });
  refused("", [](hid_t file) {  // a group where the kernel should be
    H5Ldelete(file, kernel, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, kernel, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  });
  refused("", [](hid_t file) {  // a named type
    H5Ldelete(file, kernel, H5P_DEFAULT);
    H5Tcommit2(file, kernel, H5Tcopy(H5T_IEEE_F32LE), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  });
  refused("", [](hid_t file) {  // the root, so that the tree has no end
    H5Ldelete(file, kernel, H5P_DEFAULT);
    H5Lcreate_hard(file, "/", file, kernel, H5P_DEFAULT, H5P_DEFAULT);
  });
  refused("soft link", [](hid_t file) {
    H5Lmove(file, "layers", file, "real", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/real", file, "layers", H5P_DEFAULT, H5P_DEFAULT);
  });
  refused("external link", [](hid_t file) {
    H5Ldelete(file, "layers", H5P_DEFAULT);
    H5Lcreate_external("/etc/passwd", "/layers", file, "layers", H5P_DEFAULT, H5P_DEFAULT);
  });
  CHECK(memory.megabytes() < 1000);
}

TEST_CASE("Legacy files with attributes of other types are refused") {
  const MemoryPeak memory;
  const TemporaryFolder folder;
  load_model((hostile_folder() / "base.keras").string())->save(folder / "base.h5");
  REQUIRE(refusal_of_model(folder / "base.h5").empty());
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, H5T_VARIABLE);
  const hid_t wide = H5Tcopy(H5T_C_S1);
  H5Tset_size(wide, 60'000);
  const hid_t pair = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(pair, "a", 0, H5T_STD_I64LE);
  int number = 0;
  for (const auto& [object, name] :
       std::vector<std::pair<const char*, const char*>>{{"/", "model_config"},
                                                        {"/", "training_config"},
                                                        {"/model_weights", "layer_names"},
                                                        {"/model_weights/first", "weight_names"}})
    for (const auto& [type, count] :
         std::vector<std::pair<hid_t, size_t>>{{H5T_STD_I64LE, 1},
                                               {H5T_IEEE_F64LE, 3},
                                               {pair, 1},
                                               {wide, 1},
                                               {text, 2},
                                               {H5Tvlen_create(text), 1}}) {
      INFO(object << " " << name << " " << count << " of size " << H5Tget_size(type));
      const std::string error = changed(
          folder / "base.h5", folder / ("a" + std::to_string(number++) + ".h5"),
          [&, object = object, name = name, type = type, count = count](hid_t file) {
            attribute(file, object, name, type, count);
          },
          refusal_of_model);
      CHECK_FALSE(error.empty());
    }
  CHECK(memory.megabytes() < 1000);
}

TEST_CASE("Strings whose stated length is not theirs are refused") {
  const MemoryPeak memory;
  const TemporaryFolder folder;
  const auto base = load_model((hostile_folder() / "base.keras").string());
  base->save(folder / "base.h5");
  const std::string bytes = slurp(folder / "base.h5");
  const std::string config =
      io::H5Reader(fs::path(folder / "base.h5")).string_attribute("", "model_config");
  // The element of variable length: its length, the address of a heap, a number in it.
  size_t at = 0, heap = 0;
  for (size_t i = 0; i + 16 <= bytes.size(); ++i) {
    uint32_t length = 0;
    uint64_t address = 0;
    std::memcpy(&length, &bytes[i], 4);
    std::memcpy(&address, &bytes[i + 4], 8);
    if ((length == config.size() || length == config.size() + 1) && address + 16 < bytes.size() &&
        bytes.compare(address, 4, "GCOL") == 0)
      at = i, heap = address;
  }
  REQUIRE(at != 0);
  const auto refused = [&](size_t where, uint64_t value, size_t size) {
    std::string damaged = bytes;
    std::memcpy(&damaged[where], &value, size);
    spill(folder / "strings.h5", damaged);
    const std::string on_disk = refusal_of_model(folder / "strings.h5");
    CHECK(on_disk.find("model_config") != on_disk.npos);
    const io::H5Reader file(io::Bytes::of(damaged), "image");
    CHECK_THROWS_AS(cornu::parse_json(file.string_attribute("", "model_config"), "image"),
                    FileError);
  };
  refused(at, 0xfffffff0, 4);             // 4 GiB in a file of some kilobytes
  refused(at, config.size() + 4096, 4);   // more than the heap's object has
  refused(at, 1, 4);                      // less, where HDF5 copies the whole object
  refused(at + 4, bytes.size() + 64, 8);  // a heap outside of the file
  refused(at + 4, UINT64_MAX - 8, 8);
  refused(at + 4, 96, 8);            // no heap there
  refused(at + 12, 60'000, 4);       // no such object
  refused(heap + 8, UINT64_MAX, 8);  // a heap larger than the file
  refused(heap + 8, 0, 8);           // a heap smaller than its header
  refused(heap + 24, uint64_t{1} << 62, 8);
  refused(heap + 24, 0, 8);
  CHECK(memory.megabytes() < 1000);
}

TEST_CASE("A number may not declare gigabytes") {
  const MemoryPeak memory;
  const TemporaryFolder folder;
  const std::string path = folder / "wide.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t wide = H5Tcopy(H5T_IEEE_F32LE);
  REQUIRE(H5Tset_size(wide, size_t{0xff000004}) >= 0);
  const hsize_t size = 1;
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  H5Dclose(H5Dcreate2(file, "wide", wide, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Fclose(file);
  const io::H5Reader reader{fs::path(path)};
  CHECK_THROWS_WITH(reader.read("wide", UINT64_MAX), contains("wide.h5") && contains("declares"));
  CHECK(memory.megabytes() < 1000);
}

TEST_CASE("A dataset may not declare strings beyond measure") {
  const MemoryPeak memory;
  const TemporaryFolder folder;
  const std::string path = folder / "strings.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t text = H5Tcopy(H5T_C_S1);
  const hsize_t size = 200'000'000;
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  H5Dclose(H5Dcreate2(file, "narrow", text, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Tset_size(text, H5T_VARIABLE);
  H5Dclose(H5Dcreate2(file, "long", text, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Fclose(file);
  const io::H5Reader reader{fs::path(path)};
  CHECK_THROWS_WITH(reader.read_strings("narrow"), contains("strings.h5") && contains("declares"));
  CHECK_THROWS_WITH(reader.read_strings("long"), contains("strings.h5") && contains("declares"));
  CHECK(memory.megabytes() < 1000);
}

}  // namespace hostile_h5_test
