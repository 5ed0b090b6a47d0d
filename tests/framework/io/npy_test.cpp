// NumPy's array files.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/npy_tensor.h>

#include <cstring>

#include "../../support/temporary.h"

namespace npy_test {

using namespace cornu;
using namespace cornu::io;
using namespace cornu::test;

namespace {

template <class T>
std::vector<std::byte> pack(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

/// An .npy file of version 1 with this header.
std::string npy(const std::string& header, const std::string& values) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  return text + header + values;
}

NpyArray parse(const std::string& text) { return parse_npy(bytes_of(text), "x.npy"); }

}  // namespace

TEST_CASE("npy files round-trip every dtype and odd shapes") {
  const TemporaryFolder folder;
  for (int i = 0; i < dtype_count + 2; ++i) {
    const DType dtype = i < dtype_count    ? static_cast<DType>(i)
                        : i == dtype_count ? DType::complex64
                                           : DType::complex128;
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3, 1}, Shape{0}, Shape{5, 0}}) {
      NpyArray array{"", dtype, shape, {}};
      array.data.resize(static_cast<size_t>(shape.numel()) * size_of(dtype));
      for (size_t k = 0; k < array.data.size(); ++k)
        array.data[k] = std::byte(dtype == DType::boolean ? k % 2 : k);
      write_npy(folder / "a.npy", array);
      const NpyArray back = read_npy(folder / "a.npy");
      CHECK(back.dtype == dtype);
      CHECK(back.shape == shape);
      CHECK(back.data == array.data);
    }
  }
}

TEST_CASE("npy headers are written as NumPy writes them") {
  const auto bytes = format_npy({"", DType::int32, {2, 3}, pack<int32_t>({1, 2, 3, 4, 5, 6})});
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CHECK(text.size() == 128 + 24);
  CHECK_THAT(text, contains("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }"));
  CHECK(text[127] == '\n');
  CHECK_THROWS_AS(format_npy({"", DType::int32, {3}, pack<int32_t>({1})}), ShapeError);
}

TEST_CASE("npy files in Fortran order and big-endian are converted") {
  const std::string header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3)}\n";
  const NpyArray array = parse(npy(header, std::string("\0\1\0\4\0\2\0\5\0\3\0\6", 12)));
  CHECK(array.shape == Shape{2, 3});
  CHECK(array.data == pack<int16_t>({1, 2, 3, 4, 5, 6}));

  const std::string cube = "{'shape': (2, 1, 2), 'fortran_order': True, 'descr': '|u1',}";
  CHECK(parse(npy(cube, "abcd")).data == pack<char>({'a', 'c', 'b', 'd'}));
}

TEST_CASE("npy files hold strings of fixed width") {
  const auto header = [](const std::string& descr) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2,), }\n";
  };
  const NpyArray bytes = parse(npy(header("|S3"), std::string("ab\0c\0d", 6)));
  CHECK(bytes.dtype == DType::string);
  CHECK(bytes.shape == Shape{2});
  CHECK(bytes.strings == std::vector<std::string>{"ab", std::string("c\0d", 3)});
  const std::string wide("\xDC\0\0\0a\0\0\0\x00\xF6\x01\0\0\0\0\0", 16);
  CHECK(parse(npy(header("<U2"), wide)).strings ==
        std::vector<std::string>{"\xC3\x9C\x61", "\xF0\x9F\x98\x80"});
  const std::string big("\0\0\0b\0\0\0\0", 8);
  CHECK(parse(npy(header(">U1"), big)).strings == std::vector<std::string>{"b", ""});
  // And back: what is no UTF-8 stays bytes.
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{"", "\xC3\x9C\x61", "\xF0\x9F\x98\x80", "abc"},
        std::vector<std::string>{"\xFF\xFE", "\xC3", "ab", "\xED\xA0\x80"},
        std::vector<std::string>{"", "", "", ""}}) {
    const NpyArray written{"", DType::string, {2, 2}, {}, texts};
    const std::vector<std::byte> file = format_npy(written);
    const NpyArray read = parse_npy(file, "x.npy");
    CHECK(read.dtype == DType::string);
    CHECK(read.shape == Shape{2, 2});
    CHECK(read.strings == texts);
  }
  CHECK_THROWS_AS(format_npy({"", DType::string, {3}, {}, {"a"}}), ShapeError);
}

