// Graphs of cuDNN operations and the plans that run them, behind types that need no vendor's
// header.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../dtype.h"
#include "library_layouts.h"

namespace cornu::backend::cuda::cudnn {

enum class ConvolutionPass { forward, backward_data, backward_weights };

enum class Pointwise {
  add,
  subtract,
  multiply,
  divide,
  exp,
  log,
  relu,
  identity,
  greater_equal,
  select,
  index
};

/// What plans are made for: a device that is there, or one that is only described, so that all but
/// the running can be checked where there is none.
class Target {
 public:
  /// The current CUDA device, whose work goes to `stream` (a CUstream). Throws StateError with
  /// cuDNN's reason when it cannot be used.
  static Target current_device(void* stream);
  /// A device described as cuDNN writes it (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION). Throws
  /// UnsupportedError when this cuDNN cannot (older than 9.8) or the text is none.
  static Target described(const std::string& json);

  /// cuDNN's handle (a cudnnHandle_t) for what is no graph; null for a device that is described.
  void* handle() const;

  struct State;
  const State& state() const { return *state_; }

 private:
  friend class Graph;
  explicit Target(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// What an engine has to keep to.
struct Wishes {
  bool tensor_cores = true;   ///< these round float32 operands to TF32, 10 bits of mantissa
  bool deterministic = true;  ///< engines whose sums may differ between runs are left out
  size_t workspace = size_t{256} << 20;
};

/// An engine made ready for a graph. One call at a time.
class Plan {
 public:
  ~Plan();
  Plan(Plan&&) noexcept;
  /// Bytes that a run needs besides the operands.
  size_t workspace() const;
  /// "engine 12, tensor cores": its number in cuDNN, and what cuDNN notes about its numbers.
  const std::string& engine() const;
  /// Operands by the numbers that Graph::tensor gave; addresses of numbers are the host's. Throws
  /// StateError when cuDNN fails. Only for plans of a device that is there.
  void run(std::span<const int64_t> tensors, std::span<void* const> data, void* workspace) const;

 private:
  friend class Graph;
  struct State;
  explicit Plan(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Operations on tensors. All functions throw UnsupportedError when there is no cuDNN; what cuDNN
/// refuses makes `plan` give none.
class Graph {
 public:
  Graph();
  ~Graph();

  enum class Kind {
    operand,  ///< in the device's memory
    inner,    ///< of the graph alone
    number,   ///< a single value that runs take from the host's memory
  };
  /// Adds a tensor and gives its number.
  int64_t tensor(const Layout& layout, DType dtype, Kind kind = Kind::operand);

  /// The dtype `compute` is that of sums. x, kernel and y are (n, c, spatial...), (co, c / groups,
  /// spatial...) and (n, co, spatial...); what is computed of them is the pass's choice.
  void convolution(ConvolutionPass pass, int64_t x, int64_t kernel, int64_t y,
                   const ConvolutionGeometry& geometry, DType compute);
  /// c (..., m, n) = a (..., m, k) x b (..., k, n). In attention each matrix of b may serve several
  /// neighboring ones of a: (batch, heads, m, k) and (batch, kv_heads, k, n).
  void matmul(int64_t a, int64_t b, int64_t c);
  /// `select` takes (if true, if false, condition); `index` numbers the elements along `axis`.
  void pointwise(Pointwise op, std::initializer_list<int64_t> inputs, int64_t output, int axis = 0);
  /// The same elements by another tensor's sizes and strides: a transpose, for one.
  void reshape(int64_t input, int64_t output);
  /// Sum, or maximum, over the axes that have size 1 in the output; in attention also over the
  /// heads of each group, where the output has one for each.
  void reduce(bool maximum, int64_t input, int64_t output);

  /// The first engines that take the graph and keep to the wishes, at most so many: those that the
  /// heuristics A name, or else B, or the fallback, or any. None when no engine does; `why` then
  /// tells what the first of them said.
  std::vector<std::unique_ptr<Plan>> plans(const Target& target, const Wishes& wishes, size_t most,
                                           std::string* why = nullptr);
  /// The first of them, or null.
  std::unique_ptr<Plan> plan(const Target& target, const Wishes& wishes,
                             std::string* why = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// "9.19.0", and where the library was found; "" and the reason in `why` when there is none.
std::string version(std::string* why = nullptr);

}  // namespace cornu::backend::cuda::cudnn
