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
  DType dtype = DType::float32;
  int64_t numel = 0;
  Source source = Source::computed;
  int index = 0;

  size_t bytes() const { return static_cast<size_t>(numel) * size_of(dtype); }
};

/// A value under a shape.
struct Use {
  int value = -1;
  Shape shape;
  friend bool operator==(const Use&, const Use&) = default;
};

/// A kernel, or work of the host.
struct Step {
  std::optional<backend::Kernel> kernel;
  HostFunction host;
  std::string text;  ///< of `host`: what it does, if that is known
  std::vector<Use> inputs;
  std::vector<Use> outputs;
  /// The layer that asked for it: "model/dense"; its gradient adds " (gradient)".
  std::string where;
  /// Computed a second time on purpose, to save memory; see remat.
  bool again = false;
  /// Depends on variables only that the function does not change: done in a plan's first run, and
  /// again when one of them has changed. These steps come first.
  bool once = false;

  const char* name() const { return kernel ? backend::kernel_name(*kernel) : "host"; }
};

/// At the end, `variable` gets `value`.
struct Assignment {
  int variable;
  int value;
};

struct Graph {
  /// Where it is computed.
  backend::Backend* device = &backend::cpu_backend();
  std::vector<Value> values;
  /// In an order in which they can run.
  std::vector<Step> steps;
  std::vector<Variable> variables;
  std::vector<Tensor> constants;
  std::vector<Assignment> assignments;
  std::vector<Use> outputs;

  int add_value(DType dtype, int64_t numel, Source source = Source::computed, int index = 0);
  int add_constant(const Tensor& tensor);
  /// Constant number `index` on the graph's device; numbers of the program are made in the host's memory.
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
