// Chains of elementwise programs become one program, so that what lies between them never goes
// through memory.
#include <algorithm>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

// Bounds on what one pass streams at a time and on the scratch values that it holds; what is saved
// in traffic is lost again when a tile no longer fits the cache or registers spill.
constexpr size_t max_inputs = 16;
constexpr size_t most_instructions = 96;

class Fuser {
 public:
  explicit Fuser(Graph& graph) : graph_(graph) {}

  void run() {
    producers_ = graph_.producers();
    counts_ = graph_.use_counts();
    // In order, so that a consumer meets producers that are as large as they will get.
    for (size_t i = 0; i < graph_.steps.size(); ++i)
      while (fuse_producer(i)) {
      }
    // Producers that were fused stay as empty steps until now: numbers of steps must not change.
    std::erase_if(graph_.steps, [](const Step& step) { return !step.kernel && !step.host; });
  }

 private:
  Step& step(int number) { return graph_.steps[static_cast<size_t>(number)]; }
  const Value& value(const Use& use) const { return graph_.values[static_cast<size_t>(use.value)]; }

  // Merges one of the programs that feed step `number` into it.
  bool fuse_producer(size_t number) {
    Step& consumer = graph_.steps[number];
    if (!program_of(consumer)) return false;
    for (size_t i = 0; i < consumer.inputs.size(); ++i) {
      const int from = producers_[static_cast<size_t>(consumer.inputs[i].value)];
      if (from < 0) continue;
      Step& producer = step(from);
      if (!producer.kernel || !std::holds_alternative<backend::Fused>(*producer.kernel)) continue;
      if (fits(producer, consumer, consumer.inputs[i])) {
        merge(producer, consumer);
        return true;
      }
    }
    return false;
  }

  // A program of numbers only: as cheap to compute again as to read.
  static bool is_number(const Step& producer) {
    const auto& program = **program_of(producer);
    return producer.inputs.empty() && program.instructions().empty();
  }

  // A cast to a wider type, whose operand takes less to read than its result: each reader casts for
  // itself.
  bool is_widening(const Step& producer) const {
    return is_cast(producer) &&
           size_of(value(producer.inputs[0]).dtype) < size_of(value(producer.outputs[0]).dtype);
  }

  // Whether others than `consumer` read what the producer makes.
  bool read_elsewhere(const Step& producer, const Step& consumer) const {
    return std::any_of(producer.outputs.begin(), producer.outputs.end(), [&](const Use& output) {
      const auto here = std::count_if(consumer.inputs.begin(), consumer.inputs.end(),
                                      [&](const Use& use) { return use.value == output.value; });
      return here != counts_[static_cast<size_t>(output.value)];
    });
  }

  // The operation that does to a program's value what storing does: identity where nothing is
  // rounded or cut off. Empty where there is none.
  std::optional<backend::Opcode> storing(const Step& producer, size_t output) const {
    using backend::Opcode;
    const backend::Fused& fused = std::get<backend::Fused>(*producer.kernel);
    const DType stored = value(producer.outputs[output]).dtype;
    if (stored == fused.compute) return Opcode::identity;
    if (fused.compute == DType::float32 && stored == DType::bfloat16) return Opcode::round_bfloat16;
    if (fused.compute == DType::float32 && stored == DType::float16) return Opcode::round_float16;
    if (stored != DType::boolean) return {};
    const backend::Program& program = *fused.program;
    const int first = program.inputs() + static_cast<int>(program.constants().size());
    const int instruction = program.outputs()[output] - first;
    if (instruction < 0) return {};
    const backend::Domain domain =
        backend::info(program.instructions()[static_cast<size_t>(instruction)].op).domain;
    if (domain != backend::Domain::boolean && domain != backend::Domain::logical) return {};
    return Opcode::identity;
  }

