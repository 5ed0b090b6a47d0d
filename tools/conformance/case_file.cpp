// Groups, attributes and arrays of recorded cases.
#include "case_file.h"

#include <cornu/framework/config/json.h>

namespace cornu::conformance {
namespace {

constexpr uint64_t largest_dataset = uint64_t{512} << 20;

}  // namespace

CaseFile::CaseFile(const std::filesystem::path& path) : file_(path) {}

std::vector<std::string> CaseFile::names() const {
  std::vector<std::string> names;
  for (const std::string& subject : file_.children("")) {
    if (!file_.is_group(subject)) continue;
    for (const std::string& id : file_.children(subject)) names.push_back(subject + "/" + id);
  }
  return names;
}

Value CaseFile::spec(const std::string& name) const {
  return cornu::parse_json(file_.string_attribute(name, "spec"), name);
}

bool CaseFile::has(const std::string& name, const std::string& dataset) const {
  return file_.exists(name + "/" + dataset);
}

Value CaseFile::value(const std::string& name, const std::string& dataset) const {
  const std::string path = name + "/" + dataset;
  const std::string marked =
      file_.has_attribute(path, "dtype") ? file_.string_attribute(path, "dtype") : "";
  if (marked == "string")
    return Tensor::strings(file_.read_strings(path), file_.string_shape(path).value());
  const io::H5Info info = file_.info(path);
  if (marked == "bool") {
    std::vector<uint8_t> bits(static_cast<size_t>(info.shape.numel()));
    file_.read(path, bits.data(), DType::boolean, info.shape);
    return Tensor::copy_of(bits.data(), info.shape, DType::boolean);
  }
  const std::vector<std::byte> bytes = file_.read(path, largest_dataset);
  return Tensor::copy_of(bytes.data(), info.shape, marked.empty() ? info.dtype : dtype_of(marked));
}

Tensor CaseFile::tensor(const std::string& name, const std::string& dataset) const {
  const Value found = value(name, dataset);
  if (!found.is<Tensor>()) throw UnsupportedError(dataset + ": tensors of text are not supported.");
  return found.get<Tensor>();
}

std::map<int, Value> CaseFile::numbered(const std::string& name, const std::string& group) const {
  std::map<int, Value> found;
  if (!has(name, group)) return found;
  for (const std::string& number : file_.children(name + "/" + group))
    found.emplace(std::stoi(number), value(name, group + "/" + number));
  return found;
}

int CaseFile::count(const std::string& name, const std::string& group) const {
  return has(name, group) ? static_cast<int>(file_.children(name + "/" + group).size()) : 0;
}

}  // namespace cornu::conformance
