// How preprocessing layers give categories: as numbers, or encoded over all of them.
#pragma once
#include <string>

#include "../layer_options.h"

namespace cornu::layers {

/// Class numbers as they are ("int"), or encoded over `depth` classes: "one_hot" (a last axis of
/// size 1 goes), "multi_hot" (which occur in a sample) or "count" (how often, each occurrence
/// counted by `weights` if given).
Tensor encode_categories(const Tensor& x, const std::string& output_mode, int64_t depth,
                         DType dtype, const Tensor& weights = {});
/// Nested lists of numbers or texts as one tensor.
Tensor stacked(const Nest& inputs);
/// Throws ValueError, with a did-you-mean, unless `value` is one of `known`.
void check_one_of(const char* option, const std::string& value,
                  std::initializer_list<const char*> known);
/// Throws ValueError unless the option is one of `modes`, UnsupportedError for sparse results.
void check_output_mode(const std::string& output_mode, std::initializer_list<const char*> modes,
                       bool sparse);

}  // namespace cornu::layers
