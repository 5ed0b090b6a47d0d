// Where a plan's values lie: in one arena whose parts are used again, or in memory that others own.
#pragma once
#include "graph.h"

namespace cornu::plan {

/// What holds a value.
enum class Home : uint8_t {
  none,      ///< nothing reads or writes it
  arena,     ///< the plan's arena, at `offset`
  prologue,  ///< memory that exists only while the steps that are done once run, at `offset`
  argument,  ///< argument number `index`
  variable,  ///< the memory of variable number `index`
  constant,  ///< constant number `index`
  output,    ///< a tensor that is made for each run: output number `index`
};

/// Where one value is stored.
struct Placement {
  Home home = Home::none;  ///< what holds it
  int index = 0;           ///< see Home
  size_t offset = 0;       ///< bytes from the start of the arena or of the prologue's memory
};

/// The places of all values of a graph.
struct MemoryPlan {
  std::vector<Placement> places;  ///< by value
  size_t arena_bytes = 0;         ///< size of the arena
  size_t once_bytes = 0;          ///< size of the memory that only the prologue uses
  size_t unplanned_bytes = 0;     ///< what the arena's values would take side by side
  /// Assignments that need a copy at the end, because the value could not be computed in the
  /// variable's memory.
  std::vector<Assignment> copies;
  /// Assignments of what is no step's result: an argument, a constant or another variable.
  std::vector<Assignment> shared;
  /// By output: the argument in whose memory the step that makes it could work, or -1.
  std::vector<int> takes_over;
  /// By variable: whether a step writes into its memory.
  std::vector<char> written;
};

/// Finds places so that no value is overwritten while somebody still reads it. Results of
/// elementwise programs go over operands that are read for the last time. `kept` has a bit for each
/// input of each step whose values the step's kernel keeps from the time when the steps that are
/// done once run.
MemoryPlan plan_memory(const Graph& graph, const std::vector<uint32_t>& kept);

}  // namespace cornu::plan