  bool fits(const Step& producer, const Step& consumer, const Use& use) {
    const backend::Fused& fused = std::get<backend::Fused>(*producer.kernel);
    // One program computes in one type. Conversions between them would have to round as memory
    // does.
    if (fused.compute != compute_of(consumer)) return false;
    const backend::Program &a = *fused.program, &b = **program_of(consumer);
    if (a.instructions().size() + b.instructions().size() > most_instructions ||
        producer.inputs.size() + consumer.inputs.size() > max_inputs)
      return false;
    for (size_t k = 0; k < producer.outputs.size(); ++k)
      // Results must stay bit for bit what they are without fusion.
      if (!storing(producer, k)) return false;
    // It has no shape that could disagree.
    if (is_number(producer)) return true;
    // Its result would be computed twice, or stored all the same.
    if (read_elsewhere(producer, consumer) && !is_widening(producer)) return false;
    for (const Use& output : producer.outputs)
      for (const Use& input : consumer.inputs)
        // One value under two shapes has no single index in the fused loop.
        if (input.value == output.value && input.shape != use.shape) return false;
    // A broadcast producer would be computed again for each repetition.
    if (use.shape.numel() != iteration_shape(consumer).numel()) return false;
    if (use.shape == producer.outputs[0].shape) return true;
    // Under another shape the producer's operands must be as plain as its result.
    return std::all_of(producer.inputs.begin(), producer.inputs.end(), [&](const Use& input) {
      return input.shape == producer.outputs[0].shape || input.shape.numel() == 1;
    });
  }

  void merge(Step& producer, Step& consumer) {
    const backend::ProgramRef inner = *program_of(producer), outer = *program_of(consumer);
    const bool keeps = is_number(producer) || read_elsewhere(producer, consumer);
    // The consumer may see the result reshaped; the producer's operands then take that shape as
    // well.
    Shape seen = producer.outputs[0].shape;
    for (const Use& input : consumer.inputs)
      for (const Use& output : producer.outputs)
        if (input.value == output.value) seen = input.shape;

    std::vector<Use> inputs;
    std::vector<size_t> outer_places(consumer.inputs.size()), inner_places(producer.inputs.size());
    const auto add = [&](const Use& use) {
      // Operands that both read are loaded once.
      const auto found = std::find(inputs.begin(), inputs.end(), use);
      if (found != inputs.end()) return static_cast<size_t>(found - inputs.begin());
      inputs.push_back(use);
      return inputs.size() - 1;
    };
    const auto output_of_producer = [&](int number) {
      for (size_t k = 0; k < producer.outputs.size(); ++k)
        if (producer.outputs[k].value == number) return static_cast<int>(k);
      return -1;
    };
    for (size_t i = 0; i < producer.inputs.size(); ++i) {
      Use use = producer.inputs[i];
      if (use.shape.numel() == 1)
        use.shape = Shape{};
      else if (seen != producer.outputs[0].shape)
        use.shape = seen;
      inner_places[i] = add(use);
    }
    for (size_t i = 0; i < consumer.inputs.size(); ++i)
      if (output_of_producer(consumer.inputs[i].value) < 0)
        outer_places[i] = add(consumer.inputs[i]);

    backend::ProgramBuilder builder(static_cast<int>(inputs.size()));
    std::vector<backend::Expr> inner_inputs, outer_inputs;
    for (const size_t place : inner_places)
      inner_inputs.push_back(builder.input(static_cast<int>(place)));
    std::vector<backend::Expr> results = append_program(builder, *inner, inner_inputs);
    for (size_t k = 0; k < results.size(); ++k)
      results[k] = builder.append(*storing(producer, k), {results[k]});
    for (size_t i = 0; i < consumer.inputs.size(); ++i) {
      const int output = output_of_producer(consumer.inputs[i].value);
      outer_inputs.push_back(output >= 0 ? results[static_cast<size_t>(output)]
                                         : builder.input(static_cast<int>(outer_places[i])));
    }
    const std::vector<backend::Expr> outputs = append_program(builder, *outer, outer_inputs);
    set_program(consumer, builder.finish(outputs));

    // Counts are kept up to date rather than found anew: fusion asks for them at every step.
    for (const Use& use : consumer.inputs) --counts_[static_cast<size_t>(use.value)];
    if (!keeps) {
      for (const Use& use : producer.inputs) --counts_[static_cast<size_t>(use.value)];
      producer.kernel.reset();
      producer.host = nullptr;
      producer.inputs.clear();
      producer.outputs.clear();
    }
    consumer.inputs = std::move(inputs);
    for (const Use& use : consumer.inputs) ++counts_[static_cast<size_t>(use.value)];
  }

  Graph& graph_;
  std::vector<int> producers_, counts_;
};

}  // namespace

void fuse(Graph& graph) {
  Fuser(graph).run();
  drop_dead(graph);
}

}  // namespace cornu::plan
