// One program on many sets of operands: each set has a row of blocks of one launch.
#include <fmt/core.h>

#include <algorithm>

#include "../../error.h"
#include "codegen.h"
#include "index_space.h"
#include "prelude.h"
#include "program_text.h"

namespace cornu::backend::cuda {
namespace {

// Arguments of a launch may have 4096 bytes on all devices.
constexpr size_t most_words = 500;

// The sets of one launch, with all of their operands.
struct Sets {
  const MultiTensorFused& kernel;
  std::span<const Operand> inputs, outputs;
  size_t ins, outs;  // of each set
  size_t first, count;

  const Operand& input(size_t set, size_t i) const { return inputs[(first + set) * ins + i]; }
  const Operand& output(size_t set, size_t i) const { return outputs[(first + set) * outs + i]; }
};

// Elements that a thread computes together: 16 bytes of the widest operand.
int64_t vector_width(const Sets& s, const PlanOptions& options) {
  size_t widest = 1;
  for (size_t i = 0; i < s.ins; ++i) widest = std::max(widest, size_of(s.input(0, i).dtype));
  for (size_t k = 0; k < s.outs; ++k) widest = std::max(widest, size_of(s.output(0, k).dtype));
  return std::clamp<int64_t>(std::clamp(options.alignment, 1, 16) / static_cast<int>(widest), 1,
                             most_together(*s.kernel.each.program));
}

// How an input's elements are found in the sets of a launch. A set of one element may count as any.
enum class Spread { elements, single, either };

Spread spread_of(const Sets& s, size_t i) {
  bool elements = false, single = false;
  for (size_t set = 0; set < s.count; ++set)
    if (s.output(set, 0).shape->numel() != 1)
      (s.input(set, i).shape->numel() == 1 ? single : elements) = true;
  return single && elements ? Spread::either : elements ? Spread::elements : Spread::single;
}

Stage stage_of(const Sets& s, const PlanOptions& options) {
  const std::string type = type_text(s.kernel.each.compute), sets = std::to_string(s.count);
  ArgumentList arguments;
  // args.data: the inputs of all sets, then their outputs; args.word: the sizes of all sets, then a
  // bit for each input that is one number for the whole set.
  for (size_t k = 0; k < s.count * s.ins; ++k)
    arguments.pointer(static_cast<int>(s.first * s.ins + k), "void");
  for (size_t k = 0; k < s.count * s.outs; ++k)
    arguments.pointer(static_cast<int>(s.inputs.size() + s.first * s.outs + k), "void");
  int64_t largest = 0;
  for (size_t set = 0; set < s.count; ++set) {
    const int64_t size = s.output(set, 0).shape->numel();
    largest = std::max(largest, size);
    arguments.word(static_cast<uint64_t>(size), "uint32");
  }
  for (size_t set = 0; set < s.count; ++set) {
    uint64_t single = 0;
    for (size_t i = 0; i < s.ins; ++i)
      if (s.input(set, i).shape->numel() == 1) single |= uint64_t{1} << i;
    arguments.word(single, "uint64");
  }

  const int64_t width = vector_width(s, options);
  const std::string n = std::to_string(width);
  // Where no set ends within a vector, loads and stores have no conditions, around which they would
  // wait for each other.
  bool whole = true;
  for (size_t set = 0; set < s.count; ++set) whole &= s.output(set, 0).shape->numel() % width == 0;
  const std::string rest = whole ? ")" : ", count - first)";
  std::string before, loads, named, declarations, results, stores;
  std::vector<std::string> values(s.ins);
  for (size_t i = 0; i < s.ins; ++i) {
    if (!s.kernel.each.program->reads(static_cast<int>(i))) continue;
    const std::string id = std::to_string(i), stored = type_text(s.input(0, i).dtype);
    values[i] = "x" + id;
    const std::string from = fmt::format("static_cast<const {}*>(inputs[{}])", stored, id);
    const Spread spread = spread_of(s, i);
    if (spread == Spread::single) {
      before += fmt::format("    const {0} x{1} = convert<{0}>(*{2});\n", type, id, from);
      continue;
    }
    std::string place = "first", left = rest, element = "e";
    if (spread == Spread::either) {
      const std::string is_single = fmt::format("(single >> {} & 1) != 0 ? ", id);
      place = fmt::format("({}0 : first)", is_single);
      left = fmt::format(", {}1 : count - first)", is_single);
      element = is_single + "0 : e";
    }
    loads += fmt::format("      const auto pack{} = load_pack<{}>({} + {}{};\n", id, width, from,
                         place, left);
    named +=
        fmt::format("        const {0} x{1} = convert<{0}>(pack{1}.v[{2}]);\n", type, id, element);
  }
  const ProgramText text =
      program_text(*s.kernel.each.program, s.kernel.each.compute, values, "        ");
  for (size_t k = 0; k < s.outs; ++k) {
    const std::string id = std::to_string(k), stored = type_text(s.output(0, k).dtype);
    declarations += fmt::format("      Pack<{}, {}> result{};\n", stored, width, id);
    results +=
        fmt::format("        result{}.v[e] = convert<{}>({});\n", id, stored, text.results[k]);
    stores += fmt::format(
        "      store_pack<{0}>(result{1}, static_cast<{2}*>(outputs[{1}]) + first{3};\n", width, id,
        stored, rest);
  }
  const std::string body =
      "namespace cornu_device { namespace @SPACE@ {\n" + arguments.declaration() + text.functions +
      kernel_head() +
      "  CORNU_EACH_THREAD {\n"
      "    const uint32 set = blockIdx.y;\n"
      "    void* const* const inputs = args.data + set * " +
      std::to_string(s.ins) +
      ";\n"
      "    void* const* const outputs = args.data + " +
      std::to_string(s.count * s.ins) + " + set * " + std::to_string(s.outs) +
      ";\n"
      "    const uint32 count = static_cast<uint32>(args.word[set]), stride = gridDim.x * "
      "blockDim.x * " +
      n +
      ";\n"
      "    const uint64 single = args.word[" +
      sets + " + set];\n" + before +
      "    for (uint32 first = (blockIdx.x * blockDim.x + threadIdx.x) * " + n +
      "; first < count; first += stride) {\n" + loads + declarations +
      "#pragma unroll\n      for (int e = 0; e < " + n + "; ++e) {\n" + named + text.statements +
      results + "      }\n" + stores + "    }\n  }\n}\n} }\n";

  Stage stage;
  stage.source = make_source("fused_sets", body);
  // All sets together have as many blocks as one array of their size would.
  const int64_t most = int64_t{32} * options.multiprocessors / static_cast<int64_t>(s.count);
  stage.grid_x = blocks_for((largest + width - 1) / width, Stage::block,
                            std::max<int64_t>(most, options.multiprocessors));
  stage.grid_y = static_cast<uint32_t>(s.count);
  stage.pointers = arguments.pointers();
  stage.words = arguments.words();
  return stage;
}

}  // namespace

KernelPlan plan(const MultiTensorFused& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options) {
  check_compute("MultiTensorFused", kernel.each.compute);
  const auto sets = static_cast<size_t>(kernel.sets);
  const size_t ins = inputs.size() / sets, outs = outputs.size() / sets;
  if (ins > 64)
    throw UnsupportedError("MultiTensorFused: expected at most 64 inputs of a set, found " +
                           std::to_string(ins) + ".");
  for (size_t set = 0; set < sets; ++set) {
    const Shape& shape = *outputs[set * outs].shape;
    for (const Operand& operand : inputs.subspan(set * ins, ins))
      if (operand.shape->numel() != 1 && operand.shape->numel() != shape.numel())
        throw UnsupportedError("MultiTensorFused: expected inputs of the shape " + shape.str() +
                               " or of one element, found " + operand.shape->str() + ".");
    if (shape.numel() >= int64_t{1} << 31)
      throw UnsupportedError("MultiTensorFused: expected less than 2147483648 elements, found " +
                             std::to_string(shape.numel()) + ".");
  }
  KernelPlan plan;
  const size_t together = std::max<size_t>(1, most_words / (ins + outs + 2));
  for (size_t first = 0; first < sets; first += together)
    plan.stages.push_back(stage_of(
        {kernel, inputs, outputs, ins, outs, first, std::min(together, sets - first)}, options));
  return plan;
}

}  // namespace cornu::backend::cuda
