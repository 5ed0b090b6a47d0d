// What is gathered from a cast array is gathered first and cast then: fewer numbers are cast, and
// no cast array is written and read. Nor is one for the sums of a softmax, which computes in a wide
// type whatever it reads.
#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

class CastPass {
 public:
  explicit CastPass(Graph& graph)
      : graph_(graph), producers_(graph.producers()), counts_(graph.use_counts()) {}

  void run() {
    std::vector<std::optional<Step>> casts;
    casts.reserve(graph_.steps.size());
    for (Step& step : graph_.steps) {
      read_narrow(step);
      casts.push_back(exchange(step));
    }
    insert_behind(graph_, std::move(casts));
  }

 private:
  const Value& value(const Use& use) const { return graph_.values[static_cast<size_t>(use.value)]; }

  bool widens(const Step& cast) const {
    return size_of(value(cast.inputs[0]).dtype) < size_of(value(cast.outputs[0]).dtype);
  }

  void read_narrow(Step& step) {
    const auto* const softmax =
        step.kernel ? std::get_if<backend::Softmax>(&*step.kernel) : nullptr;
    if (!softmax || !softmax->sums) return;
    const int from = producers_[static_cast<size_t>(step.inputs[0].value)];
    if (from < 0) return;
    const Step& cast = graph_.steps[static_cast<size_t>(from)];
    if (is_cast(cast) && widens(cast) && is_float(value(cast.inputs[0]).dtype) &&
        value(step.inputs[0]).dtype == DType::float32)
      step.inputs[0].value = cast.inputs[0].value;
  }

  // Lets a gather read what its array was cast from; the step that casts its result comes behind
  // it.
  std::optional<Step> exchange(Step& gather) {
    if (!gather.kernel || !std::holds_alternative<backend::Gather>(*gather.kernel)) return {};
    Use& array = gather.inputs[0];
    const int from = producers_[static_cast<size_t>(array.value)];
    if (from < 0) return {};
    const Step& cast = graph_.steps[static_cast<size_t>(from)];
    if (!is_cast(cast) || gather.outputs[0].shape.numel() > array.shape.numel()) return {};
    // Where others read the cast array, it is made anyhow: then what is narrower is gathered.
    if (!widens(cast) && counts_[static_cast<size_t>(array.value)] > 1) return {};
    Step behind = cast;
    behind.where = gather.where;
    behind.again = gather.again;
    behind.outputs = gather.outputs;
    const Use gathered{
        graph_.add_value(value(cast.inputs[0]).dtype, gather.outputs[0].shape.numel()),
        gather.outputs[0].shape};
    behind.inputs = {gathered};
    gather.outputs = {gathered};
    array.value = cast.inputs[0].value;
    return behind;
  }

  Graph& graph_;
  std::vector<int> producers_, counts_;
};

}  // namespace

void sink_casts(Graph& graph) {
  CastPass(graph).run();
  drop_dead(graph);
}

}  // namespace cornu::plan
