// Damaged metadata of HDF5 files: each kind of damage is refused by cause before HDF5 sees it, and
// sound files of the old and of the newest format pass.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/h5_file.h>
#include <hdf5.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <map>

#include "../../support/temporary.h"

namespace h5_check_test {

using namespace cornu;
using namespace cornu::io;
using namespace cornu::test;

namespace {

/// A file with an object of each kind, and where its objects stand.
struct Sample {
  std::string bytes;
  std::map<std::string, size_t> objects;

  /// Where the body of a message of an object starts. `number`: which of that kind.
  size_t message(const std::string& object, unsigned kind, int number = 0) const {
    const size_t start = objects.at(object);
    const bool old = bytes[start] == 1;
    size_t at = start + 16, header = 8, end = 0;
    if (old) {
      end = at + value(start + 8, 4);
    } else {
      const unsigned flags = static_cast<uint8_t>(bytes[start + 5]);
      at = start + 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
      const size_t width = size_t{1} << (flags & 3);
      header = flags & 4 ? 6 : 4;
      end = at + width + value(at, width);
      at += width;
    }
    while (at + header <= end) {
      const uint64_t found = old ? value(at, 2) : value(at, 1), size = value(at + (old ? 2 : 1), 2);
      if (found == kind && number-- == 0) return at + header;
      at += header + size;
      if (found == 0x10 && old) {
        at = value(at - size, 8);
        end = at + value(at, 0) + value(continuation_size(start), 8);
      }
    }
    FAIL("the sample's " << object << " has no message " << kind);
    return 0;
  }
  uint64_t value(size_t at, size_t width) const {
    uint64_t result = 0;
    for (size_t i = width; i > 0; --i)
      result = result << 8 | static_cast<uint8_t>(bytes.at(at + i - 1));
    return result;
  }
  void put(size_t at, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; ++i)
      bytes.at(at + i) = static_cast<char>(static_cast<uint8_t>(value >> (8 * i)));
  }
  size_t find(const std::string& signature) const {
    const size_t at = bytes.find(signature);
    REQUIRE(at != bytes.npos);
    return at;
  }

 private:
  size_t continuation_size(size_t start) const {
    size_t at = start + 16;
    while (value(at, 2) != 0x10) at += 8 + value(at + 2, 2);
    return at + 16;
  }
};

struct Maker {
  hid_t file;

