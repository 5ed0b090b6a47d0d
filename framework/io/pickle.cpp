// The stack machine of pickle files, without what runs code.
// Opcodes: https://github.com/python/cpython/blob/main/Lib/pickletools.py
#include "pickle.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "../../backend/error.h"

namespace cornu::io {

using Kind = PickleValue::Kind;

class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, Pickle& pickle)
      : rest_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), pickle_(pickle) {}

  PickleValue run() {
    for (;;) {
      const auto opcode = static_cast<unsigned char>(take(1)[0]);
      if (opcode == '.') return pop();
      step(opcode);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw FileError(
        fmt::format("'{}' is no pickle file that can be read: {}.", pickle_.source_, why));
  }

  std::string_view take(size_t count) {
    if (count > rest_.size()) fail("it ends early");
    const std::string_view part = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return part;
  }
  uint64_t number(size_t size) {
    const std::string_view bytes = take(size);
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i)
      value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return value;
  }
  std::string line() {
    const size_t end = rest_.find('\n');
    if (end == std::string_view::npos) fail("it ends early");
    std::string text(take(end));
    take(1);
    return text;
  }

  PickleNode& node(PickleValue& value, Kind kind) {
    value.kind = kind;
    PickleNode& made = pickle_.nodes_.emplace_back();
    value.node = &made;
    return made;
  }
  // A node of this machine's, to be filled.
  static PickleNode& filled(const PickleValue& value) {
    return const_cast<PickleNode&>(*value.node);
  }

  void push(const PickleValue& value) { stack_.push_back(value); }
  void push_integer(int64_t value, Kind kind = Kind::integer) {
    push({.kind = kind, .integer = value});
  }
  void push_text(std::string_view text, Kind kind = Kind::text) {
    PickleValue value;
    PickleNode& made = node(value, kind);
    // Texts may be the elements of an array, which are not copied.
    made.bytes = text;
    if (text.size() <= longest_text) made.text = text;
    push(value);
  }
  void push_list(std::vector<PickleValue> values) {
    PickleValue value;
    node(value, Kind::list).values = std::move(values);
    push(value);
  }
  size_t bottom() const { return marks_.empty() ? 0 : marks_.back(); }
  PickleValue pop() {
    if (stack_.size() <= bottom()) fail("its stack is empty");
    const PickleValue value = stack_.back();
    stack_.pop_back();
    return value;
  }
  std::vector<PickleValue> pop_to_mark() {
    if (marks_.empty()) fail("it has no mark");
    const auto begin = stack_.begin() + static_cast<int64_t>(marks_.back());
    marks_.pop_back();
    std::vector<PickleValue> values(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    return values;
  }
  std::vector<PickleValue> pop_some(size_t count) {
    std::vector<PickleValue> values(count);
    while (count > 0) values[--count] = pop();
    return values;
  }
  const PickleValue& top(Kind kind) const {
    if (stack_.size() <= bottom() || !stack_.back().is(kind)) fail("its stack is not as expected");
    return stack_.back();
  }

  void memoize(uint64_t index) {
    if (stack_.size() <= bottom()) fail("its stack is empty");
    memo_[index] = stack_.back();
  }
  void recall(uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) fail("it refers to a value that it does not have");
    push(found->second);
  }

  void append(const std::vector<PickleValue>& values) {
    auto& list = filled(top(Kind::list)).values;
    list.insert(list.end(), values.begin(), values.end());
  }
  void set_items(const std::vector<PickleValue>& values) {
    if (values.size() % 2 != 0) fail("a dictionary has a key without a value");
    auto& entries = filled(top(Kind::dict)).entries;
    for (size_t i = 0; i < values.size(); i += 2) entries.emplace_back(values[i], values[i + 1]);
  }

  void push_global(const std::string& module, const std::string& name) {
    const bool arrays = module == "numpy.core.multiarray" || module == "numpy._core.multiarray";
    // Protocol 5 has arrays by their buffers.
    const bool buffers = module == "numpy.core.numeric" || module == "numpy._core.numeric";
    if (!(arrays && name == "_reconstruct") && !(buffers && name == "_frombuffer") &&
        !(module == "numpy" && (name == "ndarray" || name == "dtype")) &&
        // Python 3 writes bytes so in protocol 2, which has none.
        !(module == "_codecs" && name == "encode") && !(module == "__builtin__" && name == "bytes"))
      fail(fmt::format("it wants to call {}.{}, and only NumPy's arrays are made", module, name));
    push_text(name, Kind::global);
    filled(stack_.back()).text = name;
  }

  // bytes(), or encode(text, "latin1"): each character of the text is a byte.
  void push_bytes(const std::vector<PickleValue>& arguments) {
    PickleValue value;
    PickleNode& made = node(value, Kind::text);
    if (!arguments.empty()) {
      if (arguments.size() != 2 || !arguments[0].is(Kind::text) || !arguments[1].is(Kind::text) ||
          arguments[1].node->text != "latin1")
        fail("it makes no bytes as Python does");
      const std::string_view text = arguments[0].node->bytes;
      made.text.reserve(text.size());
      for (size_t i = 0; i < text.size(); ++i) {
        auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x80) {
          if ((c != 0xc2 && c != 0xc3) || ++i == text.size() || (text[i] & 0xc0) != 0x80)
            fail("a text for bytes has other characters");
          c = static_cast<unsigned char>(c << 6 | (text[i] & 0x3f));
        }
        made.text.push_back(static_cast<char>(c));
      }
      made.bytes = made.text;
    }
    push(value);
  }

  void reduce() {
    const PickleValue arguments = pop(), function = pop();
    if (!function.is(Kind::global) || !arguments.is(Kind::list))
      fail("it calls what is no function");
    PickleValue value;
    if (function.node->text == "_reconstruct") {
      node(value, Kind::array);
    } else if (function.node->text == "encode" || function.node->text == "bytes") {
      push_bytes(arguments.node->values);
      return;
    } else if (function.node->text == "_frombuffer") {
      const auto& parts = arguments.node->values;
      if (parts.size() != 4 || !parts[0].is(Kind::text) || !parts[1].is(Kind::dtype) ||
          !parts[3].is(Kind::text))
        fail("an array is not complete");
      PickleNode& array = node(value, Kind::array);
      array.bytes = parts[0].node->bytes;
      array.dtype = parts[1].node->text;
      array.shape = sizes_of(parts[2]);
      array.fortran = parts[3].node->text == "F";
    } else if (function.node->text == "dtype" && !arguments.node->values.empty() &&
               arguments.node->values[0].is(Kind::text)) {
      node(value, Kind::dtype).text = "|" + arguments.node->values[0].node->text;
    } else {
      fail("it makes no array as NumPy does");
    }
    push(value);
  }

  std::vector<int64_t> sizes_of(const PickleValue& shape) const {
    if (!shape.is(Kind::list)) fail("an array has no shape");
    std::vector<int64_t> sizes;
    for (const PickleValue& size : shape.node->values) {
      if (!size.is(Kind::integer) || size.integer < 0) fail("an array has no shape");
      sizes.push_back(size.integer);
    }
    return sizes;
  }

  void build() {
    const PickleValue state = pop();
    if (!state.is(Kind::list)) fail("an array is not complete");
    const auto& parts = state.node->values;
    if (stack_.size() > bottom() && stack_.back().is(Kind::dtype)) {
      if (parts.size() < 2 || !parts[1].is(Kind::text)) fail("the type of an array is damaged");
      std::string& code = filled(stack_.back()).text;
      code = parts[1].node->text + code.substr(std::min<size_t>(code.size(), 1));
      return;
    }
    PickleNode& array = filled(top(Kind::array));
    if (parts.size() != 5 || !parts[2].is(Kind::dtype)) fail("an array is not complete");
    array.shape = sizes_of(parts[1]);
    array.dtype = parts[2].node->text;
    array.fortran = parts[3].integer != 0;
    if (parts[4].is(Kind::list))
      array.objects = parts[4].node;
    else if (parts[4].is(Kind::text))
      array.bytes = parts[4].node->bytes;
    else
      fail("an array has no elements");
  }

  void step_long(size_t count) {
    if (count > 8) fail("it has a number of more than 64 bits");
    uint64_t value = number(count);
    if (count > 0 && count < 8 && (value >> (8 * count - 1)) != 0)
      value |= ~uint64_t{0} << (8 * count);
    push_integer(static_cast<int64_t>(value));
  }

  void step(unsigned char opcode) {
    switch (opcode) {
      case 0x80:
        take(1);
        break;  // PROTO
      case 0x95:
        take(8);
        break;  // FRAME
      case '(':
        marks_.push_back(stack_.size());
        break;  // MARK
      case ']':
        push_list({});
        break;  // EMPTY_LIST
      case ')':
        push_list({});
        break;  // EMPTY_TUPLE
      case 't':
        push_list(pop_to_mark());
        break;  // TUPLE
      case 0x85:
        push_list(pop_some(1));
        break;  // TUPLE1
      case 0x86:
        push_list(pop_some(2));
        break;  // TUPLE2
      case 0x87:
        push_list(pop_some(3));
        break;  // TUPLE3
      case 'a':
        append(pop_some(1));
        break;  // APPEND
      case 'e':
        append(pop_to_mark());
        break;     // APPENDS
      case '}': {  // EMPTY_DICT
        PickleValue value;
        node(value, Kind::dict);
        push(value);
        break;
      }
      case 's':
        set_items(pop_some(2));
        break;  // SETITEM
      case 'u':
        set_items(pop_to_mark());
        break;  // SETITEMS
      case 'J':
        push_integer(static_cast<int32_t>(number(4)));
        break;  // BININT
      case 'K':
        push_integer(static_cast<int64_t>(number(1)));
        break;  // BININT1
      case 'M':
        push_integer(static_cast<int64_t>(number(2)));
        break;  // BININT2
      case 0x8a:
        step_long(number(1));
        break;  // LONG1
      case 'N':
        push({});
        break;  // NONE
      case 0x88:
        push_integer(1, Kind::boolean);
        break;  // NEWTRUE
      case 0x89:
        push_integer(0, Kind::boolean);
        break;     // NEWFALSE
      case 'G': {  // BINFLOAT, big endian
        uint64_t bits = 0;
        for (const char c : take(8)) bits = bits << 8 | static_cast<unsigned char>(c);
        push({.kind = Kind::number, .number = std::bit_cast<double>(bits)});
        break;
      }
      case 'U':
      case 'C':
      case 0x8c:
        push_text(take(number(1)));
        break;  // SHORT_...
      case 'T':
      case 'B':
      case 'X':
        push_text(take(number(4)));
        break;  // BINSTRING, ...
      case 0x8d:
      case 0x8e:
      case 0x96:
        push_text(take(number(8)));
        break;     // BINUNICODE8, BINBYTES8, BYTEARRAY8
      case 'c': {  // GLOBAL
        const std::string module = line();
        push_global(module, line());
        break;
      }
      case 0x93: {  // STACK_GLOBAL
        const PickleValue name = pop(), module = pop();
        if (!name.is(Kind::text) || !module.is(Kind::text)) fail("it calls what is no function");
        push_global(module.node->text, name.node->text);
        break;
      }
      case 'R':
        reduce();
        break;  // REDUCE
      case 'b':
        build();
        break;  // BUILD
      case 'q':
        memoize(number(1));
        break;  // BINPUT
      case 'r':
        memoize(number(4));
        break;  // LONG_BINPUT
      case 0x94:
        memoize(memo_.size());
        break;  // MEMOIZE
      case 'h':
        recall(number(1));
        break;  // BINGET
      case 'j':
        recall(number(4));
        break;  // LONG_BINGET
      case '0':
        pop();
        break;  // POP
      default:
        fail(fmt::format("opcode {:#x} is not for data", opcode));
    }
  }

  static constexpr size_t longest_text = 256;

  std::string_view rest_;
  Pickle& pickle_;
  std::vector<PickleValue> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, PickleValue> memo_;
};

