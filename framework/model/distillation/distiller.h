// Distiller: trains a student model on labels and on what a teacher model gives.
#pragma once
#include "../functional.h"
#include "distillation_loss.h"

namespace cornu::distillation {

/// A model as an option: made from handles, and from Functional and Sequential models on the stack.
class AnyModel {
 public:
  /// Shares the model.
  template <std::derived_from<Model> T>
  AnyModel(std::shared_ptr<T> model) : model_(std::move(model)) {}
  /// Shares the layers of a Functional or Sequential on the stack. Throws StateError for other
  /// models there, which are to be made by make<Net>(...).
  AnyModel(Model& model) : model_(std::dynamic_pointer_cast<Model>(model.shared_layer())) {}
  /// The same.
  AnyModel(Model&& model) : AnyModel(model) {}
  Model* operator->() const { return model_.get(); }               ///< the model
  const std::shared_ptr<Model>& shared() const { return model_; }  ///< the model itself

 private:
  std::shared_ptr<Model> model_;
};

}  // namespace cornu::distillation

namespace cornu::detail {

/// A model in a file: the object, and what it was built with.
template <>
struct OptionCodec<distillation::AnyModel> {
  static Value encode(const distillation::AnyModel& v);
  static distillation::AnyModel decode(const Value& v);
};

}  // namespace cornu::detail

namespace cornu::distillation {

/// What a student is to learn: one loss or several, in braces.
class DistillationLosses : public std::vector<Choice<DistillationLoss>> {
 public:
  /// @{
  /// A list, as std::vector.
  using vector::vector;
  /// @}
  /// The same list.
  DistillationLosses(std::vector<Choice<DistillationLoss>> losses) : vector(std::move(losses)) {}
  /// A single one: `.distillation_losses = distillation::LogitsDistillation()`.
  template <class T>
  requires std::convertible_to<const T&, Choice<DistillationLoss>> DistillationLosses(const T& loss)
      : vector{Choice<DistillationLoss>(loss)} {}
};

/// Options of Distiller, as in Keras.
struct DistillerConfig {
  Required<AnyModel> teacher;                   ///< a trained model; it is frozen
  Required<AnyModel> student;                   ///< the model to train
  DistillationLosses distillation_losses = {};  ///< one, or several in braces
  /// A factor for each of distillation_losses; none: 1 for each.
  std::optional<std::vector<double>> distillation_loss_weights = {};
  double student_loss_weight = 0.5;  ///< fraction of the loss on labels, 0 to 1
  std::string name = "distiller";    ///< of the model
};

}  // namespace cornu::distillation

namespace cornu::detail {

template <>
struct OptionCodec<distillation::DistillationLosses> {
  using List = OptionCodec<std::vector<Choice<distillation::DistillationLoss>>>;
  static Value encode(const distillation::DistillationLosses& v) { return List::encode(v); }
  static distillation::DistillationLosses decode(const Value& v) { return List::decode(v); }
};

}  // namespace cornu::detail

namespace cornu::distillation {

/// A model whose outputs are the student's, and whose loss is
///
///     student_loss_weight * student loss + (1 - student_loss_weight) * distillation loss
///
/// The student loss is that of compile, sample weights and what layers add included (which Keras
/// leaves out); compile needs a loss unless its share is 0. The distillation loss is the weighted
/// sum of distillation_losses. Logs have "student_loss", "distillation_loss" and "total_loss",
/// means over batches. The teacher is called in inference. For features of layers inside, the
/// student is called a second time, and in training mode, also by evaluate, as in Keras.
///
///     distillation::Distiller distiller({.teacher = teacher, .student = student,
///                                        .distillation_losses =
///                                        {distillation::LogitsDistillation()}});
///     distiller.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
///     distiller.fit(x, y, {.epochs = 10});  // trains `student`
class Distiller : public ModelOf<Distiller, DistillerConfig> {
 public:
  /// Throws ValueError for models whose inputs or outputs differ in shape or dtype, where both are
  /// known, for weights that do not fit, and what the losses say of the models.
  explicit Distiller(DistillerConfig config);
  void build_many(const Nest& inputs) override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  Tensor compute_loss(const Nest& x, const Nest& y, const Nest& y_pred,
                      const Nest& sample_weight = {}) override;
  std::vector<std::string> output_names() const override { return student->output_names(); }

  Handle<Model> teacher,  ///< as given, frozen
      student;            ///< as given; after training it is of use by itself

 private:
  Tensor distillation_loss(const Nest& x, const Nest& y_pred);

  // Models of the same layers that give outputs of layers inside too; null where none is asked for.
  std::unique_ptr<Functional> teacher_features_, student_features_;
  std::shared_ptr<Metric> student_loss_, distillation_loss_, total_loss_;
};

}  // namespace cornu::distillation
