// Comparing what two models give.
#include "distillation_loss.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../ops/nn/softmax.h"
#include "../../ops/numpy/reduction.h"
#include "../../tensor/tree.h"

namespace cornu::distillation {

void DistillationLoss::validate_outputs(const Nest& teacher, const Nest& student) const {
  tree::assert_same_structure(teacher, student);
}

void DistillationLoss::validate_model_compatibility(const Model&, const Model&) const {}

// --- losses of single outputs
// ----------------------------------------------------------------------

OutputLosses::OutputLosses(const LossOption& option, const std::string& who)
    : who_(who), is_list_(!option.list().empty()), is_dict_(!option.dict().empty()) {
  for (const LossOption& one : option.list()) add("", one);
  for (const auto& [key, one] : option.dict()) add(key, one);
  if (!is_list_ && !is_dict_) add("", option);
  if (is_dict_)
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.key < b.key; });
  if (std::none_of(entries_.begin(), entries_.end(), [](const Entry& e) { return bool(e.loss); }))
    throw ValueError(who_ + ": option 'loss' has no loss. At least one output needs one.");
}

void OutputLosses::add(const std::string& key, const LossOption& option) {
  if (!option.list().empty() || !option.dict().empty())
    throw ValueError(who_ + ": option 'loss' must be one loss, or a list or dictionary of losses.");
  entries_.push_back({key, option.empty() ? nullptr : option.make(), option.name().empty()});
}

void OutputLosses::check(const Nest& outputs) const {
  bool fits = is_list_ == outputs.is_list() && is_dict_ == outputs.is_dict() &&
              outputs.flatten().size() == entries_.size() && outputs.size() == entries_.size();
  if (fits && is_dict_)
    for (const Entry& entry : entries_)
      fits &= std::any_of(outputs.entries().begin(), outputs.entries().end(),
                          [&](const auto& output) { return output.first == entry.key; });
  if (!fits)
    throw ValueError(fmt::format(
        "{}: option 'loss' is {}, and the outputs are {}. It must be nested as they are.", who_,
        is_dict_   ? fmt::format("a dictionary of {}", entries_.size())
        : is_list_ ? fmt::format("a list of {}", entries_.size())
                   : "one loss",
        outputs.structure()));
}

Tensor OutputLosses::sum(const Nest& teacher, const Nest& student,
                         const OfOutput& of_output) const {
  check(teacher);
  check(student);
  const std::vector<Tensor> taught = teacher.flatten(), learned = student.flatten();
  Tensor total;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (!entry.loss) continue;
    const Tensor loss = ops::mean(of_output(*entry.loss, entry.is_object, taught[i], learned[i]));
    total = total ? total + loss : loss;
  }
  return total;
}

// --- logits
// ----------------------------------------------------------------------------------------

LogitsDistillationLoss::LogitsDistillationLoss(LogitsDistillationConfig c)
    : Configured(std::move(c)), losses_(config.loss, "LogitsDistillation") {
  if (!(config.temperature > 0))
    throw ValueError(fmt::format(
        "LogitsDistillation: option 'temperature' must be above 0, found {}.", config.temperature));
}

Tensor LogitsDistillationLoss::compute_loss(const Nest& teacher, const Nest& student) {
  const double temperature = config.temperature;
  return losses_.sum(
      teacher, student, [&](Loss& loss, bool is_object, const Tensor& t, const Tensor& s) {
        const Tensor taught = t / temperature, learned = s / temperature;
        const ClassInfo* info = is_object ? catalog().find_class(loss) : nullptr;
        if (!info || info->class_name != "KLDivergence") return loss(taught, learned);
        return loss(ops::softmax(taught), ops::softmax(learned)) * (temperature * temperature);
      });
}

// --- features
// --------------------------------------------------------------------------------------

FeatureDistillationLoss::FeatureDistillationLoss(FeatureDistillationConfig c)
    : Configured(std::move(c)), losses_(config.loss, "FeatureDistillation") {}

Tensor FeatureDistillationLoss::compute_loss(const Nest& teacher, const Nest& student) {
  return losses_.sum(teacher, student,
                     [](Loss& loss, bool, const Tensor& t, const Tensor& s) { return loss(t, s); });
}

void FeatureDistillationLoss::validate_outputs(const Nest& teacher, const Nest& student) const {
  DistillationLoss::validate_outputs(teacher, student);
  losses_.check(teacher);
}

namespace {

// Throws unless the model has a graph with this layer.
void require_feature_layer(const Model& model, const char* role, const std::string& layer) {
  if (layer.empty()) return;
  try {
    model.inputs();
    model.get_layer(layer);
  } catch (const StateError& e) {
    throw ValueError(fmt::format(
        "FeatureDistillation: the {} '{}' has no graph in which to find the layer '{}': {} Use a "
        "Functional or Sequential model that is built, or distill the outputs without the names of "
        "layers.",
        role, model.name(), layer, e.what()));
  } catch (const ValueError& e) {
    throw ValueError(fmt::format("FeatureDistillation: in the {}: {}", role, e.what()));
  }
}

}  // namespace

void FeatureDistillationLoss::validate_model_compatibility(const Model& teacher,
                                                           const Model& student) const {
  require_feature_layer(teacher, "teacher", teacher_layer_name());
  require_feature_layer(student, "student", student_layer_name());
}

void register_distillation_losses(Catalog& c) {
  c.add<LogitsDistillationLoss>("keras.distillation.LogitsDistillation");
  c.add<FeatureDistillationLoss>("keras.distillation.FeatureDistillation");
}

}  // namespace cornu::distillation
