// Taking the tensors out of a value, and putting them back.
#include "state_file.h"

#include <fmt/core.h>

#include <cstring>

#include "../io/archive.h"
#include "json.h"

namespace cornu {
namespace {

constexpr const char* text_member = "state.json";

std::string member_of(size_t index) { return fmt::format("tensors/{}", index); }

// The value with {"tensor": i, "dtype": ..., "shape": ...} in the place of tensors[i].
Value without_tensors(const Value& value, std::vector<Tensor>& tensors) {
  if (value.is<Tensor>()) {
    const Tensor& t = value.get<Tensor>();
    if (!t) return {};
    Value::Dict place = {{"tensor", tensors.size()}, {"dtype", t.dtype()}, {"shape", t.shape()}};
    tensors.push_back(t);
    return place;
  }
  if (value.is<Value::List>()) {
    Value::List list;
    for (const Value& v : value.get<Value::List>()) list.push_back(without_tensors(v, tensors));
    return list;
  }
  if (value.is<Value::Dict>()) {
    Value::Dict dict;
    for (const auto& [key, v] : value.get<Value::Dict>())
      dict.emplace_back(key, without_tensors(v, tensors));
    return dict;
  }
  return value;
}

// The reverse, reading each tensor where it stands.
class Reader {
 public:
  Reader(io::ArchiveReader& archive, std::string source)
      : archive_(archive), source_(std::move(source)) {}

  Value operator()(const Value& value) {
    if (value.is<Value::List>()) {
      Value::List list;
      for (const Value& v : value.get<Value::List>()) list.push_back((*this)(v));
      return list;
    }
    if (!value.is<Value::Dict>()) return value;
    const Value::Dict& dict = value.get<Value::Dict>();
    if (dict.size() == 3 && dict[0].first == "tensor" && dict[1].first == "dtype" &&
        dict[2].first == "shape")
      return tensor(dict);
    Value::Dict result;
    for (const auto& [key, v] : dict) result.emplace_back(key, (*this)(v));
    return result;
  }

 private:
  Tensor tensor(const Value::Dict& place) {
    if (!place[0].second.is<int64_t>() || !place[1].second.is<std::string>() ||
        !place[2].second.is<Value::List>())
      damaged();
    Shape shape;
    for (const Value& size : place[2].second.get<Value::List>()) {
      if (!size.is<int64_t>() || size.get<int64_t>() < 0 || shape.rank() == Shape::max_rank)
        damaged();
      shape.push_back(size.get<int64_t>());
    }
    const DType dtype = dtype_of(place[1].second.get<std::string>());
    const std::string member = member_of(static_cast<size_t>(place[0].second.get<int64_t>()));
    const io::Bytes bytes = archive_.map(member);
    // Found by a division, as a forged shape may have more elements than an integer can count.
    uint64_t left = bytes.span().size();
    for (int64_t size : shape) {
      if (size == 0) left = 0;
      if (size == 0) break;
      if (left % static_cast<uint64_t>(size)) damaged();
      left /= static_cast<uint64_t>(size);
    }
    if (shape.numel() != 0 && left != size_of(dtype)) damaged();
    return Tensor::copy_of(bytes.span().data(), shape, dtype);
  }
  [[noreturn]] void damaged() const {
    throw FileError(fmt::format("'{}' is damaged: a tensor is not what its entry says.", source_));
  }

  io::ArchiveReader& archive_;
  std::string source_;
};

}  // namespace

void write_state(const std::filesystem::path& path, const Value& state) {
  std::vector<Tensor> tensors;
  const std::string text = cornu::to_json(without_tensors(state, tensors));
  io::ArchiveWriter archive(path);
  archive.add_text(text_member, text);
  for (size_t i = 0; i < tensors.size(); ++i)
    archive.add_stream(member_of(i), tensors[i].bytes(),
                       [&t = tensors[i]](uint64_t offset, std::span<std::byte> out) {
                         std::memcpy(out.data(), static_cast<const std::byte*>(t.read()) + offset,
                                     out.size());
                       });
  archive.finish();
}

Value read_state(const std::filesystem::path& path) {
  io::ArchiveReader archive(path);
  const std::vector<std::byte> text = archive.read(text_member);
  const Value value =
      cornu::parse_json(std::string(reinterpret_cast<const char*>(text.data()), text.size()),
                        path.string(), cornu::NonNumbers::allow);
  try {
    return Reader(archive, path.string())(value);
  } catch (const ValueError& e) {
    throw FileError(fmt::format("'{}' is damaged: {}", path.string(), e.what()));
  }
}

}  // namespace cornu
