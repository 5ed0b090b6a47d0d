// Computes a step on the backend of its operands and shows it to the recorders.
#include "apply.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../backend/denormals.h"
#include "complex.h"
#include "cost.h"
#include "float8.h"
#include "strings.h"

namespace cornu {

namespace {

bool have_values(std::span<const Tensor> tensors) {
  bool all = true;
  for (const Tensor& t : tensors) {
    if (t.is_eager()) continue;
    if (t.is_symbolic())
      throw StateError(
          "This computation meets a symbolic tensor (from Input), which has no value, outside of "
          "the "
          "operations that a graph can hold. Put it into a layer's call().");
    all = false;
  }
  return all;
}

// Where to compute: where the inputs are. Numbers of the program are everywhere, strings in the
// host's memory only.
backend::Backend& backend_of(std::span<const Tensor> inputs, const backend::Kernel* kernel) {
  backend::Backend* found = nullptr;
  for (const Tensor& t : inputs) {
    const detail::Storage* const storage = t.impl()->storage;
    if (!storage || storage->backend == found || t.dtype() == DType::string) continue;
    // Nothing moves by itself: a hidden copy per step would be slow, and nobody would see why.
    if (found)
      throw ValueError(fmt::format(
          "{}: one operand is on {}, a {} of shape {} is on {}. Move one of them with Tensor::to.",
          kernel ? backend::kernel_name(*kernel) : "work of the host", found->name(),
          dtype_name(t.dtype()), t.shape().str(), storage->backend->name()));
    found = storage->backend;
  }
  return found ? *found : detail::current_backend();
}

// The operands of a step. A number written in C++ is a float32, except that a computation in
// float64 gets it whole; `numbers` keeps such values.
InlineVector<backend::Operand, 8> operands_of(std::span<const Tensor> inputs, DType output,
                                              InlineVector<double, 8>& numbers) {
  bool wide = output == DType::float64;
  for (const Tensor& t : inputs) wide |= t.dtype() == DType::float64;
  // Addresses of `numbers` are taken in a second loop, when it no longer grows.
  InlineVector<backend::Operand, 8> operands;
  for (const Tensor& t : inputs) {
    operands.push_back(t.operand());
    if (!wide) continue;
    double number = 0;
    if (t.is_weak() && t.dtype() == DType::float32) {
      const float* parts = static_cast<const float*>(t.data());
      number = static_cast<double>(parts[0]) + parts[1];
    }
    numbers.push_back(number);
  }
  for (size_t i = 0; wide && i < inputs.size(); ++i)
    if (inputs[i].is_weak() && inputs[i].dtype() == DType::float32) {
      operands[i].dtype = DType::float64;
      operands[i].data = &numbers[i];
    }
  return operands;
}

// `f` on copies of what is not in the host's memory.
HostFunction in_host_memory(HostFunction f) {
  return [f = std::move(f)](std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
    const backend::DenormalsAsZero scope;  // as in a plan
    const auto there = [](const Tensor& t) {
      return !t.impl()->storage || t.impl()->storage->backend->on_host();
    };
    if (std::all_of(inputs.begin(), inputs.end(), there) &&
        std::all_of(outputs.begin(), outputs.end(), there))
      return f(inputs, outputs);
    Tensors from, to;
    for (const Tensor& t : inputs) from.push_back(t.to(Device::cpu()));
    for (const Tensor& t : outputs)
      to.push_back(there(t) ? t : Tensor::empty(t.shape(), t.dtype(), backend::cpu_backend()));
    f(from, to);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (const size_t bytes = outputs[i].bytes(); bytes > 0 && !there(outputs[i]))
        outputs[i].impl()->storage->backend->copy_from_host(outputs[i].data(), to[i].data(), bytes);
  };
}

// Whether no kernel takes these as they are: strings, complex numbers or 8-bit floats.
bool needs_translation(std::span<const Tensor> inputs, std::span<const TensorSpec> outputs) {
  bool any = false;
  for (const Tensor& t : inputs) any |= t.dtype() >= DType::string;
  for (const TensorSpec& t : outputs) any |= t.dtype >= DType::string;
  return any;
}

Tensors apply_translated(const backend::Kernel& kernel, std::span<const Tensor> inputs,
                         std::span<const TensorSpec> outputs) {
  if (any_strings(inputs, outputs)) return apply_to_strings(kernel, inputs, outputs);
  return any_float8(inputs, outputs) ? apply_to_float8(kernel, inputs, outputs)
                                     : apply_to_complex(kernel, inputs, outputs);
}

}  // namespace

Tensors apply(const backend::Kernel& kernel, std::span<const Tensor> inputs,
              std::span<const TensorSpec> outputs) {
  Tensors results;
  if (needs_translation(inputs, outputs)) return apply_translated(kernel, inputs, outputs);
  // Before values are asked for: reports count on stand-ins as well.
  if (graph_context().cost) *graph_context().cost += kernel_cost(kernel, inputs, outputs);
  if (!have_values(inputs)) {
    for (const TensorSpec& spec : outputs)
      results.push_back(Tensor::abstract(spec.shape, spec.dtype));
    return results;
  }
  backend::Backend& backend = backend_of(inputs, &kernel);
  if (graph_context().dry) {
    for (const TensorSpec& spec : outputs)
      results.push_back(Tensor::meta(spec.shape, spec.dtype, backend));
    notify_observers({&kernel, nullptr, inputs, results});
    return results;
  }
  InlineVector<double, 8> numbers;
  const auto in = operands_of(inputs, outputs.empty() ? DType::float32 : outputs[0].dtype, numbers);
  InlineVector<backend::Operand, 8> out;
  for (const TensorSpec& spec : outputs) {
    results.push_back(Tensor::empty(spec.shape, spec.dtype, backend));
    out.push_back(results.back().operand());
  }
  backend.run(kernel, in, out);
  // After the run: an error of a kernel leaves no step behind.
  if (graph_context().observed()) notify_observers({&kernel, nullptr, inputs, results});
  return results;
}

Tensor apply(const backend::Kernel& kernel, std::span<const Tensor> inputs,
             const TensorSpec& output) {
  if (needs_translation(inputs, {&output, 1}))
    return apply_translated(kernel, inputs, {&output, 1})[0];
  const GraphContext& context = graph_context();
  if (context.cost) *context.cost += kernel_cost(kernel, inputs, {&output, 1});
  if (!have_values(inputs)) return Tensor::abstract(output.shape, output.dtype);
  backend::Backend& backend = backend_of(inputs, &kernel);
  if (context.dry) {
    const Tensor result = Tensor::meta(output.shape, output.dtype, backend);
    notify_observers({&kernel, nullptr, inputs, {&result, 1}});
    return result;
  }
  InlineVector<double, 8> numbers;
  // The same as above for one output, without lists: most kernels have one, and eager steps are
  // short.
  const auto in = operands_of(inputs, output.dtype, numbers);
  Tensor result = Tensor::empty(output.shape, output.dtype, backend);
  const backend::Operand out = result.operand();
  backend.run(kernel, in, {&out, 1});
  if (context.observed()) notify_observers({&kernel, nullptr, inputs, {&result, 1}});
  return result;
}

Tensor apply(const backend::Kernel& kernel, std::initializer_list<Tensor> inputs,
             const TensorSpec& output) {
  return apply(kernel, std::span(inputs.begin(), inputs.size()), output);
}

Tensor apply_reshape(const Tensor& x, const Shape& shape) {
  if (!x.is_eager()) return Tensor::abstract(shape, x.dtype());
  Tensor result = x.with_shape(shape);
  if (graph_context().observed()) notify_observers({nullptr, nullptr, {&x, 1}, {&result, 1}});
  return result;
}

Tensor apply_view(const Tensor& x, const TensorSpec& spec) {
  if (!x.is_eager()) return Tensor::abstract(spec.shape, spec.dtype);
  Tensor result = bitcast(x, spec);
  if (graph_context().observed()) notify_observers({nullptr, nullptr, {&x, 1}, {&result, 1}});
  return result;
}

Tensors apply_steps(const HostFunction& f, std::span<const Tensor> inputs,
                    std::span<const TensorSpec> outputs, const std::string& text) {
  Tensors results;
  const bool ready = have_values(inputs);
  const bool dry = graph_context().dry;
  // A plan has no place for tables of strings, and knows no complex numbers: such a function stays
  // eager.
  if (ready && (any_strings({}, outputs) || any_complex(inputs, outputs))) {
    if (dry)
      throw NeedsValues("strings or complex numbers are made, which no plan has a place for.");
    if (Tracer* tracer = graph_context().tracer)
      tracer->give_up(any_strings({}, outputs) ? "strings are made" : "complex numbers");
  }
  backend::Backend* const backend = ready ? &backend_of(inputs, nullptr) : nullptr;
  for (const TensorSpec& spec : outputs)
    results.push_back(!ready ? Tensor::abstract(spec.shape, spec.dtype)
                      : dry  ? Tensor::meta(spec.shape, spec.dtype, *backend)
                             : Tensor::empty(spec.shape, spec.dtype, *backend));
  if (!ready) return results;
  if (!dry) {
    // What the host does with the values is not part of the computation.
    PauseRecording pause;
    PauseTracing untraced;
    f(inputs, results);
  }
  // Only the tracer: host work has no gradient, so tapes need not see it.
  if (Tracer* tracer = graph_context().tracer)
    tracer->step({nullptr, nullptr, inputs, results, &f, &text});
  return results;
}

Tensors apply_host(const HostFunction& f, std::span<const Tensor> inputs,
                   std::span<const TensorSpec> outputs, const std::string& text) {
  if (any_complex(inputs, outputs)) refuse_complex(text.empty() ? "work of the host" : text);
  if (any_float8(inputs, outputs)) refuse_float8(text.empty() ? "work of the host" : text);
  return apply_steps(in_host_memory(f), inputs, outputs, text);
}

}  // namespace cornu
