// Tensors, nests and samples as bytes.
#include "stored.h"

#include <algorithm>

#include "../../../backend/error.h"
#include "../sample_tensors.h"

namespace cornu::data {
namespace {

// What a tensor or a nest is.
enum class Kind : uint8_t { none, array, strings, number, list, dict };

void put_kind(ElementWriter& to, Kind kind) { store(to, static_cast<uint8_t>(kind)); }

[[noreturn]] void fail() { throw FileError("its bytes are damaged, or those of another type."); }

Kind take_kind(ElementReader& from) {
  uint8_t kind = 0;
  restore(from, kind);
  if (kind > static_cast<uint8_t>(Kind::dict)) fail();
  return static_cast<Kind>(kind);
}

Kind kind_of(const Tensor& tensor) {
  if (!tensor) return Kind::none;
  if (tensor.is_weak()) return Kind::number;
  return tensor.dtype() == DType::string ? Kind::strings : Kind::array;
}

void put_shape(ElementWriter& to, const Shape& shape) {
  to.number(shape.rank());
  for (const int64_t size : shape) to.number(size);
}

Shape take_shape(ElementReader& from) {
  const size_t rank = from.count();
  if (rank > static_cast<size_t>(Shape::max_rank)) fail();
  Shape shape;
  // The product of the sizes must not overflow.
  int64_t elements = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t size = from.number();
    if (size < 0 || __builtin_mul_overflow(elements, std::max<int64_t>(size, 1), &elements)) fail();
    shape.push_back(size);
  }
  return shape;
}

Tensor take_array(ElementReader& from) {
  const std::string name = from.text();
  DType dtype;
  try {
    dtype = dtype_of(name);
  } catch (const ValueError&) {
    fail();
  }
  if (dtype == DType::string) fail();
  const Shape shape = take_shape(from);
  const auto bytes = from.bytes(static_cast<size_t>(shape.numel()), size_of(dtype));
  const Tensor made = Tensor::empty(shape, dtype, backend::cpu_backend());
  if (!bytes.empty()) std::memcpy(made.data(), bytes.data(), bytes.size());
  return made;
}

Tensor take_strings(ElementReader& from) {
  const Shape shape = take_shape(from);
  std::vector<std::string> texts;
  restore(from, texts);
  if (static_cast<int64_t>(texts.size()) != shape.numel()) fail();
  return Tensor::strings(texts, shape);
}

Tensor take_number(ElementReader& from) {
  const Tensor made(0.0);
  const std::string name = from.text();
  bool known = false;
  for (const DType dtype : {DType::boolean, DType::int32, DType::int64, DType::float32})
    if (dtype_name(dtype) == name) made.impl()->dtype = dtype, known = true;
  if (!known) fail();
  std::memcpy(made.impl()->scalar, from.bytes(sizeof made.impl()->scalar).data(),
              sizeof made.impl()->scalar);
  return made;
}

}  // namespace

void ElementWriter::bytes(std::span<const std::byte> values) {
  bytes_.insert(bytes_.end(), values.begin(), values.end());
}

void ElementWriter::number(int64_t value) { bytes(std::as_bytes(std::span(&value, 1))); }

void ElementWriter::text(std::string_view value) {
  number(static_cast<int64_t>(value.size()));
  bytes(std::as_bytes(std::span(value)));
}

void ElementWriter::tensor(const Tensor& value) {
  const Kind kind = kind_of(value);
  put_kind(*this, kind);
  if (kind == Kind::none) return;
  if (kind == Kind::strings) {
    put_shape(*this, value.shape());
    store(*this, value.to_strings());
    return;
  }
  text(dtype_name(value.dtype()));
  if (kind == Kind::number) {
    bytes(value.impl()->scalar);
    return;
  }
  put_shape(*this, value.shape());
  bytes({static_cast<const std::byte*>(value.host_data()), value.bytes()});
}

void ElementReader::throw_damaged() { fail(); }

std::span<const std::byte> ElementReader::bytes(size_t count, size_t size) {
  if (count > left_.size() / size) fail();
  const std::span<const std::byte> taken = left_.first(count * size);
  left_ = left_.subspan(count * size);
  return taken;
}

int64_t ElementReader::number() {
  int64_t value = 0;
  restore(*this, value);
  return value;
}

size_t ElementReader::count() {
  const int64_t value = number();
  if (value < 0 || static_cast<size_t>(value) > left_.size()) fail();
  return static_cast<size_t>(value);
}

std::string ElementReader::text() {
  const std::span<const std::byte> taken = bytes(count());
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

Tensor ElementReader::tensor() {
  switch (take_kind(*this)) {
    case Kind::none:
      return {};
    case Kind::array:
      return take_array(*this);
    case Kind::strings:
      return take_strings(*this);
    case Kind::number:
      return take_number(*this);
    default:
      fail();
  }
}

void ElementReader::finish() const {
  if (!left_.empty()) fail();
}

void store(ElementWriter& to, const std::string& value) { to.text(value); }
void restore(ElementReader& from, std::string& value) { value = from.text(); }
void store(ElementWriter& to, const Tensor& value) { to.tensor(value); }
void restore(ElementReader& from, Tensor& value) { value = from.tensor(); }

void store(ElementWriter& to, const Nest& value) {
  if (value.is_tensor()) {
    put_kind(to, Kind::array);
    to.tensor(value.tensor());
  } else if (value.is_list()) {
    put_kind(to, Kind::list);
    store(to, value.list());
  } else {
    put_kind(to, Kind::dict);
    store(to, value.entries());
  }
}

void restore(ElementReader& from, Nest& value) {
  const Kind kind = take_kind(from);
  Nest::List list;
  Nest::Dict entries;
  switch (kind) {
    case Kind::array:
      value = from.tensor();
      break;
    case Kind::list:
      from.inside([&] { restore(from, list); });
      value = Nest(std::move(list));
      break;
    case Kind::dict:
      from.inside([&] { restore(from, entries); });
      value = Nest::dict(std::move(entries));
      break;
    default:
      fail();
  }
}

void store(ElementWriter& to, const cornu::Batch& value) {
  for (const Nest* part : {&value.x, &value.y, &value.sample_weight}) store(to, *part);
}

void restore(ElementReader& from, cornu::Batch& value) {
  for (Nest* part : {&value.x, &value.y, &value.sample_weight}) restore(from, *part);
}

void store(ElementWriter& to, const Sample& value) {
  for_each_tensor(value, [&](const char*, const Tensor& tensor) { to.tensor(tensor); });
  to.number(static_cast<int64_t>(value.more.size()));
  for (const auto& [name, attached] : value.more) {
    to.text(name);
    to.number(static_cast<int64_t>(attached.follow));
    to.tensor(attached.value);
  }
  to.text(value.box_format);
  to.text(value.source);
}

void restore(ElementReader& from, Sample& value) {
  for_each_tensor(value, [&](const char*, Tensor& tensor) { tensor = from.tensor(); });
  for (size_t left = from.count(); left > 0; --left) {
    const std::string name = from.text();
    const int64_t follow = from.number();
    if (follow < 0 || follow > static_cast<int64_t>(Follow::points)) fail();
    value.more[name] = {from.tensor(), static_cast<Follow>(follow)};
  }
  value.box_format = from.text();
  value.source = from.text();
}

}  // namespace cornu::data
