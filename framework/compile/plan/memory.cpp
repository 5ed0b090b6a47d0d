// Lifetimes, work in place, and the packing of the arena.
#include "memory.h"

#include <algorithm>
#include <limits>

namespace cornu::plan {
namespace {

constexpr int never = -1;

// A cache line on the host. Other devices' allocators give 256 bytes, which their libraries count
// on: cuDNN aligns what a recurrent layer keeps by its address.
size_t alignment_of(const Graph& graph) { return graph.device->on_host() ? 64 : 256; }

// A piece of the arena and the steps during which it is taken.
struct Buffer {
  size_t bytes;
  int first, last;
  size_t offset = 0;
};

class Planner {
 public:
  Planner(const Graph& graph, const std::vector<uint32_t>& kept)
      : graph_(graph),
        kept_(kept),
        alignment_(alignment_of(graph)),
        last_(graph.values.size(), never),
        buffer_(graph.values.size(), never) {
    plan_.places.resize(graph.values.size());
    plan_.written.resize(graph.variables.size(), 0);
    producers_ = graph.producers();
  }

  MemoryPlan run() {
    // The order matters: each phase takes only values that the phases before have left without a
    // place. Variables go first because writing in place saves a copy per step of training.
    find_last_uses();
    place_sources();
    place_assignments();
    place_outputs();
    place_temporaries();
    plan_.arena_bytes = pack(buffers_);
    plan_.once_bytes = pack(once_buffers_);
    set_offsets();
    return std::move(plan_);
  }

 private:
  // A value without elements gets a place too, so that no operand's address is null.
  size_t padded(size_t bytes) const {
    return std::max<size_t>((bytes + alignment_ - 1) / alignment_ * alignment_, alignment_);
  }
  Placement& place(int value) { return plan_.places[static_cast<size_t>(value)]; }
  int& last(int value) { return last_[static_cast<size_t>(value)]; }
  const Value& value(int number) const { return graph_.values[static_cast<size_t>(number)]; }

  void find_last_uses() {
    const int end = static_cast<int>(graph_.steps.size());
    lasting_.assign(graph_.values.size(), 0);
    for (int i = 0; i < end; ++i) {
      const Step& step = graph_.steps[static_cast<size_t>(i)];
      for (size_t k = 0; k < step.inputs.size(); ++k) {
        // Steps run in order, so the last assignment is the last reader.
        const int v = step.inputs[k].value;
        last(v) = i;
        // Read in every run, unless by a step that is itself done once, or from a copy.
        if (!step.prologue && !(k < 32 && (kept_[static_cast<size_t>(i)] >> k & 1)))
          lasting_[static_cast<size_t>(v)] = 1;
      }
    }
    // What is handed out at the end must not be overwritten before.
    for (const Use& use : graph_.outputs) last(use.value) = end;
    for (const Assignment& a : graph_.assignments)
      // A computed value that is assigned is handled by place_assignments, which knows whether it
      // is already in the variable's memory.
      if (value(a.value).source != Source::computed) last(a.value) = end;
    initial_.assign(graph_.variables.size(), never);
    for (size_t v = 0; v < graph_.values.size(); ++v)
      if (graph_.values[v].source == Source::variable && graph_.values[v].index >= 0)
        initial_[static_cast<size_t>(graph_.values[v].index)] = static_cast<int>(v);
  }

  void place_sources() {
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      const Value& source = graph_.values[v];
      if (source.source == Source::argument) plan_.places[v] = {Home::argument, source.index, 0};
      if (source.source == Source::variable) plan_.places[v] = {Home::variable, source.index, 0};
      if (source.source == Source::constant) plan_.places[v] = {Home::constant, source.index, 0};
    }
  }

