// What a recorded function computes, as a graph of kernels: the form in which passes improve it
// before it is run.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "../../dispatch/variable.h"
#include "../../tensor/recorder.h"

namespace cornu::plan {

/// Where a value comes from.
enum class Source : uint8_t {
  computed,  ///< a step
  argument,  ///< the function's argument number `index`
  variable,  ///< variable number `index`, as it is when the function begins
  constant,  ///< constant number `index`
};

/// Values have no shape: a step says under which shape it sees one, since reshaping costs nothing.
struct Value {
  DType dtype = DType::float32;      ///< of the elements
  int64_t numel = 0;                 ///< elements
  Source source = Source::computed;  ///< where it comes from
  int index = 0;                     ///< see Source

  size_t bytes() const { return static_cast<size_t>(numel) * size_of(dtype); }  ///< of memory
};

/// A value under a shape.
struct Use {
  int value = -1;  ///< its number in Graph::values
  Shape shape;     ///< of the same number of elements
  friend bool operator==(const Use&, const Use&) = default;
};

/// A kernel, or work of the host.
struct Step {
  /// Empty for work of the host.
  std::optional<backend::Kernel> kernel;
  HostFunction host;         ///< empty for a kernel
  std::string text;          ///< of `host`: what it does, if that is known
  std::vector<Use> inputs;   ///< operands in the kernel's order
  std::vector<Use> outputs;  ///< each written by this step alone
  /// The layer that asked for it: "model/dense"; its gradient adds " (gradient)".
  std::string where;
  /// In how many recomputations, one inside the other, it is computed once more to save memory; see
  /// remat.
  int again = 0;
  /// Depends on variables only that the function does not change: done in a plan's first run, and
  /// again when one of them has changed. These steps come first.
  bool prologue = false;

  const char* name() const {
    return kernel ? backend::kernel_name(*kernel) : "host";
  }  ///< for texts
};

/// At the end, `variable` gets `value`.
struct Assignment {
  int variable;  ///< its number in Graph::variables
  int value;     ///< its number in Graph::values
};

/// A recorded function: steps over numbered values.
struct Graph {
  /// Where it is computed.
  backend::Backend* device = &backend::cpu_backend();
  std::vector<Value> values;  ///< named by their numbers
  /// In an order in which they can run.
  std::vector<Step> steps;
  std::vector<Variable> variables;      ///< read or assigned
  std::vector<Tensor> constants;        ///< tensors from outside of the function, and numbers
  std::vector<Assignment> assignments;  ///< each variable at most once
  std::vector<Use> outputs;             ///< of the function

  /// Adds a value and returns its number.
  int add_value(DType dtype, int64_t numel, Source source = Source::computed, int index = 0);
  /// Adds a constant and the value that it is; returns the value's number.
  int add_constant(const Tensor& tensor);
  /// Constant number `index` on the graph's device; numbers of the program are made in the host's
  /// memory.
  Tensor constant(int index) const;
  /// For each value, the number of the step that computes it, or -1.
  std::vector<int> producers() const;
  /// For each value, how many inputs of steps, outputs and assignments read it.
  std::vector<int> use_counts() const;
  /// One line a step.
  std::string str() const;
};

/// Whether two recordings do the same; if not, `difference` says where the first difference is.
bool same(const Graph& a, const Graph& b, std::string& difference);

}  // namespace cornu::plan
