// Recording, and the reverse sweep.
#include "tape.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "../dispatch/apply.h"
#include "../dispatch/complex.h"
#include "../dispatch/node.h"
#include "../ops/numpy/creation.h"
#include "../ops/operators.h"
#include "gradients.h"

namespace cornu {

struct GradientTape::Entry {
  std::optional<backend::Kernel> kernel;
  GradientFunction custom;
  Tensors inputs;
  Tensors outputs;
  std::shared_ptr<const std::string> where;  // the layer's path; only while a function is recorded
};

namespace {

// Says, while it lives, whose gradient is computed.
class GradientPlace {
 public:
  explicit GradientPlace(const std::string* path) : before_(graph_context().gradient_of) {
    if (path) graph_context().gradient_of = path;
  }
  ~GradientPlace() { graph_context().gradient_of = before_; }
  GradientPlace(const GradientPlace&) = delete;

 private:
  const std::string* before_;
};

}  // namespace

GradientTape::GradientTape(Options options) : options_(options) {
  GraphContext& context = graph_context();
  if (context.tape_depth >= 32)
    throw StateError("GradientTape: more than 32 tapes are open on this thread.");
  // A bit per depth makes the test whether a tensor is watched one load for all open tapes.
  bit_ = 1u << context.tape_depth++;
  context.recorders.push_back(this);
}

GradientTape::~GradientTape() { stop(); }

void GradientTape::stop() {
  if (!open_) return;
  open_ = false;
  GraphContext& context = graph_context();
  --context.tape_depth;
  // A tape need not be the innermost: a persistent one may be stopped while a later one is open.
  auto* end =
      std::remove(context.recorders.begin(), context.recorders.end(), static_cast<Recorder*>(this));
  while (context.recorders.end() != end) context.recorders.pop_back();
}

void GradientTape::watch(const Tensor& tensor) {
  if (!has_gradient(tensor.dtype()))
    throw ValueError(
        fmt::format("GradientTape::watch: a {} tensor has no gradient; only floats and complex "
                    "numbers have.",
                    dtype_name(tensor.dtype())));
  tensor.impl()->tapes.fetch_or(bit_, std::memory_order_relaxed);
}

void GradientTape::watch(const Variable& variable) { watch(variable.value()); }

void GradientTape::read(const Tensor& value) {
  if (options_.watch_accessed_variables && has_gradient(value.dtype()))
    value.impl()->tapes.fetch_or(bit_, std::memory_order_relaxed);
}

namespace {

// Smaller tensors are not worth a stand-in.
// Making the stand-in costs an allocation of its own.
constexpr size_t worth_dropping = 4096;

// A tensor of which the gradient needs only the shape and the identity.
Tensor without_values(const Tensor& t) {
  Tensor stand_in = Tensor::abstract(t.shape(), t.dtype());
  // The sweep finds gradients by key and asks for the bit; neither needs values.
  stand_in.impl()->key = t.impl()->key;
  stand_in.impl()->tapes = t.impl()->tapes.load(std::memory_order_relaxed);
  return stand_in;
}

void drop_unread(Tensors& tensors, uint32_t read) {
  for (size_t i = 0; i < tensors.size() && i < 32; ++i)
    // This frees the input of a relu, for example, as soon as nobody else holds it: the derivative
    // reads the output only.
    if (!(read >> i & 1) && tensors[i].bytes() >= worth_dropping)
      tensors[i] = without_values(tensors[i]);
}

}  // namespace

// A bit left over from an earlier tape of the same depth only makes this one record more than it
// needs.
void GradientTape::record(const Step& step) {
  bool watched = false;
  for (const Tensor& t : step.inputs)
    watched |= (t.impl()->tapes.load(std::memory_order_relaxed) & bit_) != 0;
  if (!watched) return;
  bool differentiable = false;
  for (const Tensor& t : step.outputs)
    if (has_gradient(t.dtype())) {
      t.impl()->tapes.fetch_or(bit_, std::memory_order_relaxed);
      differentiable = true;
    }
  if (!differentiable) return;
  Entry& entry = entries_.emplace_back();
  if (step.kernel) entry.kernel.emplace(*step.kernel);
  if (step.gradient) entry.custom = *step.gradient;
  entry.inputs = Tensors(step.inputs);
  entry.outputs = Tensors(step.outputs);
  // A persistent tape may be swept while an outer tape records it, so it keeps everything.
  if (step.kernel && !options_.persistent) {
    bool large = false;
    for (const Tensor& t : step.inputs) large |= t.bytes() >= worth_dropping;
    for (const Tensor& t : step.outputs) large |= t.bytes() >= worth_dropping;
    if (large) {
      const ReadOperands read = operands_read(*step.kernel, step.inputs);
      drop_unread(entry.inputs, read.inputs);
      drop_unread(entry.outputs, read.outputs);
    }
  }
  // Building paths takes time; only plans show them.
  if (const GraphContext& context = graph_context(); context.tracer && context.where)
    entry.where = std::make_shared<const std::string>(context.where->path());
}

namespace {

// What is wrong with the arguments of a sweep would else show deep inside it, or not at all.
void check_targets(const std::vector<Tensor>& targets, const std::vector<Tensor>& gradients) {
  if (gradients.size() != targets.size())
    throw ValueError(
        fmt::format("GradientTape::gradient: expected a gradient, or an empty Tensor, for each of "
                    "{} targets, found {}.",
                    targets.size(), gradients.size()));
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!targets[i])
      throw ValueError(fmt::format("GradientTape::gradient: target {} is no tensor.", i));
    if (gradients[i] && gradients[i].shape() != targets[i].shape())
      throw ShapeError(
          fmt::format("GradientTape::gradient: expected a gradient of shape {} as target {} has, "
                      "found {}.",
                      targets[i].shape().str(), i, gradients[i].shape().str()));
  }
}

