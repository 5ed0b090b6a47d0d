// Helpers of string tensors: making tables, and printing.
#pragma once
#include <string_view>
#include <unordered_map>

#include "tensor.h"

namespace cornu::detail {

/// Collects distinct strings and numbers them.
class StringCollector {
 public:
  /// The number of this string in the table.
  int32_t add(std::string_view text);
  /// Ends the collection.
  StringTable table();

 private:
  std::shared_ptr<std::vector<std::string>> strings_ = std::make_shared<std::vector<std::string>>();
  std::unordered_map<std::string, int32_t> numbers_;
};

/// One table for eager string tensors, and the indices of each into it. When they share a table
/// already, it is that one and `indices` stays empty: the tensors' own data fit.
StringTable merge_tables(std::span<const Tensor> tensors,
                         std::vector<std::vector<int32_t>>& indices);

/// `["a", "b", ...]>`: how a tensor's text ends.
std::string quoted_strings(const Tensor& tensor);

}  // namespace cornu::detail
