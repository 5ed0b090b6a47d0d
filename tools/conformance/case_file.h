// Reads files of recorded cases (HDF5): a case is a group "Class/id" with a JSON text and arrays.
#pragma once
#include <cornu/framework/dispatch/value.h>
#include <cornu/framework/io/h5_file.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace cornu::conformance {

class CaseFile {
 public:
  explicit CaseFile(const std::filesystem::path& path);

  /// "Dense/test_dense_basics.0", ..., in order.
  std::vector<std::string> names() const;
  /// The case's JSON.
  Value spec(const std::string& name) const;

  bool has(const std::string& name, const std::string& dataset) const;
  /// A tensor, of strings for text. Throws UnsupportedError for types that tensors cannot have.
  Value value(const std::string& name, const std::string& dataset) const;
  /// The same where it must be a tensor.
  Tensor tensor(const std::string& name, const std::string& dataset) const;
  /// The datasets of a group, such as "in", by number.
  std::map<int, Value> numbered(const std::string& name, const std::string& group) const;
  /// How many datasets a group has.
  int count(const std::string& name, const std::string& group) const;

 private:
  io::H5Reader file_;
};

}  // namespace cornu::conformance
