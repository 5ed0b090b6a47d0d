// Groups, attributes and arrays of recorded cases.
#include "case_file.h"

#include <cornu/framework/saving/json.h>
#include <hdf5.h>

namespace cornu::conformance {
namespace {

constexpr uint64_t largest_dataset = uint64_t{512} << 20;

// H5Reader tells shapes of numbers only.
Shape shape_of_strings(const std::filesystem::path& path, const std::string& dataset) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(data);
  hsize_t sizes[H5S_MAX_RANK] = {};
  const int rank = H5Sget_simple_extent_dims(space, sizes, nullptr);
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(file);
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(static_cast<int64_t>(sizes[i]));
  return shape;
}

// The texts as nested lists of this shape; `next` is the first that is not used yet.
Value nested(const std::vector<std::string>& texts, const Shape& shape, int axis, size_t& next) {
  if (axis == shape.rank()) return texts.at(next++);
  Value::List list;
  for (int64_t i = 0; i < shape[axis]; ++i) list.push_back(nested(texts, shape, axis + 1, next));
  return list;
}

}  // namespace

CaseFile::CaseFile(const std::filesystem::path& path) : path_(path), file_(path) {}

std::vector<std::string> CaseFile::names() const {
  std::vector<std::string> names;
  for (const std::string& subject : file_.children("")) {
    if (!file_.is_group(subject)) continue;
    for (const std::string& id : file_.children(subject)) names.push_back(subject + "/" + id);
  }
  return names;
}

Value CaseFile::spec(const std::string& name) const {
  return saving::parse_json(file_.string_attribute(name, "spec"), name);
}

bool CaseFile::has(const std::string& name, const std::string& dataset) const {
  return file_.exists(name + "/" + dataset);
}

Value CaseFile::value(const std::string& name, const std::string& dataset) const {
  const std::string path = name + "/" + dataset;
  const std::string marked =
      file_.has_attribute(path, "dtype") ? file_.string_attribute(path, "dtype") : "";
  if (marked == "string") {
    size_t next = 0;
    return nested(file_.read_strings(path), shape_of_strings(path_, path), 0, next);
  }
  if (marked.starts_with("float8"))
    throw UnsupportedError(dataset + ": tensors of " + marked + " are not supported.");
  const saving::H5Info info = file_.info(path);
  if (marked == "bool") {
    std::vector<uint8_t> bits(static_cast<size_t>(info.shape.numel()));
    file_.read(path, bits.data(), DType::boolean, info.shape);
    return Tensor::copy_of(bits.data(), info.shape, DType::boolean);
  }
  const std::vector<std::byte> bytes = file_.read(path, largest_dataset);
  return Tensor::copy_of(bytes.data(), info.shape,
                         marked == "bfloat16" ? DType::bfloat16 : info.dtype);
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