  // Whether step `number` may write its output over `input`: element by element, and nobody reads
  // the latter after.
  bool may_overwrite(int number, const Use& output, int input) {
    // Nobody reads the input any more: any kernel may write there.
    if (last(input) < number) return true;
    // Still needed afterwards. In between only the kernel itself reads it, which must then be one
    // that reads an element before it writes the same one.
    if (last(input) > number) return false;
    const Step& step = graph_.steps[static_cast<size_t>(number)];
    // Elements of another size would be overwritten before they are read.
    if (!step.kernel || value(input).dtype != value(output.value).dtype) return false;
    if (const auto* normalize = std::get_if<backend::Normalize>(&*step.kernel))
      return output.value == step.outputs[0].value && overwrites(*normalize, step, output, input);
    if (const auto* pool = std::get_if<backend::Pool>(&*step.kernel))
      return overwrites(*pool, step, output, input);
    size_t sets = 1;
    if (const auto* fused = std::get_if<backend::MultiTensorFused>(&*step.kernel))
      sets = static_cast<size_t>(fused->sets);
    else if (!std::holds_alternative<backend::Fused>(*step.kernel))
      return false;
    // The set that the output belongs to; the others run before or after.
    size_t own = 0;
    while (step.outputs[own].value != output.value) ++own;
    own /= step.outputs.size() / sets;
    for (size_t i = 0; i < step.inputs.size(); ++i)
      if (const Use& use = step.inputs[i];
          use.value == input &&
          // A broadcast operand is read again for later elements, so it cannot be written over.
          (use.shape != output.shape || i / (step.inputs.size() / sets) != own))
        return false;
    return true;
  }

  // y goes over x, and dx over dy or x, unless that is another operand too.
  static bool overwrites(const backend::Normalize& normalize, const Step& step, const Use& output,
                         int input) {
    bool streamed = false;
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      if (step.inputs[i].value != input) continue;
      if (streamed || step.inputs[i].shape != output.shape || (i != 0 && i != 3)) return false;
      streamed = i == 0 || normalize.backward;
    }
    return streamed;
  }

  // dx goes over x, unless that is another operand too, where windows do not overlap.
  static bool overwrites(const backend::Pool& pool, const Step& step, const Use& output,
                         int input) {
    return pool.backward && !pool.windows_overlap() && step.inputs[0].value == input &&
           step.inputs[0].shape == output.shape && step.inputs[1].value != input &&
           step.inputs[2].value != input;
  }

  const Use& definition(int number) const {
    for (const Use& use :
         graph_.steps[static_cast<size_t>(producers_[static_cast<size_t>(number)])].outputs)
      if (use.value == number) return use;
    return graph_.outputs.front();  // not reached: every computed value is some step's output
  }

  void place_assignments() {
    std::vector<char> kept(graph_.values.size(),
                           0);  // values that must be somewhere else than in a variable
    for (const Use& use : graph_.outputs) kept[static_cast<size_t>(use.value)] = 1;
    for (const Assignment& a : graph_.assignments) {
      if (value(a.value).source != Source::computed) {
        plan_.shared.push_back(a);
        continue;
      }
      const int before = initial_[static_cast<size_t>(a.variable)];
      const bool in_place =
          // A function's output may not be in a variable's memory: the caller would see it change
          // in the next run.
          kept[static_cast<size_t>(a.value)] == 0 &&
          (before == never ||
           may_overwrite(producers_[static_cast<size_t>(a.value)], definition(a.value), before));
      plan_.written[static_cast<size_t>(a.variable)] = 1;
      if (in_place) {
        place(a.value) = {Home::variable, a.variable, 0};
        // Two variables that get one value: only the first may have it in its memory.
        kept[static_cast<size_t>(a.value)] = 1;
      } else {
        // Copied after the last step, so the value has to live until then.
        last(a.value) = static_cast<int>(graph_.steps.size());
        plan_.copies.push_back(a);
      }
    }
  }

