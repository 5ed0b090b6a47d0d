// Preparing and running plans.
#include "plan.h"

#include <algorithm>
#include <chrono>

#include "../../../backend/denormals.h"
#include "../../../backend/step_order.h"
#include "rewrite.h"

namespace cornu::plan {

namespace {
// From this size on, holding both the cache and the arena could exceed the device's memory.
constexpr size_t large_arena = size_t{64} << 20;
/// Bytes of arguments and results up to which copying them costs less than launches do.
constexpr size_t max_fixed_bytes = size_t{256} << 20;

// Whether a step may wait for the device, or be the host's: a capture has no place for that.
bool waits(const Step& step) {
  return !step.kernel || std::holds_alternative<backend::Linalg>(*step.kernel);
}
}  // namespace

Plan::Plan(Graph graph) : graph_(std::move(graph)) {
  // Moved to the device once, so that no run copies them.
  for (size_t i = 0; i < graph_.constants.size(); ++i)
    graph_.constants[i] = graph_.constant(static_cast<int>(i));
  // Before the memory plan, which must know which operands kernels keep copies of: those need no
  // place after the prologue.
  prepare_kernels();
  memory_ = plan_memory(graph_, kept_);
  place_operands();
  capturable_ =
      !graph_.device->on_host() && std::none_of(graph_.steps.begin(), graph_.steps.end(), waits);
}

void Plan::prepare_kernels() {
  // Weights in inference, for example: kernels may repack them into a layout of their own.
  const std::vector<char> stable = stable_values(graph_);
  size_t first = 0;
  for (const Step& step : graph_.steps) {
    Prepared& prepared = steps_.emplace_back();
    prepared.first = first;
    first += step.inputs.size() + step.outputs.size();
    for (size_t i = 0; i < step.inputs.size() && i < 32; ++i)
      prepared.stable |= uint32_t{stable[static_cast<size_t>(step.inputs[i].value)] != 0} << i;
    kept_.push_back(prepare(steps_.size() - 1));
    keeps_any_ |= kept_.back() != 0;
    once_count_ += step.prologue;
  }
}

// Makes a step's kernel ready, and tells which inputs it keeps.
uint32_t Plan::prepare(size_t number) {
  const Step& step = graph_.steps[number];
  Prepared& prepared = steps_[number];
  if (!step.kernel) return 0;
  std::vector<backend::Operand> operands;
  for (const std::vector<Use>* uses : {&step.inputs, &step.outputs})
    for (const Use& use : *uses)
      operands.push_back(
          {&use.shape, graph_.values[static_cast<size_t>(use.value)].dtype, nullptr});
  const std::span<const backend::Operand> all(operands);
  prepared.executable = graph_.device->prepare(*step.kernel, all.first(step.inputs.size()),
                                               all.subspan(step.inputs.size()));
  // A step of the prologue runs once itself; repacking its operands would not pay.
  return step.prologue || !prepared.stable
             ? 0
             : prepared.executable->inputs_to_prepack(prepared.stable);
}

void Plan::place_operands() {
  size_t argument_count = 0;
  for (const Value& value : graph_.values)
    if (value.source == Source::argument)
      argument_count = std::max(argument_count, static_cast<size_t>(value.index) + 1);
  arguments_.resize(argument_count);
  variables_.resize(graph_.variables.size());
  seen_.resize(graph_.variables.size(), 0);
  outputs_.resize(graph_.outputs.size());
  results_.resize(graph_.outputs.size());
  for (const Step& step : graph_.steps)
    for (const std::vector<Use>* uses : {&step.inputs, &step.outputs})
      for (const Use& use : *uses) {
        const Placement& p = memory_.places[static_cast<size_t>(use.value)];
        const auto index = static_cast<size_t>(p.index);
        // All operands of all steps share one array of addresses, a step's in a row: a run passes a
        // pointer into it, and binding an argument is a few stores.
        const size_t place = addresses_.size();
        addresses_.push_back(nullptr);
        if (p.home == Home::arena) arena_.places.emplace_back(place, p.offset);
        if (p.home == Home::prologue) once_.places.emplace_back(place, p.offset);
        if (p.home == Home::argument) arguments_[index].places.push_back(place);
        if (p.home == Home::variable) variables_[index].places.push_back(place);
        if (p.home == Home::output) outputs_[index].places.push_back(place);
        if (p.home == Home::constant) addresses_[place] = graph_.constants[index].data();
      }
}

void Plan::Block::set(std::vector<void*>& addresses) const {
  char* const base = static_cast<char*>(memory.data());
  for (const auto& [place, offset] : places) addresses[place] = base + offset;
}

void Plan::set(Followers& followers, void* address) {
  // The usual case in training: batches come back to the same few blocks of the allocator.
  if (followers.address == address) return;
  followers.address = address;
  for (const size_t place : followers.places) addresses_[place] = address;
}

void Plan::bind_arena() {
  if (released_) {
    for (size_t i = 0; i < steps_.size(); ++i)
      // release() has dropped the executables that hold copies of weights.
      if (kept_[i]) prepare(i);
    released_ = false;
    stale_ = true;
  }
  if (arena_.memory || memory_.arena_bytes == 0) return;
  // What an eager run left in the allocator's cache is of other sizes.
  if (memory_.arena_bytes > large_arena) graph_.device->allocator().release();
  arena_.memory =
      Tensor::empty({static_cast<int64_t>(memory_.arena_bytes)}, DType::uint8, *graph_.device);
  arena_.set(addresses_);
  stale_ = true;
}

void Plan::release() {
  arena_.memory = {};
  captures_.clear();
  // Captures are gone, so addresses need not stay any more.
  own_arguments_.clear();
  own_outputs_.clear();
  fixed_buffers_ = false;
  for (size_t i = 0; i < steps_.size(); ++i)
    if (kept_[i]) steps_[i].executable = nullptr;
  released_ = true;
}

// Does what depends on variables only, and lets kernels copy what they keep.
void Plan::run_once() {
  if (memory_.once_bytes > 0) {
    once_.memory =
        Tensor::empty({static_cast<int64_t>(memory_.once_bytes)}, DType::uint8, *graph_.device);
    once_.set(addresses_);
  }
  // hoist has put the steps of the prologue first.
  for (size_t i = 0; i < once_count_; ++i) steps_[i].executable->run(&addresses_[steps_[i].first]);
  for (size_t i = once_count_; i < steps_.size(); ++i)
    if (kept_[i]) steps_[i].executable->keep(&addresses_[steps_[i].first]);
  // Kernels have copied what they keep, so the prologue's own memory is free for everybody.
  once_.memory = {};
  stale_ = false;
}

// A variable whose value somebody else holds gets memory of its own before it is written to.
void Plan::bind_variables() {
  for (size_t i = 0; i < variables_.size(); ++i) {
    Tensor& stored = graph_.variables[i].stored();
    if (memory_.written[i] != 0) {
      // Tensors are immutable: a checkpoint, a callback or the caller of get_weights may hold this
      // one.
      if (!stored.unique()) {
        Tensor copy = stored.duplicate();
        copy.impl()->key = graph_.variables[i].key();
        stored = std::move(copy);
      }
      // Other plans see that the value is another.
      // Written even where the memory stays the same: identities, not addresses, tell values apart.
      stored.impl()->storage->id = detail::next_key();
    } else if (const uint64_t id = stored.impl()->storage->id; id != seen_[i]) {
      seen_[i] = id;
      stale_ = true;
    }
    set(variables_[i], stored.data());
  }
}

namespace {

// What has seen the tensor before may not take it for what it will be.
void renew(Tensor& result) {
  result.impl()->key = detail::next_key();
  result.impl()->tapes = 0;
  result.impl()->storage->id = detail::next_key();
  if (result.impl()->mask) result.set_mask({});
}

}  // namespace

// A result that its receiver has dropped is filled again.
void Plan::make_outputs(std::span<const Tensor* const> donated) {
  for (size_t i = 0; i < results_.size(); ++i) {
    const Use& use = graph_.outputs[i];
    const Placement& p = memory_.places[static_cast<size_t>(use.value)];
    // An output that is an argument, a constant, a variable or another output needs no memory.
    if (p.home != Home::output || static_cast<size_t>(p.index) != i) continue;
    Tensor& result = results_[i];
    const int argument = memory_.takes_over[i];
    if (argument >= 0 && !donated.empty()) {
      const Tensor& given = *donated[static_cast<size_t>(argument)];
      // The result of the last run that comes back is held by the plan, too.
      const bool is_last = result && result.impl() == given.impl();
      if (given.shape() == use.shape && given.unique(is_last ? 2 : 1)) {
        result = given;
        renew(result);
        set(outputs_[i], result.data());
        continue;
      }
    }
    // The plan still holds the tensor of the last run; when nobody else does, it is new again.
    if (result && result.unique()) {
      renew(result);
    } else {
      result = Tensor::empty(use.shape, graph_.values[static_cast<size_t>(use.value)].dtype,
                             *graph_.device);
    }
    set(outputs_[i], result.data());
  }
}

void Plan::run_host(const Step& step, size_t first, std::span<const Tensor* const> arguments) {
  Tensors inputs, outputs;
  const auto tensor_of = [&](const Use& use, void* address) -> Tensor {
    const Placement& p = memory_.places[static_cast<size_t>(use.value)];
    const auto index = static_cast<size_t>(p.index);
    switch (p.home) {
      case Home::argument:
        return arguments[index]->with_shape(use.shape);
      case Home::variable:
        return graph_.variables[index].stored().with_shape(use.shape);
      case Home::constant:
        return graph_.constants[index].with_shape(use.shape);
      case Home::output:
        return results_[index].with_shape(use.shape);
      default:
        return Tensor::part_of(arena_.memory, address, use.shape,
                               graph_.values[static_cast<size_t>(use.value)].dtype);
    }
  };
  for (const Use& use : step.inputs) inputs.push_back(tensor_of(use, addresses_[first++]));
  for (const Use& use : step.outputs) outputs.push_back(tensor_of(use, addresses_[first++]));
  step.host(inputs, outputs);
}

void Plan::run_steps(std::span<const Tensor* const> arguments, std::vector<StepTime>* times) {
  // Once for all steps, which run past the backend's own scope.
  const backend::DenormalsAsZero scope;
  // A captured graph reads the kept copies at their old addresses.
  if (stale_ && (once_count_ > 0 || keeps_any_)) {
    run_once();
    captures_.clear();
  }
  // With times each step runs by itself, as a captured graph shows no single steps.
  if (capturable_ && !times) return run_captured();
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = times ? Clock::now() : Clock::time_point();
  const auto since = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  // A device that works on its own is waited for: a launch tells nothing about the kernel.
  const auto wait = [&] {
    if (times) graph_.device->synchronize();
  };
  if (times) times->resize(once_count_);
  wait();
  for (size_t i = once_count_; i < steps_.size(); ++i) {
    const double start = times ? since() : 0;
    if (steps_[i].executable)
      steps_[i].executable->run(&addresses_[steps_[i].first]);
    else
      run_host(graph_.steps[i], steps_[i].first, arguments);
    wait();
    if (times) times->push_back({start, since() - start});
  }
}

// Captured work uses the same addresses each time. Where arguments and results have others, they
// are copied to memory that stays, and from there.
void Plan::run_captured() {
  // An allocator under pressure gives other blocks each time; each would need a capture of its own.
  if (captures_.has_unstable_addresses() && !fixed_buffers_) settle();
  if (!capturable_) return run_kernels();
  InlineVector<std::pair<void*, const Tensor*>, 4> results;
  for (size_t i = 0; i < own_arguments_.size(); ++i)
    if (const Tensor& own = own_arguments_[i]) {
      graph_.device->copy(own.data(), arguments_[i].address, own.bytes());
      set(arguments_[i], own.data());
    }
  for (size_t i = 0; i < own_outputs_.size(); ++i)
    if (const Tensor& own = own_outputs_[i]) {
      results.emplace_back(outputs_[i].address, &own);
      set(outputs_[i], own.data());
    }
  // A device that refuses once would refuse again, after the same work: the answer is kept.
  capturable_ = captures_.run(
      *graph_.device, addresses_, [this] { run_kernels(); }, [this] { run_kernels_by_memory(); });
  for (const auto& [address, own] : results)
    graph_.device->copy(address, own->data(), own->bytes());
}

void Plan::settle() {
  std::vector<const Value*> arguments(arguments_.size()), outputs(outputs_.size());
  for (size_t v = 0; v < graph_.values.size(); ++v) {
    const Placement& p = memory_.places[v];
    const auto index = static_cast<size_t>(p.index);
    if (p.home == Home::argument && !arguments_[index].places.empty())
      arguments[index] = &graph_.values[v];
    if (p.home == Home::output && !outputs_[index].places.empty())
      outputs[index] = &graph_.values[v];
  }
  size_t bytes = 0;
  for (const auto& list : {arguments, outputs})
    for (const Value* value : list) bytes += value ? value->bytes() : 0;
  // Launching step by step is cheaper than copying that much in every run.
  capturable_ = bytes <= max_fixed_bytes;
  if (!capturable_) return;
  const auto like = [&](const Value* value) {
    return value && value->numel > 0 ? Tensor::empty({value->numel}, value->dtype, *graph_.device)
                                     : Tensor();
  };
  captures_.clear();
  fixed_buffers_ = true;
  for (const Value* value : arguments) own_arguments_.push_back(like(value));
  for (const Value* value : outputs) own_outputs_.push_back(like(value));
}

void Plan::run_kernels() {
  for (size_t i = once_count_; i < steps_.size(); ++i)
    steps_[i].executable->run(&addresses_[steps_[i].first]);
}

// Whether a step moves so much that launches cost little beside it. Side by side such steps only
// drive each other's data out of caches: on an H200 a GPT trains 1 %, a ResNet-50 2 % slower so.
bool Plan::has_large_step() const {
  constexpr size_t large_bytes = size_t{8} << 20;
  for (size_t i = once_count_; i < steps_.size(); ++i) {
    const Step& step = graph_.steps[i];
    size_t bytes = 0;
    for (const auto* uses : {&step.inputs, &step.outputs})
      for (const Use& use : *uses) bytes += graph_.values[static_cast<size_t>(use.value)].bytes();
    const auto* const sets =
        step.kernel ? std::get_if<backend::MultiTensorFused>(&*step.kernel) : nullptr;
    if (sets) bytes /= static_cast<size_t>(sets->sets);
    if (bytes > large_bytes) return true;
  }
  return false;
}

// The same for a device that finds out which steps can run side by side.
void Plan::run_kernels_by_memory() {
  auto* const order = dynamic_cast<backend::StepOrder*>(graph_.device);
  if (!order || has_large_step()) return run_kernels();
  std::vector<backend::MemoryRange> reads, writes;
  for (size_t i = once_count_; i < steps_.size(); ++i) {
    reads.clear();
    writes.clear();
    void* const* const at = &addresses_[steps_[i].first];
    const Step& step = graph_.steps[i];
    // Values have no parts: a step that sees one through a view counts as a user of all of it.
    const auto range = [&](const Use& use, void* address) -> backend::MemoryRange {
      return {address, graph_.values[static_cast<size_t>(use.value)].bytes()};
    };
    for (size_t k = 0; k < step.inputs.size(); ++k)
      // Of what the kernel keeps a copy of, the address may be somebody else's by now.
      if (k >= 32 || (kept_[i] >> k & 1) == 0) reads.push_back(range(step.inputs[k], at[k]));
    for (size_t k = 0; k < step.outputs.size(); ++k)
      writes.push_back(range(step.outputs[k], at[step.inputs.size() + k]));
    order->begin_step(reads, writes);
    steps_[i].executable->run(at);
  }
}

void Plan::run(std::span<const Tensor* const> arguments, std::span<Tensor> outputs,
               std::vector<StepTime>* times, bool donated) {
  // The arena first: binding it may mark the prologue as stale.
  bind_arena();
  for (size_t i = 0; i < arguments_.size(); ++i) set(arguments_[i], arguments[i]->data());
  bind_variables();
  make_outputs(donated ? arguments : std::span<const Tensor* const>());
  run_steps(arguments, times);

  // Outputs before assignments: they show variables as the function saw them.
  for (size_t i = 0; i < results_.size(); ++i) {
    const Use& use = graph_.outputs[i];
    const Placement& p = memory_.places[static_cast<size_t>(use.value)];
    const auto index = static_cast<size_t>(p.index);
    if (p.home == Home::output)
      outputs[i] = index == i ? results_[i] : results_[index].with_shape(use.shape);
    else if (p.home == Home::argument)
      outputs[i] = arguments[index]->with_shape(use.shape);
    else if (p.home == Home::constant)
      outputs[i] = graph_.constants[index].with_shape(use.shape);
    else
      // A copy, since the next run writes to the variable's memory.
      outputs[i] = graph_.variables[index].stored().duplicate().with_shape(use.shape);
  }
  assign_variables(arguments);
}

void Plan::run_into(std::span<const Tensor* const> arguments, std::span<const Tensor> outputs) {
  bind_arena();
  for (size_t i = 0; i < arguments_.size(); ++i) set(arguments_[i], arguments[i]->data());
  bind_variables();
  const auto home = [&](size_t i) -> const Placement& {
    return memory_.places[static_cast<size_t>(graph_.outputs[i].value)];
  };
  const auto is_target = [&](size_t i) {
    return home(i).home == Home::output && static_cast<size_t>(home(i).index) == i;
  };
  for (size_t i = 0; i < results_.size(); ++i)
    if (is_target(i)) {
      results_[i] = outputs[i];
      // What the host has seen of them are old values.
      // The tensor's memory changes under an unchanged identity, which only run_into may do.
      outputs[i].impl()->storage->copy.reset();
      set(outputs_[i], outputs[i].data());
    }
  run_steps(arguments, nullptr);
  for (size_t i = 0; i < results_.size(); ++i) {
    if (is_target(i)) continue;
    const auto index = static_cast<size_t>(home(i).index);
    const Tensor& from = home(i).home == Home::output     ? outputs[index]
                         : home(i).home == Home::argument ? *arguments[index]
                         : home(i).home == Home::constant ? graph_.constants[index]
                                                          : graph_.variables[index].stored();
    if (const size_t bytes = outputs[i].bytes())
      graph_.device->copy(outputs[i].data(), from.data(), bytes);
  }
  assign_variables(arguments);
  // They are the caller's; held here, they would count as shared.
  for (Tensor& result : results_) result = {};
}

void Plan::assign_variables(std::span<const Tensor* const> arguments) {
  const auto place_of = [&](int value) -> const Placement& {
    return memory_.places[static_cast<size_t>(value)];
  };
  // All are read before any changes: two variables may have swapped their values, or one got the
  // value that another had before it got a new one.
  std::vector<Tensor> values;
  for (const Assignment& a : memory_.shared) {
    const Placement& p = place_of(a.value);
    const auto index = static_cast<size_t>(p.index);
    values.push_back(p.home == Home::argument   ? *arguments[index]
                     : p.home == Home::constant ? graph_.constants[index]
                                                : graph_.variables[index].stored());
  }
  for (const Assignment& a : memory_.copies) {
    const Variable& variable = graph_.variables[static_cast<size_t>(a.variable)];
    Tensor& target = variable.stored();
    if (!target.unique()) {
      // Its memory is to be another variable's.
      target = Tensor::empty(target.shape(), target.dtype(), *graph_.device);
      target.impl()->key = variable.key();
    }
    const Placement& p = place_of(a.value);
    const void* from = nullptr;
    if (p.home == Home::arena) from = static_cast<char*>(arena_.memory.data()) + p.offset;
    if (p.home == Home::output) from = results_[static_cast<size_t>(p.index)].data();
    if (p.home == Home::variable)
      from = graph_.variables[static_cast<size_t>(p.index)].stored().data();
    if (const size_t bytes = target.bytes()) graph_.device->copy(target.data(), from, bytes);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = graph_.variables[static_cast<size_t>(memory_.shared[i].variable)];
    Tensor value = values[i].with_shape(variable.shape());
    value.impl()->key = variable.key();
    variable.stored() = std::move(value);
  }
}

}  // namespace cornu::plan