TEST_CASE("npy files that cannot be right are refused") {
  const auto header = [](const std::string& descr, const std::string& shape) {
    return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
  };
  CHECK_THROWS_WITH(parse("hello hello"), contains("x.npy' is not an .npy file"));
  CHECK_THROWS_WITH(parse(npy(header("'|O'", "(1,)"), "x")), contains("pickled"));
  CHECK_THROWS_WITH(parse(npy(header("'<c32'", "(1,)"), "x")), contains("<c32"));
  CHECK_THROWS_WITH(parse(npy(header("'<U5'", "(1,)"), "x")), contains("holds only 1 bytes"));
  CHECK_THROWS_AS(parse(npy(header("'<U0'", "(1,)"), "")), FileError);
  CHECK_THROWS_AS(parse(npy(header("'<U999999999'", "(9, 9)"), "1234")), FileError);
  CHECK_THROWS_WITH(parse(npy(header("[('a', '<f4')]", "(1,)"), "x")), contains("records"));
  // Sizes that do not exist in the file, or whose product overflows.
  CHECK_THROWS_WITH(parse(npy(header("'<f4'", "(1000000000000,)"), "1234")), contains("4 bytes"));
  CHECK_THROWS_AS(parse(npy(header("'<f4'", "(4294967296, 4294967296)"), "1234")), FileError);
  CHECK_THROWS_AS(parse(npy(header("'<f4'", "(99999999999999999999,)"), "1234")), FileError);
  CHECK_THROWS_AS(parse(npy(header("'<f4'", "(-1,)"), "1234")), FileError);
  CHECK_THROWS_AS(parse(npy(header("'<f4'", "(1,)"), "12345678")), FileError);
  CHECK_THROWS_AS(parse(npy(header("'<f4'", "(1,)"), "12")), FileError);
  CHECK_THROWS_AS(parse(npy(header("'<f4'", "(1,1,1,1,1,1,1,1,1,1,1)"), "1234")), FileError);
  CHECK_THROWS_AS(parse(npy("{'descr': '<f4', 'shape': (1,)}", "1234")), FileError);

  const std::string good = npy(header("'<f4'", "(1,)"), "1234");
  for (size_t at = 0; at < good.size(); ++at) {
    CHECK_THROWS_AS(parse(good.substr(0, at)), FileError);
    for (int flip = 1; flip < 256; flip *= 2) {
      std::string text = good;
      text[at] = static_cast<char>(text[at] ^ flip);
      try {
        parse(text);
      } catch (const FileError&) {
      }
    }
  }
}

TEST_CASE("complex numbers of the other byte order are turned part by part") {
  const std::string header = "{'descr': '>c8', 'fortran_order': False, 'shape': (1,)}\n";
  const NpyArray array = parse(npy(header, std::string("\x3f\x80\0\0\xc0\0\0\0", 8)));
  CHECK(array.dtype == DType::complex64);
  CHECK(array.data == pack<float>({1, -2}));
}

TEST_CASE("npz files hold named arrays") {
  const TemporaryFolder folder;
  const std::vector<NpyArray> arrays = {
      {"x", DType::float32, {2}, pack<float>({1, 2})},
      {"layer/kernel", DType::int64, {}, pack<int64_t>({7})},
      {"flags", DType::boolean, {2}, pack<uint8_t>({1, 0})},
  };
  for (const Compression compression : {Compression::stored, Compression::deflate}) {
    write_npz(folder / "a.npz", arrays, compression);
    const std::vector<NpyArray> back = read_npz(folder / "a.npz");
    REQUIRE(back.size() == arrays.size());
    for (size_t i = 0; i < back.size(); ++i) {
      CHECK(back[i].name == arrays[i].name);
      CHECK(back[i].shape == arrays[i].shape);
      CHECK(back[i].data == arrays[i].data);
    }
  }
  CHECK_THROWS_AS(write_npz(folder / "b.npz", {arrays[0], arrays[0]}), ValueError);
  CHECK_THROWS_AS(read_npz(folder / "absent.npz"), FileError);
}

TEST_CASE("Tensors are saved and loaded as .npy files") {
  TemporaryFolder folder;
  const Tensor x = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  save_npy(folder / "x.npy", x);
  const Tensor read = load_npy(folder / "x.npy");
  CHECK(read.shape() == x.shape());
  CHECK(read.dtype() == DType::float32);
  CHECK(read.to_vector<float>() == x.to_vector<float>());
  CHECK_THROWS_AS(load_npy(folder / "none.npy"), FileError);
}

}  // namespace npy_test
