// Elements of a pipeline as bytes, for a cache in a file.
#pragma once
#include <concepts>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../dataset.h"
#include "../sample.h"

namespace cornu::data {

/// The bytes of one element, as they are put together.
class ElementWriter {
 public:
  void bytes(std::span<const std::byte> values);  ///< as they are
  void number(int64_t value);                     ///< in eight bytes
  void text(std::string_view value);              ///< with its length
  /// With its dtype and shape; strings, numbers of the program and no tensor at all as what they
  /// are. Throws StateError for a tensor without values.
  void tensor(const Tensor& value);
  const std::vector<std::byte>& written() const { return bytes_; }  ///< so far

 private:
  std::vector<std::byte> bytes_;
};

/// Takes the bytes of an element apart, in the order in which they were written. All functions
/// throw FileError where the bytes end, or mean something else.
class ElementReader {
 public:
  /// The bytes must outlive it.
  explicit ElementReader(std::span<const std::byte> bytes) : left_(bytes) {}
  /// The next `count` values of `size` bytes.
  std::span<const std::byte> bytes(size_t count, size_t size = 1);
  int64_t number();     ///< see ElementWriter
  size_t count();       ///< a number of things that have a byte at least
  std::string text();   ///< see ElementWriter
  Tensor tensor();      ///< in the host's memory
  void finish() const;  ///< throws when bytes are left
  /// Calls `read`, which calls itself for what lies inside: not too deep, as the stack is finite.
  template <class F>
  void inside(const F& read) {
    if (++depth_ > 100) throw_damaged();
    read();
    --depth_;
  }

 private:
  [[noreturn]] static void throw_damaged();

  std::span<const std::byte> left_;
  int depth_ = 0;
};

/// What a cache in a file can hold: numbers, strings, tensors, nests, batches, samples, vectors,
/// pairs and tuples of such, and structs with two functions beside them,
/// `void store(data::ElementWriter&, const Struct&)` and `void restore(data::ElementReader&,
/// Struct&)`, which call those of their members.
template <class T>
concept Storable = std::default_initializable<T> &&
    requires(ElementWriter& to, ElementReader& from, const T& element, T& into) {
  store(to, element);
  restore(from, into);
};

/// Writes a number, a string, a tensor or more of them.
template <class T>
requires std::is_arithmetic_v<T>
void store(ElementWriter& to, const T& value) { to.bytes(std::as_bytes(std::span(&value, 1))); }
/// Reads what `store` wrote. Throws FileError.
template <class T>
requires std::is_arithmetic_v<T>
void restore(ElementReader& from, T& value) {
  std::memcpy(&value, from.bytes(sizeof value).data(), sizeof value);
}
void store(ElementWriter& to, const std::string& value);   ///< see above
void restore(ElementReader& from, std::string& value);     ///< see above
void store(ElementWriter& to, const Tensor& value);        ///< see above
void restore(ElementReader& from, Tensor& value);          ///< see above
void store(ElementWriter& to, const Nest& value);          ///< see above
void restore(ElementReader& from, Nest& value);            ///< see above
void store(ElementWriter& to, const cornu::Batch& value);  ///< see above
void restore(ElementReader& from, cornu::Batch& value);    ///< see above
void store(ElementWriter& to, const Sample& value);        ///< see above
void restore(ElementReader& from, Sample& value);          ///< see above

/// The same of each element.
template <Storable T>
void store(ElementWriter& to, const std::vector<T>& values) {
  to.number(static_cast<int64_t>(values.size()));
  for (const T& value : values) store(to, value);
}
/// The same of each element.
template <Storable T>
void restore(ElementReader& from, std::vector<T>& values) {
  values.clear();
  for (size_t left = from.count(); left > 0; --left) {
    T value{};
    restore(from, value);
    values.push_back(std::move(value));
  }
}
/// The same of both.
template <Storable A, Storable B>
void store(ElementWriter& to, const std::pair<A, B>& value) {
  store(to, value.first);
  store(to, value.second);
}
/// The same of both.
template <Storable A, Storable B>
void restore(ElementReader& from, std::pair<A, B>& value) {
  restore(from, value.first);
  restore(from, value.second);
}
/// The same of all.
template <Storable... A>
void store(ElementWriter& to, const std::tuple<A...>& value) {
  std::apply([&](const A&... part) { (store(to, part), ...); }, value);
}
/// The same of all.
template <Storable... A>
void restore(ElementReader& from, std::tuple<A...>& value) {
  std::apply([&](A&... part) { (restore(from, part), ...); }, value);
}

}  // namespace cornu::data