void check_custom(const Tensors& gradients, const Tensors& inputs) {
  if (gradients.size() > inputs.size())
    throw ValueError(
        fmt::format("custom_gradient: expected a gradient, or an empty Tensor, for each of {} "
                    "inputs, found {}.",
                    inputs.size(), gradients.size()));
  for (size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i] && gradients[i].shape() != inputs[i].shape())
      throw ShapeError(
          fmt::format("custom_gradient: expected a gradient of shape {} as input {} has, found {}.",
                      inputs[i].shape().str(), i, gradients[i].shape().str()));
}

}  // namespace

std::vector<Tensor> GradientTape::gradient(const Tensor& target,
                                           const std::vector<Variable>& sources,
                                           const Tensor& target_gradient) {
  std::vector<uint64_t> keys;
  for (const Variable& v : sources) keys.push_back(v.key());
  return differentiate({target}, keys, {target_gradient});
}

std::vector<Tensor> GradientTape::gradient(std::vector<Tensor> targets,
                                           const std::vector<Tensor>& sources,
                                           std::vector<Tensor> target_gradients) {
  std::vector<uint64_t> keys;
  for (const Tensor& t : sources) {
    if (!t)
      throw ValueError(fmt::format("GradientTape::gradient: source {} is no tensor.", keys.size()));
    keys.push_back(t.impl()->key);
  }
  return differentiate(std::move(targets), keys, std::move(target_gradients));
}

std::vector<Tensor> GradientTape::gradient(const Tensor& target, const std::vector<Tensor>& sources,
                                           const Tensor& target_gradient) {
  return gradient(std::vector{target}, sources, {target_gradient});
}

Tensor GradientTape::gradient(const Tensor& target, const Variable& source) {
  return gradient(target, std::vector{source})[0];
}

Tensor GradientTape::gradient(const Tensor& target, const Tensor& source) {
  return gradient(target, std::vector{source})[0];
}

