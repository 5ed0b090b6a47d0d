// Reading and writing of NumPy's array files.
#include "npy.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>

#include "../../backend/error.h"
#include "atomic_file.h"
#include "convert_elements.h"
#include "npy_text.h"

namespace cornu::io {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
// Headers have about a hundred bytes; a forged length must not claim memory.
constexpr size_t longest_header = size_t{1} << 20;
constexpr bool little_endian = std::endian::native == std::endian::little;

/// What a header says.
struct Header {
  DType dtype = DType::float32;
  bool swapped = false;
  bool fortran_order = false;
  Shape shape;
  bool unicode = false;     ///< a string's characters have 4 bytes each, else one
  size_t string_width = 0;  ///< characters of a string

  size_t element() const {
    return dtype == DType::string ? string_width * (unicode ? 4 : 1) : size_of(dtype);
  }
};

/// Reads the header's text: a Python dictionary with three known keys.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  Header parse() {
    Header header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !descr) {
        descr = true;
        if (peek() != '\'' && peek() != '"') fail("holds records; expected plain numbers");
        parse_dtype(string(), header);
      } else if (key == "fortran_order" && !order) {
        order = true;
        header.fortran_order = truth();
      } else if (key == "shape" && !shape) {
        shape = true;
        header.shape = sizes();
      } else {
        fail("has a damaged header: unexpected key '" + std::string(key) + "'");
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    if (peek() != '\0' || !descr || !order || !shape) fail("has a damaged header");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw FileError("'" + source_ + "' " + why + ".");
  }

  char peek() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
    return text_.empty() ? '\0' : text_[0];
  }

  bool take(char c) {
    if (peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(std::string("has a damaged header: expected '") + c + "'");
  }

  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("has a damaged header: expected a string");
    text_.remove_prefix(1);
    const size_t end = text_.find(quote);
    if (end == std::string_view::npos) fail("has a damaged header: a string does not end");
    const std::string_view result = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return result;
  }

  bool truth() {
    peek();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(0, word.size()) != word) continue;
      text_.remove_prefix(word.size());
      return word == "True";
    }
    fail("has a damaged header: expected True or False");
  }

  Shape sizes() {
    Shape shape;
    expect('(');
    while (!take(')')) {
      if (shape.rank() == Shape::max_rank)
        fail("has more than " + std::to_string(Shape::max_rank) + " axes");
      shape.push_back(number());
      take('L');  // Python 2 wrote long integers so.
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  int64_t number() {
    int64_t value = 0;
    int digits = 0;
    for (char c = peek(); c >= '0' && c <= '9'; c = text_.empty() ? '\0' : text_[0]) {
      // More digits could overflow int64.
      if (++digits > 18) fail("declares a shape that no memory can hold");
      value = value * 10 + (c - '0');
      text_.remove_prefix(1);
    }
    if (digits == 0) fail("has a damaged header: expected a size");
    return value;
  }

  void parse_dtype(std::string_view descr, Header& header) const {
    std::string_view code = descr;
    char order = '=';
    if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) {
      order = code[0];
      code.remove_prefix(1);
    }
    header.swapped = order == (little_endian ? '>' : '<');
    struct Row {
      std::string_view code;
      DType dtype;
    };
    static constexpr Row rows[] = {
        {"b1", DType::boolean},
        {"u1", DType::uint8},
        {"u2", DType::uint16},
        {"u4", DType::uint32},
        {"u8", DType::uint64},
        {"i1", DType::int8},
        {"i2", DType::int16},
        {"i4", DType::int32},
        {"i8", DType::int64},
        // NumPy has no bfloat16: ml_dtypes writes it as 2 bytes without a type.
        {"f2", DType::float16},
        {"V2", DType::bfloat16},
        {"f4", DType::float32},
        {"f8", DType::float64},
        {"c8", DType::complex64},
        {"c16", DType::complex128},
    };
    for (const Row& row : rows) {
      if (row.code != code) continue;
      header.dtype = row.dtype;
      return;
    }
    if (code.size() > 1 && code.size() < 10 && (code[0] == 'U' || code[0] == 'S') &&
        code.find_first_not_of("0123456789", 1) == std::string_view::npos) {
      header.dtype = DType::string;
      header.unicode = code[0] == 'U';
      for (const char c : code.substr(1))
        header.string_width = header.string_width * 10 + static_cast<size_t>(c - '0');
      // An empty string's width of 0 would divide by zero later.
      if (header.string_width > 0) return;
    }
    if (code == "O") fail("holds pickled Python objects, which are never read");
    fail("has dtype '" + std::string(descr) +
         "'; expected truth values, integers, floats, complex numbers or strings");
  }

  std::string_view text_;
  const std::string& source_;
};

