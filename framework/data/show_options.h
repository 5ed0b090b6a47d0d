// ShowOptions: how samples are drawn.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cornu::data {

/// How samples are drawn.
struct ShowOptions {
  int64_t columns = 0;  ///< of the grid; 0: about as many as rows
  int64_t size = 224;   ///< pixels of the longer side that an image has in the grid, at least 16
  std::vector<std::string> classes = {};  ///< names of labels, from class 0 on
};

}  // namespace cornu::data
