// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_optimizers_Optimizer() { class Mine : public optimizers::Optimizer {}; }
void keras_optimizers_LossScaleOptimizer() { (void)optimizers::LossScaleOptimizer({.inner_optimizer = optimizers::SGD()}); }
void keras_optimizers_Adadelta() { (void)optimizers::Adadelta(); }
void keras_optimizers_Adafactor() { (void)optimizers::Adafactor(); }
void keras_optimizers_Adagrad() { (void)optimizers::Adagrad(); }
void keras_optimizers_Adam() { (void)optimizers::Adam(); }
void keras_optimizers_AdamW() { (void)optimizers::AdamW(); }
void keras_optimizers_Adamax() { (void)optimizers::Adamax(); }
void keras_optimizers_Ftrl() { (void)optimizers::Ftrl(); }
void keras_optimizers_Lamb() { (void)optimizers::Lamb(); }
void keras_optimizers_Lion() { (void)optimizers::Lion(); }
void keras_optimizers_MultiOptimizer() { (void)optimizers::MultiOptimizer({.optimizer_map = optimizers::OptimizerMap({.default_optimizer = optimizers::SGD()})}); }
void keras_optimizers_Muon() { (void)optimizers::Muon(); }
void keras_optimizers_Nadam() { (void)optimizers::Nadam(); }
void keras_optimizers_OptimizerMap() { (void)optimizers::OptimizerMap({.default_optimizer = optimizers::SGD()}); }
void keras_optimizers_RMSprop() { (void)optimizers::RMSprop(); }
void keras_optimizers_SGD() { (void)optimizers::SGD(); }
void keras_optimizers_ScheduleFreeAdamW() { (void)optimizers::ScheduleFreeAdamW(); }
void keras_optimizers_deserialize() { (void)optimizers::deserialize(config); }
void keras_optimizers_get() { (void)optimizers::get("adam"); }
void keras_optimizers_serialize() { (void)optimizers::serialize(*optimizers::SGD()); }
void keras_optimizers_schedules_CosineDecay() { (void)optimizers::schedules::CosineDecay({.initial_learning_rate = initial_learning_rate, .decay_steps = decay_steps}); }
void keras_optimizers_schedules_CosineDecayRestarts() { (void)optimizers::schedules::CosineDecayRestarts({.initial_learning_rate = initial_learning_rate, .first_decay_steps = first_decay_steps}); }
void keras_optimizers_schedules_ExponentialDecay() { (void)optimizers::schedules::ExponentialDecay({.initial_learning_rate = initial_learning_rate, .decay_steps = decay_steps, .decay_rate = decay_rate}); }
void keras_optimizers_schedules_InverseTimeDecay() { (void)optimizers::schedules::InverseTimeDecay({.initial_learning_rate = initial_learning_rate, .decay_steps = decay_steps, .decay_rate = decay_rate}); }
void keras_optimizers_schedules_LearningRateSchedule() { class Mine : public optimizers::schedules::LearningRateSchedule {}; }
void keras_optimizers_schedules_PiecewiseConstantDecay() { (void)optimizers::schedules::PiecewiseConstantDecay({.boundaries = std::vector<Number>{10}, .values = std::vector<Number>{0.1, 0.01}}); }
void keras_optimizers_schedules_PolynomialDecay() { (void)optimizers::schedules::PolynomialDecay({.initial_learning_rate = initial_learning_rate, .decay_steps = decay_steps}); }
void keras_optimizers_schedules_deserialize() { (void)optimizers::schedules::deserialize(config); }
void keras_optimizers_schedules_serialize() { (void)optimizers::schedules::serialize(*optimizers::schedules::CosineDecay({.initial_learning_rate = 0.1, .decay_steps = 10})); }

}  // namespace cornu::test::coverage