  void place_outputs() {
    for (size_t i = 0; i < graph_.outputs.size(); ++i)
      if (Placement& p = place(graph_.outputs[i].value); p.home == Home::none)
        p = {Home::output, static_cast<int>(i), 0};
    plan_.takes_over.assign(graph_.outputs.size(), never);
    std::vector<char> taken(graph_.values.size(), 0);
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const int output = graph_.outputs[i].value;
      if (place(output).home != Home::output || place(output).index != static_cast<int>(i))
        continue;
      const int input = updated_argument(output);
      if (input == never || taken[static_cast<size_t>(input)] != 0) continue;
      taken[static_cast<size_t>(input)] = 1;
      plan_.takes_over[i] = value(input).index;
    }
  }

  // The argument whose updated copy this value is, if nobody else reads the argument.
  int updated_argument(int output) {
    const int number = producers_[static_cast<size_t>(output)];
    if (number == never) return never;
    const Step& step = graph_.steps[static_cast<size_t>(number)];
    if (!step.kernel || !std::holds_alternative<backend::Scatter>(*step.kernel)) return never;
    const int input = step.inputs[0].value;
    const bool once = std::none_of(step.inputs.begin() + 1, step.inputs.end(),
                                   [&](const Use& use) { return use.value == input; });
    return value(input).source == Source::argument && once && last(input) == number &&
                   value(input).bytes() == value(output).bytes()
               ? input
               : never;
  }

  void place_temporaries() {
    for (int i = 0; i < static_cast<int>(graph_.steps.size()); ++i) {
      const Step& step = graph_.steps[static_cast<size_t>(i)];
      for (const Use& use : step.outputs) {
        // Placed in a variable or an output.
        if (place(use.value).home != Home::none) continue;
        if (step.prologue) {
          // Its result stays for all runs, or goes with the steps that are done once.
          const bool lasting = lasting_[static_cast<size_t>(use.value)] != 0;
          place(use.value).home = lasting ? Home::arena : Home::prologue;
          std::vector<Buffer>& list = lasting ? buffers_ : once_buffers_;
          buffer_[static_cast<size_t>(use.value)] = static_cast<int>(list.size());
          list.push_back({padded(value(use.value).bytes()), lasting ? 0 : i,
                          static_cast<int>(graph_.steps.size())});
          plan_.unplanned_bytes += padded(value(use.value).bytes());
          continue;
        }
        place(use.value).home = Home::arena;
        plan_.unplanned_bytes += padded(value(use.value).bytes());
        // A result that nobody reads still takes memory while its step runs.
        const int end = std::max(last(use.value), i);
        int& mine = buffer_[static_cast<size_t>(use.value)];
        for (const Use& input : step.inputs) {
          // Taking over an operand's buffer keeps the arena small and the value in the cache. Only
          // a buffer whose current value dies here qualifies, and sizes must agree, since a buffer
          // has one size.
          const int theirs = place(input.value).home == Home::arena
                                 ? buffer_[static_cast<size_t>(input.value)]
                                 : never;
          if (theirs == never || buffers_[static_cast<size_t>(theirs)].last != i ||
              value(input.value).bytes() != value(use.value).bytes() || last(input.value) != i ||
              !may_overwrite(i, use, input.value))
            continue;
          mine = theirs;
          buffers_[static_cast<size_t>(theirs)].last = end;
          break;
        }
        if (mine != never) continue;
        mine = static_cast<int>(buffers_.size());
        buffers_.push_back({padded(value(use.value).bytes()), i, end});
      }
    }
  }

  // Large buffers first, each at the lowest offset that is free during its life.
  static size_t pack(std::vector<Buffer>& buffers) {
    size_t total = 0;
    // Exact packing is NP-hard; first fit by falling size is the usual heuristic, and fast enough
    // to run for each recording.
    std::vector<Buffer*> order;
    for (Buffer& b : buffers) order.push_back(&b);
    // Stable, so that equal graphs get equal offsets on every machine.
    std::stable_sort(order.begin(), order.end(),
                     [](const Buffer* a, const Buffer* b) { return a->bytes > b->bytes; });
    std::vector<const Buffer*> placed, neighbors;
    for (Buffer* b : order) {
      neighbors.clear();
      for (const Buffer* other : placed)
        // Lives are closed intervals: a step's operands and results must not overlap.
        if (other->first <= b->last && b->first <= other->last) neighbors.push_back(other);
      std::sort(neighbors.begin(), neighbors.end(),
                [](const Buffer* x, const Buffer* y) { return x->offset < y->offset; });
      size_t offset = 0;
      for (const Buffer* other : neighbors) {
        if (other->offset >= offset + b->bytes) break;
        offset = std::max(offset, other->offset + other->bytes);
      }
      b->offset = offset;
      total = std::max(total, offset + b->bytes);
      placed.push_back(b);
    }
    return total;
  }

  void set_offsets() {
    for (size_t v = 0; v < buffer_.size(); ++v)
      if (buffer_[v] != never)
        plan_.places[v].offset =
            (plan_.places[v].home == Home::prologue ? once_buffers_
                                                    : buffers_)[static_cast<size_t>(buffer_[v])]
                .offset;
  }

  const Graph& graph_;
  const std::vector<uint32_t>& kept_;
  const size_t alignment_;
  MemoryPlan plan_;
  std::vector<int> producers_;
  std::vector<int> last_;     // by value: the last step that reads it
  std::vector<int> initial_;  // by variable: the value that stands for it at the beginning
  std::vector<int> buffer_;   // by value: its buffer
  std::vector<Buffer> buffers_, once_buffers_;
  std::vector<char> lasting_;  // by value: read in every run
};

}  // namespace

MemoryPlan plan_memory(const Graph& graph, const std::vector<uint32_t>& kept) {
  return Planner(graph, kept).run();
}

}  // namespace cornu::plan
