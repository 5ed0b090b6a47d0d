// Fused kernels: one loop over the outputs' elements, several at once where vectors can be loaded.
#include <algorithm>

#include "codegen.h"
#include "index_space.h"
#include "prelude.h"
#include "program_text.h"

namespace cornu::backend::cuda {
namespace {

/// Elements of a vector: 16 bytes of the widest operand that has all elements, where addresses and
/// rows allow it. Others come from a cache, in several loads if need be.
int64_t vector_width(const IndexSpace& space, const Program& program,
                     std::span<const Operand> inputs, std::span<const Operand> outputs,
                     const PlanOptions& options) {
  size_t widest = 1;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (space.dense(i)) widest = std::max(widest, size_of(inputs[i].dtype));
  for (const Operand& output : outputs) widest = std::max(widest, size_of(output.dtype));
  int64_t width = std::min<int64_t>(std::clamp(options.alignment, 1, 16) / static_cast<int>(widest),
                                    most_together(program));
  // A vector never leaves the innermost row. Where there is one row only, its rest is cut off.
  while (width > 1 && space.axes.size() > 1 && space.axes.back().size % width != 0) width /= 2;
  while (width > 1 && space.numel < width) width /= 2;
  return std::max<int64_t>(width, 1);
}

}  // namespace

KernelPlan plan(const Fused& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options) {
  check_compute("Fused", kernel.compute);
  KernelPlan plan;
  if (outputs.empty() || outputs[0].shape->numel() == 0) return plan;
  const Program& program = *kernel.program;
  const IndexSpace space(*outputs[0].shape, program, inputs);
  const int64_t width = vector_width(space, program, inputs, outputs, options);
  const int64_t count = (space.numel + width - 1) / width;
  const bool whole = space.axes.size() > 1 || space.numel % width == 0;
  const std::string n = std::to_string(width), type = type_text(kernel.compute);
  const std::string rest = whole ? ")" : ", left)";

  ArgumentList arguments;
  std::vector<int> all_axes;
  for (size_t a = 0; a < space.axes.size(); ++a) all_axes.push_back(static_cast<int>(a));
  std::string before, loads, stores, coordinate_lines;
  std::vector<std::string> values(inputs.size());
  bool coordinates_needed = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!program.reads(static_cast<int>(i))) continue;
    const std::string id = std::to_string(i), stored = type_text(inputs[i].dtype);
    const std::string pointer = arguments.pointer(static_cast<int>(i), "const " + stored);
    if (space.scalar(i) && !space.dense(i)) {
      before += "    const " + type + " x" + id + " = convert<" + type + ">(*" + pointer + ");\n";
      values[i] = "x" + id;
      continue;
    }
    before += "    const " + stored + "* const in" + id + " = " + pointer + ";\n";
    std::string from = "in" + id + " + first";
    if (!space.dense(i)) {
      coordinates_needed = true;
      from = "in" + id + " + (" + offset(space, i, all_axes, width, arguments) + ")";
    }
    const bool splat = !space.dense(i) && space.axes.back().strides[i] == 0;
    if (splat) {
      loads += "      const " + type + " x" + id + " = convert<" + type + ">(*(" + from + "));\n";
      values[i] = "x" + id;
    } else {
      loads += "      const auto pack" + id + " = load_pack<" + n + ">(" + from +
               (space.dense(i) ? rest : ")") + ";\n";
      values[i] = "convert<" + type + ">(pack" + id + ".v[e])";
    }
  }
  if (coordinates_needed)
    coordinate_lines = coordinates(space, all_axes, "i", width, "      ", arguments);

  // The expression of an input stands once for each reader: name those of packs.
  std::string named;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (values[i].empty() || values[i][0] == 'x') continue;
    named += "        const " + type + " x" + std::to_string(i) + " = " + values[i] + ";\n";
    values[i] = "x" + std::to_string(i);
  }
  const ProgramText text = program_text(program, kernel.compute, values, "        ");
  std::string results, declarations;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const std::string id = std::to_string(k), stored = type_text(outputs[k].dtype);
    before += "    " + stored + "* const out" + id + " = " +
              arguments.pointer(static_cast<int>(inputs.size() + k), stored) + ";\n";
    declarations += "      Pack<" + stored + ", " + n + "> result" + id + ";\n";
    results +=
        "        result" + id + ".v[e] = convert<" + stored + ">(" + text.results[k] + ");\n";
    stores += "      store_pack<" + n + ">(result" + id + ", out" + id + " + first" + rest + ";\n";
  }
  const std::string count_word = arguments.word(static_cast<uint64_t>(count), "Index");
  const std::string numel_word =
      whole ? "" : arguments.word(static_cast<uint64_t>(space.numel), "Index");
  const bool wide = is_wide(space.numel);
  const std::string body =
      "namespace cornu_device { namespace @SPACE@ {\ntypedef " +
      std::string(wide ? "uint64" : "uint32") + " Index;\n" + arguments.declaration() +
      text.functions + kernel_head() + "  CORNU_EACH_THREAD {\n" + before +
      "    const Index stride = static_cast<Index>(gridDim.x) * blockDim.x;\n" +
      "    for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < " +
      count_word + "; i += stride) {\n      const Index first = i * " + n + ";\n" +
      (whole ? "" : "      const Index left = " + numel_word + " - first;\n") + coordinate_lines +
      loads + declarations + "#pragma unroll\n      for (int e = 0; e < " + n + "; ++e) {\n" +
      named + text.statements + results + "      }\n" + stores + "    }\n  }\n}\n} }\n";

  Stage& stage = plan.stages.emplace_back();
  stage.source = make_source("fused", body);
  // A few waves of blocks; each thread walks on from there.
  stage.grid_x = blocks_for(count, Stage::block, int64_t{32} * options.multiprocessors);
  stage.pointers = arguments.pointers();
  stage.words = arguments.words();
  return plan;
}

}  // namespace cornu::backend::cuda
