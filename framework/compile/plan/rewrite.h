// What several passes need: programs put together, and values put in place of others.
#pragma once
#include "graph.h"

namespace cornu::plan {

/// Appends `program` to `builder` on these inputs, and returns its outputs.
std::vector<backend::Expr> append_program(backend::ProgramBuilder& builder,
                                          const backend::Program& program,
                                          const std::vector<backend::Expr>& inputs);

/// The program and the dtype of a step that is (or begins with) an elementwise program; null for
/// others.
const backend::ProgramRef* program_of(const Step& step);
/// The type in which that program computes.
DType compute_of(const Step& step);
/// Replaces that program.
void set_program(Step& step, backend::ProgramRef program);
/// Leaves out the operands of a step's program that it does not read.
void drop_unread(Step& step);
/// The shape over which a step's program runs.
const Shape& iteration_shape(const Step& step);

/// Collects values that are equal to others, and puts those in their place.
class Aliases {
 public:
  /// At first each value is itself.
  explicit Aliases(const Graph& graph);
  /// readers of `value` are to read `same`
  void set(int value, int same) { target_[static_cast<size_t>(value)] = same; }
  /// What to read in place of a value, through chains of aliases.
  int operator()(int value) const;
  /// Rewrites all uses in steps, outputs and assignments.
  void apply(Graph& graph) const;

 private:
  std::vector<int> target_;
};

/// Which step makes each value and how many read it, for a pass that puts neighbors together. Steps
/// that go stay as empty ones until the pass ends: they are named by their numbers.
class StepLinks {
 public:
  /// As the graph is now.
  explicit StepLinks(Graph& graph);
  /// The number of the step that makes a value, or -1.
  int producer(int value) const { return producers_[static_cast<size_t>(value)]; }
  /// How many inputs of steps, outputs and assignments read a value.
  int readers(int value) const { return counts_[static_cast<size_t>(value)]; }
  /// The step that made what only this use reads, under the same shape; null if there is none.
  Step* source(const Use& use) const;
  /// `from` gives what `step` gave, which is no more.
  void replace(Step& step, Step& from);

 private:
  Graph& graph_;
  std::vector<int> producers_, counts_;
};

/// The only element of a constant as a double; empty when it has more, or does not fit a double.
std::optional<double> number_of(const Graph& graph, int value);

/// For each value, whether it depends on nothing but constants and variables that the function does
/// not assign to.
std::vector<char> stable_values(const Graph& graph);

/// Whether the step is a program that gives an array the values of another of the same shape.
bool is_cast(const Step& step);

/// Whether the program is select(y > 0, dy, 0) of its inputs with these numbers: the derivative of
/// a relu whose result was y.
bool is_relu_gradient(const backend::Program& program, int y, int dy);

/// Whether the step sums its only operand, as it is, over all axes but that of the channels, which
/// may lie in blocks of `block` (0: last axis). `scale` is not looked at.
bool sums_pixels(const Step& step, int64_t block = 0);

/// Puts each step that is there behind the step of the same number.
void insert_behind(Graph& graph, std::vector<std::optional<Step>> steps);

/// Whether `operand` is a vector along the channels of `y`, which lie in blocks of `block` (0: last
/// axis): the same memory as one of shape (channels).
bool along_channels(const Shape& operand, const Shape& y, int64_t block, int64_t channels);

}  // namespace cornu::plan
