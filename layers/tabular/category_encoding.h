// CategoryEncoding: class numbers as vectors over all classes.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of CategoryEncoding.
struct CategoryEncodingConfig {
  Required<int64_t> num_tokens;           ///< number of classes
  std::string output_mode = "multi_hot";  ///< "multi_hot", "one_hot" or "count"
  bool sparse = false;                    ///< must be false: there are no sparse tensors
  CORNU_LAYER_OPTIONS;
};

/// What a CategoryEncoding is told besides its input.
struct CategoryEncodingCall {
  Tensor count_weights = {};          ///< of the numbers' shape: what each of them counts
  std::optional<bool> training = {};  ///< see Call
  Tensor mask = {};                   ///< see Call
  Value::Dict extra = {};             ///< further arguments by name

  operator Call() const;  ///< with the weights by name, where there are any
};

/// Class numbers encoded over num_tokens classes: "one_hot", "multi_hot" or "count". For "count"
/// the call takes `count_weights`, of the shape of the numbers. Throws ValueError for an unknown
/// output_mode, and for weights with another mode than "count".
class CategoryEncodingLayer : public LayerOf<CategoryEncodingLayer, CategoryEncodingConfig> {
 public:
  using CallOptions = CategoryEncodingCall;  ///< what a call may be told
  /// Takes "binary" for "multi_hot". Throws ValueError for an unknown output_mode or num_tokens
  /// that is not positive, UnsupportedError with `sparse`.
  explicit CategoryEncodingLayer(CategoryEncodingConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  std::optional<std::vector<std::string>> argument_names() const override {
    return std::vector<std::string>{"count_weights"};
  }
  std::vector<std::string> positional_arguments() const override { return {"count_weights"}; }
};

/// A shared CategoryEncodingLayer, made from its options.
using CategoryEncoding = Ref<CategoryEncodingLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::CategoryEncodingLayer, layers::CategoryEncodingConfig>;
}