/// Reverses the bytes of each element, of complex numbers those of each part.
void swap_parts(void* elements, DType dtype, size_t count) {
  swap_bytes(elements, size_of(real_type(dtype)), is_complex(dtype) ? 2 * count : count);
}

/// Copies from Fortran order (first axis innermost) to C order.
std::vector<std::byte> to_c_order(std::span<const std::byte> from, const Shape& shape,
                                  size_t element) {
  std::vector<std::byte> to(from.size());
  const size_t count = from.size() / element;
  int64_t index[Shape::max_rank] = {};
  int64_t stride[Shape::max_rank] = {};
  int64_t step = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    stride[axis] = step;
    step *= shape[axis];
  }
  int64_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(&to[i * element], &from[static_cast<size_t>(offset) * element], element);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      // Counts as an odometer does, and moves the place along, without a division for each element.
      offset += stride[axis];
      if (++index[axis] < shape[axis]) break;
      offset -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return to;
}

std::string_view descr_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return "|b1";
    case DType::uint8:
      return "|u1";
    case DType::uint16:
      return "<u2";
    case DType::uint32:
      return "<u4";
    case DType::uint64:
      return "<u8";
    case DType::int8:
      return "|i1";
    case DType::int16:
      return "<i2";
    case DType::int32:
      return "<i4";
    case DType::int64:
      return "<i8";
    case DType::float16:
      return "<f2";
    case DType::bfloat16:
      return "<V2";
    case DType::float32:
      return "<f4";
    case DType::string:
      throw UnsupportedError("npy: string tensors are not written.");
    case DType::float8_e4m3fn:
    case DType::float8_e5m2:
      throw UnsupportedError("npy: 8-bit floats are not written. Cast them to float16 first.");
    case DType::complex64:
      return "<c8";
    case DType::complex128:
      return "<c16";
    case DType::float64:
      break;
  }
  return "<f8";
}

}  // namespace

namespace {

/// A file's parts.
struct Layout {
  Header header;
  std::span<const std::byte> values;
  size_t count = 0;  ///< of elements
};

Layout layout_of(std::span<const std::byte> bytes, const std::string& source) {
  const auto fail = [&](const std::string& why) {
    throw FileError("'" + source + "' " + why + ".");
  };
  const auto byte = [&](size_t at) { return static_cast<size_t>(bytes[at]); };
  if (bytes.size() < 10 || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    fail("is not an .npy file");
  const size_t version = byte(6);
  if (version < 1 || version > 3)
    fail("has version " + std::to_string(version) + " of the .npy format; expected 1 to 3");
  const size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) fail("is truncated");
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > longest_header) fail("has a header of " + std::to_string(length) + " bytes");
  if (length > bytes.size() - start) fail("is truncated within its header");
  const Header header =
      HeaderParser({reinterpret_cast<const char*>(bytes.data()) + start, length}, source).parse();

  const std::span<const std::byte> values = bytes.subspan(start + length);
  const size_t element = header.element();
  const bool empty = std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end();
  size_t count = empty ? 0 : 1;
  for (int64_t size : header.shape) {
    if (empty) break;
    // Compared by division, so that a product which overflows is never formed.
    if (static_cast<uint64_t>(size) > values.size() / element / count)
      fail("declares shape " + header.shape.str() + " of " + std::string(dtype_name(header.dtype)) +
           ", but holds only " + std::to_string(values.size()) + " bytes");
    count *= static_cast<size_t>(size);
  }
  if (values.size() != count * element)
    fail("holds " + std::to_string(values.size()) + " bytes of values; shape " +
         header.shape.str() + " of " + std::string(dtype_name(header.dtype)) + " has " +
         std::to_string(count * element));
  return {header, values, count};
}

}  // namespace

NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& source) {
  const auto [header, values, count] = layout_of(bytes, source);
  NpyArray array{"", header.dtype, header.shape, {}, {}};
  array.data = header.fortran_order && header.shape.rank() > 1
                   ? to_c_order(values, header.shape, header.element())
                   : std::vector<std::byte>(values.begin(), values.end());
  if (header.dtype == DType::string) {
    array.strings = strings_of(
        array.data, {header.string_width, header.unicode, header.swapped == little_endian});
    array.data.clear();
    return array;
  }
  if (header.swapped) swap_parts(array.data.data(), header.dtype, count);
  if (header.dtype == DType::boolean)  // Any other bit pattern would be an invalid bool.
    for (std::byte& value : array.data) value = std::byte{value != std::byte{0}};
  return array;
}

NpyView view_npy(const Bytes& bytes, const std::string& source) {
  const auto [header, values, count] = layout_of(bytes.span(), source);
  // Bools may be other bytes than 0 and 1.
  const bool in_place = !header.swapped && header.dtype != DType::string &&
                        header.dtype != DType::boolean &&
                        !(header.fortran_order && header.shape.rank() > 1);
  if (in_place)
    return {header.dtype, header.shape, Bytes(std::make_shared<const Bytes>(bytes), values), {}};
  NpyArray array = parse_npy(bytes.span(), source);
  return {array.dtype, array.shape, Bytes::of(std::move(array.data)), std::move(array.strings)};
}

std::vector<std::byte> format_npy(const NpyArray& array) {
  const bool text = array.dtype == DType::string;
  const size_t element = text ? 0 : size_of(array.dtype);
  if (!array.shape.known() || (text ? array.strings.size() : array.data.size()) !=
                                  static_cast<size_t>(array.shape.numel()) * (text ? 1 : element))
    throw ShapeError("format_npy: array '" + array.name + "' has " +
                     (text ? std::to_string(array.strings.size()) + " strings"
                           : std::to_string(array.data.size()) + " bytes") +
                     ", which is not shape " + array.shape.str() + " of " +
                     std::string(dtype_name(array.dtype)) + ".");
  TextForm form;
  const std::vector<std::byte> packed =
      text ? pack_strings(array.strings, form) : std::vector<std::byte>();
  const std::vector<std::byte>& values = text ? packed : array.data;
  std::string header = "{'descr': '" + (text ? form.descr() : std::string(descr_of(array.dtype))) +
                       "', 'fortran_order': False, 'shape': " + array.shape.str() + ", }";
  // The values start at a multiple of 64 bytes, after a line end.
  constexpr size_t before = 10, alignment = 64;
  const size_t used = before + header.size() + 1;
  header.append((alignment - used % alignment) % alignment, ' ');
  header += '\n';

  std::string start(magic);
  start += '\1';
  start += '\0';
  start += static_cast<char>(header.size() & 0xff);
  start += static_cast<char>(header.size() >> 8);
  start += header;
  std::vector<std::byte> bytes(start.size() + values.size());
  std::memcpy(bytes.data(), start.data(), start.size());
  if (!values.empty()) std::memcpy(bytes.data() + start.size(), values.data(), values.size());
  if (!little_endian && !text)
    swap_parts(bytes.data() + start.size(), array.dtype, values.size() / element);
  return bytes;
}

NpyArray read_npy(const std::filesystem::path& path) {
  return parse_npy(read_file(path, UINT64_MAX), path.string());
}

void write_npy(const std::filesystem::path& path, const NpyArray& array) {
  write_file(path, format_npy(array));
}

std::vector<NpyArray> read_npz(const std::filesystem::path& path) {
  ArchiveReader archive(path);
  std::vector<NpyArray> arrays;
  for (const ArchiveMember& member : archive.members()) {
    const Bytes bytes = archive.map(member.name);
    NpyArray array = parse_npy(bytes.span(), path.string() + ": " + member.name);
    array.name = member.name;
    if (array.name.ends_with(".npy")) array.name.resize(array.name.size() - 4);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

void write_npz(const std::filesystem::path& path, const std::vector<NpyArray>& arrays,
               Compression compression) {
  std::set<std::string_view> names;
  for (const NpyArray& array : arrays)
    if (!names.insert(array.name).second)
      throw ValueError("write_npz: two arrays have the name '" + array.name + "'.");
  ArchiveWriter archive(path);
  for (const NpyArray& array : arrays)
    archive.add(array.name + ".npy", Bytes::of(format_npy(array)), compression);
  archive.finish();
}

}  // namespace cornu::io