Pickle::Pickle(std::span<const std::byte> bytes, const std::string& source) : source_(source) {
  root_ = PickleMachine(bytes, *this).run();
}

const PickleNode& Pickle::expect(const PickleValue& value, Kind kind,
                                 const std::string& what) const {
  if (!value.is(kind) || !value.node)
    throw FileError(fmt::format("'{}' has something else where {} was expected.", source_, what));
  return *value.node;
}

const PickleValue& Pickle::at(const PickleValue& dict, std::string_view key) const {
  for (const auto& [name, value] : expect(dict, Kind::dict, "a dictionary").entries)
    if (name.is(Kind::text) && name.node->text == key) return value;
  throw FileError(fmt::format("'{}' has no '{}'.", source_, key));
}

std::vector<int64_t> Pickle::integers(const PickleValue& list) const {
  const PickleNode* node = list.node;
  if (list.is(Kind::array) && node) node = node->objects;
  if (!node || !(list.is(Kind::array) || list.is(Kind::list)))
    throw FileError(fmt::format("'{}' has something else where a list was expected.", source_));
  std::vector<int64_t> result;
  result.reserve(node->values.size());
  for (const PickleValue& value : node->values) {
    if (!value.is(Kind::integer))
      throw FileError(fmt::format("'{}' has something else in a list of numbers.", source_));
    result.push_back(value.integer);
  }
  return result;
}

}  // namespace cornu::io
