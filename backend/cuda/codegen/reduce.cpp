// Reductions. A block of 256 threads is a tile of results times lanes: the lanes of a result walk
// over its elements, then fold their partial results in shared memory. Where the innermost axis is
// reduced, neighboring threads are lanes (rows); else they are results (columns), so that loads
// stand side by side in memory either way. With few results several blocks share each, and a second
// kernel combines their partial results. Sums of a matrix's columns have a kernel of their own, see
// reduce_columns.h.
#include <algorithm>
#include <bit>

#include "codegen.h"
#include "index_space.h"
#include "prelude.h"
#include "program_text.h"
#include "reduce_columns.h"
#include "twofold.h"

namespace cornu::backend::cuda {
namespace {

/// Blocks from which a device counts as full, and elements that make a lane worth a block.
constexpr int64_t wanted_reduce_blocks = 512, lane_elements = 16, most_splits = 1024;

int64_t power_from(int64_t n) {  // the smallest power of two that is not less
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
}

struct Tiling {
  bool rows = true;
  int64_t lanes = 1, results = 1;  ///< of a block; their product is 256
  int64_t splits = 1, chunk = 1;   ///< blocks that share a result, and the elements of each
};

/// For `kept` results of `reduced` elements each. Depends on nothing else, since the order of sums
/// does not.
Tiling tile(bool rows, int64_t kept, int64_t reduced) {
  constexpr int64_t threads = Stage::block;
  Tiling tiling;
  tiling.rows = rows;
  if (rows) {
    // A warp for a row, fewer threads for short rows, a block for long ones.
    // Lanes within a warp need no barrier of the block.
    tiling.lanes = std::min<int64_t>(power_from(reduced), 32);
    const bool few = kept * 32 < wanted_reduce_blocks * threads / 4;
    if (reduced >= 4096 || (few && reduced >= 256)) tiling.lanes = threads;
  } else {
    tiling.results = std::min<int64_t>(power_from(kept), 32);
    tiling.lanes = std::min(threads / tiling.results, power_from(reduced));
  }
  tiling.results = threads / tiling.lanes;
  const int64_t blocks = (kept + tiling.results - 1) / tiling.results;
  const int64_t useful = reduced / (tiling.lanes * lane_elements);
  tiling.splits = std::clamp<int64_t>(
      std::min((wanted_reduce_blocks + blocks - 1) / blocks, useful), 1, most_splits);
  // A second kernel costs a launch, which only an idle device is worth.
  if (blocks >= wanted_reduce_blocks / 2) tiling.splits = 1;
  tiling.chunk = std::max<int64_t>((reduced + tiling.splits - 1) / tiling.splits, 1);
  tiling.splits = std::max<int64_t>((reduced + tiling.chunk - 1) / tiling.chunk, 1);
  return tiling;
}

// For `kept` results of so many partial ones, which are few: what they take is the waits for
// memory, so each lane has a few loads only.
Tiling tile_of_partials(int64_t kept, int64_t partials) {
  Tiling tiling = tile(kept == 1, kept, partials);
  if (kept > 1) {
    tiling.lanes = std::clamp<int64_t>(power_from((partials + 7) / 8), 8, 64);
    tiling.results = Stage::block / tiling.lanes;
  }
  tiling.splits = 1;
  tiling.chunk = partials;
  return tiling;
}

const char* combine_name(ReduceOp op) {
  switch (op) {
    case ReduceOp::product:
      return "combine_product";
    case ReduceOp::maximum:
      return "combine_maximum";
    case ReduceOp::minimum:
      return "combine_minimum";
    case ReduceOp::argmax:
      return "combine_best<true>";
    case ReduceOp::argmin:
      return "combine_best<false>";
    default:
      return "combine_sum";
  }
}

bool is_arg(ReduceOp op) { return op == ReduceOp::argmax || op == ReduceOp::argmin; }

/// What both kernels of a reduction know.
struct Parts {
  const Reduce& kernel;
  const Operand& output;
  int output_operand;
  bool empty;         ///< there are no elements
  bool slow_doubles;  ///< see PlanOptions