std::vector<Tensor> GradientTape::differentiate(std::vector<Tensor> targets,
                                                const std::vector<uint64_t>& sources,
                                                std::vector<Tensor> target_gradients) {
  if (used_ && !options_.persistent)
    throw StateError(
        "GradientTape::gradient: called a second time. Make the tape with {.persistent = true}.");
  check_targets(targets, target_gradients);
  // Even if the sweep throws: its entries are gone by then.
  used_ = true;
  if (!options_.persistent) stop();

  // By key, not by tensor: all values of a variable, and both ends of a detached alias, share one
  // sum.
  std::unordered_map<uint64_t, Tensor> gradients;
  auto add = [&](uint64_t key, const Tensor& gradient) {
    Tensor& sum = gradients[key];
    sum = sum ? sum + gradient : gradient;
  };
  for (size_t i = 0; i < targets.size(); ++i)
    add(targets[i].impl()->key, target_gradients[i]
                                    ? target_gradients[i]
                                    : ops::ones(targets[i].shape(), targets[i].dtype()));
  targets.clear();
  target_gradients.clear();

  // A persistent tape that is still open records the sweep too; only what is there now is swept.
  for (size_t i = entries_.size(); i-- > 0;) {
    // Out of the tape, which releases what it has passed; a copy for a persistent tape, whose
    // vector may grow under the sweep.
    std::optional<Entry> own;
    if (!options_.persistent) {
      own = std::move(entries_.back());
      entries_.pop_back();
    } else if (open_) {
      own = entries_[i];
    }
    const Entry& entry = own ? *own : entries_[i];
    Tensors incoming(entry.outputs.size());
    bool any = false;
    for (size_t k = 0; k < entry.outputs.size(); ++k) {
      // Absent where the target does not depend on this output.
      const auto found = gradients.find(entry.outputs[k].impl()->key);
      if (found == gradients.end()) continue;
      incoming[k] = found->second;
      any = true;
    }
    if (!any) continue;
    // What no source asks for is done with once it has been passed on.
    for (const Tensor& t : entry.outputs)
      if (std::find(sources.begin(), sources.end(), t.impl()->key) == sources.end())
        // Together with moving entries out of the tape, this lets each gradient's memory go as soon
        // as it has been used.
        gradients.erase(t.impl()->key);
    const auto watched = [&](size_t k) {
      return has_gradient(entry.inputs[k].dtype()) &&
             (entry.inputs[k].impl()->tapes.load(std::memory_order_relaxed) & bit_);
    };
    uint32_t wanted = 0;
    bool any_wanted = false;
    for (size_t k = 0; k < entry.inputs.size(); ++k)
      if (watched(k)) {
        any_wanted = true;
        // Inputs beyond the 32nd (of a long concatenation) always get a gradient; see
        // Backprop::wants.
        if (k < 32) wanted |= 1u << k;
      }
    if (!any_wanted) continue;
    const GradientPlace place(entry.where.get());
    Tensors outgoing;
    if (entry.custom) {
      outgoing = entry.custom(std::move(incoming));
      check_custom(outgoing, entry.inputs);
    } else if (entry.kernel) {
      const Backprop step{entry.inputs, entry.outputs, incoming, wanted};
      outgoing = std::visit([&](const auto& kernel) { return cornu::gradient(kernel, step); },
                            *entry.kernel);
    } else {
      const Tensor& x = entry.inputs[0];
      // Neither kernel nor own gradient: a change of shape, or a view of complex numbers as pairs.
      const bool bitcast = x.dtype() != entry.outputs[0].dtype();
      outgoing.push_back(bitcast ? apply_view(incoming[0], x.spec())
                                 : apply_reshape(incoming[0], x.shape()));
    }
    for (size_t k = 0; k < outgoing.size(); ++k)
      if (outgoing[k] && watched(k)) add(entry.inputs[k].impl()->key, outgoing[k]);
  }

  std::vector<Tensor> result;
  for (uint64_t key : sources) {
    const auto found = gradients.find(key);
    result.push_back(found == gradients.end() ? Tensor() : found->second);
  }
  return result;
}

}  // namespace cornu
