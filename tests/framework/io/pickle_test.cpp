// Pickle files: values and arrays of every protocol, and what is refused rather than run.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/pickle.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "paths.h"
#include "support/reader_goldens.h"
#include "support/temporary.h"

namespace pickle_test {

using namespace cornu;
using namespace cornu::io;
using Kind = PickleValue::Kind;
using test::contains;

namespace {

using Numbers = std::vector<int64_t>;

// Written by tools/goldens/pickle_goldens.py.
const nlohmann::json& goldens() {
  static const auto file =
      nlohmann::json::parse(std::ifstream(test::source_path("tests/data/pickles.json")));
  return file;
}

// The files of a value, in protocols 2 to 5; they must outlive what is read from them.
std::vector<std::string> files_of(const std::string& name) {
  std::vector<std::string> files;
  for (const char* protocol : {"2", "3", "4", "5"})
    files.push_back(test::from_hex(goldens()["values"][name][protocol]));
  return files;
}

const std::string& text_of(const PickleValue& value) {
  REQUIRE(value.is(Kind::text));
  return value.node->text;
}

// Reads bytes that must be refused by a FileError, and gives its text.
std::string refused(const std::string& file) {
  try {
    const Pickle pickle(test::bytes_of(file), "data.pkl");
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

// A dtype object of NumPy, as protocol 2 has it, with `state` behind it.
std::string dtype_of(const std::string& code, const std::string& state) {
  return std::string("\x80\x02") + "cnumpy\ndtype\n" + "U" + static_cast<char>(code.size()) + code +
         "\x85R" + state;
}

}  // namespace

TEST_CASE("Numbers, truth values and texts of all protocols") {
  for (const std::string& file : files_of("numbers")) {
    const Pickle pickle(test::bytes_of(file), "p");
    CHECK(pickle.integers(pickle.root()) ==
          Numbers{0, 1, 255, 256, 65535, 65536, -1, -128, 2147483647, -2147483648LL, 2147483648LL,
                  int64_t{1} << 62, std::numeric_limits<int64_t>::min(),
                  std::numeric_limits<int64_t>::max()});
  }
  for (const std::string& file : files_of("floats")) {
    const Pickle pickle(test::bytes_of(file), "p");
    std::vector<double> found;
    for (const PickleValue& value : pickle.expect(pickle.root(), Kind::list, "a list").values) {
      CHECK(value.is(Kind::number));
      found.push_back(value.number);
    }
    CHECK(found == std::vector<double>{0.5, -1.25, 1e300, std::numeric_limits<double>::infinity()});
  }
  for (const std::string& file : files_of("words")) {
    const Pickle pickle(test::bytes_of(file), "p");
    const auto& words = pickle.root().node->values;
    REQUIRE(words.size() == 4);
    CHECK(text_of(words[0]).empty());
    CHECK(text_of(words[1]) == "one");
    CHECK(text_of(words[2]) == "ünï");
    // Long ones are in the file only.
    CHECK(words[3].node->bytes == std::string(300, 'x'));
  }
  for (const std::string& file : files_of("none")) {
    const Pickle pickle(test::bytes_of(file), "p");
    const auto& values = pickle.root().node->values;
    REQUIRE(values.size() == 3);
    CHECK(values[0].is(Kind::none));
    CHECK(values[1].is(Kind::boolean));
    CHECK(values[1].integer == 1);
    CHECK(values[2].integer == 0);
  }
}

TEST_CASE("Bytes are bytes, also in protocol 2, which makes them of texts") {
  const auto files = files_of("bytes");
  for (const std::string& file : files) {
    const Pickle pickle(test::bytes_of(file), "p");
    CHECK(pickle.at(pickle.root(), "a").node->bytes.empty());
    CHECK(pickle.at(pickle.root(), "b").node->bytes == std::string("\0\xff", 2));
    const std::string_view all = pickle.at(pickle.root(), "c").node->bytes;
    REQUIRE(all.size() == 512);
    for (size_t i = 0; i < all.size(); ++i) CHECK(static_cast<unsigned char>(all[i]) == i % 256);
  }
  const auto encoded = [](const std::string& text, const std::string& name) {
    const auto counted = [](const std::string& part) {
      return std::string("X") + static_cast<char>(part.size()) + std::string(3, '\0') + part;
    };
    return refused("c_codecs\nencode\n" + counted(text) + counted(name) + "\x86R.");
  };
  CHECK(encoded("a\xc3\xbf", "latin1") == "no error");
  CHECK_THAT(encoded("a", "rot13"), contains("makes no bytes"));
  CHECK_THAT(encoded("\xc4\x80", "latin1"), contains("other characters"));
  CHECK_THAT(encoded("\xc3", "latin1"), contains("other characters"));
  CHECK_THAT(encoded("\xc3\x41", "latin1"), contains("other characters"));
}

TEST_CASE("Dictionaries, lists and tuples inside of each other, and values that are there twice") {
  for (const std::string& file : files_of("nested")) {
    const Pickle pickle(test::bytes_of(file), "p");
    const PickleValue& b = pickle.at(pickle.at(pickle.root(), "a"), "b");
    const auto& parts = pickle.expect(b, Kind::list, "a tuple").values;
    REQUIRE(parts.size() == 3);
    CHECK(parts[0].integer == 1);
    CHECK(pickle.integers(parts[1]) == Numbers{2, 3});
    CHECK(pickle.integers(parts[2]) == Numbers{4});
    CHECK(pickle.integers(pickle.at(pickle.root(), "c")).empty());
  }
  for (const std::string& file : files_of("shared")) {
    const Pickle pickle(test::bytes_of(file), "p");
    CHECK(pickle.at(pickle.root(), "x").node == pickle.at(pickle.root(), "y").node);
    CHECK(pickle.integers(pickle.at(pickle.root(), "y")) == Numbers{1, 2});
    CHECK(text_of(pickle.at(pickle.root(), "again")) == "x");
  }
}

TEST_CASE("Arrays of NumPy in all protocols") {
  struct Case {
    const char* name;
    const char* dtype;
    Numbers shape;
    bool fortran;
    std::string bytes;
  };
  for (const Case& c : std::vector<Case>{
           {"matrix", "|u1", {2, 3}, false, std::string("\0\1\2\3\4\5", 6)},
           {"fortran", "<i2", {2, 3}, true, std::string("\0\0\3\0\1\0\4\0\2\0\5\0", 12)},
           {"scalar", "<f4", {}, false, std::string("\0\0\xe0\x40", 4)},
           {"empty", "<f8", {0, 4}, false, ""},
           {"big", ">i4", {3}, false, std::string("\0\0\0\0\0\0\0\1\0\0\0\2", 12)}}) {
    const auto files = files_of(c.name);
    for (size_t i = 0; i < files.size(); ++i) {
      INFO(c.name << ", protocol " << i + 2);
      const Pickle pickle(test::bytes_of(files[i]), "p");
      const PickleNode& array =
          pickle.expect(pickle.at(pickle.root(), "data"), Kind::array, "an array");
      CHECK(array.dtype == c.dtype);
      CHECK(array.shape == c.shape);
      CHECK(array.fortran == c.fortran);
      CHECK(array.bytes == c.bytes);
    }
  }
  for (const std::string& file : files_of("objects")) {
    const Pickle pickle(test::bytes_of(file), "p");
    const PickleNode& array =
        pickle.expect(pickle.at(pickle.root(), "data"), Kind::array, "an array");
    REQUIRE(array.objects != nullptr);
    CHECK(array.dtype == "|O8");
    REQUIRE(array.objects->values.size() == 2);
    CHECK(pickle.integers(array.objects->values[0]) == Numbers{1, 2, 300});
    CHECK(pickle.integers(array.objects->values[1]).empty());
  }
}

TEST_CASE("What runs code, or is no data, is refused by its name") {
  const auto& golden = goldens()["refused"];
  for (const auto& [name, files] : golden.items())
    for (const auto& [protocol, digits] : files.items()) {
      INFO(name << ", protocol " << protocol);
      CHECK_THAT(refused(test::from_hex(digits)), contains("'data.pkl' is no pickle file"));
    }
  CHECK_THAT(refused(test::from_hex(golden["class"]["4"])),
             contains("wants to call collections.OrderedDict, and only NumPy's arrays are made"));
  CHECK_THAT(refused(test::from_hex(golden["large"]["4"])), contains("more than 64 bits"));
  // The classic: os.system("...").
  CHECK_THAT(refused("cos\nsystem\n(U\x04ls -\x85R."), contains("wants to call os.system"));
  CHECK_THAT(refused("cbuiltins\neval\n."), contains("builtins.eval"));
  // NumPy's functions do nothing but make arrays.
  CHECK_THAT(refused("cnumpy\nload\n."), contains("numpy.load"));
  CHECK_THAT(refused("cnumpy._core.multiarray\nscalar\n."), contains("scalar"));
  CHECK_THAT(refused("cnumpy\nndarray\n)R."), contains("makes no array"));
}

TEST_CASE("Questions that a pickle cannot answer are errors") {
  const std::string file = files_of("nested")[2];
  const Pickle pickle(test::bytes_of(file), "batch_1");
  CHECK_THROWS_WITH(pickle.at(pickle.root(), "z"), contains("'batch_1' has no 'z'"));
  CHECK_THROWS_WITH(pickle.at(pickle.at(pickle.root(), "c"), "a"),
                    contains("where a dictionary was expected"));
  CHECK_THROWS_WITH(pickle.integers(pickle.root()), contains("where a list was expected"));
  CHECK_THROWS_WITH(pickle.integers(pickle.at(pickle.at(pickle.root(), "a"), "b")),
                    contains("in a list of numbers"));
  CHECK_THROWS_WITH(pickle.expect(pickle.root(), Kind::array, "the images"),
                    contains("where the images was expected"));
}

TEST_CASE("Damaged pickles are refused, and nothing else happens") {
  CHECK_THAT(refused(""), contains("it ends early"));
  CHECK_THAT(refused("."), contains("its stack is empty"));
  CHECK_THAT(refused("t."), contains("it has no mark"));
  CHECK_THAT(refused("]K\1."), contains("no error"));
  CHECK_THAT(refused("h\5."), contains("refers to a value that it does not have"));
  CHECK_THAT(refused("}(K\1u."), contains("a key without a value"));
  CHECK_THAT(refused("NK\1a."), contains("its stack is not as expected"));
  CHECK_THAT(refused("(."), contains("its stack is empty"));
  CHECK_THAT(refused(std::string("X\xff\xff\xff\xff", 5) + "abc."), contains("it ends early"));
  CHECK_THAT(refused("\x8e" + std::string(8, '\xff') + "."), contains("it ends early"));
  CHECK_THAT(refused(std::string("\x8a\x09", 2) + std::string(9, '\1') + "."),
             contains("more than 64 bits"));
  // Dtypes without a code, whose states come twice.
  const std::string state = std::string("K\3U\0\x86", 5) + "b";
  CHECK(refused(dtype_of("", state + ".")) == "no error");
  CHECK(refused(dtype_of("", state + state + state + ".")) == "no error");
  CHECK_THAT(refused(dtype_of("u1",
                              "K\3K\1\x86"
                              "b.")),
             contains("the type of an array is damaged"));
}

TEST_CASE("Pickles that are cut short or changed are read or refused") {
  for (const char* name : {"numbers", "nested", "shared", "matrix", "fortran", "objects"})
    for (const std::string& file : files_of(name)) {
      for (size_t size = 0; size < file.size(); ++size)
        CHECK(refused(file.substr(0, size)) != "no error");
      // Any one byte changed.
      for (size_t at = 0; at < file.size(); ++at)
        for (const char change : {'\1', '\x80', '\x2e'}) {
          std::string other = file;
          other[at] = static_cast<char>(other[at] ^ change);
          refused(other);
        }
    }
}

}  // namespace pickle_test
