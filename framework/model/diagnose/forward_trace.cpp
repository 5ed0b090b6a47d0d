// Following a forward pass.
#include "forward_trace.h"

#include <algorithm>

#include "../../base/class_of.h"
#include "../../ops/core/cast.h"
#include "../../ops/elementwise.h"
#include "../../ops/numpy/reduction.h"
#include "../../ops/operators.h"
#include "../model.h"

namespace cornu::diagnose {
namespace {

using backend::Opcode;

Value::Dict config_of(const Layer& layer) {
  try {
    return layer.get_config();
  } catch (const Error&) {
    return {};  // a layer with a function of the user's
  }
}

OutputForm form_of_program(const backend::Program& program) {
  const size_t first = static_cast<size_t>(program.inputs()) + program.constants().size();
  size_t value = program.outputs()[0];
  // What storing in 16 bits does is no activation.
  for (;;) {
    if (value < first) return OutputForm::linear;
    const backend::Instruction& i = program.instructions()[value - first];
    switch (i.op) {
      case Opcode::round_bfloat16:
      case Opcode::round_float16:
      case Opcode::identity:
        value = i.operands[0];
        continue;
      case Opcode::sigmoid:
        return OutputForm::sigmoid;
      case Opcode::tanh:
        return OutputForm::tanh;
      case Opcode::relu:
        return OutputForm::relu;
      case Opcode::add:
        return OutputForm::linear;
      default:
        return OutputForm::other;
    }
  }
}

bool only_passes(const backend::Program& program) {
  return program.inputs() == 1 && std::all_of(program.instructions().begin(),
                                              program.instructions().end(), [](const auto& i) {
                                                return i.op == Opcode::identity ||
                                                       i.op == Opcode::round_bfloat16 ||
                                                       i.op == Opcode::round_float16;
                                              });
}

OutputForm form_of_kernel(const backend::Kernel& kernel) {
  if (const auto* softmax = std::get_if<backend::Softmax>(&kernel))
    return softmax->sums  ? OutputForm::other
           : softmax->log ? OutputForm::log_softmax
                          : OutputForm::softmax;
  if (const auto* fused = std::get_if<backend::Fused>(&kernel))
    return form_of_program(*fused->program);
  if (const auto* matmul = std::get_if<backend::Matmul>(&kernel))
    return matmul->relu ? OutputForm::relu : OutputForm::linear;
  if (const auto* conv = std::get_if<backend::Conv>(&kernel))
    return conv->relu ? OutputForm::relu : OutputForm::linear;
  return OutputForm::other;
}

bool finite(const Tensor& t) {
  return !is_float(t.dtype()) || ops::all(ops::isfinite(t)).item() != 0;
}

}  // namespace

std::string LayerCall::option(const char* name) const {
  const Value* value = detail::find(config, name);
  return value && value->is<std::string>() ? value->get<std::string>() : "";
}

Tensor LayerCall::weight(const char* name) const {
  for (const Variable& v : layer->weights())
    if (v.name() == name) return v.value();
  return {};
}

bool LayerCall::has_kernel() const {
  if (is_lookup()) return false;
  const std::vector<Variable> weights = layer->weights();
  return std::any_of(weights.begin(), weights.end(), [](const Variable& v) {
    return v.shape().rank() >= 2 && is_float(v.dtype());
  });
}

ForwardTrace::ForwardTrace(const Nest& inputs) : outer_(call_context().observer) {
  for (const Tensor& t : inputs.flatten()) raw_.insert(t.impl()->key);
  call_context().observer = this;
  graph_context().recorders.push_back(this);
}

ForwardTrace::~ForwardTrace() { stop(); }

void ForwardTrace::stop() {
  if (!std::exchange(watching_, false)) return;
  call_context().observer = outer_;
  auto& recorders = graph_context().recorders;
  auto* end = std::remove(recorders.begin(), recorders.end(), static_cast<Recorder*>(this));
  while (recorders.end() != end) recorders.pop_back();
}

void ForwardTrace::before(Layer& layer, const Nest& inputs) {
  const PauseRecording pause;
  const Tensor input = cornu::detail::first_of(inputs);
  bool raw = false;
  for (const Tensor& t : inputs.flatten()) raw |= t && raw_.count(t.impl()->key);
  const Tensor mask = input ? input.mask() : Tensor();
  if (!open_.empty()) open_.back().leaf = false;
  open_.push_back({&layer,
                   layer.path(),
                   class_of(layer),
                   config_of(layer),
                   true,
                   static_cast<int>(open_.size()),
                   input,
                   raw,
                   static_cast<bool>(mask),
                   mask,
                   {}});
}

void ForwardTrace::after(Layer& layer, const Nest& outputs) {
  // A call that threw has left its entry.
  while (!open_.empty() && open_.back().layer != &layer) open_.pop_back();
  if (open_.empty()) return;
  LayerCall call = std::move(open_.back());
  open_.pop_back();
  call.output = cornu::detail::first_of(outputs);
  if (!layer.weights().empty())
    for (const Tensor& t : outputs.flatten())
      if (t) raw_.erase(t.impl()->key);
  calls_.push_back(std::move(call));
}

void ForwardTrace::record(const Step& step) {
  bool raw = false;
  for (const Tensor& t : step.inputs) raw |= raw_.count(t.impl()->key) > 0;
  for (const Tensor& t : step.outputs) {
    Origin origin{OutputForm::other, false, step.inputs.empty() ? 0 : step.inputs[0].impl()->key};
    if (step.kernel) {
      const auto* fused = std::get_if<backend::Fused>(step.kernel);
      const auto* copy = std::get_if<backend::Copy>(step.kernel);
      origin.form = form_of_kernel(*step.kernel);
      origin.passes = (fused && only_passes(*fused->program)) ||
                      (copy && step.inputs.size() == 1 && t.size() == step.inputs[0].size());
    } else {
      origin.passes = !step.gradient && !step.host;
    }
    origins_[t.impl()->key] = origin;
    if (raw) raw_.insert(t.impl()->key);
  }
  if (!half_overflow_) check_half(step);
  if (!open_.empty() &&
      (open_.back().kind == "Lambda" || dynamic_cast<const Model*>(open_.back().layer)))
    record_bare(step);
}

void ForwardTrace::record_bare(const Step& step) {
  if (step.inputs.empty() || step.outputs.empty()) return;
  const auto is_bool = [](const Tensor& t) { return t.dtype() == DType::boolean; };
  handles_masks_ |= std::any_of(step.inputs.begin(), step.inputs.end(), is_bool) ||
                    std::any_of(step.outputs.begin(), step.outputs.end(), is_bool);
  const PauseRecording pause;
  for (const Tensor& t : step.inputs)
    if (t.mask() && !step.outputs[0].mask())
      bare_maskings_.push_back({maker_of(t), t, step.outputs[0]});
  if (step.kernel && form_of_kernel(*step.kernel) == OutputForm::relu)
    bare_relus_.push_back({maker_of(step.inputs[0]), step.inputs[0], step.outputs[0]});
}

std::vector<BareOp> ForwardTrace::bare_maskings() const {
  return handles_masks_ ? std::vector<BareOp>() : bare_maskings_;
}

void ForwardTrace::check_half(const Step& step) {
  const auto is_half = [](const Tensor& t) { return t.dtype() == DType::float16; };
  if (std::none_of(step.outputs.begin(), step.outputs.end(), is_half)) return;
  const PauseRecording pause;
  for (const Tensor& t : step.outputs)
    if (is_half(t) && !finite(t) &&
        std::all_of(step.inputs.begin(), step.inputs.end(),
                    [](const Tensor& x) { return finite(x); }))
      half_overflow_ = graph_context().where ? graph_context().where->path() : std::string();
}

const ForwardTrace::Origin* ForwardTrace::origin_of(uint64_t key) const {
  for (;;) {
    const auto found = origins_.find(key);
    if (found == origins_.end()) return nullptr;
    if (!found->second.passes) return &found->second;
    key = found->second.from;
  }
}

OutputForm ForwardTrace::form_of(const Tensor& output) const {
  const Origin* origin = origin_of(output.impl()->key);
  return origin ? origin->form : OutputForm::other;
}

std::string ForwardTrace::maker_of(const Tensor& output) const {
  for (const LayerCall& call : calls_)
    if (call.output && call.output.impl()->key == output.impl()->key && call.depth > 0)
      return call.path;
  return "";
}

bool ForwardTrace::applied_twice(const Tensor& output) const {
  const auto is_softmax = [](const Origin& o) {
    return o.form == OutputForm::softmax || o.form == OutputForm::log_softmax;
  };
  const Origin* last = origin_of(output.impl()->key);
  const Origin* first = last ? origin_of(last->from) : nullptr;
  if (!first) return false;
  return (is_softmax(*last) && is_softmax(*first)) ||
         (last->form == OutputForm::sigmoid && first->form == OutputForm::sigmoid);
}

const LayerCall* ForwardTrace::random_end(const Tensor& output) const {
  const LayerCall* last = nullptr;
  for (const LayerCall& call : calls_)
    if (call.leaf && call.output && call.output.impl()->key == output.impl()->key) last = &call;
  if (!last || last->layer->seed_generators().empty() || !last->layer->weights().empty())
    return nullptr;
  const Value* rate = detail::find(last->config, "rate");
  return rate && rate->is_number() && rate->number() == 0 ? nullptr : last;
}

}  // namespace cornu::diagnose
