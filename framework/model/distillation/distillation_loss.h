// What a student model is to learn from a teacher: their outputs, or what layers inside give.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "../model.h"

namespace cornu::detail {

/// A loss option as files keep it.
template <>
struct OptionCodec<LossOption> {
  static Value encode(const LossOption& v) { return v.value(); }
  static LossOption decode(const Value& v) { return LossOption::from_value(v); }
};

}  // namespace cornu::detail

namespace cornu::distillation {

/// Base of what a Distiller makes of what the teacher and the student give. A subclass overrides
/// compute_loss; to be saved it is registered by CORNU_REGISTER.
class DistillationLoss : public Configurable {
 public:
  static constexpr const char* module = "keras.distillation";  ///< where names are looked up

  /// The loss, a scalar, of outputs or features of both models.
  virtual Tensor compute_loss(const Nest& teacher_outputs, const Nest& student_outputs) = 0;
  /// Throws ValueError where the loss cannot be of these; by default where they are not nested
  /// alike.
  virtual void validate_outputs(const Nest& teacher_outputs, const Nest& student_outputs) const;
  /// Throws ValueError where the loss cannot be of these models; by default never.
  virtual void validate_model_compatibility(const Model& teacher, const Model& student) const;
  /// The layer of the teacher whose output is compared; empty: the model's outputs.
  virtual std::string teacher_layer_name() const { return ""; }
  /// The layer of the student that it is compared with.
  virtual std::string student_layer_name() const { return ""; }
  Value::Dict get_config() const override { return {}; }
};

/// The losses of single outputs: of one tensor, or of each in a list or dictionary.
class OutputLosses {
 public:
  /// Throws ValueError that begins with `who` where there is no loss at all, and for unknown names.
  OutputLosses(const LossOption& option, const std::string& who);
  /// The loss of one output: `loss`, which is no function where it was given as an object, of the
  /// teacher's and the student's tensor.
  using OfOutput = std::function<Tensor(Loss& loss, bool is_object, const Tensor& teacher,
                                        const Tensor& student)>;
  /// The sum over the outputs that have a loss. Throws ValueError where there is another number of
  /// outputs, or where they have other keys.
  Tensor sum(const Nest& teacher, const Nest& student, const OfOutput& of_output) const;
  /// Throws ValueError likewise.
  void check(const Nest& outputs) const;

 private:
  struct Entry {
    std::string key;             // of a dictionary
    std::shared_ptr<Loss> loss;  // null for none
    bool is_object;
  };
  void add(const std::string& key, const LossOption& option);

  std::string who_;
  bool is_list_, is_dict_;
  std::vector<Entry> entries_;  // in the order of Nest::flatten
};

/// Options of LogitsDistillation, as in Keras.
struct LogitsDistillationConfig {
  double temperature = 3;  ///< what logits are divided by, above 0; 3 to 5 as a rule
  /// One loss, or one for each output, in a list or by key; an output whose loss is empty does not
  /// count.
  LossOption loss = "kl_divergence";
};

/// The loss between the outputs of both models, divided by the temperature: the mean of
/// loss(teacher, student), summed over the outputs. A losses::KLDivergence object is taken of their
/// softmax, and multiplied by temperature^2; as in Keras, the name "kl_divergence" is a function
/// like any other, taken of the numbers as they are. Throws ValueError for a temperature that is
/// not above 0, and where no output has a loss. Hinton et al., https://arxiv.org/abs/1503.02531.
class LogitsDistillationLoss
    : public Configured<LogitsDistillationLoss, LogitsDistillationConfig, DistillationLoss> {
 public:
  explicit LogitsDistillationLoss(LogitsDistillationConfig config);  ///< checks the options
  /// See DistillationLoss.
  Tensor compute_loss(const Nest& teacher_outputs, const Nest& student_outputs) override;

 private:
  OutputLosses losses_;
};
/// A shared LogitsDistillationLoss, made from its options.
using LogitsDistillation = Ref<LogitsDistillationLoss>;

/// Options of FeatureDistillation, as in Keras.
struct FeatureDistillationConfig {
  /// One loss, or one for each tensor that the layer gives, in a list or by key; a tensor whose
  /// loss is empty does not count.
  LossOption loss = "mse";
  /// Layer of the teacher; none: the final outputs of both models.
  std::optional<std::string> teacher_layer_name = {};
  std::optional<std::string> student_layer_name = {};  ///< layer of the student; none: its outputs
};

/// The loss between what a layer of the teacher gives and what one of the student does: the mean of
/// loss(teacher, student), summed over the tensors. Layers inside are reached in Functional and
/// Sequential models that are built. Throws ValueError for others, for layers that are not there,
/// and where no tensor has a loss. Romero et al., https://arxiv.org/abs/1412.6550.
class FeatureDistillationLoss
    : public Configured<FeatureDistillationLoss, FeatureDistillationConfig, DistillationLoss> {
 public:
  explicit FeatureDistillationLoss(FeatureDistillationConfig config);  ///< checks the options
  /// See DistillationLoss.
  Tensor compute_loss(const Nest& teacher_outputs, const Nest& student_outputs) override;
  /// See DistillationLoss.
  void validate_outputs(const Nest& teacher_outputs, const Nest& student_outputs) const override;
  /// See DistillationLoss.
  void validate_model_compatibility(const Model& teacher, const Model& student) const override;
  /// As given.
  std::string teacher_layer_name() const override { return config.teacher_layer_name.value_or(""); }
  /// As given.
  std::string student_layer_name() const override { return config.student_layer_name.value_or(""); }

 private:
  OutputLosses losses_;
};
/// A shared FeatureDistillationLoss, made from its options.
using FeatureDistillation = Ref<FeatureDistillationLoss>;

}  // namespace cornu::distillation
