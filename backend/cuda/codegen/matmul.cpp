// Products of matrices of any type.
#include "../../error.h"
#include "codegen.h"
#include "product_stages.h"

namespace cornu::backend::cuda {

KernelPlan plan(const Matmul& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions&) {
  KernelPlan plan;
  const Operand &a = inputs[0], &b = inputs[1], &output = outputs[0];
  const int64_t numel = output.shape->numel();
  if (numel == 0) return plan;
  const int rank = output.shape->rank(), a_rank = a.shape->rank(), b_rank = b.shape->rank();
  ProductTask task;
  task.kind = "matmul";
  task.m = (*output.shape)[rank - 2];
  task.n = (*output.shape)[rank - 1];
  task.k = (*a.shape)[kernel.transpose_a ? a_rank - 2 : a_rank - 1];
  task.largest = std::max({numel, a.shape->numel(), b.shape->numel()});
  task.real = product_type(inputs.first(2), output);
  task.a_along_k = !kernel.transpose_a;
  task.b_along_n = !kernel.transpose_b;
  task.workspace = static_cast<int>(inputs.size() + 1);

  const Shape batch = output.shape->slice(0, rank - 2);
  const std::vector<int64_t> a_strides = broadcast_strides(a.shape->slice(0, a_rank - 2), batch),
                             b_strides = broadcast_strides(b.shape->slice(0, b_rank - 2), batch);
  std::vector<BoxAxis> axes;
  for (int i = 0; i < rank - 2; ++i) {
    const size_t at = static_cast<size_t>(i);
    axes.push_back({batch[i], {a_strides[at] * task.m * task.k, b_strides[at] * task.k * task.n}});
  }
  axes = merged(axes);
  task.slices = batch.numel();
  // All of a against one b: the rows of the whole batch are one matrix.
  if (!kernel.transpose_a && axes.size() == 1 && axes[0].strides[1] == 0 &&
      axes[0].strides[0] == task.m * task.k) {
    task.m *= task.slices;
    task.slices = 1;
    axes.clear();
  }
  task.declare = [&](KernelText& text) {
    text.type("A", kernel.float8_a.value_or(a.dtype));
    text.type("B", kernel.float8_b.value_or(b.dtype));
    text.type("C", output.dtype);
    text.pointer("a_data", 0, "const A");
    text.pointer("b_data", 1, "const B");
    if (kernel.bias) text.pointer("bias", 2, "const " + type_text(inputs[2].dtype));
    text.pointer("c_data", static_cast<int>(inputs.size()), "C");
    text.index("height", task.m);
    text.index("width", task.n);
    text.index("depth", task.k);
  };
  task.of_slice = [&](KernelText& text) { return text.walk(axes, "slice", {"a_at", "b_at"}); };
  task.load_a = std::string("return convert<Real>(a_data[a_at + ") +
                (kernel.transpose_a ? "k * height + m]);" : "m * depth + k]);");
  task.load_b = std::string("return convert<Real>(b_data[b_at + ") +
                (kernel.transpose_b ? "n * depth + k]);" : "k * width + n]);");
  task.store = std::string(kernel.bias ? "value += convert<Real>(bias[n]);\n" : "") +
               (kernel.relu ? "value = max(value, static_cast<Real>(0));\n" : "") +
               "c_data[(slice * height + m) * width + n] = convert<C>(value);";
  add_product(plan, task);
  return plan;
}

}  // namespace cornu::backend::cuda
