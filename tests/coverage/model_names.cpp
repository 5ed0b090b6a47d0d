// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_DTypePolicy() { (void)DTypePolicy(); }
static_assert(in_order<DTypePolicy>({"name"}));
void keras_FloatDTypePolicy() { (void)DTypePolicy("float32"); }
void keras_Function() { (void)Functional(tensor_in, ops::relu(tensor_in)); }
void keras_Initializer() { class Mine : public Initializer {}; }
void keras_Input() { (void)Input({4}); }
static_assert(in_order<Input>({"shape", "batch_size", "dtype", "sparse"}));
void keras_InputSpec() { InputSpec spec{.min_ndim = 2}; }
void keras_KerasTensor() { (void)Tensor(Input(shape)); }
void keras_Layer() { class Mine : public Layer {}; }
void keras_Loss() { class Mine : public Loss {}; }
void keras_Metric() { class Mine : public Metric {}; }
void keras_Model() { class Mine : public Model {}; }
void keras_models_Model() { class Mine : public models::Model {}; }
void keras_Operation() { class Mine : public Operation {}; }
void keras_Optimizer() { class Mine : public Optimizer {}; }
void keras_Quantizer() { class Mine : public Quantizer {}; }
void keras_Regularizer() { class Mine : public Regularizer {}; }
void keras_RematScope() { RematScope scope({.mode = "full"}); }
void keras_Sequential() { (void)Sequential(); }
void keras_models_Sequential() { (void)models::Sequential(); }
void keras_StatelessScope() { StatelessScope scope; }
void keras_Variable() { (void)Variable(x); }
void keras_device() { (void)DeviceScope(devices().front()); }
void keras_remat() { (void)remat([](const Nest& x) { return x; }); }
void keras_version() { (void)version(); }
void keras_distillation_DistillationLoss() { class Mine : public distillation::DistillationLoss {}; }
void keras_distillation_Distiller() { (void)distillation::Distiller({.teacher = model, .student = model, .distillation_losses = {distillation::LogitsDistillation()}}); }
static_assert(in_order<distillation::Distiller>({"teacher", "student", "distillation_losses", "distillation_loss_weights"}));
void keras_distillation_FeatureDistillation() { (void)distillation::FeatureDistillation(); }
static_assert(in_order<distillation::FeatureDistillation>({"loss", "teacher_layer_name", "student_layer_name"}));
void keras_distillation_LogitsDistillation() { (void)distillation::LogitsDistillation(); }
static_assert(in_order<distillation::LogitsDistillation>({"temperature", "loss"}));
void keras_distribution_DataParallel() { (void)distribution::DataParallel(); }
static_assert(in_order<distribution::DataParallel>({"device_mesh", "devices", "auto_shard_dataset"}));
void keras_distribution_DeviceMesh() { (void)distribution::DeviceMesh({.shape = {1}, .axis_names = {"batch"}}); }
static_assert(in_order<distribution::DeviceMesh>({"shape", "axis_names", "devices"}));
void keras_distribution_LayoutMap() { (void)distribution::LayoutMap(distribution::DeviceMesh({.shape = {1}, .axis_names = {"batch"}})); }
void keras_distribution_ModelParallel() { (void)distribution::ModelParallel({.layout_map = distribution::LayoutMap(distribution::DeviceMesh({.shape = {1}, .axis_names = {"batch"}}))}); }
static_assert(in_order<distribution::ModelParallel>({"layout_map", "batch_dim_name", "auto_shard_dataset"}));
void keras_distribution_TensorLayout() { (void)distribution::TensorLayout({.axes = {"batch"}}); }
static_assert(in_order<distribution::TensorLayout>({"axes", "device_mesh"}));
void keras_distribution_distribute_tensor() { (void)distribution::distribute_tensor(tensor_in, distribution::TensorLayout({.axes = {"batch"}})); }
void keras_distribution_distribution() { (void)distribution::distribution(); }
void keras_distribution_get_device_count() { (void)distribution::get_device_count(); }
void keras_distribution_initialize() { (void)distribution::initialize(); }
void keras_distribution_list_devices() { (void)distribution::list_devices(); }
void keras_distribution_set_distribution() { (void)distribution::set_distribution(distribution::DataParallel()); }
void keras_models_clone_model() { (void)models::clone_model(model); }
void keras_models_load_model() { (void)models::load_model(filepath); }
void keras_saving_load_model() { (void)saving::load_model(filepath); }
void keras_models_model_from_json() { (void)models::model_from_json(json_string); }
void keras_models_save_model() { (void)models::save_model(model, filepath); }
void keras_saving_save_model() { (void)saving::save_model(model, filepath); }
void keras_saving_KerasFileEditor() { (void)saving::KerasFileEditor(filepath); }
void keras_saving_load_weights() { (void)saving::load_weights(model, filepath); }
void keras_saving_save_weights() { (void)saving::save_weights(model, filepath); }
void keras_saving_deserialize_keras_object() { (void)saving::deserialize_keras_object(config); }
void keras_saving_serialize_keras_object() { (void)saving::serialize_keras_object(*layer); }

}  // namespace cornu::test::coverage