  bool arg() const { return is_arg(kernel.op); }
  bool twofold() const {
    return slow_doubles && kernel.op == ReduceOp::sum && kernel.compute == DType::float32 &&
           is_float(output.dtype) && size_of(output.dtype) <= 4;
  }
  bool widened() const {
    return kernel.compute == DType::float32 &&
           (kernel.op == ReduceOp::sum || kernel.op == ReduceOp::product);
  }
  DType value_type() const { return widened() ? DType::float64 : kernel.compute; }
  /// Of partial results, in memory.
  std::string accumulator() const {
    const std::string type = type_text(value_type());
    return twofold() ? "Twofold" : arg() ? "Best<" + type + ">" : type;
  }
  size_t accumulator_bytes() const { return arg() ? 16 : size_of(value_type()); }
  /// What combines two of them.
  std::string combine() const { return twofold() ? "added" : combine_name(kernel.op); }

  std::string neutral() const {
    if (twofold()) return "Twofold{0, 0}";
    const std::string type = type_text(value_type());
    if (arg()) return "Best<" + type + ">{0, -1}";
    if (kernel.op == ReduceOp::sum) return "static_cast<" + type + ">(0)";
    if (kernel.op == ReduceOp::product) return "static_cast<" + type + ">(1)";
    const std::string limit = kernel.op == ReduceOp::minimum ? "highest" : "lowest";
    // Of nothing, the limit of an integer output's type is wanted.
    if (empty && !is_float(output.dtype) && !is_float(value_type())) {
      if (output.dtype == DType::boolean)
        return "static_cast<" + type + ">(" + (limit == "highest" ? "1" : "0") + ")";
      return "static_cast<" + type + ">(" + limit + "<" + type_text(output.dtype) + ">())";
    }
    return limit + "<" + type + ">()";
  }
};

/// How a stage gets its elements.
struct Elements {
  std::string functions;  ///< before the kernel
  std::string pointers;   ///< lines of a thread
  std::string of_result;  ///< lines that depend on `kept`
  std::string evaluate;   ///< lines of a function of `r` that return an element
  std::string type;       ///< of an element
  std::string combine;    ///< combines elements
  int64_t kept, reduced;
  int together = 4;  ///< elements loaded before they are combined
};

Stage make_stage(const Parts& parts, const Elements& elements, const Tiling& tiling, bool wide,
                 bool last, int workspace, ArgumentList& arguments) {
  const std::string accumulator = parts.accumulator(), combine = parts.combine();
  const std::string lanes = std::to_string(tiling.lanes), results = std::to_string(tiling.results);
  const std::string kept = arguments.word(static_cast<uint64_t>(elements.kept), "Index");
  const std::string reduced = arguments.word(static_cast<uint64_t>(elements.reduced), "Index");
  const std::string chunk = arguments.word(static_cast<uint64_t>(tiling.chunk), "Index");
  // Neighboring threads are lanes of a row, or neighboring results of a column: see above.
  const bool one_result = tiling.rows;
  const std::string place = "      const Index kept = static_cast<Index>(blockIdx.x) * " + results +
                            " + thread " + (one_result ? "/ " + lanes : "% " + results) +
                            ";\n      const uint32 lane = thread " +
                            (one_result ? "% " + lanes : "/ " + results) + ";\n";
  const auto as_accumulator = [&](const std::string& x) {
    // To a Twofold a float is added as it is.
    if (elements.type == accumulator || parts.twofold()) return x;
    return "static_cast<" + accumulator + ">(" + x + ")";
  };

  std::string text = "namespace cornu_device { namespace @SPACE@ {\ntypedef " +
                     std::string(wide ? "uint64" : "uint32") + " Index;\n";
  std::string body =
      (parts.twofold() ? twofold_text : "") + elements.functions + kernel_head() +
      "  CORNU_SHARED " + accumulator +
      " shared[256];\n  CORNU_EACH_THREAD {\n    const uint32 thread = threadIdx.x;\n    {\n" +
      place + "      " + accumulator + " total = " + parts.neutral() + ";\n      if (kept < " +
      kept + ") {\n" + elements.pointers + elements.of_result +
      "        const auto element = [&](Index r) -> " + elements.type + " {\n" + elements.evaluate +
      "        };\n        const Index begin = " + "static_cast<Index>(blockIdx.y) * " + chunk +
      ";\n        const Index last = " + reduced +
      " - begin;\n        const Index end = begin + (last < " + chunk + " ? last : " + chunk +
      ");\n        Index r = begin + lane;\n";
  // Several loads are in flight before the first is used, which hides their latency.
  if (elements.together > 1) {
    const std::string ahead = std::to_string((elements.together - 1) * tiling.lanes);
    body += "        for (; r + " + ahead +
            " < end; r += " + std::to_string(elements.together * tiling.lanes) + ") {\n";
    for (int k = 0; k < elements.together; ++k)
      body += "          const " + elements.type + " e" + std::to_string(k) + " = element(r + " +
              std::to_string(k * tiling.lanes) + ");\n";
    // Pairwise.
    std::vector<std::string> terms;
    for (int k = 0; k < elements.together; ++k) terms.push_back("e" + std::to_string(k));
    // Also more exact than adding one after the other.
    while (terms.size() > 1) {
      std::vector<std::string> pairs;
      for (size_t k = 0; k < terms.size(); k += 2)
        pairs.push_back(elements.combine + "(" + terms[k] + ", " + terms[k + 1] + ")");
      terms = pairs;
    }
    body +=
        "          total = " + combine + "(total, " + as_accumulator(terms[0]) + ");\n        }\n";
  }
  body += "        for (; r < end; r += " + lanes + ") total = " + combine + "(total, " +
          as_accumulator("element(r)") + ");\n      }\n      shared[thread] = total;\n    }\n  }\n";
  // The lanes of a row of up to a warp are in one warp.
  const std::string barrier =
      tiling.rows && tiling.lanes <= 32 ? "  CORNU_WARP_BARRIER\n" : "  CORNU_BLOCK_BARRIER\n";
  for (int64_t step = tiling.lanes / 2; step > 0; step /= 2) {
    const std::string distance = std::to_string(tiling.rows ? step : step * tiling.results);
    const std::string condition = tiling.rows
                                      ? "(threadIdx.x % " + lanes + ") < " + std::to_string(step)
                                      : "threadIdx.x < " + distance;
    body += barrier + "  CORNU_EACH_THREAD {\n    if (" + condition +
            ") shared[threadIdx.x] = " + combine + "(shared[threadIdx.x], shared[threadIdx.x + " +
            distance + "]);\n  }\n";
  }
  body += barrier + "  CORNU_EACH_THREAD {\n    const uint32 thread = threadIdx.x;\n    {\n" +
          place + "      if (lane == 0 && kept < " + kept + ") {\n        const " + accumulator +
          " total = shared[thread];\n";
  if (!last) {
    body += "        " + arguments.pointer(workspace, accumulator) +
            "[static_cast<Index>(blockIdx.y) * " + kept + " + kept] = total;\n";
  } else {
    const std::string stored = type_text(parts.output.dtype), type = type_text(parts.value_type());
    std::string value = "total";
    if (parts.arg())
      value = "(total.index < 0 ? static_cast<int64>(0) : total.index)";
    else if (parts.twofold())
      value = scaled_twofold(value, parts.kernel.scale, arguments);
    else if (parts.kernel.scale != 1)
      value = "convert<" + type + ">(static_cast<double>(total) * " +
              arguments.number(parts.kernel.scale) + ")";
    body += "        " + arguments.pointer(parts.output_operand, stored) + "[kept] = convert<" +
            stored + ">(" + value + ");\n";
  }
  body += "      }\n    }\n  }\n}\n} }\n";

  Stage stage;
  stage.source = make_source("reduce", text + arguments.declaration() + body);
  stage.grid_x = blocks_for(elements.kept, tiling.results, int64_t{0x7FFFFFFF});
  // The split is a fixed part of the plan: atomics would add in another order each time.
  stage.grid_y = static_cast<uint32_t>(tiling.splits);
  stage.pointers = arguments.pointers();
  stage.words = arguments.words();
  return stage;
}

/// The elements that a program makes of its inputs.
Elements program_elements(const Parts& parts, const IndexSpace& space,
                          std::span<const Operand> inputs, ArgumentList& arguments) {
  const Program& program = *parts.kernel.program;
  std::vector<int> kept, reduced;
  Elements elements;
  elements.kept = elements.reduced = 1;
  for (size_t a = 0; a < space.axes.size(); ++a) {
    (space.axes[a].reduced ? reduced : kept).push_back(static_cast<int>(a));
    (space.axes[a].reduced ? elements.reduced : elements.kept) *= space.axes[a].size;
  }
  const std::string type = type_text(parts.kernel.compute), in = "        ", inner = "          ";
  std::vector<std::string> values(inputs.size());
  std::string loads;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!program.reads(static_cast<int>(i))) continue;
    const std::string id = std::to_string(i), stored = type_text(inputs[i].dtype);
    std::string pointer = arguments.pointer(static_cast<int>(i), "const " + stored);
    const std::string outer = offset(space, i, kept, 1, arguments);
    const std::string along = offset(space, i, reduced, 1, arguments);
    if (!outer.empty()) pointer += " + (" + outer + ")";
    elements.pointers += in + "const " + stored + "* const in" + id + " = " + pointer + ";\n";
    values[i] = "x" + id;
    // What does not change along the reduced axes is loaded once.
    const std::string load = "const " + type + " x" + id + " = convert<" + type + ">(in" + id +
                             "[" + (along.empty() ? "0" : along) + "]);\n";
    if (along.empty())
      elements.pointers += in + load;
    else
      loads += inner + load;
  }
  if (parts.empty) {
    // No address is looked at.
    elements.pointers.clear();
    loads.clear();
    for (std::string& value : values) value = "static_cast<" + type + ">(0)";
  }
  elements.of_result = "";
  if (!kept.empty())
    elements.pointers = coordinates(space, kept, "kept", 1, in, arguments) + elements.pointers;
  std::string along;
  if (!reduced.empty()) along = coordinates(space, reduced, "r", 1, inner, arguments);
  const ProgramText text = program_text(program, parts.kernel.compute, values, inner);
  elements.functions = text.functions;
  elements.type = parts.arg() ? "Best<" + type + ">" : type;
  const std::string result = text.results[0];
  elements.evaluate =
      along + loads + text.statements + inner + "return " +
      (parts.arg() ? elements.type + "{" + result + ", static_cast<int64>(r)}" : result) + ";\n";
  elements.combine = combine_name(parts.kernel.op);
  const int cost = program_cost(program);
  // Long programs have enough to do between loads, and would spill their registers.
  elements.together = cost <= 8 ? 8 : cost <= 64 ? 4 : 1;
  return elements;
}

}  // namespace

