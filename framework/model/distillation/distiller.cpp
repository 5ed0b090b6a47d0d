// Training a student by a teacher.
#include "distiller.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../ops/numpy/creation.h"
#include "../../ops/operators.h"

namespace cornu::distillation {
namespace {

constexpr const char* final_output = "final_output";

// The symbolic tensors of a model that has some.
Nest ends_of(const Model& model, Nest (Model::*ends)() const) {
  try {
    return (model.*ends)();
  } catch (const StateError&) {
    return {};
  }
}

bool sizes_agree(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i)
    if (a[i] != b[i] && a[i] != Shape::unknown && b[i] != Shape::unknown) return false;
  return true;
}

void check_ends(const Nest& teacher, const Nest& student, const char* what) {
  if (teacher.empty() || student.empty()) return;
  const std::vector<Tensor> a = teacher.flatten(), b = student.flatten();
  if (!teacher.same_structure(student))
    throw ValueError(fmt::format("Distiller: the {} of teacher and student are {} and {}.", what,
                                 teacher.structure(), student.structure()));
  for (size_t i = 0; i < a.size(); ++i)
    if (!sizes_agree(a[i].shape(), b[i].shape()) || a[i].dtype() != b[i].dtype())
      throw ValueError(
          fmt::format("Distiller: the {} of teacher and student must have one shape and dtype, "
                      "found {} and {}.",
                      what, a[i].spec().str(), b[i].spec().str()));
}

void check_weights_of(const DistillerConfig& config) {
  const size_t losses = config.distillation_losses.size();
  if (losses == 0) throw ValueError("Distiller: option 'distillation_losses' is empty.");
  for (const Choice<DistillationLoss>& loss : config.distillation_losses)
    if (!loss) throw ValueError("Distiller: one of 'distillation_losses' is empty.");
  if (config.distillation_loss_weights && config.distillation_loss_weights->size() != losses)
    throw ValueError(
        fmt::format("Distiller: expected a weight for each of {} distillation_losses, found {} "
                    "distillation_loss_weights.",
                    losses, config.distillation_loss_weights->size()));
  if (!(config.student_loss_weight >= 0 && config.student_loss_weight <= 1))
    throw ValueError(fmt::format("Distiller: student_loss_weight must be 0 to 1, found {}.",
                                 config.student_loss_weight));
}

// A model that also gives what the layers of these names give.
std::unique_ptr<Functional> with_features(const Model& model,
                                          const std::vector<std::string>& layers) {
  Nest::Dict outputs = {{final_output, model.outputs()}};
  for (const std::string& layer : layers)
    if (!layer.empty() && std::none_of(outputs.begin(), outputs.end(),
                                       [&](const auto& entry) { return entry.first == layer; }))
      outputs.emplace_back(layer, model.get_layer(layer)->output());
  if (outputs.size() == 1) return nullptr;
  return std::make_unique<Functional>(model.inputs(), Nest::dict(outputs));
}

std::shared_ptr<Metric> mean_of_batches(const std::string& name) {
  auto metric = std::dynamic_pointer_cast<Metric>(make_by_name(Metric::module, "Mean"));
  metric->set_name(name);
  return metric;
}

}  // namespace

Distiller::Distiller(DistillerConfig c)
    : ModelOf(std::move(c)), teacher(config.teacher->shared()), student(config.student->shared()) {
  check_weights_of(config);
  check_ends(ends_of(*teacher, &Model::inputs), ends_of(*student, &Model::inputs), "inputs");
  check_ends(ends_of(*teacher, &Model::outputs), ends_of(*student, &Model::outputs), "outputs");
  track("teacher", std::shared_ptr<Model>(teacher));
  track("student", std::shared_ptr<Model>(student));
  std::vector<std::string> of_teacher, of_student;
  for (const Choice<DistillationLoss>& loss : config.distillation_losses) {
    loss->validate_model_compatibility(*teacher, *student);
    of_teacher.push_back(loss->teacher_layer_name());
    of_student.push_back(loss->student_layer_name());
  }
  const auto any = [](const std::string& name) { return !name.empty(); };
  if (std::any_of(of_teacher.begin(), of_teacher.end(), any))
    teacher_features_ = with_features(*teacher, of_teacher);
  if (std::any_of(of_student.begin(), of_student.end(), any))
    student_features_ = with_features(*student, of_student);
  teacher->set_trainable(false);
  student_loss_ = add_metric(mean_of_batches("student_loss"));
  distillation_loss_ = add_metric(mean_of_batches("distillation_loss"));
  total_loss_ = add_metric(mean_of_batches("total_loss"));
}