  void dataset(const char* name, hid_t type, std::vector<hsize_t> sizes,
               hid_t properties = H5P_DEFAULT) const {
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t made = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    REQUIRE(made >= 0);
    const std::vector<char> ones(4096, 1);
    if (H5Tget_class(type) == H5T_FLOAT)
      H5Dwrite(made, H5T_IEEE_F32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, ones.data());
    H5Dclose(made);
    H5Sclose(space);
  }
  void attribute(const char* object, const char* name, hid_t type, hsize_t count) const {
    const hid_t target = H5Oopen(file, object, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t made = H5Acreate2(target, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(made >= 0);
    const std::vector<char> ones(1024, 1);
    H5Awrite(made, type, ones.data());
    H5Aclose(made);
    H5Sclose(space);
    H5Oclose(target);
  }
};

Sample make(bool newest) {
  const TemporaryFolder folder;
  Sample sample;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), chunks = H5Pcreate(H5P_DATASET_CREATE),
              packed = H5Pcreate(H5P_DATASET_CREATE), compact = H5Pcreate(H5P_DATASET_CREATE);
  if (newest) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const std::string path = folder / "sample.h5";
  const Maker maker{H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)};
  const hsize_t chunk = 4;
  H5Pset_chunk(chunks, 1, &chunk);
  H5Pset_chunk(packed, 1, &chunk);
  H5Pset_shuffle(packed);
  H5Pset_deflate(packed, 1);
  H5Pset_layout(compact, H5D_COMPACT);
  const float three = 3;
  H5Pset_fill_value(compact, H5T_IEEE_F32LE, &three);
  const hid_t pair = H5Tcreate(H5T_COMPOUND, 8), truth = H5Tenum_create(H5T_STD_I8LE),
              named = H5Tcopy(H5T_IEEE_F32LE), text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, H5T_VARIABLE);
  H5Tinsert(pair, "first", 0, H5T_IEEE_F32LE);
  H5Tinsert(pair, "second", 4, H5T_STD_I32LE);
  for (const int8_t value : {0, 1}) H5Tenum_insert(truth, value ? "TRUE" : "FALSE", &value);
  const hsize_t two = 2;
  const hid_t rows = H5Tarray_create2(H5T_IEEE_F32LE, 1, &two);
  H5Tcommit2(maker.file, "named", named, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

  maker.dataset("plain", H5T_IEEE_F32LE, {2, 3});
  maker.dataset("chunks", H5T_IEEE_F32LE, {10}, chunks);
  maker.dataset("packed", H5T_IEEE_F32LE, {10}, packed);
  maker.dataset("compact", H5T_IEEE_F32LE, {5}, compact);
  maker.dataset("pair", pair, {2});
  maker.dataset("truth", truth, {2});
  maker.dataset("rows", rows, {2});
  maker.dataset("typed", named, {2});
  maker.dataset("texts", text, {2});
  H5Gclose(H5Gcreate2(maker.file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  maker.dataset("group/inner", H5T_IEEE_F32LE, {2});
  if (newest)
    H5Lcreate_external("other.h5", "/x", maker.file, "group/outside", H5P_DEFAULT, H5P_DEFAULT);
  maker.attribute("group", "numbers", H5T_IEEE_F64LE, 3);
  maker.attribute("group", "shared", named, 3);
  H5Oset_comment_by_name(maker.file, "group", "a comment", H5P_DEFAULT);
  for (const hid_t type : {pair, truth, named, text, rows}) H5Tclose(type);
  H5Fclose(maker.file);

  sample.bytes = slurp(path);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  for (const char* name : {"/", "plain", "chunks", "packed", "compact", "pair", "truth", "rows",
                           "typed", "texts", "group", "group/inner", "named"}) {
    H5O_info_t info;
    H5Oget_info_by_name(file, name, &info, H5P_DEFAULT);
    sample.objects[name] = info.addr;
  }
  H5Fclose(file);
  for (const hid_t list : {access, chunks, packed, compact}) H5Pclose(list);
  return sample;
}

/// What opening says; "" when it opens.
std::string refusal(const std::string& bytes) {
  try {
    const H5Reader reader(Bytes::of(bytes), "sample.h5");
    reader.children("group");  // the newest kind of group is followed as far as it is used
    return "";
  } catch (const FileError& e) {
    return e.what();
  }
}

using Damage = std::function<void(Sample& sample)>;

void expect_refused(const Sample& sound, const std::string& cause, const Damage& damage) {
  Sample damaged = sound;
  damage(damaged);
  const std::string error = refusal(damaged.bytes);
  INFO("expected: " << cause << "; found: " << error);
  CHECK(error.find(cause) != error.npos);
  CHECK(error.find("'sample.h5' is damaged") == 0);
}

enum Kind : unsigned {
  dataspace = 0x01,
  link_info = 0x02,
  datatype = 0x03,
  fill = 0x05,
  link_message = 0x06,
  layout = 0x08,
  filters = 0x0b,
  attribute = 0x0c,
  comment = 0x0d,
  symbols = 0x11
};

}  // namespace

TEST_CASE("The check lets sound HDF5 files pass, of the old and of the newest format") {
  const bool newest = GENERATE(false, true);
  const Sample sample = make(newest);
  const TemporaryFolder folder;
  spill(folder / "sample.h5", sample.bytes);
  const bool in_memory = GENERATE(false, true);
  const H5Reader reader =
      in_memory ? H5Reader(Bytes::of(sample.bytes), "sample.h5") : H5Reader(folder / "sample.h5");
  CHECK(reader.children("").size() == 11);
  for (const char* name : {"plain", "chunks", "packed", "compact", "typed", "group/inner"})
    CHECK(reader.info(name).dtype == DType::float32);
  CHECK(reader.read("packed", 100).size() == 40);
  CHECK(reader.info("truth").dtype == DType::boolean);
  CHECK(reader.numbers_attribute("group", "numbers").size() == 3);
  CHECK(reader.numbers_attribute("group", "shared").size() == 3);
  CHECK_THROWS_WITH(reader.info("pair"), contains("compound"));
}

TEST_CASE("Damaged superblocks and object headers are refused") {
  const Sample sound = make(false);
  const auto refused = [&](const std::string& cause, const Damage& damage) {
    expect_refused(sound, cause, damage);
  };
  refused("8 bytes each", [](Sample& s) { s.put(13, 4, 1); });
  refused("sizes of its B-trees", [](Sample& s) { s.put(16, 0, 2); });
  refused("where it says", [](Sample& s) { s.put(24, 512, 8); });
  refused("truncated", [](Sample& s) { s.bytes.resize(s.bytes.size() - 8); });
  refused("for a driver", [](Sample& s) { s.put(48, 96, 8); });
  refused("outside of the file", [](Sample& s) { s.put(64, UINT64_MAX - 8, 8); });
  refused("unknown version", [](Sample& s) { s.put(s.objects["plain"], 7, 1); });
  refused("outside of the file", [](Sample& s) { s.put(s.objects["plain"] + 8, 1 << 30, 4); });
  refused("cut short", [](Sample& s) { s.put(s.message("plain", dataspace) - 6, 0x4000, 2); });
  refused("not aligned", [](Sample& s) { s.put(s.message("plain", dataspace) - 6, 3, 2); });
  refused("shared, which is not",
          [](Sample& s) { s.put(s.message("plain", dataspace) - 4, 2, 1); });
  refused("in a circle", [](Sample& s) {  // the first message continues the header in itself
    const size_t first = s.objects["plain"] + 16;
    s.put(first, 0x10, 2);
    s.put(first + 8, s.objects["plain"], 8);
    s.put(first + 16, 24, 8);
  });
  refused("cache are not", [](Sample& s) { s.put(s.message("plain", fill) - 8, 0x18, 2); });
  refused("does not end", [](Sample& s) {
    const size_t at = s.message("group", comment);
    const size_t size = s.value(at - 6, 2);
    for (size_t i = 0; i < size; ++i) s.put(at + i, 'x', 1);
  });
}

TEST_CASE("Damaged messages of datasets are refused") {
  const Sample sound = make(false);
  const auto refused = [&](const std::string& cause, const Damage& damage) {
    expect_refused(sound, cause, damage);
  };
  refused("rank is 77", [](Sample& s) { s.put(s.message("plain", dataspace) + 1, 77, 1); });
  refused("cut short", [](Sample& s) { s.put(s.message("plain", dataspace) + 1, 31, 1); });
  refused("outside of the file",
          [](Sample& s) { s.put(s.message("plain", dataspace) + 8, 1 << 20, 8); });
  refused("zero bytes", [](Sample& s) { s.put(s.message("plain", datatype) + 4, 0, 4); });
  refused("bits outside", [](Sample& s) { s.put(s.message("plain", datatype) + 10, 33, 2); });
  refused("exponent outside", [](Sample& s) { s.put(s.message("plain", datatype) + 13, 90, 1); });
  refused("no members", [](Sample& s) { s.put(s.message("pair", datatype) + 1, 0, 2); });
  refused("does not end", [](Sample& s) { s.put(s.message("pair", datatype) + 1, 900, 2); });
  refused("lies outside of it", [](Sample& s) { s.put(s.message("pair", datatype) + 16, 6, 4); });
  refused("", [](Sample& s) { s.put(s.message("truth", datatype) + 1, 3000, 2); });
  refused("not as large", [](Sample& s) { s.put(s.message("truth", datatype) + 4, 2, 4); });
  refused("no valid rank", [](Sample& s) { s.put(s.message("rows", datatype) + 8, 60, 1); });
  refused("not as large", [](Sample& s) { s.put(s.message("rows", datatype) + 12, 60, 4); });
  refused("variable length is none",
          [](Sample& s) { s.put(s.message("texts", datatype) + 4, 4, 4); });
  refused("unknown way", [](Sample& s) { s.put(s.message("typed", datatype), 9, 1); });
  refused("is none", [](Sample& s) {
    const size_t at = s.message("typed", datatype);
    s.put(at + (s.value(at, 1) == 1 ? 16 : 2), s.objects["group"], 8);
  });
  refused("itself shared", [](Sample& s) {
    const size_t at = s.message("typed", datatype);
    s.put(at + (s.value(at, 1) == 1 ? 16 : 2), s.objects["typed"], 8);
  });
  refused("cut short", [](Sample& s) { s.put(s.message("compact", fill) + 4, 1 << 20, 4); });
  refused("fill value is not as large",
          [](Sample& s) { s.put(s.message("compact", fill) + 4, 2, 4); });
  refused("has 16", [](Sample& s) { s.put(s.message("compact", layout) + 2, 16, 2); });
  refused("cut short", [](Sample& s) { s.put(s.message("compact", layout) + 2, 5000, 2); });
  refused("unknown kind", [](Sample& s) { s.put(s.message("plain", layout) + 1, 9, 1); });
  refused("outside of the file",
          [](Sample& s) { s.put(s.message("plain", layout) + 2, s.bytes.size() - 4, 8); });
  refused("no valid rank", [](Sample& s) { s.put(s.message("chunks", layout) + 2, 0, 1); });
  refused("chunks are empty", [](Sample& s) { s.put(s.message("chunks", layout) + 11, 0, 4); });
  refused("not the rank", [](Sample& s) {
    s.put(s.message("chunks", layout) + 2, 3, 1);
    s.put(s.message("chunks", layout) + 19, 1, 4);
  });
  refused("elements of 8 bytes", [](Sample& s) { s.put(s.message("chunks", layout) + 15, 8, 4); });
  refused("more than 4 GiB",
          [](Sample& s) { s.put(s.message("chunks", layout) + 11, UINT32_MAX, 4); });
  refused("99 filters", [](Sample& s) { s.put(s.message("packed", filters) + 1, 99, 1); });
  refused("cut short", [](Sample& s) { s.put(s.message("packed", filters) + 14, 900, 2); });
  refused("does not end", [](Sample& s) {
    const size_t at = s.message("packed", filters) + 8, length = s.value(at + 2, 2);
    REQUIRE(length > 0);
    for (size_t i = 0; i < length; ++i) s.put(at + 8 + i, 'x', 1);
  });
}

TEST_CASE("Damaged attributes are refused") {
  const Sample sound = make(false);
  const auto refused = [&](const std::string& cause, const Damage& damage) {
    expect_refused(sound, cause, damage);
  };
  // Version, flags, lengths of name, type and space: 8 + "numbers" (8) + type (24) + space.
  constexpr size_t type = 16, space = 40;
  refused("another length", [](Sample& s) { s.put(s.message("group", attribute) + 2, 7, 2); });
  refused("another length", [](Sample& s) { s.put(s.message("group", attribute) + 15, 'x', 1); });
  refused("cut short", [](Sample& s) { s.put(s.message("group", attribute) + 2, 60000, 2); });
  refused("cut short", [](Sample& s) { s.put(s.message("group", attribute) + 4, 60000, 2); });
  refused("cut short", [](Sample& s) { s.put(s.message("group", attribute) + 6, 4, 2); });
  // The data would be longer than the message: what HDF5 copies without looking.
  refused("declares 32 bytes and has 24",
          [&](Sample& s) { s.put(s.message("group", attribute) + space + 8, 4, 8); });
  refused("declares",
          [&](Sample& s) { s.put(s.message("group", attribute) + space + 8, UINT64_MAX / 2, 8); });
  refused("declares 48",
          [&](Sample& s) { s.put(s.message("group", attribute) + type + 4, 16, 4); });
  refused("outside of the file", [](Sample& s) {  // the shared type grows
    s.put(s.message("named", datatype) + 4, 1 << 20, 4);
  });
  refused("dataspace is shared",
          [](Sample& s) { s.put(s.message("group", attribute, 1) + 1, 3, 1); });
}

TEST_CASE("Damaged symbol tables, heaps and B-trees are refused") {
  const Sample sound = make(false);
  const auto refused = [&](const std::string& cause, const Damage& damage) {
    expect_refused(sound, cause, damage);
  };
  const auto tree = [](const Sample& s, const char* group) {
    return s.value(s.message(group, symbols), 8);
  };
  const auto heap = [](const Sample& s, const char* group) {
    return s.value(s.message(group, symbols) + 8, 8);
  };
  const auto node = [&](const Sample& s, const char* group) {
    return s.value(tree(s, group) + 32, 8);
  };
  const auto chunks = [](const Sample& s) { return s.value(s.message("chunks", layout) + 3, 8); };

  refused("outside of the file", [](Sample& s) { s.put(s.message("group", symbols), 1 << 30, 8); });
  refused("no node of it", [&](Sample& s) { s.put(tree(s, "group"), 'x', 1); });
  refused("no node of it", [&](Sample& s) { s.put(tree(s, "group") + 4, 1, 1); });
  refused("entries; at most 32", [&](Sample& s) { s.put(tree(s, "group") + 6, 33, 2); });
  refused("node twice", [&](Sample& s) {
    s.put(tree(s, "group") + 5, 1, 1);
    s.put(tree(s, "group") + 32, tree(s, "group"), 8);
  });
  refused("wrong level", [&](Sample& s) {
    s.put(tree(s, "/") + 5, 5, 1);
    s.put(tree(s, "/") + 6, 1, 2);
    s.put(tree(s, "/") + 32, tree(s, "group"), 8);
  });
  refused("name lies outside", [&](Sample& s) { s.put(tree(s, "group") + 24, 1 << 20, 8); });
  refused("symbols; at most 8", [&](Sample& s) { s.put(node(s, "group") + 6, 9, 2); });
  refused("no node of it", [&](Sample& s) { s.put(node(s, "group"), 'x', 1); });
  refused("name lies outside", [&](Sample& s) { s.put(node(s, "group") + 8, 1 << 20, 8); });
  refused("unknown kind", [&](Sample& s) { s.put(node(s, "group") + 24, 3, 4); });
  refused("outside of the file", [&](Sample& s) { s.put(node(s, "group") + 16, 1 << 30, 8); });
  refused("none where", [&](Sample& s) { s.put(heap(s, "group"), 'x', 1); });
  refused("outside of the file", [&](Sample& s) { s.put(heap(s, "group") + 8, 1 << 30, 8); });
  refused("outside of the file", [&](Sample& s) { s.put(heap(s, "group") + 24, 1 << 30, 8); });
  refused("free blocks", [&](Sample& s) { s.put(heap(s, "group") + 16, 1 << 20, 8); });
  refused("free blocks", [&](Sample& s) {  // a list in a circle
    const uint64_t data = s.value(heap(s, "group") + 24, 8);
    s.put(heap(s, "group") + 16, 8, 8);
    s.put(data + 8, 8, 8);
    s.put(data + 16, 16, 8);
  });
  refused("does not end", [&](Sample& s) {
    const uint64_t data = s.value(heap(s, "group") + 24, 8),
                   size = s.value(heap(s, "group") + 8, 8);
    s.put(heap(s, "group") + 16, 1, 8);
    for (uint64_t i = 1; i < size; ++i) s.put(data + i, 'x', 1);
  });
  refused("another group", [&](Sample& s) { s.put(s.message("group", symbols), tree(s, "/"), 8); });
  refused("entries; at most 64", [&](Sample& s) { s.put(chunks(s) + 6, 65, 2); });
  refused("a chunk has 8 bytes", [&](Sample& s) { s.put(chunks(s) + 24, 8, 4); });
  refused("between two others", [&](Sample& s) { s.put(chunks(s) + 32, 3, 8); });
  refused("outside of the file", [&](Sample& s) { s.put(chunks(s) + 48, s.bytes.size(), 8); });
}

TEST_CASE("Damaged headers and links of the newest format are refused") {
  const Sample sound = make(true);
  const auto refused = [&](const std::string& cause, const Damage& damage) {
    expect_refused(sound, cause, damage);
  };
  refused("outside of the file", [](Sample& s) { s.put(36, 1 << 30, 8); });
  refused("unknown version", [](Sample& s) { s.put(s.objects["group"] + 4, 9, 1); });
  refused("", [](Sample& s) { s.put(s.objects["group"] + 5, 0x23, 1); });
  refused("name is empty", [](Sample& s) { s.put(s.message("group", link_message) + 2, 0, 1); });
  refused("cut short", [](Sample& s) { s.put(s.message("group", link_message) + 2, 200, 1); });
  refused("unknown kind", [](Sample& s) { s.put(s.message("group", link_message), 4, 1); });
  refused("outside of the file", [](Sample& s) {
    const size_t at = s.message("group", link_message);
    s.put(at + 3 + s.value(at + 2, 1), 1 << 30, 8);
  });
  refused("leads nowhere", [](Sample& s) { s.put(s.find("outside") + 7, 0, 2); });
  refused("does not end", [](Sample& s) { s.put(s.find("outside") + 7, 3, 2); });
  refused("half of it", [](Sample& s) { s.put(s.message("group", link_info) + 2, 96, 8); });
  refused("none where", [](Sample& s) {
    s.put(s.message("group", link_info) + 2, 96, 8);
    s.put(s.message("group", link_info) + 10, 96, 8);
  });
  refused("outside of the file", [](Sample& s) {
    s.put(s.message("group", link_info) + 2, 1 << 30, 8);
    s.put(s.message("group", link_info) + 10, 1 << 30, 8);
  });
}

TEST_CASE("Datasets that can grow are read in the old format only") {
  for (const bool newest : {false, true}) {
    const TemporaryFolder folder;
    const std::string path = folder / "growing.h5";
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), chunks = H5Pcreate(H5P_DATASET_CREATE);
    if (newest) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const hsize_t size = 6, most = H5S_UNLIMITED, chunk = 2;
    H5Pset_chunk(chunks, 1, &chunk);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access),
                space = H5Screate_simple(1, &size, &most),
                made =
                    H5Dcreate2(file, "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, chunks, H5P_DEFAULT);
    const float values[6] = {1, 2, 3, 4, 5, 6};
    H5Dwrite(made, H5T_IEEE_F32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(made);
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(chunks);
    H5Pclose(access);
    const H5Reader reader(path);
    if (newest)
      CHECK_THROWS_WITH(reader.read("x", 100), contains("can grow"));
    else
      CHECK(reader.read("x", 100).size() == 24);
  }
}

TEST_CASE("Compressed chunks are read when they are whole, and refused when they are not") {
  const TemporaryFolder folder;
  const std::string path = folder / "chunks.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  std::vector<int32_t> values(30'000);
  uint32_t state = 1;
  for (size_t i = 0; i < values.size(); ++i) {
    state = state * 1664525 + 1013904223;
    // Regular, random, and constant thirds: copies of all lengths, hardly any, and long ones.
    values[i] = static_cast<int32_t>(i < 10'000 ? i % 700 : i < 20'000 ? state >> 8 : 7);
  }
  const auto write = [&](const char* name, int level, bool shuffle, bool sum, hsize_t chunk) {
    const hsize_t size = values.size();
    const hid_t space = H5Screate_simple(1, &size, nullptr), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 1, &chunk);
    if (shuffle) H5Pset_shuffle(list);
    H5Pset_deflate(list, static_cast<unsigned>(level));
    if (sum) H5Pset_fletcher32(list);
    const hid_t made = H5Dcreate2(file, name, H5T_STD_I32BE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Dwrite(made, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Pclose(list);
    H5Sclose(space);
    return made;
  };
  const std::vector<std::string> sound = {"stored", "fast", "best", "small", "random"};
  H5Dclose(write("stored", 0, false, false, 4096));
  H5Dclose(write("fast", 1, true, true, 4096));
  H5Dclose(write("best", 9, false, true, 30'000));
  H5Dclose(write("small", 9, true, false, 6));
  H5Dclose(write("random", 9, false, false, 5000));  // chunks that are left as they are
  // Streams of four bytes and of none, for chunks of 40,000 bytes.
  const unsigned char four[] = {0x78, 1, 1, 4, 0, 0xfb, 0xff, 0, 0, 0, 0, 0, 4, 0, 1};
  const unsigned char none[] = {0x78, 1, 1, 0, 0, 0xff, 0xff, 0, 0, 0, 1};
  const hsize_t at = 10'000;
  const hid_t few = write("four", 1, false, false, 10'000),
              no = write("none", 1, true, false, 5000);
  H5Dwrite_chunk(few, H5P_DEFAULT, 0, &at, sizeof four, four);
  H5Dwrite_chunk(no, H5P_DEFAULT, 0, &at, sizeof none, none);
  const hid_t skipped = write("skipped", 1, false, false, 10'000);
  H5Dwrite_chunk(skipped, H5P_DEFAULT, 1, &at, sizeof four, four);  // as if it were not compressed
  const hid_t broken = write("broken", 1, false, false, 10'000);
  H5Dwrite_chunk(broken, H5P_DEFAULT, 0, &at, 9, four);
  for (const hid_t dataset : {few, no, skipped, broken}) H5Dclose(dataset);
  H5Fclose(file);

  const H5Reader reader{std::filesystem::path(path)};
  std::vector<int32_t> back(values.size());
  for (const std::string& name : sound) {
    INFO(name);
    reader.read(name, back.data(), DType::int32, {30'000});
    CHECK(back == values);
  }
  for (const char* name : {"four", "none", "skipped", "broken"})
    CHECK_THROWS_WITH(reader.read(name, back.data(), DType::int32, {30'000}),
                      contains("one of its chunks is damaged"));
}

TEST_CASE("A file with thousands of objects is checked in little time") {
  H5Writer writer;
  for (int i = 0; i < 2500; ++i) {
    const float value = 1;
    writer.write("layers/dense_" + std::to_string(i) + "/0", DType::float32, {1}, &value);
  }
  const Bytes file = writer.finish();
  const auto start = std::chrono::steady_clock::now();
  const H5Reader reader(file, "big.h5");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
  CHECK(reader.children("layers").size() == 2500);
}

}  // namespace h5_check_test