KernelPlan plan(const Reduce& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options) {
  check_compute("Reduce", kernel.compute);
  KernelPlan plan;
  if (outputs[0].shape->numel() == 0) return plan;
  IndexSpace space(kernel.shape, *kernel.program, inputs, kernel.axes);
  const Parts parts{kernel, outputs[0], static_cast<int>(inputs.size()), space.numel == 0,
                    options.slow_doubles};
  const int workspace = static_cast<int>(inputs.size() + outputs.size());
  ArgumentList arguments;
  const bool wide = is_wide(space.numel);
  if (parts.empty) {
    // Results of nothing: as many as the output has, of no elements.
    space.axes.assign(2, {});
    space.axes[0].size = outputs[0].shape->numel();
    space.axes[1].size = 0;
    space.axes[1].reduced = true;
    for (SpaceAxis& axis : space.axes) axis.strides.assign(inputs.size(), 0);
  }
  const Elements elements = program_elements(parts, space, inputs, arguments);
  const bool rows = space.axes.empty() || space.axes.back().reduced;
  Tiling tiling = tile(rows, elements.kept, elements.reduced);
  if (const auto columns = column_sums(kernel, space, inputs); columns && options.alignment >= 16) {
    tiling.splits = columns->splits;
    plan.stages.push_back(column_sums_stage(*columns, inputs[0].dtype, workspace, parts.twofold()));
  } else {
    const bool split = tiling.splits > 1;
    plan.stages.push_back(make_stage(parts, elements, tiling, wide, !split, workspace, arguments));
    if (!split) return plan;
  }

  // The partial results: (splits, kept).
  plan.workspace_bytes =
      static_cast<size_t>(tiling.splits * elements.kept) * parts.accumulator_bytes();
  ArgumentList more;
  Elements partial;
  partial.kept = elements.kept;
  partial.reduced = tiling.splits;
  partial.type = parts.accumulator();
  partial.combine = parts.combine();
  partial.pointers = "        const " + partial.type +
                     "* const partial = " + more.pointer(workspace, "const " + partial.type) +
                     ";\n";
  partial.evaluate = "          return partial[r * " +
                     more.word(static_cast<uint64_t>(elements.kept), "Index") + " + kept];\n";
  const Tiling second = tile_of_partials(elements.kept, tiling.splits);
  plan.stages.push_back(make_stage(parts, partial, second, wide, true, workspace, more));
  return plan;
}

}  // namespace cornu::backend::cuda