void Distiller::build_many(const Nest& inputs) {
  teacher->ensure_built(inputs);
  ModelOf::build_many(inputs);
}

Nest Distiller::call_many(const Nest& inputs, const Call& call) {
  return (*student)(inputs, {.training = call.training, .mask = call.mask, .extra = call.extra});
}

Tensor Distiller::distillation_loss(const Nest& x, const Nest& y_pred) {
  // Entries of one key in braces would be a list.
  const auto alone = [](const Nest& outputs) { return Nest::dict({{final_output, outputs}}); };
  const Nest taught = teacher_features_ ? (*teacher_features_)(x, {.training = false})
                                        : alone((*teacher)(x, {.training = false}));
  const Nest learned =
      student_features_ ? (*student_features_)(x, {.training = true}) : alone(y_pred);
  const auto& losses = config.distillation_losses;
  Tensor total = ops::zeros({}, DType::float32);
  for (size_t i = 0; i < losses.size(); ++i) {
    // As in Keras, outputs are compared where the teacher's layer has no name.
    const std::string from = losses[i]->teacher_layer_name(), to = losses[i]->student_layer_name();
    const bool features = !from.empty();
    const Nest teacher_gives = taught[features ? from : final_output];
    const Nest student_gives = !features ? y_pred : learned[to.empty() ? final_output : to];
    losses[i]->validate_outputs(teacher_gives, student_gives);
    const Tensor loss = losses[i]->compute_loss(teacher_gives, student_gives);
    if (loss.rank() != 0)
      throw ShapeError(
          fmt::format("Distiller: expected a scalar from the compute_loss of a DistillationLoss, "
                      "found shape {}.",
                      loss.shape().str()));
    const double weight =
        config.distillation_loss_weights ? (*config.distillation_loss_weights)[i] : 1;
    total = total + loss * weight;
  }
  return total;
}

Tensor Distiller::compute_loss(const Nest& x, const Nest& y, const Nest& y_pred,
                               const Nest& sample_weight) {
  const double fraction = config.student_loss_weight;
  Tensor of_student = ops::zeros({}, DType::float32), of_teacher = of_student;
  if (fraction > 0 && !y.empty()) of_student = Model::compute_loss(x, y, y_pred, sample_weight);
  if (fraction < 1) of_teacher = distillation_loss(x, y_pred);
  const Tensor total = of_student * fraction + of_teacher * (1 - fraction);
  student_loss_->update_state(of_student);
  distillation_loss_->update_state(of_teacher);
  total_loss_->update_state(total);
  return total;
}

void register_distiller(Catalog& c) { c.add<Distiller>("keras.distillation.Distiller"); }

}  // namespace cornu::distillation

namespace cornu::detail {

Value OptionCodec<distillation::AnyModel>::encode(const distillation::AnyModel& v) {
  Value::Dict entry = serialize(*v.shared()).get<Value::Dict>();
  if (!v->get_build_config().empty()) entry.emplace_back("build_config", v->get_build_config());
  return entry;
}

distillation::AnyModel OptionCodec<distillation::AnyModel>::decode(const Value& v) {
  const std::shared_ptr<Configurable> object = deserialize(v);
  const auto model = std::dynamic_pointer_cast<Model>(object);
  if (!model) wrong_kind("keras.models", *object);
  const Value* build = find(v.get<Value::Dict>(), "build_config");
  if (build && build->is<Value::Dict>() && !model->built())
    model->build_from_config(build->get<Value::Dict>());
  return model;
}

}  // namespace cornu::detail
